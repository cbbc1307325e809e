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
#include "ReadFiles.h"
#include "dml/Pipelines/Pipelines.h"
#include <map>

namespace dml::session {

/// Reports the progress of a program to the caller, who can cancel the work.
class Progress {
public:
  Progress(DmlProgressCallback callback, void *userData)
      : callback(callback), userData(userData) {}

  /// Begins the step `name`, when `fraction` of the work is done. Returns an
  /// error if the caller cancels.
  Status begin(const char *name, float fraction);
  /// Returns an error if the caller has cancelled.
  Status check() const;

private:
  DmlProgressCallback callback;
  void *userData;
  float latest = 0;
  bool cancelled = false;
};

/// Makes the passes of `pm` that run on a whole module ask the caller whether
/// to continue.
void addProgress(mlir::PassManager &pm, Progress &progress, float begin = 0,
                 float end = 1);

/// Sets an option of dml-compile, such as "row-tile", for `model`. Where the
/// option names a file of measured kernels, `options` receives its table.
Status setOption(const DmlNamedValue &option, Model &model,
                 CompilerOptions &options);

class Tuner;

/// Compiles `model` for sizes of its open dimensions, with the outputs of
/// `shared` in the buffers of inputs. Constants with more than a few bytes
/// become weights. `tuner` measures the kernels, or is null. If host memory is
/// exhausted, LLVM ends the process.
Expected<Image> compile(const Model &model,
                        const std::map<std::string, int64_t> &dimensions,
                        llvm::ArrayRef<SharedBuffer> shared,
                        const CompilerOptions &options, Tuner *tuner,
                        Progress &progress, Messages &messages) noexcept;

/// Compiles `module`, which was read from `files`. `shared` and `tuner` are as
/// for compile().
Expected<Image> compileRead(const Model &model, ReadFiles &files,
                            CompilerContext &context, mlir::ModuleOp module,
                            llvm::ArrayRef<SharedBuffer> shared,
                            const CompilerOptions &options, Tuner *tuner,
                            Progress &progress, Messages &messages) noexcept;

} // namespace dml::session

#endif // DML_LIB_SESSION_COMPILE_H
