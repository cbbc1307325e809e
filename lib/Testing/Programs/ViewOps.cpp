//===- ViewOps.cpp - Drawing views ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ViewOps.h"
#include "Testing/Programs/Operators.h"
#include "dml/IR/Layout.h"

using namespace mlir;

namespace dml::fuzz {

Value drawView(Draft &draft, Value input) {
  Random &random = draft.random;
  auto type = cast<RankedTensorType>(input.getType());
  int64_t count = type.getNumElements();
  auto rank = static_cast<unsigned>(random.between(1, 8));
  SmallVector<int64_t> sizes(type.getShape()), strides;
  auto build = [&](int64_t offset) {
    return ViewOp::create(draft.builder, type.clone(sizes), input, strides,
                          offset);
  };
  switch (random.between(0, 3)) {
  case 0: { // Some dimensions are repeated, in another order perhaps.
    strides = getPackedStrides(sizes);
    SmallVector<int64_t> oldSizes = sizes, oldStrides = strides;
    SmallVector<unsigned> order = draft.drawOrder(sizes.size());
    if (random.oneIn(2))
      llvm::sort(order);
    for (auto [to, from] : llvm::enumerate(order)) {
      sizes[to] = oldSizes[from];
      strides[to] = oldStrides[from];
    }
    for (unsigned dim : draft.drawOrder(sizes.size()))
      if (random.oneIn(3)) {
        strides[dim] = 0;
        sizes[dim] = 1;
        sizes[dim] = draft.drawSize(draft.getRoom(sizes, dim));
      }
    return build(0);
  }
  case 1: { // Other sizes of the same elements.
    sizes.assign(rank, 1);
    int64_t rest = count;
    for (unsigned dim = 0; dim + 1 < rank; ++dim)
      for (int64_t factor : {2, 3, 5, 7})
        if (rest % factor == 0 && random.oneIn(2)) {
          sizes[dim] *= factor;
          rest /= factor;
        }
    sizes[rank - 1] = rest;
    strides = getPackedStrides(sizes);
    return build(0);
  }
  default: { // Any strides that stay within the elements.
    sizes = llvm::to_vector(
        draft.drawType(*getDataType(type.getElementType()), rank).getShape());
    strides.assign(rank, 0);
    int64_t offset = random.oneIn(2) ? 0 : random.between(0, count - 1);
    int64_t room = count - 1 - offset;
    for (unsigned dim : draft.drawOrder(rank)) {
      int64_t steps = sizes[dim] - 1;
      strides[dim] = random.oneIn(4)   ? 0
                     : random.oneIn(3) ? 1
                                       : random.between(0, 9);
      if (steps > 0)
        strides[dim] = std::min(strides[dim], room / steps);
      room -= steps * strides[dim];
    }
    return build(offset);
  }
  }
}

/// Views have no support table; Generator.cpp draws them between operators.
void addViewOperators(Operators &) {}

} // namespace dml::fuzz
