//===- ElementWise.cpp - Operators on each element by itself --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// "element_wise_add" as "ELEMENT_WISE_ADD".
static std::string toOperator(StringRef mnemonic) { return mnemonic.upper(); }

/// A number of an operator's desc: the ONNX attribute that states it, or its
/// constant.
namespace {
struct NumberField {
  StringRef field;
  StringRef attribute;
  float otherwise;
};
} // namespace

static ImportFunction makeUnary(StringRef mnemonic,
                                std::vector<NumberField> fields) {
  return [=](NodeImporter &node) -> LogicalResult {
    if (failed(node.wantInputs(1, 1)))
      return failure();
    SmallVector<NamedAttribute> attributes;
    for (const NumberField &field : fields)
      attributes.push_back(node.number(
          field.field, field.attribute.empty()
                           ? field.otherwise
                           : node.getFloat(field.attribute, field.otherwise)));
    Value input = node.get(0);
    FailureOr<Value> output =
        node.build(mnemonic, {{"input", input}}, attributes, input.getType());
    if (failed(output))
      return failure();
    return node.set(0, *output, node.getShape(0));
  };
}

static void addUnary(Registry &registry, StringRef name, StringRef mnemonic,
                     std::vector<NumberField> fields = {},
                     StringRef domain = "") {
  registry.add(name, toOperator(mnemonic),
               makeUnary(mnemonic, std::move(fields)), domain);
}

/// Selu, whose numbers were rounded to five digits before opset 6.
static LogicalResult importSelu(NodeImporter &node) {
  static const ImportFunction
      old = makeUnary("activation_scaled_elu", {{"alpha", "alpha", 1.6732f},
                                                {"gamma", "gamma", 1.0507f}}),
      current = makeUnary("activation_scaled_elu",
                          {{"alpha", "alpha", 1.67326319217681884765625f},
                           {"gamma", "gamma", 1.05070102214813232421875f}});
  return node.getOpset() < 6 ? old(node) : current(node);
}

namespace {
/// The shapes that inputs are seen in, and the one that they broadcast to.
struct Operands {
  SmallVector<Shape> shapes;
  Shape result;
};
} // namespace

/// How the inputs of a node broadcast. Where `isOld` says so, the second of two
/// is repeated only where an attribute says that, along the dimensions before
/// and behind those that begin at `axis`, as binary operators have it before
/// opset 7.
static FailureOr<Operands> getOperands(NodeImporter &node, bool isOld = false) {
  Operands operands;
  for (unsigned index = 0; index < node.getNumInputs(); ++index)
    operands.shapes.push_back(node.getShape(index));
  if (isOld && node.getOpset() < 7) {
    const Shape &a = operands.shapes[0];
    Shape &b = operands.shapes[1];
    if (node.getInt("broadcast", 0) == 0 && a != b)
      return node.reject("its inputs have the shapes " + describeShape(a) +
                         " and " + describeShape(b) +
                         ", but its attribute broadcast is 0");
    if (node.hasAttribute("axis") && b.size() <= a.size()) {
      int64_t count = a.size() - b.size();
      FailureOr<int64_t> axis =
          node.normalizeAxis(node.getInt("axis", 0), a.size());
      if (failed(axis))
        return failure();
      if (*axis > count)
        return node.reject("its second input has the shape " +
                           describeShape(b) + ", which does not fit " +
                           describeShape(a) + " from axis " + Twine(*axis) +
                           " on");
      b.append(count - *axis, 1);
    }
    if (broadcastShapes(a, b) != a)
      return node.reject("its second input has the shape " + describeShape(b) +
                         ", which does not broadcast to " + describeShape(a));
  }
  for (const Shape &shape : operands.shapes) {
    std::optional<Shape> next = broadcastShapes(operands.result, shape);
    if (!next)
      return node.reject("its inputs have the shapes " +
                         describeShape(operands.result) + " and " +
                         describeShape(shape) + ", which do not broadcast");
    operands.result = *next;
  }
  return operands;
}

/// The shape that all inputs are broadcast to.
static FailureOr<Shape> getCommonShape(NodeImporter &node) {
  FailureOr<Operands> operands = getOperands(node);
  if (failed(operands))
    return failure();
  return operands->result;
}

