//===- ElementWiseRows.h - Nodes that compute each element ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_ELEMENTWISEROWS_H
#define DML_LIB_IMPORT_ONNX_NODES_ELEMENTWISEROWS_H

#include "Graph/Registry.h"
#include "Nodes/NodeUtils.h"

namespace dml::onnx {

/// A field of an operator's description: the ONNX attribute with its value, or
/// its constant value.
struct NumberField {
  llvm::StringRef field;
  llvm::StringRef attribute;
  float otherwise;
};

/// The shapes of the inputs for broadcasting, and the shape of the result.
struct Operands {
  llvm::SmallVector<Shape> shapes;
  Shape result;
};

/// Returns an import function that builds dml.`mnemonic` for the only input,
/// with the attributes `fields`.
ImportFunction makeUnary(llvm::StringRef mnemonic,
                         std::vector<NumberField> fields);

/// Adds the operator `name`, imported by makeUnary().
void addUnary(Registry &registry, llvm::StringRef name,
              llvm::StringRef mnemonic, std::vector<NumberField> fields = {},
              llvm::StringRef domain = "");

/// Determines how the inputs of a node are broadcast. `isOld` marks binary
/// operators that changed with opset 7: before, the second input is broadcast
/// only if the attribute `broadcast` is set, and its dimensions correspond to
/// those of the first input from `axis` on.
llvm::FailureOr<Operands> getOperands(NodeImporter &node, bool isOld = false);

/// Returns the shape to which all inputs are broadcast.
llvm::FailureOr<Shape> getCommonShape(NodeImporter &node);

/// Sets the output to `value`, cast to the type of the first input.
llvm::LogicalResult setNarrow(NodeImporter &node, mlir::Value value,
                              Shape shape);

/// Whether `type` is an unsigned integer.
bool isUnsigned(DataType type);

/// Returns a selection between `a`, if `condition` is true, and `b`.
mlir::Value choose(NodeImporter &node, mlir::Value condition, mlir::Value a,
                   mlir::Value b);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_ELEMENTWISEROWS_H
