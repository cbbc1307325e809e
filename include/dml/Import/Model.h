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

/// Returns the format of a file, which is determined by the beginning of its
/// content, or else by the file's name.
ModelFormat findModelFormat(llvm::StringRef path, llvm::StringRef content);

/// Whether a file of this format that begins with `content` is text.
/// readModel() then needs a 0 behind the text in memory.
bool isModelText(ModelFormat format, llvm::StringRef content);

/// Information that is missing in the file. `onnx`, except for its member
/// `files`, and the next member are for ONNX models only.
struct ModelOptions {
  onnx::ImportOptions onnx;
  /// Whether ONNX Runtime's optimizations are applied.
  bool optimize = false;
  /// If not null, is set to the commands of a JSON model.
  directml::Commands *commands = nullptr;
};

/// Reads `file`. In MLIR text, the names of values become the names of the
/// tensors that a function takes and returns, if these have no `dml.name`, and
/// `sources` keeps the text for messages that show its lines. A module of TOSA
/// is converted (dml/Import/TOSA.h). If MLIR's parser refuses the file, or
/// DirectML cannot express an operation of TOSA, the result is a null module,
/// and the diagnostic handlers of the context have received the error.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModel(std::unique_ptr<llvm::MemoryBuffer> file, ModelFormat format,
          const mlir::ParserConfig &config, const ModelOptions &options,
          const std::shared_ptr<llvm::SourceMgr> &sources);

} // namespace dml

#endif // DML_IMPORT_MODEL_H
