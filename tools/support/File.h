//===- File.h - How every tool writes its files ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_FILE_H
#define DML_TOOLS_SUPPORT_FILE_H

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dml::tools {

/// Writes the pieces one after the other to `path`. Returns false, with `error`
/// set, on failure.
///
/// A regular file appears only when it is complete, with the mode and the owner
/// of the file that it replaces. If writing fails, the old file remains. A
/// symbolic link remains a link, and the file that it names is written. If
/// `path` is not a regular file (but a pipe, a device or /dev/stdout), the
/// bytes are written to it directly.
bool writeFile(const std::string &path,
               const std::vector<std::pair<const void *, size_t>> &pieces,
               std::string &error);

/// Writes `data` to `path` like writeFile(), or to standard output if `path` is
/// "-".
bool writeOutput(const std::string &path, std::string_view data,
                 std::string &error);

/// Whether `path` can probably be written: its folder exists, and it is no
/// folder itself. Tools that work for a long time before they write call this
/// function first. Changes nothing.
bool checkOutput(const std::string &path, std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_FILE_H
