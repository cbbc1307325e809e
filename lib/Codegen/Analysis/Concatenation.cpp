//===- Concatenation.cpp - Chains of insertions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/Concatenation.h"

using namespace mlir;
using namespace dml;

SmallVector<tensor::InsertSliceOp>
dml::getConcatenations(func::FuncOp function) {
  SmallVector<tensor::InsertSliceOp> inserts;
  function.walk([&](tensor::InsertSliceOp op) {
    if (llvm::none_of(op->getUsers(), [&](Operation *user) {
          auto next = dyn_cast<tensor::InsertSliceOp>(user);
          return next && next.getDest() == op.getResult();
        }))
      inserts.push_back(op);
  });
  return inserts;
}

SmallVector<Value> dml::getJoined(tensor::InsertSliceOp last, int64_t &axis) {
  RankedTensorType type = last.getType();
  SmallVector<Value> inputs;
  axis = -1;
  // The loop visits the insertions of the chain from the last to the first.
  // Each insertion must end where the following insertion, which the loop has
  // already visited, begins.
  int64_t end = -1;
  for (tensor::InsertSliceOp insert = last; insert;
       insert = insert.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if (insert != last && !insert->hasOneUse())
      return {};
    if (insert.getSourceType().getRank() != type.getRank() ||
        llvm::any_of(insert.getStaticStrides(),
                     [](int64_t stride) { return stride != 1; }))
      return {};
    int64_t offset = 0, size = 0;
    for (auto [dim, start, count] :
         llvm::enumerate(insert.getStaticOffsets(), insert.getStaticSizes())) {
      auto number = static_cast<int64_t>(dim);
      if (start == 0 && count == type.getDimSize(number))
        continue;
      if (ShapedType::isDynamic(start) || ShapedType::isDynamic(count) ||
          (axis >= 0 && axis != number))
        return {};
      axis = number;
      offset = start;
      size = count;
    }
    if (axis < 0 || offset + size != (end < 0 ? type.getDimSize(axis) : end))
      return {};
    end = offset;
    inputs.push_back(insert.getSource());
  }
  if (end != 0)
    return {};
  std::reverse(inputs.begin(), inputs.end());
  return inputs;
}

void dml::eraseUnused(RewriterBase &rewriter, tensor::InsertSliceOp last) {
  // The destination of each insertion is the result of the preceding insertion.
  while (last && last->use_empty()) {
    auto before = last.getDest().getDefiningOp<tensor::InsertSliceOp>();
    rewriter.eraseOp(last);
    last = before;
  }
}
