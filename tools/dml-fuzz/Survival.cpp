//===- Survival.cpp - Programs that nobody should write -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Survival.h"
#include "Testing/Mutation/ModelMutator.h"
#include "Testing/Mutation/Mutator.h"
#include "Testing/Programs/Generator.h"
#include "dml/Import/ONNX.h"
#include "dml/Import/ONNXRuntime.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Reference/Tensor.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "support/Device.h"
#include "support/ExitCode.h"
#include "support/Plural.h"
#include "support/ToolError.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace mlir;

namespace dml::fuzz {

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

SpoiledFile drawSpoiledFile(MLIRContext *context, Damage damage,
                            uint64_t seed) {
  OwningOpRef<ModuleOp> module = drawProgram(context, seed);
  // The numbers are other ones than the generator's.
  Random random(~seed);
  if (damage == Damage::Program)
    return {spoil(*module, random), ".mlir"};

  std::string text, bytes;
  llvm::raw_string_ostream os(text);
  switch (random.between(0, 7)) {
  case 0: {
    // Bytecode has places too if the program has.
    os << *module;
    auto placed = parseSourceString<ModuleOp>(text, context, "case");
    llvm::raw_string_ostream byteStream(bytes);
    (void)writeBytecodeToFile(*placed, byteStream);
    return {spoilBytes(bytes, random), ".mlirbc"};
  }
  case 1:
  case 2: {
    auto executable = compileToExecutable(*module, CompilerOptions());
    if (succeeded(executable))
      bytes.assign(executable->begin(), executable->end());
    return {spoilBytes(bytes, random), ".dmlx"};
  }
  case 3:
  case 4:
    module->print(os, OpPrintingFlags().printGenericOpForm());
    return {spoilText(text, random), ".mlir"};
  default:
    os << *module;
    return {spoilText(text, random), ".mlir"};
  }
}

SpoiledFile drawSpoiledModel(ArrayRef<std::string> models, uint64_t seed) {
  Random random(~seed);
  const std::string &model = models[random.between(0, models.size() - 1)];
  return {spoilModel(model, random), ".onnx"};
}

/// Whether a program is soon run, on the host too.
static bool isSmall(ModuleOp module) {
  constexpr uint64_t maxBytes = 1 << 18, maxWork = 1 << 26;
  auto function = module.lookupSymbol<func::FuncOp>("main");
  if (!function || function.isExternal())
    return false;
  uint64_t bytes = 0;
  auto addBytes = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    std::optional<DataType> dataType;
    if (tensor && tensor.hasStaticShape())
      dataType = getDataType(tensor.getElementType());
    std::optional<int64_t> count;
    if (dataType)
      count = reference::getNumElements(tensor.getShape());
    uint64_t size = count ? llvm::SaturatingMultiply<uint64_t>(
                                *count, reference::getByteWidth(*dataType))
                          : maxBytes;
    bytes = llvm::SaturatingAdd(bytes, size);
  };
  llvm::for_each(function.getArgumentTypes(), addBytes);
  uint64_t work = 1;
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), addBytes);
    // Windows, repeats: how often an element may be looked at.
    for (NamedAttribute attribute : op->getAttrs())
      if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute.getValue())) {
        uint64_t product = 1;
        for (int64_t value : array.asArrayRef())
          product = llvm::SaturatingMultiply<uint64_t>(
              product, std::max<int64_t>(value, 1));
        work = std::max(work, product);
      }
  });
  return bytes < maxBytes && llvm::SaturatingMultiply(work, bytes) < maxWork;
}

namespace {
/// Collects what is said while it lives.
class Listener {
public:
  explicit Listener(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return success();
          if (errors++ == 0)
            message = diagnostic.str();
          isPlaced &= !isa<UnknownLoc>(diagnostic.getLocation());
          return success();
        }) {}

