//===- Weights.cpp - Weights on a device, which stand there once ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Weights.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

using namespace dml;
using namespace dml::session;

/// The most bytes of a weight that are in host memory at a time.
static constexpr uint64_t pieceBytes = 1 << 20;

//===----------------------------------------------------------------------===//
// The store
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<WeightStore>> WeightStore::get(DmlDevice device) {
  static std::mutex storesMutex;
  static std::map<VkDevice, std::weak_ptr<WeightStore>> stores;
  DmlVulkanDevice vulkan{};
  dmlGetVulkanDevice(device, &vulkan);
  std::lock_guard<std::mutex> lock(storesMutex);
  std::weak_ptr<WeightStore> &known = stores[vulkan.device];
  // A store keeps its device, so that no other device has the handle.
  if (std::shared_ptr<WeightStore> store = known.lock())
    return store;
  auto shared = create<DeviceHandle>(dmlShareDevice, device);
  if (!shared)
    return shared.status();
  auto store = std::make_shared<WeightStore>(std::move(*shared));
  known = store;
  return store;
}

WeightPointer WeightStore::find(const Digest &key) const {
  auto found = weights.find(key);
  return found == weights.end() ? nullptr : found->second.lock();
}

void WeightStore::add(const Digest &key, const WeightPointer &weight) {
  weights[key] = weight;
  if (weights.size() < mostKeys)
    return;
  // The keys of weights that have gone go, too.
  for (auto it = weights.begin(); it != weights.end();)
    it = it->second.expired() ? weights.erase(it) : std::next(it);
  mostKeys = 2 * weights.size() + 64;
}

Expected<WeightPointer> WeightStore::allocate(uint64_t size) const {
  auto weight = std::make_shared<DeviceWeight>();
  auto buffer =
      create<BufferHandle>(dmlCreateBuffer, device.get(),
                           llvm::alignTo(size, 16), DML_MEMORY_DEVICE);
  if (!buffer)
    return buffer.status();
  weight->buffer = std::move(*buffer);
  DmlBufferInfo info{};
  dmlGetBufferInfo(weight->buffer.get(), &info);
  weight->range = {info.buffer, 0, info.size};
  return weight;
}

