//===- Module.h - The modules that tools read -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_MODULE_H
#define DML_TOOLS_SUPPORT_MODULE_H

#include "dml/Import/DirectML.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "support/Progress.h"
#include "llvm/Support/SourceMgr.h"

namespace dml::tools {

/// What a tool that reads a module shows on standard error: diagnostics with
/// their lines of the source, and what it is doing for long.
class Console {
public:
  Console(llvm::StringRef tool, mlir::MLIRContext *context);

  std::string tool;
  Progress progress;
  std::shared_ptr<llvm::SourceMgr> sources =
      std::make_shared<llvm::SourceMgr>();

private:
  mlir::SourceMgrDiagnosticHandler handler;
  /// The handler that is asked before `handler`, and makes room for the
  /// message.
  mlir::ScopedDiagnosticHandler clearer;
};

/// Reads the file `path`: MLIR as text or bytecode, an ONNX model, a JSON model
/// of DxDispatch or a serialized graph of DirectML, told apart by name or
/// content. In MLIR text, the names of values become the names of the tensors
/// that a function takes and returns, where these have no `dml.name`.
/// `dimensions` are the values of --dim options, for ONNX models alone, as are
/// ONNX Runtime's optimizations, `optimize`; `isONNX` says whether the file is
/// one; `commands` become those of a JSON model. Errors go to `console`. Null
/// where it fails. Nodes of an ONNX model that cannot be read are an error, or
/// where `leavesOutUnread` says so what the module lacks.
mlir::OwningOpRef<mlir::ModuleOp>
loadModule(Console &console, llvm::StringRef path,
           llvm::ArrayRef<std::string> dimensions,
           const mlir::ParserConfig &config,
           directml::Commands *commands = nullptr, bool optimize = false,
           bool *isONNX = nullptr, bool leavesOutUnread = false);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_MODULE_H