  /// What a failure is: `kind` if it says what is wrong and where.
  Outcome judge(Outcome::Kind kind, StringRef what) const {
    if (errors == 0)
      return {Outcome::Failed, (what + " fails without a diagnostic").str()};
    if (!isPlaced)
      return {Outcome::Failed,
              (what + " does not say where: " + message).str()};
    return {kind, message};
  }

private:
  unsigned errors = 0;
  bool isPlaced = true;
  std::string message;
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Reads an executable and all that the reader lets pass.
static Outcome surviveExecutable(StringRef bytes, Device *device) {
  std::string message;
  DmlError error = nullptr;
  auto destroyError = llvm::scope_exit([&] { dmlDestroyError(error); });
  auto explain = [&](Outcome::Kind kind) -> Outcome {
    StringRef message = dmlGetErrorMessage(error);
    if (message.empty())
      return {Outcome::Failed, "the runtime fails without a message"};
    return {kind, message.str()};
  };
  DmlExecutable executable = nullptr;
  DmlResult result =
      dmlCreateExecutable(bytes.data(), bytes.size(), &executable, &error);
  if (result != DML_SUCCESS)
    return explain(result == DML_ERROR_INVALID_EXECUTABLE ? Outcome::Rejected
                                                          : Outcome::Failed);
  auto destroyExecutable =
      llvm::scope_exit([&] { dmlDestroyExecutable(executable); });
  DmlExecutableInfo info;
  dmlGetExecutableInfo(executable, &info);
  for (uint32_t function = 0; function < info.functionCount; ++function) {
    DmlFunctionInfo functionInfo;
    DmlTensorInfo tensor;
    DmlStepInfo step;
    result = dmlGetFunctionInfo(executable, function, &functionInfo, &error);
    for (uint32_t i = 0; !result && i < functionInfo.inputCount; ++i)
      result = dmlGetInputInfo(executable, function, i, &tensor, &error);
    for (uint32_t i = 0; !result && i < functionInfo.outputCount; ++i)
      result = dmlGetOutputInfo(executable, function, i, &tensor, &error);
    DmlVariantInfo variant;
    for (uint32_t v = 0; !result && v < functionInfo.variantCount; ++v) {
      result = dmlGetVariantInfo(executable, function, v, &variant, &error);
      for (uint32_t i = 0; !result && i < variant.stepCount; ++i)
        result = dmlGetStepInfo(executable, function, v, i, &step, &error);
    }
    if (result != DML_SUCCESS)
      return explain(Outcome::Failed);
  }
  if (!device)
    return {Outcome::Accepted, "read"};
  DmlDeviceInfo deviceInfo;
  dmlGetDeviceProperties(device->getHandle(), &deviceInfo);
  result = dmlCheckExecutable(executable, &deviceInfo, &error);
  if (result == DML_ERROR_UNSUPPORTED)
    return explain(Outcome::Refused);
  return result == DML_SUCCESS ? Outcome{Outcome::Accepted, "read"}
                               : explain(Outcome::Failed);
}

Outcome survive(MLIRContext *context, StringRef bytes, uint64_t valueSeed,
                Device *device) {
  if (bytes.substr(4).starts_with("DMLX"))
    return surviveExecutable(bytes, device);

  OwningOpRef<ModuleOp> module;
  {
    Listener listener(context);
    module = parseSourceString<ModuleOp>(bytes, context, "case");
    if (!module)
      return listener.judge(Outcome::Rejected, "the parser");
  }
  {
    Listener listener(context);
    OwningOpRef<ModuleOp> copy = module->clone();
    CompilerOptions options;
    if (device)
      options.deviceProfile = device->getProfile();
    if (failed(compileToExecutable(*copy, options)))
      return listener.judge(Outcome::Refused, "the compiler");
  }
  if (!isSmall(*module))
    return {Outcome::Accepted, "compiled, too large to run"};
  Outcome outcome = runCase(
      *module, valueSeed,
      [&](ModuleOp module, ArrayRef<reference::Tensor> inputs,
          Outcome &outcome) -> FailureOr<SmallVector<reference::Tensor>> {
        if (device)
          return device->execute(module, inputs, outcome);
        outcome = {Outcome::Accepted, "compiled, not run"};
        return failure();
      },
      !device || device->keepsNaNs());
  // Valid MLIR that is not all dml's.
  if (outcome.kind == Outcome::Invalid)
    return {Outcome::Accepted, "compiled, not interpreted: " + outcome.message};
  return outcome;
}

Outcome surviveModel(MLIRContext *context, StringRef bytes, bool compiles,
                     Device *device) {
  // Files beside the model are looked for in a folder that is not there.
  auto getBuffer = [&] {
    return llvm::MemoryBuffer::getMemBufferCopy(bytes, "/nonexistent/model");
  };
  if (auto optimized = onnx::importOptimizedModel(getBuffer(), context);
      !optimized)
    llvm::consumeError(optimized.takeError());
  auto module = onnx::importModel(getBuffer(), context);
  if (!module) {
    std::string message = llvm::toString(module.takeError());
    if (message.empty())
      return {Outcome::Failed, "the importer fails without a message"};
    return {Outcome::Rejected, message};
  }
  if (!compiles)
    return {Outcome::Accepted, "imported"};
  Listener listener(context);
  CompilerOptions options;
  if (device)
    options.deviceProfile = device->getProfile();
  if (failed(compileToExecutable(**module, options)))
    return listener.judge(Outcome::Refused, "the compiler");
  return {Outcome::Accepted, "compiled"};
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

/// A case that takes longer hangs. A child may hang where it crashes, too.
static constexpr unsigned secondsPerCase = 30, secondsPerChild = 300;
/// The first and the last line of a child that lives.
static constexpr llvm::StringLiteral beginOfChild = "begin";
static constexpr llvm::StringLiteral endOfChild = "end";

/// A message less what differs between cases, to count alike ones together.
static std::string getReason(StringRef message) {
  std::string reason;
  for (StringRef word :
       llvm::split(message.take_until([](char c) { return c == '\n'; }), ' ')) {
    if (llvm::all_of(word.rtrim(",;:()"), llvm::isAlpha))
      reason += (word + " ").str();
    else if (!StringRef(reason).ends_with("_ "))
      reason += "_ ";
  }
  return reason;
}

int runSurvivalChild(uint64_t seed, uint64_t count,
                     llvm::function_ref<Outcome(uint64_t, bool &)> run) {
  llvm::outs() << beginOfChild << "\n";
  llvm::outs().flush();
  // The stack of a hang is shown like that of a crash.
  std::signal(SIGALRM, [](int) { std::abort(); });
  bool isLast = false;
  for (uint64_t i = 0; i < count && !isLast; ++i) {
    alarm(secondsPerCase);
    Outcome outcome = run(seed + i, isLast);
    alarm(0);
    std::string message =
        outcome.isDefect() ? outcome.message : getReason(outcome.message);
    llvm::replace(message, '\n', ' ');
    llvm::outs() << static_cast<int>(outcome.kind) << " " << message << "\n";
    llvm::outs().flush();
  }
  llvm::outs() << endOfChild << "\n";
  llvm::outs().flush();
  return tools::kExitDone;
}

namespace {
class SurvivalRun {
public:
  explicit SurvivalRun(const SurvivalOptions &options) : options(options) {}

  int run();

private:
  using Clock = std::chrono::steady_clock;

  bool isOver() const {
    return (options.count && numCases >= options.count) ||
           (options.maxDefects && numDefects >= options.maxDefects) ||
           (options.maxSeconds &&
            Clock::now() - begin >= std::chrono::seconds(options.maxSeconds));
  }
  LogicalResult runChild();
  void countCase(StringRef line);
  void reportCase(StringRef message, StringRef details);
  void showProgress();

  const SurvivalOptions &options;
  Clock::time_point begin = Clock::now();
  uint64_t numCases = 0, numDefects = 0, numParserCrashes = 0;
  std::array<uint64_t, Outcome::numKinds> counts = {};
  llvm::StringMap<uint64_t> reasons;
};
} // namespace

void SurvivalRun::showProgress() {
  auto count = [&](Outcome::Kind kind) { return counts[kind]; };
  llvm::errs() << "dml-fuzz: " << tools::printCount(numCases, "case") << ", "
               << tools::printCount(numDefects, "failure") << ", "
               << count(Outcome::Rejected) << " rejected, "
               << count(Outcome::Refused) << " refused, "
               << count(Outcome::Accepted) << " accepted, "
               << count(Outcome::Agreed) << " run";
  if (numParserCrashes)
    llvm::errs() << ", " << numParserCrashes << " died in MLIR's parser";
  llvm::errs() << "\n";
}

/// Reports the case that is next to count, and has it written to a file.
void SurvivalRun::reportCase(StringRef message, StringRef details) {
  ++numDefects;
  uint64_t seed = options.seed + numCases;
  llvm::outs() << "case " << seed << ": " << message << "\n" << details;
  llvm::outs().flush();
  std::vector<std::string> command = options.command;
  command.insert(command.end(),
                 {"--seed=" + std::to_string(seed), "--write-case"});
  SmallVector<StringRef> arguments(command.begin(), command.end());
  (void)llvm::sys::ExecuteAndWait(command.front(), arguments);
}

void SurvivalRun::countCase(StringRef line) {
  unsigned kind = Outcome::Failed;
  if (line.consumeInteger(10, kind) || kind >= Outcome::numKinds)
    kind = Outcome::Failed;
  StringRef message = line.ltrim();
  ++counts[kind];
  if (Outcome{static_cast<Outcome::Kind>(kind), ""}.isDefect())
    reportCase(message, "");
  else if (!message.empty())
    ++reasons[message];
  ++numCases;
}

/// Whether a stack shows a crash of MLIR's parser or bytecode reader, which are
/// not made for damaged files, without code of dml's above them.
static bool isCrashOfParser(StringRef stack) {
  if (stack.contains("mlir::readBytecodeFile"))
    return true; // It checks little of what it hands on.
  auto [frames, callers] = stack.split("mlir::parseSourceFile");
  return !callers.empty() &&
         llvm::none_of(llvm::split(frames, '\n'), [](StringRef frame) {
           return frame.contains("dml::") && !frame.contains("dml::fuzz::");
         });
}

LogicalResult SurvivalRun::runChild() {
  uint64_t wanted = options.casesPerChild;
  if (options.count)
    wanted = std::min(wanted, options.count - numCases);
  SmallString<128> paths[2];
  for (SmallString<128> &path : paths)
    if (auto error = llvm::sys::fs::createTemporaryFile("dml-fuzz", "", path)) {
      tools::emitToolError("no temporary file: " + error.message());
      return failure();
    }
  auto remove = llvm::scope_exit([&] {
    for (SmallString<128> &path : paths)
      (void)llvm::sys::fs::remove(path);
  });

  std::vector<std::string> command = options.command;
  command.insert(command.end(),
                 {"--in-process",
                  "--seed=" + std::to_string(options.seed + numCases),
                  "--count=" + std::to_string(wanted)});
  SmallVector<StringRef> arguments(command.begin(), command.end());
  // AddressSanitizer reserves memory of its own.
  unsigned maxMegabytes =
      LLVM_ADDRESS_SANITIZER_BUILD ? 0 : options.maxMegabytes;
  std::string error;
  int result = llvm::sys::ExecuteAndWait(
      command.front(), arguments, /*Env=*/std::nullopt,
      {StringRef(""), paths[0].str(), paths[1].str()}, secondsPerChild,
      maxMegabytes, &error);
  auto read = [](StringRef path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? std::move(*buffer) : llvm::MemoryBuffer::getMemBuffer("");
  };
  auto output = read(paths[0]), details = read(paths[1]);
  bool hasBegun = false, isComplete = false;
  for (StringRef line : llvm::split(output->getBuffer(), '\n')) {
    if (line == beginOfChild)
      hasBegun = true;
    else if (line == endOfChild)
      isComplete = true;
    else if (!line.empty())
      countCase(line);
  }
  if (isComplete && result == 0)
    return success();
  if (error.empty())
    error = "the process ends with " + std::to_string(result);
  if (!hasBegun) {
    llvm::errs() << details->getBuffer();
    if (details->getBuffer().empty())
      tools::emitToolError(error);
    return failure();
  }
  if (isCrashOfParser(details->getBuffer())) {
    llvm::outs() << "case " << options.seed + numCases
                 << ": MLIR's parser crashes\n";
    ++numParserCrashes;
    ++numCases;
    return success();
  }
  if (isComplete) { // A sanitizer's last word, on no case alone.
    ++numDefects;
    llvm::outs() << error << "\n" << details->getBuffer();
    return success();
  }
  reportCase(error, details->getBuffer());
  ++counts[Outcome::Failed];
  ++numCases;
  return success();
}

int SurvivalRun::run() {
  Clock::time_point lastProgress = begin;
  while (!isOver()) {
    if (failed(runChild()))
      return tools::kExitNo;
    if (llvm::errs().is_displayed() &&
        Clock::now() - lastProgress > std::chrono::seconds(5)) {
      lastProgress = Clock::now();
      showProgress();
    }
  }
  std::vector<std::pair<uint64_t, StringRef>> sorted;
  for (const auto &reason : reasons)
    sorted.emplace_back(reason.second, reason.first());
  llvm::sort(sorted, std::greater<>());
  for (auto [count, reason] : sorted)
    llvm::outs() << count << "\t" << reason.rtrim() << "\n";
  llvm::outs().flush();
  showProgress();
  return numDefects ? tools::kExitNo : tools::kExitDone;
}

int runSurvival(const SurvivalOptions &options) {
  return SurvivalRun(options).run();
}

} // namespace dml::fuzz
