//===- Reduction.cpp - How sets of elements become one --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "dml/Codegen/CostModel.h"
#include "dml/Codegen/DeviceProfile.h"
#include "dml/IR/KernelAttr.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

  /// Builds the state that a reduction begins with, which changes no element
  /// that it is combined with. `first` builds the state of the first element.
  std::function<State(ElementBuilder &b, llvm::function_ref<State()> first)>
      start;
  /// What is known of one element. If `exists` is no null and does not hold,
  /// the element stands for one behind the last, and must change nothing.
  std::function<State(ElementBuilder &b, ValueRange outputs,
                      ValueRange coordinates, Value exists)>
      load;
  std::function<State(ElementBuilder &b, State lhs, State rhs)> combine;
  std::function<Value(ElementBuilder &b, const State &state)> store;
  /// The same of a partial result.
  std::function<State(ElementBuilder &b, ValueRange outputs, Value stored,
                      Value exists)>
      reload;
  /// Up to so many elements are combined without a loop.
  int64_t maxWrittenOut;

  Value build(OpBuilder &builder, Operation *op) const;
};
} // namespace

/// How many parts to make of a set of `count` elements, whose partial results
/// are then combined in another step: 1 where that is done in one step. A
/// workgroup combines a set, or as many neighbouring ones as its vectors have
/// elements, of which there may be too few for a device.
static int64_t getNumParts(int64_t numOutputs, int64_t count,
                           bool isInnermost) {
  // lavapipe ends a thread's loops after 65,535 iterations.
  constexpr int64_t maxCount = 49152;
  int64_t workgroups =
      isInnermost
          ? numOutputs
          : llvm::divideCeilSigned(numOutputs, DeviceProfile::workgroupSize);
  int64_t least = isInnermost ? cost::minPartOfRow : cost::minPartOfColumn;
  int64_t parts = llvm::divideCeilSigned(count, maxCount);
  bool isShort = isInnermost
                     ? count <= cost::maxRowOfFew || numOutputs >= cost::minRows
                     : count <= 2 * least;
  if (!isShort)
    parts = std::max(parts, std::min(llvm::divideCeilSigned(
                                         cost::busyWorkgroups, workgroups),
                                     llvm::divideCeilSigned(count, least)));
  // Parts of one size need no condition.
  for (int64_t even = parts; even <= std::min(2 * parts, count); ++even)
    if (count % even == 0)
      return even;
  return parts;
}

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
  // Combines the states that `get` builds for all places of `sizes`.
  auto combineAll =
      [&](ElementBuilder &b, ArrayRef<int64_t> sizes,
          llvm::function_ref<State(ElementBuilder &, ValueRange)> get) {
        SmallVector<Value> zeros(sizes.size(), b.index(0));
        State first = start(b, [&] { return get(b, zeros); });
        State state = buildLoops(
            b, sizes, first,
            [&](ElementBuilder &b, ValueRange place, ValueRange carried) {
              return combine(b, State(carried), get(b, place));
            },
            maxWrittenOut);
        if (auto loop = state.front().getDefiningOp<scf::ForOp>())
          loop->setAttr(anyOrderAttrName, b.getUnitAttr());
        return store(b, state);
      };

  int64_t numOutputs = llvm::product_of(outputs);
  int64_t count = llvm::product_of(reduced);
  Value partials;
  while (true) {
    // What stands at `place`, of the set itself or of its partial results.
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
    int64_t numParts = getNumParts(numOutputs, count, isInnermost);
    if (numParts == 1) {
      auto type = RankedTensorType::get(outputs, storedType);
      return buildTensor(
          builder, op, type, [&](ElementBuilder &b, ValueRange outputs) {
            return combineAll(b, partials ? ArrayRef(count) : reduced,
                              [&](ElementBuilder &b, ValueRange place) {
                                return get(b, outputs, place, Value());
                              });
          });
    }

    // Part p has the elements from p * size on.
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
          return combineAll(b, size, [&](ElementBuilder &b, ValueRange place) {
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

/// Up to `maxWrittenOut` elements are combined without a loop.
static Value buildSets(OpBuilder &builder, Operation *op,
                       ArrayRef<int64_t> outputs, ArrayRef<int64_t> reduced,
                       bool isInnermost, const Combiner &combiner,
                       const ReducedFn &element, int64_t maxWrittenOut) {
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
  steps.start = [&](ElementBuilder &b, llvm::function_ref<State()>) {
    return State{combiner.getIdentity(b).value};
  };
  steps.load = [&](ElementBuilder &b, ValueRange outputs,
                   ValueRange coordinates, Value exists) {
    return mask(b, exists, element(b, outputs, coordinates).value);
  };
  steps.combine = [&](ElementBuilder &b, State lhs, State rhs) {
    return State{
        combiner.combine(toNumber(b, lhs[0]), toNumber(b, rhs[0])).value};
  };
  steps.store = [](ElementBuilder &, const State &state) { return state[0]; };
  steps.reload = [&](ElementBuilder &b, ValueRange, Value stored,
                     Value exists) { return mask(b, exists, stored); };
  steps.maxWrittenOut = maxWrittenOut;
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
                          const NumberFn &element) {
  return buildSets(
      builder, op, axes.getOutputs(), axes.getReduced(), axes.isInnermost(),
      combiner,
      [&](ElementBuilder &b, ValueRange outputs, ValueRange reduced) {
        return element(b, axes.join(outputs, reduced));
      },
      /*maxWrittenOut=*/1);
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
    Value place = linearize(b, coordinates, axes.getReduced());
    return State{number.value,
                 b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), place)};
  };
  Steps steps;
  steps.outputs = axes.getOutputs();
  steps.reduced = axes.getReduced();
  steps.isInnermost = axes.isInnermost();
  steps.storedType = builder.getI32Type();
  // An element changes nothing a second time. So does not the last one, which
  // stands for those behind it.
  steps.load = [&](ElementBuilder &b, ValueRange outputs,
                   ValueRange coordinates,
                   Value) { return load(b, outputs, coordinates); };
  steps.start = [&](ElementBuilder &, llvm::function_ref<State()> first) {
    return first();
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
  steps.store = [](ElementBuilder &, const State &state) { return state[1]; };
  steps.reload = [&](ElementBuilder &b, ValueRange outputs, Value stored,
                     Value) {
    Value place =
        b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), stored);
    place = b.minui(place, b.index(axes.getCount() - 1));
    return load(b, outputs, delinearize(b, place, axes.getReduced()));
  };
  steps.maxWrittenOut = 1;
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
