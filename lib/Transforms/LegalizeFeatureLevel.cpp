//===- LegalizeFeatureLevel.cpp - Express ops at an older level -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The rewrites only use the tables and interfaces of operators, and do not
// depend on particular operators, but for the leading dimensions of products of
// matrices. Each step removes one kind of violation. The operators that a step
// creates are then legalized themselves.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "dml/IR/DML.h"
#include "dml/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

/// Returns the values of an array attribute of integers or floats.
static SmallVector<Attribute> getArrayValues(Operation *op, StringRef name) {
  Builder builder(op->getContext());
  Attribute array = op->getAttr(name);
  if (auto integers = dyn_cast_or_null<DenseI64ArrayAttr>(array))
    return llvm::map_to_vector(integers.asArrayRef(), [&](int64_t value) {
      return Attribute(builder.getI64IntegerAttr(value));
    });
  auto floats = cast<DenseF32ArrayAttr>(array);
  return llvm::map_to_vector(floats.asArrayRef(), [&](float value) {
    return Attribute(builder.getF32FloatAttr(value));
  });
}

static void setArrayValues(Operation *op, StringRef name,
                           ArrayRef<Attribute> values) {
  Builder builder(op->getContext());
  if (isa<DenseI64ArrayAttr>(op->getAttr(name)))
    op->setAttr(name, builder.getDenseI64ArrayAttr(
                          llvm::map_to_vector(values, [](Attribute value) {
                            return cast<IntegerAttr>(value).getInt();
                          })));
  else
    op->setAttr(name,
                builder.getDenseF32ArrayAttr(
                    llvm::map_to_vector(values, [](Attribute value) {
                      return cast<FloatAttr>(value).getValue().convertToFloat();
                    })));
}

/// Returns the value of `array` for a dimension that the operator does not
/// change.
static Attribute getNeutralValue(Operation *op, const ArraySupport &array) {
  Builder builder(op->getContext());
  if (isa<DenseI64ArrayAttr>(op->getAttr(array.attribute)))
    return builder.getI64IntegerAttr(*array.neutral);
  return builder.getF32FloatAttr(*array.neutral);
}

/// Returns the dimensions that `array`, of Kind::Axes, lists.
static SmallVector<int64_t> getAxes(Operation *op, const ArraySupport &array) {
  Attribute axes = op->getAttr(array.attribute);
  if (auto axis = dyn_cast_or_null<IntegerAttr>(axes))
    return {axis.getInt()};
  if (auto several = dyn_cast_or_null<DenseI64ArrayAttr>(axes))
    return SmallVector<int64_t>(several.asArrayRef());
  return {};
}

static void setAxes(Operation *op, const ArraySupport &array,
                    ArrayRef<int64_t> axes) {
  Builder builder(op->getContext());
  Attribute old = op->getAttr(array.attribute);
  if (auto axis = dyn_cast_or_null<IntegerAttr>(old))
    op->setAttr(array.attribute,
                builder.getIntegerAttr(axis.getType(), axes.front()));
  else if (old)
    op->setAttr(array.attribute, builder.getDenseI64ArrayAttr(axes));
}

/// Whether this file supports all arrays of the operation that refer to
/// dimensions.
static bool areArraysKnown(FeatureLevelOpInterface op) {
  return llvm::all_of(
      op.getOperatorSupport().arrays, [&](const ArraySupport &array) {
        return array.kind == ArraySupport::Kind::Axes ||
               (array.kind == ArraySupport::Kind::PerDimension &&
                array.neutral && op->getAttr(array.attribute));
      });
}

namespace {
/// The dimensions that an operation does not change.
class Dimensions {
public:
  explicit Dimensions(FeatureLevelOpInterface op) {
    SmallVector<FeatureLevelOpInterface::Tensor> tensors = op.getTensors();
    auto model = cast<RankedTensorType>(tensors.front().type);
    idle.assign(model.getRank(), true);
    unit.assign(model.getRank(), true);
    for (const FeatureLevelOpInterface::Tensor &tensor : tensors) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(tensor.type).getShape();
      for (auto [dim, size] : llvm::enumerate(shape)) {
        idle[dim] &= size == model.getDimSize(dim);
        unit[dim] &= size == 1;
      }
    }
    for (const ArraySupport &array : op.getOperatorSupport().arrays) {
      if (array.kind == ArraySupport::Kind::Axes) {
        for (int64_t axis : getAxes(op, array))
          idle[axis] = false;
        continue;
      }
      first = array.firstDimension;
      Attribute neutral = getNeutralValue(op, array);
      for (auto [i, value] :
           llvm::enumerate(getArrayValues(op, array.attribute)))
        idle[first + i] &= value == neutral;
    }
  }

