//===- ByteSource.cpp - Bytes that are read one after the other -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

// Places in files have 64 bits on Windows, too.
#define _FILE_OFFSET_BITS 64

#include "support/ByteSource.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/types.h>

using namespace dml::tools;

bool FileSource::open(const std::string &path, std::string &error) {
  file.reset(std::fopen(path.c_str(), "rb"));
  if (!file)
    error = "cannot read '" + path + "': " + std::strerror(errno);
  return file != nullptr;
}

size_t FileSource::read(void *data, size_t size) {
  size_t count = std::fread(data, 1, size, file.get());
  // A directory opens, but does not read.
  if (count < size && std::ferror(file.get()))
    code = errno;
  return count;
}

bool FileSource::seek(uint64_t offset, bool isFromEnd) {
  auto place = static_cast<off_t>(offset);
  return place >= 0 && fseeko(file.get(), isFromEnd ? -place : place,
                              isFromEnd ? SEEK_END : SEEK_SET) == 0;
}

std::optional<uint64_t> FileSource::getSize() {
  off_t size = -1;
  if (seek(0, /*isFromEnd=*/true))
    size = ftello(file.get());
  if (size < 0 || !seek(0))
    return std::nullopt;
  return static_cast<uint64_t>(size);
}

std::string FileSource::describe(const std::string &otherwise) const {
  return code == 0 ? otherwise : std::strerror(code);
}

std::optional<std::vector<uint8_t>>
dml::tools::readBytes(const std::string &path, uint64_t most,
                      std::string &error) {
  FileSource file;
  if (!file.open(path, error))
    return std::nullopt;
  std::vector<uint8_t> bytes;
  constexpr uint64_t kBlock = uint64_t(1) << 20;
  while (bytes.size() <= most) {
    size_t begin = bytes.size();
    auto count = static_cast<size_t>(std::min(kBlock, most + 1 - begin));
    bytes.resize(begin + count);
    size_t got = file.read(&bytes[begin], count);
    bytes.resize(begin + got);
    if (got < count)
      break;
  }
  error = file.describe("");
  if (error.empty() && bytes.size() > most)
    error = "has more than " + std::to_string(most) + " bytes";
  if (error.empty())
    return bytes;
  error = "cannot read '" + path + "': " + error;
  return std::nullopt;
}
