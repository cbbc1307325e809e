//===- BindingTable.cpp - A function with its buffers ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "BindingTable.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

using namespace dml::runtime;

namespace {

template <typename... Ts> Status invalidArgument(const Ts &...ts) {
  return makeError(DML_ERROR_INVALID_ARGUMENT, ts...);
}

/// The largest number of steps in one submission of dmlSubmit. A system may
/// reset a device that is busy with one submission for some seconds.
constexpr uint32_t kStepsOfSubmission = 8192;

constexpr VkPipelineStageFlags kStepStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kStepReads =
    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
constexpr VkAccessFlags kStepWrites =
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

} // namespace

Expected<Owned<BindingTable>>
BindingTable::create(std::shared_ptr<Program> program,
                     const DmlBindingTableCreateInfo &info) {
  DML_TRY(program->executable().checkFunction(info.function));
  return create(std::move(program), info.function,
                info.timestamps      ? Timed::Steps
                : info.runTimestamps ? Timed::Run
                                     : Timed::Nothing);
}

Expected<Owned<BindingTable>>
BindingTable::createForInitialization(std::shared_ptr<Program> program) {
  uint32_t function = *program->executable().initialization;
  return create(std::move(program), function, Timed::Nothing);
}

Expected<Owned<BindingTable>>
BindingTable::create(std::shared_ptr<Program> program, uint32_t function,
                     Timed timed) {
  Owned<BindingTable> table(new BindingTable(std::move(program)));
  table->function = &table->program->executable().functions[function];
  table->variant = &table->program->variant(function);
  DML_TRY(table->initialize(timed));
  return table;
}

Status BindingTable::initialize(Timed wanted) {
  // The temporary buffer is one range more.
  bound.resize(function->inputs.size() + function->outputs.size() + 1);
  recorded.resize(variant->runCount);
  reserveScratch();
  DML_TRY(addRecording());
  timed = wanted;
  if (timed == Timed::Nothing || variant->steps.empty())
    return Status();

  const Device &device = *program->device();
  if (device.timestampValidBits() == 0)
    return makeError(
        DML_ERROR_UNSUPPORTED, "device '", device.snapshot().info.name,
        "' has no timestamps in its queue family ", device.queueFamily());
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = timed == Timed::Steps ? 2 * variant->runCount : 2;
  return checkVk(device.functions().CreateQueryPool(device.handle(), &info,
                                                    nullptr, &queryPool),
                 "vkCreateQueryPool");
}

void BindingTable::reserveScratch() {
  scratch.order.reserve(bound.size());
  size_t most = 0;
  for (const Step &step : variant->steps)
    most = std::max(most, step.ranges.size());
  scratch.descriptors.reserve(most);
  scratch.offsets.reserve(most);
}

uint32_t BindingTable::countSets(size_t index) const {
  const Step &step = variant->steps[index];
  if (step.kind != DML_STEP_KIND_DISPATCH)
    return 0;
  const Program::Dynamic &dynamic = program->dynamicBindings(step.kernel);
  for (size_t i = 0; i < step.ranges.size(); ++i)
    if (step.ranges[i].advances() && !dynamic[i])
      return variant->findLoop(static_cast<uint32_t>(index))->count;
  return 1;
}

Status BindingTable::addRecording() {
  recordings.reserve(mostRecordings);
  recordings.push_back(std::make_unique<Recording>());
  Recording &recording = *recordings.back();
  recording.bound.resize(bound.size());
  Status status = createDescriptorSets(recording);
  if (status.ok())
    return status;
  if (recording.descriptorPool)
    program->device()->functions().DestroyDescriptorPool(
        program->device()->handle(), recording.descriptorPool, nullptr);
  recordings.pop_back();
  return status;
}

