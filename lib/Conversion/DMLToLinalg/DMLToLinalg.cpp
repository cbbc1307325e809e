//===- DMLToLinalg.cpp - dml operators to linalg --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EqualOperators.h"
#include "FixCapacities.h"
#include "LoweringUtils.h"
#include "dml/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace dml {
#define GEN_PASS_DEF_CONVERTDMLTOLINALG
#include "dml/Conversion/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
/// Converts unsigned integers, and tensors of them, to signless integers.
/// Converts f64 likewise, since its elements are only moved, and more devices
/// support 64-bit integers than f64.
struct SignlessTypeConverter : TypeConverter {
  SignlessTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](IntegerType type) -> Type {
      return IntegerType::get(type.getContext(), type.getWidth());
    });
    addConversion([](Float64Type type) -> Type {
      return IntegerType::get(type.getContext(), 64);
    });
    addConversion([this](RankedTensorType type) -> Type {
      return type.clone(convertType(type.getElementType()));
    });
  }
};

/// Changes the types of reshapes and other tensor operations that have no
/// lowering of their own. They move elements of any type.
struct RetypeTensorOp : ConversionPattern {
  RetypeTensorOp(const TypeConverter &typeConverter, MLIRContext *context)
      : ConversionPattern(typeConverter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
      return rewriter.notifyMatchFailure(op, "no tensor operation");
    FailureOr<Operation *> retyped =
        convertOpResultTypes(op, operands, *getTypeConverter(), rewriter);
    if (failed(retyped))
      return failure();
    rewriter.replaceOp(op, (*retyped)->getResults());
    return success();
  }
};

struct RetypeConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue())) {
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, DenseResourceElementsAttr::get(type, resource.getRawHandle()));
      return success();
    }
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements)
      return rewriter.notifyMatchFailure(op, "no dense tensor");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, elements.bitcast(type.getElementType()));
    return success();
  }
};

/// Whether the compiler supports `op` if it operates on tensors.
bool isCompilable(Operation *op) {
  return isa_and_nonnull<DMLDialect, func::FuncDialect, linalg::LinalgDialect,
                         tensor::TensorDialect>(op->getDialect()) ||
         isa<arith::ConstantOp, scf::ForOp, scf::YieldOp>(op);
}

/// Rejects operations that none of the later passes supports. Bufferization
/// would report them in its own terms.
LogicalResult verifyCompilable(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    if (op->isRegistered() &&
        (isCompilable(op) || (llvm::none_of(op->getOperandTypes(), isTensor) &&
                              llvm::none_of(op->getResultTypes(), isTensor))))
      return WalkResult::advance();
    InFlightDiagnostic error =
        op->emitOpError("cannot be compiled: the compiler takes dml operators, "
                        "arith.constant, scf.for, calls, and operations of the "
                        "dialects tensor and linalg");
    if (op->getName().getDialectNamespace() == "tosa")
      error << "; the pass --convert-tosa-to-dml makes dml operators of the "
               "dialect tosa's";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

struct ConvertDMLToLinalg
    : dml::impl::ConvertDMLToLinalgBase<ConvertDMLToLinalg> {
  void runOnOperation() override {
    if (failed(verifyCompilable(getOperation())))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    SignlessTypeConverter typeConverter;
    for (auto function : getOperation().getOps<func::FuncOp>())
      keepTensorTypes(function,
                      [&](Type type) { return !typeConverter.isLegal(type); });
    fixCapacities(getOperation());
    EqualOperators equalOps(getOperation());
    equalOps.outline();

    ConversionTarget target(*context);
    target.addLegalDialect<linalg::LinalgDialect, math::MathDialect,
                           scf::SCFDialect>();
    target.addIllegalDialect<DMLDialect>();
    target
        .addDynamicallyLegalDialect<arith::ArithDialect, tensor::TensorDialect>(
            [&](Operation *op) {
              // Casts compute with f64, whereas tensors contain its bits.
              return llvm::all_of(
                  llvm::concat<const Type>(op->getOperandTypes(),
                                           op->getResultTypes()),
                  [&](Type type) {
                    return type.isF64() || typeConverter.isLegal(type);
                  });
            });
    target.addIllegalOp<linalg::BroadcastOp, linalg::TransposeOp,
                        tensor::BitcastOp, tensor::ConcatOp>();
    // The slice that an iteration of a loop over steps reads becomes a range of
    // a buffer.
    target.addDynamicallyLegalOp<tensor::ExtractSliceOp>(
        [&](tensor::ExtractSliceOp op) {
          return typeConverter.isLegal(op.getOperation()) &&
                 isa<scf::ForOp>(op->getParentOp()) &&
                 ShapedType::isDynamicShape(op.getStaticOffsets());
        });
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return typeConverter.isSignatureLegal(op.getFunctionType()) &&
             typeConverter.isLegal(&op.getBody());
    });
    target.addDynamicallyLegalOp<func::ReturnOp, func::CallOp>(
        [&](Operation *op) { return typeConverter.isLegal(op); });

    RewritePatternSet patterns(context);
    populateDMLToLinalgPatterns(typeConverter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(
        patterns, typeConverter);
    populateReturnOpTypeConversionPattern(patterns, typeConverter);
    populateCallOpTypeConversionPattern(patterns, typeConverter);
    patterns.add<RetypeTensorOp, RetypeConstant>(typeConverter, context);
    // Loops over steps carry tensors of any type. The loops of kernels compute
    // with f64, as casts do.
    scf::populateSCFStructuralTypeConversions(typeConverter, patterns);
    target.addDynamicallyLegalOp<scf::ForOp, scf::YieldOp>([&](Operation *op) {
      return llvm::all_of(
          llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
          [&](Type type) {
            return !isa<TensorType>(type) || typeConverter.isLegal(type);
          });
    });
    if (failed(convert(target, std::move(patterns))))
      return signalPassFailure();

    // The copied functions are already simplified.
    OpPassManager cleanup(func::FuncOp::getOperationName());
    cleanup.addPass(createCanonicalizerPass());
    cleanup.addPass(createCSEPass());
    for (func::FuncOp function : equalOps.getFunctions())
      if (failed(runPipeline(cleanup, function)))
        return signalPassFailure();
    equalOps.inlineAll();
  }

private:
  /// Converts the module. If a lowering reports why it rejects an operator, its
  /// error is the only one. The conversion's own error would not add anything.
  LogicalResult convert(const ConversionTarget &target,
                        RewritePatternSet patterns) {
    bool isRefused = false;
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      bool isRepeated =
          isRefused &&
          StringRef(diagnostic.str()).starts_with("failed to legalize");
      isRefused = true;
      return success(isRepeated);
    });
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }
};
} // namespace

void dml::populateDMLToLinalgPatterns(const TypeConverter &typeConverter,
                                      RewritePatternSet &patterns) {
#define DML_FAMILY(name) populate##name##Patterns(typeConverter, patterns);
#include "dml/IR/Families.def"
  populateTensorPatterns(typeConverter, patterns);
}
