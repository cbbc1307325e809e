//===- EvaluateElementWise.cpp - Elements of elements ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "Reader/Shapes.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Returns all inputs of a node with `minimum` to `maximum` inputs, or nothing
/// if their number differs.
static std::optional<SmallVector<const Constant *>>
getConstants(NodeReader &node, unsigned minimum, unsigned maximum) {
  if (!hasInputs(node, minimum, maximum))
    return std::nullopt;
  SmallVector<const Constant *> constants;
  for (unsigned index = 0; index < node.getNumInputs(); ++index) {
    if (!node.hasInput(index))
      return std::nullopt;
    constants.push_back(&getConstant(node, index));
  }
  return constants;
}

/// Returns the shape to which all inputs are broadcast.
static std::optional<Shape> findShape(NodeReader &node,
                                      ArrayRef<const Constant *> inputs) {
  std::optional<Shape> shape = Shape(inputs[0]->getShape());
  bool isSame = true;
  for (const Constant *input : inputs) {
    isSame &= input->getShape() == inputs[0]->getShape();
    shape = broadcastShapes(*shape, input->getShape());
    if (!shape)
      return std::nullopt;
  }
  // Before operator set 7, attributes specify another kind of broadcasting.
  if (node.getOpset() < 7) {
    node.ignoreAttributes({"broadcast", "axis"});
    if (!isSame)
      return std::nullopt;
  }
  if (!countElements(*shape))
    return std::nullopt;
  return shape;
}

/// Computes each element of a tensor of `type` from the broadcast inputs, whose
/// elements all have the C++ type T. If all inputs are splats, the result is
/// computed only once.
template <typename T, typename R>
static Evaluation
compute(NodeReader &node, ArrayRef<const Constant *> inputs, DataType type,
        llvm::function_ref<std::optional<R>(ArrayRef<T>)> function) {
  std::optional<Shape> shape = findShape(node, inputs);
  if (!shape)
    return std::nullopt;
  bool isSplat = llvm::all_of(
      inputs, [](const Constant *input) { return input->isSplat(); });
  if (!isSplat && !isFoldable(*shape))
    return std::nullopt;
  Shape computed = isSplat ? Shape() : *shape;
  SmallVector<std::vector<T>> elements;
  SmallVector<SmallVector<int64_t>> indices;
  for (const Constant *input : inputs) {
    elements.push_back(getDistinctElements<T>(*input));
    indices.push_back(broadcastIndices(
        input->isSplat() ? ArrayRef<int64_t>() : input->getShape(), computed));
  }
  std::vector<R> results(*countElements(computed));
  SmallVector<T> operands(inputs.size());
  for (size_t place = 0; place < results.size(); ++place) {
    for (size_t input = 0; input < inputs.size(); ++input)
      operands[input] = elements[input][indices[input][place]];
    std::optional<R> result = function(operands);
    if (!result)
      return std::nullopt;
    results[place] = *result;
  }
  Constant constant = makeConstant(type, computed, results);
  return {{isSplat ? constant.splat(std::move(*shape)) : std::move(constant)}};
}

/// Whether all inputs have the type of the first input.
static bool haveOneType(ArrayRef<const Constant *> inputs) {
  return llvm::all_of(inputs, [&](const Constant *input) {
    return input->getType() == inputs[0]->getType();
  });
}

//===----------------------------------------------------------------------===//
// Operators of two inputs
//===----------------------------------------------------------------------===//

template <typename T> static std::optional<T> divide(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0 || (std::is_signed_v<T> && b == T(-1) &&
                   a == std::numeric_limits<T>::min()))
      return std::nullopt;
  }
  return static_cast<T>(a / b);
}

/// Computes the remainder with the sign of the divisor, as in Python.
template <typename T> static std::optional<T> getModulus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0 || (std::is_signed_v<T> && b == T(-1)))
      return b == 0 ? std::nullopt : std::optional<T>(0);
    T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
  // For floats, ONNX requires fmod.
  return std::nullopt;
}

/// Computes the remainder with the sign of the dividend, as in C.
template <typename T> static std::optional<T> getRemainder(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0 || (std::is_signed_v<T> && b == T(-1)))
      return b == 0 ? std::nullopt : std::optional<T>(0);
    return static_cast<T>(a % b);
  } else {
    return std::fmod(a, b);
  }
}

template <typename T> using Binary = std::optional<T> (*)(T, T);

