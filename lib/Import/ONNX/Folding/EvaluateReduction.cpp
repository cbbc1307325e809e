//===- EvaluateReduction.cpp - Elements of many elements ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX does not specify the order in which floats are added. The sums here are
// computed in double and rounded once, and may differ from those of ONNX
// Runtime by a few ulps.
//
//===----------------------------------------------------------------------===//

#include "Folding/Evaluator.h"
#include "Reader/Shapes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The type in which sums of elements of type T are computed.
template <typename T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;

/// Converts a double to an element. For integers, the double has no fraction.
/// It is clamped to the range of the type, and NaN becomes the least integer,
/// as in ONNX Runtime.
template <typename T> static T fromDouble(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr T least = std::numeric_limits<T>::min(),
                greatest = std::numeric_limits<T>::max();
    if (!(value > static_cast<double>(least)))
      return least;
    return value < static_cast<double>(greatest) ? static_cast<T>(value)
                                                 : greatest;
  }
}

namespace {
/// A sum or a product of elements, computed both exactly, with wrap-around, and
/// as a double. An integer result that is out of range is clamped.
template <typename T> struct Total {
  Sum<T> exact;
  double rough;

  void add(T element) {
    exact = addWrapping(exact, static_cast<Sum<T>>(element));
    rough += static_cast<double>(element);
  }
  void addMagnitude(T element) {
    auto value = static_cast<Sum<T>>(element);
    exact =
        value < 0 ? subtractWrapping(exact, value) : addWrapping(exact, value);
    rough += std::abs(static_cast<double>(element));
  }
  void addSquare(T element) {
    auto value = static_cast<Sum<T>>(element);
    exact = addWrapping(exact, multiplyWrapping(value, value));
    rough += static_cast<double>(element) * static_cast<double>(element);
  }
  bool fits() const {
    return std::is_floating_point_v<T> ||
           (rough > static_cast<double>(std::numeric_limits<T>::min()) &&
            rough < static_cast<double>(std::numeric_limits<T>::max()));
  }
  T get() const {
    return fits() ? static_cast<T>(exact) : fromDouble<T>(rough);
  }
};
} // namespace

template <typename T>
static Total<T> total(ArrayRef<T> elements, void (Total<T>::*add)(T)) {
  Total<T> total{0, 0};
  for (T element : elements)
    (total.*add)(element);
  return total;
}

template <typename T> static T reduceSum(ArrayRef<T> elements) {
  return total(elements, &Total<T>::add).get();
}
template <typename T> static T reduceMean(ArrayRef<T> elements) {
  if (elements.empty())
    return 0;
  Total<T> sum = total(elements, &Total<T>::add);
  // If the sum fits into the integer type, it is divided exactly.
  if (std::is_integral_v<T> && sum.fits() &&
      static_cast<int64_t>(elements.size()) <=
          static_cast<double>(std::numeric_limits<T>::max()))
    return static_cast<T>(sum.exact / static_cast<Sum<T>>(elements.size()));
  return fromDouble<T>(sum.rough / static_cast<double>(elements.size()));
}
template <typename T> static T reduceProd(ArrayRef<T> elements) {
  T product = 1;
  double rough = 1;
  for (T element : elements) {
    product = multiplyWrapping(product, element);
    rough *= static_cast<double>(element);
  }
  return Total<T>{static_cast<Sum<T>>(product), rough}.get();
}
template <typename T> static T reduceMax(ArrayRef<T> elements) {
  T result = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                         : std::numeric_limits<T>::lowest();
  for (T element : elements)
    result = getGreater(result, element);
  return result;
}
template <typename T> static T reduceMin(ArrayRef<T> elements) {
  T result = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                         : std::numeric_limits<T>::max();
  for (T element : elements)
    result = getLesser(result, element);
  return result;
}
template <typename T> static T reduceL1(ArrayRef<T> elements) {
  return total(elements, &Total<T>::addMagnitude).get();
}
template <typename T> static T reduceSumSquare(ArrayRef<T> elements) {
  return total(elements, &Total<T>::addSquare).get();
}
template <typename T> static T reduceL2(ArrayRef<T> elements) {
  return fromDouble<T>(std::sqrt(total(elements, &Total<T>::addSquare).rough));
}
template <typename T> static T reduceLogSum(ArrayRef<T> elements) {
  return fromDouble<T>(std::log(total(elements, &Total<T>::add).rough));
}
template <typename T> static T reduceLogSumExp(ArrayRef<T> elements) {
  if (elements.empty())
    return fromDouble<T>(-std::numeric_limits<double>::infinity());
  auto greatest = static_cast<double>(reduceMax(elements));
  if (std::isinf(greatest) || std::isnan(greatest))
    return fromDouble<T>(greatest);
  double total = 0;
  for (T element : elements)
    total += std::exp(static_cast<double>(element) - greatest);
  return fromDouble<T>(std::log(total) + greatest);
}

