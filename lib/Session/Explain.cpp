//===- Explain.cpp - Verdicts on models -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Model.h"
#include "dml/Explain/Explain.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace dml;
using namespace dml::session;
using explain::Legalization;
using explain::OpReport;
using explain::Report;

namespace {
/// A model that was read, and the report about it.
struct Explained {
  // The modules are destroyed before their context.
  CompilerContext context;
  OwningOpRef<ModuleOp> module, legalized;
  Report report;
};
} // namespace

/// Opens the model of a call, like the model of a session.
static Expected<std::unique_ptr<Model>>
openExplained(const DmlExplainInfo &info) {
  Expected<std::unique_ptr<Model>> opened = Model::openUnrun(info);
  if (opened)
    DML_TRY((*opened)->setOptimized(info.ortOptimizations));
  return opened;
}

/// Reads and explains a model. If a level is asked for, also legalizes a copy
/// of its module.
static Expected<std::unique_ptr<Explained>>
explainModel(const DmlExplainInfo &info, const Model::UnrunOptions &unrun) {
  std::optional<FeatureLevel> asked;
  if (info.level && !(asked = parseFeatureLevel(info.level)))
    return Status(DML_ERROR_INVALID_ARGUMENT,
                  describeUnknownFeatureLevel(runtime::escape(info.level)));
  Expected<std::unique_ptr<Model>> model = openExplained(info);
  if (!model)
    return model.status();
  auto explained = std::make_unique<Explained>();
  CompilerContext &context = explained->context;
  auto module = (*model)->readUnrun(context, unrun);
  if (!module)
    return module.status();
  explained->module = std::move(*module);
  FailureOr<Report> report =
      explain::explainModule(*explained->module, (*model)->isONNX(), asked);
  if (failed(report))
    return context.getError(DML_ERROR_INVALID_ARGUMENT, "it is not valid")
        .in((*model)->getName());
  explained->report = std::move(*report);
  if (asked)
    explained->legalized =
        explain::legalizeCopy(*explained->module, explained->report);
  return explained;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static Problem makeProblem(DmlProblemKind kind, Operation *op, StringRef name,
                           std::string reason) {
  explain::Place place(op);
  Problem problem{kind, name.str()};
  problem.function = explain::getFunctionName(op).str();
  problem.node = place.node.str();
  problem.line = place.line;
  problem.column = place.column;
  problem.reason = std::move(reason);
  return problem;
}

static Problem makeProblem(const OpReport &report) {
  FeatureLevelOpInterface op = report.op;
  std::string reason;
  for (const Requirement &violation : report.violations)
    reason +=
        (reason.empty() ? "" : "; ") +
        op.getOperatorSupport().describeViolation(violation, *report.target);
  Problem problem =
      makeProblem(DML_PROBLEM_KIND_OPERATOR, op, op->getName().getStringRef(),
                  std::move(reason));
  problem.level = getFeatureLevelNumber(*report.minimum.level).str();
  return problem;
}

static std::vector<Problem> makeProblems(const Report &report) {
  std::vector<Problem> problems;
  // The legalizations have the order of the operators that do not fit.
  const Legalization *legalization = report.legalizations.begin();
  for (const OpReport &op : report.ops) {
    if (op.violations.empty())
      continue;
    Problem &problem = problems.emplace_back(makeProblem(op));
    if (!report.asked)
      continue;
    problem.whyNoRewrite = legalization->whyNot;
    if (problem.whyNoRewrite.empty())
      problem.rewrite = explain::describeMade(*legalization);
    ++legalization;
  }
  for (Operation *op : report.foreign)
    problems.push_back(makeProblem(DML_PROBLEM_KIND_FOREIGN, op,
                                   op->getName().getStringRef(),
                                   "the operation is not DirectML's"));
  for (const explain::NotTakenNode &node : report.notTaken)
    problems.push_back(makeProblem(DML_PROBLEM_KIND_NOT_TAKEN, node.ops.front(),
                                   node.ops.front()->getName().getStringRef(),
                                   node.reason.str()));
  for (StringRef kind : report.onHost)
    problems.push_back({DML_PROBLEM_KIND_NOT_TAKEN, kind.str()});
  for (StringRef kind : report.unread)
    problems.push_back({DML_PROBLEM_KIND_UNREAD, kind.str()});
  for (auto [name, level] : report.getUndecidedFusions()) {
    Problem problem{DML_PROBLEM_KIND_NOT_MODELLED, name.str()};
    problem.level = level ? getFeatureLevelNumber(*level).str() : "";
    problem.reason = "some versions of ONNX Runtime could fuse operators so";
    problems.push_back(std::move(problem));
  }
  return problems;
}

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

static DmlFit getFit(const Report &report) {
  switch (report.getVerdict()) {
  case explain::Verdict::None:
  case explain::Verdict::Fits:
    return DML_FIT_YES;
  case explain::Verdict::DoesNotFit:
    return DML_FIT_NO;
  case explain::Verdict::Undecided:
    return DML_FIT_UNKNOWN;
  }
  llvm_unreachable("unknown verdict");
}

Expected<std::unique_ptr<ModelVerdict>>
ModelVerdict::create(const DmlExplainInfo &info) noexcept {
  Model::UnrunOptions unrun;
  unrun.verifies = false;
  unrun.leavesOutUnread = true;
  unrun.readsWeights = false;
  auto explained = explainModel(info, unrun);
  if (!explained)
    return explained.status();
  const Report &report = (*explained)->report;
  std::unique_ptr<ModelVerdict> verdict(new ModelVerdict);
  if (report.hasLevel()) {
    verdict->level = getFeatureLevelNumber(report.level).str();
    verdict->directML = getFeatureLevelInfo(report.level).directMLVersion.str();
    verdict->windows = getFirstWindowsRelease(report.level).str();
  }
  if (report.asked)
    verdict->askedLevel = getFeatureLevelNumber(*report.asked).str();
  verdict->fit = getFit(report);
  // Nodes that could not be read are missing in the module, and cannot be
  // rewritten.
  verdict->canLegalize = (*explained)->legalized && report.unread.empty();
  verdict->operatorCount = report.ops.size();
  verdict->problems = makeProblems(report);
  llvm::raw_string_ostream text(verdict->text);
  explain::printText(report, text);
  verdict->json = llvm::formatv("{0:2}", explain::toJson(report)).str();
  return verdict;
}

void ModelVerdict::describe(DmlVerdictInfo &info) const {
  info.level = level.c_str();
  info.directML = directML.c_str();
  info.windows = windows.c_str();
  info.askedLevel = askedLevel.c_str();
  info.fit = fit;
  info.canLegalize = canLegalize;
  info.operatorCount = static_cast<uint32_t>(operatorCount);
  info.problemCount = static_cast<uint32_t>(problems.size());
}

Status ModelVerdict::describe(uint32_t index, DmlProblemInfo &info) const {
  if (index >= problems.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "problem ", index,
                     " does not exist; there are ", problems.size());
  const Problem &problem = problems[index];
  info.kind = problem.kind;
  info.name = problem.name.c_str();
  info.function = problem.function.c_str();
  info.node = problem.node.c_str();
  info.line = problem.line;
  info.column = problem.column;
  info.level = problem.level.c_str();
  info.reason = problem.reason.c_str();
  info.rewrite = problem.rewrite.c_str();
  info.whyNoRewrite = problem.whyNoRewrite.c_str();
  return Status();
}

//===----------------------------------------------------------------------===//
// Legalizing
//===----------------------------------------------------------------------===//

/// Returns the name of an operator for messages: "line 5: dml.gather" or "node
/// 'find': dml.gather".
static std::string nameOperator(Operation *op) {
  explain::Place place(op);
  std::string name = op->getName().getStringRef().str();
  if (place.line != 0)
    return "line " + std::to_string(place.line) + ": " + name;
  if (!place.node.empty())
    return "node '" + runtime::escape(place.node) + "': " + name;
  return name;
}

/// Returns an error that names a few of the operators that cannot be rewritten.
/// A model may have thousands.
static Status refuse(const Report &report) {
  constexpr size_t mostNamed = 4;
  std::string names;
  size_t count = 0;
  for (const Legalization &entry : report.legalizations)
    if (!entry.whyNot.empty() && ++count <= mostNamed)
      names += "; " + nameOperator(FeatureLevelOpInterface(entry.op)) + ": " +
               entry.whyNot;
  if (count > mostNamed)
    names += "; and " + std::to_string(count - mostNamed) + " more";
  return makeError(DML_ERROR_UNSUPPORTED,
                   "the model cannot be rewritten for "
                   "feature level ",
                   getFeatureLevelNumber(*report.asked).str(), names);
}

Expected<std::string> dml::session::legalizeModel(const DmlExplainInfo &info,
                                                  DmlModuleForm form) noexcept {
  if (!info.level)
    return Status(DML_ERROR_INVALID_ARGUMENT,
                  "DmlExplainInfo::level is NULL, but wanted is the feature "
                  "level to reach, such as \"5_0\"");
  if (form != DML_MODULE_FORM_BYTECODE && form != DML_MODULE_FORM_TEXT)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the form ",
                     static_cast<int>(form), " is none that a module has");
  Model::UnrunOptions unrun;
  unrun.verifies = false;
  auto explained = explainModel(info, unrun);
  if (!explained)
    return explained.status();
  Explained &result = **explained;
  if (!result.legalized)
    return refuse(result.report);
  std::string module;
  llvm::raw_string_ostream os(module);
  if (failed(explain::stateLevel(*result.legalized, result.report)))
    return result.context.getError(DML_ERROR_UNSUPPORTED, "it is not valid");
  if (form == DML_MODULE_FORM_TEXT)
    result.legalized->print(os);
  else if (failed(writeBytecodeToFile(*result.legalized, os)))
    return result.context.getError(DML_ERROR_UNSUPPORTED,
                                   "the module cannot be written");
  return module;
}
