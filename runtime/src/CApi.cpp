//===- CApi.cpp - The C API -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Handles, checks of pointers, and the boundary that no exception crosses. What
// the calls do stands in the classes behind them.
//
//===----------------------------------------------------------------------===//

#include "BindingTable.h"
#include "Boundary.h"
#include "DataType.h"
#include "DeviceRequirements.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <type_traits>
#ifndef _WIN32
#include <unistd.h>
#endif

using namespace dml::runtime;

struct DmlErrorImpl {
  DmlResult result;
  std::string message;
};
struct DmlInstanceImpl {
  std::shared_ptr<Instance> object;
};
struct DmlDeviceImpl {
  std::shared_ptr<Device> object;
};
struct DmlDeviceRequirementsImpl {
  std::unique_ptr<DeviceRequirements> object;
};
struct DmlExecutableImpl {
  std::shared_ptr<const Executable> object;
};
struct DmlProgramImpl {
  std::shared_ptr<Program> object;
};
struct DmlBufferImpl {
  Owned<Buffer> object;
};
struct DmlBindingTableImpl {
  Owned<BindingTable> object;
};

namespace {

/// The error that calls return if there is no memory for an error object. It is
/// never freed. Its text is in dmlGetErrorMessage(), since a copy of the text
/// here would need memory.
DmlErrorImpl outOfMemoryError{DML_ERROR_OUT_OF_MEMORY, {}};

/// The process that has loaded Vulkan's drivers, or 0.
std::atomic<int> processOfVulkan = 0;

int getProcess() {
#ifdef _WIN32
  return 1;
#else
  return ::getpid();
#endif
}

bool isForked() {
  int process = processOfVulkan;
  return process != 0 && process != getProcess();
}

/// Runs the body of a call that creates, uses or waits for an object of a
/// device, like guard(). Before the body, destroys objects that were kept for
/// late work which has ended.
template <typename Fn>
DmlResult guardWork(DmlError *error, Fn &&body) noexcept {
  if (isForked())
    return guard(error, wantOwnVulkan);
  Device::destroyWhatHasEnded();
  return guard(error, std::forward<Fn>(body));
}

/// Destroys a handle, and what late work has kept. A process that was forked
/// leaves the objects of its parent as they are.
template <typename Handle> void destroy(Handle handle) noexcept {
  if (isForked())
    return;
  delete handle;
  Device::destroyWhatHasEnded();
}

/// Hands a new object to the caller.
template <typename Handle, typename T>
Status give(Expected<T> object, Handle *handle) {
  if (!object)
    return object.status();
  *handle = new std::remove_pointer_t<Handle>{std::move(*object)};
  return Status();
}

Status checkAllocator(const DmlAllocator *allocator) {
  if (!allocator)
    return Status();
  DML_CHECK_CHAIN(DmlAllocator, allocator);
  if (!allocator->allocate || !allocator->deallocate)
    return makeError(DML_ERROR_INVALID_ARGUMENT,
                     "a DmlAllocator must have "
                     "both allocate and deallocate, but one is NULL");
  return Status();
}

Status findFunction(DmlExecutable executable, uint32_t index,
                    const Function *&function) {
  DML_TRY(executable->object->checkFunction(index));
  function = &executable->object->functions[index];
  return Status();
}

Status findVariant(DmlExecutable executable, uint32_t function, uint32_t index,
                   const Variant *&variant) {
  const Function *found = nullptr;
  DML_TRY(findFunction(executable, function, found));
  if (index >= found->variants.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "variant ", index,
                     " does not exist; there are ", found->variants.size());
  variant = &found->variants[index];
  return Status();
}

/// Fills a structure of the caller's, which keeps its chain.
template <typename Info> void fill(Info &info, const Info &contents) {
  void *next = const_cast<void *>(static_cast<const void *>(info.next));
  info = contents;
  info.next = next;
}

/// Fills what DmlExecutableInfo and DmlVariantInfo have in common.
template <typename Info>
void describeRequirements(const Requirements &requirements, Info &info) {
  info.requiredApiVersion = requirements.apiVersion;
  info.requiredFeatures = requirements.features;
  info.requiredLimits = toLimits(requirements);
}

void describeTensor(const Tensor &tensor, DmlTensorInfo &info) {
  info = {info.next,
          tensor.name.c_str(),
          tensor.dataType,
          static_cast<uint32_t>(tensor.sizes.size()),
          tensor.sizes.data(),
          tensor.elementCount,
          tensor.byteSize,
          tensor.bufferSize,
          tensor.strides.data()};
}

Status describeTensor(const char *what, const std::vector<Tensor> &tensors,
                      uint32_t index, DmlTensorInfo *info) {
  DML_CHECK_CHAIN(DmlTensorInfo, info);
  if (index >= tensors.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, what, " ", index,
                     " does not exist; there are ", tensors.size());
  describeTensor(tensors[index], *info);
  return Status();
}

} // namespace

