//===- header.cpp - The header for C++ where there are no exceptions ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// This file is compiled with -fno-exceptions, as many engines are.
//
//===----------------------------------------------------------------------===//

#include "dml/runtime.hpp"

#ifdef __cpp_exceptions
#error "this file is to be compiled without exceptions"
#endif

/// Returns the message of a call that fails.
std::string getMessageWithoutExceptions();
std::string getMessageWithoutExceptions() {
  dml::Executable executable;
  dml::ErrorHandle failure;
  dmlCreateExecutable("", 0, nullptr, executable.out(), failure.out());
  return executable || failure.result() != DML_ERROR_INVALID_EXECUTABLE
             ? ""
             : failure.message();
}
