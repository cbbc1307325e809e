//===- PrepareBufferization.cpp - Buffers that need no analysis -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dml {
#define GEN_PASS_DEF_PREPAREBUFFERIZATION
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;

/// Builds a read-only buffer from which the elements of `tensor` can be loaded.
/// Since nothing may be stored to the buffer, bufferization need not copy the
/// tensor.
static Value getBuffer(OpBuilder &builder, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return bufferization::ToBufferOp::create(
      builder, tensor.getLoc(),
      MemRefType::get(type.getShape(), type.getElementType()), tensor,
      /*read_only=*/true);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Whether `op` creates a tensor whose elements are not set: a tensor.empty, or
/// a reshape of a tensor.empty, which dml-emulate-types may leave.
static bool isNewTensor(Operation *op) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tensor::EmptyOp>(op);
}

/// Returns the chain of insertions that ends with `last`, from the first
/// insertion on. The chain must begin with a new tensor, and only the chain may
/// use this tensor and the results of the insertions before `last`. Returns an
/// empty chain otherwise.
static SmallVector<tensor::InsertSliceOp>
getInsertions(tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> inserts = {last};
  while (true) {
    tensor::InsertSliceOp insert = inserts.back();
    RankedTensorType source = insert.getSourceType();
    if (source.getRank() != insert.getType().getRank() ||
        !source.hasStaticShape() || !insert.getType().hasStaticShape() ||
        insert->getBlock() != last->getBlock())
      return {};
    Operation *dest = insert.getDest().getDefiningOp();
    if (!dest || !dest->hasOneUse())
      return {};
    if (isNewTensor(dest))
      break;
    auto before = dyn_cast<tensor::InsertSliceOp>(dest);
    if (!before)
      return {};
    inserts.push_back(before);
  }
  std::reverse(inserts.begin(), inserts.end());
  return inserts;
}

/// Whether no operation between `insert` and `next` can write a tensor. If both
/// insertions have the same source, they can then copy from the same buffer.
/// Only views of tensors, and new tensors, may stand between the insertions.
static bool isNextWrite(tensor::InsertSliceOp insert,
                        tensor::InsertSliceOp next) {
  Operation *op = insert->getNextNode();
  while (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::EmptyOp>(op))
    op = op->getNextNode();
  return op == next;
}

/// Replaces the chain of insertions `inserts` by copies of the inserted tensors
/// into ranges of one buffer.
static void insertIntoBuffer(ArrayRef<tensor::InsertSliceOp> inserts) {
  tensor::InsertSliceOp first = inserts.front(), last = inserts.back();
  Operation *empty = first.getDest().getDefiningOp();
  OpBuilder builder(empty);
  RankedTensorType type = first.getType();
  auto bufferType = MemRefType::get(type.getShape(), type.getElementType());
  Value buffer = memref::AllocOp::create(builder, empty->getLoc(), bufferType);
  // One-shot bufferization compares each reader of a tensor with all other
  // readers, which takes quadratic time. Copies of one tensor therefore read
  // one common buffer, as long as no operation in between can write the tensor.
  llvm::SmallDenseMap<Value, Value> sources;
  tensor::InsertSliceOp before;
  for (tensor::InsertSliceOp insert : inserts) {
    if (before && !isNextWrite(before, insert))
      sources.clear();
    before = insert;
    builder.setInsertionPoint(insert);
    Value range = memref::SubViewOp::create(
        builder, insert.getLoc(), buffer, insert.getMixedOffsets(),
        insert.getMixedSizes(), insert.getMixedStrides());
    Value &source = sources[insert.getSource()];
    if (!source)
      source = getBuffer(builder, insert.getSource());
    memref::CopyOp::create(builder, insert.getLoc(), source, range);
  }
  builder.setInsertionPoint(last);
  Value whole = bufferization::ToTensorOp::create(builder, last.getLoc(), type,
                                                  buffer, /*restrict=*/true,
                                                  /*writable=*/true);
  last.replaceAllUsesWith(whole);
  for (tensor::InsertSliceOp insert : llvm::reverse(inserts))
    insert.erase();
  // The loop erases the new tensor, and each tensor from which it is reshaped.
  while (empty && empty->use_empty()) {
    Operation *source = empty->getNumOperands()
                            ? empty->getOperand(0).getDefiningOp()
                            : nullptr;
    empty->erase();
    empty = source;
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Adds to `reads` the operations that read elements of `tensor` and of its
/// reshapes. Returns whether all uses of `tensor` are reads.
static bool collectReads(Value tensor,
                         SmallVectorImpl<tensor::ExtractOp> &reads) {
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(user)) {
      reads.push_back(extract);
      return true;
    }
    if (auto buffer = dyn_cast<bufferization::ToBufferOp>(user))
      return buffer.getReadOnly();
    return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user) &&
           collectReads(user->getResult(0), reads);
  });
}

/// If all uses of `tensor` are reads, lets the readers of `tensor` and of its
/// reshapes load elements from read-only buffers. Otherwise, bufferization
/// would compare each of these reads with each write of a tensor, to find out
/// whether the write needs a copy of the tensor.
static void readFromBuffer(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  SmallVector<tensor::ExtractOp> reads;
  if (!type ||
      isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          tensor.getDefiningOp()) ||
      !collectReads(tensor, reads))
    return;
  llvm::SmallDenseMap<Value, Value> buffers;
  for (tensor::ExtractOp read : reads) {
    OpBuilder builder(read);
    Value &buffer = buffers[read.getTensor()];
    if (!buffer) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(read.getTensor());
      buffer = getBuffer(builder, read.getTensor());
    }
    Value element = memref::LoadOp::create(builder, read.getLoc(), buffer,
                                           read.getIndices());
    read.replaceAllUsesWith(element);
    read.erase();
  }
}

namespace {
struct PrepareBufferization
    : dml::impl::PrepareBufferizationBase<PrepareBufferization> {
  void runOnOperation() override {
    // Functions with several blocks stay as they are. They are rejected later,
    // when the executable is written.
    if (!getOperation().getBody().hasOneBlock())
      return;
    Block &block = getOperation().getBody().front();
    SmallVector<tensor::InsertSliceOp> lasts;
    for (auto insert : block.getOps<tensor::InsertSliceOp>())
      if (llvm::none_of(insert->getUsers(), [&](Operation *user) {
            auto next = dyn_cast<tensor::InsertSliceOp>(user);
            return next && next.getDest() == insert.getResult();
          }))
        lasts.push_back(insert);
    for (tensor::InsertSliceOp last : lasts)
      if (auto inserts = getInsertions(last); !inserts.empty())
        insertIntoBuffer(inserts);

    llvm::for_each(block.getArguments(), readFromBuffer);
    for (Operation &op : block)
      llvm::for_each(op.getResults(), readFromBuffer);
  }
};
} // namespace