//===----------------------------------------------------------------------===//
// Results and errors
//===----------------------------------------------------------------------===//

const char *dmlGetResultName(DmlResult result) {
  switch (result) {
#define DML_CASE(name)                                                         \
  case name:                                                                   \
    return #name;
    DML_CASE(DML_SUCCESS)
    DML_CASE(DML_ERROR_INVALID_ARGUMENT)
    DML_CASE(DML_ERROR_INVALID_EXECUTABLE)
    DML_CASE(DML_ERROR_NOT_FOUND)
    DML_CASE(DML_ERROR_UNSUPPORTED)
    DML_CASE(DML_ERROR_OUT_OF_MEMORY)
    DML_CASE(DML_ERROR_DEVICE_LOST)
    DML_CASE(DML_ERROR_TIMEOUT)
    DML_CASE(DML_ERROR_IO)
    DML_CASE(DML_ERROR_VULKAN)
    DML_CASE(DML_ERROR_CANCELLED)
#undef DML_CASE
  }
  return "unknown DmlResult";
}

DmlResult dml::runtime::report(const Status &status, DmlError *error) noexcept {
  if (error)
    *error = nullptr;
  if (status.ok())
    return DML_SUCCESS;
  if (error) {
    try {
      // Names of files and of functions are whatever callers say.
      *error =
          new DmlErrorImpl{status.result(), escapeMessage(status.message())};
    } catch (...) {
      *error = &outOfMemoryError;
      return DML_ERROR_OUT_OF_MEMORY;
    }
  }
  return status.result();
}

DmlResult dml::runtime::reportException(DmlError *error) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) {
    // A container asked for more than can be addressed.
  } catch (...) {
    return report(Status(DML_ERROR_VULKAN, "unknown"), error);
  }
  if (error)
    *error = &outOfMemoryError;
  return DML_ERROR_OUT_OF_MEMORY;
}

DmlResult dmlGetErrorResult(DmlError error) {
  return error ? error->result : DML_SUCCESS;
}

const char *dmlGetErrorMessage(DmlError error) {
  if (error == &outOfMemoryError)
    return "out of host memory";
  return error ? error->message.c_str() : "";
}

void dmlDestroyError(DmlError error) {
  if (error != &outOfMemoryError)
    delete error;
}

const char *dmlGetVersion(void) { return DML_RUNTIME_VERSION; }

Status dml::runtime::wantOwnVulkan() {
  if (!isForked())
    return Status();
  return makeError(
      DML_ERROR_INVALID_ARGUMENT, "this process, ", getProcess(),
      ", was forked from the process ", processOfVulkan.load(),
      ", which had loaded Vulkan's drivers, whose state does not survive a "
      "fork; wanted is a process that starts anew, by exec or by "
      "multiprocessing's 'spawn', or a fork before Vulkan is used");
}

Status dml::runtime::enterVulkan() {
  int none = 0;
  processOfVulkan.compare_exchange_strong(none, getProcess());
  return wantOwnVulkan();
}

