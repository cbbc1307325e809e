//===- ElementWiseOps.cpp - Arithmetic on each element --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/ElementWiseRows.h"
#include "Nodes/Families.h"
#include "dml/IR/Layout.h"
#include "dml/IR/ViewOps.h"
#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Adds an operator with two inputs, or, if `many` is set, with any number of
/// inputs, which are combined from left to right.
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
    bool isSum = many && mnemonic == "element_wise_add";
    auto get = [&](unsigned index) {
      Value value = node.getBroadcast(index, physical, operands->shapes[index]);
      // A sum of more than two inputs is not rounded in between.
      return isSum && count > 2 ? node.widen(value) : value;
    };
    Value result = get(0);
    for (unsigned index = 1; index < count; ++index)
      result = node.combine(mnemonic, result, get(index),
                            isComparison ? Type(type) : Type());
    return isComparison ? node.set(0, result, shape)
                        : setNarrow(node, result, shape);
  };
  registry.add(name, mnemonic.upper(), import);
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
  if (count == 2)
    return node.set(0,
                    node.combine("element_wise_mean",
                                 node.getBroadcast(0, physical),
                                 node.getBroadcast(1, physical)),
                    *shape);
  Value sum = node.widen(node.getBroadcast(0, physical));
  for (unsigned index = 1; index < count; ++index)
    sum = node.combine("element_wise_add", sum,
                       node.widen(node.getBroadcast(index, physical)));
  Value divisor = node.getSplat(node.getTypeOf(sum), count, physical);
  return setNarrow(node, node.combine("element_wise_divide", sum, divisor),
                   *shape);
}

/// Whether a type has 64 bits. Few of DirectML's element-wise operators support
/// such types.
static bool is64Bits(DataType type) {
  return type == DataType::INT64 || type == DataType::UINT64 ||
         type == DataType::FLOAT64;
}

/// Computes the power of `base` with a known exponent that is not negative, by
/// repeated squaring. The result wraps around for 64-bit integers, as in ONNX.
/// POW does not support 64-bit integers.
static Value multiplyPower(NodeImporter &node, Value base, uint64_t exponent) {
  auto shape = cast<RankedTensorType>(base.getType()).getShape();
  Value result;
  for (Value square = base; exponent != 0; exponent >>= 1) {
    if (exponent & 1)
      result = result ? node.combine("element_wise_multiply", result, square)
                      : square;
    if (exponent > 1)
      square = node.combine("element_wise_multiply", square, square);
  }
  return result ? result : node.getSplat(node.getType(0), 1, shape);
}

/// Converts 64-bit exponents to 32-bit integers. Exponents out of range are
/// replaced by the last 32-bit integers with the same parity, which give the
/// same powers of integers.
static Value narrowExponent(NodeImporter &node, Value exponent) {
  auto shape = cast<RankedTensorType>(exponent.getType()).getShape();
  DataType type = node.getType(1);
  auto splat = [&](int64_t number) {
    return node.getSplat(type, static_cast<double>(number), shape);
  };
  constexpr int64_t most = std::numeric_limits<int32_t>::max() - 1;
  Value odd = node.combine("element_wise_bit_and", exponent, splat(1));
  Value limited = node.combine("element_wise_min", exponent, splat(most));
  if (!isUnsigned(type))
    limited = node.combine("element_wise_max", limited, splat(-most));
  return node.castTo(node.combine("element_wise_bit_or", limited, odd),
                     DataType::INT32);
}

