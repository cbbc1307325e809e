//===- Reduction.cpp - How sets of elements become one --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

/// The type in which elements of `type` are combined.
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

/// The extremum of no elements: NaN, or the integer that loses against all.
static Combiner getExtremum(Type type, bool isMax,
                            Number (*combine)(Number, Number)) {
  Combiner combiner = getCombiner(
      type, isa<FloatType>(type) ? std::numeric_limits<double>::quiet_NaN() : 0,
      combine);
  if (isa<FloatType>(type))
    return combiner;
  unsigned width = combiner.getType().getIntOrFloatBitWidth();
  bool isSigned = !type.isUnsignedInteger();
  APInt value = isMax ? (isSigned ? APInt::getSignedMinValue(width)
                                  : APInt::getMinValue(width))
                      : (isSigned ? APInt::getSignedMaxValue(width)
                                  : APInt::getMaxValue(width));
  combiner.identity = IntegerAttr::get(combiner.getType(), value);
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
/// What is known of some elements of a set: a number, or a number and its
/// place.
using State = SmallVector<Value>;

/// A reduction in as many steps as its sizes want.
struct Steps {
  ArrayRef<int64_t> outputs, reduced;
  bool isInnermost;
  /// What a state is kept as between steps.
  Type storedType;

  /// What to begin with. The element at `place` exists.
  std::function<State(ElementBuilder &b, ValueRange outputs, Value place)>
      start;
  /// What is known of one element.
  std::function<State(ElementBuilder &b, ValueRange outputs,
                      ValueRange coordinates)>
      load;
  std::function<State(ElementBuilder &b, State lhs, State rhs)> combine;
  std::function<Value(ElementBuilder &b, State state)> store;
  std::function<State(ElementBuilder &b, ValueRange outputs, Value stored)>
      reload;

  Value build(OpBuilder &builder, Operation *op) const;
};
} // namespace

