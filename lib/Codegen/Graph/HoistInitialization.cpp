//===- HoistInitialization.cpp - Values that are computed once ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Cleanup.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "dml/IR/LayoutAttr.h"
#include "dml/IR/Ownership.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace dml {
#define GEN_PASS_DEF_HOISTINITIALIZATION
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Returns the number of bytes of a tensor type, or 0 for other types.
static int64_t getTensorBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return 0;
  return tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8;
}

/// Whether `op` computes new elements, so that its result is worth storing. Two
/// kinds of operations count as well although they only move elements: a copy
/// into the order in which a kernel reads the elements, and an insertion into a
/// tensor.
static bool computes(Operation *op) {
  if (isa<tensor::InsertSliceOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return false;
  if (generic->hasAttr(layoutAttrName))
    return true;
  WalkResult result = generic.getBody()->walk([](Operation *nested) {
    bool moves =
        nested->getNumResults() == 0 || nested->getNumRegions() ||
        isa<linalg::IndexOp, tensor::ExtractOp, arith::SelectOp>(nested) ||
        nested->hasTrait<OpTrait::ConstantLike>() ||
        llvm::all_of(nested->getResultTypes(), [](Type type) {
          return type.isIndex() || type.isInteger(1);
        });
    return moves ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// Returns the operands of `op` and the values from outside of `op` that its
/// regions use.
static llvm::SetVector<Value> getReadValues(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

namespace {
/// A value that depends only on constants and weights.
struct Known {
  /// The weights and constants on which a value depends. Constants that repeat
  /// one number take no memory and are left out. `isComputed` tells whether the
  /// value depends on an operation for which computes() is true.
  llvm::SmallPtrSet<Value, 4> sources;
  bool isComputed = false;
};

/// Builds the initialization, a function that runs only once, before the
/// program runs.
class Initialization {
public:
  explicit Initialization(ModuleOp module) : module(module) {}

  /// Moves to the initialization the operations of `function` that depend only
  /// on constants and weights.
  LogicalResult hoist(func::FuncOp function);
  /// Completes the initialization. Returns false if the initialization has no
  /// operations.
  bool finish();

private:
  /// Clones the operations of the function `source` that compute `value`, and
  /// returns the clone of `value`. The clones stand in the initialization: the
  /// function that computes, once, values that depend on weights alone.
  Value clone(Value value, func::FuncOp source, IRMapping &mapping);
  Value getWeight(BlockArgument argument, func::FuncOp source);

  ModuleOp module;
  func::FuncOp initialization;
  SmallVector<Value> results;
  llvm::StringMap<Value> weights;
};
} // namespace

Value Initialization::getWeight(BlockArgument argument, func::FuncOp source) {
  DictionaryAttr attributes = source.getArgAttrDict(argument.getArgNumber());
  Value &weight =
      weights[attributes.getAs<StringAttr>(nameAttrName).getValue()];
  if (!weight) {
    unsigned index = initialization.getNumArguments();
    (void)initialization.insertArgument(index, argument.getType(), attributes,
                                        argument.getLoc());
    weight = initialization.getArgument(index);
  }
  return weight;
}

Value Initialization::clone(Value value, func::FuncOp source,
                            IRMapping &mapping) {
  if (Value found = mapping.lookupOrNull(value))
    return found;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    mapping.map(value, getWeight(argument, source));
    return mapping.lookup(value);
  }
  Operation *op = value.getDefiningOp();
  for (Value read : getReadValues(op))
    clone(read, source, mapping);
  OpBuilder::atBlockEnd(&initialization.getBody().front()).clone(*op, mapping);
  return mapping.lookup(value);
}

LogicalResult Initialization::hoist(func::FuncOp function) {
  if (!function.isPublic() || !function.getBody().hasOneBlock())
    return success();
  Block &block = function.getBody().front();
  llvm::DenseMap<Value, Known> known;
  for (BlockArgument argument : block.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), ownedAttrName))
      known[argument].sources.insert(argument);
  for (Operation &op : block.without_terminator()) {
    if (!isMemoryEffectFree(&op))
      continue;
    llvm::SetVector<Value> reads = getReadValues(&op);
    if (llvm::any_of(reads, [&](Value read) { return !known.contains(read); }))
      continue;
    Known result;
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      if (getTensorBytes(constant.getType()) && !splat)
        result.sources.insert(constant.getResult());
    }
    result.isComputed = computes(&op);
    for (Value read : reads) {
      const Known &from = known.find(read)->second;
      result.sources.insert(from.sources.begin(), from.sources.end());
      result.isComputed |= from.isComputed;
    }
    for (Value value : op.getResults())
      known[value] = result;
  }

  // If one input of a concatenation is computed in each run of the program, the
  // result of the whole concatenation lies in a buffer that each run writes.
  // The other inputs must then be inserted in each run as well, even if they
  // are constants. The insertions before such an input therefore stay in the
  // function. The operations that compute the inserted tensors are hoisted
  // nevertheless.
  for (Operation &op : llvm::reverse(block)) {
    auto insert = dyn_cast<tensor::InsertSliceOp>(op);
    if (insert && !known.contains(insert.getResult()) &&
        insert.getDest().getDefiningOp<tensor::InsertSliceOp>())
      known.erase(insert.getDest());
  }

  // The frontier consists of the values that the initialization computes and
  // that the rest of the function reads. A program stores these values. Storing
  // a value is not worthwhile if the value has more bytes than the weights and
  // constants from which it is computed: a broadcast may repeat a bias for each
  // row. The rest of the function then computes the value itself, and the
  // operands of the value's operation become candidates for the frontier.
  llvm::SetVector<Value> read;
  for (Operation &op : block)
    if (op.getNumResults() == 0 || !known.contains(op.getResult(0)))
      read.insert_range(getReadValues(&op));
  llvm::SetVector<Value> frontier;
  for (size_t i = 0; i < read.size(); ++i) {
    Value value = read[i];
    auto found = known.find(value);
    if (found == known.end() || !found->second.isComputed)
      continue;
    int64_t bytes = 0;
    for (Value source : found->second.sources)
      bytes += getTensorBytes(source.getType());
    int64_t own = getTensorBytes(value.getType());
    if (own && own <= bytes)
      frontier.insert(value);
    else if (Operation *op = value.getDefiningOp())
      read.insert_range(getReadValues(op));
  }
  if (frontier.empty())
    return success();

  OpBuilder builder(module.getContext());
  if (!initialization) {
    initialization =
        func::FuncOp::create(builder, function.getLoc(), "initialize",
                             builder.getFunctionType(TypeRange(), TypeRange()));
    initialization->setAttr(initializationAttrName, builder.getUnitAttr());
    // The operators of the initialization are verified for the same feature
    // level as those of the function.
    if (Attribute target = function->getAttr(targetAttrName))
      initialization->setAttr(targetAttrName, target);
    initialization.addEntryBlock();
  }
  IRMapping mapping;
  auto number = static_cast<int64_t>(results.size());
  for (Value value : frontier)
    results.push_back(clone(value, function, mapping));
  for (Value value : frontier) {
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(
            index, value.getType(),
            builder.getDictionaryAttr(builder.getNamedAttr(
                persistentAttrName, builder.getI64IntegerAttr(number++))),
            value.getLoc())))
      return failure();
    value.replaceAllUsesWith(function.getArgument(index));
  }
  return success();
}

bool Initialization::finish() {
  if (!initialization)
    return false;
  OpBuilder builder = OpBuilder::atBlockEnd(&initialization.getBody().front());
  func::ReturnOp::create(builder, initialization.getLoc(), results);
  initialization.setType(
      builder.getFunctionType(initialization.getArgumentTypes(),
                              llvm::map_to_vector(results, [](Value value) {
                                return value.getType();
                              })));
  SymbolTable symbols(module);
  symbols.insert(initialization, module.getBody()->begin());
  return true;
}

namespace {
struct HoistInitialization
    : dml::impl::HoistInitializationBase<HoistInitialization> {
  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    // If the pass has run on the module before, the module already has its
    // initialization.
    if (llvm::any_of(functions, [](func::FuncOp function) {
          return function->hasAttr(initializationAttrName);
        }))
      return;
    Initialization initialization(getOperation());
    for (func::FuncOp function : functions)
      if (failed(initialization.hoist(function)))
        return signalPassFailure();
    if (!initialization.finish())
      return;
    OpPassManager cleanup(ModuleOp::getOperationName());
    addGenericCleanup(cleanup);
    if (failed(runPipeline(cleanup, getOperation())))
      signalPassFailure();
  }
};
} // namespace