//===----------------------------------------------------------------------===//
// Instances and devices
//===----------------------------------------------------------------------===//

DmlResult dmlCreateInstance(const DmlInstanceCreateInfo *info,
                            DmlInstance *instance, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(instance);
    if (info)
      DML_CHECK_CHAIN(DmlInstanceCreateInfo, info);
    DML_TRY(enterVulkan());
    return give(Instance::create(info ? *info : DmlInstanceCreateInfo{}),
                instance);
  });
}

void dmlDestroyInstance(DmlInstance instance) {
  if (!isForked())
    delete instance;
}

uint32_t dmlGetDeviceCount(DmlInstance instance) {
  return instance ? static_cast<uint32_t>(instance->object->devices().size())
                  : 0;
}

DmlResult dmlGetDeviceInfo(DmlInstance instance, uint32_t index,
                           DmlDeviceInfo *info, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(instance);
    DML_NEED(info);
    const std::vector<DeviceSnapshot> &devices = instance->object->devices();
    if (index >= devices.size())
      return makeError(DML_ERROR_INVALID_ARGUMENT, "device ", index,
                       " does not exist; there are ", devices.size());
    DML_CHECK_CHAIN(DmlDeviceInfo, info);
    fill(*info, devices[index].info);
    return Status();
  });
}

DmlResult dmlFindDevice(DmlInstance instance, const char *selector,
                        uint32_t *index, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(instance);
    DML_NEED(index);
    Expected<uint32_t> found =
        selectDevice(instance->object->devices(), selector ? selector : "");
    if (!found)
      return found.status();
    *index = *found;
    return Status();
  });
}

uint32_t dmlGetValidationMessageCount(DmlInstance instance) {
  return instance ? instance->object->messageCount() : 0;
}

DmlResult dmlCreateDevice(DmlInstance instance, const DmlDeviceCreateInfo *info,
                          DmlDevice *device, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(instance);
    DML_NEED(device);
    if (info) {
      DML_CHECK_CHAIN(DmlDeviceCreateInfo, info);
      DML_TRY(checkAllocator(info->allocator));
    }
    return give(
        Device::create(instance->object, info ? *info : DmlDeviceCreateInfo{}),
        device);
  });
}

DmlResult dmlAdoptDevice(const DmlVulkanDevice *info, DmlDevice *device,
                         DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(info);
    DML_NEED(device);
    DML_CHECK_CHAIN(DmlVulkanDevice, info);
    DML_TRY(checkAllocator(info->allocator));
    DML_TRY(enterVulkan());
    return give(Device::adopt(*info), device);
  });
}

DmlResult dmlGetDeviceRequirements(const DmlDeviceRequest *request,
                                   DmlDeviceRequirements *requirements,
                                   DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(request);
    DML_NEED(requirements);
    DML_CHECK_CHAIN(DmlDeviceRequest, request);
    // The handle is made first: what is made last sets the caller's features.
    auto handle = std::make_unique<DmlDeviceRequirementsImpl>();
    Expected<std::unique_ptr<DeviceRequirements>> object =
        DeviceRequirements::create(*request);
    if (!object)
      return object.status();
    handle->object = std::move(*object);
    *requirements = handle.release();
    return Status();
  });
}

void dmlDescribeDeviceRequirements(DmlDeviceRequirements requirements,
                                   DmlDeviceRequirementsInfo *info) {
  if (!info)
    return;
  fill(*info, {});
  if (requirements)
    requirements->object->describe(*info);
}

void dmlDestroyDeviceRequirements(DmlDeviceRequirements requirements) {
  delete requirements;
}

void dmlDestroyDevice(DmlDevice device) { destroy(device); }

DmlResult dmlShareDevice(DmlDevice device, DmlDevice *shared, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(device);
    DML_NEED(shared);
    *shared = new DmlDeviceImpl{device->object};
    return Status();
  });
}

void dmlGetDeviceProperties(DmlDevice device, DmlDeviceInfo *info) {
  if (info)
    fill(*info, device ? device->object->snapshot().info : DmlDeviceInfo{});
}