template <typename T> static Binary<T> findArithmetic(StringRef type) {
  return llvm::StringSwitch<Binary<T>>(type)
      .Case("Add",
            [](T a, T b) -> std::optional<T> { return addWrapping(a, b); })
      .Case("Sub",
            [](T a, T b) -> std::optional<T> { return subtractWrapping(a, b); })
      .Case("Mul",
            [](T a, T b) -> std::optional<T> { return multiplyWrapping(a, b); })
      .Case("Div", divide<T>)
      .Case("Mod", getModulus<T>)
      .Case("fmod", getRemainder<T>)
      .Default(nullptr);
}

template <typename T> static Binary<T> findBitwise(StringRef type) {
  if constexpr (std::is_integral_v<T>) {
    return llvm::StringSwitch<Binary<T>>(type)
        .Case(
            "BitwiseAnd",
            [](T a, T b) -> std::optional<T> { return static_cast<T>(a & b); })
        .Case(
            "BitwiseOr",
            [](T a, T b) -> std::optional<T> { return static_cast<T>(a | b); })
        .Case(
            "BitwiseXor",
            [](T a, T b) -> std::optional<T> { return static_cast<T>(a ^ b); })
        .Case("LEFT",
              [](T a, T b) -> std::optional<T> {
                return static_cast<uint64_t>(b) < sizeof(T) * 8
                           ? static_cast<T>(Wrapping<T>(a) << b)
                           : T(0);
              })
        .Case("RIGHT",
              [](T a, T b) -> std::optional<T> {
                return static_cast<uint64_t>(b) < sizeof(T) * 8
                           ? static_cast<T>(a >> b)
                           : T(0);
              })
        .Default(nullptr);
  }
  return nullptr;
}

static Evaluation evaluateBinary(NodeReader &node, StringRef function) {
  auto inputs = getConstants(node, 2, 2);
  if (!inputs || !haveOneType(*inputs))
    return std::nullopt;
  DataType type = (*inputs)[0]->getType();
  return computeWith(type, [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    Binary<T> binary = findArithmetic<T>(function);
    if (!binary)
      binary = findBitwise<T>(function);
    if (!binary)
      return std::nullopt;
    return compute<T, T>(node, *inputs, type, [&](ArrayRef<T> operands) {
      return binary(operands[0], operands[1]);
    });
  });
}

static Evaluation evaluateArithmetic(NodeReader &node) {
  return evaluateBinary(node, node.getNode().opType);
}

static Evaluation evaluateMod(NodeReader &node) {
  return evaluateBinary(node, node.getInt("fmod", 0) != 0 ? "fmod" : "Mod");
}

static Evaluation evaluateBitShift(NodeReader &node) {
  StringRef direction = node.getString("direction", "");
  if (!hasInputs(node, 2, 2) || (direction != "LEFT" && direction != "RIGHT"))
    return std::nullopt;
  switch (getConstant(node, 0).getType()) {
  case DataType::UINT8:
  case DataType::UINT16:
  case DataType::UINT32:
  case DataType::UINT64:
    return evaluateBinary(node, direction);
  default:
    return std::nullopt;
  }
}

static Evaluation evaluateComparison(NodeReader &node) {
  auto inputs = getConstants(node, 2, 2);
  if (!inputs || !haveOneType(*inputs))
    return std::nullopt;
  StringRef name = node.getNode().opType;
  return computeWith((*inputs)[0]->getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    using Comparison = bool (*)(T, T);
    auto compare = llvm::StringSwitch<Comparison>(name)
                       .Case("Equal", [](T a, T b) { return a == b; })
                       .Case("Less", [](T a, T b) { return a < b; })
                       .Case("LessOrEqual", [](T a, T b) { return a <= b; })
                       .Case("Greater", [](T a, T b) { return a > b; })
                       .Case("GreaterOrEqual", [](T a, T b) { return a >= b; })
                       .Default(nullptr);
    return compute<T, uint8_t>(
        node, *inputs, DataType::UINT8,
        [&](ArrayRef<T> operands) -> std::optional<uint8_t> {
          return compare(operands[0], operands[1]);
        });
  });
}

static Evaluation evaluateLogic(NodeReader &node) {
  StringRef name = node.getNode().opType;
  unsigned count = name == "Not" ? 1 : 2;
  auto inputs = getConstants(node, count, count);
  if (!inputs || !haveOneType(*inputs) ||
      (*inputs)[0]->getType() != DataType::UINT8)
    return std::nullopt;
  return compute<uint8_t, uint8_t>(
      node, *inputs, DataType::UINT8,
      [&](ArrayRef<uint8_t> operands) -> std::optional<uint8_t> {
        bool a = operands.front() != 0, b = operands.back() != 0;
        if (name == "Not")
          return !a;
        if (name == "And")
          return a && b;
        return name == "Or" ? a || b : a != b;
      });
}

