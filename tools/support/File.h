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

/// Writes the pieces one after the other to `path`. False with `error` set
/// where any of it fails.
///
/// A regular file appears only when it is complete, under the mode and the
/// owner of the file that it replaces, and what stood there stays where writing
/// fails. A symbolic link stays one, and the file that it names is written.
/// Where no regular file stands (a pipe, a device, /dev/stdout), the bytes are
/// written to what stands there.
bool writeFile(const std::string &path,
               const std::vector<std::pair<const void *, size_t>> &pieces,
               std::string &error);

/// The same of one piece, where "-" is standard output.
bool writeOutput(const std::string &path, std::string_view data,
                 std::string &error);

/// Whether `path` can probably be written: its folder exists, and it is none
/// itself. For tools that work long before they write. Changes nothing.
bool checkOutput(const std::string &path, std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_FILE_H
