//===- ReductionBuilder.cpp - How sets of elements become one -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReductionBuilder.h"
#include "dml/IR/KernelAttr.h"
#include "dml/Target/DeviceProfile.h"
#include "dml/Target/RowCosts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

/// Returns the type in which elements of `type` are combined.
static Type getCombinedType(Type type) {
  Builder b(type.getContext());
  if (isa<FloatType>(type))
    return b.getF32Type();
  return b.getIntegerType(type.getIntOrFloatBitWidth() > 32 ? 64 : 32);
}

static Combiner getCombiner(Type type, double identity,
                            Number (*combine)(Number, Number)) {
  Type combined = getCombinedType(type);
  Builder b(type.getContext());
  TypedAttr attribute = isa<FloatType>(combined)
                            ? TypedAttr(b.getFloatAttr(combined, identity))
                            : TypedAttr(b.getIntegerAttr(
                                  combined, static_cast<int64_t>(identity)));
  return {attribute, type.isUnsignedInteger(), combine};
}

Combiner Combiner::getSum(Type type) {
  return getCombiner(type, 0, [](Number a, Number b) { return a + b; });
}

Combiner Combiner::getProduct(Type type) {
  return getCombiner(type, 1, [](Number a, Number b) { return a * b; });
}

/// Returns the integer of `width` bits that loses against all others, if the
/// greatest (or the least) integer wins.
static APInt getLoser(unsigned width, bool isUnsigned, bool isMax) {
  if (isUnsigned)
    return isMax ? APInt::getMinValue(width) : APInt::getMaxValue(width);
  return isMax ? APInt::getSignedMinValue(width)
               : APInt::getSignedMaxValue(width);
}

/// Returns the combiner of extrema. The extremum of no elements is NaN, or the
/// integer that loses against all others.
static Combiner getExtremum(Type type, bool isMax,
                            Number (*combine)(Number, Number)) {
  Combiner combiner = getCombiner(
      type, isa<FloatType>(type) ? std::numeric_limits<double>::quiet_NaN() : 0,
      combine);
  if (isa<FloatType>(type))
    return combiner;
  combiner.identity = IntegerAttr::get(
      combiner.getType(), getLoser(combiner.getType().getIntOrFloatBitWidth(),
                                   type.isUnsignedInteger(), isMax));
  return combiner;
}

Combiner Combiner::getMin(Type type) {
  return getExtremum(type, /*isMax=*/false,
                     [](Number a, Number b) { return min(a, b); });
}

Combiner Combiner::getMax(Type type) {
  return getExtremum(type, /*isMax=*/true,
                     [](Number a, Number b) { return max(a, b); });
}

Number Combiner::getIdentity(ElementBuilder &b) const {
  return {&b, arith::ConstantOp::create(b, identity), isUnsigned};
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// The state of a reduction after some elements of a set: a number, or a number
/// with its place.
using State = SmallVector<Value>;

/// Builds a reduction in as many steps as its sizes require.
struct Steps {
  ArrayRef<int64_t> outputs, reduced;
  bool isInnermost;
  /// The type in which a state is stored between steps.
  Type storedType;

  /// Builds the stored state of a set with sizes `sizes`, in loops over its
  /// elements. `get` returns the states of elements.
  using GetFn = llvm::function_ref<State(ElementBuilder &b, ValueRange place)>;
  std::function<Value(ElementBuilder &b, ArrayRef<int64_t> sizes, GetFn get)>
      combine;
  /// Loads the state of one element. If `exists` is not null and is false, the
  /// element lies beyond the last one, and its state must not change another
  /// state.
  std::function<State(ElementBuilder &b, ValueRange outputs,
                      ValueRange coordinates, Value exists)>
      load;
  /// Does the same for a partial result.
  std::function<State(ElementBuilder &b, ValueRange outputs, Value stored,
                      Value exists)>
      reload;
  /// The largest number of elements in a set that a single step combines, if
  /// there are several.
  int64_t maxCount;
  /// Whether a set of up to `maxCount` elements is combined in one step, also
  /// where there are too few sets to occupy a device.
  bool isWhole = false;

  Value build(OpBuilder &builder, Operation *op) const;
};
} // namespace

