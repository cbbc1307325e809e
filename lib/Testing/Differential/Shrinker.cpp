//===- Shrinker.cpp - Making failing programs small -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Each step edits a copy of the module without keeping it consistent. `retype`
// then infers all types again, and a copy that fails verification is discarded.
// Therefore steps are simple, and do not depend on particular operators.
//
//===----------------------------------------------------------------------===//

#include "Testing/Differential/Differential.h"
#include "Testing/Programs/Operators.h"
#include "dml/IR/ViewOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;

namespace dml::fuzz {

static func::FuncOp getMain(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Gives every argument and result the element type and the sizes of the first
/// tensor in its groups.
static void fitGroups(FeatureLevelOpInterface op) {
  llvm::SmallDenseMap<unsigned, RankedTensorType> types, shapes;
  for (const FeatureLevelOpInterface::Tensor &tensor : op.getTensors()) {
    auto type = dyn_cast<RankedTensorType>(tensor.type);
    if (!type)
      return;
    Type element = type.getElementType();
    ArrayRef<int64_t> shape = type.getShape();
    if (unsigned group = tensor.info->typeGroup)
      element = types.try_emplace(group, type).first->second.getElementType();
    if (unsigned group = tensor.info->shapeGroup)
      shape = shapes.try_emplace(group, type).first->second.getShape();
    Value value = tensor.info->isResult ? Value(op->getResult(tensor.number))
                                        : op->getOperand(tensor.number);
    if (tensor.info->isResult || isa<BlockArgument>(value))
      value.setType(RankedTensorType::get(shape, element));
  }
}

LogicalResult retype(ModuleOp module) {
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  func::FuncOp function = getMain(module);
  Block &block = function.front();
  for (Operation &op : block) {
    auto dmlOp = dyn_cast<FeatureLevelOpInterface>(op);
    if (dmlOp)
      fitGroups(dmlOp);
    const Operator *known = getOperators().find(op.getName().getStringRef());
    if (known && known->refit)
      known->refit(&op);
    if (auto inferable = dyn_cast<InferTypeOpInterface>(op)) {
      SmallVector<Type> types;
      if (failed(inferable.inferReturnTypes(
              op.getContext(), op.getLoc(), op.getOperands(),
              op.getRawDictionaryAttrs(), op.getPropertiesStorage(),
              op.getRegions(), types)))
        return failure();
      for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
        result.setType(type);
    }
  }
  function.setType(FunctionType::get(module.getContext(),
                                     block.getArgumentTypes(),
                                     block.getTerminator()->getOperandTypes()));
  return verify(module);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Edits a copy of a module. Returns false if there is nothing to edit.
using Edit = llvm::function_ref<bool(ModuleOp copy)>;

namespace {
class Shrinker {
public:
  Shrinker(ModuleOp module, llvm::function_ref<bool(ModuleOp)> fails,
           unsigned maxTries)
      : best(module.clone()), fails(fails), triesLeft(maxTries) {}

  OwningOpRef<ModuleOp> run() {
    if (!getMain(*best) || getMain(*best).isExternal())
      return std::move(best);
    bool progress = true;
    while (progress && triesLeft > 0) {
      progress = dropLayouts();
      progress |= dropResults();
      progress |= dropOperators();
      progress |= dropArguments();
      progress |= dropDimensions();
      progress |= shrinkShapes();
      progress |= simplifyAttributes();
      progress |= dropTarget();
    }
    return std::move(best);
  }

private:
  /// Edits a copy, and keeps the copy if it still fails.
  bool attempt(Edit edit) {
    if (triesLeft == 0)
      return false;
    OwningOpRef<ModuleOp> copy = best->clone();
    if (!edit(*copy) || failed(retype(*copy)))
      return false;
    // If a changed type is inferred from other types, `retype` has undone the
    // edit.
    if (OperationEquivalence::isEquivalentTo(
            *copy, *best, OperationEquivalence::IgnoreLocations))
      return false;
    --triesLeft;
    if (!fails(*copy))
      return false;
    best = std::move(copy);
    return true;
  }

  static Operation *getOperation(ModuleOp module, size_t index) {
    Block &block = getMain(module).front();
    if (index >= block.getOperations().size())
      return nullptr;
    return &*std::next(block.begin(), index);
  }
  size_t getNumOperations() {
    return getMain(*best).front().getOperations().size();
  }

  /// Erases unused operations, and the attributes of results, which would no
  /// longer match the results.
  static void cleanUp(ModuleOp module) {
    func::FuncOp function = getMain(module);
    function.removeResAttrsAttr();
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.front())))
      if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
        op.erase();
  }

  bool dropResults() {
    bool progress = false;
    for (unsigned index = 0;
         index < getMain(*best).front().getTerminator()->getNumOperands();) {
      bool dropped = attempt([&](ModuleOp copy) {
        Operation *terminator = getMain(copy).front().getTerminator();
        if (terminator->getNumOperands() == 1)
          return false;
        terminator->eraseOperand(index);
        cleanUp(copy);
        return true;
      });
      progress |= dropped;
      index += !dropped;
    }
    return progress;
  }

  bool dropOperators() {
    bool progress = false;
    for (size_t index = 0; index < getNumOperations();) {
      // Replaces the operation's result by its input, or else by an argument.
      bool dropped =
          attempt([&](ModuleOp copy) {
            Operation *op = getOperation(copy, index);
            if (op->getNumResults() != 1 || op->getNumOperands() == 0)
              return false;
            op->getResult(0).replaceAllUsesWith(op->getOperand(0));
            cleanUp(copy);
            return true;
          }) ||
          attempt([&](ModuleOp copy) {
            Operation *op = getOperation(copy, index);
            if (op->getNumResults() != 1)
              return false;
            op->getResult(0).replaceAllUsesWith(
                getMain(copy).front().addArgument(op->getResult(0).getType(),
                                                  op->getLoc()));
            getMain(copy).removeArgAttrsAttr();
            cleanUp(copy);
            return true;
          });
      progress |= dropped;
      index += !dropped;
    }
    return progress;
  }

  bool dropArguments() {
    return attempt([](ModuleOp copy) {
      Block &block = getMain(copy).front();
      size_t before = block.getNumArguments();
      block.eraseArguments(
          [](BlockArgument argument) { return argument.use_empty(); });
      getMain(copy).removeArgAttrsAttr();
      return block.getNumArguments() < before;
    });
  }

  /// Returns values to try in place of `value`, down to `minimum`, the smallest
  /// first.
  static SmallVector<int64_t> getSmaller(int64_t value, int64_t minimum) {
    SmallVector<int64_t> candidates;
    for (int64_t candidate :
         {minimum, minimum + 1, minimum + (value - minimum) / 2, value - 1})
      if (candidate >= minimum && candidate < value &&
          !llvm::is_contained(candidates, candidate))
        candidates.push_back(candidate);
    return candidates;
  }

  /// Removes dimension `dim` from every tensor of rank `rank`, and the
  /// corresponding value from every array with one value for each of the last
  /// dimensions.
  static void dropDimension(ModuleOp module, int64_t rank, int64_t dim) {
    auto drop = [&](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || type.getRank() != rank)
        return;
      SmallVector<int64_t> shape(type.getShape());
      shape.erase(shape.begin() + dim);
      value.setType(type.clone(shape));
    };
    auto dropFrom = [&](auto values) {
      int64_t index = dim - (rank - static_cast<int64_t>(values.size()));
      if (index >= 0 && index < static_cast<int64_t>(values.size()))
        values.erase(values.begin() + index);
      return values;
    };
    Block &block = getMain(module).front();
    for (Operation &op : block) {
      if (op.getNumOperands() == 0 || op.hasTrait<OpTrait::IsTerminator>())
        continue;
      auto type = dyn_cast<RankedTensorType>(op.getOperand(0).getType());
      // Arguments lose the dimension below.
      if (!type || type.getRank() != rank)
        continue;
      for (NamedAttribute attribute : op.getAttrs()) {
        if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute.getValue()))
          op.setAttr(attribute.getName(),
                     DenseI64ArrayAttr::get(
                         op.getContext(),
                         dropFrom(llvm::to_vector(array.asArrayRef()))));
        if (auto array = dyn_cast<DenseF32ArrayAttr>(attribute.getValue()))
          op.setAttr(attribute.getName(),
                     DenseF32ArrayAttr::get(
                         op.getContext(),
                         dropFrom(llvm::to_vector(array.asArrayRef()))));
      }
    }
    for (BlockArgument argument : block.getArguments())
      drop(argument);
    for (Operation &op : block)
      for (Value result : op.getResults())
        drop(result);
  }

  bool dropDimensions() {
    bool progress = false;
    llvm::SmallSetVector<int64_t, 4> ranks;
    for (Type type : getMain(*best).getArgumentTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        ranks.insert(tensor.getRank());
    for (int64_t rank : ranks)
      for (int64_t dim = rank; dim-- > 0 && rank > 1;) {
        bool dropped = attempt([&](ModuleOp copy) {
          dropDimension(copy, rank, dim);
          return true;
        });
        progress |= dropped;
        rank -= dropped;
      }
    return progress;
  }

  /// Shrinks the type of the value that `get` returns for a module.
  bool shrinkShape(llvm::function_ref<Value(ModuleOp)> get) {
    bool progress = false;
    auto type = dyn_cast<RankedTensorType>(get(*best).getType());
    if (!type)
      return false;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      for (int64_t size : getSmaller(type.getDimSize(dim), 1)) {
        bool shrunk = attempt([&](ModuleOp copy) {
          Value value = get(copy);
          auto type = cast<RankedTensorType>(value.getType());
          SmallVector<int64_t> shape(type.getShape());
          if (shape[dim] <= size)
            return false;
          shape[dim] = size;
          value.setType(type.clone(shape));
          return true;
        });
        progress |= shrunk;
        if (shrunk)
          break;
      }
    return progress;
  }

  bool shrinkShapes() {
    bool progress = false;
    for (unsigned i = 0; i < getMain(*best).front().getNumArguments(); ++i)
      progress |= shrinkShape([&](ModuleOp module) {
        return getMain(module).front().getArgument(i);
      });
    for (size_t i = 0; i < getNumOperations(); ++i)
      // Only for results whose sizes are not inferred.
      if (isa<FeatureLevelOpInterface, ViewOp>(getOperation(*best, i)) &&
          !isa<InferTypeOpInterface>(getOperation(*best, i)))
        progress |= shrinkShape([&](ModuleOp module) {
          return getOperation(module, i)->getResult(0);
        });
    return progress;
  }

  /// Returns simpler values for one attribute.
  static SmallVector<Attribute> getSimpler(Attribute attribute) {
    MLIRContext *context = attribute.getContext();
    SmallVector<Attribute> candidates;
    if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute)) {
      for (auto [index, value] : llvm::enumerate(array.asArrayRef()))
        for (int64_t candidate : getSmaller(value, 0)) {
          SmallVector<int64_t> values(array.asArrayRef());
          values[index] = candidate;
          candidates.push_back(DenseI64ArrayAttr::get(context, values));
        }
    } else if (auto array = dyn_cast<DenseF32ArrayAttr>(attribute)) {
      for (auto [index, value] : llvm::enumerate(array.asArrayRef()))
        for (float candidate : {1.0f, 2.0f, 0.5f, std::round(value),
                                std::round(value * 10) / 10}) {
          // Candidates only replace values that are not candidates themselves,
          // or shrinking would not terminate.
          if (value == 1.0f || value == 2.0f || value == 0.5f ||
              candidate == value)
            continue;
          SmallVector<float> values(array.asArrayRef());
          values[index] = candidate;
          candidates.push_back(DenseF32ArrayAttr::get(context, values));
        }
    } else if (auto number = dyn_cast<FloatAttr>(attribute)) {
      for (double value : {0.0, 9.0})
        if (!number.getValue().bitwiseIsEqual(
                FloatAttr::get(number.getType(), value).getValue()) &&
            !number.getValue().isZero())
          candidates.push_back(FloatAttr::get(number.getType(), value));
    }
    return candidates;
  }

  bool simplifyAttributes() {
    bool progress = false;
    for (size_t i = 0; i < getNumOperations(); ++i) {
      // The attributes of other operations repeat what their types say.
      if (!isa<FeatureLevelOpInterface, ViewOp>(getOperation(*best, i)))
        continue;
      for (NamedAttribute attribute : getOperation(*best, i)->getAttrs()) {
        StringAttr name = attribute.getName();
        bool simplified = true;
        while (simplified) {
          Attribute value = getOperation(*best, i)->getAttr(name);
          simplified =
              llvm::any_of(getSimpler(value), [&](Attribute candidate) {
                return attempt([&](ModuleOp copy) {
                  getOperation(copy, i)->setAttr(name, candidate);
                  return true;
                });
              });
          progress |= simplified;
        }
      }
    }
    return progress;
  }

  /// Removes the strides of all arguments and results.
  bool dropLayouts() {
    return attempt([](ModuleOp copy) {
      func::FuncOp function = getMain(copy);
      bool dropped = false;
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        dropped |=
            static_cast<bool>(function.removeArgAttr(i, stridesAttrName));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        dropped |= static_cast<bool>(function.removeResultAttr(
            i, StringAttr::get(copy.getContext(), stridesAttrName)));
      return dropped;
    });
  }

  bool dropTarget() {
    return attempt([](ModuleOp copy) {
      return static_cast<bool>(copy->removeAttr(targetAttrName));
    });
  }

  OwningOpRef<ModuleOp> best;
  llvm::function_ref<bool(ModuleOp)> fails;
  unsigned triesLeft;
};
} // namespace

OwningOpRef<ModuleOp> shrink(ModuleOp module,
                             llvm::function_ref<bool(ModuleOp)> fails,
                             unsigned maxTries) {
  return Shrinker(module, fails, maxTries).run();
}

} // namespace dml::fuzz
