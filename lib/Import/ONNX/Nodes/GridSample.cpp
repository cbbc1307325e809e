//===- GridSample.cpp - Samples at positions that a tensor states ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// GridSample reads an image between its pixels. A sample consists of taps: one
// pixel in each dimension for the nearest pixel, two for an interpolation, and
// four for a cubic one. With a position of 1.25 in a row, an interpolation has
// the taps 1 and 2, whose weights are 0.75 and 0.25. Each combination of one
// tap in each dimension is a gather, whose result is multiplied by its weights.
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// What the samples of one dimension need. All values have the shape
/// {N, 1, 1, samples}.
struct Tap {
  /// The pixel, as an integer that lies in the image, and its weight, which is
  /// null for the nearest pixel.
  Value pixel, weight;
  /// Whether the tap lies in the image. Null if each tap does.
  Value isInside;
};

class GridSample {
public:
  explicit GridSample(NodeImporter &node) : node(node) {}

  LogicalResult import();

private:
  LogicalResult readAttributes();
  LogicalResult readSizes();

  Value splat(double number) {
    return node.getSplat(DataType::FLOAT32, number, places);
  }
  Value combine(StringRef mnemonic, Value a, Value b) {
    return node.combine(("element_wise_" + mnemonic).str(), a, b);
  }
  Value compare(StringRef mnemonic, Value a, Value b) {
    return node.combine(("element_wise_logical_" + mnemonic).str(), a, b,
                        node.getTensorType(places, DataType::UINT8));
  }
  Value clamp(Value x, double low, double high) {
    return combine("min", combine("max", x, splat(low)), splat(high));
  }
  /// The ends of dimension `dim`, at which positions are reflected.
  double getLow() const { return isAligned ? 0 : -0.5; }
  double getHigh(size_t dim) const {
    return static_cast<double>(image[dim]) - (isAligned ? 1 : 0.5);
  }

  /// Returns the position of each sample in dimension `dim`, in pixels.
  Value getPosition(size_t dim);
  /// Returns `x`, reflected at the ends of dimension `dim` until it lies
  /// between them.
  Value reflect(Value x, size_t dim);
  /// Returns the tap at `pixel`, which padding_mode moves into the image if it
  /// lies outside.
  Tap getTap(Value pixel, Value weight, size_t dim);
  /// Returns the taps of a dimension at the positions `x`.
  SmallVector<Tap> getTaps(Value x, size_t dim);
  /// Returns the pixels at the taps, one for each dimension, times the weights.
  Value sample(ArrayRef<Tap> taps);

  NodeImporter &node;
  StringRef mode, padding;
  bool isAligned = false;
  int64_t batch = 0, channels = 0;
  /// The spatial sizes of the image and of the samples.
  Shape image, samples;
  /// The shape {N, 1, 1, samples}.
  Shape places;
};
} // namespace

LogicalResult GridSample::readAttributes() {
  mode = node.getString("mode", node.getOpset() < 20 ? "bilinear" : "linear");
  padding = node.getString("padding_mode", "zeros");
  isAligned = node.getInt("align_corners", 0) != 0;
  if (mode == "bilinear")
    mode = "linear";
  if (mode == "bicubic")
    mode = "cubic";
  if (mode != "linear" && mode != "nearest" && mode != "cubic")
    return node.reject("its attribute mode is '" + mode +
                       "', but wanted is linear, nearest or cubic");
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    return node.reject("its attribute padding_mode is '" + padding +
                       "', but wanted is zeros, border or reflection");
  return success();
}

