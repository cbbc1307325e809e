//===- ConvertKernelsToSPIRV.cpp - GPU kernels to SPIR-V ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/NarrowIntegers.h"
#include "SPIRV/VerifyArithmetic.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/KernelNames.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace dml {
#define GEN_PASS_DEF_CONVERTKERNELSTOSPIRV
#define GEN_PASS_DEF_FINALIZESPIRV
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Index width
//===----------------------------------------------------------------------===//

namespace {
/// How an operation reads its operands of type index, as far as the width
/// matters.
enum class Reading {
  /// Only the low bits count, as for additions.
  Bits,
  /// The operands are compared as numbers. If all fit 32 bits as signed
  /// numbers, or all as unsigned ones, they compare alike in either width.
  Alike,
  /// As unsigned numbers.
  Unsigned,
  /// The operands are signed numbers, as the indices of SPIR-V's access chains
  /// are.
  Signed,
};
} // namespace

static Reading getReading(Operation *op) {
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op))
    return Reading::Unsigned;
  // A cast to 32 bits or fewer drops what a wider index would have more.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
      !op->getResult(0).getType().isIndex() &&
      op->getResult(0).getType().getIntOrFloatBitWidth() <= 32)
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
/// What the kernels of a module compute with an index of 32 bits instead of 64.
class IndexWidth {
public:
  explicit IndexWidth(DataFlowSolver &solver) : solver(solver) {}

  /// Whether `op` computes the same: its indices fit in 32 bits, as signed or
  /// as unsigned, in the way that it reads them.
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
  /// The range of an index, or nothing of one that is never reached.
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
    bool isSigned =
        range->smin().isSignedIntN(32) && range->smax().isSignedIntN(32);
    bool isUnsigned = range->umax().isIntN(32);
    return (isSigned && reading != Reading::Unsigned) ||
           (isUnsigned && reading != Reading::Signed);
  }

  bool allFit(ValueRange values, Reading reading) {
    return llvm::all_of(values,
                        [&](Value value) { return fits(value, reading); });
  }

  /// Whether what is defined with 64 bits is with 32, if the indices fit: a
  /// shift by the width is not, nor is the quotient of the lowest number and
  /// -1, nor does a loop end whose counter wraps before its end.
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

