//===- HostFile.h - Files of the host, by their names in UTF-8 ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_HOSTFILE_H
#define DML_RUNTIME_HOSTFILE_H

#include "Status.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace dml::runtime {

using HostFile = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

/// Opens a file to read its bytes. The name is UTF-8 on every system, also on
/// Windows, whose own narrow names have the code page of the process.
Expected<HostFile> openHostFile(const std::string &path);

/// Moves to the byte `offset` behind `origin` (SEEK_SET or SEEK_END), and
/// returns the position then. Returns -1, with errno set, on failure. Files may
/// have more than 2^31 bytes, also where a long has 32 bits.
int64_t seekHostFile(std::FILE *file, int64_t offset, int origin);

/// The error that the last call on the file has left in errno.
Status makeReadError(const std::string &path);

} // namespace dml::runtime

#endif // DML_RUNTIME_HOSTFILE_H
