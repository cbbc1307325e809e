//===- Module.h - The modules that tools read -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_MODULE_H
#define DML_TOOLS_SUPPORT_MODULE_H

#include "dml/Import/DirectML.h"
#include "dml/Import/Sizes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "support/Arguments.h"
#include "support/Progress.h"
#include "llvm/Support/SourceMgr.h"

namespace dml::tools {

/// The messages of a tool that reads a module, on standard error: diagnostics,
/// with lines of the source, and the progress of long work.
class Console {
public:
  Console(llvm::StringRef tool, mlir::MLIRContext *context);

  std::string tool;
  Progress progress;
  std::shared_ptr<llvm::SourceMgr> sources =
      std::make_shared<llvm::SourceMgr>();

private:
  /// Prints a diagnostic about no place in a file, such as one about the whole
  /// file, with the name of the tool. Fails if the diagnostic has a place.
  llvm::LogicalResult printWithoutPlace(mlir::Diagnostic &diagnostic);

  mlir::SourceMgrDiagnosticHandler handler;
  /// A handler that runs before `handler`, and removes the line of progress in
  /// front of a message.
  mlir::ScopedDiagnosticHandler clearer;
};

/// How loadModule() reads a file. All members but `commands` are for ONNX
/// models.
struct LoadOptions {
  /// If not null, is set to the commands of a JSON model.
  directml::Commands *commands = nullptr;
  /// If not null, is set to the inputs that the function lacks.
  std::vector<AbsentInput> *absent = nullptr;
  /// If not null and the model leaves sizes or values open that a program
  /// needs, is set to its inputs and outputs as it declares them. That is no
  /// error then: there is no message.
  std::string *declaration = nullptr;
  /// Whether ONNX Runtime's optimizations are applied.
  bool optimize = false;
  /// Whether nodes that cannot be read are left out of the module. Otherwise,
  /// such a node is an error.
  bool leavesOutUnread = false;
  /// Whether errors in the model are not printed.
  bool isQuiet = false;
};

/// What loadModule() finds out about a file beside its module.
struct LoadedModel {
  bool isONNX = false;
  /// The inputs of an ONNX model, and the sizes of their open dimensions.
  onnx::SizesOfInputs inputs;
  onnx::ImportOptions sizes;
};

/// Reads the file `path`: MLIR as text or bytecode, an ONNX model, a JSON model
/// of DxDispatch or a serialized graph of DirectML, which are distinguished by
/// their names or contents. Returns null, after printing errors to `console`,
/// if this fails. `sizes` are stated for the inputs of an ONNX model, and a
/// note names a batch whose size was taken to be 1. If `loaded` is not null,
/// there is no such note, and inputs of unknown sizes are no error: the result
/// is null, and `loaded->inputs.open` lists the sizes.
///
/// In MLIR text, the names of values become the names of the tensors that a
/// function takes and returns, if these have no `dml.name`.
mlir::OwningOpRef<mlir::ModuleOp>
loadModule(Console &console, llvm::StringRef path,
           const onnx::StatedSizes &sizes, const mlir::ParserConfig &config,
           const LoadOptions &options = {}, LoadedModel *loaded = nullptr);
/// Reads a file that was opened under the name `path`.
mlir::OwningOpRef<mlir::ModuleOp>
loadModule(Console &console, std::unique_ptr<llvm::MemoryBuffer> buffer,
           llvm::StringRef path, const onnx::StatedSizes &sizes,
           const mlir::ParserConfig &config, const LoadOptions &options = {},
           LoadedModel *loaded = nullptr);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_MODULE_H