/// Gelu of ONNX. Its approximation, of which DirectML has no operator, is
/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
static LogicalResult importGelu(NodeImporter &node) {
  StringRef approximate = node.getString("approximate", "none");
  if (approximate == "none") {
    static const ImportFunction exact = makeUnary("activation_gelu", {});
    return exact(node);
  }
  if (approximate != "tanh")
    return node.reject("its attribute approximate is '" + approximate +
                       "', but wanted is none or tanh");
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.get(0);
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  auto multiply = [&](Value value, double number) {
    return node.combine("element_wise_multiply", value,
                        node.getSplat(node.getType(0), number, shape));
  };
  auto add = [&](Value a, Value b) {
    return node.combine("element_wise_add", a, b);
  };
  Value cube = node.apply("element_wise_constant_pow", input,
                          node.number("exponent", 3));
  Value argument =
      multiply(add(input, multiply(cube, 0.044715)), 0.7978845608028654);
  Value factor = add(node.apply("activation_tanh", argument),
                     node.getSplat(node.getType(0), 1, shape));
  return node.set(
      0, node.combine("element_wise_multiply", multiply(input, 0.5), factor),
      node.getShape(0));
}

/// The input times its hard sigmoid, as ONNX defines this function: ONNX
/// Runtime has no kernel for it, and puts these two nodes in its place.
static LogicalResult importHardSwish(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.get(0);
  Value gate =
      node.apply("activation_hard_sigmoid", input,
                 {node.number("alpha", 1.0f / 6), node.number("beta", 0.5f)});
  return node.set(0, node.combine("element_wise_multiply", input, gate),
                  node.getShape(0));
}

/// The input times the hyperbolic tangent of its softplus, which ONNX Runtime
/// puts in place of this function, too.
static LogicalResult importMish(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.get(0);
  Value softplus =
      node.apply("activation_softplus", input, node.number("steepness", 1));
  return node.set(0,
                  node.combine("element_wise_multiply", input,
                               node.apply("activation_tanh", softplus)),
                  node.getShape(0));
}

/// Adds an operator of two inputs or, where `many` says so, of any number,
/// which are combined from left to right.
static void addBinary(Registry &registry, StringRef name, StringRef mnemonic,
                      bool many = false, bool isComparison = false) {
  auto import = [=](NodeImporter &node) -> LogicalResult {
    constexpr unsigned maxInputs = 1 << 20;
    unsigned count = node.getNumInputs();
    if (failed(many ? node.wantInputs(1, maxInputs) : node.wantInputs(2, 2)) ||
        failed(node.wantInputs(count, count)))
      return failure();
    FailureOr<Operands> operands = getOperands(node, /*isOld=*/!many);
    if (failed(operands))
      return failure();
    const Shape &shape = operands->result;
    if (count == 1)
      return node.setView(0, 0, shape);
    Shape physical = toPhysical(shape);
    RankedTensorType type = node.getTensorType(
        physical, isComparison ? DataType::UINT8 : node.getType(0));
    Value result = node.getBroadcast(0, physical);
    for (unsigned index = 1; index < count; ++index)
      result = node.combine(
          mnemonic, result,
          node.getBroadcast(index, physical, operands->shapes[index]), type);
    return node.set(0, result, shape);
  };
  registry.add(name, toOperator(mnemonic), import);
}

static void addComparison(Registry &registry, StringRef name,
                          StringRef mnemonic) {
  addBinary(registry, name, mnemonic, /*many=*/false, /*isComparison=*/true);
}

static LogicalResult importMean(NodeImporter &node) {
  unsigned count = std::max(node.getNumInputs(), 1u);
  if (failed(node.wantInputs(count, count)))
    return failure();
  FailureOr<Shape> shape = getCommonShape(node);
  if (failed(shape))
    return failure();
  if (count == 1)
    return node.setView(0, 0, *shape);
  Shape physical = toPhysical(*shape);
  RankedTensorType type = node.getTensorType(physical, node.getType(0));
  Value result = node.getBroadcast(0, physical);
  for (unsigned index = 1; index < count; ++index) {
    FailureOr<Value> next = node.build(
        count == 2 ? "element_wise_mean" : "element_wise_add",
        {{"a", result}, {"b", node.getBroadcast(index, physical)}}, {}, type);
    if (failed(next))
      return failure();
    result = *next;
  }
  if (count > 2) {
    Value divisor = node.getSplat(node.getType(0), count, physical);
    FailureOr<Value> mean = node.build(
        "element_wise_divide", {{"a", result}, {"b", divisor}}, {}, type);
    if (failed(mean))
      return failure();
    result = *mean;
  }
  return node.set(0, result, *shape);
}