Status BindingTable::createDescriptorSets(Recording &recording) {
  const Device &device = *program->device();
  const DeviceFunctions &vk = device.functions();
  std::vector<VkDescriptorSet> &descriptorSets = recording.descriptorSets;
  firstSets.clear();
  std::vector<VkDescriptorSetLayout> layouts;
  // The two types of descriptors.
  uint64_t counts[2] = {};
  for (size_t i = 0; i < variant->steps.size(); ++i) {
    const Step &step = variant->steps[i];
    firstSets.push_back(static_cast<uint32_t>(layouts.size()));
    uint32_t sets = countSets(i);
    if (sets == 0)
      continue;
    layouts.insert(layouts.end(), sets, program->layout(step.kernel).set);
    for (bool isDynamic : program->dynamicBindings(step.kernel))
      counts[isDynamic] += sets;
  }
  if (layouts.empty())
    return Status();
  uint64_t descriptorCount = counts[0] + counts[1];
  if (descriptorCount > UINT32_MAX)
    return makeError(DML_ERROR_UNSUPPORTED, "function '", function->name,
                     "' has ", descriptorCount,
                     " bindings, more than Vulkan can count");

  std::vector<VkDescriptorPoolSize> sizes;
  for (bool isDynamic : {false, true})
    if (counts[isDynamic] != 0)
      sizes.push_back({isDynamic ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
                                 : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                       static_cast<uint32_t>(counts[isDynamic])});
  VkDescriptorPoolCreateInfo poolInfo{
      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  poolInfo.maxSets = static_cast<uint32_t>(layouts.size());
  poolInfo.poolSizeCount = static_cast<uint32_t>(sizes.size());
  poolInfo.pPoolSizes = sizes.data();
  DML_TRY(checkVk(vk.CreateDescriptorPool(device.handle(), &poolInfo, nullptr,
                                          &recording.descriptorPool),
                  "vkCreateDescriptorPool"));
  descriptorSets.resize(layouts.size());
  VkDescriptorSetAllocateInfo allocateInfo{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocateInfo.descriptorPool = recording.descriptorPool;
  allocateInfo.descriptorSetCount = static_cast<uint32_t>(layouts.size());
  allocateInfo.pSetLayouts = layouts.data();
  DML_TRY(checkVk(vk.AllocateDescriptorSets(device.handle(), &allocateInfo,
                                            descriptorSets.data()),
                  "vkAllocateDescriptorSets"));
  if (device.namesObjects())
    for (size_t i = 0; i < variant->steps.size(); ++i)
      for (uint32_t set = 0; set < countSets(i); ++set)
        device.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET,
                       (uint64_t)descriptorSets[firstSets[i] + set],
                       concat(function->name, ": step ", i, ": ",
                              variant->steps[i].label));
  return Status();
}

bool BindingTable::isWorking(uint64_t timeout) noexcept {
  // The objects of a lost device may be destroyed.
  VkResult result = submissions.wait(timeout);
  return result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST;
}

BindingTable::~BindingTable() {
  Device &device = *program->device();
  const DeviceFunctions &vk = device.functions();
  if (commandPool)
    vk.DestroyCommandPool(device.handle(), commandPool, nullptr);
  if (queryPool)
    vk.DestroyQueryPool(device.handle(), queryPool, nullptr);
  for (const std::unique_ptr<Recording> &recording : recordings)
    if (recording->descriptorPool)
      vk.DestroyDescriptorPool(device.handle(), recording->descriptorPool,
                               nullptr);
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

Status BindingTable::bindInput(uint32_t index, const DmlBufferRange &range) {
  if (index >= function->inputs.size())
    return invalidArgument("input ", index, " does not exist; function '",
                           function->name, "' has ", function->inputs.size());
  const Tensor &tensor = function->inputs[index];
  return bind("input", tensor.name, tensor.bufferSize, range, bound[index]);
}

Status BindingTable::bindOutput(uint32_t index, const DmlBufferRange &range) {
  if (index >= function->outputs.size())
    return invalidArgument("output ", index, " does not exist; function '",
                           function->name, "' has ", function->outputs.size());
  const Tensor &tensor = function->outputs[index];
  return bind("output", tensor.name, tensor.bufferSize, range,
              bound[function->inputs.size() + index]);
}

Status BindingTable::bindTemporary(const DmlBufferRange *range) {
  if (!range) {
    if (variant->temporarySize != 0 && !ownTemporary)
      DML_TRY(createOwnTemporary());
    return Status();
  }
  DML_TRY(bind("temporary buffer of", function->name, variant->temporarySize,
               *range, bound.back()));
  // No recording that names the table's own memory is used again.
  if (ownTemporary)
    dropRecordings();
  ownTemporary.reset();
  return Status();
}

Status BindingTable::createOwnTemporary() {
  // Descriptors and commands that are in use may not change.
  DML_TRY(wait(program->device()->waitLimit()));
  auto buffer = SplitBuffer::create(program->device(), variant->temporarySize,
                                    variant->getRanges(BufferKind::Temporary),
                                    DML_MEMORY_DEVICE, "temporary buffer");
  if (!buffer)
    return buffer.status();
  ownTemporary = std::move(*buffer);
  bound.back() = {};
  dropRecordings();
  return Status();
}

void BindingTable::dropRecordings() {
  current = nullptr;
  for (const std::unique_ptr<Recording> &recording : recordings)
    recording->hasDescriptors = false;
}

Status BindingTable::bind(const char *what, const std::string &name,
                          uint64_t wantedSize, const DmlBufferRange &range,
                          BoundRange &bound) {
  const Device &device = *program->device();
  DML_TRY(checkBinding(device, what, name, wantedSize, range));
  Device::KnownBuffer known = device.findBuffer(range.buffer);
  BoundRange wanted{{range.buffer, range.offset, wantedSize},
                    known.number,
                    std::move(known.uses)};
  if (wanted.isKnownAs(bound))
    return Status();
  // Another recording may be written anew, which must not be in use.
  DML_TRY(wait(device.waitLimit()));
  bound = wanted;
  current = nullptr;
  return Status();
}

/// Checks that an output in the place of an input has the input's range.
Status BindingTable::checkInPlace() {
  for (size_t i = 0; i < function->outputs.size(); ++i) {
    if (!function->inPlace[i])
      continue;
    const DmlBufferRange &input = boundInput(*function->inPlace[i]);
    const DmlBufferRange &output = boundOutput(i);
    if (output.buffer != input.buffer || output.offset != input.offset)
      return invalidArgument(
          "output '", function->outputs[i].name, "' is in the place of input '",
          function->inputs[*function->inPlace[i]].name,
          "', but the two are bound to different ranges; wanted is one range");
  }
  return Status();
}

Status BindingTable::checkOverlaps() {
  // Inputs come before outputs and the temporary buffer, so that ranges that
  // are written have larger numbers than ranges that are only read.
  size_t inputCount = function->inputs.size();
  auto range = [&](size_t i) -> const DmlBufferRange & {
    return bound[i].range;
  };
  auto nameOf = [&](size_t i) -> std::string {
    if (i < inputCount)
      return "input '" + function->inputs[i].name + "'";
    i -= inputCount;
    if (i < function->outputs.size())
      return "output '" + function->outputs[i].name + "'";
    return "the temporary buffer";
  };

  // The output stands for an input in whose place it is.
  std::vector<size_t> &order = scratch.order;
  order.resize(boundTemporary().buffer ? bound.size() : bound.size() - 1);
  std::iota(order.begin(), order.end(), 0);
  auto isReplaced = [&](size_t i) {
    return i < inputCount && function->isReplaced[i];
  };
  order.erase(std::remove_if(order.begin(), order.end(), isReplaced),
              order.end());
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tie(range(a).buffer, range(a).offset, a) <
           std::tie(range(b).buffer, range(b).offset, b);
  });
  // The range of the buffer that ends last, among those visited so far, and the
  // written range that ends last.
  std::optional<size_t> any, written;
  auto reach = [&](std::optional<size_t> &furthest, size_t i) {
    auto end = [&](size_t at) { return range(at).offset + range(at).size; };
    if (!furthest || end(i) > end(*furthest))
      furthest = i;
  };
  for (size_t i : order) {
    if (any && range(*any).buffer != range(i).buffer)
      any = written = std::nullopt;
    bool isWritten = i >= inputCount;
    std::optional<size_t> other = isWritten ? any : written;
    if (other && range(i).offset < range(*other).offset + range(*other).size)
      return invalidArgument(nameOf(std::max(i, *other)), " and ",
                             nameOf(std::min(i, *other)),
                             " are bound to ranges that overlap");
    reach(any, i);
    if (isWritten)
      reach(written, i);
  }
  return Status();
}