void dmlGetVulkanDevice(DmlDevice device, DmlVulkanDevice *info) {
  if (info)
    fill(*info, device ? device->object->describe() : DmlVulkanDevice{});
}

void dmlSetWaitLimit(DmlDevice device, uint64_t nanoseconds) {
  if (device)
    device->object->setWaitLimit(nanoseconds);
}

void dmlSetSpinTime(DmlDevice device, uint64_t nanoseconds) {
  if (device)
    device->object->setSpinTime(nanoseconds);
}

uint32_t dmlGetLateWorkCount(VkDevice device) {
  Device::destroyWhatHasEnded();
  return Device::countLateObjects(device);
}

void dmlSetMemoryBudget(DmlDevice device, uint64_t bytes) {
  if (device)
    device->object->memory().setBudget(bytes);
}

DmlResult dmlGetMemoryUse(DmlDevice device, DmlMemoryUse *use,
                          DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(device);
    DML_NEED(use);
    DML_CHECK_CHAIN(DmlMemoryUse, use);
    fill(*use, {});
    device->object->describeMemoryUse(*use);
    return Status();
  });
}

DmlResult dmlGetPipelineCacheData(DmlDevice device, size_t *size, void *data,
                                  DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(device);
    DML_NEED(size);
    Expected<std::vector<uint8_t>> bytes = device->object->pipelineCacheData();
    if (!bytes)
      return bytes.status();
    if (data) {
      if (*size < bytes->size())
        return makeError(DML_ERROR_INVALID_ARGUMENT, "there is room for ",
                         *size, " bytes, but the pipeline cache has ",
                         bytes->size());
      std::memcpy(data, bytes->data(), bytes->size());
    }
    *size = bytes->size();
    return Status();
  });
}

DmlResult dmlSetPipelineCacheData(DmlDevice device, const void *data,
                                  size_t size, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(device);
    DML_NEED(data);
    return device->object->setPipelineCacheData(
        static_cast<const uint8_t *>(data), size);
  });
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

DmlResult dmlCreateExecutable(const void *data, size_t size,
                              const DmlExecutableCreateInfo *info,
                              DmlExecutable *executable, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(data);
    DML_NEED(executable);
    if (info)
      DML_CHECK_CHAIN(DmlExecutableCreateInfo, info);
    return give(readExecutable(data, size, info && info->borrow), executable);
  });
}

DmlResult dmlCreateExecutableFromFile(const char *path,
                                      DmlExecutable *executable,
                                      DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(path);
    DML_NEED(executable);
    return give(readExecutableFile(path), executable);
  });
}

void dmlDestroyExecutable(DmlExecutable executable) { delete executable; }

void dmlGetExecutableInfo(DmlExecutable executable, DmlExecutableInfo *info) {
  if (!info)
    return;
  fill(*info, {});
  if (!executable)
    return;
  const Executable &object = *executable->object;
  info->versionMajor = object.versionMajor;
  info->versionMinor = object.versionMinor;
  info->producer = object.producer.c_str();
  info->functionCount = object.functionCount();
  info->kernelCount = static_cast<uint32_t>(object.kernels.size());
  info->constantSize = object.constants.size();
  info->weightCount = static_cast<uint32_t>(object.weights.size());
  info->hasInitialization = object.initialization.has_value();
  describeRequirements(object.requirements, *info);
}

DmlResult dmlCheckExecutable(DmlExecutable executable,
                             const DmlDeviceInfo *device, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(device);
    DML_CHECK_CHAIN(DmlDeviceInfo, device);
    return chooseVariants(*device, *executable->object).status();
  });
}

DmlResult dmlFindFunction(DmlExecutable executable, const char *name,
                          uint32_t *function, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(name);
    DML_NEED(function);
    const std::vector<Function> &functions = executable->object->functions;
    std::string names;
    for (uint32_t i = 0; i < executable->object->functionCount(); ++i) {
      if (functions[i].name == name) {
        *function = i;
        return Status();
      }
      names += (names.empty() ? "'" : ", '") + functions[i].name + "'";
    }
    return makeError(DML_ERROR_NOT_FOUND, "there is no function '", name,
                     "'; the executable has ", names.empty() ? "none" : names);
  });
}

