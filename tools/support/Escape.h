//===- Escape.h - Text of files on terminals --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_ESCAPE_H
#define DML_TOOLS_SUPPORT_ESCAPE_H

#include <string>
#include <string_view>

namespace dml::tools {

/// Writes control characters as "\x1B": a file's names and lines of text do not
/// get to command the terminal that a message shows them on. Tabs and ends of
/// lines stay.
std::string escapeControls(std::string_view text);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_ESCAPE_H
