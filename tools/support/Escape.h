//===- Escape.h - Text of files on terminals --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_ESCAPE_H
#define DML_TOOLS_SUPPORT_ESCAPE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace dml::tools {

/// Escapes text of files for terminals (executable_names.h).
std::string escapeControls(std::string_view text);

/// Escapes a name in a file in the same way, and also its tabs and ends of
/// lines, so that the name stays within its line.
std::string escapeName(std::string_view name);

/// Indents all lines of a message but the first, unless they are indented: a
/// name with an end of a line does not begin what looks like another message.
std::string indentLines(std::string_view message);

/// Returns the number of bytes at the end of `text` that begin a character
/// whose other bytes are still missing.
size_t getCutLength(std::string_view text);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_ESCAPE_H
