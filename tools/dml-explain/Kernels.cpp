//===- Kernels.cpp - What a model's operators become on a device ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "dml/Pipelines/Pipelines.h"
#include "dml/runtime.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "support/FunctionText.h"
#include "support/Plural.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <set>

using namespace mlir;
using namespace dml::tools;

/// Returns a copy of `module` in which the location of each operation refers to
/// the operation's original. The compiler passes locations on, so that each
/// kernel's location shows from which operations it was made.
static OwningOpRef<ModuleOp> cloneWithOrigins(ModuleOp module) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
  for (auto [original, clone] : mapping.getOperationMap())
    clone->setLoc(OpaqueLoc::get<Operation *>(original, original->getLoc()));
  return copy;
}

namespace {
/// An operation that was exported as a step, as KernelStep has it.
struct Exported {
  Operation *op = nullptr;
  uint32_t number = 0, count = 1, stride = 0;
};
} // namespace

/// Adds the operations of `block` that were exported as steps, from the step
/// `number` on. Returns the number of the step behind these.
static uint64_t addExported(Block &block, uint64_t number,
                            SmallVectorImpl<Exported> &exported) {
  for (Operation &op : block) {
    if (isa<gpu::LaunchFuncOp, memref::CopyOp>(op))
      exported.push_back({&op, static_cast<uint32_t>(number++)});
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      continue;
    size_t first = exported.size();
    uint64_t end = addExported(*loop.getBody(), number, exported);
    // The executable has limited the steps of all iterations.
    uint64_t count =
        loop.getStaticTripCount().value_or(APInt(64, 0)).getZExtValue();
    for (Exported &entry : llvm::drop_begin(exported, first)) {
      entry.count = static_cast<uint32_t>(count);
      entry.stride = static_cast<uint32_t>(end - number);
    }
    number += (end - number) * count;
  }
  return number;
}

/// Returns the steps of a function with `count` steps. Where nothing is known
/// of the operations, each step is on its own.
static SmallVector<Exported> listSteps(func::FuncOp compiled, uint32_t count) {
  SmallVector<Exported> steps;
  if (compiled &&
      addExported(compiled.getBody().front(), /*number=*/0, steps) == count)
    return steps;
  steps.clear();
  for (uint32_t number = 0; number < count; ++number)
    steps.push_back({nullptr, number});
  return steps;
}

/// Sets the operations that `step` computes, which was exported from `op`.
static void addOrigins(Operation *op, KernelStep &step) {
  op->getLoc()->walk([&](Location nested) {
    if (auto opaque = dyn_cast<OpaqueLoc>(LocationAttr(nested)))
      if (auto *origin =
              OpaqueLoc::getUnderlyingLocationOrNull<Operation *>(opaque))
        step.ops.insert(origin);
    return WalkResult::advance();
  });
}