template <typename T> using Reduce = T (*)(ArrayRef<T>);

template <typename T> static Reduce<T> findReduction(StringRef type) {
  return llvm::StringSwitch<Reduce<T>>(type)
      .Case("ReduceSum", reduceSum<T>)
      .Case("ReduceMean", reduceMean<T>)
      .Case("ReduceProd", reduceProd<T>)
      .Case("ReduceMax", reduceMax<T>)
      .Case("ReduceMin", reduceMin<T>)
      .Case("ReduceL1", reduceL1<T>)
      .Case("ReduceL2", reduceL2<T>)
      .Case("ReduceSumSquare", reduceSumSquare<T>)
      .Case("ReduceLogSum", reduceLogSum<T>)
      .Case("ReduceLogSumExp", reduceLogSumExp<T>)
      .Default(nullptr);
}

/// Returns which of the `rank` dimensions are reduced.
static std::optional<llvm::SmallBitVector> getReduced(NodeReader &node,
                                                      int64_t rank) {
  int64_t inputOpset = node.getNode().opType == "ReduceSum" ? 13 : 18;
  Shape axes;
  bool isNoneNoop = false;
  if (node.getOpset() < inputOpset) {
    axes = node.getInts("axes");
  } else {
    isNoneNoop = node.getInt("noop_with_empty_axes", 0) != 0;
    if (node.hasInput(1)) {
      std::optional<Shape> given = getIntegers(node, 1);
      if (!given)
        return std::nullopt;
      axes = *given;
    }
  }
  // Without axes, each element is reduced separately.
  llvm::SmallBitVector reduced(rank, axes.empty() && !isNoneNoop);
  for (int64_t axis : axes) {
    std::optional<int64_t> dim = findAxis(axis, rank);
    if (!dim || reduced.test(*dim))
      return std::nullopt;
    reduced.set(*dim);
  }
  return reduced;
}