/// Whether POW takes exponents of a type.
static bool isExponent(DataType type) {
  return type != DataType::INT64 && type != DataType::UINT64 &&
         type != DataType::FLOAT64;
}

static LogicalResult importPow(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  FailureOr<Operands> operands = getOperands(node, /*isOld=*/true);
  if (failed(operands))
    return failure();
  Shape physical = toPhysical(operands->result);
  RankedTensorType type = node.getTensorType(physical, node.getType(0));
  Value base = node.getBroadcast(0, physical);
  const std::optional<Constant> &constant = node.getInput(1).constant;
  if (constant && constant->getNumElements() == 1)
    return node.set(
        0,
        node.apply("element_wise_constant_pow", base,
                   node.number("exponent",
                               static_cast<float>(constant->getFloats()[0]))),
        operands->result);
  Value exponent = node.getBroadcast(1, physical, operands->shapes[1]);
  // Powers of floats are computed with floats.
  if (!isExponent(node.getType(1)) && isa<FloatType>(type.getElementType()))
    exponent = node.castTo(exponent, node.getType(0));
  FailureOr<Value> output = node.build(
      "element_wise_pow", {{"input", base}, {"exponent", exponent}}, {}, type);
  return node.set(0, output, operands->result);
}

static LogicalResult importClip(NodeImporter &node) {
  if (failed(node.wantInputs(1, 3)))
    return failure();
  Value input = node.get(0);
  FailureOr<Value> output = failure();
  auto isComputed = [&](unsigned index) {
    return node.hasInput(index) && !node.getInput(index).constant;
  };
  if (isComputed(1) || isComputed(2)) {
    // Bounds are attributes in DirectML; what is computed is an operand.
    Value bounded = input;
    for (auto [index, mnemonic] :
         {std::pair(1, "element_wise_max"), std::pair(2, "element_wise_min")}) {
      if (!node.hasInput(index))
        continue;
      if (countElements(node.getShape(index)) != 1)
        return node.reject("a bound has the shape " +
                           describeShape(node.getShape(index)) +
                           ", but wanted is one number");
      bounded = node.combine(
          mnemonic, bounded,
          node.getBroadcast(index, toPhysical(node.getShape(0)), Shape{1}));
    }
    output = bounded;
  } else if (node.getOpset() < 11) {
    output = node.build("element_wise_clip", {{"input", input}},
                        {node.number("min", node.getFloat("min", -FLT_MAX)),
                         node.number("max", node.getFloat("max", FLT_MAX))},
                        input.getType());
  } else {
    Type type = getElementType(node.getType(0), node.getBuilder().getContext());
    auto bound = [&](unsigned index, bool isMax) -> FailureOr<Attribute> {
      double number = isMax ? INFINITY : -INFINITY;
      if (auto integer = dyn_cast<IntegerType>(type)) {
        // The input's own integer: a double has too few digits.
        APInt value =
            integer.isUnsigned()
                ? (isMax ? APInt::getMaxValue(integer.getWidth())
                         : APInt::getMinValue(integer.getWidth()))
                : (isMax ? APInt::getSignedMaxValue(integer.getWidth())
                         : APInt::getSignedMinValue(integer.getWidth()));
        if (node.hasInput(index)) {
          if (failed(node.getNumber(index, "a bound")))
            return failure();
          value = APInt(integer.getWidth(),
                        static_cast<uint64_t>(
                            node.getInput(index).constant->getIntegers()[0]),
                        /*isSigned=*/false, /*implicitTrunc=*/true);
        }
        return Attribute(IntegerAttr::get(type, value));
      }
      if (node.hasInput(index)) {
        FailureOr<double> given = node.getNumber(index, "a bound");
        if (failed(given))
          return failure();
        number = *given;
      }
      return Attribute(FloatAttr::get(type, number));
    };
    FailureOr<Attribute> min = bound(1, false), max = bound(2, true);
    if (failed(min) || failed(max))
      return failure();
    output = node.build("element_wise_clip1", {{"input", input}},
                        {node.attr("min", *min), node.attr("max", *max)},
                        input.getType());
  }
  return node.set(0, output, node.getShape(0));
}