llvm::Expected<std::vector<KernelFunction>>
dml::tools::compileKernels(ModuleOp module, StringRef profile) {
  std::string message;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (message.empty() &&
            diagnostic.getSeverity() == DiagnosticSeverity::Error)
          message = diagnostic.str();
        return success();
      });
  OwningOpRef<ModuleOp> copy = cloneWithOrigins(module);
  CompilerOptions options;
  options.deviceProfile = profile.str();
  FailureOr<std::vector<uint8_t>> bytes = compileToExecutable(*copy, options);
  if (failed(bytes))
    return llvm::createStringError(message);
  DmlExecutable executable = nullptr;
  DmlError error = nullptr;
  if (dmlCreateExecutable(bytes->data(), bytes->size(), nullptr, &executable,
                          &error) != DML_SUCCESS) {
    message = dmlGetErrorMessage(error);
    dmlDestroyError(error);
    return llvm::createStringError(message);
  }
  auto destroy = llvm::scope_exit([&] { dmlDestroyExecutable(executable); });
  // What was created is read, and every number below is one of its own.
  std::vector<KernelFunction> functions;
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  for (uint32_t number = 0; number < info.functionCount; ++number) {
    DmlFunctionInfo function{};
    DmlVariantInfo variant{};
    if (dmlGetFunctionInfo(executable, number, &function, nullptr) !=
            DML_SUCCESS ||
        dmlGetVariantInfo(executable, number, 0, &variant, nullptr) !=
            DML_SUCCESS)
      return llvm::createStringError("the executable has no function " +
                                     Twine(number));
    KernelFunction &added = functions.emplace_back();
    added.name = function.name;
    added.stepCount = variant.stepCount;
    added.signature = printFunction(executable, number);
    std::set<uint32_t> kernels;
    for (const Exported &entry :
         listSteps(copy->lookupSymbol<func::FuncOp>(function.name),
                   variant.stepCount)) {
      DmlStepInfo step{};
      if (dmlGetStepInfo(executable, number, 0, entry.number, &step, nullptr) !=
          DML_SUCCESS)
        return llvm::createStringError("the executable has no step " +
                                       Twine(entry.number));
      bool isCopy = step.kind == DML_STEP_KIND_COPY;
      if (!isCopy)
        kernels.insert(step.kernelIndex);
      KernelStep &addedStep = added.steps.emplace_back();
      addedStep.number = entry.number;
      addedStep.count = entry.count;
      addedStep.stride = entry.stride;
      if (entry.op)
        addOrigins(entry.op, addedStep);
      addedStep.operators = step.label[0] != '\0' ? step.label : "copy";
      addedStep.kernel = isCopy ? "" : step.kernel;
      addedStep.kernelIndex = isCopy ? 0 : step.kernelIndex;
      addedStep.workgroups = uint64_t{step.workgroupCount[0]} *
                             step.workgroupCount[1] * step.workgroupCount[2];
      addedStep.bytes = step.boundSize;
    }
    added.kernelCount = kernels.size();
  }
  return functions;
}

