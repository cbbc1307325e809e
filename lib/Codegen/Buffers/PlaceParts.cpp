//===- PlaceParts.cpp - Write the parts of a buffer in place --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Passes.h"
#include "dml/Conversion/JoinedElement.h"
#include "dml/IR/DML.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace dml {
#define GEN_PASS_DEF_PLACEPARTS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// A read or a write of a buffer or of a view of the buffer.
struct Access {
  /// The position in the function's block of the operation that reads or writes
  /// the buffer. If this operation lies in the body of a generic, the position
  /// is that of the generic.
  unsigned position;
  bool writes;
  /// The bytes of the root that are accessed, or nothing if they are not known.
  std::optional<Strip> extent;
};

/// Caches the accesses to the buffers of a block, so that the accesses to each
/// buffer are collected only once, regardless of how many allocations are
/// placed in the buffer.
class AccessTable {
public:
  explicit AccessTable(Block &block) : block(block) {
    for (auto [position, op] : llvm::enumerate(block))
      positions[&op] = position;
  }

  unsigned getPosition(Operation *op) const { return positions.at(op); }
  /// Returns the accesses to `root` and to its views. Returns nothing if the
  /// buffer has a use that the pass does not support, such as a call that takes
  /// the buffer as an argument.
  const std::optional<SmallVector<Access>> &get(Value root);
  /// Returns whether `alloc`, which `copy` copies to `target`, can be replaced
  /// by a view of the target. No other operation may access the target's bytes
  /// between the first access to `alloc` and the copy. After the copy, no
  /// operation may write `alloc`. As long as `alloc` is read after the copy, no
  /// operation may write the target's bytes either.
  bool canBePlaced(memref::CopyOp copy, memref::AllocOp alloc,
                   const Placement &target);
  /// Removes the access of `copy` to `root`, since the copy will be erased.
  void erase(memref::CopyOp copy, Value root);
  /// Replaces `copy` by `op` in the table of accesses. Both access the same
  /// buffers at the same position in the program.
  void replace(memref::CopyOp copy, Operation *op) {
    positions[op] = getPosition(copy);
  }
  /// Removes the accesses to `alloc`, since the allocation will be erased.
  void erase(memref::AllocOp alloc) { accesses.erase(alloc); }
  /// Adds the accesses to `view`, a new view of `root`, to the accesses of
  /// `root`.
  void add(Value view, Value root) {
    std::optional<SmallVector<Access>> &known = accesses[root];
    if (known && !collect(view, *known))
      known.reset();
  }

private:
  bool collect(Value buffer, SmallVectorImpl<Access> &found) const;
  void collectRange(Value range, SmallVectorImpl<Access> &found) const;

  Block &block;
  llvm::DenseMap<Operation *, unsigned> positions;
  llvm::DenseMap<Value, std::optional<SmallVector<Access>>> accesses;
};
} // namespace

/// Adds the accesses to `range` to `found`. The bytes of a range may depend on
/// the iteration of a loop, so that an access may concern any byte of the
/// buffer.
void AccessTable::collectRange(Value range,
                               SmallVectorImpl<Access> &found) const {
  for (Operation *user : range.getUsers()) {
    if (isBufferView(user) || isa<BufferRangeOp>(user))
      collectRange(user->getResult(0), found);
    else
      found.push_back({getPosition(block.findAncestorOpInBlock(*user)),
                       /*writes=*/!isa<memref::LoadOp>(user), std::nullopt});
  }
}

