//===- Memory.cpp - Device memory for ONNX Runtime ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "Options.h"
#include <algorithm>
#include <climits>
#include <cstring>
#include <sys/mman.h>

using namespace dml;
using namespace dml::provider;

/// The vendor of the memory. It is none of the PCI bus, so that ONNX Runtime
/// does not take the memory of another provider on the same card for this one.
static constexpr uint32_t memoryVendor = 0x646d6c;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

uint32_t DeviceMemory::addDevice(const DmlDeviceInfo &info) {
  auto number = static_cast<uint32_t>(known.size());
  Device device;
  device.selector = getSelector(info);
  OrtMemoryInfo *memory = nullptr;
  check(ort().CreateMemoryInfo_V2(
      providerName, OrtMemoryInfoDeviceType_GPU, memoryVendor,
      static_cast<int32_t>(number), OrtDeviceMemoryType_DEFAULT,
      /*alignment=*/0, OrtDeviceAllocator, &memory));
  device.info.reset(memory);
  known.push_back(std::move(device));
  return number;
}

std::optional<uint32_t>
DeviceMemory::findDevice(const OrtMemoryDevice *memory) const {
  for (uint32_t i = 0; i < known.size(); ++i)
    if (ep().MemoryDevice_AreEqual(
            memory, ep().MemoryInfo_GetMemoryDevice(known[i].info.get())))
      return i;
  return std::nullopt;
}

/// The size of the block for an allocation: few sizes, so that blocks fit
/// again.
static size_t roundSize(size_t size) {
  constexpr size_t least = 256, step = size_t(1) << 20;
  if (size > step)
    return (size + step - 1) / step * step;
  size_t rounded = least;
  while (rounded < size)
    rounded *= 2;
  return rounded;
}

DeviceMemory::Device &DeviceMemory::openLocked(uint32_t number) {
  Device &device = known[number];
  if (!device.handle) {
    device.handle = devices.open(device.selector);
    device.vulkan = std::make_unique<Vulkan>(device.handle.get());
  }
  return device;
}

const Vulkan &DeviceMemory::open(uint32_t number) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  return *openLocked(number).vulkan;
}

/// Reserves addresses for a buffer. Destroys the buffer where there are none.
void *DeviceMemory::addBlock(uint32_t number, DmlBuffer buffer,
                             VkBuffer vulkanBuffer, size_t size) {
  void *address = mmap(nullptr, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    dmlDestroyBuffer(buffer);
    throw Failure("there are no addresses for " + std::to_string(size) +
                  " bytes of device memory");
  }
  blocks[reinterpret_cast<uintptr_t>(address)] = {number, buffer, vulkanBuffer,
                                                  size};
  return address;
}

/// Small tensors are in memory of the host that kernels read and write: a copy
/// to memory of a GPU is a submission of its own, which takes longer than the
/// way of 16 KiB over PCI Express, less than 1 us at 20 GB/s.
static constexpr size_t mostMappedBytes = 16 << 10;

void *DeviceMemory::createBlock(uint32_t number, size_t size) {
  Device &device = openLocked(number);
  DmlBuffer buffer = nullptr;
  auto create = [&] {
    dml::detail::check(dmlCreateBuffer, device.handle.get(), uint64_t(size),
                       size <= mostMappedBytes ? DML_MEMORY_READBACK
                                               : DML_MEMORY_DEVICE,
                       &buffer);
  };
  try {
    create();
  } catch (const dml::Error &error) {
    if (error.result() != DML_ERROR_OUT_OF_MEMORY || device.free.empty())
      throw;
    destroyFree(device);
    create();
  }
  DmlBufferInfo info{};
  dmlGetBufferInfo(buffer, &info);
  return addBlock(number, buffer, info.buffer, size);
}

void *DeviceMemory::addImported(uint32_t device, VkBuffer buffer, size_t size) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  return addBlock(device, nullptr, buffer, size);
}

