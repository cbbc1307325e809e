//===- ContractionOps.cpp - Sums of products ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "Arithmetic/Places.h"
#include "Arithmetic/Sets.h"
#include "Arithmetic/Sums.h"
#include "Operators/ElementWiseRows.h"
#include "Operators/SoftmaxOps.h"

using namespace mlir;

namespace dml::reference {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {
/// An integer that is known within bounds. 8-bit integers, their differences,
/// and sums of their products fit into 64 bits.
struct Range {
  int64_t value = 0, low = 0, high = 0;

  static Range load(const Estimate &tensor, int64_t index) {
    auto get = [&](const Tensor &part) {
      return static_cast<int64_t>(part.getInteger(index));
    };
    return {get(tensor.value), get(tensor.lower), get(tensor.upper)};
  }

  Range operator+(Range other) const {
    return {value + other.value, low + other.low, high + other.high};
  }
  Range operator-(Range other) const {
    return {value - other.value, low - other.high, high - other.low};
  }
  Range operator*(Range other) const {
    auto [least, most] = std::minmax({low * other.low, low * other.high,
                                      high * other.low, high * other.high});
    return {value * other.value, least, most};
  }

  /// Returns the integer wrapped to 32 bits.
  Range wrap() const {
    int64_t wrapped = static_cast<int32_t>(static_cast<uint32_t>(value));
    if (low == high)
      return {wrapped, wrapped, wrapped};
    if (low >= INT32_MIN && high <= INT32_MAX)
      return *this;
    return {wrapped, INT32_MIN, INT32_MAX};
  }
  void store(Estimate &tensor, int64_t index) const {
    tensor.value.setInteger(index, value);
    tensor.lower.setInteger(index, low);
    tensor.upper.setInteger(index, high);
  }
  Interval toInterval() const {
    return Interval::around(static_cast<float>(value), static_cast<double>(low),
                            static_cast<double>(high), 0);
  }
};

class RangeSum {
public:
  RangeSum() { ArithmeticLog::noteIntegerSum(32); }
  void add(Range x) { total = total + x; }
  Range get() const { return total; }

private:
  Range total;
};

template <typename Number>
using SumOf = std::conditional_t<std::is_same_v<Number, Range>, RangeSum, Sum>;
} // namespace

/// Returns element `index` of `tensor`, minus element `zeroIndex` of `zero` if
/// that is not null.
template <typename Number>
static Number loadFactor(const Estimate &tensor, int64_t index,
                         const Estimate *zero, int64_t zeroIndex) {
  if constexpr (std::is_same_v<Number, Range>) {
    Range element = Range::load(tensor, index);
    return zero ? element - Range::load(*zero, zeroIndex) : element;
  } else {
    return loadDifference(tensor, index, zero, zeroIndex);
  }
}

/// Returns the index of the scale or zero point for `coordinate`.
static int64_t getParameterIndex(const Estimate &parameter,
                                 int64_t coordinate) {
  return parameter.value.getNumElements() == 1 ? 0 : coordinate;
}

/// Returns the scale or zero point for `coordinate`.
static Interval loadParameter(const Estimate &parameter, int64_t coordinate) {
  return Interval::load(parameter, getParameterIndex(parameter, coordinate));
}

/// Returns all elements of a tensor, minus their zero points if `zero` is not
/// null. There are `count` zero points, and elements i and i + `step` have
/// neighbouring ones.
template <typename Number>
static std::vector<Number> loadAll(const Estimate &tensor,
                                   const Estimate *zero = nullptr,
                                   int64_t step = 1, int64_t count = 1) {
  int64_t numElements = tensor.value.getNumElements();
  std::vector<Number> elements;
  elements.reserve(numElements);
  for (int64_t i = 0; i < numElements; ++i)
    elements.push_back(loadFactor<Number>(
        tensor, i, zero,
        zero ? getParameterIndex(*zero, i / step % count) : 0));
  return elements;
}

/// Stores `sum` * `scale`, rounded to an integer and shifted by a zero point.
static void storeRequantized(Estimate &output, int64_t index, Range sum,
                             Interval scale, const Estimate *zero,
                             int64_t zeroIndex) {
  Interval x = roundEven(sum.toInterval() * scale);
  if (zero)
    x = x + Interval::load(*zero, zeroIndex);
  storeQuantized(x, output, index);
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Computes the sum of products for each element of the output. In both
/// directions, the function visits all pairs of a position to which the filter
/// is moved and a position in the filter. In the forward direction, the filter
/// is moved over the output, and each pair determines an element of the input.
/// In the backward direction, the filter is moved over the input, and each pair
/// determines an element of the output.
template <typename OpTy, typename Number>
static std::vector<SumOf<Number>>
convolve(OpTy op, const std::vector<Number> &input,
         const std::vector<Number> &filter, bool isForward, bool isFlipped) {
  auto getShape = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  };
  ArrayRef<int64_t> inputShape = getShape(op.getInput()),
                    filterShape = getShape(op.getFilter()),
                    outputShape = getShape(op.getOutput());
  int64_t groups = op.getGroupCount();
  unsigned numSpatial = inputShape.size() - 2;

  std::vector<SumOf<Number>> sums(llvm::product_of(outputShape));
  // There is one filter for each channel of the tensor over which the filter is
  // moved: the output in the forward direction, and the input in the backward
  // direction. The channels of a filter are the channels of the other tensor in
  // the same group.
  ArrayRef<int64_t> moving = isForward ? outputShape : inputShape,
                    other = isForward ? inputShape : outputShape;
  int64_t filters = filterShape[0], perFilter = filterShape[1];
  SmallVector<int64_t> here(moving.size()), there(other.size()),
      inFilter(filterShape.size());
  forEachCoordinate(moving, [&](ArrayRef<int64_t> position) {
    here.assign(position.begin(), position.end());
    int64_t group = here[1] / (filters / groups);
    inFilter[0] = here[1];
    there[0] = here[0];
    int64_t hereIndex = getNumber(here, moving);
    forEachCoordinate(filterShape.drop_front(2), [&](ArrayRef<int64_t> k) {
      bool isInside = true;
      for (unsigned i = 0; i < numSpatial; ++i) {
        int64_t found = here[i + 2] * op.getStrides()[i] +
                        k[i] * op.getDilations()[i] - op.getStartPadding()[i];
        isInside &= found >= 0 && found < other[i + 2];
        there[i + 2] = found;
        inFilter[i + 2] = isFlipped ? filterShape[i + 2] - 1 - k[i] : k[i];
      }
      if (!isInside) {
        // The zeros of the padding are multiplied like other elements.
        if constexpr (std::is_same_v<Number, Interval>)
          for (inFilter[1] = 0; isForward && inFilter[1] < perFilter;
               ++inFilter[1])
            sums[hereIndex].add(Interval(0) *
                                filter[getNumber(inFilter, filterShape)]);
        return;
      }
      for (int64_t c = 0; c < perFilter; ++c) {
        there[1] = group * perFilter + c;
        inFilter[1] = c;
        int64_t thereIndex = getNumber(there, other);
        sums[isForward ? hereIndex : thereIndex].add(
            input[isForward ? thereIndex : hereIndex] *
            filter[getNumber(inFilter, filterShape)]);
      }
    });
  });
  return sums;
}

static LogicalResult evaluate(ConvolutionOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  std::vector<Sum> sums = convolve(
      op, loadAll<Interval>(operands[0]), loadAll<Interval>(operands[1]),
      op.getDirection() == ConvolutionDirection::forward,
      op.getMode() == ConvolutionMode::convolution);
  const Estimate *bias = NamedOperands(op, operands).getBias();
  int64_t index = 0;
  forEachCoordinate(output->value.getShape(), [&](ArrayRef<int64_t> position) {
    Sum &sum = sums[index];
    if (bias)
      sum.add(Interval::load(*bias, position[1]));
    applyActivation(sum.get(), op.getFusedActivationAttr())
        .store(*output, index++);
  });
  outputs.push_back(std::move(*output));
  return success();
}

/// Returns the sums of products of integers, minus the given zero points.
template <typename OpTy>
static std::vector<RangeSum>
convolveIntegers(OpTy op, const Estimate &input, const Estimate *inputZero,
                 const Estimate &filter, const Estimate *filterZero) {
  // Each filter has a zero point.
  ArrayRef<int64_t> shape = filter.value.getShape();
  return convolve(op, loadAll<Range>(input, inputZero),
                  loadAll<Range>(filter, filterZero,
                                 llvm::product_of(shape.drop_front()),
                                 shape[0]),
                  /*isForward=*/true, /*isFlipped=*/false);
}

static LogicalResult evaluate(ConvolutionIntegerOp op,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  NamedOperands in(op, operands);
  for (auto [index, sum] : llvm::enumerate(
           convolveIntegers(op, *in.getInput(), in.getInputZeroPoint(),
                            *in.getFilter(), in.getFilterZeroPoint())))
    sum.get().wrap().store(*output, static_cast<int64_t>(index));
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

static LogicalResult evaluate(QuantizedLinearConvolutionOp op,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  NamedOperands in(op, operands);
  std::vector<RangeSum> sums =
      convolveIntegers(op, *in.getInput(), in.getInputZeroPoint(),
                       *in.getFilter(), in.getFilterZeroPoint());
  const Estimate *bias = in.getBias();
  int64_t index = 0;
  forEachCoordinate(output->value.getShape(), [&](ArrayRef<int64_t> position) {
    int64_t channel = position[1];
    RangeSum &sum = sums[index];
    if (bias)
      sum.add(Range::load(*bias, channel));
    Interval scale = loadParameter(*in.getInputScale(), 0) *
                     loadParameter(*in.getFilterScale(), channel) /
                     loadParameter(*in.getOutputScale(), 0);
    storeRequantized(*output, index++, sum.get().wrap(), scale,
                     in.getOutputZeroPoint(), 0);
  });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a product of a `rows` x `terms` matrix and a `terms` x
/// `columns` matrix.
struct ProductSizes {
  int64_t rows, terms, columns;

  ProductSizes(ArrayRef<int64_t> a, ArrayRef<int64_t> output,
               bool isTransposed = false)
      : rows(output.drop_back().back()),
        terms(isTransposed ? a.drop_back().back() : a.back()),
        columns(output.back()) {}
  int64_t getRow(int64_t index) const { return index / columns % rows; }
  int64_t getColumn(int64_t index) const { return index % columns; }
};
} // namespace

/// Returns the sum of products for element `index` of the output.
template <typename Number>
static Number multiply(const ProductSizes &sizes, const std::vector<Number> &a,
                       const std::vector<Number> &b, bool transA, bool transB,
                       int64_t index) {
  int64_t m = sizes.getRow(index), n = sizes.getColumn(index),
          matrix = index / sizes.columns / sizes.rows;
  SumOf<Number> sum;
  for (int64_t k = 0; k < sizes.terms; ++k)
    sum.add(a[matrix * sizes.rows * sizes.terms +
              (transA ? k * sizes.rows + m : m * sizes.terms + k)] *
            b[matrix * sizes.terms * sizes.columns +
              (transB ? n * sizes.terms + k : k * sizes.columns + n)]);
  return sum.get();
}

static LogicalResult evaluate(GemmOp op, ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  const auto a = loadAll<Interval>(operands[0]),
             b = loadAll<Interval>(operands[1]);
  bool transA = op.getTransA() == MatrixTransform::transpose;
  bool transB = op.getTransB() == MatrixTransform::transpose;
  ProductSizes sizes(operands[0].value.getShape(), output->value.getShape(),
                     transA);
  // A softmax needs all sums, rounded to the element type.
  std::optional<SmallVector<int64_t>> softmaxAxes = op.getSoftmaxAxes();
  ActivationAttr activation =
      softmaxAxes ? ActivationAttr() : op.getFusedActivationAttr();
  const Estimate *c = NamedOperands(op, operands).getC();
  Interval alpha(op.getAlpha().convertToDouble()),
      beta(op.getBeta().convertToDouble());
  for (int64_t index = 0, e = output->value.getNumElements(); index < e;
       ++index) {
    Interval result = multiply(sizes, a, b, transA, transB, index);
    // Multiplication by 1 is skipped, since it does not change the bits of a
    // number on any device.
    if (alpha.value != 1)
      result = result * alpha;
    if (c) {
      Interval addend = Interval::load(*c, index);
      result = result + (beta.value == 1 ? addend : addend * beta);
    }
    applyActivation(result, activation).store(*output, index);
  }
  if (softmaxAxes) {
    FailureOr<Estimate> shares = createBounds(op, op.getType());
    if (failed(shares))
      return failure();
    computeSoftmax(*output, *softmaxAxes, /*isLog=*/false, *shares);
    output = std::move(shares);
  }
  outputs.push_back(std::move(*output));
  return success();
}

/// Calls `store` for each element of the output with the sum of its products.
/// Zero points, which are given for rows of `a` and columns of `b`, are
/// subtracted from the factors.
template <typename Number>
static void
forEachProduct(const ProductSizes &sizes, const Estimate &a,
               const Estimate *aZero, const Estimate &b, const Estimate *bZero,
               const Estimate &output,
               llvm::function_ref<void(int64_t index, Number sum)> store) {
  const auto lhs = loadAll<Number>(a, aZero, sizes.terms, sizes.rows),
             rhs = loadAll<Number>(b, bZero, 1, sizes.columns);
  for (int64_t index = 0, e = output.value.getNumElements(); index < e; ++index)
    store(index,
          multiply(sizes, lhs, rhs, /*transA=*/false, /*transB=*/false, index));
}

static LogicalResult evaluate(MatrixMultiplyIntegerOp op,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  NamedOperands in(op, operands);
  ProductSizes sizes(in.getA()->value.getShape(), output->value.getShape());
  forEachProduct<Range>(
      sizes, *in.getA(), in.getAZeroPoint(), *in.getB(), in.getBZeroPoint(),
      *output,
      [&](int64_t index, Range sum) { sum.wrap().store(*output, index); });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

static LogicalResult evaluate(QuantizedLinearMatrixMultiplyOp op,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  NamedOperands in(op, operands);
  ProductSizes sizes(in.getA()->value.getShape(), output->value.getShape());
  forEachProduct<Range>(
      sizes, *in.getA(), in.getAZeroPoint(), *in.getB(), in.getBZeroPoint(),
      *output, [&](int64_t index, Range sum) {
        int64_t row = sizes.getRow(index);
        Interval scale =
            loadParameter(*in.getAScale(), row) *
            loadParameter(*in.getBScale(), sizes.getColumn(index)) /
            loadParameter(*in.getOutputScale(), row);
        const Estimate *zero = in.getOutputZeroPoint();
        storeRequantized(*output, index, sum.wrap(), scale, zero,
                         zero ? getParameterIndex(*zero, row) : 0);
      });
  outputs.push_back(dropBounds(std::move(*output)));
  return success();
}

static LogicalResult evaluate(MatrixMultiplyIntegerToFloatOp op,
                              ArrayRef<Estimate> operands,
                              Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op.getType());
  if (failed(output))
    return failure();
  NamedOperands in(op, operands);
  ProductSizes sizes(in.getA()->value.getShape(), output->value.getShape());
  auto store = [&](int64_t index, Interval sum) {
    Interval result =
        sum * (loadParameter(*in.getAScale(), sizes.getRow(index)) *
               loadParameter(*in.getBScale(), sizes.getColumn(index)));
    if (const Estimate *bias = in.getBias())
      result = result + Interval::load(*bias, index);
    result.store(*output, index);
  };
  bool isNarrow = getByteWidth(in.getA()->value.getDataType()) == 1 &&
                  getByteWidth(in.getB()->value.getDataType()) == 1;
  if (isNarrow)
    forEachProduct<Range>(sizes, *in.getA(), in.getAZeroPoint(), *in.getB(),
                          in.getBZeroPoint(), *output,
                          [&](int64_t index, Range sum) {
                            store(index, sum.wrap().toInterval());
                          });
  else
    forEachProduct<Interval>(sizes, *in.getA(), in.getAZeroPoint(), *in.getB(),
                             in.getBZeroPoint(), *output, store);
  outputs.push_back(std::move(*output));
  return success();
}

void addContractionEvaluators(Evaluators &evaluators) {
  evaluators.add<ConvolutionOp>(evaluate);
  evaluators.add<ConvolutionIntegerOp>(evaluate);
  evaluators.add<QuantizedLinearConvolutionOp>(evaluate);
  evaluators.add<GemmOp>(evaluate);
  evaluators.add<MatrixMultiplyIntegerOp>(evaluate);
  evaluators.add<QuantizedLinearMatrixMultiplyOp>(evaluate);
  evaluators.add<MatrixMultiplyIntegerToFloatOp>(evaluate);
}

} // namespace dml::reference
