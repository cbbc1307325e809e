//===- Layout.cpp - Sizes and strides -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/Layout.h"
#include "dml/IR/DML.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

uint64_t dml::getExtent(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  uint64_t extent = 1;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    extent = llvm::SaturatingAdd(
        extent, llvm::SaturatingMultiply(static_cast<uint64_t>(size - 1),
                                         static_cast<uint64_t>(stride)));
  return extent;
}

SmallVector<int64_t> dml::getPackedStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size());
  uint64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(sizes[dim]);
  }
  return strides;
}

bool dml::isPacked(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  uint64_t packed = 1;
  for (auto [size, stride] :
       llvm::zip_equal(llvm::reverse(sizes), llvm::reverse(strides))) {
    if (size != 1 && static_cast<uint64_t>(stride) != packed)
      return false;
    packed = llvm::SaturatingMultiply(packed, static_cast<uint64_t>(size));
  }
  return true;
}

std::optional<SmallVector<unsigned>>
dml::getNestedDimensions(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (sizes[dim] != 1)
      dims.push_back(dim);
  llvm::stable_sort(
      dims, [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  uint64_t extent = 1;
  for (unsigned dim : llvm::reverse(dims)) {
    if (static_cast<uint64_t>(strides[dim]) < extent)
      return std::nullopt;
    extent += static_cast<uint64_t>(sizes[dim] - 1) *
              static_cast<uint64_t>(strides[dim]);
  }
  return dims;
}

/// Returns the coordinates of the element with the number `place`. The first
/// coordinate is the quotient by the product of all other sizes, even if it
/// exceeds the first size.
static SmallVector<int64_t> toCoordinates(int64_t place,
                                          ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> coordinates(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    coordinates[dim] = dim == 0 ? place : place % sizes[dim];
    place /= sizes[dim];
  }
  return coordinates;
}

std::optional<AffinePlace> dml::getAffinePlace(ArrayRef<int64_t> packedSizes,
                                               ArrayRef<int64_t> sizes,
                                               ArrayRef<int64_t> strides,
                                               int64_t offset) {
  AffinePlace place;
  place.offsets = toCoordinates(offset, packedSizes);
  place.factors.assign(packedSizes.size(), SmallVector<int64_t>(sizes.size()));
  SmallVector<uint64_t> last(place.offsets.begin(), place.offsets.end());
  for (auto [dim, size, stride] : llvm::enumerate(sizes, strides)) {
    if (size == 1)
      continue;
    for (auto [packed, factor] :
         llvm::enumerate(toCoordinates(stride, packedSizes))) {
      place.factors[packed][dim] = factor;
      last[packed] = llvm::SaturatingAdd(
          last[packed],
          llvm::SaturatingMultiply(static_cast<uint64_t>(size - 1),
                                   static_cast<uint64_t>(factor)));
    }
  }
  // If a coordinate can exceed the size of its dimension, it would carry into
  // the preceding dimension, and the coordinates are not affine.
  for (auto [coordinate, size] : llvm::zip_equal(last, packedSizes))
    if (coordinate >= static_cast<uint64_t>(size))
      return std::nullopt;
  return place;
}

static std::optional<ArrayRef<int64_t>>
getStrides(Attribute attribute, Attribute original, Type type) {
  auto strides = dyn_cast_if_present<DenseI64ArrayAttr>(attribute);
  if (auto typeAttr = dyn_cast_if_present<TypeAttr>(original))
    type = typeAttr.getValue();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!strides || !tensor || isPacked(tensor.getShape(), strides))
    return std::nullopt;
  return strides.asArrayRef();
}

std::optional<ArrayRef<int64_t>>
dml::getArgumentStrides(FunctionOpInterface function, unsigned index) {
  return getStrides(function.getArgAttr(index, stridesAttrName),
                    function.getArgAttr(index, typeAttrName),
                    function.getArgumentTypes()[index]);
}

std::optional<ArrayRef<int64_t>>
dml::getResultStrides(FunctionOpInterface function, unsigned index) {
  return getStrides(function.getResultAttr(index, stridesAttrName),
                    function.getResultAttr(index, typeAttrName),
                    function.getResultTypes()[index]);
}
