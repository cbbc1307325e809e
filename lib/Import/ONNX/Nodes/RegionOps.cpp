//===- RegionOps.cpp - Pooling of regions ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Fails unless input 0 has the shape {N, C, H, W} and input 1 has the shape
/// {R, `columns`}.
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

namespace {
/// The regions of a RoiAlign, and the way in which they are sampled.
struct Regions {
  Value image, regions;
  float scale, inputOffset;
  int64_t samples;
  Shape output;
};
} // namespace

/// Returns the average or the maximum of the samples in each part of the
/// regions.
static Value alignRegions(NodeImporter &node, Value image, const Regions &align,
                          StringRef function) {
  // Indices are signed in ONNX and unsigned in DirectML. Negative indices are
  // out of range in both.
  Value indices = node.get(2);
  if (node.getType(2) == DataType::INT64)
    indices = node.bitcast(indices, DataType::UINT64);
  else if (node.getType(2) == DataType::INT32)
    indices = node.bitcast(indices, DataType::UINT32);
  return *node.build(
      "roi_align1",
      {{"input", image}, {"roi", align.regions}, {"batch_indices", indices}},
      {node.enumCase("reduction_function", "reduce_function", function),
       node.enumCase("interpolation_mode", "interpolation_mode", "linear"),
       node.number("spatial_scale_x", align.scale),
       node.number("spatial_scale_y", align.scale),
       node.number("input_pixel_offset", align.inputOffset),
       node.number("output_pixel_offset", -0.5f),
       node.number("out_of_bounds_input_value", 0),
       node.integer("minimum_samples_per_output",
                    std::max<int64_t>(align.samples, 1)),
       node.integer("maximum_samples_per_output",
                    align.samples == 0 ? int64_t{UINT32_MAX} : align.samples),
       node.flag("align_regions_to_corners", false)},
      node.getTensorType(align.output, node.getTypeOf(image)));
}

/// Returns the regions, scaled and enlarged to sizes of at least 1. The
/// regions, and also the image, are widened for this purpose, since f16 corners
/// would be rounded.
static Regions enlarge(NodeImporter &node, Regions align) {
  align.image = node.widen(align.image);
  align.regions = node.widen(align.regions);
  DataType type = node.getTypeOf(align.regions);
  Shape all = toPhysical(node.getShape(1)), half = all;
  half.back() = 2;
  Value scaled = node.combine("element_wise_multiply", align.regions,
                              node.getSplat(type, align.scale, all));
  Shape behind(all.size(), 0);
  behind.back() = 2;
  Value start = takePart(node, scaled, Shape(all.size(), 0), half),
        end = takePart(node, scaled, behind, half);
  Value size = node.combine("element_wise_max",
                            node.combine("element_wise_subtract", end, start),
                            node.getSplat(type, 1, half));
  align.regions = *node.build(
      "join",
      {{"inputs",
        ArrayRef<Value>{start, node.combine("element_wise_add", start, size)}}},
      node.integer("axis", all.size() - 1), scaled.getType());
  align.scale = 1;
  return align;
}

/// ONNX selects the maximum of the four elements around each sample, each
/// multiplied by its weight in the interpolation, whereas DirectML selects the
/// largest interpolation. One of the four elements lies in an even row and an
/// even column, one in an even row and an odd column, and so on. If the
/// elements in the other rows and columns are set to 0, an interpolation is one
/// element multiplied by its weight.
static Value alignLargest(NodeImporter &node, const Regions &align) {
  const Shape &shape = node.getShape(0);
  DataType type = node.getTypeOf(align.image);
  Value largest;
  for (int64_t row : {0, 1})
    for (int64_t column : {0, 1}) {
      // Builds a mask of alternating rows or columns, beginning with `kept`.
      auto alternate = [&](int64_t size, int64_t kept, Shape line) {
        SmallVector<int64_t> truths;
        for (int64_t index = 0; index < size; ++index)
          truths.push_back(index % 2 == kept);
        return node.repeat(
            node.getConstant(
                Constant::get(DataType::UINT8, line, ArrayRef<int64_t>(truths)),
                line),
            shape);
      };
      Value isKept =
          node.combine("element_wise_logical_and",
                       alternate(shape[2], row, {1, 1, shape[2], 1}),
                       alternate(shape[3], column, {1, 1, 1, shape[3]}));
      Value input = *node.build("element_wise_if",
                                {{"condition", isKept},
                                 {"a", align.image},
                                 {"b", node.getSplat(type, 0, shape)}},
                                {}, align.image.getType());
      Value next = alignRegions(node, input, align, "max");
      largest =
          largest ? node.combine("element_wise_max", largest, next) : next;
    }
  return largest;
}