/// Computes Pow like ONNX Runtime. If a single exponent applies to all
/// elements, squares and cubes are computed by multiplication. Other powers of
/// floats are computed in float, and all others in double, after which integers
/// are truncated.
template <typename T>
static T power(T base, double exponent, bool isOneExponent,
               bool isFloatExponent) {
  if (isOneExponent && exponent == 2)
    return multiplyWrapping(base, base);
  if (isOneExponent && exponent == 3)
    return multiplyWrapping(multiplyWrapping(base, base), base);
  if constexpr (std::is_same_v<T, float>)
    if (isFloatExponent)
      return std::pow(base, static_cast<float>(exponent));
  double result = std::pow(static_cast<double>(base), exponent);
  if constexpr (std::is_integral_v<T>)
    return truncateTo<T>(result);
  else
    return static_cast<T>(result);
}

static std::optional<std::vector<double>> toDoubles(const Constant &constant) {
  return computeWith(
      constant.getType(), [&](auto zero) -> std::optional<std::vector<double>> {
        auto elements = getDistinctElements<decltype(zero)>(constant);
        return std::vector<double>(elements.begin(), elements.end());
      });
}

static Evaluation evaluatePow(NodeReader &node) {
  auto inputs = getConstants(node, 2, 2);
  if (!inputs)
    return std::nullopt;
  const Constant &base = *(*inputs)[0], &exponent = *(*inputs)[1];
  std::optional<Shape> shape = findShape(node, *inputs);
  std::optional<std::vector<double>> exponents = toDoubles(exponent);
  if (!shape || !isFoldable(*shape) || !exponents)
    return std::nullopt;
  bool isOne = exponent.getNumElements() == 1 && base.getNumElements() != 1;
  bool isFloat = exponent.getType() == DataType::FLOAT32 ||
                 exponent.getType() == DataType::FLOAT16;
  return computeWith(base.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> bases = getElements<T>(base), results;
    if (exponent.isSplat())
      exponents->resize(exponent.getNumElements(), exponents->front());
    auto ofBase = broadcastIndices(base.getShape(), *shape),
         ofExponent = broadcastIndices(exponent.getShape(), *shape);
    for (auto [left, right] : llvm::zip_equal(ofBase, ofExponent))
      results.push_back(
          power(bases[left], (*exponents)[right], isOne, isFloat));
    return {{makeConstant(base.getType(), *shape, results)}};
  });
}

//===----------------------------------------------------------------------===//
// Operators of any number of inputs
//===----------------------------------------------------------------------===//

static Evaluation evaluateVariadic(NodeReader &node) {
  auto inputs = getConstants(node, 1, std::numeric_limits<unsigned>::max());
  if (!inputs || !haveOneType(*inputs))
    return std::nullopt;
  StringRef name = node.getNode().opType;
  DataType type = (*inputs)[0]->getType();
  std::optional<Shape> shape = findShape(node, *inputs);
  if (!shape || static_cast<int64_t>(inputs->size()) * *countElements(*shape) >
                    maxEvaluationSteps)
    return std::nullopt;
  // ONNX has no Sum and no Mean for integers.
  if ((name == "Sum" || name == "Mean") && !(*inputs)[0]->isFloat())
    return std::nullopt;
  return computeWith(type, [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    return compute<T, T>(
        node, *inputs, type, [&](ArrayRef<T> operands) -> std::optional<T> {
          T result = operands[0];
          for (T operand : operands.drop_front())
            result = name == "Max"   ? getGreater(result, operand)
                     : name == "Min" ? getLesser(result, operand)
                                     : addWrapping(result, operand);
          // ONNX Runtime multiplies by the reciprocal.
          if (name == "Mean")
            result = static_cast<T>(result *
                                    (T(1) / static_cast<T>(operands.size())));
          return result;
        });
  });
}

//===----------------------------------------------------------------------===//
// Operators of one input
//===----------------------------------------------------------------------===//

