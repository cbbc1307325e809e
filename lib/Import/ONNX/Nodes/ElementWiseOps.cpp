//===- ElementWiseOps.cpp - Operators on each element by itself -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/Importer.h"
#include "dml/IR/Layout.h"
#include "dml/IR/ViewOps.h"
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

/// Sets the output to `value`, which may be wider than the first input.
static LogicalResult setNarrow(NodeImporter &node, Value value, Shape shape) {
  return node.set(0, node.castTo(value, node.getType(0)), std::move(shape));
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
  Value input = node.widen(node.get(0));
  DataType type = node.getTypeOf(input);
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  auto multiply = [&](Value value, double number) {
    return node.combine("element_wise_multiply", value,
                        node.getSplat(type, number, shape));
  };
  auto add = [&](Value a, Value b) {
    return node.combine("element_wise_add", a, b);
  };
  Value cube = node.apply("element_wise_constant_pow", input,
                          node.number("exponent", 3));
  Value argument =
      multiply(add(input, multiply(cube, 0.044715)), 0.7978845608028654);
  Value factor = add(node.apply("activation_tanh", argument),
                     node.getSplat(type, 1, shape));
  return setNarrow(
      node, node.combine("element_wise_multiply", multiply(input, 0.5), factor),
      node.getShape(0));
}

/// The input times its hard sigmoid, as ONNX defines this function: ONNX
/// Runtime has no kernel for it, and puts these two nodes in its place.
static LogicalResult importHardSwish(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.widen(node.get(0));
  Value gate =
      node.apply("activation_hard_sigmoid", input,
                 {node.number("alpha", 1.0f / 6), node.number("beta", 0.5f)});
  return setNarrow(node, node.combine("element_wise_multiply", input, gate),
                   node.getShape(0));
}

/// The input times the hyperbolic tangent of its softplus, which ONNX Runtime
/// puts in place of this function, too.
static LogicalResult importMish(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  Value input = node.widen(node.get(0));
  Value softplus =
      node.apply("activation_softplus", input, node.number("steepness", 1));
  return setNarrow(node,
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
    bool isSum = many && mnemonic == "element_wise_add";
    auto get = [&](unsigned index) {
      Value value = node.getBroadcast(index, physical, operands->shapes[index]);
      // A sum of more than two is not rounded on the way.
      return isSum && count > 2 ? node.widen(value) : value;
    };
    Value result = get(0);
    for (unsigned index = 1; index < count; ++index)
      result = node.combine(mnemonic, result, get(index),
                            isComparison ? Type(type) : Type());
    return isComparison ? node.set(0, result, shape)
                        : setNarrow(node, result, shape);
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

/// Whether a type has 64 bits, which few element-wise operators of DirectML
/// take.
static bool is64Bits(DataType type) {
  return type == DataType::INT64 || type == DataType::UINT64 ||
         type == DataType::FLOAT64;
}

static bool isUnsigned(DataType type) {
  return type == DataType::UINT8 || type == DataType::UINT16 ||
         type == DataType::UINT32 || type == DataType::UINT64;
}

/// `base` to a power that is known and not negative, by squares and products:
/// the integers of 64 bits, which POW does not take, wrap around in these as
/// they do in ONNX.
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

/// Exponents of 64 bits as integers of 32 bits. Those beyond them give the same
/// powers of integers as the last ones that are odd or even as they are.
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

/// Pow of integers. CONSTANT_POW takes floats alone.
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
  // Powers of floats are computed with floats.
  if (is64Bits(node.getType(1)))
    exponent = node.castTo(exponent, node.getType(0));
  FailureOr<Value> output = node.build(
      "element_wise_pow", {{"input", base}, {"exponent", exponent}}, {}, type);
  return node.set(0, output, operands->result);
}

/// The largest finite number of `type`, or the lowest.
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

/// The bound that input `index` is, a constant; where it is left out, the limit
/// of the type.
static TypedAttr getBound(NodeImporter &node, unsigned index, bool isMax) {
  Type type = getElementType(node.getType(0), node.getBuilder().getContext());
  if (!node.hasInput(index))
    return getLimit(type, isMax);
  const Constant &constant = *node.getInput(index).constant;
  if (isa<FloatType>(type))
    return FloatAttr::get(type, constant.getFloats()[0]);
  // The input's own integer: a double has too few digits.
  return IntegerAttr::get(
      type, APInt(type.getIntOrFloatBitWidth(),
                  static_cast<uint64_t>(constant.getIntegers()[0]),
                  /*isSigned=*/false, /*implicitTrunc=*/true));
}

/// Whether bound `a` is above bound `b`, of the same type.
static bool isAbove(TypedAttr a, TypedAttr b) {
  if (auto number = dyn_cast<FloatAttr>(a))
    return number.getValue() > cast<FloatAttr>(b).getValue();
  APInt first = cast<IntegerAttr>(a).getValue(),
        second = cast<IntegerAttr>(b).getValue();
  return cast<IntegerType>(a.getType()).isUnsigned() ? first.ugt(second)
                                                     : first.sgt(second);
}

/// Clip with bounds that are computed: they are attributes in DirectML, and
/// operands of ELEMENT_WISE_MAX and ELEMENT_WISE_MIN, in this order, so that
/// the upper bound counts where the lower one is above it.
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
    // No integer is beyond the limits of its type.
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
  // CLIP1 would give the lower bound then, where ONNX has the upper one.
  if (isAbove(min, max))
    min = max;
  return node.set(0,
                  node.build("element_wise_clip1", {{"input", input}},
                             {node.attr("min", min), node.attr("max", max)},
                             input.getType()),
                  node.getShape(0));
}

