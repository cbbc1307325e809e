//===- dml-explain.cpp - Which feature level a model needs, and why -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Page.h"
#include "SupportMatrix.h"
#include "dml/IR/DML.h"
#include "dml/IR/ViewOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/FileUtilities.h"
#include "support/CompilerCommandLine.h"
#include "support/Escape.h"
#include "support/File.h"
#include "support/Module.h"
#include "support/Plural.h"
#include "support/ToolError.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dml;
using dml::tools::ExitCode;
using dml::tools::OpReport;
using dml::tools::Report;
using dml::tools::Verdict;

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
llvm::cl::opt<std::string>
    reportFile("report",
               llvm::cl::desc("Write a page about the model, too: the graph "
                              "drawn, what each node needs and why (.html), "
                              "or the drawing alone (.svg)"),
               llvm::cl::value_desc("file"), llvm::cl::cat(category));
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

/// Whether DirectML has no operator for `op` because it needs none: functions
/// and their calls, constants, and views, which leave all bytes where they are.
/// Transposition and broadcasting are views by the strides of a binding.
bool dml::tools::needsNoOperator(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return !function.isExternal();
  return isa<ModuleOp, func::ReturnOp, func::CallOp, arith::ConstantOp,
             linalg::BroadcastOp, linalg::TransposeOp, linalg::YieldOp,
             tensor::BitcastOp, tensor::CastOp, tensor::CollapseShapeOp,
             tensor::EmptyOp, tensor::ExpandShapeOp, ViewOp>(op);
}

/// Whether `op` is a part of an operation that is foreign already: of its
/// regions, or of a constant's.
static bool isInForeign(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (!tools::needsNoOperator(parent))
      return true;
  return false;
}

