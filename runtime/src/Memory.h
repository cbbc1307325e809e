//===- Memory.h - Device memory for buffers -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_MEMORY_H
#define DML_RUNTIME_MEMORY_H

#include "Status.h"

#include <mutex>
#include <vector>

namespace dml::runtime {

class Device;

/// Memory of one buffer.
struct Allocation {
  DmlAllocation place{};
  uint64_t size = 0;
  /// Whether the memory is a part of a block that several buffers share.
  bool isShared = false;
};

/// The memory of all buffers of a device. The memory comes from the caller's
/// allocator, if there is one. Otherwise each large buffer has an allocation of
/// its own, and small buffers share blocks, since Vulkan only promises 4096
/// allocations. The object may be used by several threads.
class Memory {
public:
  /// `allocator` may be null. If `sharesBlocks` is false, each buffer has an
  /// allocation of its own.
  Memory(Device &device, const DmlAllocator *allocator, bool sharesBlocks);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  Status allocate(VkBuffer buffer, DmlMemory kind, const std::string &name,
                  Allocation &allocation);
  void deallocate(const Allocation &allocation) noexcept;

  /// Bytes that all allocations may have together; 0 for no limit.
  void setBudget(uint64_t bytes);
  /// Fills all but the numbers of the heaps.
  void describe(DmlMemoryUse &use);

private:
  struct Range {
    uint64_t begin, end;
  };
  /// An allocation that buffers share.
  struct Block {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void *mapped = nullptr;
    uint32_t type = 0;
    uint64_t size = 0;
    /// How many buffers are in it.
    size_t count = 0;
    /// What no buffer has, in order; two ranges do not touch.
    std::vector<Range> free;
  };

  Status allocateByCaller(VkBuffer buffer, DmlMemory kind,
                          VkMemoryRequirements requirements,
                          const std::string &name, Allocation &allocation);
  uint64_t getBlockSize(uint32_t type) const;
  bool takePart(uint32_t type, const VkMemoryRequirements &requirements,
                Allocation &allocation);
  Status addBlock(uint32_t type, const std::string &name);
  /// Allocates and maps memory of Vulkan's.
  Status allocateWhole(uint64_t size, uint32_t type, const std::string &name,
                       VkDeviceMemory &memory, void *&mapped);
  /// Counts bytes as used, or returns an error where the budget has too few.
  Status spend(uint64_t size, const std::string &name);
  void giveBack(uint64_t size);
  void freeEmptyBlocks();
  static void returnPart(Block &block, Range part);

  Device &device;
  DmlAllocator hooks{};
  bool sharesBlocks;

  std::mutex mutex;
  std::vector<Block> blocks;
  uint64_t used = 0, peak = 0, budget = 0;
  uint32_t allocationCount = 0;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_MEMORY_H
