//===- ShapeArithmetic.cpp - Shapes, views, and what models do with them --===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Exporters write the arithmetic of sizes as nodes. With the sizes known, these
// nodes have known elements, and what depends on them, such as the shape of a
// Reshape, is known too.
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

//===----------------------------------------------------------------------===//
// Elements that are known
//===----------------------------------------------------------------------===//

/// Calls `function` with the coordinates of every element, in order.
static void forEach(ArrayRef<int64_t> shape,
                    llvm::function_ref<void(ArrayRef<int64_t>)> function) {
  int64_t count = *countElements(shape);
  Shape coordinates(shape.size(), 0);
  for (int64_t index = 0; index < count; ++index) {
    function(coordinates);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++coordinates[dim] < shape[dim])
        break;
      coordinates[dim] = 0;
    }
  }
}

/// The element of a tensor of `shape` that is read at `coordinates` of a tensor
/// that it is broadcast to.
static int64_t getIndex(ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> coordinates) {
  int64_t index = 0;
  size_t offset = coordinates.size() - shape.size();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    index =
        index * shape[dim] + (shape[dim] == 1 ? 0 : coordinates[offset + dim]);
  return index;
}

Constant
dml::onnx::pickElements(const Constant &constant, Shape shape,
                        llvm::function_ref<Shape(ArrayRef<int64_t>)> pick) {
  auto collect = [&](auto elements) {
    decltype(elements) picked;
    forEach(shape, [&](ArrayRef<int64_t> coordinates) {
      picked.push_back(
          elements[getIndex(constant.getShape(), pick(coordinates))]);
    });
    return Constant::get(constant.getType(), shape, ArrayRef(picked));
  };
  return constant.isFloat() ? collect(constant.getFloats())
                            : collect(constant.getIntegers());
}