void DeviceMemory::removeImported(void *address) {
  std::unique_lock<std::shared_mutex> lock(mutex);
  destroyBlock(reinterpret_cast<uintptr_t>(address));
}

void DeviceMemory::destroyBlock(uintptr_t address) {
  auto block = blocks.find(address);
  dmlDestroyBuffer(block->second.buffer);
  munmap(reinterpret_cast<void *>(address), block->second.size);
  blocks.erase(block);
}

void DeviceMemory::destroyFree(Device &device) {
  for (const auto &[size, address] : device.free)
    destroyBlock(address);
  device.free.clear();
  device.freeBytes = 0;
}

DeviceMemory::~DeviceMemory() {
  while (!blocks.empty())
    destroyBlock(blocks.begin()->first);
}

void *DeviceMemory::allocate(uint32_t number, size_t bytes) {
  size_t size = roundSize(bytes);
  std::unique_lock<std::shared_mutex> lock(mutex);
  Device &device = known[number];
  auto found = device.free.find(size);
  if (found == device.free.end())
    return createBlock(number, size);
  uintptr_t address = found->second;
  device.free.erase(found);
  device.freeBytes -= size;
  return reinterpret_cast<void *>(address);
}

void DeviceMemory::free(void *pointer) {
  constexpr size_t mostFree = size_t(256) << 20;
  if (!pointer)
    return;
  auto address = reinterpret_cast<uintptr_t>(pointer);
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto block = blocks.find(address);
  if (block == blocks.end())
    return;
  Device &device = known[block->second.device];
  size_t size = block->second.size;
  if (device.freeBytes + size > mostFree)
    return destroyBlock(address);
  device.free.emplace(size, address);
  device.freeBytes += size;
}

std::optional<DevicePlace> DeviceMemory::find(const void *pointer) const {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  std::shared_lock<std::shared_mutex> lock(mutex);
  auto next = blocks.upper_bound(address);
  if (next == blocks.begin())
    return std::nullopt;
  const auto &[base, block] = *std::prev(next);
  if (address - base >= block.size)
    return std::nullopt;
  const Device &device = known[block.device];
  return DevicePlace{device.handle.get(), device.vulkan.get(),
                     block.buffer,        block.vulkanBuffer,
                     address - base,      block.size - (address - base)};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// A mapped buffer, through which the host reads and writes imported memory.
class Staging {
public:
  Staging(DmlDevice device, size_t size, DmlMemory memory) {
    dml::detail::check(dmlCreateBuffer, device, uint64_t(size), memory,
                       &buffer);
    dmlGetBufferInfo(buffer, &info);
  }
  ~Staging() { dmlDestroyBuffer(buffer); }
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  DmlBufferInfo info{};

private:
  DmlBuffer buffer = nullptr;
};
} // namespace

static void write(const DevicePlace &to, const void *from, size_t size) {
  if (to.buffer)
    return dml::detail::check(dmlWriteBuffer, to.buffer, to.offset, from, size);
  Staging staging(to.device, size, DML_MEMORY_UPLOAD);
  std::memcpy(staging.info.mapped, from, size);
  to.vulkan->copy(to.vulkanBuffer, to.offset, staging.info.buffer, 0, size);
}

static void read(const DevicePlace &from, void *to, size_t size) {
  if (from.buffer)
    return dml::detail::check(dmlReadBuffer, from.buffer, from.offset, to,
                              size);
  Staging staging(from.device, size, DML_MEMORY_READBACK);
  from.vulkan->copy(staging.info.buffer, 0, from.vulkanBuffer, from.offset,
                    size);
  std::memcpy(to, staging.info.mapped, size);
}

/// Copies from one device to another, through the host.
static void copyThroughHost(const DevicePlace &to, const DevicePlace &from,
                            size_t size) {
  constexpr size_t mostBytes = size_t(1) << 24;
  std::vector<char> bytes(std::min(size, mostBytes));
  for (size_t at = 0; at < size; at += bytes.size()) {
    size_t count = std::min(bytes.size(), size - at);
    DevicePlace source = from, target = to;
    source.offset += at;
    target.offset += at;
    read(source, bytes.data(), count);
    write(target, bytes.data(), count);
  }
}

