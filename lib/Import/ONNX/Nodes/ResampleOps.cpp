//===- ResampleOps.cpp - Resize and Upsample ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "dml/IR/SimplestFraction.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// A number as intended by the model's author: a scale of 0.6 is 3/5, and not
/// the nearest f32.
struct Ratio {
  double numerator = 1, denominator = 1;

  /// Returns the simplest fraction that rounds to `value`, or the float itself
  /// if doubles cannot represent the fraction.
  static Ratio get(float value) {
    if (!std::isfinite(value))
      return {value, 1};
    auto [numerator, denominator] = getSimplestFraction(value);
    // Numerators and denominators must be exact in double precision.
    llvm::DynamicAPInt limit(int64_t(1) << 50);
    if (numerator > limit || denominator > limit)
      return {value, 1};
    return {static_cast<double>(static_cast<int64_t>(numerator)),
            static_cast<double>(static_cast<int64_t>(denominator))};
  }
  bool isOne() const { return numerator == denominator; }
  Ratio operator+(Ratio other) const {
    return {numerator * other.denominator + other.numerator * denominator,
            denominator * other.denominator};
  }
  Ratio operator*(Ratio other) const {
    return {numerator * other.numerator, denominator * other.denominator};
  }
  Ratio operator-() const { return {-numerator, denominator}; }
  /// Returns the nearest f32, which DirectML interprets as the same ratio
  /// again.
  float round() const { return static_cast<float>(numerator / denominator); }
  bool operator<(Ratio other) const {
    return numerator * other.denominator < other.numerator * denominator;
  }
};

/// The resampling of one dimension.
struct Dim {
  int64_t input = 1, output = 1;
  Ratio scale;
  /// The region of tf_crop_and_resize.
  Ratio start = {0, 1}, end;
  /// The parameters of RESAMPLE2. The offset of the input's pixels is kept
  /// exact until it has also been shifted for the direction of rounding.
  float dmlScale = 1, outputOffset = 0;
  Ratio inputOffset = {0, 1};

  /// Whether output `index` of tf_crop_and_resize lies outside of the input.
  bool isOutside(int64_t index) const {
    auto length = static_cast<double>(input - 1);
    double part = output > 1 ? static_cast<double>(index) /
                                   static_cast<double>(output - 1)
                             : 0.5;
    double first = start.round(), last = end.round();
    double place = (first + (last - first) * part) * length;
    return place < 0 || place > length;
  }
  /// Whether each element keeps its position.
  bool isCopied() const {
    return input == output && scale.isOne() && start.numerator == 0 &&
           end.isOne();
  }
};

enum class Nearest { PreferFloor, PreferCeil, Floor, Ceil };
} // namespace

/// Returns the numbers in input `index`, which must be a constant.
static FailureOr<SmallVector<double>>
getNumbers(NodeImporter &node, unsigned index, StringRef what) {
  const std::optional<Constant> &constant = node.wantElements(index);
  if (!constant)
    return node.reject(what + " are computed when the model runs, but DirectML "
                              "wants them when it is built");
  if (!constant->isFoldable() || !constant->isFloat())
    return node.reject(what + " are no list of floating-point numbers");
  return constant->getFloats();
}

/// Sets the scales of the dimensions `axes` of `dims` to `scales`.
static LogicalResult setScales(NodeImporter &node, MutableArrayRef<Dim> dims,
                               ArrayRef<int64_t> axes,
                               ArrayRef<double> scales) {
  if (scales.size() != axes.size())
    return node.reject("it has " + Twine(scales.size()) +
                       " scales, but wanted are " + Twine(axes.size()));
  for (auto [axis, number] : llvm::zip_equal(axes, scales)) {
    auto scale = static_cast<float>(number);
    if (!std::isfinite(scale) || scale <= 0)
      return node.reject("a scale is " + describeNumber(number) +
                         ", but wanted is a finite number greater than 0");
    Dim &dim = dims[axis];
    dim.scale = Ratio::get(scale);
    float size = std::floor(static_cast<float>(dim.input) * scale);
    if (!(size >= 1) || size > static_cast<float>(UINT32_MAX))
      return node.reject("a scale of " + describeNumber(number) + " makes " +
                         Twine(dim.input) + " elements " +
                         describeNumber(size) +
                         ", but DirectML's sizes are from 1 to 2^32 - 1");
    dim.output = static_cast<int64_t>(size);
  }
  return success();
}

