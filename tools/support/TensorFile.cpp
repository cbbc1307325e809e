//===- TensorFile.cpp - Files with tensors of all formats -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/TensorFile.h"

#include "support/ByteSource.h"
#include "support/Npy.h"
#include "support/Npz.h"
#include "support/TensorLiteral.h"
#include "support/TensorProto.h"

#include <algorithm>
#include <cctype>

using namespace dml::tools;

std::string dml::tools::getSuffix(const std::string &path) {
  size_t begin = path.rfind('/');
  begin = begin == std::string::npos ? 0 : begin + 1;
  size_t dot = path.rfind('.');
  // The name of a hidden file begins with a dot.
  if (dot == std::string::npos || dot <= begin)
    return "";
  std::string suffix = path.substr(dot);
  std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return suffix;
}

bool dml::tools::isWritten(const std::string &suffix) {
  return suffix.empty() || suffix == ".npy" || suffix == ".npz";
}

/// The text in front of the name of a member: FILE.npz:MEMBER.
static constexpr std::string_view archiveEnd = ".npz:";

bool dml::tools::hasOwnShape(const std::string &path) {
  std::string suffix = getSuffix(path);
  return path.rfind(archiveEnd) != std::string::npos || suffix.empty() ||
         suffix == ".npy" || suffix == ".npz" || suffix == ".pb";
}

/// Reads a member of an archive: `member`, or `name`, or the only one.
static std::optional<HostTensor> readMember(const std::string &path,
                                            const std::string &member,
                                            const std::string &name,
                                            const std::string &type,
                                            std::string &error) {
  NpzFile archive;
  if (!archive.open(path, error))
    return std::nullopt;
  const NpzFile::Member *found = archive.find(member.empty() ? name : member);
  if (!found && member.empty() && archive.getMembers().size() == 1)
    found = &archive.getMembers().front();
  if (found)
    return archive.read(*found, type, error);
  error = "'" + path + "' has no member '" + (member.empty() ? name : member) +
          "'; it has " + archive.listNames();
  return std::nullopt;
}

/// Reads the elements of a tensor of this type.
static std::optional<HostTensor>
readRaw(const std::string &path, HostTensor tensor, std::string &error) {
  std::optional<uint64_t> count = countElements(tensor.dataType, tensor.sizes);
  uint64_t wanted =
      (count.value_or(0) * dmlGetDataTypeBits(tensor.dataType) + 7) / 8;
  auto bytes = readBytes(path, wanted, error);
  if (!bytes)
    return std::nullopt;
  if (bytes->size() != wanted) {
    error = "cannot read '" + path + "': it has " +
            std::to_string(bytes->size()) + " bytes, but " +
            describeType(tensor) + " has " + std::to_string(wanted);
    return std::nullopt;
  }
  tensor.data = std::move(*bytes);
  return tensor;
}

std::optional<HostTensor>
dml::tools::readTensorFile(const std::string &path, const std::string &name,
                           const std::string &type,
                           const PictureOptions &pictures, std::string &error) {
  if (size_t at = path.rfind(archiveEnd); at != std::string::npos) {
    size_t colon = at + archiveEnd.size() - 1;
    return readMember(path.substr(0, colon), path.substr(colon + 1), name, type,
                      error);
  }
  std::string suffix = getSuffix(path);
  if (suffix.empty() || suffix == ".npy")
    return readNpy(path, error, type);
  if (suffix == ".npz")
    return readMember(path, "", name, type, error);
  if (suffix == ".pb")
    return readTensorProto(path, error);
  HostTensor wanted;
  bool isRaw = suffix == ".bin" || suffix == ".raw";
  if (!isRaw && !isPictureSuffix(suffix)) {
    error = "cannot read '" + path + "': the suffix is '" + suffix +
            "', but wanted is one of .npy, .npz, .pb, .bin, .raw, .png, .jpg, "
            ".jpeg, .ppm, .pgm, .pnm";
    return std::nullopt;
  }
  if (!parseType(type, wanted.dataType, wanted.sizes)) {
    error = "cannot read '" + path + "': no file of this kind is a " + type;
    return std::nullopt;
  }
  if (isRaw)
    return readRaw(path, std::move(wanted), error);
  return readPictureTensor(path, wanted.dataType, wanted.sizes, pictures,
                           error);
}