Value Steps::build(OpBuilder &builder, Operation *op) const {
  // Partial results have one dimension more than the outputs that are more than
  // one, and so no more than the tensor that is reduced.
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
    int64_t numPartials = getNumPartials(numOutputs, count);
    // What stands at `place`, of the set itself or of its partial results.
    auto get = [&](ElementBuilder &b, ValueRange outputs, Value place) {
      if (!partials)
        return load(b, outputs, delinearize(b, place, reduced));
      Value stored =
          tensor::ExtractOp::create(b, partials, getIndices(outputs, place));
      return reload(b, outputs, stored);
    };
    auto begin = [&](ElementBuilder &b, ValueRange outputs, Value place) {
      return partials ? get(b, outputs, place) : start(b, outputs, place);
    };

    if (numPartials == 1) {
      auto type = RankedTensorType::get(outputs, storedType);
      return buildTensor(
          builder, op, type, [&](ElementBuilder &b, ValueRange outputs) {
            if (!partials)
              return store(
                  b, buildLoops(b, reduced, start(b, outputs, b.index(0)),
                                [&](ElementBuilder &b, ValueRange coordinates,
                                    ValueRange carried) {
                                  return combine(b, State(carried),
                                                 load(b, outputs, coordinates));
                                }));
            // The first partial result begins.
            State state = begin(b, outputs, b.index(0));
            return store(b, buildLoops(b, count - 1, state,
                                       [&](ElementBuilder &b, ValueRange i,
                                           ValueRange carried) {
                                         Value place = b.add(i[0], 1);
                                         return combine(b, State(carried),
                                                        get(b, outputs, place));
                                       }));
          });
    }

    SmallVector<int64_t> shape;
    for (int64_t dim : keptDims)
      shape.push_back(outputs[dim]);
    shape.insert(isInnermost ? shape.end() : shape.begin(), numPartials);
    int64_t numRounds = llvm::divideCeilSigned(count, numPartials);
    bool isEven = numRounds * numPartials == count;
    Value next = buildTensor(
        builder, op, RankedTensorType::get(shape, storedType),
        [&](ElementBuilder &b, ValueRange indices) {
          SmallVector<Value> outputs = getOutputs(b, indices);
          Value partial = isInnermost ? indices.back() : indices.front();
          // The element that stands first exists: there are fewer partial
          // results than elements.
          bool startsEmpty = !partials;
          State state = begin(b, outputs, partial);
          return store(
              b,
              buildLoops(
                  b, startsEmpty ? numRounds : numRounds - 1, state,
                  [&](ElementBuilder &b, ValueRange round, ValueRange carried) {
                    Value place =
                        b.add(partial,
                              b.mul(startsEmpty ? round[0] : b.add(round[0], 1),
                                    numPartials));
                    Value exists;
                    if (!isEven) {
                      exists = b.cmpi(arith::CmpIPredicate::ult, place,
                                      b.index(count));
                      place = b.minui(place, b.index(count - 1));
                    }
                    State combined =
                        combine(b, State(carried), get(b, outputs, place));
                    if (exists)
                      for (auto [value, before] :
                           llvm::zip_equal(combined, carried))
                        value = b.select(exists, value, before);
                    return combined;
                  }));
        });
    partials = next;
    count = numPartials;
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value dml::buildReduction(OpBuilder &builder, Operation *op,
                          ArrayRef<int64_t> outputs, ArrayRef<int64_t> reduced,
                          bool isInnermost, const Combiner &combiner,
                          const ReducedFn &element) {
  auto toNumber = [&](ElementBuilder &b, Value value) {
    return Number{&b, value, combiner.isUnsigned};
  };
  Steps steps;
  steps.outputs = outputs;
  steps.reduced = reduced;
  steps.isInnermost = isInnermost;
  steps.storedType = combiner.getType();
  steps.start = [&](ElementBuilder &b, ValueRange, Value) {
    return State{combiner.getIdentity(b).value};
  };
  steps.load = [&](ElementBuilder &b, ValueRange outputs,
                   ValueRange coordinates) {
    return State{element(b, outputs, coordinates).value};
  };
  steps.combine = [&](ElementBuilder &b, State lhs, State rhs) {
    return State{
        combiner.combine(toNumber(b, lhs[0]), toNumber(b, rhs[0])).value};
  };
  steps.store = [](ElementBuilder &, State state) { return state[0]; };
  steps.reload = [](ElementBuilder &, ValueRange, Value stored) {
    return State{stored};
  };
  return steps.build(builder, op);
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
                          const NumberFn &element) {
  return buildReduction(
      builder, op, axes.getOutputs(), axes.getReduced(), axes.isInnermost(),
      combiner, [&](ElementBuilder &b, ValueRange outputs, ValueRange reduced) {
        return element(b, axes.join(outputs, reduced));
      });
}

/// Whether `x` is NaN; null for integers, which have none.
static Value buildIsNaN(ElementBuilder &b, Number x) {
  return x.isFloat() ? b.createOrFold<arith::CmpFOp>(arith::CmpFPredicate::UNO,
                                                     x.value, x.value)
                     : Value();
}

Value dml::buildArgReduction(OpBuilder &builder, Operation *op,
                             const ReducedAxes &axes, bool isMax, bool lastWins,
                             const NumberFn &element) {
  bool isUnsigned = false;
  auto load = [&](ElementBuilder &b, ValueRange outputs,
                  ValueRange coordinates) {
    Number number = element(b, axes.join(outputs, coordinates));
    isUnsigned = number.isUnsigned;
    return State{number.value, linearize(b, coordinates, axes.getReduced())};
  };
  Steps steps;
  steps.outputs = axes.getOutputs();
  steps.reduced = axes.getReduced();
  steps.isInnermost = axes.isInnermost();
  steps.storedType = builder.getI32Type();
  steps.load = load;
  steps.start = [&](ElementBuilder &b, ValueRange outputs, Value place) {
    return load(b, outputs, delinearize(b, place, axes.getReduced()));
  };
  steps.combine = [&](ElementBuilder &b, State lhs, State rhs) {
    Number old{&b, lhs[0], isUnsigned}, found{&b, rhs[0], isUnsigned};
    Condition wins = isMax ? found > old : found < old;
    Condition equals = found.equals(old);
    if (Value foundNaN = buildIsNaN(b, found)) {
      Condition isNaN{&b, foundNaN}, wasNaN{&b, buildIsNaN(b, old)};
      wins = wins || (wasNaN && !isNaN);
      equals = equals || (wasNaN && isNaN);
    }
    Condition stands{&b, b.cmpi(lastWins ? arith::CmpIPredicate::ugt
                                         : arith::CmpIPredicate::ult,
                                rhs[1], lhs[1])};
    Value isBetter = (wins || (equals && stands)).value;
    return State{b.select(isBetter, rhs[0], lhs[0]),
                 b.select(isBetter, rhs[1], lhs[1])};
  };
  steps.store = [](ElementBuilder &b, State state) -> Value {
    return b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), state[1]);
  };
  steps.reload = [&](ElementBuilder &b, ValueRange outputs, Value stored) {
    Value place =
        b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), stored);
    place = b.minui(place, b.index(axes.getCount() - 1));
    return load(b, outputs, delinearize(b, place, axes.getReduced()));
  };
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
