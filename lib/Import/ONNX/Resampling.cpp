//===- Resampling.cpp - Resize, Upsample and pooling of regions -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>
#include <optional>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

namespace {
/// A number as models mean it: a scale of 0.6 is 3/5, not the f32 next to it.
struct Ratio {
  double numerator = 1, denominator = 1;

  /// The first of the fractions that approach `value` which rounds to it.
  static Ratio get(float value) {
    double rest = value;
    double p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    // Numerators and denominators stay exact in double precision.
    for (int i = 0; i < 40; ++i) {
      double whole = std::floor(rest);
      double p = whole * p1 + p0, q = whole * q1 + q0;
      if (std::max(p, q) > 0x1p50)
        break;
      if (static_cast<float>(p / q) == value)
        return {p, q};
      p0 = p1, q0 = q1, p1 = p, q1 = q;
      rest = 1 / (rest - whole);
    }
    return {value, 1};
  }
  bool isOne() const { return numerator == denominator; }
  bool operator<(Ratio other) const {
    return numerator * other.denominator < other.numerator * denominator;
  }
};

/// How one dimension is resampled.
struct Dim {
  int64_t input = 1, output = 1;
  Ratio scale;
  /// The region of tf_crop_and_resize.
  double start = 0, end = 1;
  /// What RESAMPLE2 wants.
  float dmlScale = 1, inputOffset = 0, outputOffset = 0;

  /// Every element stays where it is.
  bool isCopied() const {
    return input == output && scale.isOne() && start == 0 && end == 1;
  }
};

enum class Nearest { PreferFloor, PreferCeil, Floor, Ceil };
} // namespace

static std::string describe(double number) {
  return llvm::formatv("{0}", number);
}

/// The numbers of input `index`, which has to be a constant.
static FailureOr<SmallVector<double>>
getNumbers(NodeImporter &node, unsigned index, StringRef what) {
  const Tensor &tensor = node.getInput(index);
  if (!tensor.constant)
    return node.reject(what + " are computed when the model runs, but DirectML "
                              "wants them when it is built");
  if (!tensor.constant->isFoldable() || !tensor.constant->isFloat())
    return node.reject(what + " are no list of floating-point numbers");
  return tensor.constant->getFloats();
}

/// Gives `dims`, of which a node names those at `axes`, the scales `scales`.
static LogicalResult setScales(NodeImporter &node, MutableArrayRef<Dim> dims,
                               ArrayRef<int64_t> axes,
                               ArrayRef<double> scales) {
  if (scales.size() != axes.size())
    return node.reject("it has " + Twine(scales.size()) +
                       " scales, but wanted are " + Twine(axes.size()));
  for (auto [axis, number] : llvm::zip_equal(axes, scales)) {
    auto scale = static_cast<float>(number);
    if (!std::isfinite(scale) || scale <= 0)
      return node.reject("a scale is " + describe(number) +
                         ", but wanted is a finite number greater than 0");
    Dim &dim = dims[axis];
    dim.scale = Ratio::get(scale);
    float size = std::floor(static_cast<float>(dim.input) * scale);
    if (!(size >= 1) || size > static_cast<float>(UINT32_MAX))
      return node.reject("a scale of " + describe(number) + " makes " +
                         Twine(dim.input) + " elements " + describe(size) +
                         ", but DirectML's sizes are from 1 to 2^32 - 1");
    dim.output = static_cast<int64_t>(size);
  }
  return success();
}

