//===- AheadOfTime.h - Executables without a device -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_AHEADOFTIME_H
#define DML_LIB_SESSION_AHEADOFTIME_H

#include "Diagnostics.h"
#include "dml/Executable/Executable.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dml::session {

/// An executable, whose constants stay where the module has them.
struct AheadOfTimeExecutable {
  // The module goes before its context.
  CompilerContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ExecutableImage image;
};

/// Compiles all functions of a model for the device profiles of `info`. Where
/// there is no host memory, the process ends, as it does in LLVM.
Expected<std::unique_ptr<AheadOfTimeExecutable>>
compileAheadOfTime(const DmlCompileInfo &info) noexcept;

} // namespace dml::session

#endif // DML_LIB_SESSION_AHEADOFTIME_H
