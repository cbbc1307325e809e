//===- dml-explain.cpp - Which feature level a model needs, and why -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SupportMatrix.h"
#include "dml/IR/DML.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/FileUtilities.h"
#include "support/Module.h"
#include "support/ToolError.h"
#include "support/Version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace dml;

namespace {
enum class MatrixFormat { None, Markdown, Json };

llvm::cl::OptionCategory category("dml-explain options");
llvm::cl::opt<std::string> inputFile(llvm::cl::Positional,
                                     llvm::cl::desc("<file>"),
                                     llvm::cl::init("-"),
                                     llvm::cl::cat(category));
llvm::cl::opt<std::string> outputFile("o", llvm::cl::desc("Output file"),
                                      llvm::cl::value_desc("file"),
                                      llvm::cl::init("-"),
                                      llvm::cl::cat(category));
llvm::cl::opt<bool> asJson("json", llvm::cl::desc("Report as JSON"),
                           llvm::cl::cat(category));
llvm::cl::opt<std::string>
    askedLevel("level",
               llvm::cl::desc("Say what does not fit this feature level "
                              "(default: what the file's dml.target says)"),
               llvm::cl::value_desc("5_0"), llvm::cl::cat(category));
llvm::cl::list<std::string>
    dimensions("dim", llvm::cl::value_desc("name=size"),
               llvm::cl::desc("The size of a symbolic dimension of an ONNX "
                              "model"),
               llvm::cl::cat(category));
llvm::cl::opt<MatrixFormat> matrix(
    "matrix",
    llvm::cl::desc("Instead of a file, report what every operator supports"),
    llvm::cl::values(clEnumValN(MatrixFormat::Markdown, "markdown",
                                "As the page docs/FeatureLevels.md"),
                     clEnumValN(MatrixFormat::Json, "json", "As JSON")),
    llvm::cl::init(MatrixFormat::None), llvm::cl::cat(category));

/// What is said about one op.
struct OpReport {
  FeatureLevelOpInterface op;
  FeatureLevelOpInterface::MinimumLevel minimum;
  /// The level to fit, if one was asked for or stated, and what it lacks.
  std::optional<FeatureLevel> target;
  SmallVector<Requirement> violations;
};

/// What is said about a file.
struct Report {
  SmallVector<OpReport> ops;
  /// The oldest level that supports all ops.
  FeatureLevel level = getFeatureLevels().front().level;

  bool fits() const {
    return llvm::all_of(
        ops, [](const OpReport &op) { return op.violations.empty(); });
  }
  bool hasTarget() const {
    return llvm::any_of(ops,
                        [](const OpReport &op) { return bool(op.target); });
  }
};
} // namespace

