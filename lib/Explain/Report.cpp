//===- Report.cpp - The report about a module -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Explain/Explain.h"

#include "dml/IR/Origin.h"
#include "dml/IR/ViewOps.h"
#include "dml/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dml;
using namespace dml::explain;

/// Removes all `dml.target` attributes from the ops in `root`, so that the
/// verifier does not check levels. Returns the level that each op stated.
static FailureOr<DenseMap<Operation *, FeatureLevel>>
takeTargets(Operation *root) {
  DenseMap<Operation *, FeatureLevel> targets;
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    Attribute attribute = op->getAttr(targetAttrName);
    // The verifier reports any other kind of attribute.
    auto target = dyn_cast_or_null<TargetAttr>(attribute);
    if (attribute && !target)
      return WalkResult::interrupt();
    if (target)
      op->walk([&](FeatureLevelOpInterface dmlOp) {
        targets[dmlOp] = target.getFeatureLevel();
      });
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  root->walk([](Operation *op) { op->removeAttr(targetAttrName); });
  return targets;
}

/// Whether `op` belongs to a loop of an ONNX model and to no operator of its
/// body. The report names such loops by the nodes of the model.
static bool isPartOfLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop && isa<scf::YieldOp, arith::SubIOp, tensor::ExtractSliceOp,
                   tensor::InsertSliceOp>(op))
    loop = op->getParentOfType<scf::ForOp>();
  return loop && loop->getParentOfType<ModuleOp>()->hasAttr(onHostAttrName);
}

/// Whether DirectML has no operator for `op` because it needs none: functions
/// and their calls, constants, and views, which leave all bytes where they are.
/// Transposition and broadcasting are views by the strides of a binding.
bool dml::explain::needsNoOperator(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return !function.isExternal();
  if (isPartOfLoop(op))
    return true;
  return isa<ModuleOp, func::ReturnOp, func::CallOp, arith::ConstantOp,
             linalg::BroadcastOp, linalg::TransposeOp, linalg::YieldOp,
             tensor::BitcastOp, tensor::CastOp, tensor::CollapseShapeOp,
             tensor::EmptyOp, tensor::ExpandShapeOp, ViewOp>(op);
}

/// Whether `op` lies within an operation that is reported as foreign already,
/// such as in a region of it.
static bool isInForeign(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (!needsNoOperator(parent))
      return true;
  return false;
}

static Report collect(Operation *root,
                      const DenseMap<Operation *, FeatureLevel> &targets,
                      std::optional<FeatureLevel> asked) {
  Report report;
  report.asked = asked;
  root->walk<WalkOrder::PreOrder>([&](Operation *operation) {
    auto op = dyn_cast<FeatureLevelOpInterface>(operation);
    if (!op) {
      if (!needsNoOperator(operation) && !isInForeign(operation))
        report.foreign.push_back(operation);
      return;
    }
    if (StringRef reason = getWhyNotTaken(op); !reason.empty()) {
      // The operators of one node follow each other and have the same location.
      if (report.notTaken.empty() ||
          report.notTaken.back().ops.back()->getLoc() != op->getLoc() ||
          report.notTaken.back().reason != reason)
        report.notTaken.push_back({{}, reason});
      report.notTaken.back().ops.push_back(op);
      return;
    }
    OpReport &opReport = report.ops.emplace_back();
    opReport.op = op;
    // Some level supports the op, since the op has been verified.
    opReport.minimum = op.getMinimumLevel();
    report.level = std::max(report.level, *opReport.minimum.level);
    if (asked)
      opReport.target = asked;
    else if (auto it = targets.find(op); it != targets.end())
      opReport.target = it->second;
    if (opReport.target)
      opReport.violations = op.getViolations(*opReport.target);
  });
  return report;
}

StringRef dml::explain::getWhyNotTaken(Operation *op) {
  auto reason = op->getAttrOfType<StringAttr>(notTakenAttrName);
  return reason ? reason.getValue() : StringRef();
}