/// Whether the kernels of `module` compute the same with an index of 32 bits as
/// with one of 64.
static FailureOr<bool> fitsIn32Bits(gpu::GPUModuleOp module) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<dataflow::IntegerRangeAnalysis>();
  if (failed(solver.initializeAndRun(module)))
    return module.emitError("integer range analysis failed");
  IndexWidth width(solver);
  WalkResult result = module.walk([&](Operation *op) {
    return width.isAlike(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Required features
//===----------------------------------------------------------------------===//

/// Adds the features that values of `type` need.
static void addRequired(Type type, bool use64bitIndex,
                        DeviceProfile &required) {
  if (isa<gpu::MMAMatrixType>(type)) {
    required.set(DeviceFeature::CooperativeMatrix, true);
    required.set(DeviceFeature::VulkanMemoryModel, true);
    return;
  }
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex()) {
    if (use64bitIndex)
      required.set(DeviceFeature::ShaderInt64, true);
    return;
  }
  if (element.isIntOrFloat())
    required.add(DeviceProfile::getRequired(element, isa<MemRefType>(type)));
}

/// Checks that `profile` has what the kernel needs. SPIR-V conversion would
/// fail late, or not at all, and name neither the feature nor the operator.
static LogicalResult verifyFeatures(gpu::GPUFuncOp kernel, bool use64bitIndex,
                                    const DeviceProfile &profile) {
  DeviceProfile required;
  kernel.walk([&](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      addRequired(type, use64bitIndex, required);
  });
  SmallVector<StringRef> missing;
  for (const DeviceFeatureInfo &info : getDeviceFeatures())
    if (required.has(info.feature) && !profile.has(info.feature))
      missing.push_back(info.vulkanName);
  if (missing.empty())
    return success();
  return emitError(kernel.getLoc())
         << "'" << kernel.getName() << "' needs the Vulkan feature"
         << (missing.size() > 1 ? "s " : " ") << llvm::join(missing, ", ")
         << ", which the device profile '" << profile.str() << "' lacks";
}

//===----------------------------------------------------------------------===//
// Products with zero, and sums
//===----------------------------------------------------------------------===//

/// The number as a scalar, or as each element of a vector.
static Value getSplat(OpBuilder &b, Location loc, Type type,
                      const APFloat &number) {
  TypedAttr scalar = b.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(b, loc, scalar);
}

/// Mesa's lavapipe leaves quotients by a constant 0 undefined. They become
/// products with infinity.
static void multiplyWithInfinity(gpu::GPUModuleOp module) {
  module.walk([](arith::DivFOp op) {
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
}

/// The x of a product 0 * x or x * 0, or of a quotient 0 / x; null elsewhere.
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

/// Fused products with a constant 0 become products and sums, which round
/// nothing either.
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

/// Mesa's lavapipe takes products with a constant 0, and quotients of one, for
/// 0, those of NaN and infinity too. They become choices between 0 and NaN:
/// 0 * x is 0 where x is finite, and 0 / x is where x is neither 0 nor NaN. (0
/// may have either sign in what operators compute.)
static void writeOutZeros(gpu::GPUModuleOp module) {
  module.walk([](Operation *op) {
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
}

namespace {
/// Makes zeros that no driver knows to be 0, of the highest bit of a
/// workgroup's number, which is 0 since no grid has 2^31 workgroups in a row.
/// Each kernel computes such a zero once for each type that needs it, where the
/// kernel begins.
class UnknownZeros {
public:
  /// Returns the zero of the kernel that has `user`, as a number of `type`,
  /// which is i32 or a floating-point type.
  Value get(Operation *user, Type type) {
    auto kernel = user->getParentOfType<gpu::GPUFuncOp>();
    if (Value zero = zeros.lookup({kernel, type}))
      return zero;
    ImplicitLocOpBuilder b(user->getLoc(), user);
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value zero;
    if (type.isInteger(32)) {
      Value group = arith::IndexCastUIOp::create(
          b, type, gpu::BlockIdOp::create(b, gpu::Dimension::x));
      Value distance = arith::ConstantOp::create(b, b.getI32IntegerAttr(31));
      zero = arith::ShRUIOp::create(b, group, distance);
    } else {
      Value word = get(user, b.getI32Type());
      b.setInsertionPointAfterValue(word);
      zero = type.isF32() ? arith::BitcastOp::create(b, type, word).getResult()
                          : arith::UIToFPOp::create(b, type, word).getResult();
    }
    return zeros[{kernel, type}] = zero;
  }

  /// Whether a value of `type` can be hidden.
  static bool canHide(Type type) {
    return type.isF32() || type.isInteger(32) || type.isIndex();
  }

  /// Returns what is equal to `value`, but no driver knows it: its bits joined
  /// with the zero. It is computed before `user`, and of a constant once, where
  /// the kernel begins.
  Value hide(Operation *user, Value value) {
    ImplicitLocOpBuilder b(user->getLoc(), user);
    Value zero = get(user, b.getI32Type());
    TypedAttr constant;
    if (!matchPattern(value, m_Constant(&constant)))
      return buildHidden(b, zero, value);
    Value &hidden =
        constants[{user->getParentOfType<gpu::GPUFuncOp>(), constant}];
    if (!hidden) {
      b.setInsertionPointAfterValue(zero);
      hidden = buildHidden(b, zero, arith::ConstantOp::create(b, constant));
    }
    return hidden;
  }

private:
  static Value buildHidden(ImplicitLocOpBuilder &b, Value zero, Value value) {
    Type type = value.getType();
    if (type.isIndex())
      zero = arith::IndexCastUIOp::create(b, type, zero);
    if (!type.isF32())
      return arith::OrIOp::create(b, zero, value);
    Value bits = arith::BitcastOp::create(b, zero.getType(), value);
    return arith::BitcastOp::create(b, type,
                                    arith::OrIOp::create(b, zero, bits));
  }

  llvm::SmallDenseMap<std::pair<Operation *, Type>, Value> zeros;
  llvm::SmallDenseMap<std::pair<Operation *, Attribute>, Value> constants;
};
} // namespace

/// Mesa's lavapipe drops additions of a constant 0, which make 0 of -0, however
/// they are marked. What is added instead is a zero that drivers do not know.
static void addUnknownZeros(gpu::GPUModuleOp module, UnknownZeros &zeros) {
  module.walk([&](arith::AddFOp op) {
    if (isa<ShapedType>(op.getType()))
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (matchPattern(operand.get(), m_PosZeroFloat()))
        operand.set(zeros.get(op, op.getType()));
  });
}

/// The driver of an H100 takes
///   extsi(select(c, trunci(subi(0, extsi(x))), 0))
/// for select(c, -extsi(x), 0), which is 128 and not -128 for x = -128. The 0
/// that narrow integers are subtracted from is one that drivers do not know.
static void negateWithUnknownZeros(gpu::GPUModuleOp module,
                                   UnknownZeros &zeros) {
  module.walk([&](arith::SubIOp op) {
    if (op.getType().isInteger(32) && matchPattern(op.getLhs(), m_Zero()) &&
        llvm::any_of(op->getUsers(), llvm::IsaPred<arith::TruncIOp>))
      op.getLhsMutable().assign(zeros.get(op, op.getType()));
  });
}

namespace {
/// Finds out which values a driver may know while it compiles a kernel, once it
/// has unrolled the loops: what comes of constants and of loops' counters.
class KnownValues {
public:
  /// How many of its two values make a choice known. `Any` asks for one, since
  /// a driver may then know the result in some cases: select(c, 2, x) is 2
  /// where c holds. `All` asks for both, since a driver may then know what
  /// follows in all cases: the comparison 0 < select(c, 0, NaN) never holds.
  enum class Choices { Any, All };
  /// Which values of a loop are known. With `Unrolled`, the counter is known,
  /// and so are carried values that begin with a known one, since a driver may
  /// know them once it has unrolled the loop. With `Kept`, a carried value is
  /// known if it begins with a known one and each iteration sets it to a known
  /// one, whichever branches it takes; the counter is not known, since it
  /// changes.
  enum class Loops { Unrolled, Kept };
  explicit KnownValues(Choices choices, Loops loops = Loops::Unrolled)
      : choices(choices), loops(loops) {}

  bool contains(Value value) {
    auto [entry, isNew] = known.try_emplace(value, true);
    if (isNew) {
      bool result = find(value);
      known[value] = result;
      return result;
    }
    return entry->second;
  }

private:
  bool find(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return !isa<BaseMemRefType>(value.getType()) &&
             (choices == Choices::Any || findCarried(value));
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return choices == Choices::Any ? contains(select.getTrueValue()) ||
                                           contains(select.getFalseValue())
                                     : contains(select.getTrueValue()) &&
                                           contains(select.getFalseValue());
    if (isa<gpu::ThreadIdOp, gpu::BlockIdOp, memref::LoadOp>(op))
      return false;
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && choices == Choices::All) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return contains(loop.getInitArgs()[number]) &&
             contains(loop.getYieldedValues()[number]);
    }
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && loops == Loops::Kept) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return contains(branch.thenYield().getOperand(number)) &&
             contains(branch.elseYield().getOperand(number));
    }
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return contains(operand); });
  }

  /// Whether a driver may know an argument of a block.
  bool findCarried(Value argument) {
    auto loop = dyn_cast<scf::ForOp>(argument.getParentBlock()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return loops == Loops::Unrolled;
    auto carried = cast<BlockArgument>(argument);
    return contains(loop.getTiedLoopInit(carried)->get()) &&
           (loops == Loops::Unrolled ||
            contains(loop.getTiedLoopYieldedValue(carried)->get()));
  }

  Choices choices;
  Loops loops;
  llvm::DenseMap<Value, bool> known;
};
} // namespace

/// Sums with 1.5 * 2^23 are there to be rounded to integers, to nearest.
/// NVIDIA's compiler cuts the sums that it computes itself: the mean of 3 and
/// 10 with the weights 3/4 and 1/4 would be 4 instead of 5. Where it may know
/// the number, it must not know what is added.
static void hideFromRounding(gpu::GPUModuleOp module, UnknownZeros &zeros) {
  KnownValues known(KnownValues::Choices::Any);
  module.walk([&](arith::AddFOp op) {
    APFloat shift(0.0f);
    if (op.getType().isF32() &&
        matchPattern(op.getRhs(), m_ConstantFloat(&shift)) &&
        shift.convertToFloat() == 0x1.8p23f && known.contains(op.getLhs()))
      op.getRhsMutable().assign(zeros.hide(op, op.getRhs()));
  });
}

/// SPIRV-Tools' propagation of constants, which SwiftShader 5.0 runs, gives up
/// on extended instructions in modules with SignedZeroInfNanPreserve, but takes
/// what loops carry for what they begin with where only such instructions would
/// change it: carried = min(carried + 1, 3), which begins with 0, is 0 for it
/// after the loop. One operand of these instructions is hidden.
static void hideFromPropagation(gpu::GPUModuleOp module, UnknownZeros &zeros) {
  KnownValues known(KnownValues::Choices::All, KnownValues::Loops::Kept);
  module.walk([&](Operation *op) {
    if (isa<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
            arith::MinimumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
            arith::MinUIOp, math::ExpOp, math::Exp2Op, math::LogOp,
            math::Log2Op, math::SqrtOp, math::PowFOp, math::SinOp, math::CosOp,
            math::TanOp, math::AsinOp, math::AcosOp, math::AtanOp,
            math::Atan2Op>(op) &&
        UnknownZeros::canHide(op->getResult(0).getType()) &&
        llvm::all_of(op->getOperands(),
                     [&](Value operand) { return known.contains(operand); }))
      op->setOperand(0, zeros.hide(op, op->getOperand(0)));
  });
}

/// Whether `value` can be 0, as far as its constants tell.
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

/// Hides factors that a driver may find to be 0. Mesa's lavapipe takes 0 * x
/// and 0 / x for 0 even where x is NaN, and it finds zeros that are no
/// constants: the comparison 0 < select(c, 0, NaN) becomes select(c, false,
/// false) there, which is false.
static void hideZeroFactors(gpu::GPUModuleOp module, UnknownZeros &zeros) {
  KnownValues known(KnownValues::Choices::All);
  module.walk([&](Operation *op) {
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
        operand.set(zeros.hide(op, factor));
    }
  });
}