/// Sets the scales according to the sizes of the output.
static LogicalResult setSizes(NodeImporter &node, MutableArrayRef<Dim> dims,
                              ArrayRef<int64_t> axes, ArrayRef<int64_t> sizes,
                              StringRef policy) {
  if (sizes.size() != axes.size())
    return node.reject("it has " + Twine(sizes.size()) +
                       " sizes, but wanted are " + Twine(axes.size()));
  std::optional<Ratio> common;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    if (size < 1 || size > UINT32_MAX)
      return node.reject("a size is " + Twine(size) +
                         ", but DirectML's are from 1 to 2^32 - 1");
    Dim &dim = dims[axis];
    dim.output = size;
    dim.scale = {static_cast<double>(size), static_cast<double>(dim.input)};
    if (!common ||
        (policy == "not_larger" ? dim.scale < *common : *common < dim.scale))
      common = dim.scale;
  }
  if (policy == "stretch")
    return success();
  if (policy != "not_larger" && policy != "not_smaller")
    return node.reject("its attribute keep_aspect_ratio_policy is '" + policy +
                       "', but wanted is stretch, not_larger or not_smaller");
  for (int64_t axis : axes) {
    Dim &dim = dims[axis];
    dim.scale = *common;
    double exact = static_cast<double>(dim.input) * common->numerator /
                   common->denominator;
    dim.output = std::max<int64_t>(static_cast<int64_t>(exact + 0.5), 1);
  }
  return success();
}

/// Sets the parameters of RESAMPLE2 for `dim`: the position of output `o` is (o
/// - outputOffset) / dmlScale - inputOffset.
static LogicalResult setCoordinates(NodeImporter &node, StringRef mode,
                                    Dim &dim) {
  auto [p, q] = dim.scale;
  auto in = static_cast<double>(dim.input),
       out = static_cast<double>(dim.output);
  dim.dmlScale = static_cast<float>(p / q);
  if (mode == "half_pixel" || mode == "half_pixel_symmetric" ||
      (mode == "pytorch_half_pixel" && dim.output > 1)) {
    dim.inputOffset = {1, 2};
    dim.outputOffset = -0.5f;
    // The excess of the scaled input is removed equally at both ends.
    if (mode == "half_pixel_symmetric")
      dim.inputOffset = dim.inputOffset + Ratio{out * q - in * p, 2 * p};
    return success();
  }
  if (mode == "pytorch_half_pixel") {
    dim.dmlScale = 1;
    return success();
  }
  if (mode == "asymmetric")
    return success();
  if (mode == "tf_half_pixel_for_nn") {
    dim.outputOffset = -0.5f;
    return success();
  }
  if (mode == "align_corners") {
    // The position of the last corner follows from the size of the scaled
    // input, which need not be an integer.
    double length = in * p - q;
    dim.dmlScale = dim.output == 1 || dim.input == 1 || length <= 0
                       ? 1
                       : static_cast<float>(length / (q * (in - 1)));
    return success();
  }
  if (mode == "tf_crop_and_resize") {
    Ratio length = {in - 1, 1}, first = dim.start * length,
          size = (dim.end + -dim.start) * length;
    if (dim.output == 1)
      first = (dim.start + dim.end) * length * Ratio{1, 2};
    // If there is only one element, it is read for any position.
    if (dim.input == 1)
      return success();
    if (dim.output > 1 && !(size.round() > 0))
      return node.reject("its region is from " +
                         describeNumber(dim.start.round()) + " to " +
                         describeNumber(dim.end.round()) +
                         ", but DirectML's scales are finite and greater "
                         "than 0");
    if (dim.output > 1)
      dim.dmlScale = static_cast<float>((out - 1) / size.round());
    dim.inputOffset = -first;
    return success();
  }
  return node.reject(
      "its attribute coordinate_transformation_mode is '" + mode +
      "', but wanted is half_pixel, half_pixel_symmetric, pytorch_half_pixel, "
      "align_corners, asymmetric, tf_half_pixel_for_nn or tf_crop_and_resize");
}

