//===- Constants.h - Where a program's constants are ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_CONSTANTS_H
#define DML_RUNTIME_CONSTANTS_H

#include "Buffer.h"

#include <map>

namespace dml::runtime {

/// The bytes of all constants and weights. Some of them lie in buffers of this
/// object, and others in buffers of the caller. For example, of 4096 bytes, the
/// caller's buffer has bytes 1024 to 2048, and two buffers of this object have
/// the bytes before and behind.
class Constants {
public:
  /// `ranges` are the ranges that steps read and write, each with its first
  /// byte and the byte behind its end. Each range must lie in one buffer.
  Constants(std::shared_ptr<Device> device, uint64_t size,
            std::vector<std::pair<uint64_t, uint64_t>> ranges);

  /// Makes memory for every byte that has none yet.
  Status allocate();
  /// Makes memory of its own for the bytes, where they are the caller's.
  Status takeBack(uint64_t offset, uint64_t size);
  /// Places a weight in the caller's buffer. Returns an error if a step reads a
  /// range that contains the weight and other bytes.
  Status placeAt(uint64_t offset, const DmlBufferRange &place);

  /// Where a step's range is.
  DmlBufferRange range(uint64_t offset, uint64_t size) const;
  Status write(uint64_t offset, const void *data, size_t size);
  /// Copies on the device.
  Status copy(uint64_t offset, const DmlBufferRange &source);

  /// A number that changes whenever bytes come to lie elsewhere.
  uint64_t version() const { return changes; }

private:
  struct Place {
    uint64_t end;
    /// Null where the bytes have no memory yet.
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t offset = 0;
    /// The buffer, where it is the program's own.
    Buffer *own = nullptr;
  };
  using Places = std::map<uint64_t, Place>;

  Places::const_iterator find(uint64_t offset) const;
  void cut(uint64_t offset);
  void assign(uint64_t begin, Place place);
  Status allocate(uint64_t begin, uint64_t end);
  void dropUnused();

  std::shared_ptr<Device> device;
  uint64_t size;
  /// In order of their first bytes.
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  /// The same, those that overlap joined.
  std::vector<std::pair<uint64_t, uint64_t>> joined;
  /// By the first byte; all bytes have one.
  Places places;
  std::vector<Owned<Buffer>> buffers;
  uint64_t changes = 0;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_CONSTANTS_H
