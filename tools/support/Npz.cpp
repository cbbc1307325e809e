//===- Npz.cpp - NumPy's archives of tensors ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The ZIP archives that NumPy writes have no encryption, and one disk.
//
//===----------------------------------------------------------------------===//

#include "support/Npz.h"

#include "support/File.h"
#include "support/Npy.h"

#include <algorithm>
#include <cstring>
#include <deque>

#if DML_HAS_ZLIB
#include <zlib.h>
#endif

using namespace dml::tools;

namespace {

/// The sizes of a ZIP archive's records, without their texts.
constexpr size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22;
/// The record at the end may be followed by a comment of so many bytes.
constexpr size_t kMaxComment = 65535;
/// The names of 65,535 members, of 256 bytes each.
constexpr uint64_t kMaxDirectory = uint64_t(16) << 20;
/// What stands for a size of more than 32 bits.
constexpr uint64_t kLarge = UINT32_MAX;

uint32_t read16(const uint8_t *bytes) { return bytes[0] | bytes[1] << 8; }
uint32_t read32(const uint8_t *bytes) {
  return read16(bytes) | read16(bytes + 2) << 16;
}

bool isRecord(const uint8_t *bytes, char third, char fourth) {
  const char wanted[4] = {'P', 'K', third, fourth};
  return std::memcmp(bytes, wanted, 4) == 0;
}

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

#if DML_HAS_ZLIB

/// The bytes of a member. Their number is what the archive states, or smaller.
class MemberSource : public ByteSource {
public:
  MemberSource(FileSource &file, const NpzFile::Member &member)
      : file(file), left(member.storedSize), size(member.size),
        isDeflated(member.method != 0) {
    isReady = !isDeflated || inflateInit2(&stream, -MAX_WBITS) == Z_OK;
  }
  ~MemberSource() override {
    if (isDeflated && isReady)
      inflateEnd(&stream);
  }

  size_t read(void *data, size_t count) override {
    count = static_cast<size_t>(std::min<uint64_t>(count, size - done));
    size_t got = 0;
    if (isReady)
      got = isDeflated ? inflateBytes(data, count) : readStored(data, count);
    checksum = static_cast<uint32_t>(
        crc32_z(checksum, static_cast<const Bytef *>(data), got));
    done += got;
    return got;
  }
  uint32_t getChecksum() const { return checksum; }

private:
  size_t readStored(void *data, size_t count) {
    size_t got =
        file.read(data, static_cast<size_t>(std::min<uint64_t>(count, left)));
    left -= got;
    return got;
  }
  size_t inflateBytes(void *data, size_t count) {
    stream.next_out = static_cast<Bytef *>(data);
    size_t got = 0;
    while (got < count) {
      if (stream.avail_in == 0) {
        stream.avail_in =
            static_cast<uInt>(readStored(buffer.data(), buffer.size()));
        stream.next_in = buffer.data();
      }
      auto room =
          static_cast<uInt>(std::min<size_t>(count - got, uInt(1) << 30));
      stream.avail_out = room;
      int result = inflate(&stream, Z_NO_FLUSH);
      got += room - stream.avail_out;
      if (result != Z_OK)
        break;
    }
    return got;
  }

  FileSource &file;
  uint64_t left, size, done = 0;
  bool isDeflated, isReady = false;
  uint32_t checksum = 0;
  z_stream stream{};
  std::vector<uint8_t> buffer = std::vector<uint8_t>(1 << 16);
};

#endif

} // namespace