//===----------------------------------------------------------------------===//
// Conversions of what is selected
//===----------------------------------------------------------------------===//

/// Converts a value once that several elements take or leave, as the elements
/// of a window do with its gradient: of
///   truncf(select(c, x, 0)) and truncf(select(d, x, 0))
/// come select(c, y, 0) and select(d, y, 0) with y = truncf(x).
static void convertBeforeSelecting(gpu::GPUModuleOp module) {
  llvm::MapVector<std::pair<Value, Type>, SmallVector<arith::TruncFOp>> users;
  module.walk([&](arith::TruncFOp op) {
    auto select = op.getIn().getDefiningOp<arith::SelectOp>();
    if (select && !isa<ShapedType>(op.getType()) && !op.getRoundingmode() &&
        matchPattern(select.getFalseValue(), m_Constant()))
      users[{select.getTrueValue(), op.getType()}].push_back(op);
  });
  for (auto &[key, ops] : users) {
    auto [value, type] = key;
    if (ops.size() < 2)
      continue;
    OpBuilder b(module.getContext());
    b.setInsertionPointAfterValue(value);
    Value narrow = arith::TruncFOp::create(b, value.getLoc(), type, value);
    for (arith::TruncFOp op : ops) {
      auto select = op.getIn().getDefiningOp<arith::SelectOp>();
      b.setInsertionPoint(op);
      Value other = b.createOrFold<arith::TruncFOp>(op.getLoc(), type,
                                                    select.getFalseValue());
      Value selected = arith::SelectOp::create(
          b, op.getLoc(), select.getCondition(), narrow, other);
      op.replaceAllUsesWith(selected);
      op.erase();
    }
  }
}