/// Imports Pow for integers. CONSTANT_POW only supports floats.
static LogicalResult setPowerOfIntegers(NodeImporter &node,
                                        const Operands &operands) {
  Shape physical = toPhysical(operands.result);
  Value base = node.getBroadcast(0, physical);
  if (is64Bits(node.getType(0))) {
    const std::optional<Constant> &constant = node.getInput(1).constant;
    double number = constant && constant->getNumElements() == 1
                        ? constant->getFloats()[0]
                        : -1;
    constexpr double most = 1 << 30;
    if (!(number >= 0 && number <= most && number == std::trunc(number)))
      return node.reject("it is the power of integers of 64 bits, of which "
                         "DirectML's POW takes none, and products express "
                         "those alone whose exponent is one integer from 0 to "
                         "2^30 that is known when the model is read");
    return node.set(0, multiplyPower(node, base, static_cast<uint64_t>(number)),
                    operands.result);
  }
  Value exponent = node.getBroadcast(1, physical, operands.shapes[1]);
  if (node.getType(1) == DataType::INT64 || node.getType(1) == DataType::UINT64)
    exponent = narrowExponent(node, exponent);
  return node.set(0,
                  node.build("element_wise_pow",
                             {{"input", base}, {"exponent", exponent}}, {},
                             base.getType()),
                  operands.result);
}

static LogicalResult importPow(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  FailureOr<Operands> operands = getOperands(node, /*isOld=*/true);
  if (failed(operands))
    return failure();
  Shape physical = toPhysical(operands->result);
  RankedTensorType type = node.getTensorType(physical, node.getType(0));
  if (!isa<FloatType>(type.getElementType()))
    return setPowerOfIntegers(node, *operands);
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
  // Powers of floats are computed with float exponents.
  if (is64Bits(node.getType(1)))
    exponent = node.castTo(exponent, node.getType(0));
  FailureOr<Value> output = node.build(
      "element_wise_pow", {{"input", base}, {"exponent", exponent}}, {}, type);
  return node.set(0, output, operands->result);
}

/// Returns the largest or the lowest finite number of `type`.
static TypedAttr getLimit(Type type, bool isMax) {
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat::getLargest(number.getFloatSemantics(),
                                                    /*Negative=*/!isMax));
  auto integer = cast<IntegerType>(type);
  unsigned width = integer.getWidth();
  if (integer.isUnsigned())
    return IntegerAttr::get(type, isMax ? APInt::getMaxValue(width)
                                        : APInt::getMinValue(width));
  return IntegerAttr::get(type, isMax ? APInt::getSignedMaxValue(width)
                                      : APInt::getSignedMinValue(width));
}

/// Returns the bound in input `index`, which is a constant, or the limit of the
/// type if the input is missing.
static TypedAttr getBound(NodeImporter &node, unsigned index, bool isMax) {
  Type type = getElementType(node.getType(0), node.getBuilder().getContext());
  if (!node.hasInput(index))
    return getLimit(type, isMax);
  const Constant &constant = *node.getInput(index).constant;
  if (isa<FloatType>(type))
    return FloatAttr::get(type, constant.getFloats()[0]);
  // Converting the integer to a double could lose digits.
  return IntegerAttr::get(
      type, APInt(type.getIntOrFloatBitWidth(),
                  static_cast<uint64_t>(constant.getIntegers()[0]),
                  /*isSigned=*/false, /*implicitTrunc=*/true));
}

/// Whether bound `a` is greater than bound `b`, which has the same type.
static bool isAbove(TypedAttr a, TypedAttr b) {
  if (auto number = dyn_cast<FloatAttr>(a))
    return number.getValue() > cast<FloatAttr>(b).getValue();
  APInt first = cast<IntegerAttr>(a).getValue(),
        second = cast<IntegerAttr>(b).getValue();
  return cast<IntegerType>(a.getType()).isUnsigned() ? first.ugt(second)
                                                     : first.sgt(second);
}