BindingTable::Recording *BindingTable::findUnknownRecording() {
  auto isUnknown = [](const BoundRange &each) {
    return each.range.buffer && each.number == 0;
  };
  for (const std::unique_ptr<Recording> &recording : recordings)
    if (!recording->hasDescriptors ||
        std::any_of(recording->bound.begin(), recording->bound.end(),
                    isUnknown))
      return recording.get();
  return nullptr;
}

Status BindingTable::chooseRecording(bool canAdd) {
  auto isSame = [](const BoundRange &a, const BoundRange &b) {
    // The temporary buffer may be the table's own.
    return a.isKnownAs(b) || (!a.range.buffer && !b.range.buffer);
  };
  for (const std::unique_ptr<Recording> &recording : recordings)
    if (recording->hasDescriptors &&
        std::equal(bound.begin(), bound.end(), recording->bound.begin(),
                   isSame)) {
      current = recording.get();
      return Status();
    }
  Recording *replaced = findUnknownRecording();
  if (!replaced && canAdd && recordings.size() < mostRecordings) {
    DML_TRY(addRecording());
    replaced = recordings.back().get();
  }
  if (!replaced)
    replaced = std::min_element(recordings.begin(), recordings.end(),
                                [](const auto &a, const auto &b) {
                                  return a->lastUse < b->lastUse;
                                })
                   ->get();
  replaced->hasDescriptors = false;
  current = replaced;
  return Status();
}