/// The result of an integer operation, or nothing where it has none.
template <typename T>
static std::optional<T> compute(StringRef type, T a, T b) {
  constexpr bool isInteger = std::is_integral_v<T>;
  // Integers wrap around, as they do on devices.
  auto wrap = [&](auto function) {
    if constexpr (isInteger)
      return static_cast<T>(
          function(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
    else
      return function(a, b);
  };
  if (type == "Add")
    return wrap([](auto x, auto y) { return x + y; });
  if (type == "Sub")
    return wrap([](auto x, auto y) { return x - y; });
  if (type == "Mul")
    return wrap([](auto x, auto y) { return x * y; });
  if (type == "Min")
    return std::min(a, b);
  if (type == "Max")
    return std::max(a, b);
  if (type == "Div" || type == "Mod") {
    if constexpr (isInteger) {
      if (b == 0 || (a == std::numeric_limits<T>::min() && b == -1))
        return std::nullopt;
      if (type == "Div")
        return a / b;
      T rest = a % b;
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else {
      return type == "Div" ? std::optional<T>(a / b) : std::nullopt;
    }
  }
  return std::nullopt;
}

template <typename T>
static std::optional<bool> compare(StringRef type, T a, T b) {
  return llvm::StringSwitch<std::optional<bool>>(type)
      .Case("Equal", a == b)
      .Case("Greater", a > b)
      .Case("Less", a < b)
      .Case("GreaterOrEqual", a >= b)
      .Case("LessOrEqual", a <= b)
      .Case("And", a != 0 && b != 0)
      .Case("Or", a != 0 || b != 0)
      .Case("Xor", (a != 0) != (b != 0))
      .Default(std::nullopt);
}

static std::optional<Constant> foldBinary(NodeImporter &node) {
  const Constant &a = *node.getInput(0).constant,
                 &b = *node.getInput(1).constant;
  std::optional<Shape> shape = broadcastShapes(a.getShape(), b.getShape());
  if (!shape || a.getType() != b.getType() || !countElements(*shape) ||
      *countElements(*shape) > Constant::maxFoldable)
    return std::nullopt;
  StringRef type = node.getNode().opType;
  // Shapes that broadcast in another way are left to the operator.
  if (node.getOpset() < 7 && a.getShape() != b.getShape())
    return std::nullopt;
  // C's remainder is what fmod asks for.
  if (type == "Mod" && node.getInt("fmod", 0) != 0)
    return std::nullopt;
  auto run = [&](auto lhs, auto rhs) -> std::optional<Constant> {
    decltype(lhs) results;
    SmallVector<int64_t> truths;
    bool ok = true;
    forEach(*shape, [&](ArrayRef<int64_t> at) {
      auto x = lhs[getIndex(a.getShape(), at)],
           y = rhs[getIndex(b.getShape(), at)];
      if (auto result = compute(type, x, y))
        results.push_back(*result);
      else if (auto truth = compare(type, x, y))
        truths.push_back(*truth);
      else
        ok = false;
    });
    if (!ok)
      return std::nullopt;
    if (!truths.empty())
      return Constant::get(DataType::UINT8, *shape, ArrayRef(truths));
    return Constant::get(a.getType(), *shape, ArrayRef(results));
  };
  return a.isFloat() ? run(a.getFloats(), b.getFloats())
                     : run(a.getIntegers(), b.getIntegers());
}

static std::optional<Constant> foldUnary(NodeImporter &node) {
  const Constant &input = *node.getInput(0).constant;
  Shape shape(input.getShape());
  StringRef type = node.getNode().opType;
  if (type == "Not") {
    SmallVector<int64_t> results;
    for (int64_t x : input.getIntegers())
      results.push_back(x == 0);
    return Constant::get(input.getType(), shape, ArrayRef(results));
  }
  if (!input.isFloat()) {
    SmallVector<int64_t> results;
    for (int64_t x : input.getIntegers()) {
      auto negated = static_cast<int64_t>(0 - static_cast<uint64_t>(x));
      if (type == "Neg")
        results.push_back(negated);
      else if (type == "Abs")
        results.push_back(x < 0 ? negated : x);
      else
        return std::nullopt;
    }
    return Constant::get(input.getType(), shape, ArrayRef(results));
  }
  SmallVector<double> results;
  for (double x : input.getFloats()) {
    if (type == "Neg")
      results.push_back(-x);
    else if (type == "Abs")
      results.push_back(std::abs(x));
    else if (type == "Floor")
      results.push_back(std::floor(x));
    else if (type == "Ceil")
      results.push_back(std::ceil(x));
    else if (type == "Sqrt")
      results.push_back(std::sqrt(x));
    else
      return std::nullopt;
  }
  return Constant::get(input.getType(), shape, ArrayRef(results));
}

static std::optional<Constant> foldCast(NodeImporter &node) {
  const Constant &input = *node.getInput(0).constant;
  int64_t to = node.getInt("to", 0);
  std::optional<DataType> type = toDataType(static_cast<int32_t>(to));
  if (!type || isFourBits(*type))
    return std::nullopt;
  Shape shape(input.getShape());
  constexpr int64_t boolean = 9;
  if (to == boolean) {
    SmallVector<int64_t> truths;
    for (double x : input.getFloats())
      truths.push_back(x != 0);
    return Constant::get(*type, shape, ArrayRef(truths));
  }
  return input.isFloat()
             ? Constant::get(*type, shape, ArrayRef(input.getFloats()))
             : Constant::get(*type, shape, ArrayRef(input.getIntegers()));
}

static std::optional<Constant> foldGather(NodeImporter &node) {
  const Constant &data = *node.getInput(0).constant,
                 &indices = *node.getInput(1).constant;
  auto rank = static_cast<int64_t>(data.getShape().size());
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), std::max<int64_t>(rank, 1));
  if (failed(axis) || rank == 0 || indices.isFloat())
    return std::nullopt;
  Shape shape(data.getShape().take_front(*axis));
  shape.append(indices.getShape().begin(), indices.getShape().end());
  ArrayRef<int64_t> rest = data.getShape().drop_front(*axis + 1);
  shape.append(rest.begin(), rest.end());
  std::optional<int64_t> count = countElements(shape);
  if (!count || *count > Constant::maxFoldable)
    return std::nullopt;
  int64_t size = data.getShape()[*axis];
  SmallVector<int64_t> at = indices.getIntegers();
  for (int64_t &index : at) {
    if (index < 0)
      index += size;
    if (index < 0 || index >= size) {
      (void)node.reject("index " + Twine(index) + " is outside of the " +
                        Twine(size) + " elements of its axis");
      return std::nullopt;
    }
  }
  size_t indexRank = indices.getShape().size();
  return pickElements(data, shape, [&](ArrayRef<int64_t> coordinates) {
    Shape from(coordinates.take_front(*axis));
    from.push_back(
        at[getIndex(indices.getShape(), coordinates.slice(*axis, indexRank))]);
    ArrayRef<int64_t> tail = coordinates.drop_front(*axis + indexRank);
    from.append(tail.begin(), tail.end());
    return from;
  });
}

static std::optional<Constant> foldConcat(NodeImporter &node) {
  const Constant &first = *node.getInput(0).constant;
  FailureOr<int64_t> axis = node.normalizeAxis(
      node.getInt("axis", 0), std::max<int64_t>(first.getShape().size(), 1));
  // Lists of sizes have one dimension.
  if (failed(axis) || first.getShape().size() != 1)
    return std::nullopt;
  auto run = [&](auto get) -> std::optional<Constant> {
    auto all = get(first);
    for (unsigned index = 1; index < node.getNumInputs(); ++index) {
      if (!node.hasInput(index))
        return std::nullopt;
      const Constant &next = *node.getInput(index).constant;
      if (next.getType() != first.getType() || next.getShape().size() != 1)
        return std::nullopt;
      all.append(get(next));
    }
    return Constant::get(first.getType(), {static_cast<int64_t>(all.size())},
                         ArrayRef(all));
  };
  return first.isFloat()
             ? run([](const Constant &c) { return c.getFloats(); })
             : run([](const Constant &c) { return c.getIntegers(); });
}

static std::optional<Constant> foldWhere(NodeImporter &node) {
  const Constant &condition = *node.getInput(0).constant,
                 &a = *node.getInput(1).constant,
                 &b = *node.getInput(2).constant;
  std::optional<Shape> shape = broadcastShapes(a.getShape(), b.getShape());
  if (shape)
    shape = broadcastShapes(*shape, condition.getShape());
  if (!shape || a.getType() != b.getType() || !countElements(*shape) ||
      *countElements(*shape) > Constant::maxFoldable)
    return std::nullopt;
  SmallVector<int64_t> truths = condition.getIntegers();
  auto run = [&](auto lhs, auto rhs) {
    decltype(lhs) results;
    forEach(*shape, [&](ArrayRef<int64_t> at) {
      results.push_back(truths[getIndex(condition.getShape(), at)]
                            ? lhs[getIndex(a.getShape(), at)]
                            : rhs[getIndex(b.getShape(), at)]);
    });
    return Constant::get(a.getType(), *shape, ArrayRef(results));
  };
  return a.isFloat() ? run(a.getFloats(), b.getFloats())
                     : run(a.getIntegers(), b.getIntegers());
}

static std::optional<Constant> foldReduceProd(NodeImporter &node) {
  const Constant &input = *node.getInput(0).constant;
  // The number of elements of a shape.
  if (input.isFloat() || input.getShape().size() != 1 ||
      node.getNumInputs() > 1)
    return std::nullopt;
  uint64_t product = 1;
  for (int64_t x : input.getIntegers())
    product *= static_cast<uint64_t>(x);
  Shape shape;
  if (node.getInt("keepdims", 1))
    shape.push_back(1);
  auto value = static_cast<int64_t>(product);
  return Constant::get(input.getType(), shape, ArrayRef(value));
}

static std::optional<Constant> foldExpand(NodeImporter &node) {
  const Constant &input = *node.getInput(0).constant;
  SmallVector<int64_t> sizes = node.getInput(1).constant->getIntegers();
  std::optional<Shape> shape = broadcastShapes(input.getShape(), sizes);
  if (!shape || !countElements(*shape))
    return std::nullopt;
  if (input.isSplat())
    return input.splat(*shape);
  if (*countElements(*shape) > Constant::maxFoldable)
    return std::nullopt;
  return pickElements(input, *shape, [&](ArrayRef<int64_t> coordinates) {
    return Shape(coordinates.take_back(input.getShape().size()));
  });
}

std::optional<Constant> dml::onnx::foldNode(NodeImporter &node) {
  using Fold = std::optional<Constant> (*)(NodeImporter &);
  struct Row {
    Fold fold;
    unsigned minInputs;
  };
  static const llvm::StringMap<Row> rows = {
      {"Add", {foldBinary, 2}},         {"Sub", {foldBinary, 2}},
      {"Mul", {foldBinary, 2}},         {"Div", {foldBinary, 2}},
      {"Mod", {foldBinary, 2}},         {"Min", {foldBinary, 2}},
      {"Max", {foldBinary, 2}},         {"Equal", {foldBinary, 2}},
      {"Greater", {foldBinary, 2}},     {"Less", {foldBinary, 2}},
      {"And", {foldBinary, 2}},         {"Or", {foldBinary, 2}},
      {"Xor", {foldBinary, 2}},         {"GreaterOrEqual", {foldBinary, 2}},
      {"LessOrEqual", {foldBinary, 2}}, {"Neg", {foldUnary, 1}},
      {"Abs", {foldUnary, 1}},          {"Floor", {foldUnary, 1}},
      {"Ceil", {foldUnary, 1}},         {"Sqrt", {foldUnary, 1}},
      {"Not", {foldUnary, 1}},          {"Cast", {foldCast, 1}},
      {"Gather", {foldGather, 2}},      {"Concat", {foldConcat, 1}},
      {"Where", {foldWhere, 3}},        {"ReduceProd", {foldReduceProd, 1}},
      {"Expand", {foldExpand, 2}},
  };
  auto row = rows.find(node.getNode().opType);
  if (row == rows.end() || !node.getNode().domain.empty())
    return std::nullopt;
  for (unsigned index = 0; index < row->second.minInputs; ++index)
    if (!node.hasInput(index))
      return std::nullopt;
  // Min and Max take any number of inputs, which the table has no row for.
  if (row->second.fold == foldBinary && node.getNumInputs() != 2)
    return std::nullopt;
  return row->second.fold(node);
}

//===----------------------------------------------------------------------===//
// Operators that have a known result
//===----------------------------------------------------------------------===//

static LogicalResult importShape(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  node.ignoreInput(0);
  const Shape &shape = node.getShape(0);
  auto rank = static_cast<int64_t>(shape.size());
  auto clamp = [&](int64_t x) {
    return std::clamp<int64_t>(x < 0 ? x + rank : x, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = std::max(clamp(node.getInt("end", rank)), start);
  ArrayRef<int64_t> sizes = ArrayRef(shape).slice(start, end - start);
  return node.set(0, Constant::get(DataType::INT64, {end - start}, sizes));
}

static LogicalResult importSize(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  node.ignoreInput(0);
  int64_t count = *countElements(node.getShape(0));
  return node.set(0, Constant::get(DataType::INT64, {}, ArrayRef(count)));
}

static LogicalResult importConstant(NodeImporter &node) {
  if (const AttributeProto *value = node.getAttribute("value");
      value && value->t) {
    llvm::Expected<Constant> constant = node.readTensor(*value->t);
    if (!constant)
      return node.reject(llvm::toString(constant.takeError()));
    return node.set(0, std::move(*constant));
  }
  if (node.hasAttribute("value_int")) {
    int64_t value = node.getInt("value_int", 0);
    return node.set(0, Constant::get(DataType::INT64, {}, ArrayRef(value)));
  }
  if (node.hasAttribute("value_float")) {
    double value = node.getFloat("value_float", 0);
    return node.set(0, Constant::get(DataType::FLOAT32, {}, ArrayRef(value)));
  }
  if (node.hasAttribute("value_ints")) {
    Shape values = node.getInts("value_ints");
    return node.set(0, Constant::get(DataType::INT64,
                                     {static_cast<int64_t>(values.size())},
                                     ArrayRef<int64_t>(values)));
  }
  if (const AttributeProto *values = node.getAttribute("value_floats")) {
    SmallVector<double> numbers(values->floats.begin(), values->floats.end());
    return node.set(0, Constant::get(DataType::FLOAT32,
                                     {static_cast<int64_t>(numbers.size())},
                                     ArrayRef(numbers)));
  }
  return node.reject("its value is no dense tensor of numbers");
}

static LogicalResult importConstantOfShape(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  FailureOr<Shape> shape = node.getIntegers(0, "the sizes");
  if (failed(shape))
    return failure();
  if (!countElements(*shape))
    return node.reject("its shape is " + describeShape(*shape) +
                       ", but wanted are at most 2^32 - 1 elements");
  double zero = 0;
  Constant value = Constant::get(DataType::FLOAT32, {1}, ArrayRef(zero));
  if (const AttributeProto *attribute = node.getAttribute("value")) {
    if (!attribute->t)
      return node.reject("its attribute value is no tensor");
    llvm::Expected<Constant> given = node.readTensor(*attribute->t);
    if (!given)
      return node.reject(llvm::toString(given.takeError()));
    if (given->getNumElements() != 1)
      return node.reject("its value has the shape " +
                         describeShape(given->getShape()) +
                         ", but wanted is one number");
    value = std::move(*given);
  }
  if (*countElements(*shape) == 0)
    return node.set(0, Constant(value.getType(), *shape, {}, nullptr));
  return node.set(0, value.splat(*shape));
}

/// A window of a signal: the weights of 1, -cos(2 pi i / n) and cos(4 pi i /
/// n).
static LogicalResult importWindow(NodeImporter &node,
                                  ArrayRef<double> weights) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  FailureOr<double> size = node.getNumber(0, "the size");
  if (failed(size))
    return failure();
  int64_t number = node.getInt("output_datatype", 1);
  std::optional<DataType> type = toDataType(static_cast<int32_t>(number));
  if (!type)
    return node.reject("its output_datatype is " +
                       describeONNXType(static_cast<int32_t>(number)) +
                       ", which no DirectML tensor has");
  if (!(*size >= 0 && *size <= static_cast<double>(Constant::maxFoldable)))
    return node.reject("its size is " + std::to_string(*size) +
                       ", but wanted is 0 to " + Twine(Constant::maxFoldable));
  auto count = static_cast<int64_t>(*size);
  // A symmetric window ends with the element that it begins with.
  double period = node.getInt("periodic", 1) != 0 ? *size : *size - 1;
  SmallVector<double> elements;
  for (int64_t index = 0; index < count; ++index) {
    double angle = 2 * llvm::numbers::pi * static_cast<double>(index) / period;
    elements.push_back(weights[0] - weights[1] * std::cos(angle) +
                       weights[2] * std::cos(2 * angle));
  }
  return node.set(0, Constant::get(*type, {count}, ArrayRef<double>(elements)));
}

/// Coordinates of elements that are not 0, of which only constants have a known
/// number.
static LogicalResult importNonZero(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  const std::optional<Constant> &constant = node.getInput(0).constant;
  if (node.getShape(0).empty())
    return node.reject("its input is a scalar, which has no coordinates");
  if (!constant || !constant->isFoldable())
    return node.reject("its elements are computed when the model runs, but the "
                       "shape of its result depends on them");
  SmallVector<double> elements = constant->getFloats();
  auto rank = static_cast<int64_t>(constant->getShape().size());
  SmallVector<Shape> rows(rank);
  int64_t index = 0, count = 0;
  forEach(constant->getShape(), [&](ArrayRef<int64_t> coordinates) {
    if (elements[index++] == 0)
      return;
    ++count;
    for (auto [row, coordinate] : llvm::zip_equal(rows, coordinates))
      row.push_back(coordinate);
  });
  SmallVector<int64_t> all;
  for (const Shape &row : rows)
    all.append(row);
  return node.set(
      0, Constant::get(DataType::INT64, {rank, count}, ArrayRef<int64_t>(all)));
}

/// The number of elements of a Range, or nothing where that is beyond those of
/// a tensor. Integers are counted exactly.
static std::optional<int64_t>
countRange(const Constant &start, const Constant &limit, const Constant &step) {
  if (start.isFloat()) {
    double first = start.getFloats()[0], delta = step.getFloats()[0],
           distance = limit.getFloats()[0] - first;
    // ONNX subtracts in the type of the operands.
    if (start.getType() == DataType::FLOAT32)
      distance = static_cast<float>(distance);
    double count = std::ceil(distance / delta);
    if (!(count <= UINT32_MAX))
      return std::nullopt;
    return static_cast<int64_t>(std::max(count, 0.0));
  }
  int64_t first = start.getIntegers()[0], last = limit.getIntegers()[0],
          delta = step.getIntegers()[0];
  if (delta == 0 || first == last || (first < last) != (delta > 0))
    return delta == 0 ? std::nullopt : std::optional<int64_t>(0);
  auto subtract = [](int64_t a, int64_t b) {
    return static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
  };
  uint64_t distance =
               first < last ? subtract(last, first) : subtract(first, last),
           stride =
               delta > 0 ? static_cast<uint64_t>(delta) : subtract(0, delta);
  uint64_t count = (distance - 1) / stride + 1;
  if (count > UINT32_MAX)
    return std::nullopt;
  return static_cast<int64_t>(count);
}

/// The elements of a Range, few enough to be computed here.
static Constant computeRange(const Constant &start, const Constant &step,
                             int64_t count) {
  DataType type = start.getType();
  if (start.isFloat()) {
    double first = start.getFloats()[0], delta = step.getFloats()[0];
    SmallVector<double> elements;
    for (int64_t index = 0; index < count; ++index)
      elements.push_back(first + static_cast<double>(index) * delta);
    return Constant::get(type, {count}, ArrayRef<double>(elements));
  }
  auto first = static_cast<uint64_t>(start.getIntegers()[0]),
       stride = static_cast<uint64_t>(step.getIntegers()[0]);
  SmallVector<int64_t> elements;
  for (int64_t index = 0; index < count; ++index)
    elements.push_back(static_cast<int64_t>(first + index * stride));
  return Constant::get(type, {count}, ArrayRef<int64_t>(elements));
}

static LogicalResult importRange(NodeImporter &node) {
  if (failed(node.wantInputs(3, 3)))
    return failure();
  static constexpr StringLiteral names[] = {"the start", "the limit",
                                            "the step"};
  for (unsigned index = 0; index < 3; ++index) {
    if (failed(node.getNumber(index, names[index])))
      return failure();
    if (node.getType(index) != node.getType(0))
      return node.reject(names[index] +
                         " has another element type than the start");
  }
  auto get = [&](unsigned index) -> const Constant & {
    return *node.getInput(index).constant;
  };
  auto describe = [&](unsigned index) {
    return get(index).isFloat() ? describeNumber(get(index).getFloats()[0])
                                : std::to_string(get(index).getIntegers()[0]);
  };
  std::optional<int64_t> count = countRange(get(0), get(1), get(2));
  if (!count)
    return node.reject("it goes from " + describe(0) + " to " + describe(1) +
                       " in steps of " + describe(2) +
                       ", but wanted are at most 2^32 - 1 elements");
  if (*count <= Constant::maxFoldable)
    return node.set(0, computeRange(get(0), get(2), *count));
  Shape shape = {*count};
  return node.set(
      0,
      node.build("fill_value_sequence", {},
                 {getScalar(node, "value_start", get(0)),
                  getScalar(node, "value_delta", get(2))},
                 node.getTensorType(toPhysical(shape), node.getType(0))),
      shape);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static LogicalResult importReshape(NodeImporter &node) {
  bool hasInput = node.getOpset() >= 5;
  if (failed(node.wantInputs(hasInput ? 2 : 1, hasInput ? 2 : 1)))
    return failure();
  FailureOr<Shape> shape = hasInput ? node.getIntegers(1, "the sizes")
                                    : FailureOr<Shape>(node.getInts("shape"));
  if (failed(shape))
    return failure();
  const Shape &from = node.getShape(0);
  std::optional<size_t> inferred;
  int64_t known = 1;
  for (auto [dim, size] : llvm::enumerate(*shape)) {
    if (size == 0 && node.getInt("allowzero", 0) == 0 && dim < from.size())
      size = from[dim];
    if (size == -1 && !inferred)
      inferred = dim;
    else if (size < 0 || size > UINT32_MAX ||
             llvm::MulOverflow(known, size, known))
      return node.reject("its shape is " + describeShape(*shape) +
                         ", but wanted are sizes and at most one -1");
  }
  if (inferred) {
    if (known == 0 || *countElements(from) % known != 0)
      return node.reject("it shows " + describeShape(from) + " as " +
                         describeShape(*shape) +
                         ", which cannot have as many elements");
    (*shape)[*inferred] = *countElements(from) / known;
  }
  return node.setView(0, 0, *shape);
}

static LogicalResult importFlatten(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  ArrayRef<int64_t> shape = node.getShape(0);
  auto rank = static_cast<int64_t>(shape.size());
  // The axis may also stand behind the last dimension.
  FailureOr<int64_t> axis = node.getInt("axis", 1);
  if (*axis != rank)
    axis = node.normalizeAxis(*axis, rank);
  if (failed(axis))
    return failure();
  return node.setView(0, 0,
                      {*countElements(shape.take_front(*axis)),
                       *countElements(shape.drop_front(*axis))});
}

/// The axes of an operator: an attribute, from opset 13 on an input.
static FailureOr<Shape> getAxes(NodeImporter &node, int64_t rank) {
  Shape axes = node.getInts("axes");
  if (node.hasInput(1)) {
    FailureOr<Shape> given = node.getIntegers(1, "the axes");
    if (failed(given))
      return failure();
    axes = *given;
  }
  for (int64_t &axis : axes) {
    FailureOr<int64_t> normal = node.normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    axis = *normal;
  }
  return axes;
}

static LogicalResult importSqueeze(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  const Shape &from = node.getShape(0);
  FailureOr<Shape> axes = getAxes(node, from.size());
  if (failed(axes))
    return failure();
  bool all = axes->empty();
  Shape shape;
  for (auto [dim, size] : llvm::enumerate(from)) {
    bool listed = llvm::is_contained(*axes, static_cast<int64_t>(dim));
    if (listed && size != 1)
      return node.reject("dimension " + Twine(dim) + " has size " +
                         Twine(size) + ", but wanted is 1");
    if (!listed && !(all && size == 1))
      shape.push_back(size);
  }
  return node.setView(0, 0, shape);
}

static LogicalResult importUnsqueeze(NodeImporter &node) {
  if (failed(node.wantInputs(1, 2)))
    return failure();
  const Shape &from = node.getShape(0);
  size_t count = node.hasInput(1) ? *countElements(node.getShape(1))
                                  : node.getInts("axes").size();
  if (count > 8)
    return node.reject("it adds " + Twine(count) +
                       " dimensions, but DirectML's tensors have at most 8");
  size_t rank = from.size() + count;
  FailureOr<Shape> axes = getAxes(node, rank);
  if (failed(axes))
    return failure();
  Shape shape;
  const auto *next = from.begin();
  for (size_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(*axes, static_cast<int64_t>(dim)))
      shape.push_back(1);
    else if (next != from.end())
      shape.push_back(*next++);
    else
      return node.reject("an axis stands twice");
  }
  return node.setView(0, 0, shape);
}

static LogicalResult importIdentity(NodeImporter &node) {
  if (failed(node.wantInputs(1, 1)))
    return failure();
  return node.setView(0, 0, node.getShape(0));
}

static LogicalResult importDropout(NodeImporter &node) {
  if (failed(node.wantInputs(1, 3)))
    return failure();
  bool isTraining = node.getOpset() < 7 && node.getInt("is_test", 0) == 0;
  if (node.hasInput(2)) {
    FailureOr<double> training = node.getNumber(2, "the training mode");
    if (failed(training))
      return failure();
    isTraining = *training != 0;
  }
  // Training that drops nothing is inference.
  if (isTraining && node.hasInput(1)) {
    FailureOr<double> ratio = node.getNumber(1, "the ratio");
    if (failed(ratio))
      return failure();
    isTraining = *ratio != 0;
  }
  // What inference does not look at.
  node.ignoreAttributes({"ratio", "seed"});
  node.ignoreInput(1);
  if (isTraining)
    return node.reject("its training mode is on, but wanted is inference");
  const Shape &shape = node.getShape(0);
  if (node.hasOutput(1)) {
    if (node.getOpset() < 12)
      return node.reject("its mask is read, which ONNX leaves open before "
                         "opset 12");
    Constant one = Constant::get(DataType::UINT8, {1}, ArrayRef<int64_t>(1));
    if (failed(node.set(1, one.splat(shape))))
      return failure();
  }
  return node.setView(0, 0, shape);
}

void dml::onnx::addShapeOperators(Registry &registry) {
  registry.add("Shape", "computed by the importer", importShape);
  registry.add("Size", "computed by the importer", importSize);
  registry.add("Constant", "a constant", importConstant);
  registry.add("ConstantOfShape", "a constant", importConstantOfShape);
  auto addWindow = [&](StringRef name, std::array<double, 3> weights) {
    registry.add(name, "computed by the importer", [=](NodeImporter &node) {
      return importWindow(node, weights);
    });
  };
  addWindow("HannWindow", {0.5, 0.5, 0});
  addWindow("HammingWindow", {25.0 / 46, 21.0 / 46, 0});
  addWindow("BlackmanWindow", {0.42, 0.5, 0.08});
  registry.add("NonZero", "computed by the importer", importNonZero);
  registry.add("Range", "FILL_VALUE_SEQUENCE", importRange);
  registry.add("Reshape", "a view", importReshape);
  registry.add("Flatten", "a view", importFlatten);
  registry.add("Squeeze", "a view", importSqueeze);
  registry.add("Unsqueeze", "a view", importUnsqueeze);
  registry.add("Identity", "a view", importIdentity);
  registry.add("Dropout", "a view", importDropout);
}