/// Merges neighbouring dimensions that are only copied, since DirectML supports
/// four dimensions.
static SmallVector<Dim> mergeCopied(ArrayRef<Dim> dims) {
  SmallVector<Dim> merged;
  for (const Dim &dim : dims)
    if (!merged.empty() && dim.isCopied() && merged.back().isCopied()) {
      merged.back().input *= dim.input;
      merged.back().output *= dim.output;
    } else {
      merged.push_back(dim);
    }
  return merged;
}

namespace {
/// The way in which elements are selected or interpolated.
struct Interpolation {
  bool isLinear = false;
  Nearest nearest = Nearest::PreferFloor;
  bool isAntialiased = false;
};
} // namespace

/// Builds the operator that resamples `input` according to `dims`, of which
/// there are four.
static FailureOr<Value> resample(NodeImporter &node, Value input,
                                 ArrayRef<Dim> dims, Interpolation how) {
  // Rounding to the nearest element is rounding of positions that are shifted
  // by one half.
  bool isUp =
      how.nearest == Nearest::Ceil || how.nearest == Nearest::PreferFloor;
  Ratio shift = {how.nearest == Nearest::PreferFloor  ? 1.0
                 : how.nearest == Nearest::PreferCeil ? -1.0
                                                      : 0.0,
                 2};
  Shape to;
  SmallVector<float> scales, inputOffsets, outputOffsets;
  for (const Dim &dim : dims) {
    to.push_back(dim.output);
    scales.push_back(dim.dmlScale);
    inputOffsets.push_back(how.isLinear || dim.isCopied()
                               ? dim.inputOffset.round()
                               : (dim.inputOffset + shift).round());
    outputOffsets.push_back(dim.outputOffset);
  }
  SmallVector<NamedAttribute> attributes = {
      node.enumCase("mode", "interpolation_mode",
                    how.isLinear ? "linear" : "nearest_neighbor"),
      node.enumCase("rounding_direction", "axis_direction",
                    isUp || how.isLinear ? "increasing" : "decreasing"),
      node.floats("scales", scales),
      node.floats("input_pixel_offsets", inputOffsets),
      node.floats("output_pixel_offsets", outputOffsets)};
  if (how.isAntialiased)
    attributes.push_back(node.flag("antialiased", true));
  return node.build(how.isAntialiased ? "resample3" : "resample2",
                    {{"input", input}}, attributes,
                    cast<RankedTensorType>(input.getType()).clone(to));
}

/// Builds operators that resample the integers `input` according to `dims`.
/// ONNX interpolates in f32 and truncates, whereas DirectML's operator rounds
/// to the nearest number. For interpolated 8-bit integers, another operator,
/// which only copies, is added to request the feature level of the provider's
/// operator. 32-bit integers, which the operator does not support, are moved as
/// the bits of floats.
static FailureOr<Value> resampleIntegers(NodeImporter &node, Value input,
                                         ArrayRef<Dim> dims,
                                         Interpolation how) {
  DataType type = node.getType(0);
  bool isNarrow = type == DataType::UINT8 || type == DataType::INT8;
  if (!how.isLinear) {
    if (isNarrow)
      return resample(node, input, dims, how);
    FailureOr<Value> moved =
        resample(node, node.bitcast(input, DataType::FLOAT32), dims, how);
    return failed(moved) ? moved : node.bitcast(*moved, type);
  }
  FailureOr<Value> result =
      resample(node, node.castTo(input, DataType::FLOAT32), dims, how);
  if (failed(result))
    return failure();
  result = node.castTo(*result, type);
  if (!isNarrow)
    return result;
  SmallVector<Dim> copied(dims.size());
  for (auto [to, from] : llvm::zip_equal(copied, dims))
    to.input = to.output = from.output;
  how.isLinear = false;
  how.nearest = Nearest::Floor;
  return resample(node, *result, copied, how);
}