static Evaluation evaluateReduction(NodeReader &node) {
  if (!hasInputs(node, 1, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  ArrayRef<int64_t> from = data.getShape();
  bool keepsDims = node.getInt("keepdims", 1) != 0;
  std::optional<llvm::SmallBitVector> reduced = getReduced(node, from.size());
  if (!reduced)
    return std::nullopt;
  Shape kept(from), shape;
  int64_t length = 1;
  for (auto [dim, size] : llvm::enumerate(from)) {
    if (reduced->test(dim)) {
      kept[dim] = 1;
      length *= size;
    }
    if (keepsDims || !reduced->test(dim))
      shape.push_back(kept[dim]);
  }
  if (!isFoldable(shape))
    return std::nullopt;
  return computeWith(data.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    Reduce<T> reduce = findReduction<T>(node.getNode().opType);
    std::vector<T> elements = getElements<T>(data), sorted(elements.size());
    int64_t count = *countElements(kept);
    SmallVector<int64_t> next(count, 0);
    // Sorts the elements by the results to which they contribute.
    for (auto [index, result] : llvm::enumerate(broadcastIndices(kept, from)))
      sorted[result * length + next[result]++] = elements[index];
    std::vector<T> results;
    for (int64_t result = 0; result < count; ++result)
      results.push_back(
          reduce(ArrayRef<T>(sorted).slice(result * length, length)));
    return one(makeConstant(data.getType(), shape, results));
  });
}

/// Whether `a` is preferred to `b` in a search for the greatest (or the least)
/// element. NaN is preferred to all numbers.
template <typename T> static bool isBefore(T a, T b, bool isMax) {
  if (isNaN(a) || isNaN(b))
    return isNaN(a) && !isNaN(b);
  return isMax ? a > b : a < b;
}

static Evaluation evaluateArg(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  bool isMax = node.getNode().opType == "ArgMax",
       keepsDims = node.getInt("keepdims", 1) != 0,
       isLast = node.getOpset() >= 12 && node.getInt("select_last_index", 0);
  std::optional<int64_t> axis =
      findAxis(node.getInt("axis", 0), data.getShape().size());
  if (!axis || data.getShape()[*axis] == 0)
    return std::nullopt;
  Rows rows(data.getShape(), *axis);
  Shape shape(data.getShape());
  if (keepsDims)
    shape[*axis] = 1;
  else
    shape.erase(shape.begin() + *axis);
  return computeWith(data.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> elements = getElements<T>(data);
    std::vector<int64_t> results;
    for (int64_t row = 0; row < rows.count(); ++row) {
      int64_t best = 0;
      for (int64_t position = 1; position < rows.size; ++position) {
        T held = elements[rows.getIndex(row, best)],
          next = elements[rows.getIndex(row, position)];
        if (isBefore(next, held, isMax) ||
            (isLast && !isBefore(held, next, isMax)))
          best = position;
      }
      results.push_back(best);
    }
    return one(makeConstant(DataType::INT64, shape, results));
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static Evaluation evaluateCumSum(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  std::optional<Shape> given = getIntegers(node, 1);
  bool isExclusive = node.getInt("exclusive", 0) != 0,
       isReverse = node.getInt("reverse", 0) != 0;
  if (!given || given->size() != 1)
    return std::nullopt;
  std::optional<int64_t> axis =
      findAxis(given->front(), data.getShape().size());
  if (!axis)
    return std::nullopt;
  Rows rows(data.getShape(), *axis);
  return computeWith(data.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> elements = getElements<T>(data), results(elements.size());
    for (int64_t row = 0; row < rows.count() && rows.size != 0; ++row) {
      T total = 0;
      for (int64_t step = 0; step < rows.size; ++step) {
        int64_t place =
            rows.getIndex(row, isReverse ? rows.size - 1 - step : step);
        T next = addWrapping(total, elements[place]);
        results[place] = isExclusive ? total : next;
        total = next;
      }
    }
    return one(makeConstant(data.getType(), Shape(data.getShape()), results));
  });
}

/// Returns the number of elements that a TopK selects in each row.
static std::optional<int64_t> getTopCount(NodeReader &node) {
  if (node.getOpset() < 10)
    return node.getInt("k", 0);
  std::optional<Shape> given = getIntegers(node, 1);
  if (!given || given->size() != 1)
    return std::nullopt;
  return given->front();
}

static Evaluation evaluateTopK(NodeReader &node) {
  unsigned numInputs = node.getOpset() < 10 ? 1 : 2;
  if (!hasInputs(node, numInputs, numInputs))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  std::optional<int64_t> count = getTopCount(node);
  bool isLargest = true;
  if (node.getOpset() >= 11) {
    isLargest = node.getInt("largest", 1) != 0;
    // A sorted result is valid in any case.
    node.ignoreAttributes({"sorted"});
  }
  std::optional<int64_t> axis =
      findAxis(node.getInt("axis", -1), data.getShape().size());
  if (!axis || !count || *count < 0 || *count > data.getShape()[*axis])
    return std::nullopt;
  Rows rows(data.getShape(), *axis);
  Shape shape(data.getShape());
  shape[*axis] = *count;
  return computeWith(data.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> elements = getElements<T>(data);
    // ONNX does not specify the order of NaN and numbers.
    if (llvm::any_of(elements, isNaN<T>))
      return std::nullopt;
    std::vector<T> values(*countElements(shape));
    std::vector<int64_t> indices(values.size()), order(rows.size);
    Rows results(shape, *axis);
    for (int64_t row = 0; row < rows.count() && *count != 0; ++row) {
      std::iota(order.begin(), order.end(), 0);
      // Among equal elements, the first one comes first.
      llvm::sort(order, [&](int64_t a, int64_t b) {
        T left = elements[rows.getIndex(row, a)],
          right = elements[rows.getIndex(row, b)];
        return left == right ? a < b : isBefore(left, right, isLargest);
      });
      for (int64_t place = 0; place < *count; ++place) {
        int64_t result = results.getIndex(row, place);
        values[result] = elements[rows.getIndex(row, order[place])];
        indices[result] = order[place];
      }
    }
    SmallVector<Constant> outputs;
    outputs.push_back(makeConstant(data.getType(), shape, values));
    outputs.push_back(makeConstant(DataType::INT64, shape, indices));
    return outputs;
  });
}

namespace {
/// The distinct rows of a tensor: the first position of each, the number of its
/// occurrences, and for each row of the tensor the number of its distinct row.
struct DistinctRows {
  std::vector<int64_t> firsts, inverse, counts;
};
} // namespace

/// Finds the distinct rows. `isLess` compares two rows by their numbers.
static DistinctRows
findDistinct(int64_t count, bool isSorted,
             llvm::function_ref<bool(int64_t, int64_t)> isLess) {
  std::vector<int64_t> order(count), firstOf(count);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return isLess(a, b) || (!isLess(b, a) && a < b);
  });
  DistinctRows distinct;
  for (int64_t place = 0; place < count; ++place) {
    int64_t row = order[place];
    bool isNew = place == 0 || isLess(order[place - 1], row);
    firstOf[row] = isNew ? row : firstOf[order[place - 1]];
    if (isNew)
      distinct.firsts.push_back(row);
  }
  if (!isSorted)
    llvm::sort(distinct.firsts);
  std::vector<int64_t> number(count);
  for (auto [index, row] : llvm::enumerate(distinct.firsts))
    number[row] = static_cast<int64_t>(index);
  distinct.counts.assign(distinct.firsts.size(), 0);
  for (int64_t row = 0; row < count; ++row) {
    distinct.inverse.push_back(number[firstOf[row]]);
    ++distinct.counts[distinct.inverse.back()];
  }
  return distinct;
}

