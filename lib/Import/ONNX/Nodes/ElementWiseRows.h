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

/// A number of an operator's desc: the ONNX attribute that states it, or its
/// constant.
struct NumberField {
  llvm::StringRef field;
  llvm::StringRef attribute;
  float otherwise;
};

/// The shapes of the inputs, as they broadcast, and the shape of the result.
struct Operands {
  llvm::SmallVector<Shape> shapes;
  Shape result;
};

/// An import function that builds dml.`mnemonic` of the only input, with the
/// attributes `fields`.
ImportFunction makeUnary(llvm::StringRef mnemonic,
                         std::vector<NumberField> fields);

/// Adds the operator `name`, which makeUnary imports.
void addUnary(Registry &registry, llvm::StringRef name,
              llvm::StringRef mnemonic, std::vector<NumberField> fields = {},
              llvm::StringRef domain = "");

/// Broadcasts the inputs of a node. `isOld` stands for a binary operator that
/// changed with opset 7: before, the second input is repeated only if the
/// attribute `broadcast` is set, and its dimensions are those of the first
/// input from `axis` on.
llvm::FailureOr<Operands> getOperands(NodeImporter &node, bool isOld = false);

/// The shape that all inputs broadcast to.
llvm::FailureOr<Shape> getCommonShape(NodeImporter &node);

/// Sets the output to `value`, cast to the type of the first input.
llvm::LogicalResult setNarrow(NodeImporter &node, mlir::Value value,
                              Shape shape);

/// Whether `type` is an integer without a sign.
bool isUnsigned(DataType type);

/// `a` where `condition` is true, else `b`.
mlir::Value choose(NodeImporter &node, mlir::Value condition, mlir::Value a,
                   mlir::Value b);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_ELEMENTWISEROWS_H
