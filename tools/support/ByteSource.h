//===- ByteSource.h - Bytes that are read one after the other ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_BYTESOURCE_H
#define DML_TOOLS_SUPPORT_BYTESOURCE_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dml::tools {

/// Bytes that are read one after the other: a file, or a part of one.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Reads up to `size` bytes. Returns a smaller number at the end only.
  virtual size_t read(void *data, size_t size) = 0;
};

/// A file.
class FileSource : public ByteSource {
public:
  /// Opens the file. Returns false, with `error` set, if this fails.
  bool open(const std::string &path, std::string &error);
  size_t read(void *data, size_t size) override;
  /// Moves to the byte `offset`, counted from the start, or from the end if
  /// `isFromEnd` is set.
  bool seek(uint64_t offset, bool isFromEnd = false);
  /// Returns the size of the file, or nothing if it is no regular file.
  std::optional<uint64_t> getSize();
  /// Returns `otherwise`, or the reason why the last read failed, such as that
  /// the path is a directory's.
  std::string describe(const std::string &otherwise) const;

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file{nullptr, std::fclose};
  int code = 0;
};

/// Reads the whole file `path`, of at most `most` bytes. Returns nothing, with
/// `error` set, if this fails.
std::optional<std::vector<uint8_t>>
readBytes(const std::string &path, uint64_t most, std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_BYTESOURCE_H
