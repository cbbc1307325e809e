//===- WorkAroundDrivers.cpp - Rewrites of miscompiled arithmetic ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Each row of the table at the end of this file is a rewrite of arithmetic that
// a certain driver compiles incorrectly. The description of the pass
// (include/dml/Codegen/Passes.td) documents the rows: the driver, the symptom,
// the test for the symptom, and the cost of each row.
//
//===----------------------------------------------------------------------===//

#include "SPIRV/KnownValues.h"
#include "SPIRV/NarrowIntegers.h"
#include "SPIRV/OpaqueZeros.h"
#include "dml/Codegen/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace dml {
#define GEN_PASS_DEF_WORKAROUNDDRIVERS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// The kernels of one module, and the state that their rewrites share.
struct WorkaroundState {
  gpu::GPUModuleOp module;
  RunPipeline runPipeline;
  OpaqueZeros zeros;

  /// Whether `isSought` is true for an operation in the kernels.
  bool contains(llvm::function_ref<bool(Operation *)> isSought) {
    return module
        ->walk([&](Operation *op) {
          return isSought(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// integer-ranges
//===----------------------------------------------------------------------===//

/// Replaces integers whose range has a single value by constants. For example,
/// the index of the smallest of one element is 0. Drivers find such constants
/// by range analysis. The later workarounds look for zeros in floating-point
/// operations. They must find all zeros that drivers find, including those that
/// are converted from integers. A kernel without such conversions stays as it
/// is.
static LogicalResult findIntegers(WorkaroundState &state) {
  if (!state.contains(llvm::IsaPred<arith::SIToFPOp, arith::UIToFPOp>))
    return success();
  OpPassManager pm(gpu::GPUModuleOp::getOperationName());
  pm.addPass(arith::createIntRangeOptimizationsPass());
  pm.addPass(createCanonicalizerPass());
  return state.runPipeline(pm);
}

//===----------------------------------------------------------------------===//
// zero-divisors
//===----------------------------------------------------------------------===//

/// Builds a constant `number` of type `type`, a scalar or a vector of equal
/// elements.
static Value getSplat(OpBuilder &b, Location loc, Type type,
                      const APFloat &number) {
  TypedAttr scalar = b.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(b, loc, scalar);
}

/// Replaces divisions by a constant 0 by multiplications with infinity.
static LogicalResult multiplyWithInfinity(WorkaroundState &state) {
  state.module.walk([](arith::DivFOp op) {
    APFloat divisor(0.0);
    if (!matchPattern(op.getRhs(), m_ConstantFloat(&divisor)) ||
        !divisor.isZero() || matchPattern(op.getLhs(), m_AnyZeroFloat()))
      return;
    OpBuilder b(op);
    APFloat infinity =
        APFloat::getInf(divisor.getSemantics(), divisor.isNegative());
    op.replaceAllUsesWith(
        arith::MulFOp::create(b, op.getLoc(), op.getLhs(),
                              getSplat(b, op.getLoc(), op.getType(), infinity))
            .getResult());
    op.erase();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// zero-products
//===----------------------------------------------------------------------===//

/// Replaces fused multiply-adds with a constant factor 0 by a multiplication
/// and an addition, so that writeOutZeros() finds the product with 0. The
/// result does not change, since a product with 0 is exact.
static void splitProductsWithZero(gpu::GPUModuleOp module) {
  module.walk([](math::FmaOp op) {
    if (!matchPattern(op.getA(), m_AnyZeroFloat()) &&
        !matchPattern(op.getB(), m_AnyZeroFloat()))
      return;
    OpBuilder b(op);
    Value product = arith::MulFOp::create(b, op.getLoc(), op.getA(), op.getB());
    op.replaceAllUsesWith(
        arith::AddFOp::create(b, op.getLoc(), product, op.getC()).getResult());
    op.erase();
  });
}

/// Returns x if `op` is a product 0 * x or x * 0, or a quotient 0 / x. Returns
/// null otherwise.
static Value getFactorOfZero(Operation *op) {
  if (!isa<arith::MulFOp, arith::DivFOp>(op))
    return nullptr;
  if (matchPattern(op->getOperand(0), m_AnyZeroFloat()))
    return op->getOperand(1);
  bool isProduct = isa<arith::MulFOp>(op);
  if (isProduct && matchPattern(op->getOperand(1), m_AnyZeroFloat()))
    return op->getOperand(0);
  return nullptr;
}

/// Replaces 0 * x and 0 / x, with a constant 0, by a selection between 0 and
/// NaN, since drivers fold both to 0 even if x is NaN. 0 * x is 0 if x is
/// finite, and NaN otherwise. 0 / x is 0 if x is neither 0 nor NaN, and NaN
/// otherwise. (The sign of a zero result does not matter in the results of
/// operators.)
static LogicalResult writeOutZeros(WorkaroundState &state) {
  splitProductsWithZero(state.module);
  state.module.walk([](Operation *op) {
    Value x = getFactorOfZero(op);
    if (!x)
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    Type type = x.getType();
    const llvm::fltSemantics &semantics =
        cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
    Value zero = getSplat(b, loc, type, APFloat::getZero(semantics));
    Value nan = getSplat(b, loc, type, APFloat::getQNaN(semantics));
    Value isZero;
    if (isa<arith::MulFOp>(op))
      isZero = arith::CmpFOp::create(
          b, loc, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, x),
          getSplat(b, loc, type, APFloat::getInf(semantics)));
    else
      isZero =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, x, zero);
    op->getResult(0).replaceAllUsesWith(
        arith::SelectOp::create(b, loc, isZero, zero, nan));
    op->erase();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// zero-terms
//===----------------------------------------------------------------------===//

/// Replaces a constant term 0 of a sum by an opaque zero. The sum turns -0 into
/// 0, and a driver that knows the term would omit the sum.
static LogicalResult addOpaqueZeros(WorkaroundState &state) {
  state.module.walk([&](arith::AddFOp op) {
    if (isa<ShapedType>(op.getType()))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (matchPattern(operand.get(), m_PosZeroFloat()))
        operand.set(state.zeros.get(op, op.getType()));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// narrow-negations
//===----------------------------------------------------------------------===//

/// Replaces negations of narrow integers, which are subtractions from 0, by
/// subtractions from an opaque zero.
static LogicalResult negateWithOpaqueZeros(WorkaroundState &state) {
  state.module.walk([&](arith::SubIOp op) {
    if (op.getType().isInteger(32) && matchPattern(op.getLhs(), m_Zero()) &&
        llvm::any_of(op->getUsers(), llvm::IsaPred<arith::TruncIOp>))
      op.getLhsMutable().assign(state.zeros.get(op, op.getType()));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// rounding-sums
//===----------------------------------------------------------------------===//

/// Hides the constant 1.5 * 2^23 of a sum from the driver, if the driver may
/// know the number to which it is added. Kernels round a number to an integer
/// by adding this constant, since the sum has no bits for a fraction. A driver
/// that computes the sum at compile time may truncate instead of rounding, so
/// that 4.75 becomes 4.
static LogicalResult hideFromRounding(WorkaroundState &state) {
  KnownValues known(KnownValues::Choices::Any);
  state.module.walk([&](arith::AddFOp op) {
    APFloat shift(0.0f);
    if (op.getType().isF32() &&
        matchPattern(op.getRhs(), m_ConstantFloat(&shift)) &&
        shift.convertToFloat() == 0x1.8p23f && known.contains(op.getLhs()))
      op.getRhsMutable().assign(state.zeros.hide(op, op.getRhs()));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// found-zeros
//===----------------------------------------------------------------------===//

/// Whether `value` may be 0. The function looks at constants and at selections
/// between constants, and returns true for every other value.
static bool mayBeZero(Value value) {
  APFloat constant(0.0f);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return constant.isZero();
  auto select = value.getDefiningOp<arith::SelectOp>();
  return !select || mayBeZero(select.getTrueValue()) ||
         mayBeZero(select.getFalseValue());
}

/// Whether `value` is a finite constant, whose product with 0 is 0.
static bool isFinite(Value value) {
  APFloat constant(0.0f);
  return matchPattern(value, m_ConstantFloat(&constant)) && constant.isFinite();
}

/// Hides factors, dividends and divisors that are no constants but that a
/// driver may still determine to be 0. The driver would rewrite 0 * x and 0 / x
/// to 0, although both are NaN if x is NaN. For example, a driver may find that
/// the comparison 0 < select(c, 0, NaN) is always false, and that a number
/// converted from the comparison's result is 0.
static LogicalResult hideZeroFactors(WorkaroundState &state) {
  KnownValues known(KnownValues::Choices::All);
  state.module.walk([&](Operation *op) {
    if (!isa<arith::MulFOp, arith::DivFOp, math::FmaOp>(op) ||
        !op->getResult(0).getType().isF32())
      return;
    for (OpOperand &operand : op->getOpOperands().take_front(2)) {
      Value factor = operand.get();
      Value other = op->getOperand(1 - operand.getOperandNumber());
      bool isDivisor =
          isa<arith::DivFOp>(op) && operand.getOperandNumber() == 1;
      if (!matchPattern(factor, m_Constant()) && known.contains(factor) &&
          mayBeZero(factor) && (isDivisor || !isFinite(other)))
        operand.set(state.zeros.hide(op, factor));
    }
  });
  return success();
}

//===----------------------------------------------------------------------===//
// carried-constants
//===----------------------------------------------------------------------===//

/// Hides one operand of an instruction of SPIR-V's extended set, such as UMin,
/// if a driver may know all operands because it follows values through a loop.
/// One driver does so incorrectly: for c = min(c + 1, 3), carried by a loop
/// from 0 on, it takes the value after the loop for 0.
static LogicalResult hideFromPropagation(WorkaroundState &state) {
  KnownValues known(KnownValues::Choices::All, KnownValues::Loops::Kept);
  state.module.walk([&](Operation *op) {
    if (isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
            arith::MinimumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
            arith::MinUIOp, math::ExpOp, math::Exp2Op, math::LogOp,
            math::Log2Op, math::SqrtOp, math::PowFOp, math::SinOp, math::CosOp,
            math::TanOp, math::AsinOp, math::AcosOp, math::AtanOp,
            math::Atan2Op>(op) &&
        OpaqueZeros::canHide(op->getResult(0).getType()) &&
        llvm::all_of(op->getOperands(),
                     [&](Value operand) { return known.contains(operand); }))
      op->setOperand(0, state.zeros.hide(op, op->getOperand(0)));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// widened-comparisons
//===----------------------------------------------------------------------===//

/// If an integer is widened and then compared with a constant that the narrow
/// type can represent, compares the narrow integer instead. lavapipe computes
/// the comparison of the widened integer wrongly: if x is a negative i32,
/// i64(x) < 0 is false there.
static LogicalResult compareBeforeWidening(WorkaroundState &state) {
  state.module.walk([](arith::CmpIOp op) {
    auto widened = op.getLhs().getDefiningOp<arith::ExtSIOp>();
    APInt constant;
    if (!widened || !matchPattern(op.getRhs(), m_ConstantInt(&constant)))
      return;
    Type type = widened.getIn().getType();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    bool isUnsigned = op.getPredicate() >= arith::CmpIPredicate::ult;
    if (isUnsigned || isa<ShapedType>(type) || !constant.isSignedIntN(width))
      return;
    OpBuilder b(op);
    Value narrow = arith::ConstantOp::create(
        b, op.getLoc(), b.getIntegerAttr(type, constant.trunc(width)));
    op.getLhsMutable().assign(widened.getIn());
    op.getRhsMutable().assign(narrow);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// lost-roundings
//===----------------------------------------------------------------------===//

/// Hides the f16 to which an f32 is rounded, if the f16 is widened again or
/// selected. `extf(truncf(x))` rounds x, but a driver may replace it by x.
static LogicalResult keepRoundings(WorkaroundState &state) {
  state.module.walk([&](arith::TruncFOp op) {
    if (!op.getType().isF16() ||
        llvm::none_of(op->getUsers(),
                      llvm::IsaPred<arith::ExtFOp, arith::SelectOp>))
      return;
    OpBuilder b(op);
    auto rounded = cast<arith::TruncFOp>(b.clone(*op));
    op.replaceAllUsesWith(state.zeros.hide(op, rounded.getOut()));
    op.erase();
  });
  return success();
}

//===----------------------------------------------------------------------===//
// joined-masks
//===----------------------------------------------------------------------===//

/// Hides the mask of `(x & mask) | bits`, where `mask` and `bits` are
/// constants. A GPU may have an instruction that computes both operations, but
/// no instruction takes two constants. The hidden mask lies in a register. It
/// is the sum of the constant and an opaque zero. A driver would compute their
/// exclusive or again with each `&`.
static LogicalResult hideJoinedMasks(WorkaroundState &state) {
  state.module.walk([&](arith::OrIOp op) {
    auto masked = op.getLhs().getDefiningOp<arith::AndIOp>();
    TypedAttr mask;
    if (op.getType().isInteger(32) && masked &&
        matchPattern(op.getRhs(), m_Constant()) &&
        matchPattern(masked.getRhs(), m_Constant(&mask)))
      masked.getRhsMutable().assign(state.zeros.addTo(masked, mask));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// long-divisions
//===----------------------------------------------------------------------===//

/// Narrows the integers of kernels that contain 64-bit divisions.
static LogicalResult narrowLongDivisions(WorkaroundState &state) {
  bool divides = state.contains([](Operation *op) {
    return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
               op) &&
           op->getResult(0).getType().isInteger(wideBits);
  });
  return divides ? narrowIntegers(state.module, state.runPipeline) : success();
}

//===----------------------------------------------------------------------===//
// masked-halves
//===----------------------------------------------------------------------===//

/// Hides constants that `and`, `or` and `xor` combine with the bits of an f16,
/// or with results of such operations. If a kernel stores two f16 as one word,
/// one driver omits a constant mask that is applied to the first f16. The
/// driver cannot omit an operation whose constant it does not know.
static LogicalResult hideMasksOfHalves(WorkaroundState &state) {
  llvm::SmallDenseSet<Value> bitsOfHalves;
  SmallVector<OpOperand *> masks;
  state.module.walk([&](Operation *op) {
    if (auto cast = dyn_cast<arith::BitcastOp>(op)) {
      if (cast.getIn().getType().isF16())
        bitsOfHalves.insert(cast.getOut());
      return;
    }
    if (!isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) ||
        llvm::none_of(op->getOperands(),
                      [&](Value x) { return bitsOfHalves.contains(x); }))
      return;
    bitsOfHalves.insert(op->getResult(0));
    for (OpOperand &operand : op->getOpOperands())
      if (matchPattern(operand.get(), m_Constant()))
        masks.push_back(&operand);
  });
  for (OpOperand *mask : masks)
    mask->set(state.zeros.hide(mask->getOwner(), mask->get()));
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// A row of the table: the name with which an option disables the row, and the
/// rewrite.
struct Workaround {
  llvm::StringLiteral name;
  LogicalResult (*apply)(WorkaroundState &state);
};
} // namespace

/// The rows of the table, in the order in which they rewrite kernels. A
/// function above describes each row. The order matters if one row rewrites
/// operations that another row makes:
/// * integer-ranges is first. It makes constants, among them the zeros that
///   zero-divisors, zero-products and zero-terms look for.
/// * zero-products is before zero-terms. It makes sums of fused products, and a
///   term of such a sum may be a constant 0.
/// * zero-products is before found-zeros. It makes selections between 0 and
///   NaN, and found-zeros hides the factors that are computed from these.
/// * long-divisions is behind all rows that change results. It also merges
/// equal
///   operations that these rows have made.
///
/// The rows that hide values, such as zero-terms, rounding-sums and
/// found-zeros, may be in any order among themselves. No driver knows a value
/// that is computed from a hidden one, so that a later row leaves such a value
/// as it is.
static constexpr Workaround workarounds[] = {
    {"integer-ranges", findIntegers},
    {"zero-divisors", multiplyWithInfinity},
    {"zero-products", writeOutZeros},
    {"zero-terms", addOpaqueZeros},
    {"narrow-negations", negateWithOpaqueZeros},
    {"rounding-sums", hideFromRounding},
    {"found-zeros", hideZeroFactors},
    {"carried-constants", hideFromPropagation},
    {"widened-comparisons", compareBeforeWidening},
    {"masked-halves", hideMasksOfHalves},
    {"long-divisions", narrowLongDivisions},
    {"lost-roundings", keepRoundings},
    {"joined-masks", hideJoinedMasks},
};

namespace {
struct WorkAroundDrivers : dml::impl::WorkAroundDriversBase<WorkAroundDrivers> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    for (const std::string &name : disable)
      if (llvm::none_of(workarounds, [&](const Workaround &row) {
            return row.name == name;
          }))
        return emitError(UnknownLoc::get(context))
               << "found the row '" << name
               << "' of driver workarounds, but wanted one of "
               << llvm::join(llvm::map_range(workarounds,
                                             [](const Workaround &row) {
                                               return row.name;
                                             }),
                             ", ");
    return success();
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    auto run = [&](OpPassManager &pm) { return runPipeline(pm, module); };
    WorkaroundState state = {module, run, OpaqueZeros()};
    for (const Workaround &row : workarounds)
      if (!llvm::is_contained(disable, row.name) && failed(row.apply(state)))
        return signalPassFailure();
  }
};
} // namespace
