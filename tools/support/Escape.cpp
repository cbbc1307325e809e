//===- Escape.cpp - Text of files on terminals ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Escape.h"

#include "executable_names.h"

std::string dml::tools::escapeControls(std::string_view text) {
  return executable::escapeControls(text);
}

std::string dml::tools::escapeName(std::string_view name) {
  return executable::escapeControls(name, /*kept=*/"");
}

std::string dml::tools::indentLines(std::string_view message) {
  std::string text;
  for (size_t i = 0; i < message.size(); ++i) {
    text += message[i];
    bool isEnd = message[i] == '\n' && i + 1 < message.size();
    if (isEnd && message[i + 1] != ' ' && message[i + 1] != '\n')
      text += "  ";
  }
  return text;
}

size_t dml::tools::getCutLength(std::string_view text) {
  for (size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    std::string_view end = text.substr(text.size() - length);
    auto first = static_cast<unsigned char>(end[0]);
    if (first < 0x80)
      return 0;
    if (first < 0xc0)
      continue;
    // More bytes may make it a character.
    return (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4) > length ? length : 0;
  }
  return 0;
}
