//===- ReferenceTensor.h - Tensors of the reference -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What the tools that run functions in the reference interpreter share.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_REFERENCETENSOR_H
#define DML_TOOLS_SUPPORT_REFERENCETENSOR_H

#include "dml/Reference/Tensor.h"
#include "support/Arguments.h"

namespace dml::tools {

/// Converts a tensor of a command line or file to a tensor of the interpreter.
/// Fails if there is not enough memory, or if the elements are invalid for the
/// type.
llvm::FailureOr<reference::Tensor> toReference(const HostTensor &host);

/// Converts a tensor of the interpreter to a tensor in host memory.
HostTensor toHost(const reference::Tensor &tensor);

/// Reads the tensors for the inputs of `function` from --input options, as
/// readInputs() does. Returns nothing, with `error` set, if the options do not
/// give each input one tensor, or if there is not enough memory.
std::optional<llvm::SmallVector<reference::Tensor>>
readReferenceInputs(const std::vector<std::string> &options,
                    const FunctionSignature &function,
                    const PictureOptions &pictures, std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_REFERENCETENSOR_H
