//===- dml-explain.cpp - Which feature level a model needs, and why -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OpenSizes.h"
#include "Page.h"
#include "SupportMatrix.h"
#include "dml/Explain/Explain.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/InitAllDialects.h"
#include "support/CompilerCommandLine.h"
#include "support/Escape.h"
#include "support/File.h"
#include "support/Module.h"
#include "support/SizeOptions.h"
#include "support/ToolError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dml;
using dml::explain::Report;
using dml::explain::Verdict;
using dml::tools::ExitCode;

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
llvm::cl::opt<bool> printsNodes(
    "nodes",
    llvm::cl::desc("End with a line for each operator: its place, the level "
                   "that it needs, and why"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string>
    askedLevel("level",
               llvm::cl::desc("Say what does not fit this feature level "
                              "(default: what the file's dml.target says)"),
               llvm::cl::value_desc("5_0"), llvm::cl::cat(category));
dml::tools::SizeOptions sizeOptions(category);
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
        "does, and write the module as MLIR for dml's tools: text (.mlir, or - "
        "for standard output) or bytecode (.mlirbc)"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string> deviceProfile(
    "device-profile", llvm::cl::value_desc("profile"),
    llvm::cl::desc("What --report's kernels are compiled for (what --times was "
                   "run with or --driver compiled for, or else full)"),
    llvm::cl::init("full"), llvm::cl::cat(category));
llvm::cl::opt<std::string> timesFile(
    "times", llvm::cl::value_desc("file"),
    llvm::cl::desc("What dml-run --trace wrote of the model, for --report's "
                   "times by operator and by step"),
    llvm::cl::cat(category));
llvm::cl::opt<std::string> driverFile(
    "driver", llvm::cl::value_desc("file"),
    llvm::cl::desc("What dml-inspect --driver --json wrote of the model's "
                   "executable, for --report's registers, spills and subgroups "
                   "of each kernel"),
    llvm::cl::cat(category));
llvm::cl::opt<MatrixFormat> matrix(
    "matrix",
    llvm::cl::desc("Instead of a file, report what every operator supports"),
    llvm::cl::values(clEnumValN(MatrixFormat::Markdown, "markdown",
                                "As the page docs/FeatureLevels.md"),
                     clEnumValN(MatrixFormat::Json, "json", "As JSON")),
    llvm::cl::init(MatrixFormat::None), llvm::cl::cat(category));
} // namespace

/// Checks the options that depend on each other, and sets `asked` to the level
/// of
/// --level.
static ExitCode checkOptions(std::optional<FeatureLevel> &asked) {
  if (!reportFile.empty() && (matrix != MatrixFormat::None ||
                              !(StringRef(reportFile).ends_with(".html") ||
                                StringRef(reportFile).ends_with(".svg"))))
    return tools::emitToolError(
        matrix != MatrixFormat::None
            ? "--report is about a file, and --matrix about none"
            : "--report wants the name of a file that ends with .html or "
              ".svg");
  if (matrix != MatrixFormat::None)
    return tools::kExitDone;
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
  StringRef suffix = llvm::sys::path::extension(legalizedFile);
  if (!legalizedFile.empty() && legalizedFile != "-" && suffix != ".mlir" &&
      suffix != ".mlirbc")
    return tools::emitToolError(
        "--legalize=" + legalizedFile +
        ": a module of MLIR is written; wanted is the name of a file that ends "
        "with .mlir or .mlirbc");
  if (llvm::Expected<DeviceProfile> profile =
          DeviceProfile::parse(deviceProfile);
      !profile)
    return tools::emitToolError(llvm::toString(profile.takeError()));
  if (!timesFile.empty() && reportFile.empty())
    return tools::emitToolError("--times is for what --report writes");
  if (!driverFile.empty() && !StringRef(reportFile).ends_with(".html"))
    return tools::emitToolError(
        "--driver is for the page that --report=FILE.html writes");
  return tools::kExitDone;
}

static void printMatrix(MLIRContext &context, raw_ostream &os) {
  context.loadDialect<DMLDialect>();
  if (matrix == MatrixFormat::Markdown)
    printSupportMatrix(&context, os);
  else
    os << llvm::formatv("{0:2}", getSupportMatrix(&context)) << "\n";
}

/// Prints the module that --legalize asks for.
static LogicalResult printLegalized(ModuleOp legalized, const Report &report,
                                    std::string &text) {
  // The verifier says whether the level has what there is now.
  if (failed(explain::stateLevel(legalized, report)))
    return failure();
  llvm::raw_string_ostream os(text);
  if (StringRef(legalizedFile).ends_with(".mlirbc"))
    return writeBytecodeToFile(legalized, os);
  legalized->print(os);
  return success();
}

/// Prints the page that --report asks for.
static ExitCode printReport(ModuleOp module, const Report &report,
                            tools::Measures &measures,
                            tools::Progress &progress, std::string &text) {
  llvm::raw_string_ostream page(text);
  StringRef title = llvm::sys::path::filename(inputFile);
  progress.begin("compiling " + inputFile);
  measures.profile = deviceProfile;
  auto functions = tools::compileKernels(module, deviceProfile);
  if (functions)
    measures.functions = std::move(*functions);
  else
    measures.whyNone = llvm::toString(functions.takeError());
  if (measures.driver && measures.whyNone.empty())
    if (std::string why =
            tools::describeOtherKernels(measures.functions, *measures.driver);
        !why.empty())
      return tools::emitToolError(
          "'" + driverFile +
          "' is of another model, or of one that was compiled with other "
          "options: " +
          why);
  if (!timesFile.empty() && measures.whyNone.empty()) {
    if (std::string why = tools::describeOtherModel(
            measures.functions, measures.profile, measures.trace);
        !why.empty())
      return tools::emitToolError(
          "'" + timesFile +
          "' is of a run of another model, or of one that was compiled with "
          "other options: " +
          why);
    measures.whyOtherSteps =
        tools::assignTimes(measures.functions, measures.trace.steps);
  }
  if (StringRef(reportFile).ends_with(".svg"))
    tools::printDrawing(module, report, measures, title, page);
  else
    tools::printPage(module, report, measures, title, page);
  return tools::kExitDone;
}

/// The line that says whether --legalize has written its file. `foreign` are
/// the operations in that file that are not DirectML's.
static std::string describeLegalized(const Report &report, bool isLegalized,
                                     ArrayRef<StringRef> foreign) {
  if (legalizedFile.empty())
    return "";
  if (!isLegalized)
    return "not legalized: nothing is written to " + legalizedFile + "\n";
  bool isRewritten = !report.legalizations.empty();
  std::string level = getFeatureLevelNumber(*report.asked).str();
  std::string text = isRewritten ? "legalized, " : "";
  text += report.isWhole() && foreign.empty()
              ? "it fits " + level
              : "its operators of DirectML fit " + level;
  if (!isRewritten)
    text += " without legalization";
  if (!foreign.empty())
    text += ", beside " + llvm::join(foreign, ", ");
  return text + ": written to " + legalizedFile + "\n";
}

/// How the program ends. `isSolved` says whether --legalize wrote a module that
/// fits as a whole, and nothing where --legalize wrote none.
static ExitCode getExitCode(const Report &report,
                            std::optional<bool> isSolved) {
  switch (report.getVerdict()) {
  case Verdict::None:
  case Verdict::Fits:
    return tools::kExitDone;
  case Verdict::DoesNotFit:
    if (!isSolved)
      return tools::kExitNo;
    return *isSolved ? tools::kExitDone : tools::kExitUndecided;
  case Verdict::Undecided:
    return tools::kExitUndecided;
  }
  llvm_unreachable("unknown verdict");
}

/// Reads and explains the model, and returns the exit code. Sets `reportText`
/// to the page for --report, and `legalizedText` to the module for --legalize.
static ExitCode run(MLIRContext &context, raw_ostream &os,
                    std::string &reportText, std::string &legalizedText) {
  std::optional<FeatureLevel> asked;
  if (ExitCode code = checkOptions(asked))
    return code;
  if (matrix != MatrixFormat::None) {
    printMatrix(context, os);
    return tools::kExitDone;
  }
  if (tools::lacksInput(inputFile))
    return tools::kExitInvalid;
  tools::Measures measures;
  if (!timesFile.empty()) {
    auto trace = tools::readTrace(timesFile);
    if (!trace)
      return tools::emitToolError(llvm::toString(trace.takeError()));
    measures.trace = std::move(*trace);
    // Kernels are drawn as they ran.
    if (deviceProfile.getNumOccurrences() == 0 &&
        !measures.trace.profile.empty())
      deviceProfile = measures.trace.profile;
    if (auto profile = DeviceProfile::parse(deviceProfile); !profile)
      return tools::emitToolError("'" + timesFile +
                                  "': " + llvm::toString(profile.takeError()));
  }
  if (!driverFile.empty()) {
    auto driver = tools::readDriverReport(driverFile);
    if (!driver)
      return tools::emitToolError(llvm::toString(driver.takeError()));
    measures.driver = std::move(*driver);
    if (deviceProfile.getNumOccurrences() == 0 &&
        measures.trace.profile.empty() && !measures.driver->profile.empty())
      deviceProfile = measures.driver->profile;
    if (auto profile = DeviceProfile::parse(deviceProfile); !profile)
      return tools::emitToolError("'" + driverFile +
                                  "': " + llvm::toString(profile.takeError()));
  }
  tools::Console console(DML_TOOL, &context);
  // The dialect's handler of diagnostics has to come behind that of the
  // console.
  context.loadDialect<DMLDialect>();
  // The parser does not verify the module: a file may state a target that does
  // not support it, which is what the report shows. The module is verified
  // after its targets have been removed.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  tools::LoadOptions load;
  load.optimize = ortOptimizations == "all";
  load.leavesOutUnread = legalizedFile.empty();
  tools::OpenSizes openSizes(console, inputFile, sizeOptions.get(), config,
                             load);
  tools::JudgedModel judged = openSizes.read();
  OwningOpRef<ModuleOp> &module = judged.module;
  if (!module)
    return tools::kExitInvalid;
  if (judged.size && !legalizedFile.empty())
    return tools::emitToolError(
        "--legalize writes a module, which has all sizes, but " +
        onnx::describeOpenSizes(judged.loaded.inputs.signature.inputs,
                                judged.loaded.inputs.open));
  console.progress.begin("explaining " + inputFile);
  FailureOr<Report> report =
      explain::explainModule(*module, judged.loaded.isONNX, asked);
  if (failed(report))
    return tools::kExitInvalid;
  std::string sentence = openSizes.compare(judged, *report);

  OwningOpRef<ModuleOp> legalized;
  if (asked)
    legalized = explain::legalizeCopy(*module, *report);
  bool isLegalized = legalized && !legalizedFile.empty();
  SmallVector<StringRef> foreign;
  if (isLegalized) {
    foreign = explain::getForeignNames(*legalized);
    if (failed(printLegalized(*legalized, *report, legalizedText)))
      return tools::kExitInvalid;
  }
  if (!reportFile.empty())
    if (ExitCode code = printReport(*module, *report, measures,
                                    console.progress, reportText))
      return code;
  if (asJson) {
    llvm::json::Value json = explain::toJson(*report);
    if (judged.hasOpenSizes())
      (*json.getAsObject())["inputs"] = tools::describeInputs(judged);
    os << llvm::formatv("{0:2}", json) << "\n";
  } else {
    std::string inputs;
    llvm::raw_string_ostream stream(inputs);
    tools::printInputs(judged, sentence, stream);
    explain::printText(*report, os, printsNodes);
    os << tools::escapeControls(
        inputs + describeLegalized(*report, isLegalized, foreign));
  }
  std::optional<bool> isSolved;
  if (isLegalized)
    isSolved = report->isWhole() && foreign.empty();
  return getExitCode(*report, isSolved);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!tools::parseCompilerCommandLine(
          argc, argv,
          "Says which DirectML feature level the operators of a file need: the "
          "oldest\nthat supports all of them, whatever level the file states; "
          "what decides that; and,\nwith --level, what does not fit\n\n"
          "Operations that are not DirectML's are named and counted, "
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