static LogicalResult importAbs(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  switch (node.getType(0)) {
  case DataType::UINT8:
  case DataType::UINT16:
  case DataType::UINT32:
  case DataType::UINT64:
    return node.setView(0, 0, node.getShape(0));
  default:
    break;
  }
  Value input = node.get(0);
  FailureOr<Value> output =
      node.build("element_wise_abs", {{"input", input}}, {}, input.getType());
  return node.set(0, output, node.getShape(0));
}

static LogicalResult importPRelu(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape slope = node.getShape(1);
  // A list of slopes is one for each channel before opset 7.
  if (node.getOpset() < 7 && slope.size() == 1 && shape.size() > 1)
    slope.append(shape.size() - 2, 1);
  if (broadcastShapes(shape, slope) != shape)
    return node.reject("its slope has the shape " +
                       describeShape(node.getShape(1)) +
                       ", which does not broadcast to " + describeShape(shape));
  Value input = node.get(0);
  FailureOr<Value> output =
      node.build("activation_parameterized_relu",
                 {{"input", input},
                  {"slope", node.getBroadcast(1, toPhysical(shape), slope)}},
                 {}, input.getType());
  return node.set(0, output, shape);
}

static LogicalResult importWhere(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  FailureOr<Shape> shape = getCommonShape(node);
  if (failed(shape))
    return failure();
  Shape physical = toPhysical(*shape);
  FailureOr<Value> output =
      node.build("element_wise_if",
                 {{"condition", node.getBroadcast(0, physical)},
                  {"a", node.getBroadcast(1, physical)},
                  {"b", node.getBroadcast(2, physical)}},
                 {}, node.getTensorType(physical, node.getType(1)));
  return node.set(0, output, *shape);
}

static LogicalResult importCast(NodeImporter &node) {
  bool isLike = node.getNode().opType == "CastLike";
  if (failed(isLike ? node.wantInputs(2, 2) : node.wantInputs(1, 1)))
    return failure();
  if (isLike)
    node.ignoreInput(1);
  int64_t to = node.getInt("to", 0);
  std::optional<DataType> type =
      isLike ? node.getType(1) : toDataType(static_cast<int32_t>(to));
  if (!type)
    return node.reject("it casts to " +
                       describeONNXType(static_cast<int32_t>(to)) +
                       ", which no DirectML tensor has");
  const Shape &shape = node.getShape(0);
  // A bool is 0 or 1, whatever the number was.
  if (isLike ? node.isBool(1) : isBoolType(to)) {
    Value input = node.get(0);
    Shape physical = toPhysical(shape);
    Value zero = node.getSplat(node.getType(0), 0, physical);
    RankedTensorType truths = node.getTensorType(physical, DataType::UINT8);
    FailureOr<Value> equal = node.build(
        "element_wise_logical_equals", {{"a", input}, {"b", zero}}, {}, truths);
    if (failed(equal))
      return failure();
    FailureOr<Value> output =
        node.build("element_wise_logical_not", {{"input", *equal}}, {}, truths);
    if (failed(output))
      return failure();
    return node.set(0, *output, shape);
  }
  if (*type == node.getType(0))
    return node.setView(0, 0, shape);
  FailureOr<Value> output =
      node.build("cast", {{"input", node.get(0)}}, {},
                 node.getTensorType(toPhysical(shape), *type));
  return node.set(0, output, shape);
}

static LogicalResult importMod(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  FailureOr<Shape> shape = getCommonShape(node);
  if (failed(shape))
    return failure();
  Shape physical = toPhysical(*shape);
  FailureOr<Value> output =
      node.build(node.getInt("fmod", 0) ? "element_wise_modulus_truncate"
                                        : "element_wise_modulus_floor",
                 {{"a", node.getBroadcast(0, physical)},
                  {"b", node.getBroadcast(1, physical)}},
                 {}, node.getTensorType(physical, node.getType(0)));
  return node.set(0, output, *shape);
}

static LogicalResult importBitShift(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  FailureOr<Shape> shape = getCommonShape(node);
  if (failed(shape))
    return failure();
  StringRef direction = node.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return node.reject("its direction is '" + direction +
                       "', but wanted is LEFT or RIGHT");
  Shape physical = toPhysical(*shape);
  FailureOr<Value> output =
      node.build(direction == "LEFT" ? "element_wise_bit_shift_left"
                                     : "element_wise_bit_shift_right",
                 {{"a", node.getBroadcast(0, physical)},
                  {"b", node.getBroadcast(1, physical)}},
                 {}, node.getTensorType(physical, node.getType(0)));
  return node.set(0, output, *shape);
}

