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
  mlir::SourceMgrDiagnosticHandler handler;
  /// A handler that runs before `handler`, and removes the line of progress in
  /// front of a message.
  mlir::ScopedDiagnosticHandler clearer;
};

/// Reads the file `path`: MLIR as text or bytecode, an ONNX model, a JSON model
/// of DxDispatch or a serialized graph of DirectML, which are distinguished by
/// their names or contents. Returns null, after printing errors to `console`,
/// if this fails.
///
/// In MLIR text, the names of values become the names of the tensors that a
/// function takes and returns, if these have no `dml.name`. `dimensions`, the
/// values of --dim options, and `optimize`, which applies ONNX Runtime's
/// optimizations, are for ONNX models only. `isONNX` is set to whether the file
/// is an ONNX model, and `commands` to the commands of a JSON model. A node of
/// an ONNX model that cannot be read is an error, unless `leavesOutUnread` is
/// set, which leaves such nodes out of the module.
mlir::OwningOpRef<mlir::ModuleOp>
loadModule(Console &console, llvm::StringRef path,
           llvm::ArrayRef<std::string> dimensions,
           const mlir::ParserConfig &config,
           directml::Commands *commands = nullptr, bool optimize = false,
           bool *isONNX = nullptr, bool leavesOutUnread = false);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_MODULE_H