DmlResult dmlFindWeight(DmlExecutable executable, const char *name,
                        uint32_t *weight, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(name);
    DML_NEED(weight);
    const std::vector<Weight> &weights = executable->object->weights;
    for (uint32_t i = 0; i < weights.size(); ++i)
      if (weights[i].tensor.name == name) {
        *weight = i;
        return Status();
      }
    return makeError(DML_ERROR_NOT_FOUND, "there is no weight '", name,
                     "'; the executable has ", weights.size());
  });
}

DmlResult dmlGetWeightInfo(DmlExecutable executable, uint32_t weight,
                           DmlWeightInfo *info, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlWeightInfo, info);
    DML_CHECK_CHAIN(DmlTensorInfo, &info->tensor);
    const std::vector<Weight> &weights = executable->object->weights;
    if (weight >= weights.size())
      return makeError(DML_ERROR_INVALID_ARGUMENT, "weight ", weight,
                       " does not exist; there are ", weights.size());
    describeTensor(weights[weight].tensor, info->tensor);
    info->fileOffset = weights[weight].offset - weights[0].offset;
    return Status();
  });
}

DmlResult dmlGetFunctionInfo(DmlExecutable executable, uint32_t function,
                             DmlFunctionInfo *info, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlFunctionInfo, info);
    const Function *found = nullptr;
    DML_TRY(findFunction(executable, function, found));
    uint64_t temporarySize = 0;
    for (const Variant &variant : found->variants)
      temporarySize = std::max(temporarySize, variant.temporarySize);
    *info = {info->next,
             found->name.c_str(),
             static_cast<uint32_t>(found->inputs.size()),
             static_cast<uint32_t>(found->outputs.size()),
             static_cast<uint32_t>(found->variants.size()),
             temporarySize,
             found->featureLevel};
    return Status();
  });
}

DmlResult dmlGetInputInfo(DmlExecutable executable, uint32_t function,
                          uint32_t input, DmlTensorInfo *info,
                          DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(info);
    const Function *found = nullptr;
    DML_TRY(findFunction(executable, function, found));
    return describeTensor("input", found->inputs, input, info);
  });
}

DmlResult dmlGetOutputInfo(DmlExecutable executable, uint32_t function,
                           uint32_t output, DmlTensorInfo *info,
                           DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(info);
    const Function *found = nullptr;
    DML_TRY(findFunction(executable, function, found));
    return describeTensor("output", found->outputs, output, info);
  });
}

DmlResult dmlGetInPlaceInput(DmlExecutable executable, uint32_t function,
                             uint32_t output, uint32_t *input,
                             DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(input);
    const Function *found = nullptr;
    DML_TRY(findFunction(executable, function, found));
    if (output >= found->inPlace.size())
      return makeError(DML_ERROR_INVALID_ARGUMENT, "output ", output,
                       " does not exist; function '", found->name, "' has ",
                       found->inPlace.size());
    *input = found->inPlace[output].value_or(UINT32_MAX);
    return Status();
  });
}

DmlResult dmlGetVariantInfo(DmlExecutable executable, uint32_t function,
                            uint32_t variant, DmlVariantInfo *info,
                            DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlVariantInfo, info);
    const Variant *found = nullptr;
    DML_TRY(findVariant(executable, function, variant, found));
    fill(*info, {});
    info->stepCount = found->runCount;
    info->temporarySize = found->temporarySize;
    info->deviceProfile = found->deviceProfile.c_str();
    describeRequirements(found->requirements, *info);
    return Status();
  });
}

