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
#include <filesystem>
#include <memory>
#include <string_view>

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

std::vector<uint8_t> dml::tools::readStart(const std::string &path) {
  constexpr size_t kStart = 256;
  std::error_code code;
  // What is read of a pipe is gone.
  if (!std::filesystem::is_regular_file(path, code))
    return {};
  return readInput(path, kStart);
}

bool dml::tools::isExecutable(const std::vector<uint8_t> &bytes) {
  return bytes.size() >= 8 && std::memcmp(&bytes[4], "DMLX", 4) == 0;
}

bool dml::tools::isOnnx(const std::vector<uint8_t> &bytes) {
  // The field ir_version, a small number, and the tag of another field.
  return bytes.size() > 3 && bytes[0] == 0x08 && bytes[1] > 0 &&
         bytes[1] < 0x20 && bytes[2] != 0;
}

bool dml::tools::isJson(const std::vector<uint8_t> &bytes) {
  const char *const spaces = " \t\r\n";
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  // A byte order mark of UTF-8.
  if (text.substr(0, 3) == "\xEF\xBB\xBF")
    text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  // MLIR's text may begin with a brace of its own.
  return text.substr(0, 1) == "{" && text.substr(0, 3) != "{-#";
}

/// Returns what a file with these first bytes is, or "" if that is not known.
static std::string describeKind(const std::vector<uint8_t> &bytes) {
  auto begins = [&](std::string_view start) {
    return bytes.size() >= start.size() &&
           std::memcmp(bytes.data(), start.data(), start.size()) == 0;
  };
  bool isText = std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) {
    return byte >= 0x20 || (byte >= '\t' && byte <= '\r');
  });
  if (bytes.empty())
    return "";
  if (begins("ML\xEFR"))
    return "a module of MLIR as bytecode";
  if (isOnnx(bytes))
    return "an ONNX model";
  if (isText)
    return isJson(bytes) ? "a JSON model" : "text, as a module of MLIR is";
  return "";
}

void dml::tools::wantExecutable(const std::string &path,
                                const std::vector<uint8_t> &bytes) {
  std::string kind = isExecutable(bytes) ? "" : describeKind(bytes);
  if (!kind.empty())
    fail((isStandardInput(path) ? "standard input" : "'" + path + "'") +
         " is " + kind +
         ", but wanted is an executable (.dmlx): dml-compile makes one of a "
         "model, and dml-run runs models as well");
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
  if (isStandardInput(path)) {
    std::vector<uint8_t> bytes = readInput(path);
    wantExecutable(path, bytes);
    return loadExecutable(bytes);
  }
  wantExecutable(path, readStart(path));
  Executable executable;
  DML_CHECK(dmlCreateExecutableFromFile, path.c_str(), executable.out());
  return executable;
}
