//===- OutlineLoopBodies.cpp - The body of a loop is a function -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace dml {
#define GEN_PASS_DEF_OUTLINELOOPBODIES
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// A loop that the executable repeats, such as the time steps of a recurrent
/// network, and the operations of its body that compute tensors.
class LoopBody {
public:
  explicit LoopBody(scf::ForOp loop);

  /// Whether nothing is left to outline: the loop's body has no operations to
  /// move to a function, or only the call of a function that was outlined
  /// before.
  bool isOutlined() const {
    return moved.empty() ||
           (moved.size() == 1 && isa<func::CallOp>(moved.front()));
  }
  LogicalResult outline(SymbolTable &symbols);

private:
  void keepReshapes(Value slice);
  void keepInsertion(Value yielded);
  void sortByDepth();
  LogicalResult findInputs();

  scf::ForOp loop;
  /// The operations that stay in the loop when its body moves to a new
  /// function: slices and insertions of slices, the reshapes between them and
  /// the body, and arithmetic on indices.
  llvm::SmallPtrSet<Operation *, 16> kept;
  /// The operations of the loop's body that move to the new function.
  SmallVector<Operation *> moved;
  /// Values that the new function needs from outside: constants, of which the
  /// function gets copies, and `inputs`, which become its arguments. `results`
  /// are the values that the function returns to the loop.
  llvm::SetVector<Value> constants, inputs;
  llvm::SetVector<Value> results;
};
} // namespace

static bool keepsElements(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// Adds the reshapes of `slice`, and the reshapes of these reshapes, to the
/// operations that stay in the loop (`kept`).
void LoopBody::keepReshapes(Value slice) {
  for (Operation *user : slice.getUsers())
    if (keepsElements(user) && kept.insert(user).second)
      keepReshapes(user->getResult(0));
}

/// If `yielded` is the insertion of a slice into a tensor that the loop
/// carries, adds the insertion and the reshapes of the slice to the operations
/// that stay in the loop (`kept`).
void LoopBody::keepInsertion(Value yielded) {
  auto insert = yielded.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || insert->getBlock() != loop.getBody() ||
      !llvm::is_contained(loop.getRegionIterArgs(), insert.getDest()))
    return;
  kept.insert(insert);
  Operation *source = insert.getSource().getDefiningOp();
  while (keepsElements(source) && source->getBlock() == loop.getBody() &&
         source->hasOneUse()) {
    kept.insert(source);
    source = source->getOperand(0).getDefiningOp();
  }
}

LoopBody::LoopBody(scf::ForOp loop) : loop(loop) {
  Operation *yield = loop.getBody()->getTerminator();
  kept.insert(yield);
  llvm::for_each(yield->getOperands(),
                 [&](Value yielded) { keepInsertion(yielded); });
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  for (Operation &op : *loop.getBody()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
    if (slice && (loop.isDefinedOutsideOfLoop(slice.getSource()) ||
                  isa<BlockArgument>(slice.getSource()))) {
      kept.insert(slice);
      keepReshapes(slice);
    }
    if (op.getNumRegions() == 0 && isPure(&op) &&
        llvm::none_of(op.getOperandTypes(), isTensor) &&
        llvm::none_of(op.getResultTypes(), isTensor))
      kept.insert(&op);
  }
  for (Operation &op : *loop.getBody())
    if (!kept.contains(&op))
      moved.push_back(&op);
}

/// Sorts the operations by depth: the length of the longest chain of operations
/// on which an operation depends. Independent chains, such as the two
/// directions of a recurrent network, then alternate, and share their barriers.
void LoopBody::sortByDepth() {
  llvm::DenseMap<Operation *, unsigned> depths;
  for (Operation *op : moved) {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    unsigned depth = 0;
    for (Value value : used)
      if (auto found = depths.find(value.getDefiningOp());
          found != depths.end())
        depth = std::max(depth, found->second + 1);
    depths[op] = depth;
  }
  llvm::stable_sort(
      moved, [&](Operation *a, Operation *b) { return depths[a] < depths[b]; });
}

