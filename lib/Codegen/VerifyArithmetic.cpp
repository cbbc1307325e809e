//===- VerifyArithmetic.cpp - No kernel computes the undefined ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "VerifyArithmetic.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dml;

static bool isShift(Operation *op) {
  return isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp,
             spirv::ShiftLeftLogicalOp, spirv::ShiftRightArithmeticOp,
             spirv::ShiftRightLogicalOp>(op);
}

static bool isSignedDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, spirv::SDivOp, spirv::SModOp,
             spirv::SRemOp>(op);
}

static bool isDivision(Operation *op) {
  return isSignedDivision(op) ||
         isa<arith::DivUIOp, arith::RemUIOp, spirv::UDivOp, spirv::UModOp>(op);
}

/// Refuses `op`, a shift or a division of integers of `width` bits, if the
/// ranges of its operands leave no defined result.
static LogicalResult verifyRanges(Operation *op, unsigned width,
                                  const ConstantIntRanges &left,
                                  const ConstantIntRanges &right) {
  auto fail = [&]() {
    return emitError(op->getLoc())
           << "internal error of the compiler: a kernel ";
  };
  if (isShift(op) && right.umin().uge(width))
    return fail() << "shifts integers of " << width << " bits by "
                  << right.umin().getLimitedValue() << " or more, but wanted "
                  << "is a shift by less than their width";
  if (!isDivision(op))
    return success();
  if (right.umax().isZero())
    return fail() << "divides integers of " << width
                  << " bits by 0, but wanted is another divisor";
  std::optional<APInt> dividend = left.getConstantValue(),
                       divisor = right.getConstantValue();
  if (isSignedDivision(op) && dividend && divisor && divisor->isAllOnes() &&
      dividend->sextOrTrunc(width).isMinSignedValue())
    return fail() << "divides the lowest integer of " << width
                  << " bits by -1, but wanted is a quotient that fits";
  return success();
}

/// The shifts and divisions of `module`.
static SmallVector<Operation *> collect(Operation *module) {
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (isShift(op) || isDivision(op))
      ops.push_back(op);
  });
  return ops;
}

LogicalResult dml::verifyArithmetic(gpu::GPUModuleOp module,
                                    unsigned indexBits) {
  SmallVector<Operation *> ops = collect(module);
  // Most kernels shift and divide by constants alone.
  llvm::erase_if(ops, [](Operation *op) {
    return matchPattern(op->getOperand(1), m_Constant());
  });
  if (ops.empty())
    return success();
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(module)))
    return module.emitError("integer range analysis failed");
  return success(llvm::all_of(ops, [&](Operation *op) {
    const auto *left = solver.lookupState<dataflow::IntegerValueRangeLattice>(
        op->getOperand(0));
    const auto *right = solver.lookupState<dataflow::IntegerValueRangeLattice>(
        op->getOperand(1));
    // What the analysis never reached is dead.
    if (!left || !right || left->getValue().isUninitialized() ||
        right->getValue().isUninitialized())
      return true;
    Type type = getElementTypeOrSelf(op->getOperand(0).getType());
    unsigned width = type.isIndex() ? indexBits : type.getIntOrFloatBitWidth();
    return succeeded(verifyRanges(op, width, left->getValue().getValue(),
                                  right->getValue().getValue()));
  }));
}

/// The integers of a constant, or nothing of what is none.
static SmallVector<APInt> getIntegers(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return {number.getValue()};
  if (auto numbers = dyn_cast<DenseIntElementsAttr>(constant))
    return llvm::to_vector(numbers.getValues<APInt>());
  return {};
}

LogicalResult dml::verifyArithmetic(spirv::ModuleOp module) {
  return success(llvm::all_of(collect(module), [](Operation *op) {
    // The amount of a shift may have another width than what is shifted.
    Type type = getElementTypeOrSelf(op->getOperand(0).getType());
    unsigned width = type.getIntOrFloatBitWidth();
    SmallVector<APInt> lefts = getIntegers(op->getOperand(0));
    return llvm::all_of(
        llvm::enumerate(getIntegers(op->getOperand(1))), [&](auto right) {
          auto left = right.index() < lefts.size()
                          ? ConstantIntRanges::constant(lefts[right.index()])
                          : ConstantIntRanges::maxRange(width);
          return succeeded(verifyRanges(
              op, width, left, ConstantIntRanges::constant(right.value())));
        });
  }));
}
