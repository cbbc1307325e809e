//===- Buffer.cpp - A VkBuffer with memory --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "DevicePlan.h"

#include <algorithm>
#include <cstring>

using namespace dml::runtime;

/// Larger copies go through a staging buffer of this size piece by piece. A
/// buffer of this size is a part of a block that stays (Memory.cpp), whereas
/// the memory of a larger one would be allocated, pinned and freed in each
/// copy.
static constexpr uint64_t kStagingSize = uint64_t(1) << 20;

Expected<Owned<Buffer>> Buffer::create(std::shared_ptr<Device> device,
                                       uint64_t size, DmlMemory memory,
                                       const std::string &name,
                                       Contents contents) {
  Owned<Buffer> buffer(new Buffer);
  buffer->device = std::move(device);
  buffer->byteSize = size;
  DML_TRY(buffer->initialize(memory, name));
  if (contents == Contents::Zero)
    DML_TRY(buffer->fillWithZeros());
  return buffer;
}

Status Buffer::initialize(DmlMemory kind, const std::string &name) {
  const DeviceFunctions &vk = device->functions();
  const DmlDeviceInfo &info = device->snapshot().info;
  if (byteSize == 0)
    return makeError(DML_ERROR_INVALID_ARGUMENT, name,
                     ": a buffer of 0 bytes cannot be made");
  // Checked first: a driver's answer to more than this is undefined.
  if (byteSize > info.limits.maxMemoryAllocationSize)
    return makeError(DML_ERROR_OUT_OF_MEMORY, name, ": ", byteSize,
                     " bytes are needed, but maxMemoryAllocationSize of '",
                     info.name, "' is ", info.limits.maxMemoryAllocationSize);

  VkBufferCreateInfo bufferInfo{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  // vkCmdFillBuffer fills whole words.
  bufferInfo.size = (byteSize + 3) / 4 * 4;
  bufferInfo.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                     VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  DML_TRY(
      checkVk(vk.CreateBuffer(device->handle(), &bufferInfo, nullptr, &buffer),
              name, ": vkCreateBuffer of ", byteSize, " bytes"));
  device->setName(VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer, name);
  uses = device->addBuffer(buffer, bufferInfo.size);

  DML_TRY(device->memory().allocate(buffer, kind, name, allocation));
  return checkVk(vk.BindBufferMemory(device->handle(), buffer,
                                     allocation.place.memory,
                                     allocation.place.offset),
                 name, ": vkBindBufferMemory");
}

Status Buffer::fillWithZeros() {
  if (mapped()) {
    std::memset(mapped(), 0, byteSize);
    return Status();
  }
  if (!device->hasQueue())
    return Status();
  return device->runCommands([&](VkCommandBuffer commands) {
    device->functions().CmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, 0);
  });
}

Buffer::~Buffer() {
  const DeviceFunctions &vk = device->functions();
  device->removeBuffer(buffer);
  if (buffer)
    vk.DestroyBuffer(device->handle(), buffer, nullptr);
  if (allocation.size != 0)
    device->memory().deallocate(allocation);
}

Status Buffer::checkRange(uint64_t offset, size_t size) const {
  if (offset > byteSize || size > byteSize - offset)
    return makeError(DML_ERROR_INVALID_ARGUMENT, "offset ", offset,
                     " and size ", size, " reach beyond the buffer's ",
                     byteSize, " bytes");
  return Status();
}

namespace {
/// Staging memory for a copy in pieces, in two halves: while the device copies
/// the piece in one half, the host copies the next piece in the other half.
class Staging {
public:
  Staging(std::shared_ptr<Device> device, VkBuffer buffer, DmlMemory memory)
      : device(std::move(device)), buffer(buffer), memory(memory) {}

  /// Starts the copy of a piece between half `half` and the buffer, in the
  /// direction that the kind of memory is for.
  Status start(size_t half, uint64_t offset, uint64_t size) {
    VkBuffer staging = halves[half].buffer->handle();
    VkBufferCopy copy{0, offset, size};
    VkBuffer from = staging, to = buffer;
    if (memory == DML_MEMORY_READBACK) {
      std::swap(copy.srcOffset, copy.dstOffset);
      std::swap(from, to);
    }
    auto commands = device->startCommands([&](VkCommandBuffer commands) {
      device->functions().CmdCopyBuffer(commands, from, to, 1, &copy);
    });
    if (!commands)
      return commands.status();
    halves[half].commands = std::move(*commands);
    return Status();
  }

  /// Waits for the copy of a half, if there is one.
  Status finish(size_t half) {
    auto commands = std::move(halves[half].commands);
    return commands ? commands->finish() : Status();
  }

  /// Returns the memory of a half, with room for `size` bytes.
  Expected<void *> getMemory(size_t half, uint64_t size) {
    Owned<Buffer> &own = halves[half].buffer;
    if (!own) {
      auto created = Buffer::create(device, size, memory, "staging buffer",
                                    Buffer::Contents::Undefined);
      if (!created)
        return created.status();
      own = std::move(*created);
    }
    return own->mapped();
  }

private:
  struct Half {
    Owned<Buffer> buffer;
    /// Destroyed first: the commands use the buffer.
    std::unique_ptr<Device::CommandsInUse> commands;
  };

