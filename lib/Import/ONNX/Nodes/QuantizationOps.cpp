//===- QuantizationOps.cpp - Quantized tensors and their numbers ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/ElementWiseRows.h"
#include "Nodes/Families.h"
#include "dml/IR/Layout.h"
#include "dml/IR/ViewOps.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Returns the type that the attribute output_dtype states, or `otherwise`.
static FailureOr<DataType> getOutputType(NodeImporter &node,
                                         DataType otherwise) {
  auto number = static_cast<int32_t>(node.getInt("output_dtype", 0));
  if (number == 0)
    return otherwise;
  if (std::optional<DataType> type = toDataType(number))
    return *type;
  (void)node.reject("its output_dtype is " + describeONNXType(number) +
                    ", which the importer does not know");
  return failure();
}

namespace {
/// A QuantizeLinear or a DequantizeLinear.
struct NodeQuantization {
  bool isQuantize;
  /// The type of the quantized elements, and the type of the output's elements.
  DataType quantized, output;
  /// The type of the computation, which is the type of the scale operand.
  DataType number;
};
} // namespace

static FailureOr<NodeQuantization> getQuantization(NodeImporter &node,
                                                   bool isQuantize) {
  NodeQuantization result{isQuantize, node.getType(0), node.getType(1),
                          node.getType(1)};
  if (isQuantize) {
    FailureOr<DataType> type = getOutputType(
        node, node.hasInput(2) ? node.getType(2) : DataType::UINT8);
    if (failed(type))
      return failure();
    if (node.hasInput(2) && node.getType(2) != *type)
      return node.reject("its zero point and its output_dtype are of different "
                         "types, but wanted is one type");
    result.quantized = result.output = *type;
    // The scale may be narrower or wider than the input.
    if (node.getType(0) != DataType::FLOAT16)
      result.number = DataType::FLOAT32;
    int64_t precision = node.getInt("precision", 0);
    constexpr int64_t single = 1;
    if (precision != 0 && precision != single)
      return node.reject("it divides in the precision of " +
                         describeONNXType(static_cast<int32_t>(precision)) +
                         ", but DirectML's operators divide in float");
    return result;
  }
  FailureOr<DataType> type = getOutputType(node, node.getType(1));
  if (failed(type))
    return failure();
  result.output = *type;
  if (*type == DataType::FLOAT32)
    result.number = DataType::FLOAT32;
  return result;
}

/// Builds QUANTIZE or DEQUANTIZE with a scale and a zero point whose sizes
/// divide the sizes of the input.
static Value buildBlocks(NodeImporter &node, const NodeQuantization &how,
                         Value scale, Value zeroPoint) {
  auto shape = cast<RankedTensorType>(scale.getType()).getShape();
  // A missing zero point is replaced by explicit zeros, as in the provider,
  // since the meaning of a missing zero point is not documented for DirectML.
  if (!zeroPoint)
    zeroPoint = node.getSplat(how.quantized, 0, shape);
  Value input = node.get(0);
  if (how.isQuantize)
    input = node.castTo(input, how.number);
  return node
      .buildAll(how.isQuantize ? "quantize" : "dequantize",
                {{"input", input},
                 {"quantizations", ArrayRef<Value>{scale, zeroPoint}}},
                {node.enumCase("quantization_type", "quantization_type",
                               "scale_zero_point")},
                node.getTensorType(toPhysical(node.getShape(0)),
                                   how.isQuantize ? how.quantized : how.number))
      ->front();
}

/// Quantizes to a type that DirectML's quantization operators do not support,
/// by ONNX's formula. CAST converts numbers out of range to the nearest number.
static Value quantizeByFormula(NodeImporter &node, const NodeQuantization &how,
                               Value scale, Value zeroPoint) {
  auto toFloat = [&](Value value) {
    return node.castTo(value, DataType::FLOAT32);
  };
  Value quotient =
      node.combine("element_wise_divide", toFloat(node.get(0)), toFloat(scale));
  Value sum = node.apply("element_wise_round", quotient,
                         node.enumCase("rounding_mode", "rounding_mode",
                                       "halves_to_nearest_even"));
  if (zeroPoint)
    sum = node.combine("element_wise_add", sum, toFloat(zeroPoint));
  return node.castTo(sum, how.quantized);
}