/// Returns the number of parts into which a set of `count` elements is divided.
/// If there are several, another step combines their partial results. A
/// workgroup combines one set, or as many neighbouring sets as a vector has
/// elements, and there may be too few sets to occupy a device.
static int64_t getNumParts(int64_t numOutputs, int64_t count, bool isInnermost,
                           int64_t maxCount) {
  // Operators are lowered independently of the device.
  const DeviceSpeed device;
  int64_t least = isInnermost ? cost::rows::minPartOfRow
                              : cost::rows::minPartOfColumn,
          longest = cost::rows::maxRowOfFew;
  // If there are only a few sets side by side, a workgroup processes several
  // elements of each set. The sets then count as a single row of their total
  // length.
  if (!isInnermost && numOutputs <= cost::rows::maxRowsTogether) {
    isInnermost = true;
    least = std::max<int64_t>(cost::rows::minPartOfRow / numOutputs, 1);
    longest = std::max<int64_t>(cost::rows::maxRowOfFew / numOutputs, 1);
    numOutputs = 1;
  }
  int64_t workgroups =
      isInnermost
          ? numOutputs
          : llvm::divideCeilSigned(numOutputs, DeviceProfile::workgroupSize);
  int64_t parts = llvm::divideCeilSigned(count, maxCount);
  bool isShort =
      isInnermost
          ? count <= longest || numOutputs >= cost::rows::getEnoughRows(device)
          : count <= 2 * least;
  if (!isShort)
    parts = std::max(
        parts, std::min(llvm::divideCeilSigned(
                            cost::rows::getBusyWorkgroups(device), workgroups),
                        llvm::divideCeilSigned(count, least)));
  // Parts of equal size need no condition.
  for (int64_t even = parts; even <= std::min(2 * parts, count); ++even)
    if (count % even == 0)
      return even;
  return parts;
}

Value dml::buildAnyOrder(
    ElementBuilder &b, ArrayRef<int64_t> sizes, Value identity,
    int64_t maxWrittenOut,
    llvm::function_ref<Value(ElementBuilder &b, ValueRange place,
                             Value carried)>
        next) {
  Value combined = buildLoops(
                       b, sizes, identity,
                       [&](ElementBuilder &b, ValueRange place,
                           ValueRange carried) -> SmallVector<Value> {
                         return {next(b, place, carried[0])};
                       },
                       maxWrittenOut)
                       .front();
  if (auto loop = combined.getDefiningOp<scf::ForOp>())
    loop->setAttr(anyOrderAttrName, b.getUnitAttr());
  return combined;
}