/// Imports Clip with computed bounds. In DirectML's clip, bounds are
/// attributes, so that ELEMENT_WISE_MAX and then ELEMENT_WISE_MIN are used
/// instead. In this order, the upper bound applies if the lower bound is
/// greater.
static LogicalResult setClipByOperands(NodeImporter &node) {
  Value bounded = node.get(0);
  auto type = cast<RankedTensorType>(bounded.getType());
  for (auto [index, mnemonic] :
       {std::pair(1, "element_wise_max"), std::pair(2, "element_wise_min")}) {
    Value bound;
    if (node.hasInput(index))
      bound = node.getBroadcast(index, type.getShape(), Shape{1});
    else if (auto limit = dyn_cast<FloatAttr>(
                 getLimit(type.getElementType(), /*isMax=*/index == 2)))
      bound = node.getSplat(node.getType(0), limit.getValueAsDouble(),
                            type.getShape());
    // A bound equal to the limit of the integer type needs no comparison.
    if (bound)
      bounded = node.combine(mnemonic, bounded, bound);
  }
  return node.set(0, bounded, node.getShape(0));
}

static LogicalResult importClip(NodeImporter &node) {
  if (failed(node.wantInputs(1, 3)))
    return failure();
  Value input = node.get(0);
  if (node.getOpset() < 11)
    return node.set(
        0,
        node.build("element_wise_clip", {{"input", input}},
                   {node.number("min", node.getFloat("min", -FLT_MAX)),
                    node.number("max", node.getFloat("max", FLT_MAX))},
                   input.getType()),
        node.getShape(0));
  bool isComputed = false;
  for (unsigned index : {1, 2}) {
    if (!node.hasInput(index))
      continue;
    isComputed |= !node.getInput(index).constant;
    if (countElements(node.getShape(index)) != 1)
      return node.reject("a bound has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted is one number");
    if (node.getType(index) != node.getType(0))
      return node.reject("a bound has another element type than its input");
  }
  if (isComputed)
    return setClipByOperands(node);
  TypedAttr min = getBound(node, 1, /*isMax=*/false),
            max = getBound(node, 2, /*isMax=*/true);
  // In this case, CLIP1 would return the lower bound, and ONNX the upper bound.
  if (isAbove(min, max))
    min = max;
  return node.set(0,
                  node.build("element_wise_clip1", {{"input", input}},
                             {node.attr("min", min), node.attr("max", max)},
                             input.getType()),
                  node.getShape(0));
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
  // These attributes only affect 8-bit floats, which DirectML does not support.
  node.ignoreAttributes({"saturate", "round_mode"});
  int32_t to = isLike ? 0 : node.getCastType();
  std::optional<DataType> type = isLike ? node.getType(1) : toDataType(to);
  if (!type)
    return node.reject("it casts to " + describeONNXType(to) +
                       ", which no DirectML tensor has");
  const Shape &shape = node.getShape(0);
  // A number that is converted to bool becomes 0 or 1.
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
  RankedTensorType type =
      node.getTensorType(toPhysical(shape), DataType::UINT8);
  Value output = node.apply("element_wise_is_infinity", node.get(0),
                            node.enumCase("infinity_mode", "is_infinity_mode",
                                          positive == negative ? "either"
                                          : positive           ? "positive"
                                                               : "negative"),
                            type);
  // DirectML has no mode that detects neither infinity. The provider then uses
  // the first mode, which is used here as well, to require the same feature
  // level.
  if (!positive && !negative)
    output = node.combine("element_wise_logical_and", output,
                          node.getSplat(DataType::UINT8, 0, type.getShape()));
  return node.set(0, output, shape);
}

void dml::onnx::addElementWiseNodes(Registry &registry) {
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
  registry.add("Pow",
               "ELEMENT_WISE_CONSTANT_POW or ELEMENT_WISE_POW, or "
               "ELEMENT_WISE_MULTIPLY",
               importPow);
  registry.add("Clip",
               "ELEMENT_WISE_CLIP or ELEMENT_WISE_CLIP1, or "
               "ELEMENT_WISE_MAX and ELEMENT_WISE_MIN",
               importClip);
  registry.add("Abs", "ELEMENT_WISE_ABS", importAbs);
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
}