LogicalResult GridSample::readSizes() {
  const Shape &x = node.getShape(0), &grid = node.getShape(1);
  size_t rank = x.size();
  bool fits = (rank == 4 || rank == 5) && grid.size() == rank && !isEmpty(x) &&
              !isEmpty(grid) && grid[0] == x[0] &&
              grid.back() == static_cast<int64_t>(rank) - 2;
  if (!fits || (rank == 5 && mode == "cubic"))
    return node.reject("its image has the shape " + describeShape(x) +
                       " and its grid " + describeShape(grid) +
                       ", but wanted are 4 dimensions, or 5 without mode "
                       "cubic, and positions of each sample");
  for (unsigned index : {0, 1})
    if (node.getType(index) != DataType::FLOAT32 &&
        node.getType(index) != DataType::FLOAT16)
      return node.reject("its input " + Twine(index) +
                         " has no floats, but wanted are f32 or f16");
  batch = x[0];
  channels = x[1];
  image.assign(x.begin() + 2, x.end());
  samples.assign(grid.begin() + 1, grid.end() - 1);
  std::optional<int64_t> count = countElements(samples);
  if (!count || !countElements(image))
    return node.reject("its samples have no number of 32 bits");
  places = {batch, 1, 1, *count};
  return wantTensor(node, {batch, channels, 1, *count});
}

Value GridSample::getPosition(size_t dim) {
  // The last dimension comes first in the grid.
  int64_t part = static_cast<int64_t>(image.size() - 1 - dim);
  Value grid =
      node.getAs(1, {batch, 1, places[3], static_cast<int64_t>(image.size())});
  Value x = node.castTo(node.reshape(takePart(node, grid, {0, 0, 0, part},
                                              {batch, 1, places[3], 1}),
                                     places),
                        DataType::FLOAT32);
  // Positions from -1 to 1 reach over the image.
  double size = static_cast<double>(image[dim]);
  x = combine("add", x, splat(1));
  if (isAligned)
    return combine("multiply", x, splat((size - 1) / 2));
  return combine(
      "divide",
      combine("subtract", combine("multiply", x, splat(size)), splat(1)),
      splat(2));
}

Value GridSample::reflect(Value x, size_t dim) {
  double low = getLow(), high = getHigh(dim), range = high - low;
  Value isOutside = node.combine("element_wise_logical_or",
                                 compare("less_than", x, splat(low)),
                                 compare("greater_than", x, splat(high)));
  if (range == 0)
    return select(node, isOutside, splat(low), x);
  // A distance d from the low end is at the place d, and one behind the high
  // end at 2 * range - d, again and again.
  Value distance =
      node.apply("element_wise_abs", combine("subtract", x, splat(low)));
  Value turns = node.apply("element_wise_floor",
                           combine("divide", distance, splat(2 * range)));
  Value rest = combine("subtract", distance,
                       combine("multiply", turns, splat(2 * range)));
  Value place =
      combine("min", rest, combine("subtract", splat(2 * range), rest));
  return select(node, isOutside, combine("add", place, splat(low)), x);
}

Tap GridSample::getTap(Value pixel, Value weight, size_t dim) {
  double last = static_cast<double>(image[dim]) - 1;
  Tap tap{{}, weight, {}};
  if (padding == "zeros")
    tap.isInside =
        node.combine("element_wise_logical_and",
                     compare("greater_than_or_equal", pixel, splat(0)),
                     compare("less_than_or_equal", pixel, splat(last)));
  if (padding == "reflection")
    pixel = reflect(pixel, dim);
  tap.pixel = node.castTo(clamp(pixel, 0, last), DataType::INT32);
  return tap;
}

