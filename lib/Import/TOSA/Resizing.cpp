//===- Resizing.cpp - Resampling of images --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "TOSA/Expression.h"
#include "dml/IR/SimplestFraction.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::tosareader;

namespace {
/// Where the elements of the output lie along one dimension of the input:
/// element `o` lies at `(o * d + offset) / n`.
struct Line {
  int64_t n, d, offset;
  /// The sizes of the input and of the output.
  int64_t size, count;
  int64_t dim;

  /// Returns the place before element `o`, and the part of the way from there
  /// to the next place, in units of `1 / n`.
  std::pair<int64_t, int64_t> getPlace(int64_t o) const {
    int64_t y = o * d + offset, place = llvm::divideFloorSigned(y, n);
    return {place, y - place * n};
  }
  int64_t clamp(int64_t place) const {
    return std::min(std::max<int64_t>(place, 0), size - 1);
  }
};
} // namespace

/// Returns the f32 that a resampling reads as `numerator / denominator`, or
/// nothing if none is read so.
static std::optional<float> asScale(int64_t numerator, int64_t denominator) {
  int64_t divisor = std::gcd(numerator, denominator);
  auto value = static_cast<float>(static_cast<double>(numerator) / denominator);
  SimplestFraction fraction = getSimplestFraction(value);
  if (fraction.numerator != llvm::DynamicAPInt(numerator / divisor) ||
      fraction.denominator != llvm::DynamicAPInt(denominator / divisor))
    return std::nullopt;
  return value;
}

/// Resamples floats with dml.resample1, or returns null if the fractions of the
/// coordinates are not exactly those that its f32 stand for.
static Value resample(Expression &e, Value x, ArrayRef<Line> lines,
                      InterpolationMode mode) {
  SmallVector<float> scales(4, 1), inputs(4, 0), outputs(4, 0);
  for (const Line &line : lines) {
    std::optional<float> scale = asScale(line.n, line.d),
                         offset = asScale(-line.offset, line.n);
    if (!scale || !offset)
      return {};
    scales[line.dim] = *scale;
    inputs[line.dim] = *offset;
  }
  auto floats = [&](StringRef name, ArrayRef<float> values) {
    return e.attr(name, e.rewriter.getDenseF32ArrayAttr(values));
  };
  return e.build(
      "resample1", {{"input", x}},
      {e.attr("mode",
              InterpolationModeAttr::get(e.rewriter.getContext(), mode)),
       floats("scales", scales), floats("input_pixel_offsets", inputs),
       floats("output_pixel_offsets", outputs)},
      e.getResultShape(), e.getResultDataType());
}

/// Copies the nearest elements, of any type.
static Value takeNearest(Expression &e, Value x, ArrayRef<Line> lines) {
  for (const Line &line : lines) {
    SmallVector<int64_t> places;
    for (int64_t o = 0; o < line.count; ++o) {
      auto [place, part] = line.getPlace(o);
      places.push_back(line.clamp(2 * part >= line.n ? place + 1 : place));
    }
    x = takeAlong(e, x, line.dim, places);
  }
  return x;
}

/// Interpolates integers, whose results are larger by the factor `n` in each
/// dimension. They are exact.
static Value interpolate(Expression &e, Value x, ArrayRef<Line> lines) {
  constexpr DataType type = DataType::INT32;
  x = e.castTo(x, type);
  for (const Line &line : lines) {
    SmallVector<int64_t> first, second, firstParts, secondParts;
    for (int64_t o = 0; o < line.count; ++o) {
      auto [place, part] = line.getPlace(o);
      first.push_back(line.clamp(place));
      second.push_back(line.clamp(place + 1));
      firstParts.push_back(line.n - part);
      secondParts.push_back(part);
    }
    auto weigh = [&](ArrayRef<int64_t> places, ArrayRef<int64_t> parts) {
      Value taken = takeAlong(e, x, line.dim, places);
      Shape of(4, 1);
      of[line.dim] = line.count;
      return e.combine(
          "element_wise_multiply", taken,
          e.spread(e.constant(type, parts, of), e.getShape(taken)));
    };
    Value a = weigh(first, firstParts);
    x = e.combine("element_wise_add", a, weigh(second, secondParts));
  }
  return x;
}

static Value convertResize(Expression &e, tosa::ResizeOp op,
                           ValueRange operands) {
  auto scale = e.getIntegers(1, "its scale");
  auto offset = e.getIntegers(2, "its offset");
  if (!scale || !offset)
    return {};
  Value x = operands[0];
  SmallVector<Line> lines;
  for (int64_t dim : {0, 1}) {
    Line line{
        (*scale)[2 * dim],      (*scale)[2 * dim + 1],       (*offset)[dim],
        e.getShape(x)[dim + 1], e.getResultShape()[dim + 1], dim + 1};
    // TOSA has smaller numbers. These bounds keep the products in 64 bits.
    constexpr int64_t most = int64_t(1) << 24;
    if (line.n < 1 || line.d < 1 || line.n > most || line.d > most ||
        line.offset < -most || line.offset > most)
      return e.refuse("its scale or its offset has a number that is out of "
                      "range");
    lines.push_back(line);
  }
  bool isNearest = op.getMode() == tosa::ResizeMode::NEAREST_NEIGHBOR;
  if (e.isFloat(x)) {
    if (Value result = resample(e, x, lines,
                                isNearest ? InterpolationMode::nearest_neighbor
                                          : InterpolationMode::linear))
      return result;
    if (!isNearest)
      return e.refuse(
          "its scale or its offset is a fraction that no f32 stands "
          "for");
  }
  // The places of all rows and columns become constants. TOSA has fewer.
  for (const Line &line : lines)
    if (constexpr int64_t most = 16384; line.count > most)
      return e.refuse("its result has " + Twine(line.count) +
                      " rows or columns, but wanted are " + Twine(most) +
                      " at most");
  if (isNearest)
    return takeNearest(e, x, lines);
  if (e.getDataTypeOf(x) != DataType::INT8 ||
      e.getResultDataType() != DataType::INT32)
    return e.refuse("wanted are floats, or a result of i32 for i8");
  return interpolate(e, x, lines);
}

void dml::tosareader::addResizingRules(Rules &rules) {
  rules.add<tosa::ResizeOp>(convertResize);
}
