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

/// The shapes that inputs are seen in, and the one that they broadcast to.
struct Operands {
  llvm::SmallVector<Shape> shapes;
  Shape result;
};

ImportFunction makeUnary(llvm::StringRef mnemonic,
                         std::vector<NumberField> fields);

void addUnary(Registry &registry, llvm::StringRef name,
              llvm::StringRef mnemonic, std::vector<NumberField> fields = {},
              llvm::StringRef domain = "");

/// How the inputs of a node broadcast. Where `isOld` says so, the second of two
/// is repeated only where an attribute says that, along the dimensions before
/// and behind those that begin at `axis`, as binary operators have it before
/// opset 7.
llvm::FailureOr<Operands> getOperands(NodeImporter &node, bool isOld = false);

/// The shape that all inputs are broadcast to.
llvm::FailureOr<Shape> getCommonShape(NodeImporter &node);

/// Sets the output to `value`, which may be wider than the first input.
llvm::LogicalResult setNarrow(NodeImporter &node, mlir::Value value,
                              Shape shape);

bool isUnsigned(DataType type);

/// `a` where `condition` is true, else `b`.
mlir::Value choose(NodeImporter &node, mlir::Value condition, mlir::Value a,
                   mlir::Value b);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_ELEMENTWISEROWS_H
