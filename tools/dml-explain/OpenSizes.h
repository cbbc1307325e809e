//===- OpenSizes.h - Models whose inputs have open sizes --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Most of what a feature level requires is the same at all sizes of a model's
// inputs. A model that leaves sizes open is therefore judged at one size, and
// once more at another size to see whether the level and the verdict change.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DML_EXPLAIN_OPENSIZES_H
#define DML_TOOLS_DML_EXPLAIN_OPENSIZES_H

#include "dml/Explain/Explain.h"
#include "support/Module.h"

namespace dml::tools {

/// A model, and the sizes at which it is judged.
struct JudgedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  LoadedModel loaded;
  /// The size that stands for each open dimension that neither an option
  /// states nor a batch is, or nothing if there is no such dimension.
  std::optional<int64_t> size;

  /// Whether the model is judged at a size that no option states.
  bool hasOpenSizes() const { return size || !loaded.inputs.batches.empty(); }
};

/// Reads models at several sizes.
class OpenSizes {
public:
  OpenSizes(Console &console, llvm::StringRef path,
            const onnx::StatedSizes &stated, const mlir::ParserConfig &config,
            const LoadOptions &options)
      : console(console), path(path), stated(stated), config(config),
        options(options) {}

  /// Reads the model at the sizes that are stated, or else at the first size
  /// at which all of its nodes can be read. The module is null, after an error
  /// was printed, if the model cannot be read.
  JudgedModel read();
  /// Reads the model of `judged` at another size. Sets `report.dependsOnSizes`,
  /// where `report` is about `judged`, if the level or the verdict is another
  /// one there. Returns a sentence that says so, or "" if no size is open.
  std::string compare(const JudgedModel &judged, explain::Report &report);

private:
  mlir::OwningOpRef<mlir::ModuleOp> readAt(int64_t size, LoadedModel &loaded);

  Console &console;
  llvm::StringRef path;
  onnx::StatedSizes stated;
  const mlir::ParserConfig &config;
  LoadOptions options;
};

/// Prints the inputs with open dimensions, and the sizes at which they are
/// judged. `sentence` is what OpenSizes::compare() has returned.
void printInputs(const JudgedModel &judged, llvm::StringRef sentence,
                 llvm::raw_ostream &os);

/// Returns a list with an object for each of these inputs (the member "inputs"
/// of docs/FeatureLevelChecks.md).
llvm::json::Array describeInputs(const JudgedModel &judged);

} // namespace dml::tools

#endif // DML_TOOLS_DML_EXPLAIN_OPENSIZES_H