  /// Returns the first dimension to which the operation's arrays refer.
  int64_t getFirst() const { return first; }

  /// Returns the dimensions that the operation changes.
  SmallVector<int64_t> getActive() const {
    SmallVector<int64_t> active;
    for (auto [dim, isIdle] : llvm::enumerate(idle))
      if (!isIdle)
        active.push_back(dim);
    return active;
  }

  /// Merges neighbouring dimensions until at most `maxRank` are left, or fails.
  /// Two dimensions can be merged if the operation changes neither of them, or
  /// if one of them has size 1 and is not changed.
  FailureOr<SmallVector<ReassociationIndices>> merge(int64_t maxRank) const {
    SmallVector<ReassociationIndices> groups;
    for (size_t dim = 0; dim < idle.size(); ++dim)
      groups.push_back({static_cast<int64_t>(dim)});
    while (static_cast<int64_t>(groups.size()) > maxRank) {
      size_t i = 0;
      while (i + 1 < groups.size() && !canMerge(groups, i))
        ++i;
      if (i + 1 >= groups.size())
        return failure();
      groups[i].append(groups[i + 1]);
      groups.erase(groups.begin() + i + 1);
    }
    return groups;
  }

private:
  bool isIdle(ArrayRef<int64_t> dims) const {
    return llvm::all_of(dims, [&](int64_t dim) { return idle[dim]; });
  }

  bool isIdleUnit(ArrayRef<int64_t> dims) const {
    return isIdle(dims) &&
           llvm::all_of(dims, [&](int64_t dim) { return unit[dim]; });
  }

  /// Whether the groups `i` and `i + 1` can be merged.
  bool canMerge(ArrayRef<ReassociationIndices> groups, int64_t i) const {
    bool mergesIdle = isIdle(groups[i]) && isIdle(groups[i + 1]);
    if (!mergesIdle && !isIdleUnit(groups[i]) && !isIdleUnit(groups[i + 1]))
      return false;
    // The arrays have no values for the first dimensions, which the operation
    // therefore must not change. This must also be true of the first dimensions
    // after the merge.
    for (int64_t k = i; k < first; ++k)
      if (k == i ? !mergesIdle
                 : k + 1 >= static_cast<int64_t>(groups.size()) ||
                       !isIdle(groups[k + 1]))
        return false;
    return true;
  }

  int64_t first = 0;
  SmallVector<bool> idle, unit;
};

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Rebuilds the results of an operation with operations that do not have one
/// kind of violation.
class Step {
public:
  Step(FeatureLevelOpInterface op, FeatureLevel level, OpBuilder &builder)
      : op(op), level(level), builder(builder) {}

  /// Returns the results. On failure, sets `whyNot` to the reason.
  FailureOr<SmallVector<Value>> run(Requirement::Kind violation) {
    switch (violation) {
    case Requirement::Kind::Operator:
    case Requirement::Kind::EnumCase:
    case Requirement::Kind::Rule:
      return decompose();
    case Requirement::Kind::DataType:
      return moveBits();
    case Requirement::Kind::Rank:
      return changeRank();
    }
    llvm_unreachable("unknown kind of requirement");
  }

  std::string whyNot;

private:
  /// For each dimension of the new operation, the dimension of the old
  /// operation whose values it takes from the arrays. Nothing for a dimension
  /// that the new operation must not change.
  using DimensionMap = SmallVector<std::optional<int64_t>>;

  FailureOr<SmallVector<Value>> decompose();
  FailureOr<SmallVector<Value>> moveBits();
  FailureOr<SmallVector<Value>> addLeadingDimensions(const LevelSupport &row);
  FailureOr<SmallVector<Value>> changeRank();
  SmallVector<Value> expand(const Dimensions &dimensions, int64_t rank);
  SmallVector<Value> collapse(const Dimensions &dimensions,
                              ArrayRef<ReassociationIndices> groups);
  SmallVector<Value> splitByDimension(ArrayRef<int64_t> active);

