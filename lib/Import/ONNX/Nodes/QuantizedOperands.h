//===- QuantizedOperands.h - Scales and zero points of nodes ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_QUANTIZEDOPERANDS_H
#define DML_LIB_IMPORT_ONNX_NODES_QUANTIZEDOPERANDS_H

#include "Nodes/NodeUtils.h"

namespace dml::onnx {

/// An operand of the operator that is a scale or a zero point: the node's input
/// `index`, which may have numbers along `dim`.
struct ParameterInput {
  llvm::StringRef name;
  unsigned index;
  size_t dim;
};

/// Adds the operands of `parameters` to `to`; those whose input is left out are
/// null.
llvm::LogicalResult
addParameters(NodeImporter &node, llvm::ArrayRef<ParameterInput> parameters,
              llvm::SmallVectorImpl<NodeImporter::Operand> &to);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_QUANTIZEDOPERANDS_H