/// Adds to `found` the accesses to `buffer` and to its views. Returns whether
/// the pass supports all uses of the buffer.
bool AccessTable::collect(Value buffer, SmallVectorImpl<Access> &found) const {
  std::optional<Placement> placement = getPlacement(buffer);
  std::optional<Strip> extent;
  auto type = cast<MemRefType>(buffer.getType());
  if (placement && type.hasStaticShape() &&
      (type.getElementType().isIntOrFloat() ||
       isa<VectorType>(type.getElementType())))
    extent = placement->getExtent(buffer);
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isBufferView(user))
      return collect(user->getResult(0), found);
    if (isa<BufferRangeOp>(user)) {
      collectRange(user->getResult(0), found);
      return true;
    }
    bool writes = false;
    if (auto copy = dyn_cast<memref::CopyOp>(user))
      writes = copy.getTarget() == buffer;
    else if (auto generic = dyn_cast<linalg::GenericOp>(user))
      writes = generic.isDpsInit(&use);
    else if (!isa<memref::LoadOp, func::ReturnOp>(user))
      return false;
    found.push_back(
        {getPosition(block.findAncestorOpInBlock(*user)), writes, extent});
    return true;
  });
}

const std::optional<SmallVector<Access>> &AccessTable::get(Value root) {
  auto [it, isNew] = accesses.try_emplace(root);
  if (isNew) {
    SmallVector<Access> found;
    if (collect(root, found))
      it->second = std::move(found);
  }
  return it->second;
}

bool AccessTable::canBePlaced(memref::CopyOp copy, memref::AllocOp alloc,
                              const Placement &target) {
  if (alloc->getBlock() != &block)
    return false;
  unsigned position = getPosition(copy), first = position, last = position;
  const auto &own = get(alloc);
  if (!own)
    return false;
  for (const Access &access : *own) {
    if (access.writes && position < access.position)
      return false;
    first = std::min(first, access.position);
    last = std::max(last, access.position);
  }
  const auto &others = get(target.root);
  if (!others)
    return false;
  Strip place = target.getExtent(copy.getTarget());
  return llvm::all_of(*others, [&](const Access &access) {
    return access.position == position || access.position < first ||
           (position < access.position &&
            (!access.writes || last < access.position)) ||
           (access.extent && !access.extent->overlaps(place));
  });
}

void AccessTable::erase(memref::CopyOp copy, Value root) {
  auto it = accesses.find(root);
  if (it == accesses.end() || !it->second)
    return;
  unsigned position = getPosition(copy);
  llvm::erase_if(*it->second, [&](const Access &access) {
    return access.position == position;
  });
}

/// Replaces `alloc` by the view `target`. The views from which `target` is
/// taken may stand behind `alloc`. They are therefore copied to the place of
/// `alloc`, and the allocation of their root, if there is one, is moved to the
/// beginning of the block. Returns the new view.
static Value placeAllocation(memref::AllocOp alloc, Value target) {
  SmallVector<Operation *> views;
  Value root = target;
  for (; isBufferView(root.getDefiningOp());
       root = root.getDefiningOp()->getOperand(0))
    views.push_back(root.getDefiningOp());
  if (Operation *op = root.getDefiningOp())
    op->moveBefore(&alloc->getBlock()->front());
  OpBuilder builder(alloc);
  IRMapping mapping;
  for (Operation *view : llvm::reverse(views)) {
    for (Value operand : view->getOperands().drop_front())
      if (Operation *constant = operand.getDefiningOp())
        builder.clone(*constant, mapping);
    builder.clone(*view, mapping);
  }
  Value placed = mapping.lookupOrDefault(target);
  if (placed.getType() != alloc.getType())
    placed = BufferViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                                  placed, /*whole=*/false);
  alloc.replaceAllUsesWith(placed);
  alloc.erase();
  return placed;
}

