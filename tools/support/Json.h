//===- Json.h - Text in JSON ------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_JSON_H
#define DML_TOOLS_SUPPORT_JSON_H

#include <string>

namespace dml::tools {

/// A JSON string. Text that files brought may be no UTF-8, which JSON has to
/// be: any byte above ASCII's is written as the code point of its number where
/// the text is none.
std::string quoteJson(const std::string &text);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_JSON_H
