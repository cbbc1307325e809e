//===- dml-tune.cpp - Kernels that the device chooses ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "dml/Import/Model.h"
#include "dml/session.h"
#include "support/CompilerCommandLine.h"
#include "support/ErrorStream.h"
#include "support/Escape.h"
#include "support/File.h"
#include "support/Progress.h"
#include "support/SizeOptions.h"
#include "support/ToolError.h"
#include "support/TuningOptions.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

using dml::TuningTable;
using dml::tools::emitToolError;
using dml::tools::ExitCode;
namespace cl = llvm::cl;

static cl::OptionCategory category("dml-tune options");

static cl::opt<std::string>
    inputFile(cl::Positional, cl::Required,
              cl::desc("<model.onnx, .mlir, .mlirbc, .json or .bin>"),
              cl::cat(category));

static cl::opt<std::string>
    outputFile("o",
               cl::desc("The table of kernels to write, for dml-compile "
                        "--tuning and for sessions"),
               cl::value_desc("file"), cl::cat(category));

static cl::opt<std::string> knownFile(
    "tuning",
    cl::desc("A table of kernels that are not measured again. The table that "
             "is written has those that the model needs, too"),
    cl::value_desc("file"), cl::cat(category));

static cl::opt<std::string>
    device("device",
           cl::desc("The Vulkan device: a part of its name, its number or its "
                    "UUID (default: the first GPU, else the first device)"),
           cl::value_desc("name"), cl::cat(category));

static dml::tools::SizeOptions sizeOptions(category);

static cl::opt<std::string>
    function("function",
             cl::desc("The function to tune, where the model has several "
                      "(default: main, or the only one)"),
             cl::value_desc("name"), cl::cat(category));

static cl::opt<std::string> ortOptimizations(
    "ort-optimizations",
    cl::desc("As for dml-compile: 'none' (the default) or 'all'"),
    cl::value_desc("none|all"), cl::init("none"), cl::cat(category));

static cl::opt<bool> asJson("json", cl::desc("Report as JSON"),
                            cl::cat(category));

static dml::tools::TuningOptions tuningOptions(category);

namespace {
/// What the session tells while it works.
struct Console {
  dml::tools::Progress progress{DML_TOOL};

  static void warn(void *self, DmlMessageSeverity, const char *message) {
    static_cast<Console *>(self)->progress.clear();
    dml::tools::emitToolWarning(message);
  }
  static bool step(void *self, const char *name, float fraction) {
    static_cast<Console *>(self)->progress.begin(
        inputFile + ": " + name + ", " +
        std::to_string(static_cast<int>(100 * fraction)) + " %");
    return true;
  }
};
} // namespace

/// Prints the error of a call and returns the exit code that it means.
static ExitCode report(DmlResult result, DmlError error) {
  bool isInvalid = result == DML_ERROR_INVALID_ARGUMENT ||
                   result == DML_ERROR_NOT_FOUND || result == DML_ERROR_IO ||
                   result == DML_ERROR_INVALID_EXECUTABLE;
  emitToolError(dmlGetErrorMessage(error));
  dmlDestroyError(error);
  return isInvalid ? dml::tools::kExitInvalid : dml::tools::kExitNo;
}

