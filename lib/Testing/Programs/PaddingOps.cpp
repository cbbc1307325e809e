//===- PaddingOps.cpp - Drawing paddings ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/PaddingOps.h"
#include "Testing/Programs/Operators.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace dml::fuzz {

static void drawSizes(Draft &draft, Value input, SmallVector<int64_t> &start,
                      SmallVector<int64_t> &end) {
  Random &random = draft.random;
  SmallVector<int64_t> shape(getShape(input));
  start.assign(shape.size(), 0);
  end.assign(shape.size(), 0);
  for (unsigned dim : draft.drawOrder(shape.size())) {
    if (random.oneIn(4))
      continue;
    int64_t room = draft.getRoom(shape, dim) - shape[dim];
    // The padding mostly spans few periods of the input, sometimes many.
    if (!random.oneIn(4))
      room = std::min(room, 2 * shape[dim] + 2);
    start[dim] = random.between(0, room);
    end[dim] = random.between(0, room - start[dim]);
    // Half of the sizes are multiples of 4, which whole vectors and threads
    // with several rows require.
    if (random.oneIn(2))
      end[dim] += -(shape[dim] + start[dim] + end[dim]) & 3;
    shape[dim] += start[dim] + end[dim];
  }
}

static Operation *drawPadding(Draft &draft, const Cell &, uint32_t mode,
                              Value input) {
  Random &random = draft.random;
  SmallVector<int64_t> start, end;
  drawSizes(draft, input, start, end);
  static constexpr float infinity = std::numeric_limits<float>::infinity();
  static constexpr float values[] = {
      0.0f, -0.0f, 1.25f, 9.0f, 10.6f, -10.6f, -2.0f, 127.5f, 300.0f, -300.0f,
      // Constants that other operators should not compute with.
      7e4f, -7e4f, 3e9f, -3e9f, 1e19f, -1e19f, 1e30f, -1e30f, 65520.0f,
      0x1p-24f, 0x1p-140f, infinity, -infinity,
      std::numeric_limits<float>::quiet_NaN()};
  constexpr size_t numTame = 10;
  ArrayRef<float> all(values);
  llvm::APFloat value(
      random.pick(draft.isGraph ? all.take_front(numTame) : all));
  return PaddingOp::create(draft.builder, input, static_cast<PaddingMode>(mode),
                           value, start, end);
}

static Operation *drawPadding1(Draft &draft, const Cell &, uint32_t mode,
                               Value input) {
  SmallVector<int64_t> start, end;
  drawSizes(draft, input, start, end);
  Type type = cast<RankedTensorType>(input.getType()).getElementType();
  return Padding1Op::create(draft.builder, input,
                            static_cast<PaddingMode>(mode),
                            drawScalar(draft, type), start, end);
}

void addPaddingOperators(Operators &operators) {
  Operator padding;
  padding.modeAttribute = "mode";
  padding.numModes = getMaxEnumValForPaddingMode() + 1;
  padding.stringifyMode = [](uint32_t mode) {
    return stringifyPaddingMode(static_cast<PaddingMode>(mode));
  };
  padding.draw = drawPadding;
  padding.computes = [](StringRef) { return false; };
  operators.add<PaddingOp>(padding);
  padding.draw = drawPadding1;
  operators.add<Padding1Op>(padding);
}

} // namespace dml::fuzz
