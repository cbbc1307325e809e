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

/// Writes control characters and bytes that are no UTF-8 as "\x1B", and what
/// turns the direction of text as "\u202E": a file's names and lines of text do
/// not get to command the terminal that a message shows them on. Tabs and ends
/// of lines stay.
std::string escapeControls(std::string_view text);

/// Returns the number of bytes at the end of `text` that begin a character
/// whose other bytes are still missing.
size_t getCutLength(std::string_view text);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_ESCAPE_H
