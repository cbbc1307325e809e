//===- File.h - Files written whole or not at all -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_FILE_H
#define DML_TOOLS_SUPPORT_FILE_H

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dml::tools {

/// Writes the pieces one after the other into a file that appears under `path`
/// only when complete. What is no regular file (/dev/stdout) is written in
/// place. False with `error` set where that fails.
bool writeFile(const std::string &path,
               const std::vector<std::pair<const void *, size_t>> &pieces,
               std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_FILE_H
