//===- Json.h - Text in JSON ------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_JSON_H
#define DML_TOOLS_SUPPORT_JSON_H

#include <string>

namespace dml::tools {

/// Returns `text` as a JSON string, which must be UTF-8. If `text` is not
/// UTF-8, since it comes from a file, each byte above ASCII becomes the code
/// point with its number.
std::string quoteJson(const std::string &text);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_JSON_H