Status BindingTable::prepare(bool isSubmission) {
  // What makes a program ready cannot wait for that.
  const Executable &executable = program->executable();
  if (!executable.initialization ||
      function != &executable.functions[*executable.initialization])
    DML_TRY(program->checkReady());
  if (!current)
    DML_TRY(chooseRecording(/*canAdd=*/isSubmission));
  current->lastUse = ++lastUse;
  uint64_t version = program->constants().version();
  if (current->hasDescriptors && current->constantsVersion == version)
    return Status();
  DML_TRY(checkBound());
  DML_TRY(checkInPlace());
  DML_TRY(checkOverlaps());
  // Descriptors and commands that are in use may not change.
  if (isSubmission)
    DML_TRY(wait(program->device()->waitLimit()));
  updateDescriptors(*current);
  current->hasDescriptors = true;
  current->hasCommands = false;
  current->constantsVersion = version;
  current->bound = bound;
  current->uses.reset();
  return Status();
}

Status BindingTable::checkBound() const {
  for (size_t i = 0; i < function->inputs.size(); ++i)
    if (!boundInput(i).buffer)
      return invalidArgument("input '", function->inputs[i].name,
                             "' has no buffer bound");
  for (size_t i = 0; i < function->outputs.size(); ++i)
    if (!boundOutput(i).buffer)
      return invalidArgument("output '", function->outputs[i].name,
                             "' has no buffer bound");
  if (variant->temporarySize != 0 && !boundTemporary().buffer && !ownTemporary)
    return invalidArgument("the temporary buffer of function '", function->name,
                           "' has no memory bound, but must have ",
                           variant->temporarySize,
                           " bytes (dmlBindTemporary makes them where its "
                           "range is NULL)");
  return Status();
}

DmlBufferRange BindingTable::resolve(const BufferRange &range,
                                     uint32_t iteration) const {
  DmlBufferRange base{};
  uint64_t offset = range.offsetIn(iteration);
  switch (range.kind) {
  case BufferKind::Input:
    base = boundInput(range.index);
    break;
  case BufferKind::Output:
    base = boundOutput(range.index);
    break;
  case BufferKind::Temporary:
    if (ownTemporary)
      return ownTemporary->range(offset, range.size);
    base = boundTemporary();
    break;
  case BufferKind::Constant:
    return program->constants().range(offset, range.size);
  }
  return {base.buffer, base.offset + offset, range.size};
}

void BindingTable::updateDescriptors(Recording &recording) {
  for (size_t i = 0; i < variant->steps.size(); ++i) {
    uint32_t sets = countSets(i);
    for (uint32_t iteration = 0; iteration < sets; ++iteration)
      updateDescriptors(recording, i, iteration);
  }
}

