//===- dml-reduce.cpp - The reducer of test cases -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// MLIR's driver that makes a module smaller as long as a script finds it
// interesting, with dml's operators and passes.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "support/CompilerCommandLine.h"

using namespace mlir;

/// The first operand of `op` with the type `type`, or null.
static Value findOperand(Operation *op, Type type) {
  for (Value operand : op->getOperands())
    if (operand.getType() == type)
      return operand;
  return {};
}

namespace {
/// Puts simpler values in the place of an operator's results: an operand of the
/// same type, or zeros. (What nobody uses, MLIR's reducer removes.)
struct ReplaceOperator : RewritePattern {
  explicit ReplaceOperator(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<dml::FeatureLevelOpInterface>(op))
      return failure();
    SmallVector<Value> values;
    for (Type type : op->getResultTypes()) {
      Value value = findOperand(op, type);
      if (!value) {
        // Constants are of signless types alone.
        Type element = getElementTypeOrSelf(type);
        TypedAttr zero = element.isSignlessIntOrFloat()
                             ? rewriter.getZeroAttr(type)
                             : TypedAttr();
        if (!zero)
          return failure();
        value = arith::ConstantOp::create(rewriter, op->getLoc(), zero);
      }
      values.push_back(value);
    }
    rewriter.replaceOp(op, values);
    return success();
  }
};

struct Reductions : DialectReductionPatternInterface {
  explicit Reductions(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<ReplaceOperator>(patterns.getContext());
  }
};
} // namespace

int main(int argc, char **argv) {
  dml::tools::setVersionPrinter();
  dml::tools::hideLibraryOptions();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<dml::DMLDialect>();
  registry.addExtension(+[](MLIRContext *, dml::DMLDialect *dialect) {
    dialect->addInterfaces<Reductions>();
  });
  registerAllPasses();
  dml::registerAllPasses();
  MLIRContext context(registry);
  return failed(mlirReduceMain(argc, argv, context)) ? dml::tools::kExitNo
                                                     : dml::tools::kExitDone;
}
