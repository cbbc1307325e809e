//===- External.cpp - Memory and semaphores of other devices --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "External.h"
#include "Graph.h"
#include <unistd.h>

using namespace dml;
using namespace dml::provider;

/// A copy of a descriptor, which Vulkan takes if the import succeeds.
static int duplicate(void *handle) {
  int copy = dup(static_cast<int>(reinterpret_cast<intptr_t>(handle)));
  if (copy < 0)
    throw Failure("the handle is no descriptor of an open file",
                  ORT_INVALID_ARGUMENT);
  return copy;
}

namespace {
/// Memory that was imported, as a buffer with addresses.
class ImportedMemory : public OrtExternalMemoryHandle {
public:
  ImportedMemory(DeviceMemory &memory, uint32_t device,
                 const OrtEpDevice *epDevice,
                 const OrtExternalMemoryDescriptor &given);
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory &) = delete;
  ImportedMemory &operator=(const ImportedMemory &) = delete;

  /// Makes a tensor in the memory.
  OrtValue *makeTensor(const OrtExternalTensorDescriptor &tensor) const;

private:
  void createBuffer();
  void import();

  DeviceMemory &memory;
  const uint32_t device;
  const Vulkan &vulkan;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory allocation = VK_NULL_HANDLE;
  void *address = nullptr;
};

/// A timeline semaphore that was imported.
class ImportedSemaphore : public OrtExternalSemaphoreHandle {
public:
  ImportedSemaphore(const Vulkan &vulkan, const OrtEpDevice *epDevice,
                    const OrtExternalSemaphoreDescriptor &given);
  ~ImportedSemaphore() {
    vulkan.DestroySemaphore(vulkan.getDevice(), semaphore, nullptr);
  }
  ImportedSemaphore(const ImportedSemaphore &) = delete;
  ImportedSemaphore &operator=(const ImportedSemaphore &) = delete;

  void wait(uint64_t value) const;
  void signal(uint64_t value) const;

private:
  const Vulkan &vulkan;
  VkSemaphore semaphore = VK_NULL_HANDLE;
};

class Importer : public OrtExternalResourceImporterImpl {
public:
  Importer(DeviceMemory &memory, uint32_t device, const OrtEpDevice *epDevice);

private:
  void setMemoryFunctions();
  void setSemaphoreFunctions();

  DeviceMemory &memory;
  const uint32_t device;
  const OrtEpDevice *const epDevice;
  const Vulkan &vulkan;
};
} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

ImportedMemory::ImportedMemory(DeviceMemory &memory, uint32_t device,
                               const OrtEpDevice *epDevice,
                               const OrtExternalMemoryDescriptor &given)
    : OrtExternalMemoryHandle{}, memory(memory), device(device),
      vulkan(memory.open(device)) {
  version = getApi().version;
  ep_device = epDevice;
  descriptor = given;
  Release = [](OrtExternalMemoryHandle *self) noexcept {
    delete static_cast<ImportedMemory *>(self);
  };
  if (given.handle_type != ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD)
    throw Failure("the handle has the type " +
                      std::to_string(int(given.handle_type)) +
                      ", but wanted is an opaque file descriptor of Vulkan",
                  ORT_NOT_IMPLEMENTED);
  if (given.offset_bytes >= given.size_bytes)
    throw Failure("the offset " + std::to_string(given.offset_bytes) +
                      " is not within the " + std::to_string(given.size_bytes) +
                      " bytes of the memory",
                  ORT_INVALID_ARGUMENT);
  try {
    createBuffer();
    import();
    address = memory.addImported(device, buffer, given.size_bytes);
  } catch (...) {
    vulkan.DestroyBuffer(vulkan.getDevice(), buffer, nullptr);
    vulkan.FreeMemory(vulkan.getDevice(), allocation, nullptr);
    throw;
  }
}

ImportedMemory::~ImportedMemory() {
  memory.removeImported(address);
  vulkan.DestroyBuffer(vulkan.getDevice(), buffer, nullptr);
  vulkan.FreeMemory(vulkan.getDevice(), allocation, nullptr);
}

void ImportedMemory::createBuffer() {
  VkExternalMemoryBufferCreateInfo external{
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external};
  info.size = descriptor.size_bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Vulkan::check(
      vulkan.CreateBuffer(vulkan.getDevice(), &info, nullptr, &buffer),
      "vkCreateBuffer");
}

