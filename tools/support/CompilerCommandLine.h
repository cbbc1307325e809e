//===- CompilerCommandLine.h - Command lines of the compiler's tools ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The counterpart of CommandLine.h, which needs no LLVM, for the tools that
// have options of MLIR's beside their own.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_COMPILERCOMMANDLINE_H
#define DML_TOOLS_SUPPORT_COMPILERCOMMANDLINE_H

#include "support/ExitCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace dml::tools {

/// Has --version of this program print dml's version, and LLVM's that it is
/// built with.
inline void setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << DML_TOOL " " DML_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
}

/// Has --help be silent of the options that LLVM's libraries bring, which there
/// are hundreds of; --help-hidden shows them. To be called before other options
/// are made.
inline void hideLibraryOptions() {
  for (auto [name, option] : llvm::cl::getRegisteredOptions())
    if (llvm::none_of(option->Categories, [](llvm::cl::OptionCategory *known) {
          return known->getName() == "Generic Options";
        }))
      option->setHiddenFlag(llvm::cl::Hidden);
}

/// Called before the program ends in checkStandardOutput, where messages are on
/// their way still.
inline void (*finishMessages)() = nullptr;

/// Ends the program with kExitNotWritten where standard output could not be
/// written: LLVM's own reaction is to crash. To be called before the stream's
/// own end.
inline void checkStandardOutput() {
  llvm::raw_fd_ostream &output = llvm::outs();
  output.flush();
  if (!output.has_error())
    return;
  llvm::WithColor::error(llvm::errs(), DML_TOOL)
      << "cannot write to standard output: " << output.error().message()
      << "\n";
  if (finishMessages)
    finishMessages();
  std::_Exit(kExitNotWritten);
}

/// Applies a command line to the llvm::cl options of this program. --help ends
/// with the table of exit codes, and shows the options of `category` alone if
/// there is one. False, after printing what is wrong, where the exit code is to
/// be kExitInvalid.
inline bool parseCompilerCommandLine(int argc, char **argv,
                                     llvm::StringRef overview,
                                     llvm::cl::OptionCategory *category) {
  setVersionPrinter();
  // It runs before the end of the stream, which is made first.
  llvm::outs();
  std::atexit(checkStandardOutput);
  static const std::string table = std::string("\n") + kExitCodesHelp;
  static llvm::cl::extrahelp exitCodes(table);
  if (category)
    llvm::cl::HideUnrelatedOptions(*category);
  // LLVM's own reaction to an error is the exit code 1.
  return llvm::cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs());
}

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_COMPILERCOMMANDLINE_H