/// Functions of floats. If a function is not exact, its double result, rounded
/// to float, may differ from ONNX Runtime's approximation by a few ulps.
using Unary = double (*)(double);
static Unary findUnary(StringRef type) {
  return llvm::StringSwitch<Unary>(type)
      .Case("Floor", std::floor)
      .Case("Ceil", std::ceil)
      .Case("Round", std::nearbyint)
      .Case("Sqrt", std::sqrt)
      .Case("Reciprocal", [](double x) { return 1 / x; })
      .Case("Exp", std::exp)
      .Case("Log", std::log)
      .Case("Erf", std::erf)
      .Case("Sin", std::sin)
      .Case("Cos", std::cos)
      .Case("Tan", std::tan)
      .Case("Asin", std::asin)
      .Case("Acos", std::acos)
      .Case("Atan", std::atan)
      .Case("Sinh", std::sinh)
      .Case("Cosh", std::cosh)
      .Case("Asinh", std::asinh)
      .Case("Acosh", std::acosh)
      .Case("Atanh", std::atanh)
      .Case("Tanh", std::tanh)
      .Case("Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); })
      .Case("Softplus",
            [](double x) {
              return x > 0 ? x + std::log1p(std::exp(-x))
                           : std::log1p(std::exp(x));
            })
      .Case("Softsign", [](double x) { return x / (1 + std::abs(x)); })
      .Default(nullptr);
}

/// Functions of numbers of all types.
template <typename T>
static std::optional<T> applyExact(StringRef name, T value) {
  if (name == "Neg")
    return std::is_unsigned_v<T>
               ? std::nullopt
               : std::optional<T>(std::is_floating_point_v<T>
                                      ? static_cast<T>(-value)
                                      : subtractWrapping(T(0), value));
  if (name == "Abs") {
    if constexpr (std::is_floating_point_v<T>)
      return std::abs(value);
    else
      return value < 0 ? subtractWrapping(T(0), value) : value;
  }
  if (name == "Sign")
    return isNaN(value) ? value : static_cast<T>((value > 0) - (value < 0));
  if (name == "Relu")
    return value < 0 ? T(0) : value;
  if constexpr (std::is_integral_v<T>)
    if (name == "BitwiseNot")
      return static_cast<T>(~value);
  return std::nullopt;
}

static Evaluation evaluateUnary(NodeReader &node) {
  auto inputs = getConstants(node, 1, 1);
  if (!inputs)
    return std::nullopt;
  StringRef name = node.getNode().opType;
  DataType type = (*inputs)[0]->getType();
  Unary unary = findUnary(name);
  if (unary && !(*inputs)[0]->isFloat())
    return std::nullopt;
  return computeWith(type, [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    return compute<T, T>(
        node, *inputs, type, [&](ArrayRef<T> operands) -> std::optional<T> {
          if (unary)
            return static_cast<T>(unary(static_cast<double>(operands[0])));
          return applyExact(name, operands[0]);
        });
  });
}

static Evaluation evaluateClass(NodeReader &node) {
  auto inputs = getConstants(node, 1, 1);
  if (!inputs || !(*inputs)[0]->isFloat())
    return std::nullopt;
  bool isNaNWanted = node.getNode().opType == "IsNaN", positive = false,
       negative = false;
  if (!isNaNWanted) {
    positive = node.getInt("detect_positive", 1) != 0;
    negative = node.getInt("detect_negative", 1) != 0;
  }
  return computeWith((*inputs)[0]->getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    return compute<T, uint8_t>(
        node, *inputs, DataType::UINT8,
        [&](ArrayRef<T> operands) -> std::optional<uint8_t> {
          double value = static_cast<double>(operands[0]);
          if (isNaNWanted)
            return std::isnan(value);
          return std::isinf(value) && (value > 0 ? positive : negative);
        });
  });
}

/// Returns the limits of Clip, which are attributes before opset 11 and inputs
/// afterwards. Missing limits are the greatest and the least finite number of
/// the type.
template <typename T>
static std::optional<std::pair<T, T>> getLimits(NodeReader &node) {
  T limits[2] = {std::numeric_limits<T>::lowest(),
                 std::numeric_limits<T>::max()};
  if (node.getType(0) == DataType::FLOAT16) {
    limits[0] = static_cast<T>(-65504.0);
    limits[1] = static_cast<T>(65504.0);
  }
  if (node.getOpset() < 11) {
    static constexpr StringLiteral names[2] = {"min", "max"};
    for (unsigned index = 0; index < 2; ++index)
      if (node.hasAttribute(names[index]))
        limits[index] = static_cast<T>(node.getFloat(names[index], 0));
    return std::pair(limits[0], limits[1]);
  }
  for (unsigned index = 0; index < 2; ++index)
    if (node.hasInput(index + 1)) {
      const Constant &limit = getConstant(node, index + 1);
      if (limit.getType() != node.getType(0) || limit.getNumElements() != 1)
        return std::nullopt;
      limits[index] = getDistinctElements<T>(limit)[0];
    }
  return std::pair(limits[0], limits[1]);
}

