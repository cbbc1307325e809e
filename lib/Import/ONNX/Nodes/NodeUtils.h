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

/// Fails unless a result may have the shape `shape`: DirectML's tensors have at
/// most 8 dimensions and 2^32 - 1 elements.
llvm::LogicalResult wantTensor(NodeImporter &node, const Shape &shape);

inline bool isEmpty(llvm::ArrayRef<int64_t> shape) {
  return llvm::is_contained(shape, 0);
}

/// Sets output `index` to a tensor without elements, which is a constant:
/// DirectML's tensors have one element at least.
llvm::LogicalResult setEmpty(NodeImporter &node, unsigned index, DataType type,
                             Shape shape);

/// The first element of `constant`, bit for bit.
mlir::NamedAttribute getScalar(NodeImporter &node, llvm::StringRef name,
                               const Constant &constant);

/// The one integer of input `index`, "the depth", which has to be a constant.
llvm::FailureOr<int64_t> getInteger(NodeImporter &node, unsigned index,
                                    llvm::StringRef what);

/// The attribute `name`, a list that has to be there.
llvm::FailureOr<Shape> wantInts(NodeImporter &node, llvm::StringRef name);

/// The part of `value` from `offsets` on, of `sizes`.
mlir::Value takePart(NodeImporter &node, mlir::Value value,
                     llvm::ArrayRef<int64_t> offsets,
                     llvm::ArrayRef<int64_t> sizes);

/// The products of the matrices of `a`, {A, B, M, K}, and the transposed ones
/// of `b`, {A, B, N, K}, for element types that DirectML's GEMM lacks.
mlir::Value multiplyAndSum(NodeImporter &node, mlir::Value a, mlir::Value b);

/// The axes of a node of `rank` dimensions, counted from the front: its
/// attribute, or its input 1, which newer versions of operators have.
llvm::FailureOr<Shape> getAxes(NodeImporter &node, int64_t rank);

/// `axes`, counted from the front, none of which may stand twice.
llvm::FailureOr<Shape>
normalizeAxes(NodeImporter &node, llvm::ArrayRef<int64_t> axes, int64_t rank);

/// Fails where input `index` is a constant of indices, one of which is none of
/// `size` elements. Negative ones count from the end.
llvm::LogicalResult wantIndices(NodeImporter &node, unsigned index,
                                int64_t size);

/// Fails where input 1 is a constant of tuples of `sizes.size()` indices, one
/// of which is outside of the elements of its dimension.
llvm::LogicalResult wantTuples(NodeImporter &node,
                               llvm::ArrayRef<int64_t> sizes);

/// "[1, 2]", a list that an attribute states.
std::string describeList(llvm::ArrayRef<int64_t> list);

/// A number as people write it: an integer without a point.
std::string describeNumber(double number);
/// The first element of `constant` as people write it.
std::string describeElement(const Constant &constant);

/// The number of leading 1s that `shape` has as an operand.
int64_t getLead(llvm::ArrayRef<int64_t> shape);
/// `shape` with leading 1s up to `rank` dimensions.
Shape leadTo(size_t rank, llvm::ArrayRef<int64_t> shape);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_NODEUTILS_H
