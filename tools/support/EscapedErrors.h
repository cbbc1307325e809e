//===- EscapedErrors.h - Standard error of foreign drivers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_ESCAPEDERRORS_H
#define DML_TOOLS_SUPPORT_ESCAPEDERRORS_H

#include <thread>

namespace dml::tools {

/// Escapes the control characters in all text that the process writes to
/// standard error while this object exists. MLIR's drivers always write their
/// messages to standard error; tools with messages of their own use
/// ErrorStream.
class EscapedErrors {
public:
  EscapedErrors();
  ~EscapedErrors() { finish(); }
  EscapedErrors(const EscapedErrors &) = delete;
  EscapedErrors &operator=(const EscapedErrors &) = delete;

  /// Waits until all is written. What follows goes through as it is.
  void finish();

  /// Passes all further text on unchanged. Signal handlers may call this
  /// function, so that a process that crashes can still print its stack.
  void stop() const;

private:
  static void copy(int from, int to);

  /// The file that standard error was before.
  int original = 2;
  /// Reads what the process writes.
  std::thread thread;
};

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_ESCAPEDERRORS_H