/// Builds a linalg.generic that replaces `copy`, whose source or target is a
/// part of a buffer. (A copy step of a program copies consecutive bytes, but a
/// part may consist of several runs of bytes, such as a range of columns.)
static Operation *buildCopy(memref::CopyOp copy) {
  OpBuilder builder(copy);
  Location loc = copy.getLoc();
  auto type = MemRefType::get(
      cast<MemRefType>(copy.getSource().getType()).getShape(),
      cast<MemRefType>(copy.getSource().getType()).getElementType());
  Value target = BufferViewOp::create(builder, loc, type, copy.getTarget(),
                                      /*whole=*/false);
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, /*inputs=*/ValueRange(), target,
      ArrayRef<AffineMap>(builder.getMultiDimIdentityMap(type.getRank())),
      iterators, [&](OpBuilder &nested, Location nestedLoc, ValueRange) {
        SmallVector<Value> indices;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          indices.push_back(linalg::IndexOp::create(nested, nestedLoc, dim));
        Value element = memref::LoadOp::create(nested, nestedLoc,
                                               copy.getSource(), indices);
        linalg::YieldOp::create(nested, nestedLoc, element);
      });
  generic->setAttr(labelAttrName, builder.getStringAttr(joinLabel));
  return generic;
}

//===----------------------------------------------------------------------===//
// Loops over steps
//===----------------------------------------------------------------------===//

/// Whether two ranges of one buffer have no byte in common in any iteration.
static bool areDisjoint(BufferRangeOp lhs, BufferRangeOp rhs) {
  auto getSize = [](BufferRangeOp range) {
    return static_cast<int64_t>(
        llvm::alignTo(getNumBytes(cast<MemRefType>(range.getType())),
                      DeviceProfile::vectorBytes));
  };
  auto areApart = [&](int64_t iteration) {
    auto getOffset = [&](BufferRangeOp range) {
      return static_cast<int64_t>(range.getOffset()) +
             static_cast<int64_t>(range.getStride()) * iteration;
    };
    return getOffset(lhs) + getSize(lhs) <= getOffset(rhs) ||
           getOffset(rhs) + getSize(rhs) <= getOffset(lhs);
  };
  // In each iteration of a loop, a range either lies a stride further in its
  // buffer, or alternates between two places (period 2). Ranges that alternate
  // have the same places in all even and in all odd iterations, so that the
  // iterations 0 and 1 stand for all. Two ranges with equal strides have the
  // same distance in all iterations.
  if (lhs.getPeriod() == 2 && rhs.getPeriod() == 2)
    return areApart(0) && areApart(1);
  return !lhs.getPeriod() && !rhs.getPeriod() &&
         lhs.getStride() == rhs.getStride() && areApart(0);
}

