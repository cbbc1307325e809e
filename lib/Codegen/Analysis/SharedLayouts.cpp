//===- SharedLayouts.cpp - One order of elements for all readers ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// If a tensor has a reordered copy, all its readers read the copy, so that the
// tensor in its original order need not be stored. An example is the sum at the
// end of a residual block. In the next block, a convolution reads a copy of the
// sum with channels last, and an addition reads the sum itself. The addition
// can read the copy instead. The copy is then the only reader of the sum, and
// FuseProducers fuses both: the kernel that computes the sum writes it with
// channels last.
//===----------------------------------------------------------------------===//

#include "Analysis/SharedLayouts.h"
#include "Analysis/ElementMap.h"
#include "dml/IR/LayoutAttr.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dml;

namespace {
/// A copy of a tensor with permuted dimensions: dimension `i` of the source is
/// dimension `dims[i]` of the copy.
struct Reordering {
  Value source;
  SmallVector<int64_t> dims;

  /// Matches `op` as a reordering. Returns nothing if `op` computes anything
  /// else.
  static std::optional<Reordering> match(linalg::GenericOp op);
};
} // namespace

std::optional<Reordering> Reordering::match(linalg::GenericOp op) {
  if (!op->hasAttr(layoutAttrName) || !isElementMap(op) ||
      op->getNumResults() != 1)
    return std::nullopt;
  auto extract = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract->getBlock() != op.getBody())
    return std::nullopt;
  ArrayRef<int64_t> sizes = extract.getTensor().getType().getShape();
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (type.getRank() != static_cast<int64_t>(sizes.size()))
    return std::nullopt;
  Reordering result{extract.getTensor(), {}};
  llvm::SmallBitVector isUsed(type.getRank());
  for (auto [index, size] : llvm::zip_equal(extract.getIndices(), sizes)) {
    auto coordinate = index.getDefiningOp<linalg::IndexOp>();
    // A dimension of size 1 is read at the constant index 0. The index does not
    // tell to which dimension of the copy this dimension corresponds. Any
    // dimension of size 1 of the copy will do, if it corresponds to no other
    // dimension of the source.
    if (!coordinate && size != 1)
      return std::nullopt;
    int64_t dim = coordinate ? static_cast<int64_t>(coordinate.getDim()) : 0;
    if (!coordinate)
      while (dim < type.getRank() && (isUsed[dim] || type.getDimSize(dim) != 1))
        ++dim;
    if (dim == type.getRank() || isUsed[dim] || type.getDimSize(dim) != size)
      return std::nullopt;
    isUsed.set(dim);
    result.dims.push_back(dim);
  }
  return result;
}

/// Moves `op`, and the constants and empty tensors that `op` uses, behind
/// `producer`. Returns false without moving anything if `op` uses another
/// operation that stands behind `producer`.
static bool moveBehind(Operation *op, Operation *producer) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  SmallVector<Operation *> late;
  for (Value value : used) {
    Operation *definition = value.getDefiningOp();
    if (!definition || definition == producer ||
        definition->isBeforeInBlock(producer))
      continue;
    if (definition->getNumOperands() || definition->getNumRegions() ||
        !isMemoryEffectFree(definition))
      return false;
    late.push_back(definition);
  }
  op->moveAfter(producer);
  for (Operation *definition : late)
    definition->moveAfter(producer);
  return true;
}

void dml::shareLayouts(IRRewriter &rewriter, func::FuncOp function) {
  SmallVector<linalg::GenericOp> generics;
  function.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  for (linalg::GenericOp op : generics) {
    std::optional<Reordering> reordering = Reordering::match(op);
    if (!reordering)
      continue;
    // An argument cannot be replaced by its copy, since the caller of the
    // program chooses the order of the argument's elements.
    Value source = reordering->source;
    auto producer = source.getDefiningOp<linalg::GenericOp>();
    if (!producer || producer->getBlock() != op->getBlock())
      continue;
    SmallVector<tensor::ExtractOp> reads;
    bool areReads = llvm::all_of(source.getUsers(), [&](Operation *user) {
      auto extract = dyn_cast<tensor::ExtractOp>(user);
      if (extract && !op->isAncestor(extract))
        reads.push_back(extract);
      return extract;
    });
    if (!areReads || reads.empty() || !moveBehind(op, producer))
      continue;
    for (tensor::ExtractOp read : reads) {
      SmallVector<Value> indices(read.getIndices());
      for (auto [index, dim] :
           llvm::zip_equal(read.getIndices(), reordering->dims))
        indices[dim] = index;
      rewriter.setInsertionPoint(read);
      rewriter.replaceOpWithNewOp<tensor::ExtractOp>(read, op.getResult(0),
                                                     indices);
    }
  }
}