/// Returns the range that is bound in `iteration`, which begins for a dynamic
/// offset of 0 at the first byte of all iterations.
static BufferRange getBound(const BufferRange &range, bool isDynamic,
                            uint32_t iteration) {
  BufferRange bound = range;
  bound.offset = isDynamic ? range.begin : range.offsetIn(iteration);
  bound.stride = 0;
  return bound;
}

void BindingTable::updateDescriptors(Recording &recording, size_t step,
                                     uint32_t iteration) {
  const Device &device = *program->device();
  const std::vector<BufferRange> &ranges = variant->steps[step].ranges;
  const Program::Dynamic &dynamic =
      program->dynamicBindings(variant->steps[step].kernel);
  std::vector<VkDescriptorBufferInfo> &infos = scratch.descriptors;
  infos.clear();
  for (size_t i = 0; i < ranges.size(); ++i) {
    DmlBufferRange bound =
        resolve(getBound(ranges[i], dynamic[i], iteration), 0);
    infos.push_back({bound.buffer, bound.offset, bound.size});
  }
  // One write fills consecutive bindings of the same type.
  for (size_t first = 0, next; first < infos.size(); first = next) {
    for (next = first + 1; next < infos.size(); ++next)
      if (dynamic[next] != dynamic[first])
        break;
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = recording.descriptorSets[firstSets[step] + iteration];
    write.dstBinding = static_cast<uint32_t>(first);
    write.descriptorCount = static_cast<uint32_t>(next - first);
    write.descriptorType = dynamic[first]
                               ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
                               : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &infos[first];
    device.functions().UpdateDescriptorSets(device.handle(), 1, &write, 0,
                                            nullptr);
  }
}

//===----------------------------------------------------------------------===//
// Recording and submitting
//===----------------------------------------------------------------------===//

Status BindingTable::checkSteps(uint32_t first, uint32_t count) const {
  uint32_t have = variant->runCount;
  if (first <= have && count <= have - first)
    return Status();
  return invalidArgument(count, " steps from step ", first,
                         " on do not exist; "
                         "function '",
                         function->name, "' has ", have);
}

Status BindingTable::record(VkCommandBuffer commands) {
  DML_TRY(prepare(/*isSubmission=*/false));
  recordBegin(commands);
  recordSteps(commands, 0, variant->runCount);
  recordEnd(commands);
  return Status();
}

Status BindingTable::record(VkCommandBuffer commands, uint32_t first,
                            uint32_t count) {
  DML_TRY(checkSteps(first, count));
  DML_TRY(prepare(/*isSubmission=*/false));
  recordSteps(commands, first, count);
  return Status();
}

void BindingTable::recordSteps(VkCommandBuffer commands, uint32_t first,
                               uint32_t count) {
  const Device &device = *program->device();
  const InstanceFunctions &debug = device.instanceFunctions();
  if (count == 0)
    return;
  VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
  label.pLabelName = function->name.c_str();
  if (debug.CmdBeginDebugUtilsLabelEXT)
    debug.CmdBeginDebugUtilsLabelEXT(commands, &label);
  if (timed == Timed::Steps)
    device.functions().CmdResetQueryPool(commands, queryPool, 2 * first,
                                         2 * count);
  for (uint32_t i = first; i < first + count; ++i) {
    recordStep(commands, i);
    recorded[i] = true;
  }
  if (debug.CmdEndDebugUtilsLabelEXT)
    debug.CmdEndDebugUtilsLabelEXT(commands);
}

void BindingTable::recordTimestamp(VkCommandBuffer commands, uint32_t query) {
  program->device()->functions().CmdWriteTimestamp(
      commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queryPool, query);
}

void BindingTable::recordBegin(VkCommandBuffer commands) {
  if (!queryPool || timed != Timed::Run)
    return;
  program->device()->functions().CmdResetQueryPool(commands, queryPool, 0, 2);
  recordTimestamp(commands, 0);
}

void BindingTable::recordEnd(VkCommandBuffer commands) {
  if (!queryPool || timed != Timed::Run)
    return;
  recordTimestamp(commands, 1);
  isRunRecorded = true;
}