/// The same by the sizes of the output.
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

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Sets what RESAMPLE2 wants for `dim`: it reads output `o` at
/// (o - outputOffset) / dmlScale - inputOffset.
static LogicalResult setCoordinates(NodeImporter &node, StringRef mode,
                                    Dim &dim) {
  auto [p, q] = dim.scale;
  auto in = static_cast<double>(dim.input),
       out = static_cast<double>(dim.output);
  dim.dmlScale = static_cast<float>(p / q);
  if (mode == "half_pixel" || mode == "half_pixel_symmetric" ||
      (mode == "pytorch_half_pixel" && dim.output > 1)) {
    dim.inputOffset = 0.5f;
    dim.outputOffset = -0.5f;
    // The part of the scaled input that is cut off is taken from both ends.
    if (mode == "half_pixel_symmetric")
      dim.inputOffset = static_cast<float>(0.5 - (in * p - out * q) / (2 * p));
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
    // The corner is that of the scaled input, which need not be a whole number.
    double length = in * p - q;
    dim.dmlScale = dim.output == 1 || dim.input == 1 || length <= 0
                       ? 1
                       : static_cast<float>(length / (q * (in - 1)));
    return success();
  }
  if (mode == "tf_crop_and_resize") {
    auto [start, end] = std::pair(dim.start * (in - 1), dim.end * (in - 1));
    if (dim.output == 1)
      start = end = (start + end) / 2;
    if (!(start >= 0 && start <= in - 1 && end >= 0 && end <= in - 1))
      return node.reject("its region is from " + describe(dim.start) + " to " +
                         describe(dim.end) +
                         ", but DirectML's resampling has no value for what "
                         "lies outside of 0 to 1");
    if (end < start || (end == start && dim.output > 1 && dim.input > 1))
      return node.reject(
          "its region is from " + describe(dim.start) + " to " +
          describe(dim.end) +
          ", but DirectML's scales are finite and greater than 0");
    dim.dmlScale =
        end > start ? static_cast<float>((out - 1) / (end - start)) : 1;
    dim.inputOffset = static_cast<float>(-start);
    return success();
  }
  return node.reject(
      "its attribute coordinate_transformation_mode is '" + mode +
      "', but wanted is half_pixel, half_pixel_symmetric, pytorch_half_pixel, "
      "align_corners, asymmetric, tf_half_pixel_for_nn or tf_crop_and_resize");
}

/// Dimensions that are copied as one, with their neighbours: DirectML resamples
/// four.
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