DmlResult dmlChooseVariant(DmlExecutable executable, uint32_t function,
                           const DmlDeviceInfo *device, uint32_t *variant,
                           DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(device);
    DML_CHECK_CHAIN(DmlDeviceInfo, device);
    DML_NEED(variant);
    const Function *found = nullptr;
    DML_TRY(findFunction(executable, function, found));
    Expected<std::vector<uint32_t>> chosen =
        chooseVariants(*device, *executable->object);
    if (chosen)
      *variant = (*chosen)[function];
    return chosen.status();
  });
}

DmlResult dmlGetStepInfo(DmlExecutable executable, uint32_t function,
                         uint32_t variant, uint32_t step, DmlStepInfo *info,
                         DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(executable);
    DML_NEED(info);
    DML_CHECK_CHAIN(DmlStepInfo, info);
    const Variant *found = nullptr;
    DML_TRY(findVariant(executable, function, variant, found));
    if (step >= found->runCount)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "step ", step,
                       " does not exist; there are ", found->runCount);
    const Step &object = found->steps[found->findRun(step).step];
    fill(*info, {});
    info->kind = object.kind;
    info->label = object.label.c_str();
    info->kernel = "";
    info->kernelIndex = UINT32_MAX;
    info->barrier = object.barrier;
    for (const BufferRange &range : object.ranges)
      info->boundSize += range.size;
    if (object.kind == DML_STEP_KIND_DISPATCH) {
      const Kernel &kernel = executable->object->kernels[object.kernel];
      info->kernel = kernel.entryPoint.c_str();
      info->kernelIndex = object.kernel;
      for (int i = 0; i < 3; ++i) {
        info->workgroupCount[i] = object.workgroupCount[i];
        info->workgroupSize[i] = kernel.workgroupSize[i];
      }
    }
    return Status();
  });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

DmlResult dmlCreateProgram(DmlDevice device, DmlExecutable executable,
                           DmlProgram *program, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(device);
    DML_NEED(executable);
    DML_NEED(program);
    return give(Program::create(device->object, executable->object), program);
  });
}

void dmlDestroyProgram(DmlProgram program) { destroy(program); }

DmlResult dmlBindWeight(DmlProgram program, uint32_t weight, const void *data,
                        size_t size, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(program);
    DML_NEED(data);
    return program->object->bindWeight(weight, data, size);
  });
}

DmlResult dmlBindWeightFromFile(DmlProgram program, uint32_t weight,
                                const char *path, uint64_t offset,
                                DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(program);
    DML_NEED(path);
    return bindWeightFromFile(*program->object, weight, path, offset);
  });
}

DmlResult dmlWriteWeight(DmlProgram program, uint32_t weight, uint64_t offset,
                         const void *data, size_t size, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(program);
    DML_NEED(data);
    return program->object->writeWeight(weight, offset, data, size);
  });
}

DmlResult dmlBindWeightFromBuffer(DmlProgram program, uint32_t weight,
                                  const DmlBufferRange *range,
                                  DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(program);
    DML_NEED(range);
    return program->object->bindWeight(weight, *range);
  });
}

DmlResult dmlBindWeightInPlace(DmlProgram program, uint32_t weight,
                               const DmlBufferRange *range, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(program);
    DML_NEED(range);
    return program->object->bindWeightInPlace(weight, *range);
  });
}

DmlResult dmlInitializeProgram(DmlProgram program, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(program);
    return initializeProgram(program->object);
  });
}

DmlResult dmlRunFunction(DmlProgram program, uint32_t function,
                         const DmlHostTensor *inputs, uint32_t inputCount,
                         const DmlHostTensor *outputs, uint32_t outputCount,
                         DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(program);
    if (inputCount != 0)
      DML_NEED(inputs);
    if (outputCount != 0)
      DML_NEED(outputs);
    return runFunction(program->object, function, inputs, inputCount, outputs,
                       outputCount);
  });
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