uint64_t WeightStore::countBytes() {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t bytes = 0;
  for (const auto &[key, known] : weights)
    if (WeightPointer weight = known.lock())
      bytes += weight->range.size;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Fills `size` bytes of a buffer in pieces. `read` may return fewer bytes than
/// requested.
static Status fillBuffer(
    DmlBuffer buffer, uint64_t size,
    llvm::function_ref<Expected<size_t>(uint64_t offset,
                                        llvm::MutableArrayRef<char> piece)>
        read) {
  DmlBufferInfo info{};
  dmlGetBufferInfo(buffer, &info);
  std::vector<char> piece(info.mapped ? 0 : std::min(size, pieceBytes));
  for (uint64_t done = 0; done < size;) {
    auto wanted = static_cast<size_t>(std::min(size - done, pieceBytes));
    // If the buffer is mapped, the bytes are read directly into it.
    char *to =
        info.mapped ? static_cast<char *>(info.mapped) + done : piece.data();
    Expected<size_t> count = read(done, {to, wanted});
    if (!count)
      return count.status();
    if (!info.mapped)
      DML_TRY(call(dmlWriteBuffer, buffer, done, static_cast<const void *>(to),
                   *count));
    done += *count;
  }
  return Status();
}

/// Reads `size` bytes of a file into a buffer.
static Status readFile(const std::string &path, uint64_t offset, uint64_t size,
                       DmlBuffer buffer) {
  auto fail = [&](llvm::Error error) {
    return makeError(DML_ERROR_IO, "cannot read '", path,
                     "': ", llvm::toString(std::move(error)));
  };
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return fail(file.takeError());
  auto close = llvm::scope_exit([&] { (void)llvm::sys::fs::closeFile(*file); });
  return fillBuffer(
      buffer, size,
      [&](uint64_t done,
          llvm::MutableArrayRef<char> piece) -> Expected<size_t> {
        llvm::Expected<size_t> count =
            llvm::sys::fs::readNativeFileSlice(*file, piece, offset + done);
        if (!count)
          return fail(count.takeError());
        if (*count == 0)
          return makeError(DML_ERROR_IO, "'", path, "' ends at byte ",
                           offset + done, ", but a weight has bytes up to ",
                           offset + size);
        return *count;
      });
}

/// Reads a weight of a built model into a buffer.
static Status readBuilt(const BuiltWeight &weight, const WeightSource &source,
                        DmlBuffer buffer) {
  if (weight.getData())
    return call(dmlWriteBuffer, buffer, uint64_t(0),
                static_cast<const void *>(weight.getData() + source.offset),
                static_cast<size_t>(source.size));
  return fillBuffer(
      buffer, source.size,
      [&](uint64_t done,
          llvm::MutableArrayRef<char> piece) -> Expected<size_t> {
        if (llvm::Error error = weight.read(source.offset + done, piece))
          return Status(DML_ERROR_IO, llvm::toString(std::move(error)));
        return piece.size();
      });
}

Expected<llvm::StringRef>
WeightLoader::findMemory(const WeightSource &source,
                         const DmlTensorInfo &tensor) const {
  switch (source.kind) {
  case WeightSource::Kind::Prepared:
  case WeightSource::Kind::Built:
    break;
  case WeightSource::Kind::Own:
    return llvm::StringRef(image.bytes.data() + source.offset, source.size);
  case WeightSource::Kind::File:
    if (source.index == 0 && model.getCallerBytes())
      return model.getCallerBytes()->substr(source.offset, source.size);
    break;
  case WeightSource::Kind::Caller:
    auto given = caller.bytes.find(tensor.name);
    if (given == caller.bytes.end())
      return makeError(DML_ERROR_INVALID_ARGUMENT, "the weight '",
                       runtime::escape(tensor.name),
                       "' has no bytes in the model; wanted are ",
                       tensor.byteSize,
                       " from DmlSessionCreateInfo::weights or weightsPath");
    return given->second;
  }
  return llvm::StringRef();
}

Expected<Digest> WeightLoader::getKey(const WeightSource &source,
                                      const DmlTensorInfo &tensor) const {
  if (source.kind == WeightSource::Kind::Prepared)
    return preparedKeys[source.index];
  Expected<llvm::StringRef> memory = findMemory(source, tensor);
  if (!memory)
    return memory.status();
  uint64_t size = memory->data() ? memory->size() : source.size;
  if (size != tensor.byteSize)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "the weight '",
                     runtime::escape(tensor.name), "' has ", size,
                     " bytes, but wanted are ", tensor.byteSize);
  Digester digester;
  digester.add(tensor.bufferSize);
  digester.add(uint64_t(memory->data() != nullptr));
  if (source.kind == WeightSource::Kind::Built) {
    model.getBuilt()->addIdentity(source.index, digester);
    digester.add(source.offset);
    digester.add(source.size);
  } else if (memory->data()) {
    digester.add(*memory);
  } else {
    const WeightFile &file = image.files[source.index];
    digester.add(llvm::StringRef(file.path));
    file.state.addTo(digester);
    digester.add(source.offset);
    digester.add(source.size);
  }
  return digester.finish();
}

Status WeightLoader::fill(const WeightSource &source,
                          const DmlTensorInfo &tensor, DmlBuffer buffer) const {
  if (source.kind == WeightSource::Kind::Built)
    return readBuilt(*model.getBuilt()->getWeights()[source.index], source,
                     buffer)
        .in(model.getName());
  Expected<llvm::StringRef> memory = findMemory(source, tensor);
  if (!memory)
    return memory.status();
  if (memory->data())
    return call(dmlWriteBuffer, buffer, uint64_t(0),
                static_cast<const void *>(memory->data()), memory->size());
  return readFile(image.files[source.index].path, source.offset, source.size,
                  buffer);
}

Expected<WeightPointer> WeightLoader::loadWeight(const WeightSource &source,
                                                 const DmlTensorInfo &tensor) {
  Expected<Digest> key = getKey(source, tensor);
  if (!key)
    return key.status();
  if (WeightPointer weight = store.find(*key))
    return weight;
  Expected<WeightPointer> weight = store.allocate(tensor.bufferSize);
  if (!weight)
    return weight;
  DML_TRY(fill(source, tensor, (*weight)->buffer.get()));
  store.add(*key, *weight);
  return weight;
}