  /// Inserts a copy of the operation with other operands and result types.
  /// `map` determines the values in the arrays.
  SmallVector<Value> clone(ValueRange operands, TypeRange resultTypes,
                           const DimensionMap &map);

  FailureOr<SmallVector<Value>> fail(const Twine &reason) {
    whyNot = reason.str();
    return failure();
  }

  bool movesElements() {
    auto movement = dyn_cast<MovementOpInterface>(op.getOperation());
    return movement && movement.movesElements();
  }

  FeatureLevelOpInterface op;
  FeatureLevel level;
  OpBuilder &builder;
};
} // namespace

SmallVector<Value> Step::clone(ValueRange operands, TypeRange resultTypes,
                               const DimensionMap &map) {
  Operation *copy = op->cloneWithoutRegions();
  copy->setOperands(operands);
  for (auto [result, type] : llvm::zip_equal(copy->getResults(), resultTypes))
    result.setType(type);
  for (const ArraySupport &array : op.getOperatorSupport().arrays) {
    if (array.kind == ArraySupport::Kind::Axes) {
      SmallVector<int64_t> axes;
      for (int64_t axis : getAxes(op, array))
        axes.push_back(llvm::find(map, axis) - map.begin());
      setAxes(copy, array, axes);
      continue;
    }
    SmallVector<Attribute> old = getArrayValues(op, array.attribute), values;
    for (std::optional<int64_t> dim :
         ArrayRef(map).drop_front(array.firstDimension))
      values.push_back(dim ? old[*dim - array.firstDimension]
                           : getNeutralValue(op, array));
    setArrayValues(copy, array.attribute, values);
  }
  return builder.insert(copy)->getResults();
}

FailureOr<SmallVector<Value>> Step::decompose() {
  auto decomposable = dyn_cast<DecomposableOpInterface>(op.getOperation());
  if (!decomposable)
    return fail("no older operators are known to compute it");
  FailureOr<SmallVector<Value>> values = decomposable.decompose(builder);
  if (failed(values))
    return fail(
        "no older operators are known to compute it, or none within the limits "
        "of a tensor's size");
  return values;
}

FailureOr<SmallVector<Value>> Step::moveBits() {
  if (!movesElements())
    return fail(
        "the op computes with its elements, and another data type would "
        "give other values");
  Type from =
      cast<RankedTensorType>(op->getOperand(0).getType()).getElementType();
  unsigned width = from.getIntOrFloatBitWidth();
  const LevelSupport &row = *op.getRow(level);
  SmallVector<Type> candidates;
  for (DataType dataType : getDataTypes()) {
    Type type = getElementType(dataType, op->getContext());
    if (type.getIntOrFloatBitWidth() == width &&
        llvm::all_of(row.tensors, [&](const TensorSupport &tensor) {
          return tensor.supportsDataType(dataType);
        }))
      candidates.push_back(type);
  }
  if (candidates.empty())
    return fail("the level has no data type of " + Twine(width) +
                " bits to move the elements as");
  // Integer types come first, since they preserve all bits most reliably.
  llvm::stable_sort(candidates, [](Type lhs, Type rhs) {
    return isa<IntegerType>(lhs) && !isa<IntegerType>(rhs);
  });

  auto bitcast = [&](Value value, Type type) -> Value {
    return tensor::BitcastOp::create(
        builder, op->getLoc(),
        cast<RankedTensorType>(value.getType()).clone(type), value);
  };
  for (Type to : candidates) {
    Operation *copy = op->cloneWithoutRegions();
    if (failed(
            cast<MovementOpInterface>(copy).reinterpretConstants(from, to))) {
      copy->destroy();
      continue;
    }
    for (OpOperand &operand : copy->getOpOperands())
      operand.set(bitcast(operand.get(), to));
    for (Value result : copy->getResults())
      result.setType(cast<RankedTensorType>(result.getType()).clone(to));
    builder.insert(copy);
    return llvm::map_to_vector(copy->getResults(), [&](Value result) {
      return bitcast(result, from);
    });
  }
  return fail("the bits of its constant are no value that the op can state for "
              "elements of a type that the level has");
}