/// Replaces elements outside of the region of tf_crop_and_resize by `value`.
static Value extrapolate(NodeImporter &node, Value result, ArrayRef<Dim> dims,
                         float value) {
  auto type = cast<RankedTensorType>(result.getType());
  for (auto [index, dim] : llvm::enumerate(dims)) {
    SmallVector<int64_t> outside;
    if (dim.isCopied())
      continue;
    for (int64_t at = 0; at < dim.output; ++at)
      outside.push_back(dim.isOutside(at));
    if (!llvm::is_contained(outside, 1))
      continue;
    Shape line(dims.size(), 1);
    line[index] = dim.output;
    Value condition = node.getConstant(
        Constant::get(DataType::UINT8, line, ArrayRef<int64_t>(outside)), line);
    result = *node.build(
        "element_wise_if",
        {{"condition", node.repeat(condition, type.getShape())},
         {"a", node.getSplat(node.getType(0), value, type.getShape())},
         {"b", result}},
        {}, type);
  }
  return result;
}

/// Sets the output to input 0, resampled according to `dims`.
static LogicalResult setResampled(NodeImporter &node, SmallVector<Dim> dims,
                                  Interpolation how,
                                  std::optional<float> outside = {}) {
  Shape output;
  for (const Dim &dim : dims)
    output.push_back(dim.output);
  if (failed(wantTensor(node, output)))
    return failure();
  if (llvm::all_of(dims, [](const Dim &dim) { return dim.isCopied(); }))
    return node.setView(0, 0, output);
  if (dims.size() > 4)
    dims = mergeCopied(dims);
  while (dims.size() < 4)
    dims.insert(dims.begin(), Dim());
  Shape from;
  for (const Dim &dim : dims)
    from.push_back(dim.input);
  DataType type = node.getType(0);
  bool isInteger = type == DataType::UINT8 || type == DataType::INT8 ||
                   type == DataType::UINT32 || type == DataType::INT32;
  FailureOr<Value> result =
      isInteger ? resampleIntegers(node, node.getAs(0, from), dims, how)
                : resample(node, node.getAs(0, from), dims, how);
  if (failed(result))
    return failure();
  if (outside)
    result = extrapolate(node, *result, dims, *outside);
  return node.set(0, *result, output);
}

static SmallVector<Dim> getDims(ArrayRef<int64_t> shape) {
  SmallVector<Dim> dims;
  for (int64_t size : shape) {
    Dim dim;
    dim.input = dim.output = size;
    dims.push_back(dim);
  }
  return dims;
}

/// Whether the mode is linear. Modes are 'nearest', 'linear' and other names of
/// the latter.
static FailureOr<bool> isLinearMode(NodeImporter &node) {
  StringRef mode = node.getString("mode", "nearest");
  if (mode == "cubic")
    return node.reject("its mode is cubic, but DirectML's resampling has "
                       "nearest and linear");
  if (mode == "linear" || mode == "bilinear")
    return true;
  if (mode == "nearest")
    return false;
  return node.reject("its mode is '" + mode +
                     "', but wanted is nearest or linear");
}

/// Imports Upsample, and Resize of version 10, which has the same semantics.
/// Positions are aligned to corners. Of two neighbours, the first one is
/// selected for a growing dimension, and the second one for a shrinking
/// dimension, as in ONNX's tests of these versions. ONNX Runtime's DirectML
/// provider aligns positions to pixel centres, as in later versions, which
/// gives different results for linear interpolation.
static LogicalResult importOldResize(NodeImporter &node,
                                     ArrayRef<double> scales) {
  SmallVector<Dim> dims = getDims(node.getShape(0));
  SmallVector<int64_t> axes(dims.size());
  std::iota(axes.begin(), axes.end(), 0);
  FailureOr<bool> isLinear = isLinearMode(node);
  if (failed(isLinear) || failed(setScales(node, dims, axes, scales)))
    return failure();
  bool grows = false, shrinks = false;
  for (Dim &dim : dims) {
    if (failed(setCoordinates(node, "asymmetric", dim)))
      return failure();
    grows |= dim.scale.numerator > dim.scale.denominator;
    shrinks |= dim.scale.numerator < dim.scale.denominator;
  }
  if (!*isLinear && grows && shrinks)
    return node.reject("it rounds down in one dimension and up in another, but "
                       "DirectML's resampling has one direction for all");
  Interpolation how;
  how.isLinear = *isLinear;
  how.nearest = shrinks ? Nearest::Ceil : Nearest::Floor;
  return setResampled(node, dims, how);
}