/// Takes every `dml.target` off the ops in `root`, so that the verifier asks
/// for the structure alone, and returns the level that each operator was to
/// fit.
static FailureOr<DenseMap<Operation *, FeatureLevel>>
takeTargets(Operation *root) {
  DenseMap<Operation *, FeatureLevel> targets;
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    Attribute attribute = op->getAttr(targetAttrName);
    // Any other kind of attribute is left for the verifier to complain of.
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

static Report explain(Operation *root,
                      const DenseMap<Operation *, FeatureLevel> &targets,
                      std::optional<FeatureLevel> asked) {
  Report report;
  root->walk<WalkOrder::PreOrder>([&](FeatureLevelOpInterface op) {
    OpReport &opReport = report.ops.emplace_back();
    opReport.op = op;
    // The op is verified, so that some level supports it.
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

/// The symbol of the function around `op`, or "".
static StringRef getFunctionName(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printLocation(Operation *op, raw_ostream &os) {
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << "line " << loc.getLine() << ": ";
  else if (auto loc = op->getLoc()->findInstanceOf<NameLoc>())
    os << "node '" << loc.getName().getValue() << "': ";
}

static void printLevel(FeatureLevel level, raw_ostream &os) {
  os << "feature level " << getFeatureLevelNumber(level) << "\n"
     << "  DirectML " << getFeatureLevelInfo(level).directMLVersion
     << " or newer\n  ";
  StringRef windows = getFirstWindowsRelease(level);
  if (windows.empty())
    os << "no Windows has it as a system component; applications carry the "
          "package Microsoft.AI.DirectML\n";
  else
    os << windows << " or newer\n";
}

static void printText(const Report &report, raw_ostream &os) {
  std::optional<StringRef> function;
  for (const OpReport &opReport : report.ops) {
    FeatureLevelOpInterface op = opReport.op;
    const OperatorSupport &support = op.getOperatorSupport();
    StringRef name = getFunctionName(op);
    if (name != function) {
      function = name;
      os << (name.empty() ? "module" : ("@" + name).str()) << "\n";
    }
    os << "  ";
    printLocation(op, os);
    os << op->getName() << " needs "
       << getFeatureLevelNumber(*opReport.minimum.level) << ": "
       << support.describe(opReport.minimum.deciding);
    if (opReport.minimum.deciding.kind == Requirement::Kind::Operator)
      os << " was introduced there";
    os << "\n";
    for (const Requirement &violation : opReport.violations)
      os << "    does not fit: "
         << support.describeViolation(violation, *opReport.target) << "\n";
  }
  os << (report.ops.empty() ? "no dml operators: " : "together: ");
  printLevel(report.level, os);
  if (!report.hasTarget())
    return;
  os << (report.fits() ? "fits " : "does not fit ");
  if (askedLevel.empty())
    os << "the target that the file states\n";
  else
    os << "feature level "
       << getFeatureLevelNumber(*parseFeatureLevel(askedLevel)) << "\n";
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object toJson(const Requirement &requirement,
                                 const OperatorSupport &support) {
  llvm::json::Object object{
      {"kind", stringifyRequirementKind(requirement.kind)},
      {"text", support.describe(requirement)},
      {"source", support.getSource(requirement)}};
  if (requirement.kind == Requirement::Kind::EnumCase)
    object["attribute"] = requirement.subject;
  else if (requirement.kind != Requirement::Kind::Operator)
    object["tensor"] = requirement.subject;
  if (requirement.kind == Requirement::Kind::Rank)
    object["rank"] = requirement.value;
  else if (requirement.kind != Requirement::Kind::Operator)
    object["value"] = support.describeValue(requirement);
  if (std::optional<FeatureLevel> level = support.getMinimumLevel(requirement))
    object["level"] = getFeatureLevelNumber(*level);
  return object;
}

static llvm::json::Value toJson(const Report &report) {
  llvm::json::Array ops;
  for (const OpReport &opReport : report.ops) {
    FeatureLevelOpInterface op = opReport.op;
    const OperatorSupport &support = op.getOperatorSupport();
    llvm::json::Array tensors, violations;
    for (const FeatureLevelOpInterface::Tensor &tensor : op.getTensors()) {
      std::string type;
      llvm::raw_string_ostream(type) << tensor.type;
      tensors.push_back(llvm::json::Object{
          {"name", tensor.getName()},
          {"role", tensor.info->isResult ? "output" : "input"},
          {"type", type}});
    }
    for (const Requirement &violation : opReport.violations) {
      llvm::json::Object object = toJson(violation, support);
      object["message"] =
          support.describeViolation(violation, *opReport.target);
      violations.push_back(std::move(object));
    }
    llvm::json::Object object{
        {"op", op->getName().getStringRef()},
        {"operator", support.operatorType},
        {"function", getFunctionName(op)},
        {"level", getFeatureLevelNumber(*opReport.minimum.level)},
        {"deciding", toJson(opReport.minimum.deciding, support)},
        {"tensors", std::move(tensors)}};
    if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
      object["line"] = loc.getLine();
      object["column"] = loc.getColumn();
    } else if (auto loc = op->getLoc()->findInstanceOf<NameLoc>()) {
      object["node"] = loc.getName().getValue();
    }
    if (opReport.target) {
      object["target"] = getFeatureLevelNumber(*opReport.target);
      object["violations"] = std::move(violations);
    }
    ops.push_back(std::move(object));
  }

  auto orNull = [](StringRef text) -> llvm::json::Value {
    if (text.empty())
      return nullptr;
    return text;
  };
  llvm::json::Object object{
      {"level", getFeatureLevelNumber(report.level)},
      {"directml", getFeatureLevelInfo(report.level).directMLVersion},
      {"windows", orNull(getFirstWindowsRelease(report.level))},
      {"ops", std::move(ops)}};
  if (report.hasTarget())
    object["fits"] = report.fits();
  return object;
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

/// Reads, explains, and returns the exit status.
static int run(MLIRContext &context, raw_ostream &os) {
  if (matrix == MatrixFormat::Markdown) {
    printSupportMatrix(&context, os);
    return 0;
  }
  if (matrix == MatrixFormat::Json) {
    os << llvm::formatv("{0:2}", getSupportMatrix(&context)) << "\n";
    return 0;
  }

  std::optional<FeatureLevel> asked;
  if (!askedLevel.empty()) {
    asked = parseFeatureLevel(askedLevel);
    if (!asked) {
      tools::emitToolError()
          << "option --level: " << describeUnknownFeatureLevel(askedLevel)
          << "\n";
      return 2;
    }
  }
  auto sourceMgr = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler handler(*sourceMgr, &context);
  // A file may state a target that does not support it: that is what the report
  // is about. Everything else is verified once the targets are off.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module =
      tools::loadModule(inputFile, dimensions, sourceMgr, config);
  if (!module)
    return 2;
  FailureOr<DenseMap<Operation *, FeatureLevel>> targets =
      takeTargets(module.get());
  if (failed(verify(module.get())) || failed(targets))
    return 2;

  Report report = explain(module.get(), *targets, asked);
  if (asJson)
    os << llvm::formatv("{0:2}", toJson(report)) << "\n";
  else
    printText(report, os);
  return report.fits() ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  dml::tools::setVersionPrinter();
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "Says which DirectML feature level each "
                                    "operator of a file needs, and why\n\n"
                                    "Exits with 1 if an operator does not fit "
                                    "the level asked for, and with 2 "
                                    "if the\nfile or an option is invalid.\n");

  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<DMLDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<DMLDialect>();
  context.printOpOnDiagnostic(false);

  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputFile, &message);
  if (!output) {
    tools::emitToolError() << message << "\n";
    return 2;
  }
  int status = run(context, output->os());
  if (status != 2)
    output->keep();
  return status;
}
