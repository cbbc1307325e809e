//===- MergeEqualOps.cpp - Common subexpressions in linear time -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/StructuralHash.h"
#include "dml/Codegen/Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"

namespace dml {
#define GEN_PASS_DEF_MERGEEQUALOPS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
struct MergeEqualOps : dml::impl::MergeEqualOpsBase<MergeEqualOps> {
  using MergeEqualOpsBase::MergeEqualOpsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    auto &dominance = getAnalysis<DominanceInfo>();
    for (Block &block : getOperation().getBody()) {
      llvm::DenseMap<size_t, SmallVector<Operation *, 1>> known;
      for (Operation &op : llvm::make_early_inc_range(block)) {
        if (op.hasTrait<OpTrait::IsTerminator>())
          continue;
        if (isOpTriviallyDead(&op)) {
          rewriter.eraseOp(&op);
          continue;
        }
        if (op.getNumRegions())
          eliminateCommonSubExpressions(rewriter, dominance, &op);
        if (!isMemoryEffectFree(&op))
          continue;
        ValueNumbers numbers;
        SmallVector<Operation *, 1> &candidates =
            known[hashWithRegions(&op, numbers)];
        auto *equal = llvm::find_if(candidates, [&](Operation *candidate) {
          return OperationEquivalence::isEquivalentTo(
              candidate, &op, OperationEquivalence::IgnoreLocations);
        });
        if (equal == candidates.end())
          candidates.push_back(&op);
        else
          rewriter.replaceOp(&op, *equal);
      }
    }
  }
};
} // namespace
