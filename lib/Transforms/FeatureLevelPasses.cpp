//===- FeatureLevelPasses.cpp - Passes on dml.target ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace dml {
#define GEN_PASS_DEF_ATTACHTARGET
#define GEN_PASS_DEF_VALIDATEFEATURELEVEL
#define GEN_PASS_DEF_DEDUCEFEATURELEVEL
#define GEN_PASS_DEF_LEGALIZEFEATURELEVEL
#include "dml/Transforms/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Parses the level in the option of `pass`. Emits an error at `module` if the
/// option names no level.
static FailureOr<FeatureLevel> parseOption(const Pass &pass, ModuleOp module,
                                           StringRef option) {
  if (std::optional<FeatureLevel> level = parseFeatureLevel(option))
    return *level;
  return mlir::emitError(module.getLoc(), "option feature-level of --")
         << pass.getArgument() << ": " << describeUnknownFeatureLevel(option);
}

static void setTarget(Operation *holder, FeatureLevel level) {
  holder->setAttr(targetAttrName, TargetAttr::get(holder->getContext(), level));
}

namespace {
struct AttachTargetPass : dml::impl::AttachTargetBase<AttachTargetPass> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    FailureOr<FeatureLevel> level =
        parseOption(*this, getOperation(), featureLevel);
    if (failed(level))
      return signalPassFailure();
    setTarget(getOperation(), *level);
  }
};

struct ValidateFeatureLevelPass
    : dml::impl::ValidateFeatureLevelBase<ValidateFeatureLevelPass> {
  using ValidateFeatureLevelBase::ValidateFeatureLevelBase;

  void runOnOperation() override {
    std::optional<FeatureLevel> asked;
    if (!featureLevel.empty()) {
      FailureOr<FeatureLevel> level =
          parseOption(*this, getOperation(), featureLevel);
      if (failed(level))
        return signalPassFailure();
      asked = *level;
    }
    getOperation()->walk([&](FeatureLevelOpInterface op) {
      FeatureLevel level = asked ? *asked : getTargetFeatureLevel(op);
      for (const Requirement &violation : op.getViolations(level)) {
        op.emitViolation(violation, level);
        signalPassFailure();
      }
    });
    markAllAnalysesPreserved();
  }
};

struct DeduceFeatureLevelPass
    : dml::impl::DeduceFeatureLevelBase<DeduceFeatureLevelPass> {
  void runOnOperation() override {
    // The walk visits inner functions and modules before the operations around
    // them.
    llvm::MapVector<Operation *, FeatureLevel> levels;
    FeatureLevel oldest = getFeatureLevels().front().level;
    auto isHolder = [](Operation *op) {
      auto function = dyn_cast<FunctionOpInterface>(op);
      return isa<ModuleOp>(op) || (function && !function.isExternal());
    };
    auto getHolder = [&](Operation *op) {
      do
        op = op->getParentOp();
      while (op && !isHolder(op));
      return op;
    };
    auto raise = [&](Operation *holder, FeatureLevel level) {
      FeatureLevel &known = levels.try_emplace(holder, oldest).first->second;
      return level > std::exchange(known, std::max(known, level));
    };

    getOperation()->walk([&](Operation *op) {
      if (auto dmlOp = dyn_cast<FeatureLevelOpInterface>(op)) {
        // The operation has been verified, so that at least one level supports
        // it.
        auto [level, deciding] = dmlOp.getMinimumLevel();
        Operation *holder = getHolder(op);
        if (raise(holder, *level))
          emitRemark(dmlOp, holder, *level, deciding);
      } else if (isHolder(op)) {
        raise(op, oldest);
        // Operations around the module on which the pass runs are not changed.
        if (op != getOperation())
          raise(getHolder(op), levels.lookup(op));
      }
    });
    for (auto [holder, level] : levels)
      setTarget(holder, level);
  }

private:
  static void emitRemark(FeatureLevelOpInterface op, Operation *holder,
                         FeatureLevel level, const Requirement &deciding) {
    InFlightDiagnostic remark = op->emitRemark()
                                << "'" << op->getName()
                                << "' op raises the feature level of ";
    if (auto symbol =
            holder->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      remark << "@" << symbol.getValue();
    else
      remark << "the module";
    remark << " to " << getFeatureLevelNumber(level) << ": "
           << op.getOperatorSupport().describe(deciding);
  }
};

struct LegalizeFeatureLevelPass
    : dml::impl::LegalizeFeatureLevelBase<LegalizeFeatureLevelPass> {
  using LegalizeFeatureLevelBase::LegalizeFeatureLevelBase;

  void runOnOperation() override {
    FailureOr<FeatureLevel> level =
        parseOption(*this, getOperation(), featureLevel);
    if (failed(level) || failed(legalizeFeatureLevel(getOperation(), *level)))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      auto target = op->getAttrOfType<TargetAttr>(targetAttrName);
      if (target && target.getFeatureLevel() > *level)
        op->removeAttr(targetAttrName);
    });
    setTarget(getOperation(), *level);
  }
};
} // namespace
