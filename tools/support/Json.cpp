//===- Json.cpp - Text in JSON --------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Json.h"

#include <cstdint>
#include <cstdio>

/// Whether a text is valid UTF-8: no character lacks a byte or has too many, no
/// code point has more bytes than necessary, and none is a surrogate or above
/// 0x10ffff.
static bool isUtf8(const std::string &text) {
  for (size_t i = 0; i < text.size();) {
    auto first = static_cast<unsigned char>(text[i++]);
    if (first < 0x80)
      continue;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4)
      return false;
    uint32_t point = first & (0x3f >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i == text.size() ||
          (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
        return false;
      point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
    }
    constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
    if (point < kLeast[more] || point > 0x10ffff ||
        (point >= 0xd800 && point < 0xe000))
      return false;
  }
  return true;
}

std::string dml::tools::quoteJson(const std::string &text) {
  bool isText = isUtf8(text);
  std::string json = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      json += {'\\', static_cast<char>(c)};
    } else if (c < 0x20 || c == 0x7f || (c >= 0x80 && !isText)) {
      char escaped[8];
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", c);
      json += escaped;
    } else {
      json += static_cast<char>(c);
    }
  }
  return json + '"';
}
