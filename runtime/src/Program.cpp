//===- Program.cpp - An executable on a device ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "DevicePlan.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

using namespace dml::runtime;

/// The number of pipelines for which a thread is worthwhile.
static constexpr size_t kPipelinesPerThread = 8;

/// Calls `body` with each number below `count`, from several threads if there
/// is enough work. All threads have ended when the function returns. After a
/// failure, no further call begins. If several calls fail, the failure with the
/// lowest number is returned, as with one thread.
template <typename Body>
static Status forEachInParallel(size_t count, Body body) {
  struct {
    std::mutex mutex;
    size_t next = 0;
    size_t failed = SIZE_MAX;
    Status status;
    std::exception_ptr exception;
  } shared;
  auto work = [&]() noexcept {
    std::unique_lock<std::mutex> lock(shared.mutex);
    while (shared.next < count) {
      size_t number = shared.next++;
      lock.unlock();
      Status status;
      std::exception_ptr exception;
      try {
        status = body(number);
      } catch (...) {
        exception = std::current_exception();
      }
      lock.lock();
      if (status.ok() && !exception)
        continue;
      shared.next = count;
      if (number < shared.failed) {
        shared.failed = number;
        shared.status = std::move(status);
        shared.exception = std::move(exception);
      }
    }
  };

  size_t wanted = std::min<size_t>(std::thread::hardware_concurrency(),
                                   count / kPipelinesPerThread);
  std::vector<std::thread> threads;
  try {
    // This thread works too.
    for (size_t i = 1; i < wanted; ++i)
      threads.emplace_back(work);
  } catch (...) {
    // The system may refuse to create threads. The existing threads then do all
    // of the work.
  }
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (shared.exception)
    std::rethrow_exception(shared.exception);
  return shared.status;
}

Expected<std::shared_ptr<Program>>
Program::compile(std::shared_ptr<Device> device,
                 std::shared_ptr<const Executable> executable) {
  // The variants are chosen before anything reaches the driver.
  Expected<std::vector<uint32_t>> variants = chooseVariants(
      device->snapshot().info, *executable, device->supportedFeatures());
  if (!variants)
    return variants.status();
  std::shared_ptr<Program> program(new Program, Retire());
  program->owner = std::move(device);
  program->contents = std::move(executable);
  program->variants = std::move(*variants);
  DML_TRY(program->createPipelines());
  return program;
}

Expected<std::shared_ptr<Program>>
Program::create(std::shared_ptr<Device> device,
                std::shared_ptr<const Executable> executable) {
  Expected<std::shared_ptr<Program>> compiled =
      compile(std::move(device), std::move(executable));
  if (!compiled)
    return compiled;
  const std::shared_ptr<Program> &program = *compiled;
  program->describeConstants();
  program->weightStates.resize(program->contents->weights.size());
  // What waits for no weights is done at once.
  if (program->weightStates.empty())
    DML_TRY(initializeProgram(program));
  return compiled;
}

/// Finds the bindings that advance in a step of a chosen variant. A kernel has
/// none where the device has too few dynamic offsets, or where 32 bits do not
/// hold one: each iteration of its steps then has a descriptor set of its own.
void Program::findDynamicBindings() {
  dynamic.clear();
  for (const Kernel &kernel : contents->kernels)
    dynamic.emplace_back(kernel.bindingCount);
  std::vector<bool> isTooLong(dynamic.size());
  for (uint32_t i = 0; i < variants.size(); ++i)
    for (const Step &step : variant(i).steps)
      for (size_t binding = 0; binding < step.ranges.size(); ++binding) {
        const BufferRange &range = step.ranges[binding];
        if (step.kind != DML_STEP_KIND_DISPATCH || !range.advances())
          continue;
        dynamic[step.kernel][binding] = true;
        if (range.end - range.begin > UINT32_MAX)
          isTooLong[step.kernel] = true;
      }
  size_t most = owner->snapshot().maxDynamicStorageBuffers;
  for (size_t i = 0; i < dynamic.size(); ++i) {
    auto count = std::count(dynamic[i].begin(), dynamic[i].end(), true);
    if (isTooLong[i] || static_cast<size_t>(count) > most)
      dynamic[i].assign(dynamic[i].size(), false);
  }
}

