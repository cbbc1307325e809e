//===- Memory.cpp - Device memory for buffers -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include "Device.h"
#include "DevicePlan.h"

#include <algorithm>

using namespace dml::runtime;

/// Bytes of a block, and of how many buffers a block has room for at least.
static constexpr uint64_t kBlockSize = uint64_t(8) << 20;
static constexpr uint64_t kBuffersOfBlock = 8;

Memory::Memory(Device &device, const DmlAllocator *allocator, bool sharesBlocks)
    : device(device), sharesBlocks(sharesBlocks) {
  if (allocator)
    hooks = *allocator;
}

Memory::~Memory() { freeEmptyBlocks(); }

Status Memory::spend(uint64_t size, const std::string &name) {
  if (budget != 0 && (used > budget || size > budget - used))
    return makeError(DML_ERROR_OUT_OF_MEMORY, name, ": ", size,
                     " bytes are wanted, but ", used,
                     " bytes of the device's memory budget of ", budget,
                     " bytes are used");
  used += size;
  peak = std::max(peak, used);
  ++allocationCount;
  return Status();
}

void Memory::giveBack(uint64_t size) {
  used -= size;
  --allocationCount;
}

void Memory::setBudget(uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  budget = bytes;
}

void Memory::describe(DmlMemoryUse &use) {
  std::lock_guard<std::mutex> lock(mutex);
  use.used = used;
  use.peak = peak;
  use.budget = budget;
  use.allocationCount = allocationCount;
}

Status Memory::allocate(VkBuffer buffer, DmlMemory kind,
                        const std::string &name, Allocation &allocation) {
  VkMemoryRequirements requirements;
  device.functions().GetBufferMemoryRequirements(device.handle(), buffer,
                                                 &requirements);
  std::optional<uint32_t> type =
      chooseMemoryType(device.snapshot(), kind, requirements.memoryTypeBits);
  if (!type)
    return makeError(DML_ERROR_UNSUPPORTED, name, ": device '",
                     device.snapshot().info.name,
                     "' has no fitting type of memory");
  if (hooks.allocate)
    return allocateByCaller(buffer, kind, requirements, name, allocation);

  std::lock_guard<std::mutex> lock(mutex);
  uint64_t blockSize = getBlockSize(*type);
  if (sharesBlocks && requirements.size <= blockSize / kBuffersOfBlock) {
    if (takePart(*type, requirements, allocation))
      return Status();
    // The budget may have room for the buffer, but not for a block.
    if (budget == 0 || (used <= budget && blockSize <= budget - used)) {
      DML_TRY(addBlock(*type, name));
      if (takePart(*type, requirements, allocation))
        return Status();
    }
  }
  if (budget != 0)
    freeEmptyBlocks();
  DML_TRY(allocateWhole(requirements.size, *type, name, allocation.place.memory,
                        allocation.place.mapped));
  allocation.size = requirements.size;
  return Status();
}

Status Memory::allocateByCaller(VkBuffer buffer, DmlMemory kind,
                                VkMemoryRequirements requirements,
                                const std::string &name,
                                Allocation &allocation) {
  MemoryWish wish = describeMemory(device.snapshot(), kind);
  requirements.memoryTypeBits =
      findMemoryTypes(device.snapshot(), wish, requirements.memoryTypeBits);
  DmlAllocationRequest request{};
  request.buffer = buffer;
  request.requirements = requirements;
  request.requiredFlags = wish.required;
  request.preferredFlags = wish.preferred;
  request.memory = kind;
  request.name = name.c_str();
  {
    std::lock_guard<std::mutex> lock(mutex);
    DML_TRY(spend(requirements.size, name));
  }
  // The caller's function runs without a lock.
  VkResult result = hooks.allocate(hooks.userData, &request, &allocation.place);
  allocation.size = requirements.size;
  Status status = checkVk(result, name, ": the caller's allocator of ",
                          requirements.size, " bytes");
  if (!status.ok()) {
    std::lock_guard<std::mutex> lock(mutex);
    giveBack(requirements.size);
    allocation = {};
    return status;
  }
  bool mustBeMapped = wish.required & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  if (allocation.place.memory && (allocation.place.mapped || !mustBeMapped))
    return Status();
  status = makeError(DML_ERROR_INVALID_ARGUMENT, name,
                     ": the caller's allocator gave memory that is ",
                     allocation.place.memory ? "not mapped, but must be"
                                             : "VK_NULL_HANDLE");
  deallocate(allocation);
  allocation = {};
  return status;
}

uint64_t Memory::getBlockSize(uint32_t type) const {
  const VkPhysicalDeviceMemoryProperties &memory = device.snapshot().memory;
  // A small heap is not used up by a few blocks.
  uint64_t heap = memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
  return std::min({kBlockSize, heap / 64,
                   device.snapshot().info.limits.maxMemoryAllocationSize});
}

