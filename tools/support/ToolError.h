//===- ToolError.h - Errors of the compiler's tools -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_TOOLERROR_H
#define DML_TOOLS_SUPPORT_TOOLERROR_H

#include "support/ErrorStream.h"
#include "llvm/Support/WithColor.h"

namespace dml::tools {

/// Begins an error that has no place in a file: "dml-explain: error: ".
inline llvm::raw_ostream &emitToolError() {
  return llvm::WithColor::error(errorStream(), DML_TOOL);
}

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_TOOLERROR_H