/// Builds the operator that resamples input 0 as `dims` say.
static LogicalResult buildResample(NodeImporter &node, SmallVector<Dim> dims,
                                   bool isLinear, Nearest nearest,
                                   bool isAntialiased) {
  Shape output;
  for (const Dim &dim : dims)
    output.push_back(dim.output);
  if (llvm::all_of(dims, [](const Dim &dim) { return dim.isCopied(); }))
    return node.setView(0, 0, output);
  if (dims.size() > 4)
    dims = mergeCopied(dims);
  while (dims.size() < 4)
    dims.insert(dims.begin(), Dim());

  // Halves are rounded with positions that are shifted by a half.
  bool isUp = nearest == Nearest::Ceil || nearest == Nearest::PreferFloor;
  float shift = nearest == Nearest::PreferFloor  ? 0.5f
                : nearest == Nearest::PreferCeil ? -0.5f
                                                 : 0.0f;
  Shape from, to;
  SmallVector<float> scales, inputOffsets, outputOffsets;
  for (const Dim &dim : dims) {
    from.push_back(dim.input);
    to.push_back(dim.output);
    scales.push_back(dim.dmlScale);
    inputOffsets.push_back(
        isLinear || dim.isCopied() ? dim.inputOffset : dim.inputOffset + shift);
    outputOffsets.push_back(dim.outputOffset);
  }
  SmallVector<NamedAttribute> attributes = {
      node.enumCase("mode", "interpolation_mode",
                    isLinear ? "linear" : "nearest_neighbor"),
      node.enumCase("rounding_direction", "axis_direction",
                    isUp || isLinear ? "increasing" : "decreasing"),
      node.floats("scales", scales),
      node.floats("input_pixel_offsets", inputOffsets),
      node.floats("output_pixel_offsets", outputOffsets)};
  if (isAntialiased)
    attributes.push_back(node.flag("antialiased", true));
  FailureOr<Value> result =
      node.build(isAntialiased ? "resample3" : "resample2",
                 {{"input", node.getAs(0, from)}}, attributes,
                 node.getTensorType(to, node.getType(0)));
  return node.set(0, result, output);
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

/// Whether the mode, 'nearest', 'linear' or a name of the latter, is linear.
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

//===----------------------------------------------------------------------===//
// Resize and Upsample
//===----------------------------------------------------------------------===//

/// Upsample, and Resize of version 10, which continues it: positions are those
/// of the corners; of two neighbours the first is taken by what grows, the
/// second by what shrinks. ONNX's tests of these versions expect that; ONNX
/// Runtime's DirectML provider takes those of pixel centres, as later versions
/// do, which differs in linear interpolation.
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
  return buildResample(node, dims, *isLinear,
                       shrinks ? Nearest::Ceil : Nearest::Floor,
                       /*isAntialiased=*/false);
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
  } else if (const AttributeProto *attribute = node.getAttribute("scales")) {
    scales.assign(attribute->floats.begin(), attribute->floats.end());
  }
  return importOldResize(node, scales);
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
  SmallVector<Dim> dims = getDims(node.getShape(0));
  SmallVector<int64_t> axes;
  for (int64_t axis : node.getInts("axes")) {
    FailureOr<int64_t> dim = node.normalizeAxis(axis, dims.size());
    if (failed(dim))
      return failure();
    axes.push_back(*dim);
  }
  if (!node.hasAttribute("axes")) {
    axes.resize(dims.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  // Exporters write empty tensors for what they leave out.
  auto isGiven = [&](unsigned index) {
    return node.hasInput(index) && node.getShape(index) != Shape{0};
  };
  if (isGiven(2) == isGiven(3))
    return node.reject("it has " + Twine(isGiven(2) ? "both" : "neither") +
                       " scales and sizes, but wanted is one of them");
  if (isGiven(2)) {
    FailureOr<SmallVector<double>> scales = getNumbers(node, 2, "the scales");
    if (failed(scales) || failed(setScales(node, dims, axes, *scales)))
      return failure();
  } else {
    FailureOr<Shape> sizes = node.getIntegers(3, "the sizes");
    if (failed(sizes) ||
        failed(setSizes(node, dims, axes, *sizes,
                        node.getString("keep_aspect_ratio_policy", "stretch"))))
      return failure();
  }

  FailureOr<bool> isLinear = isLinearMode(node);
  if (failed(isLinear))
    return failure();
  StringRef mode =
      node.getString("coordinate_transformation_mode", "half_pixel");
  if (mode == "tf_crop_and_resize") {
    if (!isGiven(1))
      return node.reject(
          "it has no regions, but tf_crop_and_resize wants them");
    FailureOr<SmallVector<double>> regions = getNumbers(node, 1, "the regions");
    if (failed(regions))
      return failure();
    if (regions->size() != 2 * axes.size())
      return node.reject("it has " + Twine(regions->size()) +
                         " numbers of regions, but wanted are " +
                         Twine(2 * axes.size()));
    for (auto [index, axis] : llvm::enumerate(axes)) {
      dims[axis].start = (*regions)[index];
      dims[axis].end = (*regions)[axes.size() + index];
    }
  }
  // What other modes alone read.
  node.ignoreAttributes({"antialias", "cubic_coeff_a", "exclude_outside",
                         "keep_aspect_ratio_policy", "nearest_mode"});
  if (mode != "tf_crop_and_resize") {
    node.ignoreInput(1);
    node.ignoreAttributes({"extrapolation_value"});
  }
  bool isAntialiased = *isLinear && node.getInt("antialias", 0) != 0;
  if (isAntialiased && node.getInt("exclude_outside", 0) != 0)
    return node.reject("its attribute exclude_outside is 1, but DirectML's "
                       "antialiasing takes edges for what lies outside");
  for (Dim &dim : dims) {
    if (dim.isCopied())
      continue;
    if (failed(setCoordinates(node, mode, dim)))
      return failure();
    // One scale serves the positions and the filter.
    auto [p, q] = dim.scale;
    if (isAntialiased && dim.dmlScale != static_cast<float>(p / q) &&
        std::min(dim.dmlScale, static_cast<float>(p / q)) < 1)
      return node.reject("its positions have a scale of " +
                         describe(dim.dmlScale) + " and its filters one of " +
                         describe(p / q) + ", but DirectML has one for both");
  }
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
  return buildResample(node, dims, *isLinear, *nearest, isAntialiased);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Fails unless input 0 is {N, C, H, W} and input 1 {R, `columns`}.
static LogicalResult wantRegions(NodeImporter &node, int64_t columns) {
  if (node.getShape(0).size() != 4)
    return node.reject("its input has the shape " +
                       describeShape(node.getShape(0)) +
                       ", but wanted are two spatial dimensions");
  const Shape &regions = node.getShape(1);
  if (regions.size() != 2 || regions[1] != columns)
    return node.reject("its regions have the shape " + describeShape(regions) +
                       ", but wanted are rows of " + Twine(columns));
  return success();
}

static LogicalResult importRoiAlign(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)) || failed(wantRegions(node, 4)))
    return failure();
  const Shape &input = node.getShape(0);
  int64_t regions = node.getShape(1)[0];
  if (node.getShape(2) != Shape{regions})
    return node.reject("its batch indices have the shape " +
                       describeShape(node.getShape(2)) + ", but wanted are " +
                       Twine(regions));
  StringRef mode = node.getString("mode", "avg");
  if (mode != "avg" && mode != "max")
    return node.reject("its mode is '" + mode + "', but wanted is avg or max");
  // ONNX has no shift of the input's pixels before version 16; ONNX Runtime's
  // DirectML provider shifts them in every version.
  StringRef coordinates =
      node.getString("coordinate_transformation_mode",
                     node.getOpset() < 16 ? "output_half_pixel" : "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return node.reject("its attribute coordinate_transformation_mode is '" +
                       coordinates +
                       "', but wanted is half_pixel or output_half_pixel");
  int64_t height = node.getInt("output_height", 1),
          width = node.getInt("output_width", 1),
          samples = node.getInt("sampling_ratio", 0);
  if (height < 1 || width < 1 || height > UINT32_MAX || width > UINT32_MAX ||
      samples < 0 || samples > UINT32_MAX)
    return node.reject("its outputs are " + Twine(height) + "x" + Twine(width) +
                       " of " + Twine(samples) +
                       " samples, but wanted are numbers of 32 bits");
  float scale = node.getFloat("spatial_scale", 1);
  // Indices have a sign, which DirectML's have not: negative ones are out of
  // range for both.
  Value indices = node.get(2);
  if (node.getType(2) == DataType::INT64)
    indices = node.bitcast(indices, DataType::UINT64);
  else if (node.getType(2) == DataType::INT32)
    indices = node.bitcast(indices, DataType::UINT32);
  Shape output = {regions, input[1], height, width};
  FailureOr<Value> result = node.build(
      "roi_align1",
      {{"input", node.get(0)},
       {"roi", node.get(1)},
       {"batch_indices", indices}},
      {node.enumCase("reduction_function", "reduce_function",
                     mode == "avg" ? "average" : "max"),
       node.enumCase("interpolation_mode", "interpolation_mode", "linear"),
       node.number("spatial_scale_x", scale),
       node.number("spatial_scale_y", scale),
       node.number("input_pixel_offset",
                   coordinates == "half_pixel" ? 0.5f : 0.0f),
       node.number("output_pixel_offset", -0.5f),
       node.number("out_of_bounds_input_value", 0),
       node.integer("minimum_samples_per_output",
                    std::max<int64_t>(samples, 1)),
       node.integer("maximum_samples_per_output",
                    samples == 0 ? int64_t{UINT32_MAX} : samples),
       node.flag("align_regions_to_corners", false)},
      node.getTensorType(output, node.getType(0)));
  return node.set(0, result, output);
}

