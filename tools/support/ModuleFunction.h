//===- ModuleFunction.h - The functions of a module -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_MODULEFUNCTION_H
#define DML_TOOLS_SUPPORT_MODULEFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Arguments.h"

namespace dml::tools {

/// Returns the function `name`, or, if `name` is empty, the function `main` or
/// the only public function. Returns null, with `error` set, if there is none.
mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name,
                                std::string &error);

/// Returns the inputs and outputs of a function, with their `dml.name` or their
/// numbers. `absent` are the inputs of its model that the function lacks.
FunctionSignature describe(mlir::func::FuncOp function,
                           std::vector<AbsentInput> absent = {});

/// Whether all inputs and outputs of a function have a type that --input has.
bool hasPlainTypes(mlir::func::FuncOp function);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_MODULEFUNCTION_H
