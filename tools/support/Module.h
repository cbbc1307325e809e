//===- Module.h - The modules that tools read -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_MODULE_H
#define DML_TOOLS_SUPPORT_MODULE_H

#include "dml/Import/DirectML.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

namespace dml::tools {

/// Reads the file `path`: MLIR as text or bytecode, an ONNX model, a JSON model
/// of DxDispatch or a serialized graph of DirectML, told apart by name or
/// content. `dimensions` are the values of --dim options, for ONNX models
/// alone; `commands` become those of a JSON model. Errors of the file go to
/// standard error, those of MLIR through a handler that the caller has made for
/// `sources`. Null where it fails.
mlir::OwningOpRef<mlir::ModuleOp>
loadModule(llvm::StringRef tool, llvm::StringRef path,
           llvm::ArrayRef<std::string> dimensions,
           const std::shared_ptr<llvm::SourceMgr> &sources,
           const mlir::ParserConfig &config,
           directml::Commands *commands = nullptr);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_MODULE_H
