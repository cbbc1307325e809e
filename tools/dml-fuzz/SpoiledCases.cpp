//===- SpoiledCases.cpp - Cases that nobody should write ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SpoiledCases.h"
#include "Testing/Mutation/ModelMutator.h"
#include "Testing/Mutation/Mutator.h"
#include "Testing/Programs/Generator.h"
#include "dml/IR/Layout.h"
#include "dml/IR/Nesting.h"
#include "dml/Import/ONNX.h"
#include "dml/Import/ONNXRuntime.h"
#include "dml/Pipelines/Pipelines.h"
#include "dml/Reference/Tensor.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "support/Device.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace dml::fuzz {

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

/// Whether the host, too, runs a program within moments.
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
  // Strides can make the buffer of a small tensor large.
  auto isLarge = [&](Type type, std::optional<ArrayRef<int64_t>> strides) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return strides && tensor &&
           getExtent(tensor.getShape(), *strides) >= maxBytes;
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isLarge(type, getArgumentStrides(function, i)))
      return false;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (isLarge(type, getResultStrides(function, i)))
      return false;
  uint64_t work = 1;
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), addBytes);
    // Sizes of windows and repeats bound how often an element is read.
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
/// Collects the errors that are emitted during its life.
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

  /// The outcome of a failure: `kind` if an error told the cause and the place.
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

/// Reads an executable. If the reader accepts it, checks whether the device can
/// run it.
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
  DmlResult result = dmlCreateExecutable(bytes.data(), bytes.size(), nullptr,
                                         &executable, &error);
  if (result != DML_SUCCESS)
    return explain(result == DML_ERROR_INVALID_EXECUTABLE ? Outcome::Rejected
                                                          : Outcome::Failed);
  auto destroyExecutable =
      llvm::scope_exit([&] { dmlDestroyExecutable(executable); });
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  for (uint32_t function = 0; function < info.functionCount; ++function) {
    DmlFunctionInfo functionInfo{};
    DmlTensorInfo tensor{};
    DmlStepInfo step{};
    result = dmlGetFunctionInfo(executable, function, &functionInfo, &error);
    for (uint32_t i = 0; !result && i < functionInfo.inputCount; ++i)
      result = dmlGetInputInfo(executable, function, i, &tensor, &error);
    for (uint32_t i = 0; !result && i < functionInfo.outputCount; ++i)
      result = dmlGetOutputInfo(executable, function, i, &tensor, &error);
    DmlVariantInfo variant{};
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
  DmlDeviceInfo deviceInfo{};
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
    auto file = llvm::MemoryBuffer::getMemBufferCopy(bytes, "case");
    if (isBytecode(*file)) {
      auto sources = std::make_shared<llvm::SourceMgr>();
      sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
      module = parseBytecode(sources, context);
    } else {
      module = parseSourceString<ModuleOp>(bytes, context, "case");
    }
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

} // namespace dml::fuzz
