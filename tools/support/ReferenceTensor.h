//===- ReferenceTensor.h - Functions and tensors of the reference -*- C++ -*-//
//
// SPDX-License-Identifier: Apache-2.0
//
// What the tools that run functions in the reference interpreter share.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_REFERENCETENSOR_H
#define DML_TOOLS_SUPPORT_REFERENCETENSOR_H

#include "dml/Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "support/Arguments.h"

namespace dml::tools {

/// A tensor of a command line or file for the interpreter. Fails where there is
/// not enough memory, or the elements are not those of its type.
llvm::FailureOr<reference::Tensor> toReference(const HostTensor &host);

/// The same the other way.
HostTensor toHost(const reference::Tensor &tensor);

/// The function `name`; where that is empty, `main` or the only function. Null,
/// with `error` set, where there is none.
mlir::func::FuncOp findFunction(mlir::ModuleOp module, llvm::StringRef name,
                                std::string &error);

/// The function's inputs and outputs, by `dml.name` or their numbers.
FunctionSignature describe(mlir::func::FuncOp function);

/// The tensors that --input options give the inputs of `function`, as
/// readInputs has them. Nothing, with `error` set, where they are not one for
/// each, or there is not enough memory.
std::optional<llvm::SmallVector<reference::Tensor>>
readReferenceInputs(const std::vector<std::string> &options,
                    const FunctionSignature &function, std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_REFERENCETENSOR_H