static Evaluation evaluateClip(NodeReader &node) {
  if (!hasInputs(node, 1, node.getOpset() < 11 ? 1 : 3))
    return std::nullopt;
  const Constant &input = getConstant(node, 0);
  return computeWith(input.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::optional<std::pair<T, T>> limits = getLimits<T>(node);
    if (!limits)
      return std::nullopt;
    return compute<T, T>(node, &input, input.getType(),
                         [&](ArrayRef<T> operands) -> std::optional<T> {
                           T value = operands[0];
                           if (value < limits->first)
                             value = limits->first;
                           return limits->second < value ? limits->second
                                                         : value;
                         });
  });
}

//===----------------------------------------------------------------------===//
// Other types
//===----------------------------------------------------------------------===//

/// Converts `value` to an element of another type. Halves are represented as
/// floats.
template <typename To, typename From>
static To convert(From value, DataType type) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return truncateTo<To>(static_cast<double>(value));
  return static_cast<To>(value);
}

/// Returns `input` converted to another type.
static std::optional<Constant> castTo(const Constant &input, DataType type,
                                      bool isBoolean) {
  Shape shape(input.getShape());
  return computeWith(
      input.getType(), [&](auto from) -> std::optional<Constant> {
        std::vector<decltype(from)> elements =
            getDistinctElements<decltype(from)>(input);
        return computeWith(type, [&](auto to) -> std::optional<Constant> {
          using To = decltype(to);
          std::vector<To> results;
          for (auto element : elements)
            results.push_back(isBoolean ? static_cast<To>(element != 0)
                                        : convert<To>(element, type));
          if (!input.isSplat())
            return makeConstant(type, shape, results);
          return makeConstant(type, Shape(), results).splat(shape);
        });
      });
}

static Evaluation evaluateCast(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  const Constant &input = getConstant(node, 0);
  int32_t to = node.getCastType();
  // This attribute only affects 8-bit floats.
  if (node.getOpset() >= 19)
    node.ignoreAttributes({"saturate"});
  std::optional<DataType> type = toDataType(to);
  if (!type)
    return std::nullopt;
  std::optional<Constant> result = castTo(input, *type, isBoolType(to));
  if (!result)
    return std::nullopt;
  return {{std::move(*result)}};
}

static Evaluation evaluateCastLike(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  DataType type = getConstant(node, 1).getType();
  if (node.getOpset() >= 19)
    node.ignoreAttributes({"saturate"});
  std::optional<Constant> result =
      castTo(getConstant(node, 0), type, node.isBool(1));
  if (!result)
    return std::nullopt;
  return {{std::move(*result)}};
}

void dml::onnx::addElementWiseEvaluators(Evaluators &evaluators) {
  for (StringRef name :
       {"Add", "Sub", "Mul", "Div", "BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    evaluators[name] = evaluateArithmetic;
  for (StringRef name :
       {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"})
    evaluators[name] = evaluateComparison;
  for (StringRef name : {"And", "Or", "Xor", "Not"})
    evaluators[name] = evaluateLogic;
  for (StringRef name : {"Max", "Min", "Sum", "Mean"})
    evaluators[name] = evaluateVariadic;
  for (StringRef name :
       {"Neg",  "Abs",      "Sign",     "Relu",   "BitwiseNot", "Floor",
        "Ceil", "Round",    "Sqrt",     "Exp",    "Reciprocal", "Log",
        "Erf",  "Sin",      "Cos",      "Tan",    "Asin",       "Acos",
        "Atan", "Sinh",     "Cosh",     "Asinh",  "Acosh",      "Atanh",
        "Tanh", "Softplus", "Softsign", "Sigmoid"})
    evaluators[name] = evaluateUnary;
  evaluators["IsNaN"] = evaluateClass;
  evaluators["IsInf"] = evaluateClass;
  evaluators["Mod"] = evaluateMod;
  evaluators["BitShift"] = evaluateBitShift;
  evaluators["Pow"] = evaluatePow;
  evaluators["Clip"] = evaluateClip;
  evaluators["Cast"] = evaluateCast;
  evaluators["CastLike"] = evaluateCastLike;
}