/// Returns the scales of an Upsample before version 7, which enlarges images.
static FailureOr<SmallVector<double>> getScalesOfImage(NodeImporter &node) {
  const Shape &shape = node.getShape(0);
  if (shape.size() != 4)
    return node.reject("its input has the shape " + describeShape(shape) +
                       ", but wanted are images, of 4 dimensions");
  SmallVector<double> scales = {1, 1};
  for (StringRef name : {"height_scale", "width_scale"}) {
    if (!node.hasAttribute(name))
      return node.reject("it lacks the attribute " + name);
    scales.push_back(node.getFloat(name, 1));
  }
  return scales;
}

static LogicalResult importUpsample(NodeImporter &node) {
  bool hasInput = node.getOpset() >= 9;
  if (failed(node.wantInputs(hasInput ? 2 : 1, hasInput ? 2 : 1)))
    return failure();
  SmallVector<double> scales;
  if (hasInput) {
    FailureOr<SmallVector<double>> numbers = getNumbers(node, 1, "the scales");
    if (failed(numbers))
      return failure();
    scales = *numbers;
  } else if (node.getOpset() < 7) {
    FailureOr<SmallVector<double>> numbers = getScalesOfImage(node);
    if (failed(numbers))
      return failure();
    scales = *numbers;
  } else if (node.hasAttribute("scales")) {
    llvm::append_range(scales, node.getFloats("scales"));
  } else {
    return node.reject("it lacks the attribute scales");
  }
  return importOldResize(node, scales);
}

