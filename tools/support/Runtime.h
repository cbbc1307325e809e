//===- Runtime.h - The runtime's handles and errors in C++ ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_RUNTIME_H
#define DML_TOOLS_SUPPORT_RUNTIME_H

#include "dml/runtime.h"
#include "support/ExitCode.h"

#include <string>
#include <utility>

namespace dml::tools {

/// What a tool throws where it cannot go on; its main prints it.
struct Failure {
  std::string message;
  ExitCode exitCode = kExitInvalid;
  DmlResult result = DML_ERROR_INVALID_ARGUMENT;
};

[[noreturn]] inline void fail(const std::string &message,
                              ExitCode exitCode = kExitInvalid) {
  throw Failure{message, exitCode};
}

/// Returns the exit code of a tool if a call of the runtime fails with
/// `result`. An argument that is invalid for the runtime comes from the caller
/// of the tool.
inline ExitCode getExitCode(DmlResult result) {
  switch (result) {
  case DML_SUCCESS:
    return kExitDone;
  case DML_ERROR_INVALID_ARGUMENT:
  case DML_ERROR_INVALID_EXECUTABLE:
  case DML_ERROR_NOT_FOUND:
  case DML_ERROR_IO:
    return kExitInvalid;
  default:
    return kExitNo;
  }
}

/// Takes the error of a call of the runtime, and fails where there is one.
class Check {
public:
  Check() = default;
  ~Check() { dmlDestroyError(error); }
  Check(const Check &) = delete;
  Check &operator=(const Check &) = delete;
  operator DmlError *() { return &error; }
  void operator()(DmlResult result) const {
    (*this)(result, getExitCode(result));
  }
  void operator()(DmlResult result, ExitCode exitCode) const {
    if (result != DML_SUCCESS)
      throw Failure{dmlGetErrorMessage(error), exitCode, result};
  }

private:
  DmlError error = nullptr;
};

/// Owns a handle of the runtime.
template <typename Handle, void (*destroy)(Handle)> class Owner {
public:
  Owner() = default;
  ~Owner() { destroy(handle); }
  Owner(const Owner &) = delete;
  Owner &operator=(const Owner &) = delete;
  Owner(Owner &&other) noexcept : handle(other.handle) {
    other.handle = nullptr;
  }
  Owner &operator=(Owner &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  operator Handle() const { return handle; }
  Handle *out() { return &handle; }

private:
  Handle handle = nullptr;
};

using Instance = Owner<DmlInstance, dmlDestroyInstance>;
using Device = Owner<DmlDevice, dmlDestroyDevice>;
using Executable = Owner<DmlExecutable, dmlDestroyExecutable>;
using Program = Owner<DmlProgram, dmlDestroyProgram>;
using Buffer = Owner<DmlBuffer, dmlDestroyBuffer>;
using BindingTable = Owner<DmlBindingTable, dmlDestroyBindingTable>;

/// Creates an instance. A missing driver does not count as an error of the
/// command line.
inline Instance createInstance(const DmlInstanceCreateInfo *info) {
  Instance instance;
  Check check;
  DmlResult result = dmlCreateInstance(info, instance.out(), check);
  check(result, kExitNo);
  return instance;
}

/// Fails where there is no device to choose from.
inline void requireDevices(DmlInstance instance) {
  if (dmlGetDeviceCount(instance) == 0)
    fail("there is no Vulkan device: no driver is installed that has one "
         "(Debian's package mesa-vulkan-drivers has drivers for most GPUs, and "
         "one for the CPU; VK_DRIVER_FILES "
         "names the file of a driver that stands elsewhere)",
         kExitNo);
}

#define DML_CHECK(call, ...)                                                   \
  do {                                                                         \
    ::dml::tools::Check check;                                                 \
    check(call(__VA_ARGS__, check));                                           \
  } while (false)

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_RUNTIME_H
