//===- QuantizedOperands.h - Scales and zero points of nodes ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_QUANTIZEDOPERANDS_H
#define DML_LIB_IMPORT_ONNX_NODES_QUANTIZEDOPERANDS_H

#include "Nodes/NodeUtils.h"

namespace dml::onnx {

/// A scale or a zero point of a node: input `index`, which becomes the operand
/// `name`. It has a single number, or one number for each element along
/// dimension `dim`.
struct ParameterInput {
  llvm::StringRef name;
  unsigned index;
  size_t dim;
};

/// Appends the operands for `parameters` to `to`. The operand of a missing
/// input is null.
llvm::LogicalResult
addParameters(NodeImporter &node, llvm::ArrayRef<ParameterInput> parameters,
              llvm::SmallVectorImpl<NodeImporter::Operand> &to);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_QUANTIZEDOPERANDS_H
