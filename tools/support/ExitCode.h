//===- ExitCode.h - How the tools end -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The one table of exit codes. Every tool's --help prints it.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_EXITCODE_H
#define DML_TOOLS_SUPPORT_EXITCODE_H

namespace dml::tools {

enum ExitCode : int {
  kExitDone = 0,
  kExitNo = 1,
  kExitInvalid = 2,
  kExitUndecided = 3,
  kExitNotWritten = 4,
};

inline constexpr char kExitCodesHelp[] =
    R"(exit codes, the same for all of dml's tools
  0  done; what was asked is so
  1  it cannot be done, or is not so: operators do not fit the feature level, a
     module cannot be compiled, a device lacks something or fails, the
     validation layer has a message, results are wrong
  2  the command line is wrong, or a file or tensor that it names is missing or
     invalid
  3  undecided: there are operations that are not DirectML's, or no DirectML
     operators at all (dml-explain); nothing of a result could be judged, since
     its bounds admit any number (dml-run, an operator in dml-check); results of
     a whole program that their bounds cannot judge are far from the reference's
     numbers (dml-check)
  4  the output cannot be written
)";

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_EXITCODE_H