/// Adds leading dimensions of size 1 to all tensors of a product of matrices,
/// up to the smallest rank that `row` has. Such dimensions change nothing:
/// there is one product. Fails if the tensors already have that rank.
FailureOr<SmallVector<Value>>
Step::addLeadingDimensions(const LevelSupport &row) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t rank = row.tensors.front().minRank, added = rank - type.getRank();
  if (added <= 0)
    return failure();
  SmallVector<ReassociationIndices> groups;
  groups.push_back(llvm::to_vector(llvm::seq(added + 1)));
  for (int64_t dim = added + 1; dim < rank; ++dim)
    groups.push_back({dim});
  auto expandType = [&](Type old) {
    auto tensorType = cast<RankedTensorType>(old);
    SmallVector<int64_t> shape(added, 1);
    llvm::append_range(shape, tensorType.getShape());
    return tensorType.clone(shape);
  };
  Operation *product = op->cloneWithoutRegions();
  for (OpOperand &operand : product->getOpOperands())
    operand.set(tensor::ExpandShapeOp::create(
        builder, op->getLoc(), expandType(operand.get().getType()),
        operand.get(), groups));
  product->getResult(0).setType(expandType(type));
  builder.insert(product);
  return SmallVector<Value>{tensor::CollapseShapeOp::create(
      builder, op->getLoc(), type, product->getResult(0), groups)};
}

FailureOr<SmallVector<Value>> Step::changeRank() {
  const LevelSupport &row = *op.getRow(level);
  if (op.getOperatorSupport().rankChange != RankChange::Independent ||
      !areArraysKnown(op)) {
    if (isa<GemmOp>(op))
      if (auto values = addLeadingDimensions(row); succeeded(values))
        return values;
    return fail("nothing is known of what the op does in each dimension, so "
                "its rank cannot change; write it with rank " +
                Twine(unsigned(row.tensors.front().minRank)));
  }
  SmallVector<FeatureLevelOpInterface::Tensor> tensors = op.getTensors();
  int64_t rank = cast<RankedTensorType>(tensors.front().type).getRank();
  int64_t minRank = 0, maxRank = std::numeric_limits<int64_t>::max();
  for (const FeatureLevelOpInterface::Tensor &tensor : tensors) {
    minRank = std::max<int64_t>(minRank, row.tensors[tensor.index].minRank);
    maxRank = std::min<int64_t>(maxRank, row.tensors[tensor.index].maxRank);
    if (cast<RankedTensorType>(tensor.type).getRank() != rank)
      return fail("its tensors are of different ranks");
  }

  Dimensions dimensions(op);
  if (rank < minRank)
    return expand(dimensions, minRank);
  FailureOr<SmallVector<ReassociationIndices>> groups =
      dimensions.merge(maxRank);
  if (succeeded(groups))
    return collapse(dimensions, *groups);
  SmallVector<int64_t> active = dimensions.getActive();
  bool hasAxes =
      llvm::any_of(op.getOperatorSupport().arrays, [](const ArraySupport &a) {
        return a.kind == ArraySupport::Kind::Axes;
      });
  if (movesElements() && !hasAxes && active.size() > 1)
    return splitByDimension(active);
  return fail(
      "too few neighbouring dimensions can be merged: the op works on " +
      Twine(active.size()) + " of " + Twine(rank));
}

/// Adds dimensions of size 1 before the first dimension to which the arrays
/// refer.
SmallVector<Value> Step::expand(const Dimensions &dimensions, int64_t rank) {
  int64_t oldRank =
      cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  int64_t first = dimensions.getFirst(), added = rank - oldRank;
  DimensionMap map;
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < oldRank; ++dim) {
    ReassociationIndices &group = groups.emplace_back();
    for (int64_t i = 0; dim == first && i < added; ++i) {
      group.push_back(map.size());
      map.push_back(std::nullopt);
    }
    group.push_back(map.size());
    map.push_back(dim);
  }
  auto expandType = [&](Type type) {
    auto tensorType = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensorType.getShape());
    shape.insert(shape.begin() + first, added, 1);
    return tensorType.clone(shape);
  };
  SmallVector<Value> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(tensor::ExpandShapeOp::create(
        builder, op->getLoc(), expandType(operand.getType()), operand, groups));
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(),
                          [&](Type type) -> Type { return expandType(type); });
  for (auto [result, old] :
       llvm::zip_equal(clone(operands, types, map), op->getResults()))
    results.push_back(tensor::CollapseShapeOp::create(
        builder, op->getLoc(), old.getType(), result, groups));
  return results;
}