StringRef dml::explain::getFunctionName(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

/// Adds what the importer of ONNX models has recorded: nodes that it could not
/// read, and optimizations.
static void addOptimizations(ModuleOp module, Report &report) {
  if (auto unread = module->getAttrOfType<ArrayAttr>(unreadAttrName))
    for (auto kind : unread.getAsRange<StringAttr>())
      report.unread.push_back(kind);
  if (auto onHost = module->getAttrOfType<ArrayAttr>(onHostAttrName))
    for (auto kind : onHost.getAsRange<StringAttr>())
      report.onHost.push_back(kind);
  auto attribute = module->getAttrOfType<DictionaryAttr>(optimizedAttrName);
  report.isOptimized = !!attribute;
  if (!attribute)
    return;
  if (auto fused = attribute.getAs<DictionaryAttr>("fused"))
    for (NamedAttribute entry : fused)
      if (auto count = dyn_cast<IntegerAttr>(entry.getValue()))
        report.fused.emplace_back(entry.getName(), count.getInt());
  if (auto open = attribute.getAs<DictionaryAttr>("open"))
    for (NamedAttribute entry : open)
      if (auto level = dyn_cast<StringAttr>(entry.getValue()))
        report.open.emplace_back(entry.getName(), parseFeatureLevel(level));
}

FailureOr<Report>
dml::explain::explainModule(ModuleOp module, bool isONNX,
                            std::optional<FeatureLevel> asked) {
  FailureOr<DenseMap<Operation *, FeatureLevel>> targets = takeTargets(module);
  if (failed(verify(module)) || failed(targets))
    return failure();
  Report report = collect(module, *targets, asked);
  report.isONNX = isONNX;
  addOptimizations(module, report);
  return report;
}

explain::Place::Place(Operation *op) {
  auto text = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (text && text.getLine() != 0) {
    line = text.getLine();
    column = text.getColumn();
  } else if (auto name = op->getLoc()->findInstanceOf<NameLoc>()) {
    node = name.getName().getValue();
  }
}

//===----------------------------------------------------------------------===//
// Verdict
//===----------------------------------------------------------------------===//

Verdict Report::getVerdict() const {
  if (dependsOnSizes)
    return Verdict::Undecided;
  if (llvm::any_of(ops,
                   [](const OpReport &op) { return !op.violations.empty(); }))
    return Verdict::DoesNotFit;
  if (ops.empty() || !unread.empty() || !onHost.empty() || !foreign.empty() ||
      !notTaken.empty())
    return Verdict::Undecided;
  if (!hasTarget())
    return isWhole() ? Verdict::None : Verdict::Undecided;
  return getUndecidedFusions().empty() ? Verdict::Fits : Verdict::Undecided;
}

SmallVector<std::pair<StringRef, std::optional<FeatureLevel>>>
Report::getUndecidedFusions() const {
  // An optimization whose operators fit all stated levels does not change the
  // verdict.
  auto fits = [&](FeatureLevel possible) {
    if (!hasTarget())
      return possible <= level;
    return llvm::all_of(ops, [&](const OpReport &op) {
      return !op.target || possible <= *op.target;
    });
  };
  return llvm::to_vector(llvm::make_filter_range(open, [&](const auto &entry) {
    return !entry.second || !fits(*entry.second);
  }));
}

bool Report::isWhole() const {
  return !dependsOnSizes && unread.empty() && onHost.empty() &&
         foreign.empty() && notTaken.empty() &&
         llvm::all_of(open, [&](const auto &entry) {
           return entry.second && *entry.second <= level;
         });
}

bool Report::hasTarget() const {
  return llvm::any_of(ops, [](const OpReport &op) { return bool(op.target); });
}

//===----------------------------------------------------------------------===//
// Legalization
//===----------------------------------------------------------------------===//

/// Legalizes `op`, an operator in a copy of the module, and stores the result
/// in `entry`. Returns whether the operator can be rewritten.
static bool legalize(FeatureLevelOpInterface op, FeatureLevel level,
                     Legalization &entry) {
  std::string message;
  ScopedDiagnosticHandler handler(
      op->getContext(), [&](Diagnostic &diagnostic) {
        // The notes of the diagnostic contain the reason why an operator cannot
        // be rewritten. The report contains the violation itself already.
        for (Diagnostic &note : diagnostic.getNotes()) {
          std::string text = note.str();
          StringRef why = text;
          if (message.empty() && why.consume_front("cannot be legalized: "))
            message = why.str();
        }
        return success();
      });
  if (succeeded(legalizeOperator(op, level, entry.made)))
    return true;
  entry.made.clear();
  entry.whyNot = message.empty() ? "it has no equivalent" : message;
  return false;
}

/// Lists the operators of `module` that ONNX Runtime assigns to DirectML, and
/// the other operators.
static void listOperators(ModuleOp module,
                          SmallVectorImpl<FeatureLevelOpInterface> &taken,
                          SmallVectorImpl<FeatureLevelOpInterface> &others) {
  module.walk<WalkOrder::PreOrder>([&](FeatureLevelOpInterface op) {
    (getWhyNotTaken(op).empty() ? taken : others).push_back(op);
  });
}

OwningOpRef<ModuleOp> dml::explain::legalizeCopy(ModuleOp module,
                                                 Report &report) {
  FeatureLevel level = *report.asked;
  // Operators may also become views, as in the pass dml-legalize-feature-level.
  // Views need the tensor dialect.
  module.getContext()->loadDialect<tensor::TensorDialect>();
  OwningOpRef<ModuleOp> copy = module.clone();
  SmallVector<FeatureLevelOpInterface> taken, others, copiedTaken, copiedOthers;
  listOperators(module, taken, others);
  listOperators(*copy, copiedTaken, copiedOthers);
  bool isGood = true;
  for (auto [op, copied] : llvm::zip_equal(taken, copiedTaken)) {
    if (copied.getViolations(level).empty())
      continue;
    Legalization &entry = report.legalizations.emplace_back();
    entry.op = op;
    isGood &= legalize(copied, level, entry);
  }
  // In the rewritten module, every operator must fit, even one that DirectML
  // does not execute. The report therefore also names such operators if they
  // cannot be rewritten.
  for (auto [op, copied] : llvm::zip_equal(others, copiedOthers)) {
    Legalization entry;
    entry.op = op;
    if (legalize(copied, level, entry))
      continue;
    isGood = false;
    report.legalizations.push_back(std::move(entry));
  }
  return isGood ? std::move(copy) : nullptr;
}

LogicalResult dml::explain::stateLevel(ModuleOp legalized,
                                       const Report &report) {
  legalized->setAttr(targetAttrName,
                     TargetAttr::get(legalized.getContext(), *report.asked));
  return verify(legalized);
}

SmallVector<StringRef> dml::explain::getForeignNames(ModuleOp legalized) {
  SmallVector<StringRef> names;
  for (Operation *op :
       collect(legalized, DenseMap<Operation *, FeatureLevel>(), std::nullopt)
           .foreign)
    if (StringRef name = op->getName().getStringRef();
        !llvm::is_contained(names, name))
      names.push_back(name);
  return names;
}