static LogicalResult importRound(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.get(0);
  FailureOr<Value> output = node.build(
      "element_wise_round", {{"input", input}},
      node.enumCase("rounding_mode", "rounding_mode", "halves_to_nearest_even"),
      input.getType());
  return node.set(0, output, node.getShape(0));
}

static LogicalResult importIsNaN(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  FailureOr<Value> output =
      node.build("element_wise_is_nan", {{"input", node.get(0)}}, {},
                 node.getTensorType(toPhysical(shape), DataType::UINT8));
  return node.set(0, output, shape);
}

static LogicalResult importIsInf(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  bool positive = node.getInt("detect_positive", 1),
       negative = node.getInt("detect_negative", 1);
  FailureOr<Value> output =
      node.build("element_wise_is_infinity", {{"input", node.get(0)}},
                 node.enumCase("infinity_mode", "is_infinity_mode",
                               positive == negative ? "either"
                               : positive           ? "positive"
                                                    : "negative"),
                 node.getTensorType(toPhysical(shape), DataType::UINT8));
  return node.set(0, output, shape);
}

/// The type of quantized elements: that of the zero point, or `output_dtype`.
static FailureOr<DataType> getQuantizedType(NodeImporter &node,
                                            bool isQuantize) {
  if (!isQuantize)
    return node.getType(0);
  if (node.hasInput(2))
    return node.getType(2);
  int64_t number = node.getInt("output_dtype", 0);
  if (number == 0)
    return DataType::UINT8;
  std::optional<DataType> type = toDataType(static_cast<int32_t>(number));
  if (!type) {
    (void)node.reject("its output_dtype is " +
                      describeONNXType(static_cast<int32_t>(number)) +
                      ", which the importer does not know");
    return failure();
  }
  return *type;
}

/// Builds QUANTIZE or DEQUANTIZE: scale and zero point have the shape `blocks`,
/// each of whose sizes divides the input's.
static LogicalResult setBlocks(NodeImporter &node, ArrayRef<int64_t> blocks,
                               bool isQuantize) {
  const Shape &shape = node.getShape(0);
  FailureOr<DataType> integer = getQuantizedType(node, isQuantize);
  if (failed(integer))
    return failure();
  for (unsigned index : {1, 2})
    if (node.hasInput(index) &&
        countElements(node.getShape(index)) != countElements(blocks))
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one number for each block, " +
                         describeShape(blocks));
  Shape physical = toPhysical(blocks);
  // Zeros are spelled out, as by the provider: what DirectML takes for a zero
  // point that is absent is not described.
  Value zeroPoint = node.hasInput(2) ? node.getAs(2, physical)
                                     : node.getSplat(*integer, 0, physical);
  FailureOr<Value> output = node.build(
      isQuantize ? "quantize" : "dequantize",
      {{"input", node.get(0)},
       {"quantizations", ArrayRef<Value>{node.getAs(1, physical), zeroPoint}}},
      {node.enumCase("quantization_type", "quantization_type",
                     "scale_zero_point")},
      node.getTensorType(toPhysical(shape),
                         isQuantize ? *integer : node.getType(1)));
  return node.set(0, output, shape);
}

/// Quantization by blocks of `size` elements along an axis.
static LogicalResult importBlocks(NodeImporter &node, int64_t size,
                                  bool isQuantize) {
  const Shape &shape = node.getShape(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 1), shape.size());
  if (failed(axis))
    return failure();
  Shape blocks = shape;
  if (size < 0 || shape[*axis] % size != 0)
    return node.reject("its block size is " + Twine(size) +
                       ", but wanted is a divisor of " + Twine(shape[*axis]) +
                       ", the size along its axis");
  blocks[*axis] = shape[*axis] / size;
  for (unsigned index : {1, 2})
    if (node.hasInput(index) && node.getShape(index) != blocks)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one number for each block, " +
                         describeShape(blocks));
  return setBlocks(node, blocks, isQuantize);
}