/// Records the kernel of a step. Its dynamic offsets are the distances from the
/// first byte of all iterations, which the descriptors have.
void BindingTable::recordDispatch(VkCommandBuffer commands, StepRun run) {
  const DeviceFunctions &vk = program->device()->functions();
  const Step &step = variant->steps[run.step];
  const Program::Dynamic &dynamic = program->dynamicBindings(step.kernel);
  std::vector<uint32_t> &offsets = scratch.offsets;
  offsets.clear();
  bool hasOwnSet = false;
  for (size_t i = 0; i < step.ranges.size(); ++i) {
    const BufferRange &range = step.ranges[i];
    if (dynamic[i])
      offsets.push_back(
          static_cast<uint32_t>(range.offsetIn(run.iteration) - range.begin));
    else
      hasOwnSet |= range.advances();
  }
  uint32_t set = firstSets[run.step] + (hasOwnSet ? run.iteration : 0);
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                     program->pipeline(step.kernel));
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                           program->layout(step.kernel).pipeline, 0, 1,
                           &current->descriptorSets[set],
                           static_cast<uint32_t>(offsets.size()),
                           offsets.data());
  vk.CmdDispatch(commands, step.workgroupCount[0], step.workgroupCount[1],
                 step.workgroupCount[2]);
}

void BindingTable::recordStep(VkCommandBuffer commands, uint32_t number) {
  const Device &device = *program->device();
  const DeviceFunctions &vk = device.functions();
  const InstanceFunctions &debug = device.instanceFunctions();
  StepRun run = variant->findRun(number);
  const Step &step = variant->steps[run.step];

  if (step.barrier)
    recordBarrier(vk, commands, kStepStages, kStepWrites, kStepStages,
                  kStepReads | kStepWrites);
  bool hasLabel = debug.CmdBeginDebugUtilsLabelEXT &&
                  debug.CmdEndDebugUtilsLabelEXT && !step.label.empty();
  if (hasLabel) {
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = step.label.c_str();
    debug.CmdBeginDebugUtilsLabelEXT(commands, &label);
  }
  if (timed == Timed::Steps)
    recordTimestamp(commands, 2 * number);
  if (step.kind == DML_STEP_KIND_DISPATCH) {
    recordDispatch(commands, run);
  } else {
    DmlBufferRange source = resolve(step.ranges[0], run.iteration);
    DmlBufferRange destination = resolve(step.ranges[1], run.iteration);
    VkBufferCopy copy{source.offset, destination.offset, source.size};
    vk.CmdCopyBuffer(commands, source.buffer, destination.buffer, 1, &copy);
  }
  if (timed == Timed::Steps)
    recordTimestamp(commands, 2 * number + 1);
  if (hasLabel)
    debug.CmdEndDebugUtilsLabelEXT(commands);
}

Status BindingTable::createCommands(Recording &recording) {
  const Device &device = *program->device();
  const DeviceFunctions &vk = device.functions();
  if (!commandPool) {
    VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    info.queueFamilyIndex = device.queueFamily();
    DML_TRY(checkVk(
        vk.CreateCommandPool(device.handle(), &info, nullptr, &commandPool),
        "vkCreateCommandPool"));
  }
  if (!recording.commandBuffers.empty())
    return Status();
  uint32_t count =
      (variant->runCount + kStepsOfSubmission - 1) / kStepsOfSubmission;
  std::vector<VkCommandBuffer> buffers(std::max(count, 1u));
  VkCommandBufferAllocateInfo info{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = commandPool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = static_cast<uint32_t>(buffers.size());
  DML_TRY(
      checkVk(vk.AllocateCommandBuffers(device.handle(), &info, buffers.data()),
              "vkAllocateCommandBuffers"));
  for (VkCommandBuffer buffer : buffers)
    device.setName(VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)buffer,
                   function->name);
  recording.commandBuffers = std::move(buffers);
  return Status();
}

Status BindingTable::recordCommands(Recording &recording) {
  for (uint32_t i = 0; i < recording.commandBuffers.size(); ++i)
    DML_TRY(recordCommands(recording.commandBuffers[i], i));
  return Status();
}