static LogicalResult importMaxRoiPool(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)) || failed(wantRegions(node, 5)))
    return failure();
  Shape bins = node.getInts("pooled_shape");
  if (bins.size() != 2 ||
      llvm::any_of(bins, [](int64_t n) { return n < 1 || n > UINT32_MAX; }))
    return node.reject("its attribute pooled_shape is " + describeShape(bins) +
                       ", but wanted are two numbers from 1 to 2^32 - 1");
  Shape output = {node.getShape(1)[0], node.getShape(0)[1], bins[0], bins[1]};
  FailureOr<Value> result = node.build(
      "roi_pooling", {{"input", node.get(0)}, {"roi", node.get(1)}},
      {node.number("spatial_scale", node.getFloat("spatial_scale", 1)),
       node.ints("pooled_size", bins)},
      node.getTensorType(output, node.getType(0)));
  return node.set(0, result, output);
}

void dml::onnx::addResamplingOperators(Registry &registry) {
  registry.add("Resize", "RESAMPLE2 or RESAMPLE3", importResize);
  registry.add("Upsample", "RESAMPLE2", importUpsample);
  registry.add("RoiAlign", "ROI_ALIGN1", importRoiAlign);
  registry.add("MaxRoiPool", "ROI_POOLING", importMaxRoiPool);
}