Status Program::createLayout(const Dynamic &dynamicBindings) {
  const DeviceFunctions &vk = owner->functions();
  auto [it, isNew] = layouts.try_emplace(dynamicBindings);
  if (!isNew)
    return Status();
  Layout &layout = it->second;

  auto bindingCount = static_cast<uint32_t>(dynamicBindings.size());
  std::vector<VkDescriptorSetLayoutBinding> bindings(bindingCount);
  for (uint32_t i = 0; i < bindingCount; ++i)
    bindings[i] = {i,
                   dynamicBindings[i]
                       ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
                       : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                   1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo setInfo{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  setInfo.bindingCount = bindingCount;
  setInfo.pBindings = bindings.data();
  DML_TRY(checkVk(vk.CreateDescriptorSetLayout(owner->handle(), &setInfo,
                                               nullptr, &layout.set),
                  "vkCreateDescriptorSetLayout"));
  VkPipelineLayoutCreateInfo pipelineInfo{
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  pipelineInfo.setLayoutCount = 1;
  pipelineInfo.pSetLayouts = &layout.set;
  return checkVk(vk.CreatePipelineLayout(owner->handle(), &pipelineInfo,
                                         nullptr, &layout.pipeline),
                 "vkCreatePipelineLayout");
}

void Program::describeConstants() {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (uint32_t i = 0; i < variants.size(); ++i)
    for (auto range : variant(i).getRanges(BufferKind::Constant))
      ranges.push_back(range);
  constantSpace = std::make_unique<Constants>(owner, contents->constantSize,
                                              std::move(ranges));
}

Status Program::provideConstants() {
  if (contents->constantSize == 0)
    return Status();
  DML_TRY(constantSpace->allocate());
  if (!hasStoredConstants)
    DML_TRY(constantSpace->write(0, contents->constants.data(),
                                 contents->constants.size()));
  hasStoredConstants = true;
  return Status();
}

Status Program::checkWeight(uint32_t index) const {
  if (index < contents->weights.size())
    return Status();
  return makeError(DML_ERROR_INVALID_ARGUMENT, "weight ", index,
                   " does not exist; there are ", contents->weights.size());
}

Status Program::beginCopy(uint32_t index) {
  const Weight &weight = contents->weights[index];
  // A copy that fails half-way leaves nothing that counts as bound.
  weightStates[index] = {};
  initialized = false;
  DML_TRY(provideConstants());
  return constantSpace->takeBack(weight.offset, weight.tensor.bufferSize);
}

Status Program::bindWeight(uint32_t index, const void *data, size_t size) {
  DML_TRY(checkWeight(index));
  const Tensor &tensor = contents->weights[index].tensor;
  if (size != tensor.byteSize)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "weight '", tensor.name,
                     "' has ", size, " bytes, but must have ", tensor.byteSize);
  return writeWeight(index, 0, data, size);
}

Status Program::writeWeight(uint32_t index, uint64_t offset, const void *data,
                            size_t size) {
  DML_TRY(checkWeight(index));
  const Weight &weight = contents->weights[index];
  const Tensor &tensor = weight.tensor;
  WeightState &state = weightStates[index];
  // The first byte begins anew.
  uint64_t next = offset == 0 ? 0 : state.written;
  if (offset != next || size > tensor.byteSize - next)
    return makeError(
        DML_ERROR_INVALID_ARGUMENT, "weight '", tensor.name, "': ", size,
        " bytes from byte ", offset, " on are written, but wanted is byte ",
        next, " on, up to the ", tensor.byteSize, " bytes that the weight has");
  if (offset == 0)
    DML_TRY_IN(beginCopy(index), "weight '", tensor.name, "'");
  // What is bound has all of its bytes, so that no more are written to it.
  DML_TRY_IN(constantSpace->write(weight.offset + offset, data, size),
             "weight '", tensor.name, "'");
  state.written += size;
  state.isBound = state.written == tensor.byteSize;
  return Status();
}

Status Program::bindWeight(uint32_t index, const DmlBufferRange &source) {
  DML_TRY(checkWeight(index));
  const Weight &weight = contents->weights[index];
  const Tensor &tensor = weight.tensor;
  if (!source.buffer)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "weight '", tensor.name,
                     "': the buffer is null");
  if (source.size < tensor.byteSize)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "weight '", tensor.name,
                     "': the range has ", source.size, " bytes, but at least ",
                     tensor.byteSize, " are needed");
  DML_TRY(checkWithinBuffer(*owner, "weight", tensor.name, source));
  DML_TRY_IN(beginCopy(index), "weight '", tensor.name, "'");
  DML_TRY_IN(constantSpace->copy(weight.offset, {source.buffer, source.offset,
                                                 tensor.byteSize}),
             "weight '", tensor.name, "'");
  weightStates[index] = {true, tensor.byteSize};
  return Status();
}

Status Program::bindWeightInPlace(uint32_t index, const DmlBufferRange &place) {
  DML_TRY(checkWeight(index));
  const Weight &weight = contents->weights[index];
  const Tensor &tensor = weight.tensor;
  DML_TRY(
      checkBinding(*owner, "weight", tensor.name, tensor.bufferSize, place));
  DML_TRY_IN(constantSpace->placeAt(weight.offset, {place.buffer, place.offset,
                                                    tensor.bufferSize}),
             "weight '", tensor.name, "'");
  weightStates[index] = {true, tensor.byteSize};
  initialized = false;
  return Status();
}

