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
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Operations whose results do not depend on the width
//===----------------------------------------------------------------------===//

/// Returns the range of `value`, or nothing if the range is not known.
static std::optional<ConstantIntRanges> getRange(Value value,
                                                 DataFlowSolver &solver) {
  const auto *lattice =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  return lattice->getValue().getValue();
}

/// Whether all numbers of `range` are unsigned numbers of 32 bits.
static bool fitsUnsigned(const ConstantIntRanges &range) {
  return range.umax().isIntN(narrowBits);
}

/// Whether all numbers of `range` are signed numbers of 32 bits.
static bool fitsSigned(const ConstantIntRanges &range) {
  return range.smin().isSignedIntN(narrowBits) &&
         range.smax().isSignedIntN(narrowBits);
}

/// Whether the quotient of `a` and `b` can be 2^31, the quotient of -2^31 and
/// -1. For signed 32-bit numbers, this quotient and the corresponding remainder
/// are undefined.
static bool mayOverflow(const ConstantIntRanges &a,
                        const ConstantIntRanges &b) {
  APInt least =
      APInt::getSignedMinValue(narrowBits).sext(a.smin().getBitWidth());
  return a.smin().sle(least) && b.smin().isNegative() &&
         (b.smax().isNonNegative() || b.smax().isAllOnes());
}

/// Whether `op`, whose two operands have the ranges `a` and `b`, computes the
/// same result with 32 bits as with more bits, provided that its integers fit
/// into 32 bits.
static bool computesAlike(Operation *op, const ConstantIntRanges &a,
                          const ConstantIntRanges &b) {
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    // If an operation promises that it does not wrap around with 64 bits, it
    // may still wrap around with 32 bits.
    if (flags.hasNoSignedWrap() || flags.hasNoUnsignedWrap())
      return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      // The low bits of the result depend only on the low bits of the operands.
      // For unsigned minima and maxima, this is true as well: two numbers that
      // were sign-extended from 32 bits have the same unsigned order with 64
      // bits as with 32 bits.
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
            arith::OrIOp, arith::XOrIOp, arith::MinUIOp, arith::MaxUIOp>(
          [](Operation *) { return true; })
      // A negative number that is read as unsigned depends on the width. -1 is
      // 2^64 - 1 with 64 bits and 2^32 - 1 with 32 bits. Modulo 7, for example,
      // these numbers are 1 and 3.
      .Case<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(
          [&](Operation *) { return fitsUnsigned(a) && fitsUnsigned(b); })
      .Case<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
            arith::RemSIOp>([&](Operation *) {
        return fitsSigned(a) && fitsSigned(b) && !mayOverflow(a, b);
      })
      .Case<arith::MinSIOp, arith::MaxSIOp>(
          [&](Operation *) { return fitsSigned(a) && fitsSigned(b); })
      // Shifts by the width or more are undefined.
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
/// Removes the ranges of erased results from the solver, since a new result may
/// be allocated at the address of an erased one.
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

/// Narrows the operations of `module` whose results are the same with 32 bits.
/// Upstream's patterns for narrowing integers change the operations.
static LogicalResult applyPatterns(gpu::GPUModuleOp module) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(module)))
    return module.emitError("integer range analysis failed");

  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    // Casts are included, since the patterns also fold casts of casts.
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

LogicalResult dml::narrowIntegers(gpu::GPUModuleOp module,
                                  RunPipeline runPipeline) {
  // The first pass replaces signed operations by unsigned ones if neither
  // operands nor results are negative. Numbers from 2^31 to 2^32 - 1 fit into
  // unsigned but not into signed 32-bit integers, so that more operations can
  // be narrowed afterwards.
  OpPassManager before(gpu::GPUModuleOp::getOperationName());
  before.addPass(arith::createArithUnsignedWhenEquivalentPass());
  OpPassManager after(gpu::GPUModuleOp::getOperationName());
  after.addPass(createCanonicalizerPass());
  after.addPass(createCSEPass());
  return success(succeeded(runPipeline(before)) &&
                 succeeded(applyPatterns(module)) &&
                 succeeded(runPipeline(after)));
}