Status BindingTable::recordCommands(VkCommandBuffer commands, uint32_t index) {
  const DeviceFunctions &vk = program->device()->functions();
  VkCommandBufferBeginInfo beginInfo{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  beginInfo.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  DML_TRY(checkVk(vk.BeginCommandBuffer(commands, &beginInfo),
                  "vkBeginCommandBuffer"));
  // Nothing else orders memory on the device between submissions. The barriers
  // of the steps order those of one function.
  if (index == 0)
    recordBarrier(vk, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                  VK_ACCESS_MEMORY_WRITE_BIT, kStepStages,
                  kStepReads | kStepWrites);
  if (index == 0)
    recordBegin(commands);
  uint32_t first = index * kStepsOfSubmission;
  uint32_t count = std::min(kStepsOfSubmission, variant->runCount - first);
  recordSteps(commands, first, count);
  if (first + count == variant->runCount) {
    recordEnd(commands);
    recordBarrier(vk, commands, kStepStages, kStepWrites,
                  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT |
                      VK_PIPELINE_STAGE_HOST_BIT,
                  VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT |
                      VK_ACCESS_HOST_READ_BIT);
  }
  return checkVk(vk.EndCommandBuffer(commands), "vkEndCommandBuffer");
}

Status BindingTable::submit(const DmlSubmitInfo *info) {
  if (variant->temporarySize != 0 && !boundTemporary().buffer && !ownTemporary)
    DML_TRY(createOwnTemporary());
  DML_TRY(prepare(/*isSubmission=*/true));
  DML_TRY(createCommands(*current));
  if (!current->hasCommands)
    DML_TRY(recordCommands(*current));
  current->hasCommands = true;
  if (!current->uses) {
    auto uses = std::make_shared<Submissions::Uses>();
    for (const BoundRange &range : bound)
      if (range.uses)
        uses->push_back(range.uses);
    current->uses = std::move(uses);
  }
  return submissions.submit(current->commandBuffers, info, current->uses);
}

Status BindingTable::wait(uint64_t timeout) {
  return Device::checkWait(submissions.wait(timeout), timeout);
}

Status BindingTable::getStepTimes(uint32_t first, uint32_t count,
                                  DmlStepTime *times) {
  DML_TRY(checkSteps(first, count));
  if (count == 0)
    return Status();
  if (timed != Timed::Steps)
    return invalidArgument("the binding table was made without timestamps of "
                           "steps");
  for (uint32_t i = first; i < first + count; ++i)
    if (!recorded[i])
      return invalidArgument("step ", i, " of function '", function->name,
                             "' has not been executed yet");
  std::vector<uint64_t> stamps(2 * size_t(count));
  DML_TRY(readTimestamps(2 * first, stamps));
  for (uint32_t i = 0; i < count; ++i)
    times[i] = {stamps[2 * i], stamps[2 * i + 1]};
  return Status();
}

Expected<uint64_t> BindingTable::getRunTime() {
  if (timed == Timed::Nothing)
    return invalidArgument("the binding table was made without timestamps");
  if (variant->steps.empty())
    return uint64_t(0);
  if (timed == Timed::Steps) {
    std::vector<DmlStepTime> times(variant->runCount);
    DML_TRY(getStepTimes(0, variant->runCount, times.data()));
    return times.back().end;
  }
  if (!isRunRecorded)
    return invalidArgument("function '", function->name,
                           "' has not been executed yet");
  std::vector<uint64_t> stamps(2);
  DML_TRY(readTimestamps(0, stamps));
  return stamps[1];
}

Status BindingTable::readTimestamps(uint32_t first,
                                    std::vector<uint64_t> &nanoseconds) {
  const Device &device = *program->device();
  VkResult result = device.functions().GetQueryPoolResults(
      device.handle(), queryPool, first,
      static_cast<uint32_t>(nanoseconds.size()),
      nanoseconds.size() * sizeof(uint64_t), nanoseconds.data(),
      sizeof(uint64_t), VK_QUERY_RESULT_64_BIT);
  if (result == VK_NOT_READY)
    return invalidArgument("the steps have not finished yet");
  DML_TRY(checkVk(result, "vkGetQueryPoolResults"));

  // Counters of fewer than 64 bits wrap around.
  uint32_t bits = device.timestampValidBits();
  uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
  double period = device.snapshot().info.limits.timestampPeriod;
  uint64_t begin = nanoseconds[0];
  for (uint64_t &stamp : nanoseconds)
    stamp = static_cast<uint64_t>(static_cast<double>((stamp - begin) & mask) *
                                  period);
  return Status();
}