void ImportedMemory::import() {
  VkMemoryRequirements wanted;
  vulkan.GetBufferMemoryRequirements(vulkan.getDevice(), buffer, &wanted);
  if (wanted.size > descriptor.size_bytes)
    throw Failure("the memory has " + std::to_string(descriptor.size_bytes) +
                      " bytes, but a buffer in it needs " +
                      std::to_string(wanted.size),
                  ORT_INVALID_ARGUMENT);
  VkImportMemoryFdInfoKHR from{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
  from.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &from};
  info.allocationSize = descriptor.size_bytes;
  info.memoryTypeIndex = vulkan.findMemoryType(wanted.memoryTypeBits);
  from.fd = duplicate(descriptor.native_handle);
  VkResult result =
      vulkan.AllocateMemory(vulkan.getDevice(), &info, nullptr, &allocation);
  if (result != VK_SUCCESS)
    close(from.fd);
  Vulkan::check(result, "vkAllocateMemory with memory that is imported");
  Vulkan::check(
      vulkan.BindBufferMemory(vulkan.getDevice(), buffer, allocation, 0),
      "vkBindBufferMemory");
}

OrtValue *
ImportedMemory::makeTensor(const OrtExternalTensorDescriptor &tensor) const {
  uint64_t room = descriptor.size_bytes - descriptor.offset_bytes;
  uint64_t bits = getBits(static_cast<DmlElementType>(tensor.element_type)),
           count = 1;
  // Sizes whose product passes 64 bits do not fit anywhere.
  for (size_t i = 0; i < tensor.rank; ++i)
    if (tensor.shape[i] < 0 ||
        __builtin_mul_overflow(count, uint64_t(tensor.shape[i]), &count))
      throw Failure("the tensor has a size below 0, or too many elements",
                    ORT_INVALID_ARGUMENT);
  if (bits == 0)
    throw Failure("the tensor has a type that no DirectML tensor has",
                  ORT_INVALID_ARGUMENT);
  if (tensor.offset_bytes > room ||
      count > (room - tensor.offset_bytes) * 8 / bits)
    throw Failure("a tensor of " + std::to_string(count) + " elements of " +
                      std::to_string(bits) + " bits at " +
                      std::to_string(tensor.offset_bytes) +
                      " does not fit into the " + std::to_string(room) +
                      " bytes of the memory",
                  ORT_INVALID_ARGUMENT);
  char *data = static_cast<char *>(address) + descriptor.offset_bytes +
               tensor.offset_bytes;
  return get<OrtValue *>(ort().CreateTensorWithDataAsOrtValue,
                         memory.getInfo(device), static_cast<void *>(data),
                         size_t((count * bits + 7) / 8), tensor.shape,
                         tensor.rank, tensor.element_type);
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

ImportedSemaphore::ImportedSemaphore(
    const Vulkan &vulkan, const OrtEpDevice *epDevice,
    const OrtExternalSemaphoreDescriptor &given)
    : OrtExternalSemaphoreHandle{}, vulkan(vulkan) {
  version = getApi().version;
  ep_device = epDevice;
  descriptor = given;
  Release = [](OrtExternalSemaphoreHandle *self) noexcept {
    delete static_cast<ImportedSemaphore *>(self);
  };
  if (given.type != ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD ||
      !vulkan.importsSemaphores())
    throw Failure("the device imports no semaphore of type " +
                      std::to_string(int(given.type)),
                  ORT_NOT_IMPLEMENTED);
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  Vulkan::check(
      vulkan.CreateSemaphore(vulkan.getDevice(), &info, nullptr, &semaphore),
      "vkCreateSemaphore");
  VkImportSemaphoreFdInfoKHR from{
      VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR};
  from.semaphore = semaphore;
  from.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  try {
    from.fd = duplicate(given.native_handle);
    VkResult result = vulkan.ImportSemaphoreFdKHR(vulkan.getDevice(), &from);
    if (result != VK_SUCCESS)
      close(from.fd);
    Vulkan::check(result, "vkImportSemaphoreFdKHR");
  } catch (...) {
    vulkan.DestroySemaphore(vulkan.getDevice(), semaphore, nullptr);
    throw;
  }
}

void ImportedSemaphore::wait(uint64_t value) const {
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  Vulkan::check(vulkan.WaitSemaphores(vulkan.getDevice(), &info, UINT64_MAX),
                "vkWaitSemaphores");
}

void ImportedSemaphore::signal(uint64_t value) const {
  VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  info.semaphore = semaphore;
  info.value = value;
  Vulkan::check(vulkan.SignalSemaphore(vulkan.getDevice(), &info),
                "vkSignalSemaphore");
}

//===----------------------------------------------------------------------===//
// The importer
//===----------------------------------------------------------------------===//

Importer::Importer(DeviceMemory &memory, uint32_t device,
                   const OrtEpDevice *epDevice)
    : OrtExternalResourceImporterImpl{}, memory(memory), device(device),
      epDevice(epDevice), vulkan(memory.open(device)) {
  ort_version_supported = getApi().version;
  Release = [](OrtExternalResourceImporterImpl *self) noexcept {
    delete static_cast<Importer *>(self);
  };
  setMemoryFunctions();
  setSemaphoreFunctions();
}

void Importer::setMemoryFunctions() {
  CanImportMemory = [](const OrtExternalResourceImporterImpl *self,
                       OrtExternalMemoryHandleType type) noexcept {
    return type == ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD &&
           static_cast<const Importer *>(self)->vulkan.GetMemoryFdKHR;
  };
  ImportMemory = [](OrtExternalResourceImporterImpl *self,
                    const OrtExternalMemoryDescriptor *descriptor,
                    OrtExternalMemoryHandle **handle) noexcept {
    return guard([&] {
      auto *own = static_cast<Importer *>(self);
      *handle = new ImportedMemory(own->memory, own->device, own->epDevice,
                                   *descriptor);
    });
  };
  ReleaseMemory = [](OrtExternalResourceImporterImpl *,
                     OrtExternalMemoryHandle *handle) noexcept {
    delete static_cast<ImportedMemory *>(handle);
  };
  CreateTensorFromMemory = [](OrtExternalResourceImporterImpl *,
                              const OrtExternalMemoryHandle *handle,
                              const OrtExternalTensorDescriptor *tensor,
                              OrtValue **value) noexcept {
    return guard([&] {
      *value = static_cast<const ImportedMemory *>(handle)->makeTensor(*tensor);
    });
  };
}

void Importer::setSemaphoreFunctions() {
  CanImportSemaphore = [](const OrtExternalResourceImporterImpl *self,
                          OrtExternalSemaphoreType type) noexcept {
    return type == ORT_EXTERNAL_SEMAPHORE_VK_TIMELINE_SEMAPHORE_OPAQUE_FD &&
           static_cast<const Importer *>(self)->vulkan.importsSemaphores();
  };
  ImportSemaphore = [](OrtExternalResourceImporterImpl *self,
                       const OrtExternalSemaphoreDescriptor *descriptor,
                       OrtExternalSemaphoreHandle **handle) noexcept {
    return guard([&] {
      auto *own = static_cast<Importer *>(self);
      *handle = new ImportedSemaphore(own->vulkan, own->epDevice, *descriptor);
    });
  };
  ReleaseSemaphore = [](OrtExternalResourceImporterImpl *,
                        OrtExternalSemaphoreHandle *handle) noexcept {
    delete static_cast<ImportedSemaphore *>(handle);
  };
  WaitSemaphore = [](OrtExternalResourceImporterImpl *,
                     OrtExternalSemaphoreHandle *handle, OrtSyncStream *,
                     uint64_t value) noexcept {
    return guard(
        [&] { static_cast<ImportedSemaphore *>(handle)->wait(value); });
  };
  SignalSemaphore = [](OrtExternalResourceImporterImpl *,
                       OrtExternalSemaphoreHandle *handle, OrtSyncStream *,
                       uint64_t value) noexcept {
    return guard(
        [&] { static_cast<ImportedSemaphore *>(handle)->signal(value); });
  };
}

OrtExternalResourceImporterImpl *
provider::createImporter(DeviceMemory &memory, uint32_t device,
                         const OrtEpDevice *epDevice) {
  return new Importer(memory, device, epDevice);
}
