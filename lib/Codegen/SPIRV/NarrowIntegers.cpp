//===- NarrowIntegers.cpp - 32 bits for integers that fit -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/NarrowIntegers.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// What the width does not matter to
//===----------------------------------------------------------------------===//

/// The range of `value`, or nothing if it is not known.
static std::optional<ConstantIntRanges> getRange(Value value,
                                                 DataFlowSolver &solver) {
  const auto *lattice =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  return lattice->getValue().getValue();
}

/// Whether `range` has numbers of 32 bits without a sign alone.
static bool fitsUnsigned(const ConstantIntRanges &range) {
  return range.umax().isIntN(narrowBits);
}

/// Whether `range` has signed numbers of 32 bits alone.
static bool fitsSigned(const ConstantIntRanges &range) {
  return range.smin().isSignedIntN(narrowBits) &&
         range.smax().isSignedIntN(narrowBits);
}

/// Whether the quotient of `a` and `b` can be 2^31, which no signed number of
/// 32 bits is; dividing is undefined then, and so is the remainder.
static bool mayOverflow(const ConstantIntRanges &a,
                        const ConstantIntRanges &b) {
  APInt least =
      APInt::getSignedMinValue(narrowBits).sext(a.smin().getBitWidth());
  return a.smin().sle(least) && b.smin().isNegative() &&
         (b.smax().isNonNegative() || b.smax().isAllOnes());
}

/// Whether `op`, which has two operands of the ranges `a` and `b`, computes the
/// same with 32 bits as with more, if its integers fit.
static bool computesAlike(Operation *op, const ConstantIntRanges &a,
                          const ConstantIntRanges &b) {
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    // What does not wrap in 64 bits may wrap in 32.
    if (flags.hasNoSignedWrap() || flags.hasNoUnsignedWrap())
      return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      // The low bits of a result depend on the low bits of operands alone; and
      // numbers with a sign have the order of those without one, read so.
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
            arith::OrIOp, arith::XOrIOp, arith::MinUIOp, arith::MaxUIOp>(
          [](Operation *) { return true; })
      // A negative number, read without its sign, is as far above the numbers
      // of 32 bits as those of 64 are: that changes what remains of it.
      .Case<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(
          [&](Operation *) { return fitsUnsigned(a) && fitsUnsigned(b); })
      .Case<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
            arith::RemSIOp>([&](Operation *) {
        return fitsSigned(a) && fitsSigned(b) && !mayOverflow(a, b);
      })
      .Case<arith::MinSIOp, arith::MaxSIOp>(
          [&](Operation *) { return fitsSigned(a) && fitsSigned(b); })
      // A shift by the width or more is undefined.
      .Case<arith::ShLIOp>(
          [&](Operation *) { return b.umax().ult(narrowBits); })
      .Case<arith::ShRUIOp>([&](Operation *) {
        return fitsUnsigned(a) && b.umax().ult(narrowBits);
      })
      .Case<arith::ShRSIOp>([&](Operation *) {
        return fitsSigned(a) && b.umax().ult(narrowBits);
      })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        using Predicate = arith::CmpIPredicate;
        Predicate predicate = compare.getPredicate();
        bool isSigned =
            predicate >= Predicate::slt && predicate <= Predicate::sge;
        return !isSigned || (fitsSigned(a) && fitsSigned(b));
      })
      .Default(false);
}

bool dml::computesAlike(Operation *op, DataFlowSolver &solver) {
  if (op->getNumOperands() != 2)
    return false;
  std::optional<ConstantIntRanges> a = getRange(op->getOperand(0), solver),
                                   b = getRange(op->getOperand(1), solver);
  return a && b && ::computesAlike(op, *a, *b);
}

//===----------------------------------------------------------------------===//
// Narrowing
//===----------------------------------------------------------------------===//

namespace {
/// Forgets the ranges of results that are erased: others may have their place
/// in memory later.
class Forgetting : public RewriterBase::Listener {
public:
  explicit Forgetting(DataFlowSolver &solver) : solver(solver) {}

  void notifyOperationErased(Operation *op) override {
    solver.eraseState(solver.getProgramPointAfter(op));
    for (Value result : op->getResults())
      solver.eraseState(result);
  }

private:
  DataFlowSolver &solver;
};
} // namespace

LogicalResult dml::narrowIntegers(gpu::GPUModuleOp module) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(module)))
    return module.emitError("integer range analysis failed");

  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    // Casts of casts are folded.
    if (isa<CastOpInterface>(op) || computesAlike(op, solver))
      ops.push_back(op);
  });
  RewritePatternSet patterns(module.getContext());
  arith::populateIntRangeNarrowingPatterns(patterns, solver, {narrowBits});
  Forgetting listener(solver);
  GreedyRewriteConfig config;
  config.setListener(&listener).setStrictness(
      GreedyRewriteStrictness::ExistingAndNewOps);
  return applyOpPatternsGreedily(ops, std::move(patterns), config);
}