/// Relu. DirectML's takes no integers of 64 bits, but the maximum does.
static LogicalResult importRelu(NodeImporter &node) {
  static const ImportFunction ofOthers = makeUnary("activation_relu", {});
  if (failed(node.wantInputs(1, 1)) || node.getType(0) != DataType::INT64)
    return ofOthers(node);
  Value input = node.get(0);
  Value zero = node.getSplat(DataType::INT64, 0, toPhysical(node.getShape(0)));
  return node.set(0, node.combine("element_wise_max", input, zero),
                  node.getShape(0));
}

/// `a` where `condition` is true, else `b`.
static Value choose(NodeImporter &node, Value condition, Value a, Value b) {
  return node
      .buildAll("element_wise_if",
                {{"condition", condition}, {"a", a}, {"b", b}}, {}, a.getType())
      ->front();
}

/// Shrink of integers of 64 bits, by comparisons and sums. Its attributes are
/// rounded towards zero first, as ONNX's function and DirectML's operator do.
static LogicalResult setShrinkOf64Bits(NodeImporter &node, float lambd,
                                       float bias) {
  Shape physical = toPhysical(node.getShape(0));
  constexpr float most = 1 << 24;
  bool hasSign = !isUnsigned(node.getType(0));
  if (!(std::fabs(lambd) <= most && std::fabs(bias) <= most) ||
      (!hasSign && bias < 0))
    return node.reject("it has the lambd " + std::to_string(lambd) +
                       " and the bias " + std::to_string(bias) +
                       ", but wanted of integers of 64 bits are magnitudes up "
                       "to 2^24, and no negative ones of unsigned integers");
  auto splat = [&](float number) {
    return node.getSplat(node.getType(0), std::trunc(number), physical);
  };
  RankedTensorType truths = node.getTensorType(physical, DataType::UINT8);
  Value x = node.get(0), amount = splat(bias);
  Value result =
      choose(node,
             node.combine("element_wise_logical_greater_than", x, splat(lambd),
                          truths),
             node.combine("element_wise_subtract", x, amount), splat(0));
  if (hasSign)
    result = choose(node,
                    node.combine("element_wise_logical_less_than", x,
                                 splat(-lambd), truths),
                    node.combine("element_wise_add", x, amount), result);
  return node.set(0, result, node.getShape(0));
}