/// Returns the buffer or the range of which `buffer` is a view.
static Value getViewed(Value buffer) {
  while (isBufferView(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer;
}

/// Whether `call` can write to `target` instead of `alloc`. No other buffer
/// that the call accesses may contain bytes of `target`.
static bool canWriteTo(func::CallOp call, BufferRangeOp target,
                       memref::AllocOp alloc) {
  return llvm::all_of(call.getOperands(), [&](Value operand) {
    if (operand == alloc.getResult() || !isa<MemRefType>(operand.getType()))
      return true;
    Value viewed = getViewed(operand);
    auto range = viewed.getDefiningOp<BufferRangeOp>();
    Value root = range ? getViewed(range.getSource()) : viewed;
    if (root != getViewed(target.getSource()))
      return true;
    return range && range.getSource() == target.getSource() &&
           areDisjoint(range, target);
  });
}

/// Returns the buffer of which `copy`, in the body of a loop, writes a range.
static Value getWritten(memref::CopyOp copy) {
  Value viewed = getViewed(copy.getTarget());
  if (auto range = viewed.getDefiningOp<BufferRangeOp>())
    return getViewed(range.getSource());
  return viewed;
}

/// Whether the result of `call` can be written where `copy` writes it. `copy`
/// must be the only copy in the loop's body that writes its target buffer, and
/// no operation between `call` and `copy` may access a buffer. Copies of
/// buffers that the loop's body allocates, such as the other results of `call`,
/// may stand in between.
static bool isNextAccess(func::CallOp call, memref::CopyOp copy) {
  Block *body = copy->getBlock();
  for (auto other : body->getOps<memref::CopyOp>())
    if (other != copy && getWritten(other) == getWritten(copy))
      return false;
  return call->getBlock() == body && call->isBeforeInBlock(copy) &&
         std::all_of(
             std::next(call->getIterator()), copy->getIterator(),
             [](Operation &op) {
               auto other = dyn_cast<memref::CopyOp>(op);
               return isPure(&op) || isa<memref::AllocOp>(op) ||
                      (other &&
                       other.getSource().getDefiningOp<memref::AllocOp>());
             });
}

/// Lets the calls in the body of a loop write their results into the ranges to
/// which copies would move them. A result that is copied to several ranges is
/// written to the first of them, and copied from there.
static void placeResults(scf::ForOp loop) {
  for (auto copy :
       llvm::make_early_inc_range(loop.getBody()->getOps<memref::CopyOp>())) {
    auto alloc = copy.getSource().getDefiningOp<memref::AllocOp>();
    auto target = copy.getTarget().getDefiningOp<BufferRangeOp>();
    if (!alloc || !target || alloc->getBlock() != loop.getBody() ||
        alloc.getType() != target.getType())
      continue;
    func::CallOp call;
    for (OpOperand &use : alloc->getUses())
      if (auto found = dyn_cast<func::CallOp>(use.getOwner()))
        call = found;
    bool isResult = call && llvm::all_of(alloc->getUsers(), [&](Operation *op) {
                      return op == call || isa<memref::CopyOp>(op);
                    });
    if (!isResult || llvm::count(call.getOperands(), alloc.getResult()) != 1 ||
        !isNextAccess(call, copy) || !canWriteTo(call, target, alloc))
      continue;
    target->moveBefore(call);
    copy.erase();
    alloc.replaceAllUsesWith(target.getResult());
    alloc.erase();
  }
}

namespace {
struct PlaceParts : dml::impl::PlacePartsBase<PlaceParts> {
  void runOnOperation() override {
    // Functions with several blocks stay as they are. They are rejected later,
    // when the executable is written.
    if (!getOperation().getBody().hasOneBlock())
      return;
    Block &block = getOperation().getBody().front();
    llvm::for_each(block.getOps<scf::ForOp>(), placeResults);
    AccessTable table(block);
    for (auto copy :
         llvm::make_early_inc_range(block.getOps<memref::CopyOp>())) {
      Value source = copy.getSource(), target = copy.getTarget();
      auto type = cast<MemRefType>(source.getType());
      if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
          type.getElementTypeBitWidth() % 8 != 0)
        continue;
      auto getRange = [&](Value buffer) {
        std::optional<Placement> placement = getPlacement(buffer);
        if (!placement)
          copy.emitError("copies ") << buffer.getType()
                                    << ", but wants whole buffers or constant "
                                       "ranges of one dimension";
        return placement;
      };
      std::optional<Placement> from = getRange(source), to = getRange(target);
      if (!from || !to)
        return signalPassFailure();
      // The source and the target of the copy may be the same bytes. In this
      // case, the source was placed in the target when another copy was
      // visited, and this copy is erased.
      if (*from == *to) {
        table.erase(copy, from->root);
        copy.erase();
        continue;
      }
      auto alloc = from->root.getDefiningOp<memref::AllocOp>();
      bool isTarget = isa<BlockArgument>(to->root) ||
                      to->root.getDefiningOp<memref::AllocOp>();
      if (alloc && isTarget && alloc != to->root.getDefiningOp() &&
          from->strips.empty() && table.canBePlaced(copy, alloc, *to)) {
        table.erase(copy, to->root);
        table.erase(alloc);
        copy.erase();
        table.add(placeAllocation(alloc, target), to->root);
      } else if (!from->strips.empty() || !to->strips.empty()) {
        table.replace(copy, buildCopy(copy));
        copy.erase();
      }
    }
  }
};
} // namespace