/// Sets the output. The scale and the zero point, which may be null, have one
/// number for each element of the input.
static LogicalResult setQuantized(NodeImporter &node,
                                  const NodeQuantization &how, Value scale,
                                  Value zeroPoint) {
  const Shape &shape = node.getShape(0);
  Value output;
  if (isFourBits(how.quantized)) {
    // The element-wise operators do not support 4-bit elements.
    output = buildBlocks(node, how, scale, zeroPoint);
  } else if (how.isQuantize && how.quantized != DataType::UINT8 &&
             how.quantized != DataType::INT8) {
    output = quantizeByFormula(node, how, scale, zeroPoint);
  } else {
    Value input = node.get(0);
    if (how.isQuantize && node.getType(0) == DataType::FLOAT16)
      input = node.castTo(input, how.number);
    output =
        node.buildAll(
                how.isQuantize ? "element_wise_quantize_linear"
                               : "element_wise_dequantize_linear",
                {{"input", input}, {"scale", scale}, {"zero_point", zeroPoint}},
                {},
                node.getTensorType(toPhysical(shape),
                                   how.isQuantize ? how.quantized : how.number))
            ->front();
  }
  return node.set(0, node.castTo(output, how.output), shape);
}

/// Returns input `index`, which has one number for each block of `size`
/// elements along `axis`, expanded to one number for each element. The last
/// block may be incomplete.
static Value spreadBlocks(NodeImporter &node, unsigned index, int64_t axis,
                          int64_t size) {
  const Shape &shape = node.getShape(0), &blocks = node.getShape(index);
  int64_t outer = *countElements(ArrayRef(shape).take_front(axis)),
          inner = *countElements(ArrayRef(shape).drop_front(axis + 1));
  Value value = node.repeat(node.getAs(index, {outer, blocks[axis], 1, inner}),
                            {outer, blocks[axis], size, inner});
  value = node.reshape(value, {1, outer, blocks[axis] * size, inner});
  // The elements beyond the end of the last block are removed by a view, since
  // SLICE1 does not support 4-bit elements.
  Shape all(cast<RankedTensorType>(value.getType()).getShape());
  Shape part = {1, outer, shape[axis], inner};
  if (part != all)
    value = ViewOp::create(node.getBuilder(), value.getLoc(),
                           node.getTensorType(part, node.getType(index)), value,
                           getPackedStrides(all));
  return node.reshape(value, toPhysical(shape));
}

/// Imports a quantization by blocks of `size` elements along an axis.
static LogicalResult importBlocks(NodeImporter &node, int64_t size,
                                  const NodeQuantization &how) {
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 1), shape.size());
  if (failed(axis))
    return failure();
  if (size < 0)
    return node.reject("its block size is " + Twine(size) +
                       ", but wanted is no negative number");
  size = std::min(size, shape[*axis]);
  Shape blocks = shape;
  blocks[*axis] = llvm::divideCeil(shape[*axis], size);
  for (unsigned index : {1, 2})
    if (node.hasInput(index) && node.getShape(index) != blocks)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one number for each block, " +
                         describeShape(blocks));
  bool isEven = shape[*axis] % size == 0;
  bool isNarrow = isFourBits(how.quantized) ||
                  how.quantized == DataType::UINT8 ||
                  how.quantized == DataType::INT8;
  bool ofFloats = !how.isQuantize || node.getType(0) != DataType::INT32;
  if (isEven && isNarrow && ofFloats) {
    Shape physical = toPhysical(blocks);
    Value output =
        buildBlocks(node, how, node.castTo(node.getAs(1, physical), how.number),
                    node.hasInput(2) ? node.getAs(2, physical) : Value());
    return node.set(0, node.castTo(output, how.output), shape);
  }
  // QUANTIZE only supports blocks of equal size, and few types.
  return setQuantized(
      node, how, node.castTo(spreadBlocks(node, 1, *axis, size), how.number),
      node.hasInput(2) ? spreadBlocks(node, 2, *axis, size) : Value());
}

