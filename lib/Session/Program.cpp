//===- Program.cpp - A program of a session, ready to run -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Thread.h"
#include "llvm/ADT/ScopeExit.h"
#include <chrono>

using namespace dml::session;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<Program>>
Program::create(WeightStore &store, const Model &model, Image image,
                const CallerWeights &caller, const Digest &options,
                const RunSettings &settings, Progress &progress) {
  std::shared_ptr<Program> program(new Program);
  program->settings = settings;
  program->executable = model.getExecutable();
  if (!program->executable) {
    program->code = std::move(image.executable);
    auto executable = openExecutable(program->code);
    if (!executable)
      return executable.status();
    program->ownExecutable = std::move(*executable);
    program->executable = program->ownExecutable.get();
  }
  DML_TRY(progress.begin("loading weights", 0.6f));
  // Weights are read while the driver compiles.
  Expected<std::vector<WeightPointer>> weights = std::vector<WeightPointer>();
  std::future<void> loading = startThread([&] {
    weights =
        WeightLoader(store, model, image, caller, options, settings.waitLimit)
            .load(program->executable);
  });
  DML_TRY(progress.begin("creating pipelines", 0.7f));
  DML_TRY(program->initialize(store.getDevice(), model));
  loading.get();
  if (!weights)
    return weights.status();
  if (weights->empty())
    return program;
  program->weights = std::move(*weights);
  DML_TRY(program->bindWeights());
  return program;
}

Status Program::bindWeights() {
  // Weights are first bound in place, if possible. The program allocates memory
  // for weights at the first copy.
  std::vector<uint32_t> copied;
  for (uint32_t i = 0; i < weights.size(); ++i) {
    const DmlBufferRange *range = &weights[i]->range;
    Status status = call(dmlBindWeightInPlace, program.get(), i, range);
    if (status.result() == DML_ERROR_UNSUPPORTED)
      copied.push_back(i);
    else if (!status.ok())
      return status;
  }
  for (uint32_t i : copied) {
    const DmlBufferRange *range = &weights[i]->range;
    DML_TRY(call(dmlBindWeightFromBuffer, program.get(), i, range));
    weights[i].reset();
  }
  return call(dmlInitializeProgram, program.get());
}

Status Program::initialize(DmlDevice onDevice, const Model &model) {
  device = onDevice;
  DML_TRY(call(dmlFindFunction, executable, model.getFunction().c_str(),
               &function));
  auto created =
      session::create<ProgramHandle>(dmlCreateProgram, device, executable);
  if (!created)
    return created.status().in(model.getName());
  program = std::move(*created);
  DmlExecutableInfo contents{};
  dmlGetExecutableInfo(executable, &contents);
  codeBytes = code.size() + contents.constantSize;
  DmlFunctionInfo info{};
  DML_TRY(call(dmlGetFunctionInfo, executable, function, &info));
  slotBytes = info.temporarySize;
  auto describe = [&](auto getInfo, uint32_t count,
                      std::vector<DmlTensorInfo> &tensors) -> Status {
    tensors.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
      DML_TRY(call(getInfo, executable, function, i, &tensors[i]));
      slotBytes += tensors[i].bufferSize;
    }
    return Status();
  };
  DML_TRY(describe(dmlGetInputInfo, info.inputCount, inputs));
  DML_TRY(describe(dmlGetOutputInfo, info.outputCount, outputs));
  inPlace.resize(info.outputCount);
  for (uint32_t i = 0; i < info.outputCount; ++i)
    DML_TRY(call(dmlGetInPlaceInput, executable, function, i, &inPlace[i]));
  return settings.isTimed ? findSteps() : Status();
}