/// Sets `sizes` to those of the open dimensions of an ONNX model, as the other
/// tools state them: a batch is 1 where no option says otherwise. The session
/// reports a file that cannot be read, and options that other files refuse.
static ExitCode stateSizes(llvm::StringMap<int64_t> &sizes) {
  for (llvm::StringRef text : sizeOptions.dimensions) {
    auto [name, digits] = text.rsplit('=');
    int64_t size = 0;
    if (name.empty() || digits.getAsInteger(10, size) || size < 0)
      return emitToolError("--dim=" + text + ": wanted is NAME=SIZE");
    sizes[name] = size;
  }
  auto file = llvm::MemoryBuffer::getFile(inputFile, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return dml::tools::kExitDone;
  if (dml::findModelFormat(inputFile, (*file)->getBuffer()) !=
      dml::ModelFormat::ONNX) {
    if (!sizeOptions.shapes.empty())
      return emitToolError("--input-shape is for ONNX models, but '" +
                           inputFile + "' is none");
    return dml::tools::kExitDone;
  }
  dml::onnx::ImportOptions options;
  auto found = dml::onnx::stateSizes(**file, sizeOptions.get(), options);
  if (!found)
    return emitToolError(llvm::toString(found.takeError()));
  if (!found->open.empty())
    return emitToolError(
        "'" + inputFile + "': " +
        dml::onnx::describeOpenSizes(found->signature.inputs, found->open));
  if (!found->batches.empty())
    llvm::WithColor::note(dml::tools::errorStream(), DML_TOOL)
        << dml::onnx::describeBatches(found->batches) << "\n";
  sizes = std::move(options.dimensions);
  return dml::tools::kExitDone;
}

/// Compiles the program for the inputs' declared sizes, and measures its
/// kernels meanwhile.
static ExitCode tune(DmlSession session) {
  DmlError error = nullptr;
  DmlSessionInfo info{};
  if (DmlResult result = dmlGetSessionInfo(session, &info, &error))
    return report(result, error);
  std::vector<DmlSessionTensor> inputs;
  for (uint32_t i = 0; i < info.inputCount; ++i) {
    DmlSessionTensorInfo declared{};
    if (DmlResult result = dmlGetSessionInput(session, i, &declared, &error))
      return report(result, error);
    DmlSessionTensor input{};
    input.name = declared.name;
    input.dataType = declared.dataType;
    input.rank = declared.rank;
    for (uint32_t k = 0; k < declared.rank; ++k) {
      if (declared.sizes[k] < 0)
        return emitToolError(
            "input '" + dml::tools::escapeControls(declared.name) +
            "' has no size for the dimension '" +
            dml::tools::escapeControls(declared.dimensionNames[k]) +
            "'; wanted is --dim=" +
            dml::tools::escapeControls(declared.dimensionNames[k]) + "=SIZE");
      input.sizes[k] = declared.sizes[k];
    }
    inputs.push_back(input);
  }
  if (DmlResult result =
          dmlPrepareSession(session, inputs.data(), info.inputCount,
                            /*outputs=*/nullptr, /*outputCount=*/0, &error))
    return report(result, error);
  return dml::tools::kExitDone;
}

static ExitCode run() {
  if (ortOptimizations != "none" && ortOptimizations != "all")
    return emitToolError(
        "--ort-optimizations=" + llvm::Twine(ortOptimizations) +
        ": wanted is none or all");
  std::string error;
  if (!outputFile.empty() && !dml::tools::checkOutput(outputFile, error))
    return emitToolError(error, dml::tools::kExitNotWritten);

  llvm::StringMap<int64_t> stated;
  if (ExitCode code = stateSizes(stated))
    return code;
  std::vector<DmlNamedSize> sizes;
  for (const auto &each : stated)
    sizes.push_back({each.getKeyData(), each.second});
  std::vector<DmlNamedValue> options = {
      {"tune", "true"}, {"ort-optimizations", ortOptimizations.c_str()}};
  if (!knownFile.empty())
    options.push_back({"tuning", knownFile.c_str()});
  std::vector<std::pair<std::string, std::string>> chosen =
      tuningOptions.list();
  for (const auto &[name, value] : chosen)
    options.push_back({name.c_str(), value.c_str()});

  Console console;
  DmlSessionCreateInfo info{};
  info.path = inputFile.c_str();
  info.function = function.empty() ? nullptr : function.c_str();
  info.dimensions = sizes.data();
  info.dimensionCount = static_cast<uint32_t>(sizes.size());
  info.deviceSelector = device.empty() ? nullptr : device.c_str();
  info.options = options.data();
  info.optionCount = static_cast<uint32_t>(options.size());
  info.messageCallback = Console::warn;
  info.progressCallback = Console::step;
  info.userData = &console;
  DmlSession session = nullptr;
  DmlError failure = nullptr;
  if (DmlResult result = dmlCreateSession(&info, &session, &failure))
    return report(result, failure);
  auto destroy = llvm::scope_exit([&] { dmlDestroySession(session); });
  ExitCode code = tune(session);
  console.progress.clear();
  if (code)
    return code;

  DmlBytes bytes{};
  if (DmlResult result = dmlGetSessionTuning(session, &bytes, &failure))
    return report(result, failure);
  auto free = llvm::scope_exit([&] { dmlFreeBytes(&bytes); });
  llvm::StringRef text(static_cast<const char *>(bytes.data), bytes.size);
  TuningTable table = llvm::cantFail(TuningTable::parse(text));
  if (asJson)
    dml::tools::printJsonReport(table, llvm::outs());
  else
    dml::tools::printReport(table, llvm::outs());
  if (!outputFile.empty() && !dml::tools::writeOutput(outputFile, text, error))
    return emitToolError(error, dml::tools::kExitNotWritten);
  return dml::tools::kExitDone;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (!dml::tools::parseCompilerCommandLine(
          argc, argv,
          "dml-tune: lets a device choose the kernels of a model\n\n"
          "  dml-tune model.onnx --dim=batch=8 -o model.tuning\n"
          "  dml-compile model.onnx --dim=batch=8 --device=native "
          "--tuning=model.tuning -o model.dmlx\n\n"
          "Runs several kernels for each dispatch of a model on the device, "
          "and prints how\n"
          "long the kernel takes that the compiler's models of time choose, "
          "and how long the\n"
          "fastest one. The table of the fastest ones is for dml-compile "
          "--tuning and for\n"
          "sessions (docs/Tuning.md).\n",
          &category))
    return dml::tools::kExitInvalid;
  return run();
}
