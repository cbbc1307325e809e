//===- Model.h - Reading a model of any format ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_MODEL_H
#define DML_IMPORT_MODEL_H

#include "dml/Import/DirectML.h"
#include "dml/Import/ONNX.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

namespace dml {

/// The formats of the files that modules are read from.
enum class ModelFormat {
  /// MLIR as text or as bytecode.
  MLIR,
  ONNX,
  /// A JSON model of DxDispatch.
  DispatchModel,
  /// A serialized graph of DirectML.
  SerializedGraph,
};

/// The format that a file is taken for: by its name, or else by how its content
/// begins.
ModelFormat findModelFormat(llvm::StringRef path, llvm::StringRef content);

/// Whether a file of this format that begins with `content` is text, and ends
/// with a 0 in memory where readModel gets it.
bool isModelText(ModelFormat format, llvm::StringRef content);

/// What the file alone does not say. The first two are for ONNX models alone,
/// but for the `files` among the first.
struct ModelOptions {
  onnx::ImportOptions onnx;
  /// Whether ONNX Runtime's optimizations are done.
  bool optimize = false;
  /// Becomes the commands of a JSON model, where it is not null.
  directml::Commands *commands = nullptr;
};

/// Reads `file`. In MLIR text, the names of values become the names of the
/// tensors that a function takes and returns, where these have no `dml.name`;
/// the text stays in `sources`, for messages that show its lines. Where the
/// parser of MLIR refuses the file, the module is null, and the diagnostic
/// handlers of the context have the error.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModel(std::unique_ptr<llvm::MemoryBuffer> file, ModelFormat format,
          const mlir::ParserConfig &config, const ModelOptions &options,
          const std::shared_ptr<llvm::SourceMgr> &sources);

} // namespace dml

#endif // DML_IMPORT_MODEL_H