DmlResult dmlCreateBuffer(DmlDevice device, uint64_t size, DmlMemory memory,
                          DmlBuffer *buffer, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(device);
    DML_NEED(buffer);
    if (memory < DML_MEMORY_DEVICE || memory > DML_MEMORY_READBACK)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "memory is ", int(memory),
                       ", which is no DmlMemory");
    return give(Buffer::create(device->object, size, memory, "buffer"), buffer);
  });
}

void dmlDestroyBuffer(DmlBuffer buffer) { destroy(buffer); }

void dmlGetBufferInfo(DmlBuffer buffer, DmlBufferInfo *info) {
  if (!info)
    return;
  fill(*info, {});
  if (buffer)
    *info = {info->next, buffer->object->handle(), buffer->object->size(),
             buffer->object->mapped()};
}

DmlResult dmlWriteBuffer(DmlBuffer buffer, uint64_t offset, const void *data,
                         size_t size, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(buffer);
    if (size != 0)
      DML_NEED(data);
    return buffer->object->write(offset, data, size);
  });
}

DmlResult dmlReadBuffer(DmlBuffer buffer, uint64_t offset, void *data,
                        size_t size, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(buffer);
    if (size != 0)
      DML_NEED(data);
    return buffer->object->read(offset, data, size);
  });
}

//===----------------------------------------------------------------------===//
// Binding tables
//===----------------------------------------------------------------------===//

DmlResult dmlCreateBindingTable(DmlProgram program,
                                const DmlBindingTableCreateInfo *info,
                                DmlBindingTable *table, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(program);
    DML_NEED(info);
    DML_NEED(table);
    DML_CHECK_CHAIN(DmlBindingTableCreateInfo, info);
    return give(BindingTable::create(program->object, *info), table);
  });
}

void dmlDestroyBindingTable(DmlBindingTable table) { destroy(table); }

DmlResult dmlBindInput(DmlBindingTable table, uint32_t input,
                       const DmlBufferRange *range, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(table);
    DML_NEED(range);
    return table->object->bindInput(input, *range);
  });
}

DmlResult dmlBindOutput(DmlBindingTable table, uint32_t output,
                        const DmlBufferRange *range, DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(table);
    DML_NEED(range);
    return table->object->bindOutput(output, *range);
  });
}

DmlResult dmlBindTemporary(DmlBindingTable table, const DmlBufferRange *range,
                           DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(table);
    return table->object->bindTemporary(range);
  });
}

DmlResult dmlRecordFunction(DmlBindingTable table,
                            VkCommandBuffer commandBuffer, DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(table);
    DML_NEED(commandBuffer);
    return table->object->record(commandBuffer);
  });
}

DmlResult dmlRecordSteps(DmlBindingTable table, VkCommandBuffer commandBuffer,
                         uint32_t firstStep, uint32_t stepCount,
                         DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(table);
    DML_NEED(commandBuffer);
    return table->object->record(commandBuffer, firstStep, stepCount);
  });
}

DmlResult dmlSubmit(DmlBindingTable table, const DmlSubmitInfo *info,
                    DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(table);
    if (info)
      DML_CHECK_CHAIN(DmlSubmitInfo, info);
    return table->object->submit(info);
  });
}

DmlResult dmlWait(DmlBindingTable table, uint64_t timeoutNanoseconds,
                  DmlError *error) {
  return guardWork(error, [&]() -> Status {
    DML_NEED(table);
    return table->object->wait(timeoutNanoseconds);
  });
}

DmlResult dmlGetStepTimes(DmlBindingTable table, uint32_t firstStep,
                          uint32_t stepCount, DmlStepTime *times,
                          DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(table);
    if (stepCount != 0)
      DML_NEED(times);
    return table->object->getStepTimes(firstStep, stepCount, times);
  });
}

DmlResult dmlGetRunTime(DmlBindingTable table, uint64_t *nanoseconds,
                        DmlError *error) {
  return guard(error, [&]() -> Status {
    DML_NEED(table);
    DML_NEED(nanoseconds);
    Expected<uint64_t> time = table->object->getRunTime();
    if (!time)
      return time.status();
    *nanoseconds = *time;
    return Status();
  });
}