static SmallVector<Constant> listDistinct(const Constant &data, Shape shape,
                                          int64_t axis,
                                          const DistinctRows &distinct) {
  Rows rows(shape, axis);
  auto count = static_cast<int64_t>(distinct.firsts.size());
  shape[axis] = count;
  SmallVector<int64_t> picked;
  for (int64_t outer = 0; outer < rows.outer; ++outer)
    for (int64_t first : distinct.firsts)
      for (int64_t inner = 0; inner < rows.inner; ++inner)
        picked.push_back((outer * rows.size + first) * rows.inner + inner);
  SmallVector<Constant> outputs;
  outputs.push_back(pickIndices(data, shape, picked));
  auto add = [&](const std::vector<int64_t> &list) {
    Shape length = {static_cast<int64_t>(list.size())};
    outputs.push_back(makeConstant(DataType::INT64, length, list));
  };
  add(distinct.firsts);
  add(distinct.inverse);
  add(distinct.counts);
  return outputs;
}

static Evaluation evaluateUnique(NodeReader &node) {
  if (!hasInputs(node, 1, 1))
    return std::nullopt;
  const Constant &data = getConstant(node, 0);
  bool isSorted = node.getInt("sorted", 1) != 0;
  Shape shape(data.getShape());
  std::optional<int64_t> axis = 0;
  if (node.hasAttribute("axis"))
    axis = findAxis(node.getInt("axis", 0), shape.size());
  else
    shape = {data.getNumElements()};
  if (!axis || data.getNumElements() == 0)
    return std::nullopt;
  Rows rows(shape, *axis);
  return computeWith(data.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> elements = getElements<T>(data);
    // Comparing rows takes too long, or an element is NaN, which is not equal
    // to any element.
    if (rows.count() * rows.size * llvm::Log2_64_Ceil(rows.size + 1) >
            node.getMaxSteps() ||
        llvm::any_of(elements, isNaN<T>))
      return std::nullopt;
    auto isLess = [&](int64_t a, int64_t b) {
      for (int64_t row = 0; row < rows.count(); ++row) {
        T left = elements[rows.getIndex(row, a)],
          right = elements[rows.getIndex(row, b)];
        if (left != right)
          return left < right;
      }
      return false;
    };
    return listDistinct(data, shape, *axis,
                        findDistinct(rows.size, isSorted, isLess));
  });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Computes numpy's matrix product. `getA` and `getB` return the elements at
