//===- dml-explain.cpp - Which feature level a model needs, and why -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "Page.h"
#include "SupportMatrix.h"
#include "dml/IR/DML.h"
#include "dml/IR/Origin.h"
#include "dml/IR/ViewOps.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Transforms/Passes.h"
#include "mlir/Bytecode/BytecodeWriter.h"
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
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dml;
using dml::tools::ExitCode;
using dml::tools::Legalization;
using dml::tools::NotTakenNode;
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
llvm::cl::opt<std::string> ortOptimizations(
    "ort-optimizations", llvm::cl::value_desc("none|all"),
    llvm::cl::desc("ONNX Runtime's optimizations of an ONNX model: 'none' (the "
                   "default) takes the graph as it stands; 'all' fuses as that "
                   "does for its DirectML provider, says what, and names the "
                   "optimizations that could change this model's operators and "
                   "are not modelled (docs/ONNXModels.md lists them)"),
    llvm::cl::init("none"), llvm::cl::cat(category));
llvm::cl::opt<std::string> legalizedFile(
    "legalize", llvm::cl::value_desc("file"),
    llvm::cl::desc(
        "Rewrite what does not fit --level, verify that the rest "
        "does, and write the module (.mlir, or .mlirbc as bytecode)"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string> deviceProfile(
    "device-profile", llvm::cl::value_desc("profile"),
    llvm::cl::desc("What --report's kernels are compiled for (full)"),
    llvm::cl::init("full"), llvm::cl::cat(category));
llvm::cl::opt<std::string> timesFile(
    "times", llvm::cl::value_desc("file"),
    llvm::cl::desc("What dml-run --trace wrote of the model, for --report's "
                   "times by operator and by step"),
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
    if (StringRef reason = tools::getWhyNotTaken(op); !reason.empty()) {
      // A node's operators stand one behind the other, at its location.
      if (report.notTaken.empty() ||
          report.notTaken.back().ops.back()->getLoc() != op->getLoc() ||
          report.notTaken.back().reason != reason)
        report.notTaken.push_back({{}, reason});
      report.notTaken.back().ops.push_back(op);
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

StringRef dml::tools::getWhyNotTaken(Operation *op) {
  auto reason = op->getAttrOfType<StringAttr>(notTakenAttrName);
  return reason ? reason.getValue() : StringRef();
}

StringRef dml::tools::getFunctionName(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

/// Says what reading an ONNX model did to it.
static void addOptimizations(ModuleOp module, Report &report) {
  if (auto unread = module->getAttrOfType<ArrayAttr>(unreadAttrName))
    for (auto kind : unread.getAsRange<StringAttr>())
      report.unread.push_back(kind);
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

/// Legalizes the operators of `module` that do not fit `level`, and says in
/// `report` what became of each: `report` is of another copy of the module,
/// with the same operators. Whether all fit afterwards.
static bool legalize(ModuleOp module, FeatureLevel level, Report &report) {
  SmallVector<FeatureLevelOpInterface> ops, others;
  module->walk<WalkOrder::PreOrder>([&](FeatureLevelOpInterface op) {
    (tools::getWhyNotTaken(op).empty() ? ops : others).push_back(op);
  });
  std::string message;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        // Notes say why an operator cannot be rewritten. The violation itself
        // is in the report already.
        for (Diagnostic &note : diagnostic.getNotes()) {
          std::string text = note.str();
          StringRef why = text;
          if (message.empty() && why.consume_front("cannot be legalized: "))
            message = why.str();
        }
        return success();
      });
  bool isGood = true;
  for (auto [op, opReport] : llvm::zip_equal(ops, report.ops)) {
    if (op.getViolations(level).empty())
      continue;
    Legalization &entry = report.legalizations.emplace_back();
    entry.op = opReport.op;
    message.clear();
    if (failed(legalizeOperator(op, level, entry.made))) {
      isGood = false;
      entry.made.clear();
      entry.whyNot = message.empty() ? "it has no equivalent" : message;
    }
  }
  // The module that is written fits as a whole, whoever computes what.
  SmallVector<OperationName> made;
  for (FeatureLevelOpInterface op : others)
    isGood &= succeeded(legalizeOperator(op, level, made));
  return isGood;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string describeMade(const Legalization &entry) {
  llvm::MapVector<StringRef, unsigned> counts;
  for (OperationName name : entry.made)
    ++counts[name.getStringRef()];
  std::string text;
  for (auto [name, count] : counts) {
    text += text.empty() ? "" : ", ";
    if (count > 1)
      text += std::to_string(count) + " times ";
    text += name.str();
  }
  // An operator may become views alone.
  return text.empty() ? "views" : text;
}

static void printLegalization(const Report &report, FeatureLevel level,
                              llvm::function_ref<void(Operation *)> printPlace,
                              raw_ostream &os) {
  if (report.legalizations.empty())
    return;
  auto impossible =
      llvm::count_if(report.legalizations, [](const Legalization &entry) {
        return entry.made.empty();
      });
  os << "legalization to " << getFeatureLevelNumber(level) << ": "
     << tools::printCount(report.legalizations.size() - impossible, "operator")
     << " can be rewritten, " << impossible << " cannot\n";
  for (const Legalization &entry : report.legalizations) {
    printPlace(entry.op);
    os << FeatureLevelOpInterface(entry.op)->getName();
    if (entry.whyNot.empty())
      os << " becomes " << describeMade(entry) << "\n";
    else
      os << " cannot be rewritten: " << entry.whyNot << "\n";
  }
}

static void printOptimizations(const Report &report, raw_ostream &os) {
  if (!report.isONNX && !report.isOptimized)
    return;
  os << "ONNX Runtime's optimizations: ";
  if (!report.isOptimized) {
    os << "none; the graph is taken as it stands\n";
    return;
  }
  os << "all that are modelled\n";
  for (auto [name, count] : report.fused)
    os << "  " << name << ": " << count << "\n";
  if (report.fused.empty())
    os << "  nothing was fused\n";
  for (auto [name, level] : report.open) {
    os << "  not modelled, and could change this model's operators: " << name
       << ", ";
    if (!level)
      os << "which may need any level\n";
    else
      os << "which may need " << getFeatureLevelNumber(*level) << "\n";
  }
}

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
  if (!report.unread.empty()) {
    os << "not read, since DirectML's operators do not express them:\n";
    for (StringRef kind : report.unread)
      os << "  " << kind << "\n";
  }
  if (!report.notTaken.empty()) {
    os << "not taken by ONNX Runtime's DirectML provider: "
       << tools::printCount(report.notTaken.size(), "node") << "\n";
    isFirst = true;
    for (const NotTakenNode &node : report.notTaken) {
      printPlace(node.ops.front());
      os << node.reason << " (here "
         << tools::printCount(node.ops.size(), "operator") << ")\n";
    }
  }
  if (report.ops.empty()) {
    os << (report.notTaken.empty() ? "no" : "no other")
       << " dml operators: nothing to say about feature levels\n";
  } else {
    bool isPart = !report.notTaken.empty() || !report.unread.empty();
    os << (!report.foreign.empty() ? "the dml operators alone: "
           : isPart                ? "the other operators alone: "
                                   : "together: ");
    printLevel(report.level, os);
  }
  printOptimizations(report, os);
  if (!askedLevel.empty()) {
    isFirst = true;
    printLegalization(report, *parseFeatureLevel(askedLevel), printPlace, os);
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
    os << "undecided, though the "
       << (!report.foreign.empty()                              ? "dml "
           : !report.notTaken.empty() || !report.unread.empty() ? "other "
                                                                : "")
       << "operators fit: ";
    break;
  }
  if (askedLevel.empty())
    os << "the target that the file states\n";
  else
    os << "feature level "
       << getFeatureLevelNumber(*parseFeatureLevel(askedLevel)) << "\n";
  if (legalizedFile.empty() || report.legalizations.empty())
    return;
  if (llvm::any_of(report.legalizations, [](const Legalization &entry) {
        return !entry.whyNot.empty();
      })) {
    os << "not legalized: nothing is written to " << legalizedFile << "\n";
    return;
  }
  os << "legalized, ";
  if (report.legalizedForeign.empty())
    os << "it does";
  else
    os << "its operators of DirectML do, beside "
       << llvm::join(report.legalizedForeign, ", ");
  os << ": written to " << legalizedFile << "\n";
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
  else if (requirement.kind == Requirement::Kind::Rule)
    object["rule"] = requirement.subject;
  else if (requirement.kind != Requirement::Kind::Operator)
    object["tensor"] = requirement.subject;
  if (requirement.kind == Requirement::Kind::Rank)
    object["rank"] = requirement.value;
  else if (requirement.kind == Requirement::Kind::EnumCase ||
           requirement.kind == Requirement::Kind::DataType)
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
  llvm::json::Array notTaken;
  for (const NotTakenNode &node : report.notTaken) {
    llvm::json::Array names;
    for (Operation *op : node.ops)
      names.push_back(op->getName().getStringRef());
    llvm::json::Object object{
        {"reason", node.reason},
        {"ops", std::move(names)},
        {"function", tools::getFunctionName(node.ops.front())}};
    addLocation(node.ops.front(), object);
    notTaken.push_back(std::move(object));
  }
  llvm::json::Array unread;
  for (StringRef kind : report.unread)
    unread.push_back(kind);
  llvm::json::Object object{{"ops", std::move(ops)},
                            {"unread", std::move(unread)},
                            {"foreign", std::move(foreign)},
                            {"notTaken", std::move(notTaken)}};
  if (report.isONNX || report.isOptimized) {
    llvm::json::Object fused;
    for (auto [name, count] : report.fused)
      fused[name] = count;
    llvm::json::Array open;
    for (auto [name, level] : report.open)
      open.push_back(llvm::json::Object{
          {"name", name},
          {"level", level ? llvm::json::Value(getFeatureLevelNumber(*level))
                          : llvm::json::Value(nullptr)}});
    object["ortOptimizations"] =
        llvm::json::Object{{"applied", report.isOptimized ? "all" : "none"},
                           {"fused", std::move(fused)},
                           {"notModelled", std::move(open)}};
  }
  if (!askedLevel.empty()) {
    llvm::json::Array entries;
    for (const Legalization &entry : report.legalizations) {
      Operation *op = FeatureLevelOpInterface(entry.op);
      llvm::json::Array made;
      for (OperationName name : entry.made)
        made.push_back(name.getStringRef());
      llvm::json::Object described{{"op", op->getName().getStringRef()},
                                   {"function", tools::getFunctionName(op)},
                                   {"becomes", std::move(made)}};
      if (!entry.whyNot.empty())
        described["whyNot"] = entry.whyNot;
      addLocation(op, described);
      entries.push_back(std::move(described));
    }
    object["legalization"] = std::move(entries);
  }
  // A level is a statement about the whole file.
  bool isKnown = !report.ops.empty() && report.isWhole();
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
/// page that --report asks for, and `legalizedText` the module that --legalize
/// does.
static ExitCode run(MLIRContext &context, raw_ostream &os,
                    std::string &reportText, std::string &legalizedText) {
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
  if (ortOptimizations != "none" && ortOptimizations != "all")
    return tools::emitToolError("--ort-optimizations=" + ortOptimizations +
                                ": wanted is none or all");
  if (!legalizedFile.empty() && !asked)
    return tools::emitToolError("--legalize wants the level to reach: --level");
  tools::Measures measures;
  if (!timesFile.empty()) {
    if (reportFile.empty())
      return tools::emitToolError("--times is for what --report writes");
    auto times = tools::readTimes(timesFile);
    if (!times)
      return tools::emitToolError(llvm::toString(times.takeError()));
    measures.times = std::move(*times);
  }
  tools::Console console(DML_TOOL, &context);
  // A file may state a target that does not support it: that is what the report
  // is about. Everything else is verified once the targets are off.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  bool isONNX = false;
  OwningOpRef<ModuleOp> module =
      tools::loadModule(console, inputFile, dimensions, config, nullptr,
                        ortOptimizations == "all", &isONNX,
                        /*leavesOutUnread=*/legalizedFile.empty());
  if (!module)
    return tools::kExitInvalid;
  console.progress.begin("explaining " + inputFile);
  FailureOr<DenseMap<Operation *, FeatureLevel>> targets =
      takeTargets(module.get());
  if (failed(verify(module.get())) || failed(targets))
    return tools::kExitInvalid;

  Report report = explain(module.get(), *targets, asked);
  report.isONNX = isONNX;
  addOptimizations(*module, report);
  bool isLegalized = false;
  if (asked) {
    OwningOpRef<ModuleOp> copy = module->clone();
    isLegalized = legalize(*copy, *asked, report);
    if (!legalizedFile.empty() && isLegalized) {
      for (Operation *op :
           explain(*copy, DenseMap<Operation *, FeatureLevel>(), asked).foreign)
        if (StringRef name = op->getName().getStringRef();
            !llvm::is_contained(report.legalizedForeign, name))
          report.legalizedForeign.push_back(name);
      // The verifier says whether the level has what there is now.
      (*copy)->setAttr(targetAttrName, TargetAttr::get(&context, *asked));
      if (failed(verify(*copy)))
        return tools::kExitInvalid;
      llvm::raw_string_ostream stream(legalizedText);
      if (!StringRef(legalizedFile).ends_with(".mlirbc"))
        copy->print(stream);
      else if (failed(writeBytecodeToFile(*copy, stream)))
        return tools::kExitInvalid;
    }
  }
  if (!reportFile.empty()) {
    llvm::raw_string_ostream page(reportText);
    StringRef title = llvm::sys::path::filename(inputFile);
    console.progress.begin("compiling " + inputFile);
    measures.profile = deviceProfile;
    auto functions = tools::compileKernels(*module, deviceProfile);
    if (functions)
      measures.functions = std::move(*functions);
    else
      measures.whyNone = llvm::toString(functions.takeError());
    if (!timesFile.empty() && measures.whyNone.empty())
      measures.whyOtherSteps =
          tools::assignTimes(measures.functions, measures.times);
    if (StringRef(reportFile).ends_with(".svg"))
      tools::printDrawing(module.get(), report, measures, title, page);
    else
      tools::printPage(module.get(), report, measures, title, page);
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
    if (!legalizedFile.empty() && isLegalized) {
      return report.isWhole() && report.legalizedForeign.empty()
                 ? tools::kExitDone
                 : tools::kExitUndecided;
    }
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
          "since nobody knows\ntheir level; so are nodes of ONNX models that "
          "ONNX Runtime's DirectML provider\ndoes not take, or that cannot be "
          "read. Functions, constants, reshapes and casts\nneed no "
          "operator.\n\nA file is MLIR, an ONNX model (.onnx), a "
          "JSON model of DxDispatch (.json)\nor a serialized graph of DirectML "
          "(.bin).\n",
          &category))
    return tools::kExitInvalid;

  DialectRegistry registry;
  registerAllDialects(registry);
  registerCompilerDialects(registry);
  registry.insert<DMLDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<DMLDialect, tensor::TensorDialect>();
  context.printOpOnDiagnostic(false);

  // A misspelt dml operator is an error still.
  context.allowUnregisteredDialects();

  std::string text, reportText, legalizedText, error;
  llvm::raw_string_ostream os(text);
  ExitCode code = run(context, os, reportText, legalizedText);
  if (code != tools::kExitInvalid &&
      ((!legalizedText.empty() &&
        !tools::writeOutput(legalizedFile, legalizedText, error)) ||
       (!reportFile.empty() &&
        !tools::writeOutput(reportFile, reportText, error)) ||
       !tools::writeOutput(outputFile, text, error)))
    return tools::emitToolError(error, tools::kExitNotWritten);
  return code;
}
