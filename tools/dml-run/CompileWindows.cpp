//===- CompileWindows.cpp - Where there is no compiler --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

using namespace dml::tools;

/// The error for whatever the compiler's tools would have to read.
static const char *const noCompiler =
    "dml's compiler does not run on Windows: compile the model with "
    "dml-compile on Linux, and run the .dmlx file here";

AnonymousFile::~AnonymousFile() = default;

bool AnonymousFile::create(std::string &error, const std::vector<uint8_t> &) {
  error = noCompiler;
  return false;
}

bool AnonymousFile::createOnDisk(std::string &error) { return create(error); }

bool AnonymousFile::hasBytes() const { return false; }

std::vector<uint8_t> AnonymousFile::read() const { return {}; }

bool dml::tools::runCompilerTool(const std::string &,
                                 const std::vector<std::string> &,
                                 const std::string &, std::string &error,
                                 ExitCode &exitCode, const AnonymousFile *,
                                 const Consult &) {
  error = noCompiler;
  exitCode = kExitNo;
  return false;
}