/// the given positions.
template <typename T>
static std::optional<std::pair<Shape, std::vector<T>>>
multiply(Shape a, Shape b, llvm::function_ref<T(int64_t)> getA,
         llvm::function_ref<T(int64_t)> getB) {
  if (a.empty() || b.empty())
    return std::nullopt;
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  int64_t rows = a[a.size() - 2], depth = a.back(), columns = b.back();
  std::optional<Shape> batch =
      broadcastShapes(ArrayRef(a).drop_back(2), ArrayRef(b).drop_back(2));
  if (!batch || b[b.size() - 2] != depth)
    return std::nullopt;
  Shape shape = *batch;
  if (!isRow)
    shape.push_back(rows);
  if (!isColumn)
    shape.push_back(columns);
  int64_t steps;
  if (!isFoldable(shape) ||
      llvm::MulOverflow(*countElements(shape), depth, steps) ||
      steps > maxEvaluationSteps)
    return std::nullopt;
  std::vector<T> results;
  if (*countElements(shape) == 0)
    return std::pair(shape, results);
  for (auto [ofA, ofB] :
       llvm::zip_equal(broadcastIndices(ArrayRef(a).drop_back(2), *batch),
                       broadcastIndices(ArrayRef(b).drop_back(2), *batch)))
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        T total = 0;
        for (int64_t step = 0; step < depth; ++step)
          total = addWrapping(
              total,
              multiplyWrapping(getA((ofA * rows + row) * depth + step),
                               getB((ofB * depth + step) * columns + column)));
        results.push_back(total);
      }
  return std::pair(shape, results);
}

static Evaluation evaluateMatMul(NodeReader &node) {
  if (!hasInputs(node, 2, 2))
    return std::nullopt;
  const Constant &a = getConstant(node, 0), &b = getConstant(node, 1);
  if (a.getType() != b.getType())
    return std::nullopt;
  return computeWith(a.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> left = getElements<T>(a), right = getElements<T>(b);
    std::optional<std::pair<Shape, std::vector<T>>> product = multiply<T>(
        Shape(a.getShape()), Shape(b.getShape()),
        [&](int64_t at) { return left[at]; },
        [&](int64_t at) { return right[at]; });
    if (!product)
      return std::nullopt;
    return one(makeConstant(a.getType(), product->first, product->second));
  });
}

/// Evaluates a Gemm of float matrices: alpha * a * b + beta * c.
static Evaluation evaluateGemm(NodeReader &node) {
  if (node.getOpset() < 7 || !hasInputs(node, 2, 3))
    return std::nullopt;
  const Constant &a = getConstant(node, 0), &b = getConstant(node, 1);
  bool transposesA = node.getInt("transA", 0) != 0,
       transposesB = node.getInt("transB", 0) != 0;
  float alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  Shape ofA(a.getShape()), ofB(b.getShape());
  if (a.getType() != b.getType() || !a.isFloat() || ofA.size() != 2 ||
      ofB.size() != 2)
    return std::nullopt;
  if (transposesA)
    std::swap(ofA[0], ofA[1]);
  if (transposesB)
    std::swap(ofB[0], ofB[1]);
  auto find = [](bool transposes, ArrayRef<int64_t> shape, int64_t index) {
    return transposes ? index % shape[1] * shape[0] + index / shape[1] : index;
  };
  return computeWith(a.getType(), [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    std::vector<T> left = getElements<T>(a), right = getElements<T>(b), bias(1);
    auto product = multiply<T>(
        ofA, ofB, [&](int64_t at) { return left[find(transposesA, ofA, at)]; },
        [&](int64_t at) { return right[find(transposesB, ofB, at)]; });
    Shape ofBias;
    if (node.hasInput(2)) {
      const Constant &c = getConstant(node, 2);
      if (c.getType() != a.getType())
        return std::nullopt;
      ofBias = Shape(c.getShape());
      bias = getElements<T>(c);
    }
    if (!product || broadcastShapes(product->first, ofBias) != product->first)
      return std::nullopt;
    auto &[shape, results] = *product;
    for (auto [index, place] :
         llvm::enumerate(broadcastIndices(ofBias, shape))) {
      results[index] *= static_cast<T>(alpha);
      if (node.hasInput(2))
        results[index] += static_cast<T>(beta) * bias[place];
    }
    return one(makeConstant(a.getType(), shape, results));
  });
}

