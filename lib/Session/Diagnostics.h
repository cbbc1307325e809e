//===- Diagnostics.h - What the compiler says in a session ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_DIAGNOSTICS_H
#define DML_LIB_SESSION_DIAGNOSTICS_H

#include "Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <mutex>
#include <string>
#include <vector>

namespace dml::session {

/// A context with the compiler's dialects, which records diagnostics.
class CompilerContext {
public:
  CompilerContext();

  mlir::MLIRContext &get() { return context; }

  /// Returns the first error of the compiler as a status with `result`, or the
  /// message `otherwise` if the compiler has reported no error.
  Status getError(DmlResult result, const char *otherwise) const;
  const std::vector<std::string> &getWarnings() const { return warnings; }

private:
  void take(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext context;
  std::vector<std::string> errors, warnings;
  mlir::ScopedDiagnosticHandler handler;
};

/// The warnings of a session go to the caller, one at a time.
class Messages {
public:
  Messages(DmlMessageCallback callback, void *userData)
      : callback(callback), userData(userData) {}
  void warn(const std::string &text);

private:
  DmlMessageCallback callback;
  void *userData;
  std::mutex mutex;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_DIAGNOSTICS_H