SmallVector<Value> Step::collapse(const Dimensions &dimensions,
                                  ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> active = dimensions.getActive();
  DimensionMap map;
  for (const ReassociationIndices &group : groups) {
    const int64_t *dim = llvm::find_if(
        group, [&](int64_t dim) { return llvm::is_contained(active, dim); });
    map.push_back(dim == group.end() ? std::nullopt : std::optional(*dim));
  }
  auto collapseType = [&](Type type) {
    auto tensorType = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape;
    for (const ReassociationIndices &group : groups) {
      int64_t &size = shape.emplace_back(1);
      for (int64_t dim : group)
        size *= tensorType.getDimSize(dim);
    }
    return tensorType.clone(shape);
  };
  SmallVector<Value> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(tensor::CollapseShapeOp::create(
        builder, op->getLoc(), collapseType(operand.getType()), operand,
        groups));
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type {
        return collapseType(type);
      });
  for (auto [result, old] :
       llvm::zip_equal(clone(operands, types, map), op->getResults()))
    results.push_back(tensor::ExpandShapeOp::create(
        builder, op->getLoc(), old.getType(), result, groups));
  return results;
}

SmallVector<Value> Step::splitByDimension(ArrayRef<int64_t> active) {
  // An operation that moves elements has one operand and one result.
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  Value value = op->getOperand(0);
  for (int64_t dim : active) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = resultType.getDimSize(dim);
    DimensionMap map(type.getRank());
    map[dim] = dim;
    value = clone(value, type.clone(shape), map).front();
  }
  return {value};
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

namespace {
/// Records the operators that a step builds.
struct OperatorListener : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (auto dmlOp = dyn_cast<FeatureLevelOpInterface>(op))
      operators.push_back(dmlOp);
  }
  SmallVector<FeatureLevelOpInterface> operators;
};
} // namespace

/// Replaces `op`, which itself replaces an operator `origin`, by operations
/// that `level` supports, and adds these to `made`.
static LogicalResult legalize(FeatureLevelOpInterface op, FeatureLevel level,
                              OperationName origin,
                              SmallVectorImpl<OperationName> &made) {
  SmallVector<Requirement> violations = op.getViolations(level);
  if (violations.empty()) {
    made.push_back(op->getName());
    return success();
  }
  OperatorListener listener;
  OpBuilder builder(op, &listener);
  Step step(op, level, builder);
  FailureOr<SmallVector<Value>> values = step.run(violations.front().kind);
  if (failed(values)) {
    InFlightDiagnostic diagnostic = op.emitViolation(violations.front(), level);
    diagnostic.attachNote() << "cannot be legalized: " << step.whyNot;
    if (op->getName() != origin)
      diagnostic.attachNote()
          << "the op stands in place of a '" << origin << "'";
    return failure();
  }
  op->replaceAllUsesWith(*values);
  op->erase();
  bool hasFailed = false;
  for (FeatureLevelOpInterface built : listener.operators)
    hasFailed |= failed(legalize(built, level, origin, made));
  return failure(hasFailed);
}

LogicalResult dml::legalizeOperator(FeatureLevelOpInterface op,
                                    FeatureLevel level,
                                    SmallVectorImpl<OperationName> &made) {
  return legalize(op, level, op->getName(), made);
}

LogicalResult dml::legalizeFeatureLevel(Operation *root, FeatureLevel level) {
  SmallVector<FeatureLevelOpInterface> operators;
  root->walk([&](FeatureLevelOpInterface op) { operators.push_back(op); });
  bool hasFailed = false;
  SmallVector<OperationName> made;
  for (FeatureLevelOpInterface op : operators)
    hasFailed |= failed(legalizeOperator(op, level, made));
  return failure(hasFailed);
}