/// Returns the elements of an 8-bit tensor, minus their zero point. There is a
/// single zero point, or one for each row of `a` or for each column of `b`.
static std::optional<std::vector<int32_t>>
getDifferences(NodeReader &node, unsigned index, bool hasRows) {
  const Constant &data = getConstant(node, index);
  ArrayRef<int64_t> shape = data.getShape();
  if ((data.getType() != DataType::UINT8 && data.getType() != DataType::INT8) ||
      shape.size() < 2)
    return std::nullopt;
  SmallVector<int64_t> elements = data.getIntegers(), points = {0};
  if (node.hasInput(index + 2)) {
    const Constant &zeroPoint = getConstant(node, index + 2);
    points = zeroPoint.getIntegers();
    int64_t count = shape[shape.size() - (hasRows ? 2 : 1)];
    if (zeroPoint.getType() != data.getType() ||
        zeroPoint.getShape().size() > 1 ||
        (points.size() != 1 && static_cast<int64_t>(points.size()) != count))
      return std::nullopt;
  }
  std::vector<int32_t> differences;
  for (auto [place, element] : llvm::enumerate(elements)) {
    int64_t channel = hasRows ? static_cast<int64_t>(place) / shape.back() %
                                    shape[shape.size() - 2]
                              : static_cast<int64_t>(place) % shape.back();
    differences.push_back(static_cast<int32_t>(
        element - points[points.size() == 1 ? 0 : channel]));
  }
  return differences;
}

