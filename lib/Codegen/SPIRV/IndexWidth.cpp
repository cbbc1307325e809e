//===- IndexWidth.cpp - The bits of a kernel's indices --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/IndexWidth.h"
#include "SPIRV/NarrowIntegers.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dml;

namespace {
/// How an operation interprets its index operands. The interpretation
/// determines which operands may have 32 bits.
enum class Reading {
  /// As bits: the low 32 bits of the result depend only on the low 32 bits of
  /// the operands, as in a sum. An operand has to fit into 32 bits, either as a
  /// signed or as an unsigned number.
  Bits,
  /// As numbers that are compared, for equality or in the order of unsigned
  /// numbers. All operands must be narrowed in the same way. The result does
  /// not change with 32 bits if all operands fit as signed numbers, or if all
  /// operands fit as unsigned numbers.
  Alike,
  /// As unsigned numbers, as in an unsigned division.
  Unsigned,
  /// As signed numbers, like the indices of SPIR-V's access chains.
  Signed,
};
} // namespace

static Reading getReading(Operation *op) {
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op))
    return Reading::Unsigned;
  // A cast to at most 32 bits discards the high bits of a wider index.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
      !op->getResult(0).getType().isIndex() &&
      op->getResult(0).getType().getIntOrFloatBitWidth() <= narrowBits)
    return Reading::Bits;
  if (isa<arith::IndexCastUIOp>(op))
    return Reading::Unsigned;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
          arith::OrIOp, arith::XOrIOp, arith::SelectOp>(op))
    return Reading::Bits;
  if (isa<arith::MinUIOp, arith::MaxUIOp>(op))
    return Reading::Alike;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    bool isSigned = predicate == Predicate::slt ||
                    predicate == Predicate::sle ||
                    predicate == Predicate::sgt || predicate == Predicate::sge;
    return isSigned ? Reading::Signed : Reading::Alike;
  }
  return Reading::Signed;
}

namespace {
/// Proves, for single operations, that 32-bit indices do not change the result.
class IndexWidth {
public:
  explicit IndexWidth(DataFlowSolver &solver) : solver(solver) {}

  /// Whether `op` computes the same result with 32-bit indices. This has two
  /// conditions. The operands and results must fit into 32 bits, signed or
  /// unsigned as `op` reads them. The result must be defined in 32 bits, unlike
  /// that of a shift by 40.
  bool isAlike(Operation *op) {
    Reading reading = getReading(op);
    bool fit = reading == Reading::Alike
                   ? allFit(op->getOperands(), Reading::Signed) ||
                         allFit(op->getOperands(), Reading::Unsigned)
                   : allFit(op->getOperands(), reading);
    fit &= allFit(op->getResults(), Reading::Bits);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        fit &= allFit(block.getArguments(), Reading::Signed);
    return fit && isDefined(op);
  }

private:
  /// Returns the range of `value`, an index, or nothing if the code that
  /// computes `value` never runs.
  std::optional<ConstantIntRanges> getRange(Value value) {
    const auto *lattice =
        solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
    if (!lattice || lattice->getValue().isUninitialized())
      return std::nullopt;
    return lattice->getValue().getValue();
  }

  bool fits(Value value, Reading reading) {
    if (auto type = dyn_cast<MemRefType>(value.getType()))
      return type.getNumElements() <= INT32_MAX;
    if (!value.getType().isIndex())
      return true;
    std::optional<ConstantIntRanges> range = getRange(value);
    if (!range)
      return true;
    bool isSigned = range->smin().isSignedIntN(narrowBits) &&
                    range->smax().isSignedIntN(narrowBits);
    bool isUnsigned = range->umax().isIntN(narrowBits);
    return (isSigned && reading != Reading::Unsigned) ||
           (isUnsigned && reading != Reading::Signed);
  }

  bool allFit(ValueRange values, Reading reading) {
    return llvm::all_of(values,
                        [&](Value value) { return fits(value, reading); });
  }

  /// Whether `op`, whose indices fit into 32 bits, is defined for 32 bits
  /// wherever it is defined for 64 bits. Three examples are not: a shift by 32
  /// to 63, the quotient of -2^31 and -1, and a loop to 2^31 - 1 in steps of 2,
  /// whose 32-bit induction variable would wrap around so that the loop would
  /// not end.
  bool isDefined(Operation *op) {
    if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::DivSIOp,
            arith::CeilDivSIOp, arith::FloorDivSIOp, arith::RemSIOp>(op))
      return !op->getResult(0).getType().isIndex() ||
             !getRange(op->getOperand(0)) || !getRange(op->getOperand(1)) ||
             computesAlike(op, solver);
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !loop.getStep().getType().isIndex())
      return true;
    std::optional<ConstantIntRanges> end = getRange(loop.getUpperBound()),
                                     step = getRange(loop.getStep());
    return !end || !step ||
           end->smax()
               .sadd_sat(step->smax())
               .sle(APInt(end->smax().getBitWidth(), uint64_t(1) << 31));
  }

  DataFlowSolver &solver;
};
} // namespace

FailureOr<unsigned> dml::computeIndexBits(gpu::GPUModuleOp module) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(module)))
    return module.emitError("integer range analysis failed");
  IndexWidth width(solver);
  WalkResult result = module.walk([&](Operation *op) {
    return width.isAlike(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted() ? wideBits : narrowBits;
}
