//===- Nesting.h - Modules that anybody may have written --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_NESTING_H
#define DML_IR_NESTING_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace dml {

/// How deep a module may be nested: in text, the brackets around a place, with
/// those of the aliases there (each region in the generic form has two: ({); in
/// bytecode, regions, and the attributes and types that others contain.
constexpr unsigned kMostNested = 256;

/// Refuses the text of a module with brackets that are nested more than 256
/// deep, with which MLIR's parser would overflow the stack. Looks at each
/// character once. Must be called before MLIR parses a text that anybody may
/// have written.
llvm::Error checkNesting(llvm::StringRef text);

/// Reads the one buffer of `sources`, which is bytecode that anybody may have
/// written, and verifies the module if `verifies` is set. Bytecode that MLIR's
/// reader would not survive is refused before or while it is read: counts that
/// the file cannot hold, more than kMostNested levels, attributes and types
/// that contain themselves or do not fit their parameters, and encodings of
/// dialects other than builtin and quant. Returns null after an error was
/// emitted.
mlir::OwningOpRef<mlir::ModuleOp>
parseBytecode(const std::shared_ptr<llvm::SourceMgr> &sources,
              mlir::MLIRContext *context, bool verifies = true);

} // namespace dml

#endif // DML_IR_NESTING_H