static Evaluation evaluateMatMulInteger(NodeReader &node) {
  if (!hasInputs(node, 2, 4))
    return std::nullopt;
  auto left = getDifferences(node, 0, /*hasRows=*/true),
       right = getDifferences(node, 1, /*hasRows=*/false);
  if (!left || !right)
    return std::nullopt;
  auto product = multiply<int32_t>(
      Shape(getConstant(node, 0).getShape()),
      Shape(getConstant(node, 1).getShape()),
      [&](int64_t at) { return (*left)[at]; },
      [&](int64_t at) { return (*right)[at]; });
  if (!product)
    return std::nullopt;
  return one(makeConstant(DataType::INT32, product->first, product->second));
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// Returns the number of elements from `start` to `limit` in steps of `step`,
/// if a tensor can have this size. Integers are counted exactly.
template <typename T>
static std::optional<int64_t> countSteps(T start, T limit, T step) {
  if constexpr (std::is_integral_v<T>) {
    if (step == 0)
      return std::nullopt;
    if (start == limit || (start < limit) != (step > 0))
      return 0;
    auto subtract = [](int64_t a, int64_t b) {
      return static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
    };
    uint64_t distance =
        start < limit ? subtract(limit, start) : subtract(start, limit);
    uint64_t stride = step > 0 ? subtract(step, 0) : subtract(0, step);
    uint64_t count = (distance - 1) / stride + 1;
    if (count > UINT32_MAX)
      return std::nullopt;
    return static_cast<int64_t>(count);
  } else {
    double count = std::ceil(static_cast<double>(limit - start) /
                             static_cast<double>(step));
    if (!(count <= UINT32_MAX))
      return std::nullopt;
    return static_cast<int64_t>(std::max(count, 0.0));
  }
}

std::optional<int64_t> dml::onnx::countRange(NodeReader &node) {
  return computeWith(
      getConstant(node, 0).getType(), [&](auto zero) -> std::optional<int64_t> {
        using T = decltype(zero);
        if constexpr (std::is_unsigned_v<T>)
          return std::nullopt;
        else
          return countSteps(getDistinctElements<T>(getConstant(node, 0))[0],
                            getDistinctElements<T>(getConstant(node, 1))[0],
                            getDistinctElements<T>(getConstant(node, 2))[0]);
      });
}

static Evaluation evaluateRange(NodeReader &node) {
  if (!hasInputs(node, 3, 3))
    return std::nullopt;
  DataType type = getConstant(node, 0).getType();
  for (unsigned index = 0; index < 3; ++index)
    if (getConstant(node, index).getType() != type ||
        getConstant(node, index).getNumElements() != 1)
      return std::nullopt;
  std::optional<int64_t> count = countRange(node);
  if (!count || *count > Constant::maxFoldable)
    return std::nullopt;
  return computeWith(type, [&](auto zero) -> Evaluation {
    using T = decltype(zero);
    if constexpr (std::is_unsigned_v<T>) {
      return std::nullopt;
    } else {
      T numbers[3];
      for (unsigned index = 0; index < 3; ++index)
        numbers[index] = getDistinctElements<T>(getConstant(node, index))[0];
      std::vector<T> elements;
      for (int64_t index = 0; index < *count; ++index)
        elements.push_back(static_cast<T>(addWrapping<Sum<T>>(
            numbers[0],
            multiplyWrapping<Sum<T>>(static_cast<T>(index), numbers[2]))));
      return one(makeConstant(type, {*count}, elements));
    }
  });
}

/// Evaluates a window function: the weighted sum of 1, -cos(2 pi i / n) and
/// cos(4 pi i / n).
static Evaluation evaluateWindow(NodeReader &node) {
  std::optional<Shape> size;
  if (hasInputs(node, 1, 1))
    size = getIntegers(node, 0);
  std::optional<DataType> type =
      toDataType(static_cast<int32_t>(node.getInt("output_datatype", 1)));
  bool isPeriodic = node.getInt("periodic", 1) != 0;
  if (!size || size->size() != 1 || !type || isFourBits(*type) ||
      size->front() < 0 || size->front() > Constant::maxFoldable)
    return std::nullopt;
  using Weights = std::array<double, 3>;
  auto weights = llvm::StringSwitch<Weights>(node.getNode().opType)
                     .Case("HannWindow", {0.5, 0.5, 0})
                     .Case("HammingWindow", {25.0 / 46, 21.0 / 46, 0})
                     .Default({0.42, 0.5, 0.08});
  int64_t count = size->front();
  // A symmetric window ends with its first element.
  auto period = static_cast<double>(isPeriodic ? count : count - 1);
  SmallVector<double> elements;
  for (int64_t index = 0; index < count; ++index) {
    double angle = 2 * llvm::numbers::pi * static_cast<double>(index) / period;
    elements.push_back(weights[0] - weights[1] * std::cos(angle) +
                       weights[2] * std::cos(2 * angle));
  }
  return one(Constant::get(*type, {count}, ArrayRef<double>(elements)));
}

void dml::onnx::addReductionEvaluators(Evaluators &evaluators) {
  for (StringRef name : {"ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax",
                         "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare",
                         "ReduceLogSum", "ReduceLogSumExp"})
    evaluators[name] = evaluateReduction;
  evaluators["ArgMax"] = evaluateArg;
  evaluators["ArgMin"] = evaluateArg;
  evaluators["CumSum"] = evaluateCumSum;
  evaluators["TopK"] = evaluateTopK;
  evaluators["Unique"] = evaluateUnique;
  evaluators["MatMul"] = evaluateMatMul;
  evaluators["MatMulInteger"] = evaluateMatMulInteger;
  evaluators["Gemm"] = evaluateGemm;
  evaluators["Range"] = evaluateRange;
  for (StringRef name : {"HannWindow", "HammingWindow", "BlackmanWindow"})
    evaluators[name] = evaluateWindow;
}
