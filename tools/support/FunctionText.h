//===- FunctionText.h - Functions of executables as text --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_FUNCTIONTEXT_H
#define DML_TOOLS_SUPPORT_FUNCTIONTEXT_H

#include "dml/runtime.h"

#include <string>

namespace dml::tools {

/// "4, 1"
std::string printStrides(const DmlTensorInfo &info);

/// Returns "main(%x: 1x4xf32) -> (%y: 1x4xf32)" for a function that exists. A
/// tensor that is not packed is followed by its strides.
std::string printFunction(DmlExecutable executable, uint32_t function);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_FUNCTIONTEXT_H
