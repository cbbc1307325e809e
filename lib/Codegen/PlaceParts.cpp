//===- PlaceParts.cpp - Write the parts of a buffer in place --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/BufferOps.h"
#include "dml/Codegen/JoinedElement.h"
#include "dml/Codegen/Passes.h"
#include "dml/Codegen/Placement.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

namespace dml {
#define GEN_PASS_DEF_PLACEPARTS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// An operation of the function's block that reads or writes a buffer or a view
/// of it.
struct Access {
  Operation *op;
  Value buffer;
  bool writes;
};
} // namespace

/// Adds the accesses to `buffer` and to its views. Whether all of them are
/// understood.
static bool collectAccesses(Value buffer, Block &block,
                            SmallVectorImpl<Access> &accesses) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isBufferView(user))
      return collectAccesses(user->getResult(0), block, accesses);
    Operation *op = block.findAncestorOpInBlock(*user);
    bool writes = false;
    if (auto copy = dyn_cast<memref::CopyOp>(user))
      writes = copy.getTarget() == buffer;
    else if (auto generic = dyn_cast<linalg::GenericOp>(user))
      writes = generic.isDpsInit(&use);
    else if (!isa<memref::LoadOp, func::ReturnOp>(user))
      return false;
    accesses.push_back({op, buffer, writes});
    return true;
  });
}

/// Whether the allocation that `copy` copies can be where it is copied to from
/// the beginning: nothing else reads or writes that place from when the
/// allocation is first written, and nothing writes the allocation after the
/// copy.
static bool canBePlaced(memref::CopyOp copy, memref::AllocOp alloc,
                        const Placement &target) {
  Block &block = *copy->getBlock();
  SmallVector<Access> accesses;
  if (alloc->getBlock() != &block || !collectAccesses(alloc, block, accesses))
    return false;
  Operation *first = copy;
  for (const Access &access : accesses) {
    if (access.writes && copy->isBeforeInBlock(access.op))
      return false;
    if (access.op->isBeforeInBlock(first))
      first = access.op;
  }
  SmallVector<Access> others;
  if (!collectAccesses(target.root, block, others))
    return false;
  Strip place = target.getExtent(copy.getTarget());
  return llvm::all_of(others, [&](const Access &access) {
    if (access.op == copy || access.op->isBeforeInBlock(first))
      return true;
    // After the copy, the place may be read.
    if (!access.writes && copy->isBeforeInBlock(access.op))
      return true;
    std::optional<Placement> placement = getPlacement(access.buffer);
    return placement && !placement->getExtent(access.buffer).overlaps(place);
  });
}

/// Makes `alloc` a view of what `target` is a view of.
static void placeAllocation(memref::AllocOp alloc, Value target) {
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
}

/// Makes a kernel of a copy into a part of a buffer.
static void buildCopy(memref::CopyOp copy) {
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
  copy.erase();
}

namespace {
struct PlaceParts : dml::impl::PlacePartsBase<PlaceParts> {
  void runOnOperation() override {
    // Other functions are refused when they are written to an executable.
    if (!getOperation().getBody().hasOneBlock())
      return;
    Block &block = getOperation().getBody().front();
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
      // The copy of a slice that was computed in place goes from it to itself,
      // and is dropped.
      if (*from == *to) {
        copy.erase();
        continue;
      }
      auto alloc = from->root.getDefiningOp<memref::AllocOp>();
      bool isTarget = isa<BlockArgument>(to->root) ||
                      to->root.getDefiningOp<memref::AllocOp>();
      if (alloc && isTarget && alloc != to->root.getDefiningOp() &&
          from->strips.empty() && canBePlaced(copy, alloc, *to)) {
        copy.erase();
        placeAllocation(alloc, target);
      } else if (!from->strips.empty() || !to->strips.empty()) {
        buildCopy(copy);
      }
    }
  }
};
} // namespace
