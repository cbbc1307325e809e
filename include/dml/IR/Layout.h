//===- Layout.h - Sizes and strides -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Computations on sizes and strides of tensors. All numbers count elements.
// Sizes are at least 1. The stride of a dimension of size 1 has no effect.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_LAYOUT_H
#define DML_IR_LAYOUT_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dml {

/// The largest number of dimensions of a DirectML tensor,
/// DML_TENSOR_DIMENSION_COUNT_MAX1.
inline constexpr int64_t maxRank = 8;

/// Returns the number of elements in memory from the first to the last element,
/// inclusive: 7 for the sizes {2, 3} and the strides {4, 1}. Returns UINT64_MAX
/// if the number exceeds 64 bits.
uint64_t getExtent(llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<int64_t> strides);

/// Returns the strides of a packed tensor. For sizes that no DirectML tensor
/// has, the result is unspecified.
llvm::SmallVector<int64_t> getPackedStrides(llvm::ArrayRef<int64_t> sizes);

/// Whether the elements are in row-major order without gaps.
bool isPacked(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

/// Returns the dimensions with more than one element, in descending order of
/// strides, if each stride exceeds the extent of all later dimensions. In this
/// case, no two elements have the same place, and the coordinates follow from
/// the place by divisions. Returns nothing otherwise.
std::optional<llvm::SmallVector<unsigned>>
getNestedDimensions(llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides);

/// The coordinates of a strided tensor's elements in a packed tensor, if they
/// are affine in each dimension of the packed tensor: element c has the
/// coordinate `offsets[d] + sum(c[i] * factors[d][i])` in dimension d.
struct AffinePlace {
  llvm::SmallVector<int64_t> offsets;
  llvm::SmallVector<llvm::SmallVector<int64_t>> factors;
};
std::optional<AffinePlace> getAffinePlace(llvm::ArrayRef<int64_t> packedSizes,
                                          llvm::ArrayRef<int64_t> sizes,
                                          llvm::ArrayRef<int64_t> strides,
                                          int64_t offset);

/// Return the strides that `function` states for an argument or a result, or
/// nothing if the tensor is packed.
std::optional<llvm::ArrayRef<int64_t>>
getArgumentStrides(mlir::FunctionOpInterface function, unsigned index);
std::optional<llvm::ArrayRef<int64_t>>
getResultStrides(mlir::FunctionOpInterface function, unsigned index);

} // namespace dml

#endif // DML_IR_LAYOUT_H