LogicalResult LoopBody::findInputs() {
  llvm::SetVector<Value> used;
  for (Operation *op : moved) {
    if (isa<scf::ForOp>(op))
      return emitError(op->getLoc(), "a loop over steps is in another loop, "
                                     "which an executable cannot express");
    used.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
  }
  llvm::SmallPtrSet<Operation *, 16> isMoved(moved.begin(), moved.end());
  for (Value value : used) {
    Operation *definition = value.getDefiningOp();
    if (isMoved.contains(definition))
      continue;
    SplatElementsAttr splat;
    if (definition && definition->hasTrait<OpTrait::ConstantLike>() &&
        (!isa<ShapedType>(value.getType()) ||
         matchPattern(value, m_Constant(&splat)))) {
      constants.insert(value);
      continue;
    }
    if (!isa<RankedTensorType>(value.getType()))
      return emitError(value.getLoc(), "the body of a loop over steps wants "
                                       "tensors alone, but reads a value of "
                                       "type ")
             << value.getType() << " from outside of its kernels";
    inputs.insert(value);
  }
  for (Operation *op : moved)
    for (Value value : op->getResults())
      if (llvm::any_of(value.getUsers(), [&](Operation *user) {
            return kept.contains(loop.getBody()->findAncestorOpInBlock(*user));
          }))
        results.insert(value);
  return success();
}

/// Moves the operations in front of `call` that use its results behind `call`.
/// Such an operation is the insertion of a result, if the loop reads a slice
/// after this insertion: the call stands behind all slices that it reads.
static void moveReadersBehind(func::CallOp call) {
  llvm::SmallPtrSet<Operation *, 8> behind = {call};
  Operation *last = call;
  for (Operation &op : llvm::make_early_inc_range(*call->getBlock())) {
    if (&op == call)
      return;
    if (llvm::none_of(op.getOperands(), [&](Value operand) {
          return behind.contains(operand.getDefiningOp());
        }))
      continue;
    behind.insert(&op);
    op.moveAfter(last);
    last = &op;
  }
}

LogicalResult LoopBody::outline(SymbolTable &symbols) {
  if (failed(findInputs()))
    return failure();
  Operation *last = moved.back();
  sortByDepth();
  OpBuilder builder(loop.getContext());
  TypeRange inputTypes = ValueRange(inputs.getArrayRef()).getTypes(),
            resultTypes = ValueRange(results.getArrayRef()).getTypes();
  auto function =
      func::FuncOp::create(builder, loop.getLoc(), "loop_body",
                           builder.getFunctionType(inputTypes, resultTypes));
  function.setPrivate();
  function.setNoInline(true);
  symbols.insert(
      function,
      std::next(loop->getParentOfType<func::FuncOp>()->getIterator()));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), function.getArguments());
  for (Value constant : constants)
    builder.clone(*constant.getDefiningOp(), mapping);
  for (Operation *op : moved)
    builder.clone(*op, mapping);
  func::ReturnOp::create(builder, loop.getLoc(),
                         llvm::map_to_vector(results, [&](Value value) {
                           return mapping.lookup(value);
                         }));

  // The call of the new function is placed behind all operations of the loop
  // whose results it reads.
  builder.setInsertionPoint(last);
  for (Operation *op : kept)
    if (llvm::any_of(op->getResults(),
                     [&](Value value) { return inputs.contains(value); }) &&
        builder.getInsertionPoint()->isBeforeInBlock(op))
      builder.setInsertionPointAfter(op);
  auto call = func::CallOp::create(builder, loop.getLoc(), function,
                                   inputs.getArrayRef());
  call.setNoInline(true);
  for (auto [index, value] : llvm::enumerate(results.takeVector()))
    value.replaceAllUsesWith(call.getResult(index));
  for (Operation *op : llvm::reverse(moved))
    op->erase();
  moveReadersBehind(call);
  return success();
}

namespace {
struct OutlineLoopBodies : dml::impl::OutlineLoopBodiesBase<OutlineLoopBodies> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      SmallVector<scf::ForOp> loops;
      for (Block &block : function.getBody())
        llvm::append_range(loops, block.getOps<scf::ForOp>());
      for (scf::ForOp loop : loops) {
        LoopBody body(loop);
        if (!body.isOutlined() && failed(body.outline(symbols)))
          return signalPassFailure();
      }
    }
  }
};
} // namespace
