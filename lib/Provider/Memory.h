//===- Memory.h - Device memory for ONNX Runtime ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime knows memory by addresses, and Vulkan's buffers have none. An
// allocation of device memory is a buffer, and a range of addresses of the
// process that is reserved for it and that nobody can read or write: an access
// by the host ends the process instead of reading something else. A tensor in
// the middle of an allocation has an address in the middle of the range.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_MEMORY_H
#define DML_LIB_PROVIDER_MEMORY_H

#include "Api.h"
#include "Devices.h"
#include "Vulkan.h"
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

namespace dml::provider {

/// A place in device memory.
struct DevicePlace {
  DmlDevice device;
  const Vulkan *vulkan;
  /// The buffer, or null for one that was imported.
  DmlBuffer buffer;
  VkBuffer vulkanBuffer;
  uint64_t offset;
  /// The bytes from the place to the end of its buffer.
  uint64_t size;
};

/// The device memory of all devices. May be used from many threads.
class DeviceMemory {
public:
  explicit DeviceMemory(Devices &devices) : devices(devices) {}
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Adds a device, of which allocate() has the memory. Returns its number,
  /// which counts from 0. The device is opened by its first allocation.
  uint32_t addDevice(const DmlDeviceInfo &info);
  size_t getDeviceCount() const { return known.size(); }
  /// What ONNX Runtime calls the memory of a device.
  const OrtMemoryInfo *getInfo(uint32_t device) const {
    return known[device].info.get();
  }
  /// The number of the device whose memory is `memory`, or nothing.
  std::optional<uint32_t> findDevice(const OrtMemoryDevice *memory) const;

  /// Returns the address of `size` bytes of device memory. Memory that was
  /// freed is used again: up to 256 MiB of each device are kept for it.
  void *allocate(uint32_t device, size_t size);
  void free(void *address);

  /// Opens a device, and returns its functions, which exist as long as this
  /// object.
  const Vulkan &open(uint32_t device);
  /// Gives addresses to a buffer that was imported into a device, until they
  /// are removed. The caller owns the buffer.
  void *addImported(uint32_t device, VkBuffer buffer, size_t size);
  void removeImported(void *address);

  /// Finds the place of an address, or nothing for host memory.
  std::optional<DevicePlace> find(const void *address) const;
  /// Copies bytes between any two addresses, and waits for the copy.
  void copy(void *to, const void *from, size_t size) const;

private:
  struct Block {
    uint32_t device;
    DmlBuffer buffer;
    VkBuffer vulkanBuffer;
    size_t size;
  };
  struct Device {
    std::string selector;
    Owned<OrtMemoryInfo> info;
    std::shared_ptr<DmlDeviceImpl> handle;
    std::unique_ptr<Vulkan> vulkan;
    /// Addresses that are free, by the size of their blocks.
    std::multimap<size_t, uintptr_t> free;
    size_t freeBytes = 0;
  };

  Device &openLocked(uint32_t device);
  void *createBlock(uint32_t device, size_t size);
  void *addBlock(uint32_t device, DmlBuffer buffer, VkBuffer vulkanBuffer,
                 size_t size);
  void destroyBlock(uintptr_t address);
  void destroyFree(Device &device);

  Devices &devices;
  std::vector<Device> known;
  mutable std::shared_mutex mutex;
  std::map<uintptr_t, Block> blocks;
};

/// An allocator of a device, which ONNX Runtime releases.
class DeviceAllocator : public OrtAllocator {
public:
  DeviceAllocator(DeviceMemory &memory, uint32_t device);

private:
  DeviceMemory &memory;
  const uint32_t device;
};

/// Copies tensors between the host and devices, for ONNX Runtime.
class DataTransfer : public OrtDataTransferImpl {
public:
  explicit DataTransfer(const DeviceMemory &memory);

private:
  const DeviceMemory &memory;
};

/// Makes the kernels MemcpyFromHost and MemcpyToHost, which ONNX Runtime puts
/// between the nodes of the CPU and those of the provider. They refer to
/// `memory`.
OrtKernelRegistry *createCopyKernels(DeviceMemory &memory);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_MEMORY_H