Value Steps::build(OpBuilder &builder, Operation *op) const {
  // The dimensions of partial results are the outputs' dimensions of size
  // greater than 1 and the dimension of parts, which are not more dimensions
  // than the reduced tensor has.
  SmallVector<int64_t> keptDims;
  for (auto [dim, size] : llvm::enumerate(outputs))
    if (size > 1)
      keptDims.push_back(dim);
  auto getOutputs = [&](ElementBuilder &b, ValueRange indices) {
    SmallVector<Value> coordinates(outputs.size(), b.index(0));
    for (auto [dim, index] :
         llvm::zip_equal(keptDims, isInnermost ? indices.drop_back()
                                               : indices.drop_front()))
      coordinates[dim] = index;
    return coordinates;
  };
  auto getIndices = [&](ValueRange outputs, Value partial) {
    SmallVector<Value> indices;
    for (int64_t dim : keptDims)
      indices.push_back(outputs[dim]);
    indices.insert(isInnermost ? indices.end() : indices.begin(), partial);
    return indices;
  };
  int64_t numOutputs = llvm::product_of(outputs);
  int64_t count = llvm::product_of(reduced);
  Value partials;
  while (true) {
    // Loads the element at `place` of the set, or of its partial results.
    auto get = [&](ElementBuilder &b, ValueRange outputs, ValueRange place,
                   Value exists) {
      if (!partials)
        return load(b, outputs,
                    place.size() == reduced.size()
                        ? SmallVector<Value>(place)
                        : delinearize(b, place[0], reduced),
                    exists);
      Value stored =
          tensor::ExtractOp::create(b, partials, getIndices(outputs, place[0]));
      return reload(b, outputs, stored, exists);
    };
    int64_t numParts =
        isWhole && count <= maxCount
            ? 1
            : getNumParts(numOutputs, count, isInnermost, maxCount);
    if (numParts == 1) {
      auto type = RankedTensorType::get(outputs, storedType);
      return buildTensor(
          builder, op, type, [&](ElementBuilder &b, ValueRange outputs) {
            return combine(b, partials ? ArrayRef(count) : reduced,
                           [&](ElementBuilder &b, ValueRange place) {
                             return get(b, outputs, place, Value());
                           });
          });
    }

    // Part p contains the elements from p * size on.
    int64_t size = llvm::divideCeilSigned(count, numParts);
    numParts = llvm::divideCeilSigned(count, size);
    SmallVector<int64_t> shape;
    for (int64_t dim : keptDims)
      shape.push_back(outputs[dim]);
    shape.insert(isInnermost ? shape.end() : shape.begin(), numParts);
    Value next = buildTensor(
        builder, op, RankedTensorType::get(shape, storedType),
        [&](ElementBuilder &b, ValueRange indices) {
          SmallVector<Value> outputs = getOutputs(b, indices);
          Value part = isInnermost ? indices.back() : indices.front();
          return combine(b, size, [&](ElementBuilder &b, ValueRange place) {
            Value at = b.add(b.mul(part, size), place[0]);
            Value exists;
            if (size * numParts != count) {
              exists = b.cmpi(arith::CmpIPredicate::ult, at, b.index(count));
              at = b.minui(at, b.index(count - 1));
            }
            return get(b, outputs, at, exists);
          });
        });
    partials = next;
    count = numParts;
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Builds the reduction of sets. Up to `maxWrittenOut` elements are combined
/// without a loop.
static Value buildSets(OpBuilder &builder, Operation *op,
                       ArrayRef<int64_t> outputs, ArrayRef<int64_t> reduced,
                       bool isInnermost, const Combiner &combiner,
                       const ReducedFn &element, int64_t maxWrittenOut,
                       bool isWhole = false) {
  auto toNumber = [&](ElementBuilder &b, Value value) {
    return Number{&b, value, combiner.isUnsigned};
  };
  auto mask = [&](ElementBuilder &b, Value exists, Value value) -> State {
    return {exists ? b.select(exists, value, combiner.getIdentity(b).value)
                   : value};
  };
  Steps steps;
  steps.outputs = outputs;
  steps.reduced = reduced;
  steps.isInnermost = isInnermost;
  steps.storedType = combiner.getType();
  steps.load = [&](ElementBuilder &b, ValueRange outputs,
                   ValueRange coordinates, Value exists) {
    return mask(b, exists, element(b, outputs, coordinates).value);
  };
  steps.combine = [&](ElementBuilder &b, ArrayRef<int64_t> sizes,
                      Steps::GetFn get) {
    return buildAnyOrder(
        b, sizes, combiner.getIdentity(b).value, maxWrittenOut,
        [&](ElementBuilder &b, ValueRange place, Value carried) {
          return combiner
              .combine(toNumber(b, carried), toNumber(b, get(b, place)[0]))
              .value;
        });
  };
  steps.reload = [&](ElementBuilder &b, ValueRange, Value stored,
                     Value exists) { return mask(b, exists, stored); };
  steps.maxCount = maxIterations;
  steps.isWhole = isWhole;
  return steps.build(builder, op);
}

Value dml::buildReduction(OpBuilder &builder, Operation *op,
                          ArrayRef<int64_t> outputs, ArrayRef<int64_t> reduced,
                          bool isInnermost, const Combiner &combiner,
                          const ReducedFn &element) {
  return buildSets(builder, op, outputs, reduced, isInnermost, combiner,
                   element, /*maxWrittenOut=*/9);
}

ReducedAxes::ReducedAxes(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes)
    : axes(axes), outputs(shape) {
  llvm::sort(this->axes);
  for (int64_t axis : this->axes) {
    reduced.push_back(shape[axis]);
    outputs[axis] = 1;
  }
  for (auto [size, output] : llvm::zip_equal(shape, outputs))
    if (size > 1)
      innermost = output == 1;
}

int64_t ReducedAxes::getCount() const { return llvm::product_of(reduced); }

SmallVector<Value> ReducedAxes::join(ValueRange outputs,
                                     ValueRange reduced) const {
  SmallVector<Value> indices(outputs);
  for (auto [axis, coordinate] : llvm::zip_equal(axes, reduced))
    indices[axis] = coordinate;
  return indices;
}

SmallVector<Value> ReducedAxes::getSet(ElementBuilder &b,
                                       ValueRange indices) const {
  SmallVector<Value> set(indices);
  for (int64_t axis : axes)
    set[axis] = b.index(0);
  return set;
}

Value ReducedAxes::getPlace(ElementBuilder &b, ValueRange indices) const {
  return linearize(
      b, llvm::map_to_vector(axes, [&](int64_t axis) { return indices[axis]; }),
      reduced);
}

Value dml::buildReduction(OpBuilder &builder, Operation *op,
                          const ReducedAxes &axes, const Combiner &combiner,
                          const NumberFn &element, bool isWhole) {
  return buildSets(
      builder, op, axes.getOutputs(), axes.getReduced(), axes.isInnermost(),
      combiner,
      [&](ElementBuilder &b, ValueRange outputs, ValueRange reduced) {
        return element(b, axes.join(outputs, reduced));
      },
      /*maxWrittenOut=*/1, isWhole);
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// Returns the number of parts into which a set is divided if two numbers of
/// the set are needed. The result is 1 if whole sets are read, once for each
/// number. A workgroup reads a part once, and keeps its elements while it
/// computes both numbers of the part.
///
/// With at least four parts, a sum of squares satisfies the error bound that
/// holds for any order (docs/Reference.md).
static int64_t getNumPartsOfPair(const ReducedAxes &axes) {
  constexpr int64_t leastParts = 4;
  int64_t count = axes.getCount();
  int64_t least = axes.isInnermost() ? cost::rows::minPartOfRow
                                     : cost::rows::partOfScannedColumn;
  // If whole sets would be read for a single number, they are read for two
  // numbers as well.
  if (getNumParts(llvm::product_of(axes.getOutputs()), count,
                  axes.isInnermost(), maxIterations) == 1)
    return 1;
  int64_t parts = llvm::divideCeilSigned(count, least);
  // Parts of equal size need no condition.
  for (int64_t even = parts; even <= 2 * parts; ++even)
    if (count % even == 0) {
      parts = even;
      break;
    }
  return parts < leastParts || parts > maxIterations ? 1 : parts;
}

PairOfSets::PairOfSets(OpBuilder &builder, Operation *op,
                       const ReducedAxes &axes, const SumAfter &sum,
                       const NumberFn &element)
    : axes(axes) {
  Type type = sum.first.getType();
  Combiner sums = Combiner::getSum(type);
  int64_t count = axes.getCount(), numParts = getNumPartsOfPair(axes);
  auto toCount = [](Number like, int64_t count) {
    return like(static_cast<double>(count));
  };
  if (numParts == 1) {
    tensors[0] = buildReduction(builder, op, axes, sum.first, element);
    tensors[1] = buildReduction(
        builder, op, axes, sums, [&](ElementBuilder &b, ValueRange indices) {
          Number x = element(b, indices);
          return sum.term(x, getFirst(b, indices), toCount(x, count));
        });
    return;
  }

  // Builds both numbers of one set, each in a loop of its own, and selects one
  // of them.
  using GetFn = llvm::function_ref<Number(ElementBuilder & b, Value place)>;
  using GetTermFn =
      llvm::function_ref<Number(ElementBuilder & b, Value place, Number first)>;
  auto buildBoth = [&](ElementBuilder &b, Value which, int64_t size, GetFn get,
                       GetTermFn getTerm) -> Value {
    auto combine = [&](const Combiner &combiner, GetFn get) -> Number {
      return {
          &b,
          buildAnyOrder(
              b, size, combiner.getIdentity(b).value,
              /*maxWrittenOut=*/1,
              [&](ElementBuilder &b, ValueRange place, Value carried) {
                return combiner.combine({&b, carried}, get(b, place[0])).value;
              })};
    };
    Number first = combine(sum.first, get);
    Number second = combine(sums, [&](ElementBuilder &b, Value place) {
      return getTerm(b, place, {&b, first.value});
    });
    Value isFirst = b.cmpi(arith::CmpIPredicate::eq, which, b.index(0));
    return b.select(isFirst, first.value, second.value);
  };

  // The dimensions of partial results: the choice between the two numbers, the
  // outputs' dimensions of size greater than 1, and the parts, if their
  // elements are neighbours in memory.
  SmallVector<int64_t> keptDims, shape = {2};
  for (auto [dim, size] : llvm::enumerate(axes.getOutputs()))
    if (size > 1)
      keptDims.push_back(dim);
  for (int64_t dim : keptDims)
    shape.push_back(axes.getOutputs()[dim]);
  auto *partDim = axes.isInnermost() ? shape.end() : shape.begin() + 1;
  auto part = static_cast<size_t>(partDim - shape.begin());
  int64_t size = llvm::divideCeilSigned(count, numParts);
  numParts = llvm::divideCeilSigned(count, size);
  bool isEven = size * numParts == count;
  shape.insert(partDim, numParts);
  auto getSizeOfPart = [&](ElementBuilder &b, Value number) -> Number {
    Number whole = toCount({&b, sum.first.getIdentity(b).value}, size);
    if (isEven)
      return whole;
    return select(
        {&b, b.cmpi(arith::CmpIPredicate::ult, number, b.index(numParts - 1))},
        whole, toCount(whole, count - (numParts - 1) * size));
  };
  Value ofParts = buildTensor(
      builder, op, RankedTensorType::get(shape, type),
      [&](ElementBuilder &b, ValueRange indices) {
        SmallVector<Value> set(axes.getOutputs().size(), b.index(0)),
            own(indices.drop_front());
        Value number = own[part - 1];
        own.erase(own.begin() + static_cast<ptrdiff_t>(part) - 1);
        for (auto [dim, index] : llvm::zip_equal(keptDims, own))
          set[dim] = index;
        // Applies `get` to an element. Beyond the last element, returns
        // `otherwise`.
        auto load = [&](ElementBuilder &b, Value place, Number otherwise,
                        llvm::function_ref<Number(Number x)> get) {
          Value at = b.add(b.mul(number, size), place);
          Condition exists{&b, isEven ? Value()
                                      : b.cmpi(arith::CmpIPredicate::ult, at,
                                               b.index(count))};
          if (!isEven)
            at = b.minui(at, b.index(count - 1));
          Number x = get(element(
              b, axes.join(set, delinearize(b, at, axes.getReduced()))));
          return isEven ? x : select(exists, x, otherwise);
        };
        return buildBoth(
            b, indices[0], size,
            [&](ElementBuilder &b, Value place) {
              return load(b, place, sum.first.getIdentity(b),
                          [](Number x) { return x; });
            },
            [&](ElementBuilder &b, Value place, Number first) {
              return load(b, place, sums.getIdentity(b), [&](Number x) {
                return sum.term(x, first, getSizeOfPart(b, number));
              });
            });
      });

  shape.erase(shape.begin() + static_cast<ptrdiff_t>(part));
  both = buildTensor(
      builder, op, RankedTensorType::get(shape, type),
      [&](ElementBuilder &b, ValueRange indices) {
        auto load = [&](ElementBuilder &b, int64_t which,
                        Value number) -> Number {
          SmallVector<Value> at(indices);
          at[0] = b.index(which);
          at.insert(at.begin() + static_cast<ptrdiff_t>(part), number);
          return loadReduced(b, ofParts, at);
        };
        return buildBoth(
            b, indices[0], numParts,
            [&](ElementBuilder &b, Value number) { return load(b, 0, number); },
            [&](ElementBuilder &b, Value number, Number first) {
              return sum.move(load(b, 1, number), load(b, 0, number),
                              getSizeOfPart(b, number), first,
                              toCount(first, count));
            });
      });
}

Number PairOfSets::get(ElementBuilder &b, ValueRange indices,
                       int64_t which) const {
  if (!both)
    return loadReduced(b, tensors[which], axes.getSet(b, indices));
  SmallVector<Value> at = {b.index(which)};
  for (auto [index, size] : llvm::zip_equal(indices, axes.getOutputs()))
    if (size > 1)
      at.push_back(index);
  return loadReduced(b, both, at);
}

PairOfSets dml::buildSquares(OpBuilder &builder, Operation *op,
                             const ReducedAxes &axes, const NumberFn &element) {
  // The sum of squared distances from the total mean is the sum of squared
  // distances from the mean of a part, plus the number of elements times the
  // squared distance between the means. For example, 1 and 3 have the mean 2,
  // and squared distances of 1 and 1 from it. Their sum of squared distances
  // from 5 is 1 + 1 + 2 * 9.
  auto square = [](Number x) { return x * x; };
  SumAfter sum;
  sum.first = Combiner::getSum(builder.getF32Type());
  sum.term = [=](Number x, Number total, Number count) {
    return square(x - total / count);
  };
  sum.move = [=](Number squares, Number total, Number count, Number ofAll,
                 Number countOfAll) {
    return squares + count * square(total / count - ofAll / countOfAll);
  };
  return PairOfSets(builder, op, axes, sum, element);
}

PairOfSets dml::buildExponentials(OpBuilder &builder, Operation *op,
                                  const ReducedAxes &axes,
                                  const Combiner &largest,
                                  const std::function<Number(Number)> &getShift,
                                  const NumberFn &element) {
  SumAfter sum;
  sum.first = largest;
  sum.term = [=](Number x, Number first, Number) {
    return exp(x - getShift(first));
  };
  sum.move = [=](Number sum, Number first, Number, Number ofAll, Number) {
    return sum * exp(getShift(first) - getShift(ofAll));
  };
  return PairOfSets(builder, op, axes, sum, element);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Returns the number that loses against all others, if the greatest (or the
/// least) number wins: an infinity, or the smallest (or largest) integer.
static Number getLoser(Number x, bool isMax) {
  if (x.isFloat())
    return x(isMax ? -std::numeric_limits<double>::infinity()
                   : std::numeric_limits<double>::infinity());
  ElementBuilder &b = *x.b;
  Type type = x.value.getType();
  return x.with(arith::ConstantOp::create(
      b, b.getIntegerAttr(type, getLoser(type.getIntOrFloatBitWidth(),
                                         x.isUnsigned, isMax))));
}

Value dml::buildArgReduction(OpBuilder &builder, Operation *op,
                             const ReducedAxes &axes, bool isMax, bool lastWins,
                             const NumberFn &element) {
  bool isUnsigned = false;
  auto load = [&](ElementBuilder &b, ValueRange outputs,
                  ValueRange coordinates) {
    Number number = element(b, axes.join(outputs, coordinates));
    isUnsigned = number.isUnsigned;
    Value place = linearize(b, coordinates, axes.getReduced());
    return State{number.value,
                 b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), place)};
  };
  Steps steps;
  steps.outputs = axes.getOutputs();
  steps.reduced = axes.getReduced();
  steps.isInnermost = axes.isInnermost();
  steps.storedType = builder.getI32Type();
  // Combining an element twice does not change the result, so that the last
  // element may replace elements beyond the end.
  steps.load = [&](ElementBuilder &b, ValueRange outputs,
                   ValueRange coordinates,
                   Value) { return load(b, outputs, coordinates); };
  // Determines first the greatest number, and then the first place with this
  // number. Both together take fewer operations for each element than a search
  // for both at once. If all elements are NaN, no place has the number.
  steps.combine = [&](ElementBuilder &b, ArrayRef<int64_t> sizes,
                      Steps::GetFn get) {
    SmallVector<Value> zeros(sizes.size(), b.index(0));
    Value first = get(b, zeros)[0];
    Number any{&b, first, isUnsigned};
    Value best =
        buildAnyOrder(b, sizes, getLoser(any, isMax).value, /*maxWrittenOut=*/1,
                      [&](ElementBuilder &b, ValueRange place, Value carried) {
                        Number x{&b, get(b, place)[0], isUnsigned},
                            old{&b, carried, isUnsigned};
                        return select(isMax ? x > old : x < old, x, old).value;
                      });
    // If the last element wins, places are counted from 1, and 0 represents no
    // place.
    auto getWord = [&](ElementBuilder &b, int64_t value) -> Value {
      return arith::ConstantOp::create(
          b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
    };
    Value none = getWord(b, lastWins ? 0 : -1);
    Value found = buildAnyOrder(
        b, sizes, none, /*maxWrittenOut=*/1,
        [&](ElementBuilder &b, ValueRange place, Value carried) -> Value {
          State state = get(b, place);
          Number x{&b, state[0], isUnsigned};
          Value number =
              lastWins ? b.createOrFold<arith::AddIOp>(state[1], getWord(b, 1))
                       : state[1];
          Value candidate =
              b.select(x.equals({&b, best, isUnsigned}).value, number, none);
          return lastWins ? b.createOrFold<arith::MaxUIOp>(carried, candidate)
                          : b.createOrFold<arith::MinUIOp>(carried, candidate);
        });
    Value last = getWord(b, axes.getCount() - 1);
    if (lastWins)
      return b.createOrFold<arith::MinUIOp>(
          b.createOrFold<arith::SubIOp>(found, getWord(b, 1)), last);
    return b.select(b.cmpi(arith::CmpIPredicate::ugt, found, last),
                    getWord(b, 0), found);
  };
  steps.reload = [&](ElementBuilder &b, ValueRange outputs, Value stored,
                     Value) {
    Value place =
        b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), stored);
    place = b.minui(place, b.index(axes.getCount() - 1));
    return load(b, outputs, delinearize(b, place, axes.getReduced()));
  };
  // A workgroup can hold this number of elements in registers, and processes
  // them twice.
  steps.maxCount = cost::rows::maxRowOfFew;
  return steps.build(builder, op);
}

Number dml::loadNumber(ElementBuilder &b, Value tensor, Type type,
                       ValueRange indices) {
  auto tensorType = cast<RankedTensorType>(type);
  SmallVector<Value> places;
  for (auto [index, size] : llvm::zip_equal(indices, tensorType.getShape()))
    places.push_back(size == 1 ? b.index(0) : index);
  return toNumber(b, tensor::ExtractOp::create(b, tensor, places),
                  tensorType.getElementType());
}

Number dml::loadReduced(ElementBuilder &b, Value tensor, ValueRange indices,
                        bool isUnsigned) {
  return {&b, tensor::ExtractOp::create(b, tensor, indices), isUnsigned};
}