/// Returns the dimensions of a Resize according to its scales or sizes. Stores
/// the resized dimensions, which the node's attribute `axes` lists, in `axes`.
static FailureOr<SmallVector<Dim>> getResized(NodeImporter &node, Shape &axes) {
  SmallVector<Dim> dims = getDims(node.getShape(0));
  if (node.hasAttribute("axes")) {
    FailureOr<Shape> normal =
        normalizeAxes(node, node.getInts("axes"), dims.size());
    if (failed(normal))
      return failure();
    axes = *normal;
  } else {
    axes.resize(dims.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  // Exporters represent missing inputs by empty tensors.
  auto isGiven = [&](unsigned index) {
    if (node.hasInput(index) && node.getShape(index) == Shape{0})
      node.ignoreInput(index);
    return node.hasInput(index) && node.getShape(index) != Shape{0};
  };
  bool hasScales = isGiven(2), hasSizes = isGiven(3);
  if (hasScales == hasSizes)
    return node.reject("it has " + Twine(hasScales ? "both" : "neither") +
                       " scales and sizes, but wanted is one of them");
  if (hasScales) {
    FailureOr<SmallVector<double>> scales = getNumbers(node, 2, "the scales");
    if (failed(scales) || failed(setScales(node, dims, axes, *scales)))
      return failure();
    return dims;
  }
  FailureOr<Shape> sizes = node.getIntegers(3, "the sizes");
  if (failed(sizes) ||
      failed(setSizes(node, dims, axes, *sizes,
                      node.getString("keep_aspect_ratio_policy", "stretch"))))
    return failure();
  return dims;
}

/// Sets the regions of tf_crop_and_resize for the dimensions `axes`.
static LogicalResult setRegions(NodeImporter &node, MutableArrayRef<Dim> dims,
                                ArrayRef<int64_t> axes) {
  if (!node.hasInput(1) || node.getShape(1) == Shape{0})
    return node.reject("it has no regions, but tf_crop_and_resize wants them");
  FailureOr<SmallVector<double>> regions = getNumbers(node, 1, "the regions");
  if (failed(regions))
    return failure();
  if (regions->size() != 2 * axes.size())
    return node.reject("it has " + Twine(regions->size()) +
                       " numbers of regions, but wanted are " +
                       Twine(2 * axes.size()));
  auto read = [&](double number) {
    auto rounded = static_cast<float>(number);
    if (!(std::abs(rounded) < 0x1p40f))
      (void)node.reject("its region is at " + describeNumber(number) +
                        ", but wanted are finite numbers below 2^40");
    Ratio ratio = Ratio::get(std::abs(rounded));
    return rounded < 0 ? -ratio : ratio;
  };
  for (auto [index, axis] : llvm::enumerate(axes)) {
    dims[axis].start = read((*regions)[index]);
    dims[axis].end = read((*regions)[axes.size() + index]);
  }
  return success();
}

static FailureOr<Interpolation> getInterpolation(NodeImporter &node) {
  FailureOr<bool> isLinear = isLinearMode(node);
  if (failed(isLinear))
    return failure();
  Interpolation how;
  how.isLinear = *isLinear;
  how.isAntialiased = *isLinear && node.getInt("antialias", 0) != 0;
  if (how.isAntialiased && node.getInt("exclude_outside", 0) != 0)
    return node.reject("its attribute exclude_outside is 1, but DirectML's "
                       "antialiasing takes edges for what lies outside");
  std::optional<Nearest> nearest =
      llvm::StringSwitch<std::optional<Nearest>>(
          node.getString("nearest_mode", "round_prefer_floor"))
          .Case("round_prefer_floor", Nearest::PreferFloor)
          .Case("round_prefer_ceil", Nearest::PreferCeil)
          .Case("floor", Nearest::Floor)
          .Case("ceil", Nearest::Ceil)
          .Default(std::nullopt);
  if (!nearest)
    return node.reject("its attribute nearest_mode is '" +
                       node.getString("nearest_mode", "") +
                       "', but wanted is round_prefer_floor, "
                       "round_prefer_ceil, floor or ceil");
  how.nearest = *nearest;
  return how;
}

static LogicalResult importResize(NodeImporter &node) {
  if (node.getOpset() < 11) {
    if (failed(node.wantInputs(2, 2)))
      return failure();
    FailureOr<SmallVector<double>> scales = getNumbers(node, 1, "the scales");
    return failed(scales) ? failure() : importOldResize(node, *scales);
  }
  if (failed(node.wantInputs(1, 4)))
    return failure();
  Shape axes;
  FailureOr<SmallVector<Dim>> dims = getResized(node, axes);
  FailureOr<Interpolation> how = getInterpolation(node);
  if (failed(dims) || failed(how))
    return failure();
  StringRef mode =
      node.getString("coordinate_transformation_mode", "half_pixel");
  std::optional<float> outside;
  if (mode == "tf_crop_and_resize") {
    if (failed(setRegions(node, *dims, axes)))
      return failure();
    outside = node.getFloat("extrapolation_value", 0);
  }
  // Attributes that only other modes use.
  node.ignoreAttributes({"antialias", "cubic_coeff_a", "exclude_outside",
                         "extrapolation_value", "keep_aspect_ratio_policy",
                         "nearest_mode"});
  if (mode != "tf_crop_and_resize")
    node.ignoreInput(1);
  for (Dim &dim : *dims) {
    if (dim.isCopied())
      continue;
    if (failed(setCoordinates(node, mode, dim)))
      return failure();
    // The operator has a single scale for positions and for the filter.
    float scale = dim.scale.round();
    if (how->isAntialiased && dim.dmlScale != scale &&
        std::min(dim.dmlScale, scale) < 1)
      return node.reject("its positions have a scale of " +
                         describeNumber(dim.dmlScale) +
                         " and its filters one of " + describeNumber(scale) +
                         ", but DirectML has one for both");
  }
  return setResampled(node, *dims, *how, outside);
}

void dml::onnx::addResampleNodes(Registry &registry) {
  registry.add("Resize", "RESAMPLE2 or RESAMPLE3, ELEMENT_WISE_IF",
               importResize);
  registry.add("Upsample", "RESAMPLE2", importUpsample);
}
