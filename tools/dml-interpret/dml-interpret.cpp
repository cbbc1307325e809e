//===- dml-interpret.cpp - Run a function without a device ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The counterpart of dml-run, with the same inputs and outputs, that computes
// with the reference interpreter.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/IR/Suggestions.h"
#include "dml/Import/TOSA.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "support/Arguments.h"
#include "support/CompilerCommandLine.h"
#include "support/Module.h"
#include "support/ModuleFunction.h"
#include "support/Npy.h"
#include "support/ReferenceTensor.h"
#include "support/SizeOptions.h"
#include "support/ToolError.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace dml;
using dml::reference::Tensor;
using dml::tools::emitToolError;
using dml::tools::ExitCode;
using dml::tools::HostTensor;
namespace cl = llvm::cl;

static cl::OptionCategory category("dml-interpret");
static cl::opt<std::string> file(cl::Positional, cl::Required,
                                 cl::desc("FILE.mlir, FILE.onnx, or - for "
                                          "standard input"),
                                 cl::cat(category));
static cl::list<std::string>
    inputOptions("input", cl::value_desc("[NAME=]@FILE.npy|TYPE=VALUES"),
                 cl::desc("An input, in order or by name"), cl::cat(category));
static cl::list<std::string>
    outputOptions("output", cl::value_desc("[NAME=]@FILE.npy"),
                  cl::desc("Where an output goes, in order or by name; the "
                           "others are printed"),
                  cl::cat(category));
static cl::opt<bool>
    printAll("print-all",
             cl::desc("Print all elements of large results, not their first "
                      "and last three in each dimension"),
             cl::cat(category));
static cl::list<std::string> expectedOptions(
    "expected", cl::value_desc("[NAME=]@FILE.npy|TYPE=VALUES"),
    cl::desc("Compare an output with this instead of printing it; the exit "
             "code is 1 where they differ"),
    cl::cat(category));
static cl::list<std::string> lowerOptions(
    "lower", cl::value_desc("[NAME=]@FILE.npy"),
    cl::desc("Where the least elements go that a device may compute of an "
             "output, for dml-run --lower, in order or by name"),
    cl::cat(category));
static cl::list<std::string>
    upperOptions("upper", cl::value_desc("[NAME=]@FILE.npy"),
                 cl::desc("The same of the greatest elements"),
                 cl::cat(category));
static cl::opt<unsigned>
    top("top", cl::value_desc("K"), cl::init(0),
        cl::desc("Print the K classes with the largest elements instead of "
                 "all elements of a result"),
        cl::cat(category));
static cl::opt<std::string>
    labelsFile("labels", cl::value_desc("FILE"),
               cl::desc("The names of the classes, one in each line"),
               cl::cat(category));

namespace {
/// The options that say how a picture becomes a tensor.
struct PictureOption : cl::opt<std::string> {
  PictureOption(StringRef name, StringRef description)
      : opt(name, cl::desc(description), cl::value_desc("value"),
            cl::cat(category)) {}
};
} // namespace
static PictureOption pictureOptions[] = {
    {"layout", "Where a picture's channels stand: NCHW or NHWC (default: where "
               "the input has 1 or 3)"},
    {"mean", "What is subtracted from a picture's values, 0 to 255: one "
             "number, or one for each channel (0)"},
    {"scale", "What they are multiplied with then: 1/255 (1)"},
    {"resize", "What is done with a picture of another size: stretch, crop or "
               "pad"},
    {"channels", "The order of a picture's channels: RGB (the default) or "
                 "BGR"},
};
static cl::opt<double>
    relativeTolerance("rtol", cl::value_desc("R"), cl::init(0),
                      cl::desc("A difference may be atol + R * |expected|"),
                      cl::cat(category));
static cl::opt<double> absoluteTolerance("atol", cl::value_desc("A"),
                                         cl::init(0),
                                         cl::desc("The same's absolute part"),
                                         cl::cat(category));
static dml::tools::CallerOption callerName(category);
static dml::tools::SizeOptions sizeOptions(category);
static cl::opt<std::string> functionName("function", cl::init(""),
                                         cl::desc("The function to run (main, "
                                                  "or the only one)"),
                                         cl::cat(category));

/// Reads the options about pictures. Returns false, with `error` set, if one is
/// invalid.
static bool readPictureOptions(tools::PictureOptions &pictures,
                               std::string &error) {
  for (const PictureOption &option : pictureOptions) {
    if (option.getNumOccurrences() == 0)
      continue;
    std::string name = option.ArgStr.str();
    if (tools::setPictureOption(name, option, pictures))
      continue;
    error = "option '--" + name + "' does not take '" + option +
            "'; it wants " + tools::describePictureValues(name);
    return false;
  }
  return true;
}

/// Returns `bound` with zeros of the sign of `zero`. A computed zero may have
/// either sign, so that a lower bound must be -0 and an upper bound 0.
static FailureOr<Tensor> signZeros(const Tensor &bound, double zero) {
  FailureOr<Tensor> copy =
      Tensor::create(bound.getDataType(), bound.getShape());
  if (failed(copy))
    return failure();
  std::copy_n(bound.getData(), bound.getNumBytes(), copy->getData());
  for (int64_t i = 0; i < copy->getNumElements(); ++i)
    if (copy->getNumber(i) == 0)
      copy->setNumber(i, zero);
  return copy;
}

