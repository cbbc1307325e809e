//===- Buffer.h - A VkBuffer with memory ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_BUFFER_H
#define DML_RUNTIME_BUFFER_H

#include "Device.h"
#include "Memory.h"

#include <utility>
#include <vector>

namespace dml::runtime {

class Buffer : public DeviceObject {
public:
  /// The contents of a new buffer. Undefined contents may be data that another
  /// user of the memory has left.
  enum class Contents { Zero, Undefined };

  /// Creates a buffer. `name` is for messages and debuggers. Without a queue,
  /// the contents of memory that is not mapped are undefined.
  static Expected<Owned<Buffer>> create(std::shared_ptr<Device> device,
                                        uint64_t size, DmlMemory memory,
                                        const std::string &name,
                                        Contents contents = Contents::Zero);
  ~Buffer() override;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  VkBuffer handle() const { return buffer; }
  uint64_t size() const { return byteSize; }
  /// Coherent, or null.
  void *mapped() const { return allocation.place.mapped; }
  DmlBufferRange range() const { return {buffer, 0, byteSize}; }

  Status write(uint64_t offset, const void *data, size_t size);
  Status read(uint64_t offset, void *data, size_t size);

private:
  Buffer() = default;
  /// The binding tables that use the buffer notice the end of their work.
  bool isWorking(uint64_t timeout) noexcept override {
    return uses && *uses != 0;
  }
  std::shared_ptr<Device> getDevice() const noexcept override { return device; }
  Status initialize(DmlMemory memory, const std::string &name);
  Status fillWithZeros();
  Status checkRange(uint64_t offset, size_t size) const;

  std::shared_ptr<Device> device;
  VkBuffer buffer = VK_NULL_HANDLE;
  /// Without memory where its size is 0.
  Allocation allocation;
  uint64_t byteSize = 0;
  std::shared_ptr<UseCount> uses;
};

/// Returns an error if a range cannot be bound to a tensor that needs
/// `wantedSize` bytes. `what` and `name` describe the tensor in the message.
Status checkBinding(const Device &device, const char *what,
                    const std::string &name, uint64_t wantedSize,
                    const DmlBufferRange &range);

/// Returns an error if a range reaches beyond its buffer. The range of a buffer
/// that the device does not know is right.
Status checkWithinBuffer(const Device &device, const char *what,
                         const std::string &name, const DmlBufferRange &range);

/// A sequence of bytes that may be divided between several buffers, since a
/// buffer can have at most maxMemoryAllocationSize bytes.
class SplitBuffer {
public:
  /// Creates the buffers. They are divided so that each of `ranges` lies in one
  /// buffer. A range is given by its first byte and the byte behind its end.
  static Expected<std::unique_ptr<SplitBuffer>>
  create(const std::shared_ptr<Device> &device, uint64_t size,
         const std::vector<std::pair<uint64_t, uint64_t>> &ranges,
         DmlMemory memory, const std::string &name,
         Buffer::Contents contents = Buffer::Contents::Zero);

  /// A range that is within one of the buffers, as those of `ranges` are.
  DmlBufferRange range(uint64_t offset, uint64_t size) const;

private:
  SplitBuffer() = default;
  size_t find(uint64_t offset) const;

  /// Where each buffer begins.
  std::vector<uint64_t> begins;
  std::vector<Owned<Buffer>> buffers;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_BUFFER_H