bool Memory::takePart(uint32_t type, const VkMemoryRequirements &requirements,
                      Allocation &allocation) {
  for (Block &block : blocks) {
    if (block.type != type)
      continue;
    // Each buffer splits at most one free range into two. With this capacity,
    // buffers can be returned without an allocation.
    block.free.reserve(block.count + 2);
    for (size_t i = 0; i < block.free.size(); ++i) {
      Range range = block.free[i];
      uint64_t begin = (range.begin + requirements.alignment - 1) /
                       requirements.alignment * requirements.alignment;
      uint64_t end = begin + requirements.size;
      if (end > range.end)
        continue;
      block.free.erase(block.free.begin() + i);
      if (end < range.end)
        block.free.insert(block.free.begin() + i, {end, range.end});
      if (range.begin < begin)
        block.free.insert(block.free.begin() + i, {range.begin, begin});
      ++block.count;
      allocation.place.memory = block.memory;
      allocation.place.offset = begin;
      if (block.mapped)
        allocation.place.mapped = static_cast<char *>(block.mapped) + begin;
      allocation.size = requirements.size;
      allocation.isShared = true;
      return true;
    }
  }
  return false;
}

Status Memory::addBlock(uint32_t type, const std::string &name) {
  Block block;
  block.type = type;
  block.size = getBlockSize(type);
  block.free.push_back({0, block.size});
  blocks.reserve(blocks.size() + 1);
  DML_TRY(allocateWhole(block.size, type, name, block.memory, block.mapped));
  blocks.push_back(std::move(block));
  return Status();
}

Status Memory::allocateWhole(uint64_t size, uint32_t type,
                             const std::string &name, VkDeviceMemory &memory,
                             void *&mapped) {
  const DeviceFunctions &vk = device.functions();
  DML_TRY(spend(size, name));
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.allocationSize = size;
  info.memoryTypeIndex = type;
  VkResult result = vk.AllocateMemory(device.handle(), &info, nullptr, &memory);
  if (result != VK_SUCCESS) {
    giveBack(size);
    return checkVk(result, name, ": vkAllocateMemory of ", size, " bytes");
  }
  constexpr VkMemoryPropertyFlags kMapped =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryPropertyFlags flags =
      device.snapshot().memory.memoryTypes[type].propertyFlags;
  if ((flags & kMapped) == kMapped)
    result =
        vk.MapMemory(device.handle(), memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (result == VK_SUCCESS)
    return Status();
  vk.FreeMemory(device.handle(), memory, nullptr);
  memory = VK_NULL_HANDLE;
  giveBack(size);
  return checkVk(result, name, ": vkMapMemory");
}

void Memory::returnPart(Block &block, Range part) {
  --block.count;
  auto next = std::lower_bound(
      block.free.begin(), block.free.end(), part,
      [](const Range &a, const Range &b) { return a.begin < b.begin; });
  bool joinsNext = next != block.free.end() && next->begin == part.end;
  bool joinsLast =
      next != block.free.begin() && std::prev(next)->end == part.begin;
  if (joinsNext && joinsLast) {
    std::prev(next)->end = next->end;
    block.free.erase(next);
  } else if (joinsNext) {
    next->begin = part.begin;
  } else if (joinsLast) {
    std::prev(next)->end = part.end;
  } else {
    block.free.insert(next, part);
  }
}

void Memory::deallocate(const Allocation &allocation) noexcept {
  const DmlAllocation &place = allocation.place;
  if (hooks.allocate) {
    hooks.deallocate(hooks.userData, &place);
    std::lock_guard<std::mutex> lock(mutex);
    giveBack(allocation.size);
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (!allocation.isShared) {
    // Unmaps it too.
    device.functions().FreeMemory(device.handle(), place.memory, nullptr);
    giveBack(allocation.size);
    return;
  }
  auto block =
      std::find_if(blocks.begin(), blocks.end(), [&](const Block &each) {
        return each.memory == place.memory;
      });
  returnPart(*block, {place.offset, place.offset + allocation.size});
  // One empty block of each type stays for the buffers to come.
  if (block->count == 0 &&
      std::any_of(blocks.begin(), blocks.end(), [&](const Block &other) {
        return other.memory != block->memory && other.type == block->type &&
               other.count == 0;
      }))
    freeEmptyBlocks();
}

void Memory::freeEmptyBlocks() {
  auto end = std::remove_if(blocks.begin(), blocks.end(), [&](Block &block) {
    if (block.count != 0)
      return false;
    device.functions().FreeMemory(device.handle(), block.memory, nullptr);
    giveBack(block.size);
    return true;
  });
  blocks.erase(end, blocks.end());
}
