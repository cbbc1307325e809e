//===- Input.cpp - Executables from files and standard input --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Input.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace dml::tools;

namespace {

/// Offsets in an executable have 32 bits, and models are no larger either.
constexpr uint64_t kMaxSize = uint64_t(1) << 31;

} // namespace

std::vector<uint8_t> dml::tools::readInput(const std::string &path,
                                           size_t most) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> opened(nullptr, std::fclose);
  std::FILE *file = stdin;
  std::string name = "standard input";
  if (!isStandardInput(path)) {
    name = "'" + path + "'";
    opened.reset(std::fopen(path.c_str(), "rb"));
    file = opened.get();
    if (!file)
      fail("cannot open " + name + ": " + std::strerror(errno));
  }
  std::vector<uint8_t> bytes;
  uint8_t block[1 << 16];
  size_t count = 0;
  while ((count =
              std::fread(block, 1, std::min(sizeof(block), most - bytes.size()),
                         file)) > 0) {
    bytes.insert(bytes.end(), block, block + count);
    if (bytes.size() > kMaxSize)
      fail(name + " has more than " + std::to_string(kMaxSize) + " bytes");
  }
  if (std::ferror(file))
    fail("cannot read " + name + ": " + std::strerror(errno));
  return bytes;
}

bool dml::tools::isExecutable(const std::vector<uint8_t> &bytes) {
  return bytes.size() >= 8 && std::memcmp(&bytes[4], "DMLX", 4) == 0;
}

Executable dml::tools::loadExecutable(const std::vector<uint8_t> &bytes) {
  // The data of an empty vector may be null.
  static const uint8_t nothing = 0;
  Executable executable;
  DML_CHECK(dmlCreateExecutable, bytes.empty() ? &nothing : bytes.data(),
            bytes.size(), nullptr, executable.out());
  return executable;
}

Executable dml::tools::loadExecutable(const std::string &path) {
  if (isStandardInput(path))
    return loadExecutable(readInput(path));
  Executable executable;
  DML_CHECK(dmlCreateExecutableFromFile, path.c_str(), executable.out());
  return executable;
}