Status Program::findSteps() {
  DmlDeviceInfo properties{};
  dmlGetDeviceProperties(device, &properties);
  uint32_t number = 0;
  DML_TRY(call(dmlChooseVariant, executable, function,
               static_cast<const DmlDeviceInfo *>(&properties), &number));
  DmlVariantInfo variant{};
  DML_TRY(call(dmlGetVariantInfo, executable, function, number, &variant));
  steps.resize(variant.stepCount);
  for (uint32_t i = 0; i < variant.stepCount; ++i)
    DML_TRY(call(dmlGetStepInfo, executable, function, number, i, &steps[i]));
  return Status();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Program::Slot>> Program::takeSlot() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      std::unique_ptr<Slot> slot = std::move(idle.back());
      idle.pop_back();
      return slot;
    }
  }
  auto slot = std::make_unique<Slot>();
  DmlBindingTableCreateInfo info{};
  info.function = function;
  info.timestamps = settings.isTimed;
  auto table = session::create<TableHandle>(
      dmlCreateBindingTable, program.get(),
      static_cast<const DmlBindingTableCreateInfo *>(&info));
  if (!table)
    return table.status();
  slot->table = std::move(*table);
  slot->inputs.resize(inputs.size());
  slot->outputs.resize(outputs.size());
  slot->boundInputs.resize(inputs.size());
  return slot;
}

void Program::giveSlot(std::unique_ptr<Slot> slot) {
  std::lock_guard<std::mutex> lock(mutex);
  if (idle.size() >= mostIdle)
    return;
  idle.push_back(std::move(slot));
  slotCount = std::max<uint32_t>(slotCount, idle.size());
}

/// The largest size of a tensor that kernels access in the host's memory. A
/// copy between host and device is a submission of its own, which takes 20
/// microseconds or more, whereas a GPU reads 64 KiB from the host in 3
/// microseconds.
static constexpr uint64_t mostHostBytes = 1 << 16;

Expected<DmlBufferRange> Program::getBuffer(BufferHandle &buffer,
                                            const DmlTensorInfo &info,
                                            DmlMemory memory) {
  if (!buffer) {
    if (info.bufferSize > mostHostBytes)
      memory = DML_MEMORY_DEVICE;
    auto created = session::create<BufferHandle>(dmlCreateBuffer, device,
                                                 info.bufferSize, memory);
    if (!created)
      return created.status().in(info.name);
    buffer = std::move(*created);
  }
  DmlBufferInfo bufferInfo{};
  dmlGetBufferInfo(buffer.get(), &bufferInfo);
  return DmlBufferRange{bufferInfo.buffer, 0, bufferInfo.size};
}

Status Program::bindInput(Slot &slot, uint32_t index,
                          const DmlSessionTensor &tensor) {
  const DmlTensorInfo &info = inputs[index];
  DmlBufferRange range = tensor.buffer;
  if (tensor.data) {
    if (tensor.byteSize != info.byteSize)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "input '",
                       runtime::escape(info.name), "' has ", tensor.byteSize,
                       " bytes, but wanted are ", info.byteSize);
    Expected<DmlBufferRange> own =
        getBuffer(slot.inputs[index], info, DML_MEMORY_UPLOAD);
    if (!own)
      return own.status();
    range = *own;
    DML_TRY(call(dmlWriteBuffer, slot.inputs[index].get(), uint64_t(0),
                 static_cast<const void *>(tensor.data), tensor.byteSize));
  }
  // Each run binds all buffers: the caller may have destroyed the buffer of an
  // earlier run, and its handle may now belong to another buffer. The binding
  // table knows both, and keeps the commands of the last sets of buffers.
  DML_TRY(call(dmlBindInput, slot.table.get(), index,
               static_cast<const DmlBufferRange *>(&range)));
  slot.boundInputs[index] = range;
  return Status();
}

