//===- Kernels.cpp - What a model's operators become on a device ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "dml/Pipelines/Pipelines.h"
#include "dml/runtime.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <set>

using namespace mlir;
using namespace dml::tools;

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
  OwningOpRef<ModuleOp> copy = module.clone();
  CompilerOptions options;
  options.deviceProfile = profile.str();
  FailureOr<std::vector<uint8_t>> bytes = compileToExecutable(*copy, options);
  if (failed(bytes))
    return llvm::createStringError(message);
  DmlExecutable executable = nullptr;
  DmlError error = nullptr;
  if (dmlCreateExecutable(bytes->data(), bytes->size(), &executable, &error) !=
      DML_SUCCESS) {
    message = dmlGetErrorMessage(error);
    dmlDestroyError(error);
    return llvm::createStringError(message);
  }
  auto destroy = llvm::scope_exit([&] { dmlDestroyExecutable(executable); });
  // What was created is read, and every number below is one of its own.
  std::vector<KernelFunction> functions;
  DmlExecutableInfo info;
  dmlGetExecutableInfo(executable, &info);
  for (uint32_t number = 0; number < info.functionCount; ++number) {
    DmlFunctionInfo function;
    DmlVariantInfo variant;
    if (dmlGetFunctionInfo(executable, number, &function, nullptr) !=
            DML_SUCCESS ||
        dmlGetVariantInfo(executable, number, 0, &variant, nullptr) !=
            DML_SUCCESS)
      return llvm::createStringError("the executable has no function " +
                                     Twine(number));
    KernelFunction &added = functions.emplace_back();
    added.name = function.name;
    std::set<uint32_t> kernels;
    for (uint32_t index = 0; index < variant.stepCount; ++index) {
      DmlStepInfo step;
      if (dmlGetStepInfo(executable, number, 0, index, &step, nullptr) !=
          DML_SUCCESS)
        return llvm::createStringError("the executable has no step " +
                                       Twine(index));
      bool isCopy = step.kind == DML_STEP_KIND_COPY;
      if (!isCopy)
        kernels.insert(step.kernelIndex);
      added.steps.push_back(
          {step.label[0] != '\0' ? step.label : "copy",
           isCopy ? "" : step.kernel,
           uint64_t{step.workgroupCount[0]} * step.workgroupCount[1] *
               step.workgroupCount[2],
           step.boundSize});
    }
    added.kernelCount = kernels.size();
  }
  return functions;
}

llvm::Expected<std::vector<TimedStep>> dml::tools::readTimes(StringRef path) {
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
  std::vector<TimedStep> steps;
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
    steps.push_back({operators->str(), *duration});
  }
  return steps;
}