//===----------------------------------------------------------------------===//
// Comparisons of widened integers
//===----------------------------------------------------------------------===//

/// Mesa's lavapipe takes the comparison of an i32 that was widened to i64 with
/// 0 for false: -89 < 0 is. A constant that the narrow type has is compared
/// with before the integer is widened.
static void compareBeforeWidening(gpu::GPUModuleOp module) {
  module.walk([](arith::CmpIOp op) {
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
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

namespace {
/// A truth as an index. Folding makes such casts of truths that became an i32
/// first, and upstream has no conversion for them.
template <typename Op> struct ConvertTruthCast : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "not of a truth");
    Type type = this->getTypeConverter()->convertType(op.getType());
    constexpr int64_t one = std::is_same_v<Op, arith::IndexCastOp> ? -1 : 1;
    auto getConstant = [&](int64_t value) {
      return spirv::ConstantOp::create(rewriter, op.getLoc(), type,
                                       IntegerAttr::get(type, value));
    };
    rewriter.replaceOpWithNewOp<spirv::SelectOp>(
        op, type, adaptor.getIn(), getConstant(one), getConstant(0));
    return success();
  }
};

/// The number of the thread in its subgroup, which upstream has no pattern for.
struct ConvertLaneId : OpConversionPattern<gpu::LaneIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::LaneIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto *converter = getTypeConverter<SPIRVTypeConverter>();
    Type word = rewriter.getI32Type();
    Value number = spirv::getBuiltinVariableValue(
        op, spirv::BuiltIn::SubgroupLocalInvocationId, word, rewriter);
    Type index = converter->getIndexType();
    if (index != word)
      number = spirv::UConvertOp::create(rewriter, op.getLoc(), index, number);
    rewriter.replaceOp(op, number);
    return success();
  }
};
} // namespace

