//===- Nesting.h - How deep a module's text is nested -----------*- C++ -*-===//
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

/// Refuses the text of a module with brackets that are nested more than 256
/// deep, with which MLIR's parser would overflow the stack. Looks at each
/// character once. Must be called before MLIR parses a text that anybody may
/// have written.
llvm::Error checkNesting(llvm::StringRef text);

/// Refuses an operation that was read from bytecode with regions, attributes,
/// types or locations that are nested more than 256 deep. MLIR's reader does
/// not recurse, but its verifier, its printer and its destructors do: the
/// caller reads without verification, and verifies afterwards. An operation
/// that is refused loses all that its regions contain.
llvm::Error checkNesting(mlir::Operation *root);

/// Reads the one buffer of `sources`, which is bytecode, checks its nesting,
/// and verifies the module if `verifies` is set. Returns null after an error
/// was emitted.
mlir::OwningOpRef<mlir::ModuleOp>
parseBytecode(const std::shared_ptr<llvm::SourceMgr> &sources,
              mlir::MLIRContext *context, bool verifies = true);

} // namespace dml

#endif // DML_IR_NESTING_H