bool NpzFile::open(const std::string &newPath, std::string &error) {
  path = newPath;
  if (!file.open(path, error))
    return false;
  auto fail = [&](const std::string &message) {
    error = "cannot read '" + path + "': " + file.describe(message);
    return false;
  };
#if !DML_HAS_ZLIB
  return fail("this program was built without zlib, which .npz files need");
#endif
  std::optional<uint64_t> size = file.getSize();
  if (!size)
    return fail("is no regular file, but a .npz file is read from its end");
  uint64_t tail = std::min<uint64_t>(*size, kEndSize + kMaxComment);
  std::vector<uint8_t> bytes(static_cast<size_t>(tail));
  if (tail < kEndSize || !file.seek(*size - tail) ||
      file.read(bytes.data(), bytes.size()) != bytes.size())
    return fail("is no .npz file: it has no list of members at its end");
  size_t at = bytes.size() - kEndSize;
  while (at > 0 && !isRecord(&bytes[at], 5, 6))
    --at;
  if (!isRecord(&bytes[at], 5, 6))
    return fail("is no .npz file: it has no list of members at its end");
  uint32_t count = read16(&bytes[at + 10]);
  uint64_t length = read32(&bytes[at + 12]), start = read32(&bytes[at + 16]);
  if (length > kMaxDirectory || start + length > *size)
    return fail("its list of members has " + std::to_string(length) +
                " bytes from byte " + std::to_string(start) +
                " on, but the file has " + std::to_string(*size));
  std::vector<uint8_t> list(static_cast<size_t>(length));
  if (!file.seek(start) || file.read(list.data(), list.size()) != list.size())
    return fail("its list of members cannot be read");
  size_t next = 0;
  for (uint32_t index = 0; index < count; ++index) {
    if (list.size() - next < kEntrySize || !isRecord(&list[next], 1, 2))
      return fail("its list of members is damaged at member " +
                  std::to_string(index));
    const uint8_t *entry = &list[next];
    size_t nameSize = read16(entry + 28),
           whole =
               kEntrySize + nameSize + read16(entry + 30) + read16(entry + 32);
    if (list.size() - next < whole)
      return fail("its list of members ends within member " +
                  std::to_string(index));
    Member member;
    member.name.assign(reinterpret_cast<const char *>(entry + kEntrySize),
                       nameSize);
    member.method = static_cast<uint16_t>(read16(entry + 10));
    member.checksum = read32(entry + 16);
    member.storedSize = read32(entry + 20);
    member.size = read32(entry + 24);
    member.offset = read32(entry + 42);
    if (member.storedSize == kLarge || member.size == kLarge ||
        member.offset == kLarge)
      return fail("member '" + member.name +
                  "' has more than 2^32 - 2 bytes, but at most so many are "
                  "read; a .npy file may have more");
    if (endsWith(member.name, ".npy"))
      member.name.resize(member.name.size() - 4);
    if (find(member.name))
      return fail("it has two members '" + member.name + "'");
    members.push_back(std::move(member));
    next += whole;
  }
  return true;
}

const NpzFile::Member *NpzFile::find(const std::string &name) const {
  auto found =
      std::find_if(members.begin(), members.end(),
                   [&](const Member &member) { return member.name == name; });
  return found == members.end() ? nullptr : &*found;
}

std::string NpzFile::listNames() const {
  std::string names;
  for (const Member &member : members)
    names += (names.empty() ? "'" : ", '") + member.name + "'";
  return names.empty() ? "none" : names;
}

std::optional<HostTensor> NpzFile::read(const Member &member,
                                        const std::string &type,
                                        std::string &error) {
  auto fail = [&](const std::string &message) {
    error = "cannot read '" + path + "': member '" + member.name + "' " +
            file.describe(message);
    return std::nullopt;
  };
#if DML_HAS_ZLIB
  uint8_t header[kLocalSize];
  if (!file.seek(member.offset) ||
      file.read(header, kLocalSize) != kLocalSize || !isRecord(header, 3, 4))
    return fail("does not begin where the list of members says");
  if (member.method != 0 && member.method != 8)
    return fail("is compressed by method " + std::to_string(member.method) +
                ", but 0 (none) and 8 (deflate) are supported");
  if (read16(header + 6) & 1)
    return fail("is encrypted");
  if (!file.seek(member.offset + kLocalSize + read16(header + 26) +
                 read16(header + 28)))
    return fail("does not begin where the list of members says");
  MemberSource source(file, member);
  std::optional<HostTensor> tensor = readNpy(source, type, error);
  if (!tensor)
    return fail(error);
  bool isWhole = type.empty() || hasType(*tensor, type);
  if (isWhole && source.getChecksum() != member.checksum)
    return fail("is damaged: its checksum is not the one that the file has");
  return tensor;
#else
  (void)type;
  return fail("cannot be decompressed without zlib");
#endif
}

