//===- Compile.h - From a model to a program's image ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_COMPILE_H
#define DML_LIB_SESSION_COMPILE_H

#include "Diagnostics.h"
#include "Image.h"
#include "dml/Pipelines/Pipelines.h"
#include <map>

namespace dml::session {

/// Tells the caller how far a program is, and hears whether to go on.
class Progress {
public:
  Progress(DmlProgressCallback callback, void *userData)
      : callback(callback), userData(userData) {}

  /// Begins the step `name`, after `fraction` of the work. Returns an error
  /// where the caller cancels.
  Status begin(const char *name, float fraction);
  /// Returns the error where the caller has cancelled.
  Status check() const;

private:
  DmlProgressCallback callback;
  void *userData;
  float latest = 0;
  bool cancelled = false;
};

/// Compiles `model` for the sizes `dimensions` of open dimensions. The
/// constants of more than a few bytes become weights. Where there is no host
/// memory, the process ends, as it does in LLVM.
Expected<Image> compile(const Model &model,
                        const std::map<std::string, int64_t> &dimensions,
                        const CompilerOptions &options, Progress &progress,
                        Messages &messages) noexcept;

} // namespace dml::session

#endif // DML_LIB_SESSION_COMPILE_H
