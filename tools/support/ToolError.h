//===- ToolError.h - Errors of the compiler's tools -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_TOOLERROR_H
#define DML_TOOLS_SUPPORT_TOOLERROR_H

#include "support/ErrorStream.h"
#include "support/ExitCode.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/WithColor.h"
#include <string>

namespace dml::tools {

/// The name of this tool in messages. It is that of dml-run where dml-run has
/// called the tool.
inline std::string &toolName() {
  static std::string name = DML_TOOL;
  return name;
}

/// Prints an error without a place in a file, such as "dml-explain: error:
/// ...". Returns `code`, with which the program must end.
inline ExitCode emitToolError(const llvm::Twine &message,
                              ExitCode code = kExitInvalid) {
  llvm::WithColor::error(errorStream(), toolName())
      << indentLines(message.str()) << "\n";
  return code;
}

/// Prints a warning that has no place in a file, unless it is empty.
inline void emitToolWarning(llvm::StringRef message) {
  if (!message.empty())
    llvm::WithColor::warning(errorStream(), toolName())
        << indentLines(message) << "\n";
}

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_TOOLERROR_H