Status Program::checkWeights() const {
  auto isMissing = [](const WeightState &state) { return !state.isBound; };
  auto first =
      std::find_if(weightStates.begin(), weightStates.end(), isMissing);
  if (first == weightStates.end())
    return Status();
  return makeError(
      DML_ERROR_INVALID_ARGUMENT, "weight '",
      contents->weights[first - weightStates.begin()].tensor.name,
      "' has no bytes: ",
      std::count_if(weightStates.begin(), weightStates.end(), isMissing),
      " of ", weightStates.size(), " weights are to be bound (dmlBindWeight)");
}

Status Program::checkReady() const {
  DML_TRY(checkWeights());
  if (initialized)
    return Status();
  return makeError(DML_ERROR_INVALID_ARGUMENT,
                   "the program is to be initialized after its weights were "
                   "bound (dmlInitializeProgram)");
}

std::vector<bool> Program::findUsedKernels() const {
  std::vector<bool> used(contents->kernels.size());
  for (uint32_t i = 0; i < variants.size(); ++i)
    for (const Step &step : variant(i).steps)
      if (step.kind == DML_STEP_KIND_DISPATCH)
        used[step.kernel] = true;
  return used;
}

Status Program::createPipelines() {
  const DeviceFunctions &vk = owner->functions();
  // The device may lack what the kernels of other variants need.
  std::vector<bool> used = findUsedKernels();
  findDynamicBindings();
  pipelines.assign(contents->kernels.size(), VK_NULL_HANDLE);
  // Each handle has its place in the vector before it is created, so that it is
  // destroyed in any case. Pipelines do not need their modules after they have
  // been created.
  struct Modules : std::vector<VkShaderModule> {
    explicit Modules(const Device &device) : device(device) {}
    ~Modules() {
      for (VkShaderModule module : *this)
        if (module)
          device.functions().DestroyShaderModule(device.handle(), module,
                                                 nullptr);
    }
    const Device &device;
  } modules(*owner);
  modules.assign(contents->shaderModules.size(), VK_NULL_HANDLE);
  for (uint32_t i = 0; i < used.size(); ++i) {
    const Kernel &kernel = contents->kernels[i];
    VkShaderModule &module = modules[kernel.shaderModule];
    if (!used[i] || module)
      continue;
    const View<uint32_t> &code =
        contents->shaderModules[kernel.shaderModule].code;
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = code.size() * sizeof(uint32_t);
    info.pCode = code.data();
    DML_TRY(checkVk(
        vk.CreateShaderModule(owner->handle(), &info, nullptr, &module),
        "vkCreateShaderModule for shader module ", kernel.shaderModule));
  }
  std::vector<uint32_t> kernels;
  for (uint32_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      continue;
    kernels.push_back(i);
    DML_TRY(createLayout(dynamic[i]));
  }
  return forEachInParallel(kernels.size(), [&](size_t i) {
    uint32_t kernel = kernels[i];
    return createPipeline(kernel,
                          modules[contents->kernels[kernel].shaderModule]);
  });
}

Status Program::createPipeline(size_t index, VkShaderModule module) {
  const Kernel &kernel = contents->kernels[index];
  VkComputePipelineCreateInfo info{
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = kernel.entryPoint.c_str();
  info.layout = layouts.at(dynamic[index]).pipeline;
  // Where subgroups have one size only, it is the one that the kernel wants.
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT subgroupSize{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT};
  if (kernel.subgroupSize != 0 && owner->snapshot().subgroupSizeControl) {
    subgroupSize.requiredSubgroupSize = kernel.subgroupSize;
    info.stage.pNext = &subgroupSize;
    info.stage.flags |=
        VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT;
  }
  DML_TRY_IN(owner->createComputePipeline(info, pipelines[index]), "kernel '",
             kernel.entryPoint, "'");
  owner->setName(VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipelines[index],
                 kernel.entryPoint);
  return Status();
}

Program::~Program() {
  // There is no owner where there was no memory to share the program by.
  if (!owner)
    return;
  const DeviceFunctions &vk = owner->functions();
  for (VkPipeline pipeline : pipelines)
    if (pipeline)
      vk.DestroyPipeline(owner->handle(), pipeline, nullptr);
  for (auto &[bindings, layout] : layouts) {
    if (layout.pipeline)
      vk.DestroyPipelineLayout(owner->handle(), layout.pipeline, nullptr);
    if (layout.set)
      vk.DestroyDescriptorSetLayout(owner->handle(), layout.set, nullptr);
  }
}