#if DML_HAS_ZLIB

namespace {
/// Writes the records of an archive.
class Records {
public:
  /// Appends numbers of 2 or 4 bytes.
  void add16(uint32_t value) {
    bytes += static_cast<char>(value & 0xff);
    bytes += static_cast<char>(value >> 8 & 0xff);
  }
  void add32(uint64_t value) {
    add16(static_cast<uint32_t>(value & 0xffff));
    add16(static_cast<uint32_t>(value >> 16 & 0xffff));
  }
  /// Appends what the two records of a member share.
  void addMember(uint32_t checksum, uint64_t size, size_t nameSize) {
    add16(20);         // the version of the format
    add16(1 << 11);    // names are UTF-8
    add16(0);          // no compression
    add32(0x00210000); // January 1, 1980
    add32(checksum);
    add32(size);
    add32(size);
    add16(static_cast<uint32_t>(nameSize));
    add16(0);
  }
  std::string bytes;
};
} // namespace

bool dml::tools::writeNpz(
    const std::string &path,
    const std::vector<std::pair<std::string, const HostTensor *>> &tensors,
    std::string &error) {
  auto fail = [&](const std::string &message) {
    error = "cannot write '" + path + "': " + message;
    return false;
  };
  // The pieces of the file refer to these texts.
  std::deque<std::string> texts;
  std::vector<std::pair<const void *, size_t>> pieces;
  Records directory;
  uint64_t offset = 0;
  for (const auto &[member, tensor] : tensors) {
    std::string start, name = member + ".npy";
    if (!describeNpy(*tensor, start, error))
      return fail(error);
    uint64_t size = start.size() + tensor->data.size();
    if (offset + size >= kLarge || tensors.size() > UINT16_MAX ||
        name.size() > UINT16_MAX)
      return fail("a .npz file holds at most 2^32 - 2 bytes; name .npy files");
    auto checksum = static_cast<uint32_t>(crc32_z(
        0, reinterpret_cast<const Bytef *>(start.data()), start.size()));
    checksum = static_cast<uint32_t>(
        crc32_z(checksum, tensor->data.data(), tensor->data.size()));
    Records local;
    local.bytes = "PK\3\4";
    local.addMember(checksum, size, name.size());
    texts.push_back(local.bytes + name + start);
    pieces.emplace_back(texts.back().data(), texts.back().size());
    pieces.emplace_back(tensor->data.data(), tensor->data.size());
    directory.bytes += "PK\1\2";
    directory.add16(20);
    directory.addMember(checksum, size, name.size());
    directory.bytes += std::string(10, '\0');
    directory.add32(offset);
    directory.bytes += name;
    offset += texts.back().size() + tensor->data.size();
  }
  uint64_t length = directory.bytes.size();
  if (offset + length >= kLarge)
    return fail("a .npz file holds at most 2^32 - 2 bytes; name .npy files");
  directory.bytes += std::string("PK\5\6\0\0\0\0", 8);
  directory.add16(static_cast<uint32_t>(tensors.size()));
  directory.add16(static_cast<uint32_t>(tensors.size()));
  directory.add32(length);
  directory.add32(offset);
  directory.add16(0);
  pieces.emplace_back(directory.bytes.data(), directory.bytes.size());
  return writeFile(path, pieces, error);
}

#else

bool dml::tools::writeNpz(
    const std::string &path,
    const std::vector<std::pair<std::string, const HostTensor *>> &,
    std::string &error) {
  error = "cannot write '" + path +
          "': this program was built without zlib, which .npz files need";
  return false;
}

#endif
