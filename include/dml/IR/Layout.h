//===- Layout.h - Sizes and strides -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What a tensor's sizes and strides say. All numbers count elements, and sizes
// are 1 at least. Strides of dimensions of size 1 have no meaning.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_LAYOUT_H
#define DML_IR_LAYOUT_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dml {

/// Dimensions that a DirectML tensor has at most:
/// DML_TENSOR_DIMENSION_COUNT_MAX1.
inline constexpr int64_t maxRank = 8;

/// Elements from the first to the last, both included: 7 for the sizes {2, 3}
/// and the strides {4, 1}. UINT64_MAX where 64 bits do not hold it.
uint64_t getExtent(llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<int64_t> strides);

/// The strides of a packed tensor. Of sizes that are no DirectML tensor's, some
/// numbers.
llvm::SmallVector<int64_t> getPackedStrides(llvm::ArrayRef<int64_t> sizes);

/// Whether the elements lie in row-major order without gaps.
bool isPacked(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

/// The dimensions of more than one element, by falling strides, if each stride
/// reaches beyond the last element of the dimensions after it. No two elements
/// share a place then, and a place tells its coordinates: each is the quotient
/// of the rest and the stride.
std::optional<llvm::SmallVector<unsigned>>
getNestedDimensions(llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides);

/// Where a strided tensor's elements stand in a packed one, if that is affine
/// in each of the packed one's dimensions: element c is at the coordinates
/// `offsets[d] + sum(c[i] * factors[d][i])`.
struct AffinePlace {
  llvm::SmallVector<int64_t> offsets;
  llvm::SmallVector<llvm::SmallVector<int64_t>> factors;
};
std::optional<AffinePlace> getAffinePlace(llvm::ArrayRef<int64_t> packedSizes,
                                          llvm::ArrayRef<int64_t> sizes,
                                          llvm::ArrayRef<int64_t> strides,
                                          int64_t offset);

/// The strides that `function` states for an argument or a result, where its
/// tensor is not packed.
std::optional<llvm::ArrayRef<int64_t>>
getArgumentStrides(mlir::FunctionOpInterface function, unsigned index);
std::optional<llvm::ArrayRef<int64_t>>
getResultStrides(mlir::FunctionOpInterface function, unsigned index);

} // namespace dml

#endif // DML_IR_LAYOUT_H