void DeviceMemory::copy(void *to, const void *from, size_t size) const {
  std::optional<DevicePlace> target = find(to), source = find(from);
  if (size == 0)
    return;
  if ((target && target->size < size) || (source && source->size < size))
    throw Failure("a copy of " + std::to_string(size) +
                  " bytes passes the end of an allocation of device memory");
  if (target && source && target->device == source->device)
    target->vulkan->copy(target->vulkanBuffer, target->offset,
                         source->vulkanBuffer, source->offset, size);
  else if (target && source)
    copyThroughHost(*target, *source, size);
  else if (target)
    write(*target, from, size);
  else if (source)
    read(*source, to, size);
  else
    std::memcpy(to, from, size);
}

/// Copies a tensor into another one of the same number of bytes.
static void copyTensor(const DeviceMemory &memory, const OrtValue *from,
                       OrtValue *to) {
  size_t size = get<size_t>(ort().GetTensorSizeInBytes, from);
  size_t wanted = get<size_t>(ort().GetTensorSizeInBytes, to);
  if (size != wanted)
    throw Failure("a tensor of " + std::to_string(size) +
                  " bytes is to be copied to one of " + std::to_string(wanted));
  void *target = nullptr;
  check(ort().GetTensorMutableData(to, &target));
  memory.copy(target, get<const void *>(ort().GetTensorData, from), size);
}

DataTransfer::DataTransfer(const DeviceMemory &memory)
    : OrtDataTransferImpl{}, memory(memory) {
  ort_version_supported = getApi().version;
  Release = [](OrtDataTransferImpl *self) noexcept {
    delete static_cast<DataTransfer *>(self);
  };
  CanCopy = [](const OrtDataTransferImpl *self, const OrtMemoryDevice *from,
               const OrtMemoryDevice *to) noexcept {
    const DeviceMemory &memory =
        static_cast<const DataTransfer *>(self)->memory;
    bool isFromOurs = memory.findDevice(from).has_value();
    bool isToOurs = memory.findDevice(to).has_value();
    auto isHost = [](const OrtMemoryDevice *device) {
      return ep().MemoryDevice_GetDeviceType(device) ==
             OrtMemoryInfoDeviceType_CPU;
    };
    return (isFromOurs && (isToOurs || isHost(to))) ||
           (isToOurs && isHost(from));
  };
  CopyTensors = [](OrtDataTransferImpl *self, const OrtValue **from,
                   OrtValue **to, OrtSyncStream **, size_t count) noexcept {
    return guard([&] {
      for (size_t i = 0; i < count; ++i)
        copyTensor(static_cast<DataTransfer *>(self)->memory, from[i], to[i]);
    });
  };
}

//===----------------------------------------------------------------------===//
// Allocators
//===----------------------------------------------------------------------===//

DeviceAllocator::DeviceAllocator(DeviceMemory &memory, uint32_t device)
    : OrtAllocator{}, memory(memory), device(device) {
  version = getApi().version;
  // ONNX Runtime takes a null pointer for an error.
  Alloc = [](OrtAllocator *self, size_t size) noexcept -> void * {
    auto *own = static_cast<DeviceAllocator *>(self);
    try {
      return own->memory.allocate(own->device, size);
    } catch (...) {
      return nullptr;
    }
  };
  Reserve = Alloc;
  Free = [](OrtAllocator *self, void *address) noexcept {
    static_cast<DeviceAllocator *>(self)->memory.free(address);
  };
  Info = [](const OrtAllocator *self) noexcept {
    auto *own = static_cast<const DeviceAllocator *>(self);
    return own->memory.getInfo(own->device);
  };
}

//===----------------------------------------------------------------------===//
// Kernels that copy
//===----------------------------------------------------------------------===//