/// Returns `aligned`, with 0 for regions without width or height. If the number
/// of samples depends on the size of a region, such regions have no samples.
static Value clearEmpty(NodeImporter &node, Value aligned,
                        const Regions &align) {
  Shape all = toPhysical(node.getShape(1)), half = all, one = all;
  half.back() = 2;
  one.back() = 1;
  Shape none(all.size(), 0), second = none, behind = none;
  second.back() = 1;
  behind.back() = 2;
  Value isWide = node.combine("element_wise_logical_greater_than",
                              takePart(node, align.regions, behind, half),
                              takePart(node, align.regions, none, half),
                              node.getTensorType(half, DataType::UINT8));
  Value hasSamples = node.combine("element_wise_logical_and",
                                  takePart(node, isWide, none, one),
                                  takePart(node, isWide, second, one));
  DataType type = node.getType(0);
  return *node.build(
      "element_wise_if",
      {{"condition",
        node.repeat(node.reshape(hasSamples, {align.output[0], 1, 1, 1}),
                    align.output)},
       {"a", aligned},
       {"b", node.getSplat(type, 0, align.output)}},
      {}, aligned.getType());
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
  // Before version 16, ONNX does not shift the pixels of the input, whereas
  // ONNX Runtime's DirectML provider shifts them in each version.
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
  Regions align{node.get(0),
                node.get(1),
                node.getFloat("spatial_scale", 1),
                coordinates == "half_pixel" ? 0.5f : 0.0f,
                samples,
                {regions, input[1], height, width}};
  if (failed(wantTensor(node, align.output)))
    return failure();
  if (isEmpty(align.output))
    return setEmpty(node, 0, node.getType(0), align.output);
  // Without the shift, regions have a height and a width of at least one pixel.
  if (coordinates == "output_half_pixel")
    align = enlarge(node, align);
  Value result = mode == "avg"
                     ? alignRegions(node, align.image, align, "average")
                     : alignLargest(node, align);
  if (samples == 0 && coordinates == "half_pixel")
    result = clearEmpty(node, result, align);
  return node.set(0, node.castTo(result, node.getType(0)), align.output);
}

static LogicalResult importMaxRoiPool(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)) || failed(wantRegions(node, 5)))
    return failure();
  Shape bins = node.getInts("pooled_shape");
  if (bins.size() != 2 ||
      llvm::any_of(bins, [](int64_t n) { return n < 1 || n > UINT32_MAX; }))
    return node.reject("its attribute pooled_shape is " + describeList(bins) +
                       ", but wanted are two numbers from 1 to 2^32 - 1");
  Shape output = {node.getShape(1)[0], node.getShape(0)[1], bins[0], bins[1]};
  FailureOr<Value> result = node.build(
      "roi_pooling", {{"input", node.get(0)}, {"roi", node.get(1)}},
      {node.number("spatial_scale", node.getFloat("spatial_scale", 1)),
       node.ints("pooled_size", bins)},
      node.getTensorType(output, node.getType(0)));
  return node.set(0, result, output);
}

void dml::onnx::addRegionNodes(Registry &registry) {
  registry.add("RoiAlign", "ROI_ALIGN1, ELEMENT_WISE_IF, ELEMENT_WISE_MAX",
               importRoiAlign);
  registry.add("MaxRoiPool", "ROI_POOLING", importMaxRoiPool);
}
