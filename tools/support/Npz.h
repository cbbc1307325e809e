//===- Npz.h - NumPy's archives of tensors ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_NPZ_H
#define DML_TOOLS_SUPPORT_NPZ_H

#include "support/ByteSource.h"
#include "support/HostTensor.h"

#include <utility>

namespace dml::tools {

/// A .npz file, as numpy.savez and numpy.savez_compressed write it: a ZIP
/// archive of .npy files.
class NpzFile {
public:
  /// A tensor of the archive.
  struct Member {
    /// The name, without ".npy".
    std::string name;
    /// The place of its header, and the sizes of the bytes in the file and of
    /// the .npy file that is made of them.
    uint64_t offset = 0, storedSize = 0, size = 0;
    /// 0 for bytes as they are, and 8 for deflated ones.
    uint16_t method = 0;
    uint32_t checksum = 0;
  };

  /// Reads the list of members. Returns false, with `error` set, if this fails.
  bool open(const std::string &path, std::string &error);
  const std::vector<Member> &getMembers() const { return members; }
  /// Returns the member, or null.
  const Member *find(const std::string &name) const;
  /// "'a', 'b'"
  std::string listNames() const;
  /// Reads a member, like readNpy().
  std::optional<HostTensor> read(const Member &member, const std::string &type,
                                 std::string &error);

private:
  std::string path;
  FileSource file;
  std::vector<Member> members;
};

/// Writes the tensors, under their names, without compression.
bool writeNpz(
    const std::string &path,
    const std::vector<std::pair<std::string, const HostTensor *>> &tensors,
    std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_NPZ_H