Status WeightLoader::checkFiles() const {
  for (const WeightFile &file : image.files)
    if (&file != &image.files.front() || model.isFile())
      DML_TRY(wantState(file.path, file.state));
  return Status();
}

//===----------------------------------------------------------------------===//
// The preparation
//===----------------------------------------------------------------------===//

Status WeightLoader::runPreparation(DmlExecutable executable,
                                    llvm::ArrayRef<DmlTensorInfo> inputs) {
  auto program =
      create<ProgramHandle>(dmlCreateProgram, store.getDevice(), executable);
  if (!program)
    return program.status();
  DmlBindingTableCreateInfo info{};
  auto table = create<TableHandle>(
      dmlCreateBindingTable, program->get(),
      static_cast<const DmlBindingTableCreateInfo *>(&info));
  if (!table)
    return table.status();
  for (auto [i, tensor] : llvm::enumerate(inputs)) {
    Expected<WeightPointer> weight =
        loadWeight(image.preparationWeights[i], tensor);
    if (!weight)
      return weight.status();
    kept.push_back(*weight);
    DML_TRY(call(dmlBindInput, table->get(), static_cast<uint32_t>(i),
                 static_cast<const DmlBufferRange *>(&kept.back()->range)));
  }
  for (uint32_t i = 0; i < prepared.size(); ++i) {
    DmlTensorInfo output{};
    DML_TRY(call(dmlGetOutputInfo, executable, 0u, i, &output));
    // A result that is there already is computed beside it, and given up.
    Expected<WeightPointer> weight = store.allocate(output.bufferSize);
    if (!weight)
      return weight.status();
    kept.push_back(*weight);
    DML_TRY(call(dmlBindOutput, table->get(), i,
                 static_cast<const DmlBufferRange *>(&kept.back()->range)));
  }
  DML_TRY(call(dmlSubmit, table->get(),
               static_cast<const DmlSubmitInfo *>(nullptr)));
  DML_TRY(call(dmlWait, table->get(), waitLimit));
  for (auto [i, weight] : llvm::enumerate(prepared)) {
    // The preparation may return the same result twice, in two shapes.
    if (!weight)
      weight = store.find(preparedKeys[i]);
    if (weight)
      continue;
    weight = kept[inputs.size() + i];
    store.add(preparedKeys[i], weight);
  }
  return Status();
}

Status WeightLoader::prepare() {
  if (image.preparation.empty())
    return Status();
  auto executable = openExecutable(image.preparation);
  if (!executable)
    return executable.status();
  std::vector<DmlTensorInfo> inputs(image.preparationWeights.size());
  std::vector<Digest> keys;
  for (auto [i, tensor] : llvm::enumerate(inputs)) {
    DML_TRY(call(dmlGetInputInfo, executable->get(), 0u,
                 static_cast<uint32_t>(i), &tensor));
    Expected<Digest> key = getKey(image.preparationWeights[i], tensor);
    if (!key)
      return key.status();
    keys.push_back(*key);
  }
  bool isComplete = true;
  for (const PreparedWeight &weight : image.prepared) {
    Digester digester;
    digester.add(options);
    digester.add(weight.computation);
    for (uint32_t index : weight.weights)
      digester.add(keys[index]);
    preparedKeys.push_back(digester.finish());
    prepared.push_back(store.find(preparedKeys.back()));
    isComplete &= prepared.back() != nullptr;
  }
  return isComplete ? Status() : runPreparation(executable->get(), inputs);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Expected<std::vector<WeightPointer>>
WeightLoader::load(DmlExecutable executable) noexcept {
  std::lock_guard<std::mutex> lock(store.mutex);
  DML_TRY(checkFiles());
  DML_TRY(prepare());
  std::vector<WeightPointer> weights;
  for (auto [i, source] : llvm::enumerate(image.weights)) {
    DmlWeightInfo info{};
    DML_TRY(
        call(dmlGetWeightInfo, executable, static_cast<uint32_t>(i), &info));
    if (source.kind == WeightSource::Kind::Prepared) {
      weights.push_back(prepared[source.index]);
      continue;
    }
    Expected<WeightPointer> weight = loadWeight(source, info.tensor);
    if (!weight)
      return weight.status();
    weights.push_back(std::move(*weight));
  }
  DML_TRY(checkFiles());
  return weights;
}
