//===- SpeedFile.cpp - Measured speeds in the user's cache ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A file of measured speeds is a text whose lines are those of a profile:
//
//   dml speeds 1
//   # NVIDIA H200, NVIDIA 580.159.04
//   opsPerByte=8.2
//   cooperativeMatrix=16x16x16xf16xf32
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceAtHand.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <sys/stat.h>

using namespace dml;

static constexpr std::string_view firstLine = "dml speeds 1";
static constexpr std::string_view matrixName = "cooperativeMatrix=";
/// More bytes than a file of all numbers and matrices has.
static constexpr size_t maxBytes = 8192;
/// More than any device has of anything.
static constexpr double mostOfAny = 1e15;

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Returns the value of a variable if it is an absolute path, and else "".
static std::string getFolder(const char *variable) {
  const char *value = std::getenv(variable);
  return value && std::filesystem::u8path(value).is_absolute() ? value : "";
}

std::string dml::getCacheFolder() {
#ifdef _WIN32
  std::string folder = getFolder("LOCALAPPDATA");
#else
  std::string folder = getFolder("XDG_CACHE_HOME");
  if (folder.empty() && !getFolder("HOME").empty())
    folder = getFolder("HOME") + "/.cache";
#endif
  return folder.empty() ? "" : folder + "/dml";
}

std::string dml::getSpeedFile(const DmlDeviceInfo &device) {
  std::string folder = getCacheFolder();
  if (folder.empty())
    return "";
  std::string name = folder + "/speeds-";
  char digits[16];
  for (uint8_t byte : device.uuid) {
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    name += digits;
  }
  std::snprintf(digits, sizeof(digits), "-%08x", device.driverVersion);
  return name + digits + ".txt";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads a number that is all of `text`.
static bool parseNumber(std::string_view text, double &value) {
  std::string copy(text);
  char *end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  return !copy.empty() && end == copy.c_str() + copy.size() &&
         std::isfinite(value);
}

/// Reads a line such as "opsPerByte=8.2".
static bool parseSpeed(std::string_view line, MeasuredSpeeds &speeds) {
  size_t equals = line.find('=');
  if (equals == std::string_view::npos)
    return false;
  std::string_view name = line.substr(0, equals);
  double value = 0;
  if (!parseNumber(line.substr(equals + 1), value))
    return false;
#define DML_SPEED(NAME, LEAST)                                                 \
  if (name == #NAME && value >= LEAST && value <= mostOfAny) {                 \
    speeds.numbers.emplace_back(name, value);                                  \
    return true;                                                               \
  }
#include "dml/Target/Speeds.def"
  return false;
}

/// Reads the name of a type of matrices' elements.
static DmlDataType parseElement(std::string_view text) {
  static constexpr std::pair<std::string_view, DmlDataType> types[] = {
      {"f16", DML_DATA_TYPE_FLOAT16}, {"f32", DML_DATA_TYPE_FLOAT32},
      {"i8", DML_DATA_TYPE_INT8},     {"ui8", DML_DATA_TYPE_UINT8},
      {"i32", DML_DATA_TYPE_INT32},
  };
  for (auto [name, type] : types)
    if (text == name)
      return type;
  return DML_DATA_TYPE_UNKNOWN;
}

/// Reads the shape in an entry of matrices: "16x16x16xf16xf32" of
/// "cooperativeMatrix=16x16x16xf16xf32".
static bool parseMatrix(std::string_view text, MeasuredSpeeds &speeds) {
  DmlMatrixShape shape{};
  auto takePart = [&] {
    std::string_view part = text.substr(0, text.find('x'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
  };
  for (uint32_t *size : {&shape.rows, &shape.columns, &shape.terms}) {
    double value = 0;
    if (!parseNumber(takePart(), value) || !(value >= 1) ||
        !(value <= UINT16_MAX))
      return false;
    *size = static_cast<uint32_t>(value);
  }
  shape.factors = parseElement(takePart());
  shape.sums = parseElement(text);
  speeds.matrices.push_back(shape);
  return shape.factors != DML_DATA_TYPE_UNKNOWN &&
         shape.sums != DML_DATA_TYPE_UNKNOWN;
}

/// Reads the lines of a file behind the first one.
static bool parseLines(std::string_view text, MeasuredSpeeds &speeds,
                       std::string &error) {
  std::set<std::string_view> seen;
  for (unsigned number = 2; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line[0] == '#')
      continue;
    bool isMatrix = line.substr(0, matrixName.size()) == matrixName;
    std::string_view name = isMatrix ? line : line.substr(0, line.find('='));
    if (seen.insert(name).second &&
        (isMatrix ? parseMatrix(line.substr(matrixName.size()), speeds)
                  : parseSpeed(line, speeds)))
      continue;
    constexpr size_t mostShown = 60;
    error = "line " + std::to_string(number) + " is '" +
            std::string(line.substr(0, mostShown)) +
            "', but wanted is a number of a device that no other line has, "
            "such as 'opsPerByte=8.2'";
    return false;
  }
  return true;
}

/// Reads the bytes of a file. Returns false, and sets `error`, if the file is
/// not a regular file or is larger than a file of speeds can be.
static bool readBytes(const std::string &path, std::string &bytes,
                      std::string &error) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    error = "wanted is a regular file";
    return false;
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
      std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) {
    error = std::string("it cannot be read (") + std::strerror(errno) + ")";
    return false;
  }
  bytes.resize(maxBytes + 1);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (bytes.size() <= maxBytes)
    return true;
  error = "it has more than the " + std::to_string(maxBytes) +
          " bytes that it may have";
  return false;
}

bool dml::readSpeedFile(const std::string &path, MeasuredSpeeds &speeds,
                        std::string &error) {
  error.clear();
  struct stat status;
  if (stat(path.c_str(), &status) != 0 && errno == ENOENT)
    return false;
  MeasuredSpeeds read;
  std::string bytes;
  bool isRead = readBytes(path, bytes, error);
  if (isRead && bytes.compare(0, firstLine.size() + 1,
                              std::string(firstLine) + "\n") != 0) {
    error = "its first line is not '" + std::string(firstLine) + "'";
    isRead = false;
  }
  isRead =
      isRead && parseLines(std::string_view(bytes).substr(firstLine.size() + 1),
                           read, error);
  if (!isRead) {
    error = "'" + path + "' is no file of speeds: " + error;
    return false;
  }
  speeds = std::move(read);
  return true;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string dml::printSpeedFile(const DmlDeviceInfo &device,
                                const MeasuredSpeeds &speeds) {
  std::string text = std::string(firstLine) + "\n# " + device.name + ", " +
                     device.driverName + " " + device.driverInfo + "\n";
  for (const auto &[name, value] : speeds.numbers) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.15g", value);
    text += name + "=" + number + "\n";
  }
  for (const DmlMatrixShape &shape : speeds.matrices)
    text += std::string(matrixName) + describeMatrix(shape) + "\n";
  return text;
}

double dml::roundSpeed(const std::string &name, double value) {
  if (name == "cacheBytes" || name == "multiprocessors" ||
      name == "matrixUnits" || !(value > 0) || !std::isfinite(value))
    return value;
  static constexpr double steps[] = {1,   1.2, 1.5, 1.8, 2.2, 2.7, 3.3,
                                     3.9, 4.7, 5.6, 6.8, 8.2, 10};
  double power = std::pow(10.0, std::floor(std::log10(value)));
  double nearest = power, distance = HUGE_VAL;
  for (double step : steps)
    if (double apart = std::fabs(std::log(value / (step * power)));
        apart < distance) {
      distance = apart;
      nearest = step * power;
    }
  return nearest;
}