/// Writes the bounds of the results that a device may compute. Returns false,
/// with `error` set, if a file cannot be written.
static bool writeBounds(ArrayRef<reference::Estimate> estimates,
                        ArrayRef<std::string> lowerFiles,
                        ArrayRef<std::string> upperFiles, std::string &error) {
  auto write = [&](const std::string &path, const reference::Estimate &estimate,
                   const Tensor &bound, double zero) {
    if (path.empty() || estimate.isBitExact)
      return path.empty() || tools::writeNpy(path, tools::toHost(bound), error);
    FailureOr<Tensor> tensor = signZeros(bound, zero);
    if (failed(tensor)) {
      error = "there is no memory for bounds";
      return false;
    }
    return tools::writeNpy(path, tools::toHost(*tensor), error);
  };
  return llvm::all_of(llvm::zip_equal(estimates, lowerFiles, upperFiles),
                      [&](auto files) {
                        auto &[estimate, lower, upper] = files;
                        return write(lower, estimate, estimate.lower, -0.0) &&
                               write(upper, estimate, estimate.upper, 0.0);
                      });
}

/// `absent` are the inputs of the model that the function lacks.
static ExitCode run(ModuleOp module, std::vector<tools::AbsentInput> absent,
                    tools::Progress &progress) {
  std::string error;
  func::FuncOp function = tools::findFunction(module, functionName, error);
  if (!function)
    return emitToolError(error);
  tools::FunctionSignature signature =
      tools::describe(function, std::move(absent));
  auto files = tools::readOutputs("output", outputOptions, signature, error);
  if (!files)
    return emitToolError(error);
  auto lowerFiles = tools::readOutputs("lower", lowerOptions, signature, error);
  if (!lowerFiles)
    return emitToolError(error);
  auto upperFiles = tools::readOutputs("upper", upperOptions, signature, error);
  if (!upperFiles)
    return emitToolError(error);
  tools::PictureOptions pictures;
  tools::PrintOptions print{printAll, top, {}};
  if (!readPictureOptions(pictures, error) ||
      (!labelsFile.empty() &&
       !tools::readLabels(labelsFile, signature, print, error)))
    return emitToolError(error);
  auto inputs =
      tools::readReferenceInputs(inputOptions, signature, pictures, error);
  if (!inputs)
    return emitToolError(error);
  auto values =
      tools::readOutputTensors("expected", expectedOptions, signature, error);
  if (!values)
    return emitToolError(error);
  if (!(relativeTolerance >= 0) || !(absoluteTolerance >= 0))
    return emitToolError("--rtol and --atol take numbers from 0 on");
  if (expectedOptions.empty() && (relativeTolerance.getNumOccurrences() != 0 ||
                                  absoluteTolerance.getNumOccurrences() != 0))
    return emitToolError(
        "--rtol and --atol are for --expected, which is missing");

  std::string work = "interpreting @" + signature.name;
  progress.begin(work);
  // Constants and views take no time.
  auto isCounted = [](Operation &op) {
    return isa<FeatureLevelOpInterface, scf::ForOp>(op);
  };
  size_t total = llvm::count_if(function.getBody().front(), isCounted);
  size_t begun = 0;
  auto estimates = reference::interpret(function, *inputs, [&](Operation *op) {
    if (isCounted(*op))
      progress.advance(work + ", operator " + std::to_string(++begun) + " of " +
                       std::to_string(total) + ": " +
                       op->getName().getStringRef().str());
  });
  if (failed(estimates))
    return tools::kExitNo;
  if (!writeBounds(*estimates, *lowerFiles, *upperFiles, error))
    return emitToolError(error, tools::kExitNotWritten);
  std::vector<HostTensor> hostOutputs;
  for (const reference::Estimate &estimate : *estimates)
    hostOutputs.push_back(tools::toHost(estimate.value));
  progress.clear();
  size_t count = hostOutputs.size();
  tools::Expectation expected{std::move(*values),
                              {relativeTolerance, absoluteTolerance},
                              tools::OutputTensors(count),
                              tools::OutputTensors(count)};
  // A caller that asks for bounds alone wants no results.
  bool areBoundsAll = !(lowerOptions.empty() && upperOptions.empty()) &&
                      outputOptions.empty() && expectedOptions.empty();
  if (areBoundsAll)
    return tools::kExitDone;
  if (!tools::writeOutputs(*files, expected, signature, hostOutputs, print,
                           error))
    return emitToolError(error, tools::kExitNotWritten);
  std::string difference =
      tools::compareOutputs(expected, signature, hostOutputs);
  if (!difference.empty())
    return emitToolError(difference, tools::kExitNo);
  return tools::kExitDone;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!tools::parseCompilerCommandLine(
          argc, argv, "Runs a function of dml operators without a device\n",
          &category))
    return tools::kExitInvalid;

  DialectRegistry registry;
  registry
      .insert<DMLDialect, arith::ArithDialect, func::FuncDialect,
              linalg::LinalgDialect, scf::SCFDialect, tensor::TensorDialect>();
  tosareader::registerDialects(registry);
  suggestOperations(registry);
  MLIRContext context(registry);
  // The interpreter names what it does not know, and says what it does.
  context.allowUnregisteredDialects();
  tools::Console console(dml::tools::toolName(), &context);
  std::string error;
  if (!sizeOptions.takeShapesOf(inputOptions, error))
    return emitToolError(error);
  std::vector<tools::AbsentInput> absent;
  tools::LoadOptions load;
  load.absent = &absent;
  auto module = tools::loadModule(console, file, sizeOptions.get(),
                                  ParserConfig(&context), load);
  return module ? run(*module, std::move(absent), console.progress)
                : tools::kExitInvalid;
}
