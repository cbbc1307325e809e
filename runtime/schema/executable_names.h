//===- executable_names.h - What names may consist of -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// For those who write and read executables, and for those who print what a file
// says.
//
//===----------------------------------------------------------------------===//

#ifndef DML_EXECUTABLE_NAMES_H
#define DML_EXECUTABLE_NAMES_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace dml::executable {

/// A character of UTF-8, and the number of its bytes. Where the bytes are no
/// UTF-8, the number is 0, and the value is that of the first byte.
struct Character {
  uint32_t value = 0;
  size_t size = 0;
};

/// Reads the first character of `text`, which is not empty.
inline Character readCharacter(std::string_view text) {
  auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  uint32_t first = byte(0);
  if (first < 0x80)
    return {first, 1};
  // 0x80 to 0xc1 begin no character, and numbers end at 0x10ffff.
  if (first < 0xc2 || first > 0xf4)
    return {first, 0};
  size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint32_t value = first & (0x7f >> size);
  for (size_t i = 1; i < size; ++i) {
    if (byte(i) >> 6 != 2)
      return {first, 0};
    value = value << 6 | (byte(i) & 0x3f);
  }
  // A character is written as short as can be, and halves of pairs of UTF-16
  // are none.
  constexpr uint32_t kLeast[] = {0x80, 0x800, 0x10000};
  if (value < kLeast[size - 2] || value > 0x10ffff ||
      (value >= 0xd800 && value < 0xe000))
    return {first, 0};
  return {value, size};
}

/// Whether a terminal obeys a character instead of showing it: control
/// characters, and those that turn the direction of the text behind them.
inline bool isControl(uint32_t character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
         (character >= 0x202a && character <= 0x202e) ||
         (character >= 0x2066 && character <= 0x2069);
}

/// Writes control characters and bytes that are no UTF-8 as "\x1B", and what
/// turns the direction of text as "\u202E": a file's names and lines of text do
/// not get to command the terminal that a message shows them on. The control
/// characters in `kept` stay.
inline std::string escapeControls(std::string_view text,
                                  std::string_view kept = "\t\n") {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    Character character = readCharacter(text);
    bool isText = !isControl(character.value) ||
                  kept.find(text[0]) != std::string_view::npos;
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

} // namespace dml::executable

#endif // DML_EXECUTABLE_NAMES_H
