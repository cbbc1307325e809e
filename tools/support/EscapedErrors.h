//===- EscapedErrors.h - Standard error of foreign drivers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_ESCAPEDERRORS_H
#define DML_TOOLS_SUPPORT_ESCAPEDERRORS_H

#include <thread>

namespace dml::tools {

/// Escapes the control characters of all that the process writes to standard
/// error while this lives. MLIR's drivers write their messages there and take
/// no other stream; tools with messages of their own have ErrorStream.
class EscapedErrors {
public:
  EscapedErrors();
  ~EscapedErrors() { finish(); }
  EscapedErrors(const EscapedErrors &) = delete;
  EscapedErrors &operator=(const EscapedErrors &) = delete;

  /// Waits until all is written. What follows goes through as it is.
  void finish();

  /// Lets what follows through as it is. Handlers of signals may call it, so
  /// that a process which crashes still says where.
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