Expected<DmlBufferRange> Program::getOwnOutput(Slot &slot, uint32_t index,
                                               const DmlSessionTensor *tensor) {
  const DmlTensorInfo &info = outputs[index];
  if (inPlace[index] == UINT32_MAX)
    return getBuffer(slot.outputs[index], info, DML_MEMORY_READBACK);
  uint32_t input = inPlace[index];
  const DmlBufferRange &range = slot.boundInputs[input];
  DmlBufferInfo own{};
  if (slot.inputs[input])
    dmlGetBufferInfo(slot.inputs[input].get(), &own);
  if (tensor && range.buffer != own.buffer)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "output '",
                     runtime::escape(info.name), "' is in the place of input '",
                     runtime::escape(inputs[input].name),
                     "', which is in a buffer; wanted is the range of the "
                     "input for the output as well");
  return range;
}

Status Program::bindOutput(Slot &slot, uint32_t index,
                           const DmlSessionTensor *tensor) {
  const DmlTensorInfo &info = outputs[index];
  DmlBufferRange range{};
  if (tensor && tensor->buffer.buffer) {
    range = tensor->buffer;
  } else {
    if (tensor && tensor->data && tensor->byteSize < info.byteSize)
      return makeError(DML_ERROR_INVALID_ARGUMENT, "output '",
                       runtime::escape(info.name), "' has ", tensor->byteSize,
                       " bytes, but wanted are ", info.byteSize);
    Expected<DmlBufferRange> own = getOwnOutput(slot, index, tensor);
    if (!own)
      return own.status();
    range = *own;
  }
  return call(dmlBindOutput, slot.table.get(), index,
              static_cast<const DmlBufferRange *>(&range));
}

Status Program::readOutputs(Slot &slot,
                            llvm::ArrayRef<DmlSessionTensor *> tensors,
                            std::vector<HostMemory> &results) {
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    if (!tensor || tensor->buffer.buffer)
      continue;
    void *data = tensor->data;
    if (!data) {
      data = std::malloc(std::max<size_t>(outputs[i].byteSize, 1));
      results[i].reset(data);
      if (!data)
        return makeError(DML_ERROR_OUT_OF_MEMORY, "there is no memory for the ",
                         outputs[i].byteSize, " bytes of output '",
                         runtime::escape(outputs[i].name), "'");
    }
    const BufferHandle &buffer =
        inPlace[i] == UINT32_MAX ? slot.outputs[i] : slot.inputs[inPlace[i]];
    DML_TRY(call(dmlReadBuffer, buffer.get(), uint64_t(0), data,
                 static_cast<size_t>(outputs[i].byteSize)));
  }
  return Status();
}

/// The host's time in nanoseconds.
static uint64_t getTime() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Status Program::execute(Slot &slot, StepTimes &times) {
  times.submitTime = getTime();
  DML_TRY(call(dmlSubmit, slot.table.get(),
               static_cast<const DmlSubmitInfo *>(nullptr)));
  DML_TRY(call(dmlWait, slot.table.get(), settings.waitLimit));
  times.finishTime = getTime();
  if (!settings.isTimed)
    return Status();
  times.steps.resize(steps.size());
  return call(dmlGetStepTimes, slot.table.get(), uint32_t(0),
              static_cast<uint32_t>(steps.size()), times.steps.data());
}

Status Program::run(llvm::ArrayRef<const DmlSessionTensor *> given,
                    llvm::ArrayRef<DmlSessionTensor *> wanted,
                    std::vector<HostMemory> &results, StepTimes &times) {
  Expected<std::unique_ptr<Slot>> slot = takeSlot();
  if (!slot)
    return slot.status();
  // The slot of a run that fails is destroyed, which waits for its work.
  for (auto [i, tensor] : llvm::enumerate(given))
    DML_TRY(bindInput(**slot, i, *tensor));
  for (auto [i, tensor] : llvm::enumerate(wanted))
    DML_TRY(bindOutput(**slot, i, tensor));
  DML_TRY(execute(**slot, times));
  results.resize(outputs.size());
  DML_TRY(readOutputs(**slot, wanted, results));
  giveSlot(std::move(*slot));
  return Status();
}