  std::shared_ptr<Device> device;
  VkBuffer buffer;
  DmlMemory memory;
  Half halves[2];
};
} // namespace

Status Buffer::write(uint64_t offset, const void *data, size_t size) {
  DML_TRY(checkRange(offset, size));
  if (size == 0)
    return Status();
  if (mapped()) {
    std::memcpy(static_cast<char *>(mapped()) + offset, data, size);
    return Status();
  }
  Staging staging(device, buffer, DML_MEMORY_UPLOAD);
  size_t half = 0;
  for (uint64_t done = 0; done < size; half = 1 - half) {
    uint64_t piece = std::min<uint64_t>(size - done, kStagingSize);
    DML_TRY(staging.finish(half));
    Expected<void *> memory = staging.getMemory(half, piece);
    if (!memory)
      return memory.status();
    std::memcpy(*memory, static_cast<const char *>(data) + done, piece);
    DML_TRY(staging.start(half, offset + done, piece));
    done += piece;
  }
  DML_TRY(staging.finish(half));
  return staging.finish(1 - half);
}

Status Buffer::read(uint64_t offset, void *data, size_t size) {
  DML_TRY(checkRange(offset, size));
  if (size == 0)
    return Status();
  if (mapped()) {
    std::memcpy(data, static_cast<const char *>(mapped()) + offset, size);
    return Status();
  }
  Staging staging(device, buffer, DML_MEMORY_READBACK);
  auto start = [&](size_t half, uint64_t begin) -> Status {
    if (begin >= size)
      return Status();
    uint64_t piece = std::min<uint64_t>(size - begin, kStagingSize);
    Expected<void *> memory = staging.getMemory(half, piece);
    if (!memory)
      return memory.status();
    return staging.start(half, offset + begin, piece);
  };
  DML_TRY(start(0, 0));
  size_t half = 0;
  for (uint64_t done = 0; done < size; half = 1 - half) {
    uint64_t piece = std::min<uint64_t>(size - done, kStagingSize);
    DML_TRY(start(1 - half, done + piece));
    DML_TRY(staging.finish(half));
    Expected<void *> memory = staging.getMemory(half, piece);
    std::memcpy(static_cast<char *>(data) + done, *memory, piece);
    done += piece;
  }
  return Status();
}

Status dml::runtime::checkWithinBuffer(const Device &device, const char *what,
                                       const std::string &name,
                                       const DmlBufferRange &range) {
  if (range.offset > UINT64_MAX - range.size)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what, " '", name, "': offset ",
                     range.offset, " and size ", range.size, " overflow");
  uint64_t size = device.findBuffer(range.buffer).size;
  if (range.offset + range.size > size)
    return makeError(DML_ERROR_INVALID_ARGUMENT, what, " '", name, "': offset ",
                     range.offset, " and size ", range.size,
                     " reach beyond the buffer's ", size, " bytes");
  return Status();
}

Status dml::runtime::checkBinding(const Device &device, const char *what,
                                  const std::string &name, uint64_t wantedSize,
                                  const DmlBufferRange &range) {
  auto invalid = [](const auto &...ts) {
    return makeError(DML_ERROR_INVALID_ARGUMENT, ts...);
  };
  uint64_t alignment = std::max<uint64_t>(
      16, device.snapshot().info.limits.minStorageBufferOffsetAlignment);
  if (!range.buffer)
    return invalid(what, " '", name, "': the buffer is null");
  if (range.offset % alignment != 0)
    return invalid(what, " '", name, "': the offset is ", range.offset,
                   ", but must be a multiple of ", alignment);
  if (range.size < wantedSize)
    return invalid(what, " '", name, "': the range has ", range.size,
                   " bytes, but at least ", wantedSize, " are needed");
  return checkWithinBuffer(device, what, name, range);
}

Expected<std::unique_ptr<SplitBuffer>>
SplitBuffer::create(const std::shared_ptr<Device> &device, uint64_t size,
                    const std::vector<std::pair<uint64_t, uint64_t>> &ranges,
                    DmlMemory memory, const std::string &name,
                    Buffer::Contents contents) {
  std::unique_ptr<SplitBuffer> split(new SplitBuffer);
  split->begins = chooseCuts(
      size, ranges, device->snapshot().info.limits.maxMemoryAllocationSize);
  for (size_t i = 0; i < split->begins.size(); ++i) {
    uint64_t end = i + 1 < split->begins.size() ? split->begins[i + 1] : size;
    Expected<Owned<Buffer>> buffer =
        Buffer::create(device, end - split->begins[i], memory, name, contents);
    if (!buffer)
      return buffer.status();
    split->buffers.push_back(std::move(*buffer));
  }
  return split;
}

size_t SplitBuffer::find(uint64_t offset) const {
  auto behind = std::upper_bound(begins.begin(), begins.end(), offset);
  return static_cast<size_t>(behind - begins.begin()) - 1;
}

DmlBufferRange SplitBuffer::range(uint64_t offset, uint64_t size) const {
  size_t index = find(offset);
  return {buffers[index]->handle(), offset - begins[index], size};
}