/// Quantization: scale and zero point are one number each, one for each element
/// of an axis, or one for each block.
static LogicalResult importQuantize(NodeImporter &node, StringRef mnemonic,
                                    bool isQuantize) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  if (int64_t size = node.getInt("block_size", 0))
    return importBlocks(node, size, isQuantize);
  const Shape &shape = node.getShape(0);
  Shape physical = toPhysical(shape);
  // The shape of a scale or zero point beside that of the input.
  auto align = [&](unsigned index) -> FailureOr<Shape> {
    Shape as = node.getShape(index);
    if (as.size() == 1 && as[0] != 1) {
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
  };
  auto spread = [&](unsigned index) -> FailureOr<Value> {
    FailureOr<Shape> as = align(index);
    if (failed(as))
      return failure();
    return node.getBroadcast(index, physical, *as);
  };
  FailureOr<DataType> integer = getQuantizedType(node, isQuantize);
  if (failed(integer))
    return failure();
  // The element-wise operators have no elements of four bits.
  if (isFourBits(*integer)) {
    FailureOr<Shape> as = align(1);
    return failed(as) ? failure() : setBlocks(node, *as, isQuantize);
  }
  FailureOr<Value> scale = spread(1);
  if (failed(scale))
    return failure();
  Value zeroPoint;
  if (node.hasInput(2)) {
    FailureOr<Value> given = spread(2);
    if (failed(given))
      return failure();
    zeroPoint = *given;
  }
  FailureOr<Value> output = node.build(
      mnemonic,
      {{"input", node.get(0)}, {"scale", *scale}, {"zero_point", zeroPoint}},
      {},
      node.getTensorType(physical, isQuantize ? *integer : node.getType(1)));
  return node.set(0, output, shape);
}

