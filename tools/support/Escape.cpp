//===- Escape.cpp - Text of files on terminals ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Escape.h"

#include <cstdio>

std::string dml::tools::escapeControls(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  auto append = [&](unsigned char c) {
    char digits[8];
    std::snprintf(digits, sizeof(digits), "\\x%02X", c);
    escaped += digits;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    auto next =
        static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f) {
      append(c);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      // The control characters U+0080 to U+009F.
      append(next);
      ++i;
    } else {
      escaped += text[i];
    }
  }
  return escaped;
}