namespace {
/// The kernel of MemcpyFromHost and of MemcpyToHost.
class CopyKernel : public OrtKernelImpl {
public:
  explicit CopyKernel(DeviceMemory &memory) : OrtKernelImpl{}, memory(memory) {
    ort_version_supported = getApi().version;
    Compute = [](OrtKernelImpl *self, OrtKernelContext *context) noexcept {
      return guard([&] { static_cast<CopyKernel *>(self)->run(context); });
    };
    Release = [](OrtKernelImpl *self) noexcept {
      delete static_cast<CopyKernel *>(self);
    };
  }

private:
  void run(OrtKernelContext *context) const;

  DeviceMemory &memory;
};
} // namespace

void CopyKernel::run(OrtKernelContext *context) const {
  const auto *input =
      get<const OrtValue *>(ort().KernelContext_GetInput, context, size_t(0));
  Owned<OrtTensorTypeAndShapeInfo> info(
      get<OrtTensorTypeAndShapeInfo *>(ort().GetTensorTypeAndShape, input));
  std::vector<int64_t> sizes(get<size_t>(ort().GetDimensionsCount, info.get()));
  if (!sizes.empty())
    check(ort().GetDimensions(info.get(), sizes.data(), sizes.size()));
  auto *output =
      get<OrtValue *>(ort().KernelContext_GetOutput, context, size_t(0),
                      static_cast<const int64_t *>(sizes.data()), sizes.size());
  copyTensor(memory, input, output);
}

/// The types of tensors that are copied: those that dml has.
static std::vector<const OrtDataType *> getTypes() {
  std::vector<const OrtDataType *> types;
  for (auto type :
       {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4,
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4})
    types.push_back(get<const OrtDataType *>(ep().GetTensorDataType, type));
  return types;
}

static void addCopyKernel(OrtKernelRegistry *registry, const char *name,
                          bool isFromHost, DeviceMemory &memory) {
  auto *builder = get<OrtKernelDefBuilder *>(ep().CreateKernelDefBuilder);
  std::unique_ptr<OrtKernelDefBuilder, void (*)(OrtKernelDefBuilder *)> owned(
      builder, ep().ReleaseKernelDefBuilder);
  check(ep().KernelDefBuilder_SetOperatorType(builder, name));
  check(ep().KernelDefBuilder_SetDomain(builder, ""));
  check(ep().KernelDefBuilder_SetSinceVersion(builder, 1, INT_MAX));
  check(ep().KernelDefBuilder_SetExecutionProvider(builder, providerName));
  if (isFromHost)
    check(
        ep().KernelDefBuilder_SetInputMemType(builder, 0, OrtMemTypeCPUInput));
  else
    check(ep().KernelDefBuilder_SetOutputMemType(builder, 0,
                                                 OrtMemTypeCPUOutput));
  std::vector<const OrtDataType *> types = getTypes();
  check(ep().KernelDefBuilder_AddTypeConstraint(builder, "T", types.data(),
                                                types.size()));
  auto *definition = get<OrtKernelDef *>(ep().KernelDefBuilder_Build, builder);
  std::unique_ptr<OrtKernelDef, void (*)(OrtKernelDef *)> ownedDefinition(
      definition, ep().ReleaseKernelDef);
  auto create = [](void *state, const OrtKernelInfo *,
                   OrtKernelImpl **kernel) noexcept {
    return guard(
        [&] { *kernel = new CopyKernel(*static_cast<DeviceMemory *>(state)); });
  };
  check(ep().KernelRegistry_AddKernel(registry, definition, create, &memory));
}

OrtKernelRegistry *provider::createCopyKernels(DeviceMemory &memory) {
  auto *registry = get<OrtKernelRegistry *>(ep().CreateKernelRegistry);
  std::unique_ptr<OrtKernelRegistry, void (*)(OrtKernelRegistry *)> owned(
      registry, ep().ReleaseKernelRegistry);
  addCopyKernel(registry, "MemcpyFromHost", /*isFromHost=*/true, memory);
  addCopyKernel(registry, "MemcpyToHost", /*isFromHost=*/false, memory);
  return owned.release();
}
