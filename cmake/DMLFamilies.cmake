# The families of operators. A family Pooling has
#   include/dml/IR/PoolingOps.td            the descriptions and support tables,
#   lib/IR/PoolingOps.cpp                   verifiers, inference, rewrites,
#   lib/Conversion/DMLToLinalg/PoolingOps.cpp  the lowering,
#   lib/Reference/Pooling.cpp               the evaluators,
#   tools/dml-fuzz/PoolingOps.cpp           how programs with them are drawn,
#   test/Conversion/DMLToLinalg/pooling.mlir  what the lowering makes.
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

set(DML_FAMILIES Activation Attention Contraction ElementWise Gather Layout
    Normalization Padding Pooling Quantization Random Recurrent Reduction Region
    Resample Scan Scatter Slice Softmax Sort Tile Training View)