static Report explain(Operation *root,
                      const DenseMap<Operation *, FeatureLevel> &targets,
                      std::optional<FeatureLevel> asked) {
  Report report;
  root->walk<WalkOrder::PreOrder>([&](Operation *operation) {
    auto op = dyn_cast<FeatureLevelOpInterface>(operation);
    if (!op) {
      if (!tools::needsNoOperator(operation) && !isInForeign(operation))
        report.foreign.push_back(operation);
      return;
    }
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

StringRef dml::tools::getFunctionName(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
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
  bool isFirst = true;
  StringRef function;
  auto printPlace = [&](Operation *op) {
    StringRef name = tools::getFunctionName(op);
    if (isFirst || name != function) {
      isFirst = false;
      function = name;
      os << (name.empty() ? "module" : ("@" + name).str()) << "\n";
    }
    os << "  ";
    printLocation(op, os);
  };
  for (const OpReport &opReport : report.ops) {
    FeatureLevelOpInterface op = opReport.op;
    const OperatorSupport &support = op.getOperatorSupport();
    printPlace(op);
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
  if (!report.foreign.empty()) {
    os << "not DirectML's: "
       << tools::printCount(report.foreign.size(), "operation") << "\n";
    isFirst = true;
    for (Operation *op : report.foreign) {
      printPlace(op);
      os << op->getName() << "\n";
    }
  }
  if (report.ops.empty()) {
    os << "no dml operators: nothing to say about feature levels\n";
  } else {
    os << (report.foreign.empty() ? "together: " : "the dml operators alone: ");
    printLevel(report.level, os);
  }
  switch (report.getVerdict()) {
  case Verdict::None:
    return;
  case Verdict::Fits:
    os << "fits ";
    break;
  case Verdict::DoesNotFit:
    os << "does not fit ";
    break;
  case Verdict::Undecided:
    if (!report.hasTarget()) {
      os << "undecided\n";
      return;
    }
    os << "undecided, though the dml operators fit: ";
    break;
  }
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

static void addLocation(Operation *op, llvm::json::Object &object) {
  if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    object["line"] = loc.getLine();
    object["column"] = loc.getColumn();
  } else if (auto loc = op->getLoc()->findInstanceOf<NameLoc>()) {
    object["node"] = loc.getName().getValue();
  }
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
        {"function", tools::getFunctionName(op)},
        {"level", getFeatureLevelNumber(*opReport.minimum.level)},
        {"deciding", toJson(opReport.minimum.deciding, support)},
        {"tensors", std::move(tensors)}};
    addLocation(op, object);
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
  llvm::json::Array foreign;
  for (Operation *op : report.foreign) {
    llvm::json::Object object{{"op", op->getName().getStringRef()},
                              {"function", tools::getFunctionName(op)}};
    addLocation(op, object);
    foreign.push_back(std::move(object));
  }
  llvm::json::Object object{{"ops", std::move(ops)},
                            {"foreign", std::move(foreign)}};
  // A level is a statement about the whole file.
  bool isKnown = !report.ops.empty() && report.foreign.empty();
  auto orUnknown = [&](StringRef text) { return orNull(isKnown ? text : ""); };
  const FeatureLevelInfo &info = getFeatureLevelInfo(report.level);
  object["level"] = orUnknown(getFeatureLevelNumber(report.level));
  object["directml"] = orUnknown(info.directMLVersion);
  object["windows"] = orUnknown(getFirstWindowsRelease(report.level));
  switch (report.getVerdict()) {
  case Verdict::None:
    break;
  case Verdict::Fits:
    object["fits"] = true;
    break;
  case Verdict::DoesNotFit:
    object["fits"] = false;
    break;
  case Verdict::Undecided:
    object["fits"] = nullptr;
    break;
  }
  return object;
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

/// Reads, explains, and returns how the program ends. `reportText` becomes the
/// page that --report asks for.
static ExitCode run(MLIRContext &context, raw_ostream &os,
                    std::string &reportText) {
  if (!reportFile.empty() && (matrix != MatrixFormat::None ||
                              !(StringRef(reportFile).ends_with(".html") ||
                                StringRef(reportFile).ends_with(".svg"))))
    return tools::emitToolError(
        matrix != MatrixFormat::None
            ? "--report is about a file, and --matrix about none"
            : "--report wants the name of a file that ends with .html or "
              ".svg");
  if (matrix == MatrixFormat::Markdown) {
    printSupportMatrix(&context, os);
    return tools::kExitDone;
  }
  if (matrix == MatrixFormat::Json) {
    os << llvm::formatv("{0:2}", getSupportMatrix(&context)) << "\n";
    return tools::kExitDone;
  }

  std::optional<FeatureLevel> asked;
  if (!askedLevel.empty()) {
    asked = parseFeatureLevel(askedLevel);
    if (!asked)
      return tools::emitToolError("option --level: " +
                                  describeUnknownFeatureLevel(askedLevel));
  }
  tools::Console console(DML_TOOL, &context);
  // A file may state a target that does not support it: that is what the report
  // is about. Everything else is verified once the targets are off.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module =
      tools::loadModule(console, inputFile, dimensions, config);
  if (!module)
    return tools::kExitInvalid;
  console.progress.begin("explaining " + inputFile);
  FailureOr<DenseMap<Operation *, FeatureLevel>> targets =
      takeTargets(module.get());
  if (failed(verify(module.get())) || failed(targets))
    return tools::kExitInvalid;

  Report report = explain(module.get(), *targets, asked);
  if (!reportFile.empty()) {
    llvm::raw_string_ostream page(reportText);
    StringRef title = llvm::sys::path::filename(inputFile);
    if (StringRef(reportFile).ends_with(".svg"))
      tools::printDrawing(module.get(), report, title, page);
    else
      tools::printPage(module.get(), report, title, page);
  }
  if (asJson) {
    os << llvm::formatv("{0:2}", toJson(report)) << "\n";
  } else {
    std::string text;
    llvm::raw_string_ostream textStream(text);
    printText(report, textStream);
    os << tools::escapeControls(text);
  }
  switch (report.getVerdict()) {
  case Verdict::None:
  case Verdict::Fits:
    return tools::kExitDone;
  case Verdict::DoesNotFit:
    return tools::kExitNo;
  case Verdict::Undecided:
    return tools::kExitUndecided;
  }
  llvm_unreachable("unknown verdict");
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!tools::parseCompilerCommandLine(
          argc, argv,
          "Says which DirectML feature level each operator of a file needs: "
          "the oldest\nthat supports it, whatever level the file states; and "
          "why\n\nOperations that are not DirectML's are named and counted, "
          "since nobody knows\ntheir level. Functions, constants, reshapes and "
          "casts need no operator.\n\nA file is MLIR, an ONNX model (.onnx), a "
          "JSON model of DxDispatch (.json)\nor a serialized graph of DirectML "
          "(.bin).\n",
          &category))
    return tools::kExitInvalid;

  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<DMLDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<DMLDialect>();
  context.printOpOnDiagnostic(false);

  // A misspelt dml operator is an error still.
  context.allowUnregisteredDialects();

  std::string text, reportText, error;
  llvm::raw_string_ostream os(text);
  ExitCode code = run(context, os, reportText);
  if (code != tools::kExitInvalid &&
      ((!reportFile.empty() &&
        !tools::writeOutput(reportFile, reportText, error)) ||
       !tools::writeOutput(outputFile, text, error)))
    return tools::emitToolError(error, tools::kExitNotWritten);
  return code;
}
