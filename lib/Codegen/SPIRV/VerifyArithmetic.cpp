//===- VerifyArithmetic.cpp - No undefined shifts or divisions ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/VerifyArithmetic.h"
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

/// Rejects `op`, a shift or a division of integers with `width` bits, if no
/// combination of operands in the given ranges has a defined result.
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

/// Returns the shifts and divisions of `module`.
static SmallVector<Operation *> collect(Operation *module) {
  SmallVector<Operation *> ops;
  module->walk([&](Operation *op) {
    if (isShift(op) || isDivision(op))
      ops.push_back(op);
  });
  return ops;
}

/// Returns the integers in `value`, a scalar or a vector, if `value` is a
/// constant. Returns an empty list otherwise.
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

/// Rejects `op`, which computes with `width` bits, if `op` shifts or divides by
/// a constant with which the result is undefined.
static LogicalResult verifyConstants(Operation *op, unsigned width) {
  SmallVector<APInt> lefts = getIntegers(op->getOperand(0));
  for (auto [i, right] : llvm::enumerate(getIntegers(op->getOperand(1)))) {
    auto left = i < lefts.size() ? ConstantIntRanges::constant(lefts[i])
                                 : ConstantIntRanges::maxRange(width);
    if (failed(
            verifyRanges(op, width, left, ConstantIntRanges::constant(right))))
      return failure();
  }
  return success();
}

/// Returns the width of the integer that `op` shifts or divides. The amount of
/// a shift may have a different width.
static unsigned getWidth(Operation *op, unsigned indexBits) {
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  return type.isIndex() ? indexBits : type.getIntOrFloatBitWidth();
}

LogicalResult dml::verifyArithmetic(gpu::GPUModuleOp module,
                                    unsigned indexBits) {
  SmallVector<Operation *> ops = collect(module);
  // Most kernels shift and divide only by constants, and need no analysis.
  for (Operation *op : ops)
    if (failed(verifyConstants(op, getWidth(op, indexBits))))
      return failure();
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
    // An operation that the analysis has not reached is dead code.
    if (!left || !right || left->getValue().isUninitialized() ||
        right->getValue().isUninitialized())
      return true;
    return succeeded(verifyRanges(op, getWidth(op, indexBits),
                                  left->getValue().getValue(),
                                  right->getValue().getValue()));
  }));
}

LogicalResult dml::verifyArithmetic(spirv::ModuleOp module) {
  return success(llvm::all_of(collect(module), [](Operation *op) {
    return succeeded(verifyConstants(op, getWidth(op, /*indexBits=*/0)));
  }));
}