SmallVector<Tap> GridSample::getTaps(Value x, size_t dim) {
  if (mode == "nearest")
    return {getTap(x, {}, dim)};
  Value first = node.apply("element_wise_floor", x);
  Value fraction = combine("subtract", x, first);
  auto subtractFrom = [&](double number, Value value) {
    return combine("subtract", splat(number), value);
  };
  if (mode == "linear")
    return {getTap(first, subtractFrom(1, fraction), dim),
            getTap(combine("add", first, splat(1)), fraction, dim)};
  // The cubic weights of Keys with -0.75: for a distance d up to 1,
  // (1.25 d - 2.25) d^2 + 1, and up to 2, ((-0.75 d + 3.75) d - 6) d + 3.
  auto polynomial = [&](Value d, ArrayRef<double> factors) {
    Value sum = splat(factors[0]);
    for (double factor : factors.drop_front())
      sum = combine("add", combine("multiply", sum, d), splat(factor));
    return sum;
  };
  static constexpr double nearWeights[] = {1.25, -2.25, 0, 1},
                          farWeights[] = {-0.75, 3.75, -6, 3};
  SmallVector<Tap> taps;
  for (int64_t offset = -1; offset <= 2; ++offset) {
    Value distance =
        offset <= 0
            ? combine("add", fraction, splat(static_cast<double>(-offset)))
            : subtractFrom(static_cast<double>(offset), fraction);
    bool isNear = offset == 0 || offset == 1;
    taps.push_back(
        getTap(combine("add", first, splat(static_cast<double>(offset))),
               polynomial(distance, isNear ? nearWeights : farWeights), dim));
  }
  return taps;
}

Value GridSample::sample(ArrayRef<Tap> taps) {
  Value index, weight, isInside;
  for (auto [dim, tap] : llvm::enumerate(taps)) {
    if (index)
      index =
          node.combine("element_wise_multiply", index,
                       node.getSplat(DataType::INT32,
                                     static_cast<double>(image[dim]), places));
    index = index ? combine("add", index, tap.pixel) : tap.pixel;
    if (tap.weight)
      weight = weight ? combine("multiply", weight, tap.weight) : tap.weight;
    if (tap.isInside)
      isInside = isInside ? node.combine("element_wise_logical_and", isInside,
                                         tap.isInside)
                          : tap.isInside;
  }
  Shape all = {batch, channels, 1, places[3]};
  Value pixels = *node.build(
      "gather_elements",
      {{"input", node.getAs(0, {batch, channels, 1, *countElements(image)})},
       {"indices", node.repeat(index, all)}},
      node.integer("axis", 3), node.getTensorType(all, node.getType(0)));
  pixels = node.widen(pixels);
  if (weight)
    pixels = combine("multiply", pixels, node.repeat(weight, all));
  if (!isInside)
    return pixels;
  return select(node, isInside, pixels,
                node.getSplat(DataType::FLOAT32, 0, Shape(4, 1)));
}

LogicalResult GridSample::import() {
  if (failed(node.wantInputs(2, 2)) || failed(readAttributes()) ||
      failed(readSizes()))
    return failure();
  SmallVector<Value> positions;
  for (size_t dim = 0; dim < image.size(); ++dim) {
    positions.push_back(getPosition(dim));
    if (mode == "nearest")
      positions.back() =
          node.apply("element_wise_round", positions.back(),
                     node.enumCase("rounding_mode", "rounding_mode",
                                   "halves_to_nearest_even"));
  }
  // All combinations of one tap in each dimension.
  SmallVector<SmallVector<Tap>> combinations = {{}};
  for (auto [dim, x] : llvm::enumerate(positions)) {
    SmallVector<SmallVector<Tap>> longer;
    for (const Tap &tap : getTaps(x, dim))
      for (const SmallVector<Tap> &combination : combinations) {
        longer.push_back(combination);
        longer.back().push_back(tap);
      }
    combinations = std::move(longer);
  }
  Value sum;
  for (const SmallVector<Tap> &taps : combinations) {
    Value next = sample(taps);
    sum = sum ? combine("add", sum, next) : next;
  }
  Shape output = {batch, channels};
  output.append(samples);
  return node.set(0, node.castTo(sum, node.getType(0)), output);
}

void dml::onnx::addGridSampleNodes(Registry &registry) {
  registry.add(
      "GridSample",
      "GATHER_ELEMENTS, ELEMENT_WISE_MULTIPLY, ELEMENT_WISE_ADD and others",
      [](NodeImporter &node) { return GridSample(node).import(); });
}
