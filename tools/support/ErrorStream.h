//===- ErrorStream.h - Standard error of the compiler's tools -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_ERRORSTREAM_H
#define DML_TOOLS_SUPPORT_ERRORSTREAM_H

#include "support/Escape.h"
#include "llvm/Support/raw_ostream.h"

namespace dml::tools {

/// A stream that writes to standard error, and escapes control characters in
/// the text, but not those that set colors.
class ErrorStream : public llvm::raw_ostream {
public:
  ErrorStream() : raw_ostream(/*unbuffered=*/true) {}

  bool is_displayed() const override { return llvm::errs().is_displayed(); }
  bool has_colors() const override { return llvm::errs().has_colors(); }
  raw_ostream &changeColor(Colors color, bool bold, bool background) override {
    llvm::errs().changeColor(color, bold, background);
    return *this;
  }
  raw_ostream &resetColor() override {
    llvm::errs().resetColor();
    return *this;
  }
  raw_ostream &reverseColor() override {
    llvm::errs().reverseColor();
    return *this;
  }

private:
  void write_impl(const char *data, size_t size) override {
    llvm::errs() << escapeControls({data, size});
  }
  uint64_t current_pos() const override { return 0; }
};

/// The one ErrorStream of a tool.
inline ErrorStream &errorStream() {
  static ErrorStream stream;
  return stream;
}

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_ERRORSTREAM_H
