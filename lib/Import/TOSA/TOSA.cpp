//===- TOSA.cpp - The pass that converts TOSA -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Import/TOSA.h"
#include "TOSA/Expression.h"
#include "dml/IR/Layout.h"
#include "dml/Import/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MathExtras.h"

namespace dml {
#define GEN_PASS_DEF_CONVERTTOSATODML
#include "dml/Import/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;
using namespace dml::tosareader;

namespace {
/// Truths become bytes.
struct TruthConverter : TypeConverter {
  TruthConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type) -> Type {
      return type.getElementType().isInteger(1)
                 ? type.clone(IntegerType::get(type.getContext(), 8,
                                               IntegerType::Unsigned))
                 : type;
    });
  }
};

/// Applies one of the rules, and remembers the operations that it refuses.
class RulePattern : public ConversionPattern {
public:
  RulePattern(const TypeConverter &converter, StringRef name,
              const Rules::Function &function, bool ignoresNaNs,
              DenseSet<Operation *> &refused, MLIRContext *context)
      : ConversionPattern(converter, name, /*benefit=*/1, context),
        function(function), ignoresNaNs(ignoresNaNs), refused(refused) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    Expression expression(op, rewriter, ignoresNaNs);
    Value result =
        checkTensors(op, expression) ? function(expression, operands) : Value();
    if (!expression.isRefused())
      result = expression.reshape(result, expression.getResultShape());
    if (!expression.isRefused() &&
        Expression::getDataTypeOf(result) != expression.getResultDataType())
      (void)expression.refuse(
          "its result would have elements of the type " +
          stringifyDataType(Expression::getDataTypeOf(result)));
    if (expression.isRefused()) {
      refused.insert(op);
      return failure();
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Refuses the operation and returns false if it has a tensor that DirectML
  /// has none like.
  static bool checkTensors(Operation *op, Expression &expression);

  const Rules::Function &function;
  bool ignoresNaNs;
  DenseSet<Operation *> &refused;
};

struct ConvertTosaToDML : dml::impl::ConvertTosaToDMLBase<ConvertTosaToDML> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

bool RulePattern::checkTensors(Operation *op, Expression &expression) {
  auto check = [&](Type type) {
    // Shapes have a type of their own.
    auto tensor = dyn_cast<TensorType>(type);
    if (!tensor)
      return true;
    auto refuse = [&](const Twine &why) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      (void)expression.refuse("it has a tensor of the type '" + text + "', " +
                              why);
      return false;
    };
    Type element = tensor.getElementType();
    if (!element.isInteger(1) && !getDataType(element))
      return refuse("but DirectML has no such elements");
    if (!tensor.hasRank() || !tensor.hasStaticShape())
      return refuse("but wanted are known sizes, which --tosa-infer-shapes "
                    "finds where those of the arguments are stated");
    if (tensor.getRank() < 1 || tensor.getRank() > maxRank)
      return refuse("but wanted are 1 to " + Twine(maxRank) + " dimensions");
    if (llvm::is_contained(tensor.getShape(), 0))
      return refuse("but wanted are elements");
    int64_t count = 1;
    for (int64_t size : tensor.getShape())
      if (llvm::MulOverflow(count, size, count) || count > UINT32_MAX)
        return refuse("but wanted are 2^32 - 1 elements at most");
    return true;
  };
  return llvm::all_of(op->getOperandTypes(), check) &&
         llvm::all_of(op->getResultTypes(), check);
}

/// Says why an operation without a rule is none of DirectML's.
static StringRef explainMissing(Operation *op) {
  if (isa<tosa::IfOp, tosa::WhileOp>(op))
    return "what runs depends on data, and an executable's steps do not";
  if (isa<tosa::VariableOp, tosa::VariableReadOp, tosa::VariableWriteOp>(op))
    return "no tensor is kept from run to run";
  if (isa<tosa::CustomOp>(op))
    return "what it computes is known to its domain alone";
  return "no operator, nor a few of them, computes the same";
}

void ConvertTosaToDML::runOnOperation() {
  Rules rules;
  addElementWiseRules(rules);
  addIntegerRules(rules);
  addMovementRules(rules);
  addReductionRules(rules);
  addResizingRules(rules);
  addWindowRules(rules);

  MLIRContext *context = &getContext();
  TruthConverter converter;
  RewritePatternSet patterns(context);
  DenseSet<Operation *> refused;
  for (const auto &[name, function] : rules.all)
    patterns.add(std::make_unique<RulePattern>(converter, name, function,
                                               ignoreNaNs, refused, context));
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  populateCallOpTypeConversionPattern(patterns, converter);

  ConversionTarget target(*context);
  target.addLegalDialect<DMLDialect, arith::ArithDialect,
                         tensor::TensorDialect>();
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType());
  });
  target.addDynamicallyLegalOp<func::ReturnOp, func::CallOp>(
      [&](Operation *op) { return converter.isLegal(op); });
  // TOSA's operations are not declared illegal, so that the conversion goes on
  // after one that is refused, and all of them are reported.
  ConversionConfig config;
  // Casts between truths and bytes remain beside operations that are refused,
  // and are no errors of their own.
  config.buildMaterializations = false;
  bool isConverted = succeeded(applyPartialConversion(
      getOperation(), target, std::move(patterns), config));

  // The constants that described shapes, padding and zero points are not used
  // any more.
  SmallVector<Operation *> constants;
  getOperation().walk([&](Operation *op) {
    if (isa<tosa::ConstShapeOp, arith::ConstantOp, tensor::BitcastOp>(op))
      constants.push_back(op);
  });
  for (Operation *op : llvm::reverse(constants))
    if (op->use_empty())
      op->erase();

  getOperation().walk([&](Operation *op) {
    if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
      return;
    isConverted = false;
    // A shape belongs to the operation that has it, which tells of it.
    if (!refused.contains(op) && !isa<tosa::ConstShapeOp, tosa::YieldOp>(op))
      op->emitOpError("cannot be expressed in DirectML: ")
          << explainMissing(op);
  });
  if (isConverted)
    getOperation().walk([&](UnrealizedConversionCastOp cast) {
      isConverted = false;
      Operation *other = cast.getOperand(0).getDefiningOp();
      for (Operation *user : cast->getUsers())
        other = user;
      (other ? other : cast.getOperation())
          ->emitOpError("has a tensor of truths (i1), which operators of "
                        "DirectML have as ui8; wanted are operations of TOSA");
    });
  if (!isConverted)
    signalPassFailure();
}

void dml::tosareader::registerDialects(DialectRegistry &registry) {
  registry.insert<tosa::TosaDialect>();
}

bool dml::tosareader::isModel(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa_and_nonnull<tosa::TosaDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult dml::tosareader::convertModel(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createConvertTosaToDML());
  return pm.run(module);
}
