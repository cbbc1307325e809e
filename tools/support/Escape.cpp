//===- Escape.cpp - Text of files on terminals ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Escape.h"

#include "executable_names.h"

#include <cstdio>

std::string dml::tools::escapeControls(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    executable::Character character = executable::readCharacter(text);
    bool isText = character.value == '\t' || character.value == '\n' ||
                  !executable::isControl(character.value);
    if (character.size != 0 && isText) {
      escaped += text.substr(0, character.size);
    } else {
      // A byte that is no UTF-8 is one that some terminals obey.
      char digits[12];
      std::snprintf(digits, sizeof(digits),
                    character.value < 0x100 ? "\\x%02X" : "\\u%04X",
                    character.value);
      escaped += digits;
    }
    text.remove_prefix(character.size == 0 ? 1 : character.size);
  }
  return escaped;
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