/// Converts `modules`, which have the same width of index: the patterns are
/// many, and are built once.
static LogicalResult convertToSPIRV(ArrayRef<Operation *> modules,
                                    spirv::TargetEnvAttr targetEnv,
                                    bool use64bitIndex) {
  SPIRVConversionOptions options;
  options.use64bitIndex = use64bitIndex;
  // Nothing is emulated here: what the device lacks was refused before, by
  // name.
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  SPIRVTypeConverter typeConverter(targetEnv, options);
  populateMMAToSPIRVCoopMatrixTypeConversion(typeConverter);
  ScfToSPIRVContext scfContext;
  RewritePatternSet patterns(targetEnv.getContext());
  populateGPUToSPIRVPatterns(typeConverter, patterns);
  populateGpuWMMAToSPIRVCoopMatrixKHRConversionPatterns(typeConverter,
                                                        patterns);
  populateSCFToSPIRVPatterns(typeConverter, scfContext, patterns);
  arith::populateArithToSPIRVPatterns(typeConverter, patterns);
  patterns.add<ConvertTruthCast<arith::IndexCastOp>,
               ConvertTruthCast<arith::IndexCastUIOp>>(typeConverter,
                                                       patterns.getContext());
  patterns.add<ConvertLaneId>(typeConverter, patterns.getContext());
  populateMathToSPIRVPatterns(typeConverter, patterns);
  populateMemRefToSPIRVPatterns(typeConverter, patterns);
  populateVectorToSPIRVPatterns(typeConverter, patterns);
  return applyFullConversion(modules, *SPIRVConversionTarget::get(targetEnv),
                             std::move(patterns));
}

namespace {
struct ConvertKernelsToSPIRV
    : dml::impl::ConvertKernelsToSPIRVBase<ConvertKernelsToSPIRV> {
  using Base::Base;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    auto originals = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    SymbolTable names(getOperation());
    for (gpu::GPUModuleOp original : originals)
      if (names.lookup(getSPIRVModuleName(original.getName()))) {
        emitError(original.getLoc(), "kernel '")
            << original.getName() << "' is converted to SPIR-V already";
        return signalPassFailure();
      }
    SmallVector<FailureOr<bool>> fit(originals.size());
    if (failed(failableParallelForEachN(&getContext(), 0, originals.size(),
                                        [&](size_t i) {
                                          fit[i] = fitsIn32Bits(originals[i]);
                                          return LogicalResult(fit[i]);
                                        })))
      return signalPassFailure();

    SymbolTableCollection symbols;
    WalkResult bound = getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernel());
      return WalkResult(shareBindings(launch, kernel, profile));
    });
    if (bound.wasInterrupted())
      return signalPassFailure();
    SmallVector<Kernel> kernels;
    for (auto [original, narrow] : llvm::zip_equal(originals, fit)) {
      FailureOr<Kernel> kernel = prepare(original, !*narrow, profile);
      if (succeeded(kernel))
        kernels.push_back(std::move(*kernel));
    }
    // Every kernel that is refused is named.
    if (kernels.size() < originals.size() || failed(convert(kernels, profile)))
      return signalPassFailure();
    for (Kernel &kernel : kernels) {
      auto converted = cast<spirv::ModuleOp>(kernel.module->getBody()->front());
      if (failed(verifyArithmetic(converted)))
        return signalPassFailure();
      converted->remove();
      OpBuilder(kernel.original).insert(converted);
    }
  }

