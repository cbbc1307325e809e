//===- Version.h - What --version prints ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_VERSION_H
#define DML_TOOLS_SUPPORT_VERSION_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace dml::tools {

/// Has --version of this program print dml's version, and LLVM's that it is
/// built with. To be called before the command line is parsed.
inline void setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << DML_TOOL " " DML_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
}

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_VERSION_H
