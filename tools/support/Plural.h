//===- Plural.h - Counts in messages --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_PLURAL_H
#define DML_TOOLS_SUPPORT_PLURAL_H

#include <cstdint>
#include <string>

namespace dml::tools {

/// "1 step", "2 steps", "0 steps".
inline std::string printCount(uint64_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_PLURAL_H
