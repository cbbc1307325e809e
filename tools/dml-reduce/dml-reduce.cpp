//===- dml-reduce.cpp - The test case reducer -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// MLIR's reducer, which makes a module smaller while a script of the user's
// finds it interesting, with what it has to know of dml's operators.
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/BufferOps.h"
#include "dml/IR/DML.h"
#include "dml/Pipelines/Pipelines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "support/CompilerCommandLine.h"
#include "support/ExitCode.h"

using namespace mlir;

namespace {
/// Takes an operand of a dml operation for its result where both have one type.
struct TakeOperand : RewritePattern {
  explicit TakeOperand(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_present<dml::DMLDialect>(op->getDialect()) ||
        op->getNumResults() != 1)
      return failure();
    for (Value operand : op->getOperands()) {
      if (operand.getType() != op->getResult(0).getType())
        continue;
      rewriter.replaceOp(op, operand);
      return success();
    }
    return failure();
  }
};

/// Takes zeros for the results of a dml operation.
struct TakeZeros : RewritePattern {
  explicit TakeZeros(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_present<dml::DMLDialect>(op->getDialect()) ||
        op->getNumResults() == 0)
      return failure();
    SmallVector<Value> zeros;
    for (Type type : op->getResultTypes()) {
      TypedAttr zero = rewriter.getZeroAttr(type);
      if (!zero)
        return failure();
      zeros.push_back(arith::ConstantOp::create(rewriter, op->getLoc(), zero));
    }
    rewriter.replaceOp(op, zeros);
    return success();
  }
};

struct ReductionInterface : DialectReductionPatternInterface {
  explicit ReductionInterface(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<TakeOperand, TakeZeros>(patterns.getContext());
  }
};
} // namespace

int main(int argc, char **argv) {
  dml::tools::setVersionPrinter();
  dml::tools::hideLibraryOptions();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<dml::DMLDialect, dml::DMLBufferDialect>();
  registry.addExtension(+[](MLIRContext *, dml::DMLDialect *dialect) {
    dialect->addInterfaces<ReductionInterface>();
  });
  registerAllPasses();
  dml::registerAllPasses();
  MLIRContext context(registry);
  return failed(mlirReduceMain(argc, argv, context)) ? dml::tools::kExitNo
                                                     : dml::tools::kExitDone;
}
