//===- NodeUtils.h - What import functions share ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_NODEUTILS_H
#define DML_LIB_IMPORT_ONNX_NODES_NODEUTILS_H

#include "Graph/NodeImporter.h"
#include "Reader/Shapes.h"

namespace dml::onnx {

/// Fails if a result cannot have the shape `shape`. DirectML's tensors have at
/// most 8 dimensions and 2^32 - 1 elements.
llvm::LogicalResult wantTensor(NodeImporter &node, const Shape &shape);

inline bool isEmpty(llvm::ArrayRef<int64_t> shape) {
  return llvm::is_contained(shape, 0);
}

/// Sets output `index` to a tensor without elements. This tensor is a constant,
/// since DirectML's tensors have at least one element.
llvm::LogicalResult setEmpty(NodeImporter &node, unsigned index, DataType type,
                             Shape shape);

/// Returns the first element of `constant` with its exact bits.
mlir::NamedAttribute getScalar(NodeImporter &node, llvm::StringRef name,
                               const Constant &constant);

/// Returns the only integer in input `index`, which must be a constant. `what`
/// names the input in messages, such as "the depth".
llvm::FailureOr<int64_t> getInteger(NodeImporter &node, unsigned index,
                                    llvm::StringRef what);

/// Returns the list attribute `name`, which is mandatory.
llvm::FailureOr<Shape> wantInts(NodeImporter &node, llvm::StringRef name);

/// Returns the part of `value` with the sizes `sizes` that begins at `offsets`.
mlir::Value takePart(NodeImporter &node, mlir::Value value,
                     llvm::ArrayRef<int64_t> offsets,
                     llvm::ArrayRef<int64_t> sizes);

/// Returns the products of the matrices of `a`, {A, B, M, K}, and the
/// transposed matrices of `b`, {A, B, N, K}, for element types that DirectML's
/// GEMM does not support.
mlir::Value multiplyAndSum(NodeImporter &node, mlir::Value a, mlir::Value b);

/// Returns the axes of a node with `rank` dimensions, counted from the front.
/// The axes are an attribute, or input 1 in newer versions of operators.
llvm::FailureOr<Shape> getAxes(NodeImporter &node, int64_t rank);

/// Returns `axes`, counted from the front. Fails if an axis occurs twice.
llvm::FailureOr<Shape>
normalizeAxes(NodeImporter &node, llvm::ArrayRef<int64_t> axes, int64_t rank);

/// Fails if input `index` is a constant and one of its indices is out of range
/// for `size` elements. Negative indices count from the end.
llvm::LogicalResult wantIndices(NodeImporter &node, unsigned index,
                                int64_t size);

/// Fails if input 1 is a constant of tuples of `sizes.size()` indices and one
/// of the indices is out of range for its dimension.
llvm::LogicalResult wantTuples(NodeImporter &node,
                               llvm::ArrayRef<int64_t> sizes);

/// Returns the list in the form "[1, 2]", for a message about an attribute.
std::string describeList(llvm::ArrayRef<int64_t> list);

/// Returns a number for a message, where integers have no decimal point.
std::string describeNumber(double number);
/// Returns the first element of `constant` for a message.
std::string describeElement(const Constant &constant);

/// Returns the number of leading dimensions of size 1 that `shape` gets as an
/// operand.
int64_t getLead(llvm::ArrayRef<int64_t> shape);
/// Returns `shape` with leading dimensions of size 1, up to `rank` dimensions.
Shape leadTo(size_t rank, llvm::ArrayRef<int64_t> shape);

inline Shape getShapeOf(mlir::Value value) {
  return Shape(llvm::cast<mlir::RankedTensorType>(value.getType()).getShape());
}

/// Builds the operator `mnemonic` for two four-dimensional values, which are
/// broadcast to each other. `type` is the element type of the result, if it is
/// not that of `a`.
mlir::Value combineRepeated(NodeImporter &node, llvm::StringRef mnemonic,
                            mlir::Value a, mlir::Value b,
                            std::optional<DataType> type = {});

/// Returns `kept` where `condition` holds and `otherwise` elsewhere. The three
/// have four dimensions and are broadcast to each other.
mlir::Value select(NodeImporter &node, mlir::Value condition, mlir::Value kept,
                   mlir::Value otherwise);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_NODEUTILS_H