/// x + bias below -lambd, x - bias above lambd, else 0. Where lambd is
/// negative, both are true of numbers between, and ONNX's first one counts, but
/// DirectML's second one. The function is odd, so that the negative of the
/// result for -x is ONNX's.
static LogicalResult importShrink(NodeImporter &node) {
  static const ImportFunction plain = makeUnary(
      "activation_shrink", {{"bias", "bias", 0}, {"threshold", "lambd", 0.5f}});
  if (failed(node.wantInputs(1, 1)))
    return failure();
  float lambd = node.getFloat("lambd", 0.5f), bias = node.getFloat("bias", 0);
  DataType type = node.getType(0);
  if (lambd < 0 && isUnsigned(type))
    return node.reject("its lambd is " + std::to_string(lambd) +
                       ", but wanted for unsigned elements is no negative "
                       "number");
  if (type == DataType::INT64 || type == DataType::UINT64)
    return setShrinkOf64Bits(node, lambd, bias);
  if (!(lambd < 0))
    return plain(node);
  Value minusOne = node.getSplat(type, -1, toPhysical(node.getShape(0)));
  auto negate = [&](Value value) {
    return node.combine("element_wise_multiply", value, minusOne);
  };
  Value shrunk =
      node.apply("activation_shrink", negate(node.get(0)),
                 {node.number("bias", bias), node.number("threshold", lambd)});
  return node.set(0, negate(shrunk), node.getShape(0));
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
  // No unsigned number is below 0, so that no slope counts.
  if (isUnsigned(node.getType(0))) {
    node.ignoreInput(1);
    return node.setView(0, 0, shape);
  }
  Shape physical = toPhysical(shape);
  Value input = node.get(0), factor = node.getBroadcast(1, physical, slope);
  // DirectML's operator takes no integers of 64 bits.
  if (node.getType(0) == DataType::INT64) {
    Value isNegative =
        node.combine("element_wise_logical_less_than", input,
                     node.getSplat(DataType::INT64, 0, physical),
                     node.getTensorType(physical, DataType::UINT8));
    return node.set(0,
                    choose(node, isNegative,
                           node.combine("element_wise_multiply", input, factor),
                           input),
                    shape);
  }
  FailureOr<Value> output =
      node.build("activation_parameterized_relu",
                 {{"input", input}, {"slope", factor}}, {}, input.getType());
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
  // These are about floats of eight bits, which DirectML has not.
  node.ignoreAttributes({"saturate", "round_mode"});
  int32_t to = isLike ? 0 : node.getCastType();
  std::optional<DataType> type = isLike ? node.getType(1) : toDataType(to);
  if (!type)
    return node.reject("it casts to " + describeONNXType(to) +
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
  RankedTensorType type =
      node.getTensorType(toPhysical(shape), DataType::UINT8);
  Value output = node.apply("element_wise_is_infinity", node.get(0),
                            node.enumCase("infinity_mode", "is_infinity_mode",
                                          positive == negative ? "either"
                                          : positive           ? "positive"
                                                               : "negative"),
                            type);
  // DirectML has no mode that finds none. The provider takes the first one
  // then, which stays here, so that the feature level is the same.
  if (!positive && !negative)
    output = node.combine("element_wise_logical_and", output,
                          node.getSplat(DataType::UINT8, 0, type.getShape()));
  return node.set(0, output, shape);
}

/// The type that attribute output_dtype names, if it does.
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
/// QuantizeLinear or DequantizeLinear.
struct Quantization {
  bool isQuantize;
  /// The type of the quantized elements, and of those of the output.
  DataType quantized, output;
  /// The type in which numbers are computed, that of the scale operand.
  DataType number;
};
} // namespace