llvm::Expected<Trace> dml::tools::readTrace(StringRef path) {
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("'" + path + "': " + message);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(buffer.getError().message());
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return fail(llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *events =
      object ? object->getArray("traceEvents") : nullptr;
  if (!events)
    return fail("wanted is what dml-run --trace writes, an object with "
                "traceEvents");
  Trace trace;
  if (const llvm::json::Object *other = object->getObject("otherData")) {
    trace.signature = other->getString("signature").value_or("").str();
    trace.profile = other->getString("deviceProfile").value_or("").str();
  }
  std::vector<TimedStep> &steps = trace.steps;
  for (const llvm::json::Value &element : *events) {
    const llvm::json::Object *event = element.getAsObject();
    const llvm::json::Object *arguments =
        event ? event->getObject("args") : nullptr;
    std::optional<double> duration =
        event ? event->getNumber("dur") : std::nullopt;
    std::optional<StringRef> operators =
        arguments ? arguments->getString("operators") : std::nullopt;
    if (!duration || !operators || !(*duration >= 0))
      return fail("event " + Twine(steps.size()) +
                  " has no dur, or no operators in its args, as dml-run "
                  "--trace writes them");
    std::optional<StringRef> function = arguments->getString("function");
    steps.push_back({operators->str(), *duration,
                     function ? function->str() : std::string()});
  }
  return trace;
}

llvm::Expected<DriverReport> dml::tools::readDriverReport(StringRef path) {
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("'" + path + "': " + message);
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(buffer.getError().message());
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return fail(llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *kernels =
      object ? object->getArray("kernels") : nullptr;
  std::optional<StringRef> device =
      object ? object->getString("device") : std::nullopt;
  std::optional<StringRef> driver =
      object ? object->getString("driver") : std::nullopt;
  if (!kernels || !device || !driver)
    return fail("wanted is what dml-inspect --driver --json writes, an object "
                "with device, driver and kernels");
  DriverReport report{device->str(),
                      driver->str(),
                      object->getString("deviceProfile").value_or("").str(),
                      {}};
  for (const llvm::json::Value &element : *kernels) {
    const llvm::json::Object *kernel = element.getAsObject();
    auto getCount = [&](StringRef key) -> std::optional<int64_t> {
      std::optional<int64_t> count =
          kernel ? kernel->getInteger(key) : std::nullopt;
      return count && *count >= 0 ? count : std::nullopt;
    };
    std::optional<int64_t> index = getCount("kernel"),
                           size = getCount("subgroupSize"),
                           spills = getCount("spills");
    const llvm::json::Object *statistics =
        kernel ? kernel->getObject("statistics") : nullptr;
    std::optional<StringRef> name =
        kernel ? kernel->getString("entryPoint") : std::nullopt;
    if (!index || !size || !spills || !statistics || !name)
      return fail("kernel " + Twine(report.kernels.size()) +
                  " lacks one of kernel, entryPoint, subgroupSize, spills and "
                  "statistics, as dml-inspect --driver --json writes them");
    DriverKernel entry{static_cast<uint64_t>(*index),
                       static_cast<uint64_t>(*size),
                       static_cast<uint64_t>(*spills),
                       name->str(),
                       {}};
    for (const auto &[key, number] : *statistics)
      entry.statistics.emplace_back(StringRef(key).str(),
                                    llvm::formatv("{0}", number).str());
    llvm::sort(entry.statistics);
    report.kernels.push_back(std::move(entry));
  }
  return report;
}

std::string dml::tools::describeOtherKernels(ArrayRef<KernelFunction> functions,
                                             const DriverReport &report) {
  for (const KernelFunction &function : functions)
    for (const KernelStep &step : function.steps) {
      if (step.kernel.empty())
        continue;
      auto found =
          llvm::find_if(report.kernels, [&](const DriverKernel &kernel) {
            return kernel.index == step.kernelIndex;
          });
      if (found == report.kernels.end() || found->entryPoint != step.kernel)
        return "kernel " + std::to_string(step.kernelIndex) + " is '" +
               step.kernel + "' of '" + function.name + "', but the file has " +
               (found == report.kernels.end() ? "none of that number"
                                              : "'" + found->entryPoint + "'");
    }
  return "";
}

std::string dml::tools::describeOtherModel(ArrayRef<KernelFunction> functions,
                                           StringRef profile,
                                           const Trace &trace) {
  // A function without steps, and a file without a fingerprint, tell nothing.
  if (trace.signature.empty() || trace.steps.empty())
    return "";
  const auto *function =
      llvm::find_if(functions, [&](const KernelFunction &each) {
        return each.signature == trace.signature;
      });
  if (function == functions.end())
    return "it is of " + trace.signature + ", which the file does not have";
  if (profile != trace.profile)
    return "";
  // Compiled for one device, one model has the same steps.
  SmallVector<KernelFunction, 1> copy = {*function};
  return assignTimes(copy, trace.steps);
}

std::string dml::tools::assignTimes(MutableArrayRef<KernelFunction> functions,
                                    ArrayRef<TimedStep> times) {
  if (times.empty())
    return "it has no steps";
  StringRef name = times.front().function;
  if (name.empty())
    return "it does not say of which function";
  auto *function = llvm::find_if(functions, [&](const KernelFunction &entry) {
    return entry.name == name;
  });
  if (function == functions.end())
    return ("it is of the function '" + name + "'").str();
  if (function->stepCount != times.size())
    return (printCount(times.size(), "step") + " of '" + name +
            "' instead of " + Twine(function->stepCount))
        .str();
  auto forEachTime = [&](const KernelStep &step, auto visit) {
    for (uint32_t i = 0; i < step.count; ++i)
      visit(step.number + i * step.stride);
  };
  std::string difference;
  for (const KernelStep &step : function->steps)
    forEachTime(step, [&](uint32_t index) {
      if (difference.empty() && step.operators != times[index].operators)
        difference = ("step " + Twine(index) + " of '" + name + "' is " +
                      times[index].operators + " instead of " + step.operators)
                         .str();
    });
  if (!difference.empty())
    return difference;
  for (KernelStep &step : function->steps) {
    double sum = 0;
    forEachTime(step,
                [&](uint32_t index) { sum += times[index].microseconds; });
    step.microseconds = sum;
  }
  return "";
}