private:
  /// A copy of a gpu.module, in a module of its own.
  struct Kernel {
    gpu::GPUModuleOp original;
    OwningOpRef<ModuleOp> module;
    bool use64bitIndex;
  };

  /// Views of one buffer share its binding: devices have few.
  static LogicalResult shareBindings(gpu::LaunchFuncOp launch,
                                     gpu::GPUFuncOp kernel,
                                     const DeviceProfile &profile) {
    llvm::SmallMapVector<Value, unsigned, 4> bindings;
    for (auto [index, buffer] : llvm::enumerate(launch.getKernelOperands())) {
      while (isBufferView(buffer.getDefiningOp()))
        buffer = buffer.getDefiningOp()->getOperand(0);
      unsigned binding =
          bindings.try_emplace(buffer, bindings.size()).first->second;
      kernel.setArgAttr(
          index, spirv::getInterfaceVarABIAttrName(),
          spirv::getInterfaceVarABIAttr(
              /*descriptorSet=*/0, binding, std::nullopt, launch.getContext()));
    }
    for (auto [buffer, _] : bindings) {
      auto bytes = static_cast<int64_t>(
          llvm::alignTo(getNumBytes(cast<MemRefType>(buffer.getType())),
                        DeviceProfile::vectorBytes));
      if (bytes > profile.getMaxStorageBufferRange())
        return emitError(launch.getLoc())
               << "'" << kernel.getName() << "' binds " << buffer.getType()
               << ", which has " << bytes << " bytes and was not sliced, but "
               << "the device profile '" << profile.str() << "' has "
               << profile.getMaxStorageBufferRange()
               << " as its maxStorageBufferRange";
    }
    auto count = static_cast<int64_t>(bindings.size());
    if (count <= profile.getMaxStorageBuffers())
      return success();
    return emitError(kernel.getLoc())
           << "'" << kernel.getName() << "' binds " << count
           << " storage buffers, but the device profile '" << profile.str()
           << "' has " << profile.getMaxStorageBuffers();
  }

  /// Whether `isSought` holds for an operation of `module`.
  static bool contains(gpu::GPUModuleOp module,
                       llvm::function_ref<bool(Operation *)> isSought) {
    return module
        ->walk([&](Operation *op) {
          return isSought(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether `module` divides integers of 64 bits.
  static bool dividesLongIntegers(gpu::GPUModuleOp module) {
    return contains(module, [](Operation *op) {
      return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                 arith::RemUIOp>(op) &&
             op->getResult(0).getType().isInteger(64);
    });
  }

  /// In a kernel that needs 64-bit indices, most numbers fit in 32 bits all the
  /// same, and so do some beside divisions of 64-bit elements. These are slow,
  /// and those of small numbers went wrong on an H100 (driver 580.159.04): it
  /// computed wrong coordinates, and did not compile the quotient of two
  /// elements' signs while both had 64 bits.
  LogicalResult narrowWhatFits(gpu::GPUModuleOp module) {
    // Narrowing leaves alone what reads numbers from 2^31 on as signed ones.
    OpPassManager before(gpu::GPUModuleOp::getOperationName());
    before.addPass(arith::createArithUnsignedWhenEquivalentPass());
    OpPassManager after(gpu::GPUModuleOp::getOperationName());
    after.addPass(createCanonicalizerPass());
    after.addPass(createCSEPass());
    return success(succeeded(runPipeline(before, module)) &&
                   succeeded(narrowIntegers(module)) &&
                   succeeded(runPipeline(after, module)));
  }

  /// Drivers find integers that are always 0, such as the place of the smallest
  /// of one element, by their ranges. Where these become numbers, the zeros
  /// have to be known here, too, so that products and quotients of them can be
  /// written out.
  LogicalResult findIntegers(gpu::GPUModuleOp module) {
    if (!contains(module, [](Operation *op) {
          return isa<arith::SIToFPOp, arith::UIToFPOp>(op);
        }))
      return success();
    OpPassManager pm(gpu::GPUModuleOp::getOperationName());
    pm.addPass(arith::createIntRangeOptimizationsPass());
    pm.addPass(createCanonicalizerPass());
    return runPipeline(pm, module);
  }

  FailureOr<Kernel> prepare(gpu::GPUModuleOp original, bool use64bitIndex,
                            const DeviceProfile &profile) {
    for (auto kernel : original.getOps<gpu::GPUFuncOp>())
      if (failed(verifyFeatures(kernel, use64bitIndex, profile)))
        return failure();

    // gpu.launch_func goes on naming the original.
    auto clone = cast<gpu::GPUModuleOp>(OpBuilder(original).clone(*original));
    if (failed(findIntegers(clone)))
      return failure();
    multiplyWithInfinity(clone);
    splitProductsWithZero(clone);
    convertBeforeSelecting(clone);
    writeOutZeros(clone);
    UnknownZeros zeros;
    addUnknownZeros(clone, zeros);
    negateWithUnknownZeros(clone, zeros);
    hideFromRounding(clone, zeros);
    hideZeroFactors(clone, zeros);
    hideFromPropagation(clone, zeros);
    compareBeforeWidening(clone);
    if ((use64bitIndex || dividesLongIntegers(clone)) &&
        failed(narrowWhatFits(clone)))
      return failure();
    if (failed(verifyArithmetic(clone, use64bitIndex ? 64 : narrowBits)))
      return failure();
    Kernel kernel = {original, ModuleOp::create(original.getLoc()),
                     use64bitIndex};
    clone->remove();
    kernel.module->push_back(clone);
    clone->setAttr(spirv::getTargetEnvAttrName(),
                   profile.getTargetEnv(&getContext()));
    for (auto function : clone.getOps<gpu::GPUFuncOp>())
      function->setAttr(
          spirv::getEntryPointABIAttrName(),
          spirv::getEntryPointABIAttr(&getContext(),
                                      function.getKnownBlockSize().value_or(
                                          ArrayRef<int32_t>{1, 1, 1})));
    // memref's default memory space is a storage buffer.
    spirv::MemorySpaceToStorageClassConverter storageClasses(
        [](Attribute space) {
          auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space);
          return gpuSpace && gpuSpace.getValue() ==
                                 gpu::GPUDialect::getWorkgroupAddressSpace()
                     ? spirv::StorageClass::Workgroup
                     : spirv::mapMemorySpaceToVulkanStorageClass(space);
        });
    spirv::convertMemRefTypesAndAttrs(clone, storageClasses);
    return kernel;
  }

  /// Converts the kernels, a share in each thread.
  LogicalResult convert(ArrayRef<Kernel> kernels,
                        const DeviceProfile &profile) {
    spirv::TargetEnvAttr targetEnv = profile.getTargetEnv(&getContext());
    size_t shares = getContext().isMultithreadingEnabled()
                        ? getContext().getNumThreads()
                        : 1;
    // Each share has a module of kernels with 32-bit indices and one of kernels
    // with 64-bit indices.
    return failableParallelForEachN(
        &getContext(), 0, 2 * shares, [&](size_t share) -> LogicalResult {
          bool use64bitIndex = share % 2;
          SmallVector<Operation *> mine;
          for (size_t i = share / 2; i < kernels.size(); i += shares)
            if (kernels[i].use64bitIndex == use64bitIndex)
              mine.push_back(&kernels[i].module.get().getBody()->front());
          if (mine.empty())
            return success();
          return convertToSPIRV(mine, targetEnv, use64bitIndex);
        });
  }
};

struct FinalizeSPIRV : dml::impl::FinalizeSPIRVBase<FinalizeSPIRV> {
  /// Makes the driver keep -0, infinities and NaN where the device can and the
  /// kernels of `module` compute with f32 or choose between numbers of it;
  /// whether it does so. One may otherwise take x / x for 1 and
  /// `x < 0 ? 0 : x` for a maximum, which is 0 of a NaN.
  static bool preserveSpecialNumbers(spirv::ModuleOp module) {
    spirv::TargetEnv target(spirv::lookupTargetEnvOrDefault(module));
    if (!target.allows(spirv::Capability::SignedZeroInfNanPreserve))
      return false;
    WalkResult moves = module.walk([](Operation *op) {
      if (isa<spirv::StoreOp, spirv::BitcastOp, spirv::CompositeConstructOp,
              spirv::CompositeExtractOp, spirv::CompositeInsertOp,
              spirv::VectorShuffleOp>(op))
        return WalkResult::advance();
      return llvm::any_of(
                 op->getOperandTypes(),
                 [](Type type) { return getElementTypeOrSelf(type).isF32(); })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!moves.wasInterrupted())
      return false;
    for (auto entry : llvm::to_vector(module.getOps<spirv::EntryPointOp>())) {
      auto function = SymbolTable::lookupNearestSymbolFrom<spirv::FuncOp>(
          module, entry.getFnAttr());
      OpBuilder builder(module.getContext());
      builder.setInsertionPointToEnd(module.getBody());
      spirv::ExecutionModeOp::create(
          builder, entry.getLoc(), function,
          spirv::ExecutionMode::SignedZeroInfNanPreserve, /*params=*/{32});
    }
    return true;
  }

  /// Says by the rules of the Vulkan memory model, which kernels with
  /// cooperative matrices have, what a barrier means: that each thread sees
  /// what others have stored in workgroup memory. Other memory is no thread's
  /// but its own while a kernel runs.
  static void useVulkanMemoryModel(spirv::ModuleOp module) {
    module.setMemoryModel(spirv::MemoryModel::Vulkan);
    auto isShared = [](Value pointer) {
      return cast<spirv::PointerType>(pointer.getType()).getStorageClass() ==
             spirv::StorageClass::Workgroup;
    };
    constexpr auto nonPrivate = spirv::MemoryAccess::NonPrivatePointer;
    module.walk([&](Operation *op) {
      if (auto load = dyn_cast<spirv::LoadOp>(op)) {
        if (isShared(load.getPtr()))
          load.setMemoryAccess(nonPrivate);
      } else if (auto store = dyn_cast<spirv::StoreOp>(op)) {
        if (isShared(store.getPtr()))
          store.setMemoryAccess(nonPrivate);
      } else if (auto load = dyn_cast<spirv::KHRCooperativeMatrixLoadOp>(op)) {
        load.setMemoryOperand(nonPrivate);
      } else if (auto store =
                     dyn_cast<spirv::KHRCooperativeMatrixStoreOp>(op)) {
        store.setMemoryOperand(nonPrivate);
      } else if (auto barrier = dyn_cast<spirv::ControlBarrierOp>(op)) {
        barrier.setMemorySemantics(barrier.getMemorySemantics() |
                                   spirv::MemorySemantics::MakeAvailable |
                                   spirv::MemorySemantics::MakeVisible);
      }
    });
  }

  /// Says which products of cooperative matrices have signed factors and sums.
  /// Upstream's conversion leaves that to the types of matrices, but SPIR-V
  /// goes by the operands of the product alone, and has no signed types in
  /// kernels.
  static void setSigns(spirv::ModuleOp module) {
    using Operands = spirv::CooperativeMatrixOperandsKHR;
    module.walk([&](spirv::KHRCooperativeMatrixMulAddOp op) {
      auto factors = cast<spirv::CooperativeMatrixType>(op.getA().getType());
      if (factors.getElementType().isSignedInteger())
        op.setMatrixOperands(Operands::ASigned | Operands::BSigned |
                             Operands::CSigned | Operands::ResultSigned);
    });
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](spirv::CooperativeMatrixType type) -> std::optional<Type> {
          auto element = dyn_cast<IntegerType>(type.getElementType());
          if (!element)
            return std::nullopt;
          return spirv::CooperativeMatrixType::get(
              IntegerType::get(type.getContext(), element.getWidth()),
              type.getRows(), type.getColumns(), type.getScope(),
              type.getUse());
        });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  /// Whether kernels ask for the numbers of subgroups or of their threads.
  static bool usesSubgroups(spirv::ModuleOp module) {
    return llvm::any_of(module.getOps<spirv::GlobalVariableOp>(),
                        [](spirv::GlobalVariableOp variable) {
                          auto name = variable->getAttrOfType<StringAttr>(
                              spirv::SPIRVDialect::getAttributeName(
                                  spirv::Decoration::BuiltIn));
                          std::optional<spirv::BuiltIn> builtIn;
                          if (name)
                            builtIn = spirv::symbolizeBuiltIn(name.getValue());
                          return builtIn == spirv::BuiltIn::SubgroupId ||
                                 builtIn ==
                                     spirv::BuiltIn::SubgroupLocalInvocationId;
                        });
  }

  void runOnOperation() override {
    spirv::ModuleOp module = getOperation();
    if (auto triple = module.getVceTripleAttr()) {
      auto capabilities = llvm::to_vector(triple.getCapabilities());
      if (preserveSpecialNumbers(module))
        capabilities.push_back(spirv::Capability::SignedZeroInfNanPreserve);
      if (llvm::is_contained(capabilities,
                             spirv::Capability::CooperativeMatrixKHR)) {
        capabilities.push_back(spirv::Capability::VulkanMemoryModel);
        useVulkanMemoryModel(module);
        setSigns(module);
      }
      // Upstream's pass looks at no built-in input. Those of subgroups want
      // what every Vulkan device has.
      if (usesSubgroups(module) &&
          !llvm::is_contained(capabilities, spirv::Capability::GroupNonUniform))
        capabilities.push_back(spirv::Capability::GroupNonUniform);
      module.setVceTripleAttr(spirv::VerCapExtAttr::get(
          spirv::Version::V_1_5, capabilities,
          llvm::to_vector(triple.getExtensions()), &getContext()));
    }
    auto noContraction = llvm::convertToSnakeFromCamelCase(
        stringifyDecoration(spirv::Decoration::NoContraction));
    module.walk([&](Operation *op) {
      if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp>(op))
        op->setAttr(noContraction, UnitAttr::get(&getContext()));
    });
  }
};
} // namespace
