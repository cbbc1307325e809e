//===- Compile.h - From a model to a program's image ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_COMPILE_H
#define DML_LIB_SESSION_COMPILE_H

#include "Binding.h"
#include "Diagnostics.h"
#include "Image.h"
#include "dml/Pipelines/Pipelines.h"

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

/// Compiles `model` for the sizes `dimensions` of open dimensions, with the
/// outputs of `shared` in the buffers of inputs. The constants of more than a
/// few bytes become weights.
Expected<Image> compile(const Model &model,
                        const llvm::StringMap<int64_t> &dimensions,
                        llvm::ArrayRef<SharedBuffer> shared,
                        const CompilerOptions &options, Progress &progress,
                        Messages &messages);

} // namespace dml::session

#endif // DML_LIB_SESSION_COMPILE_H