/// Returns the shape of the scale or zero point in input `index`, aligned with
/// the shape of the input.
static FailureOr<Shape> alignQuantization(NodeImporter &node, unsigned index) {
  const Shape &shape = node.getShape(0);
  Shape as = node.getShape(index);
  // A single number applies to all elements, including those of a scalar.
  if (countElements(as) == 1)
    return Shape();
  if (as.size() == 1) {
    FailureOr<int64_t> axis =
        node.normalizeAxis(node.getInt("axis", 1), shape.size());
    if (failed(axis))
      return failure();
    int64_t size = as[0];
    as.assign(shape.size(), 1);
    as[*axis] = size;
  }
  if (broadcastShapes(as, shape) != shape)
    return node.reject("its scale or zero point has the shape " +
                       describeShape(node.getShape(index)) +
                       ", which does not fit " + describeShape(shape));
  return as;
}

/// Imports a quantization. The scale and the zero point are either single
/// numbers, or have one number for each element along an axis or for each
/// block.
static LogicalResult importQuantize(NodeImporter &node, bool isQuantize) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  FailureOr<NodeQuantization> how = getQuantization(node, isQuantize);
  if (failed(how))
    return failure();
  // A single number does not need an axis, and `saturate` only affects 8-bit
  // floats, which DirectML does not support.
  node.ignoreAttributes({"axis", "saturate"});
  if (int64_t size = node.getInt("block_size", 0))
    return importBlocks(node, size, *how);
  // QUANTIZE broadcasts the numbers itself, whereas the other operators require
  // them to be broadcast.
  Value operands[2];
  for (unsigned index : {1, 2}) {
    if (!node.hasInput(index))
      continue;
    FailureOr<Shape> as = alignQuantization(node, index);
    if (failed(as))
      return failure();
    if (isFourBits(how->quantized)) {
      Shape rank = toPhysical(node.getShape(0));
      Shape aligned(rank.size() - as->size(), 1);
      aligned.append(as->begin(), as->end());
      operands[index - 1] = node.getAs(index, aligned);
    } else {
      operands[index - 1] =
          node.getBroadcast(index, toPhysical(node.getShape(0)), *as);
    }
  }
  return setQuantized(node, *how, node.castTo(operands[0], how->number),
                      operands[1]);
}

static LogicalResult importDynamicQuantize(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  // The scale and the zero point have as many dimensions as the input. The
  // input is reshaped to four dimensions, since it is quantized as a whole.
  Shape one = toPhysical({}), physical = toPhysical(shape);
  if (physical.size() > one.size())
    physical = {1, 1, 1, *countElements(shape)};
  FailureOr<SmallVector<Value>> outputs = node.buildAll(
      "dynamic_quantize_linear", {{"input", node.getAs(0, physical)}}, {},
      {node.getTensorType(physical, DataType::UINT8),
       node.getTensorType(one, DataType::FLOAT32),
       node.getTensorType(one, DataType::UINT8)});
  if (failed(outputs))
    return failure();
  for (auto [index, output] : llvm::enumerate(*outputs))
    if (index < node.getNumOutputs() &&
        failed(node.set(index, output, index == 0 ? shape : Shape())))
      return failure();
  return success();
}

void dml::onnx::addQuantizationNodes(Registry &registry) {
  registry.add("DynamicQuantizeLinear", "DYNAMIC_QUANTIZE_LINEAR",
               importDynamicQuantize);
  for (StringRef domain : {"", "com.microsoft"}) {
    registry.add(
        "QuantizeLinear", "ELEMENT_WISE_QUANTIZE_LINEAR, QUANTIZE",
        [](NodeImporter &node) {
          return importQuantize(node, /*isQuantize=*/true);
        },
        domain);
    registry.add(
        "DequantizeLinear", "ELEMENT_WISE_DEQUANTIZE_LINEAR, DEQUANTIZE",
        [](NodeImporter &node) {
          return importQuantize(node, /*isQuantize=*/false);
        },
        domain);
  }
}
