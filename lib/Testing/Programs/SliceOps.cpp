//===- SliceOps.cpp - Drawing slices --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SliceOps.h"
#include "Testing/Programs/Operators.h"
#include <cstdlib>

using namespace mlir;

namespace dml::fuzz {

static int64_t drawStride(Random &random, int64_t size) {
  if (random.oneIn(2))
    return 1;
  return random.oneIn(8) ? random.between(1, size + 2) : random.between(1, 4);
}

static Operation *drawSlice(Draft &draft, const Cell &, uint32_t, Value input) {
  Random &random = draft.random;
  SmallVector<int64_t> offsets, sizes, strides;
  for (int64_t size : getShape(input)) {
    bool isWhole = random.oneIn(3);
    int64_t offset = isWhole ? 0 : random.between(0, size - 1);
    int64_t stride = isWhole ? 1 : drawStride(random, size);
    int64_t most = (size - 1 - offset) / stride + 1;
    offsets.push_back(offset);
    strides.push_back(stride);
    sizes.push_back(isWhole || random.oneIn(2) ? most
                                               : random.between(1, most));
  }
  return SliceOp::create(draft.builder, input, offsets, sizes, strides);
}

namespace {
struct Windows {
  SmallVector<int64_t> offsets, sizes, strides, steps;

  /// Adds a window for a dimension of `size` elements.
  void add(Random &random, int64_t size) {
    bool isWhole = random.oneIn(3);
    offsets.push_back(isWhole ? 0 : random.between(0, size - 1));
    sizes.push_back(isWhole ? size : random.between(1, size - offsets.back()));
    int64_t stride = drawStride(random, size);
    strides.push_back(random.oneIn(3) ? -stride : stride);
    int64_t most = (sizes.back() - 1) / std::abs(strides.back()) + 1;
    steps.push_back(random.oneIn(4) ? random.between(1, most) : most);
  }
};
} // namespace

static Operation *drawSlice1(Draft &draft, const Cell &, uint32_t,
                             Value input) {
  Windows windows;
  for (int64_t size : getShape(input))
    windows.add(draft.random, size);
  return Slice1Op::create(
      draft.builder,
      cast<RankedTensorType>(input.getType()).clone(windows.steps), input,
      windows.offsets, windows.sizes, windows.strides);
}

static Operation *drawSliceGrad(Draft &draft, const Cell &, uint32_t,
                                Value input) {
  Random &random = draft.random;
  Windows windows;
  SmallVector<int64_t> shape(getShape(input));
  for (unsigned dim : draft.drawOrder(shape.size())) {
    int64_t room = draft.getRoom(shape, dim), count = shape[dim];
    int64_t stride = random.oneIn(2) ? 1 : random.between(1, 4);
    if ((count - 1) * stride + 1 > room)
      stride = 1;
    int64_t reach = (count - 1) * stride + 1;
    int64_t size = random.oneIn(2) ? reach : random.between(reach, room);
    shape[dim] = random.oneIn(2) ? size : random.between(size, room);
  }
  for (auto [count, whole] : llvm::zip_equal(getShape(input), shape)) {
    int64_t most = count == 1 ? 4 : (whole - 1) / (count - 1);
    int64_t stride = random.between(1, std::min<int64_t>(most, 4));
    int64_t reach = (count - 1) * stride + 1;
    windows.sizes.push_back(random.between(reach, whole));
    windows.offsets.push_back(random.between(0, whole - windows.sizes.back()));
    windows.strides.push_back(random.oneIn(3) ? -stride : stride);
  }
  return SliceGradOp::create(
      draft.builder, cast<RankedTensorType>(input.getType()).clone(shape),
      input, windows.offsets, windows.sizes, windows.strides);
}

void addSliceOperators(Operators &operators) {
  Operator slice;
  slice.computes = [](StringRef) { return false; };
  slice.draw = drawSlice;
  operators.add<SliceOp>(slice);
  slice.draw = drawSlice1;
  operators.add<Slice1Op>(slice);
  slice.draw = drawSliceGrad;
  operators.add<SliceGradOp>(slice);
}

} // namespace dml::fuzz