static LogicalResult importDynamicQuantize(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const Shape &shape = node.getShape(0);
  Shape physical = toPhysical(shape), one = toPhysical({});
  FailureOr<SmallVector<Value>> outputs =
      node.buildAll("dynamic_quantize_linear", {{"input", node.get(0)}}, {},
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

void dml::onnx::addElementWiseOperators(Registry &registry) {
  addUnary(registry, "Sqrt", "element_wise_sqrt");
  addUnary(registry, "Reciprocal", "element_wise_recip");
  addUnary(registry, "Exp", "element_wise_exp");
  addUnary(registry, "Log", "element_wise_log");
  addUnary(registry, "Ceil", "element_wise_ceil");
  addUnary(registry, "Floor", "element_wise_floor");
  addUnary(registry, "Neg", "element_wise_negate");
  addUnary(registry, "Sign", "element_wise_sign");
  addUnary(registry, "Erf", "element_wise_erf");
  addUnary(registry, "Sin", "element_wise_sin");
  addUnary(registry, "Cos", "element_wise_cos");
  addUnary(registry, "Tan", "element_wise_tan");
  addUnary(registry, "Asin", "element_wise_asin");
  addUnary(registry, "Acos", "element_wise_acos");
  addUnary(registry, "Atan", "element_wise_atan");
  addUnary(registry, "Sinh", "element_wise_sinh");
  addUnary(registry, "Cosh", "element_wise_cosh");
  addUnary(registry, "Asinh", "element_wise_asinh");
  addUnary(registry, "Acosh", "element_wise_acosh");
  addUnary(registry, "Atanh", "element_wise_atanh");
  addUnary(registry, "Not", "element_wise_logical_not");
  addUnary(registry, "BitwiseNot", "element_wise_bit_not");

  addUnary(registry, "Relu", "activation_relu");
  addUnary(registry, "Sigmoid", "activation_sigmoid");
  addUnary(registry, "Tanh", "activation_tanh");
  addUnary(registry, "Softsign", "activation_softsign");
  addUnary(registry, "LeakyRelu", "activation_leaky_relu",
           {{"alpha", "alpha", 0.01f}});
  addUnary(registry, "Elu", "activation_elu", {{"alpha", "alpha", 1}});
  addUnary(registry, "Celu", "activation_celu", {{"alpha", "alpha", 1}});
  addUnary(registry, "ThresholdedRelu", "activation_thresholded_relu",
           {{"alpha", "alpha", 1}});
  addUnary(registry, "HardSigmoid", "activation_hard_sigmoid",
           {{"alpha", "alpha", 0.2f}, {"beta", "beta", 0.5f}});
  registry.add("HardSwish", "ACTIVATION_HARD_SIGMOID, ELEMENT_WISE_MULTIPLY",
               importHardSwish);
  registry.add("Selu", "ACTIVATION_SCALED_ELU", importSelu);
  addUnary(registry, "Softplus", "activation_softplus", {{"steepness", "", 1}});
  // Operators of old, which models of opset 1 may have.
  addUnary(registry, "ScaledTanh", "activation_scaled_tanh",
           {{"alpha", "alpha", 1}, {"beta", "beta", 1}});
  addUnary(registry, "ParametricSoftplus", "activation_parametric_softplus",
           {{"alpha", "alpha", 0}, {"beta", "beta", 0}});
  addUnary(registry, "Shrink", "activation_shrink",
           {{"bias", "bias", 0}, {"threshold", "lambd", 0.5f}});
  addUnary(registry, "Gelu", "activation_gelu", {}, "com.microsoft");
  registry.add("Gelu", "ACTIVATION_GELU, or ACTIVATION_TANH and others",
               importGelu);
  registry.add("Mish",
               "ACTIVATION_SOFTPLUS, ACTIVATION_TANH, ELEMENT_WISE_MULTIPLY",
               importMish);

  addBinary(registry, "Add", "element_wise_add");
  addBinary(registry, "Sub", "element_wise_subtract");
  addBinary(registry, "Mul", "element_wise_multiply");
  addBinary(registry, "Div", "element_wise_divide");
  addBinary(registry, "And", "element_wise_logical_and");
  addBinary(registry, "Or", "element_wise_logical_or");
  addBinary(registry, "Xor", "element_wise_logical_xor");
  addBinary(registry, "BitwiseAnd", "element_wise_bit_and");
  addBinary(registry, "BitwiseOr", "element_wise_bit_or");
  addBinary(registry, "BitwiseXor", "element_wise_bit_xor");
  addBinary(registry, "Sum", "element_wise_add", /*many=*/true);
  addBinary(registry, "Max", "element_wise_max", /*many=*/true);
  addBinary(registry, "Min", "element_wise_min", /*many=*/true);
  addComparison(registry, "Equal", "element_wise_logical_equals");
  addComparison(registry, "Greater", "element_wise_logical_greater_than");
  addComparison(registry, "Less", "element_wise_logical_less_than");
  addComparison(registry, "GreaterOrEqual",
                "element_wise_logical_greater_than_or_equal");
  addComparison(registry, "LessOrEqual",
                "element_wise_logical_less_than_or_equal");

  registry.add("Mean", "ELEMENT_WISE_MEAN or ELEMENT_WISE_ADD", importMean);
  registry.add("Pow", "ELEMENT_WISE_CONSTANT_POW or ELEMENT_WISE_POW",
               importPow);
  registry.add("Clip",
               "ELEMENT_WISE_CLIP or ELEMENT_WISE_CLIP1, or "
               "ELEMENT_WISE_MAX and ELEMENT_WISE_MIN",
               importClip);
  registry.add("Abs", "ELEMENT_WISE_ABS", importAbs);
  registry.add("PRelu", "ACTIVATION_PARAMETERIZED_RELU", importPRelu);
  registry.add("Where", "ELEMENT_WISE_IF", importWhere);
  registry.add("Cast", "CAST", importCast);
  registry.add("CastLike", "CAST", importCast);
  registry.add("Mod",
               "ELEMENT_WISE_MODULUS_FLOOR or ELEMENT_WISE_MODULUS_TRUNCATE",
               importMod);
  registry.add("BitShift",
               "ELEMENT_WISE_BIT_SHIFT_LEFT or ELEMENT_WISE_BIT_SHIFT_RIGHT",
               importBitShift);
  registry.add("Round", "ELEMENT_WISE_ROUND", importRound);
  registry.add("IsNaN", "ELEMENT_WISE_IS_NAN", importIsNaN);
  registry.add("IsInf", "ELEMENT_WISE_IS_INFINITY", importIsInf);
  registry.add("DynamicQuantizeLinear", "DYNAMIC_QUANTIZE_LINEAR",
               importDynamicQuantize);
  registry.add("QuantizeLinear", "ELEMENT_WISE_QUANTIZE_LINEAR, QUANTIZE",
               [](NodeImporter &node) {
                 return importQuantize(node, "element_wise_quantize_linear",
                                       /*isQuantize=*/true);
               });
  registry.add("DequantizeLinear", "ELEMENT_WISE_DEQUANTIZE_LINEAR, DEQUANTIZE",
               [](NodeImporter &node) {
                 return importQuantize(node, "element_wise_dequantize_linear",
                                       /*isQuantize=*/false);
               });
}