static FailureOr<Quantization> getQuantization(NodeImporter &node,
                                               bool isQuantize) {
  Quantization result{isQuantize, node.getType(0), node.getType(1),
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
    // A scale may be narrower than the input, or wider.
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

/// Builds QUANTIZE or DEQUANTIZE of a scale and a zero point each of whose
/// sizes divides the input's.
static Value buildBlocks(NodeImporter &node, const Quantization &how,
                         Value scale, Value zeroPoint) {
  auto shape = cast<RankedTensorType>(scale.getType()).getShape();
  // Zeros are spelled out, as by the provider: what DirectML takes for a zero
  // point that is absent is not described.
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

/// Quantizes to a type that DirectML's operators do not quantize to, by the
/// formula of ONNX: CAST takes what the type cannot hold to its nearest number.
static Value quantizeByFormula(NodeImporter &node, const Quantization &how,
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

/// Sets the output, computed with a scale and a zero point, which may be null,
/// for each element of the input.
static LogicalResult setQuantized(NodeImporter &node, const Quantization &how,
                                  Value scale, Value zeroPoint) {
  const Shape &shape = node.getShape(0);
  Value output;
  if (isFourBits(how.quantized)) {
    // The element-wise operators have no elements of four bits.
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

/// Input `index`, one number for each block of `size` elements along `axis`,
/// for each element. The last block may have fewer elements.
static Value spreadBlocks(NodeImporter &node, unsigned index, int64_t axis,
                          int64_t size) {
  const Shape &shape = node.getShape(0), &blocks = node.getShape(index);
  int64_t outer = *countElements(ArrayRef(shape).take_front(axis)),
          inner = *countElements(ArrayRef(shape).drop_front(axis + 1));
  Value value = node.repeat(node.getAs(index, {outer, blocks[axis], 1, inner}),
                            {outer, blocks[axis], size, inner});
  value = node.reshape(value, {1, outer, blocks[axis] * size, inner});
  // The end of the last block is out of view. SLICE1 takes no elements of four
  // bits.
  Shape all(cast<RankedTensorType>(value.getType()).getShape());
  Shape part = {1, outer, shape[axis], inner};
  if (part != all)
    value = ViewOp::create(node.getBuilder(), value.getLoc(),
                           node.getTensorType(part, node.getType(index)), value,
                           getPackedStrides(all));
  return node.reshape(value, toPhysical(shape));
}

/// Quantization by blocks of `size` elements along an axis.
static LogicalResult importBlocks(NodeImporter &node, int64_t size,
                                  const Quantization &how) {
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
  // QUANTIZE takes equal blocks of few types alone.
  return setQuantized(
      node, how, node.castTo(spreadBlocks(node, 1, *axis, size), how.number),
      node.hasInput(2) ? spreadBlocks(node, 2, *axis, size) : Value());
}

/// The shape of the scale or zero point that input `index` is, beside the
/// input's.
static FailureOr<Shape> alignQuantization(NodeImporter &node, unsigned index) {
  const Shape &shape = node.getShape(0);
  Shape as = node.getShape(index);
  // One number is for all elements, those of a scalar as well.
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

/// Quantization: scale and zero point are one number each, one for each element
/// of an axis, or one for each block.
static LogicalResult importQuantize(NodeImporter &node, bool isQuantize) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  FailureOr<Quantization> how = getQuantization(node, isQuantize);
  if (failed(how))
    return failure();
  // One number is for every axis, and floats of 8 bits, which alone need not
  // saturate, are none of DirectML's.
  node.ignoreAttributes({"axis", "saturate"});
  if (int64_t size = node.getInt("block_size", 0))
    return importBlocks(node, size, *how);
  // QUANTIZE repeats numbers itself, and the others want them repeated.
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
  // The scale and the zero point have as many dimensions as the input, which is
  // seen with four: it is quantized as a whole.
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

  registry.add("Relu", "ACTIVATION_RELU or ELEMENT_WISE_MAX", importRelu);
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
  registry.add("Shrink", "ACTIVATION_SHRINK", importShrink);
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
  registry.add("Pow",
               "ELEMENT_WISE_CONSTANT_POW or ELEMENT_WISE_POW, or "
               "ELEMENT_WISE_MULTIPLY",
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
                 return importQuantize(node, /*isQuantize=*/true);
               });
  registry.add("DequantizeLinear", "ELEMENT_WISE_DEQUANTIZE_LINEAR, DEQUANTIZE",
               [](NodeImporter &node) {
                 return importQuantize(node, /*isQuantize=*/false);
               });
}
