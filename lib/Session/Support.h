//===- Support.h - The runtime's C API for sessions -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_SUPPORT_H
#define DML_LIB_SESSION_SUPPORT_H

#include "Status.h"
#include "dml/session.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace dml::session {

using runtime::Expected;
using runtime::makeError;
using runtime::Status;

template <auto destroy> struct Destroyer {
  template <typename Handle> void operator()(Handle *handle) const {
    destroy(handle);
  }
};
using DeviceHandle =
    std::unique_ptr<DmlDeviceImpl, Destroyer<dmlDestroyDevice>>;
using ExecutableHandle =
    std::unique_ptr<DmlExecutableImpl, Destroyer<dmlDestroyExecutable>>;
using ProgramHandle =
    std::unique_ptr<DmlProgramImpl, Destroyer<dmlDestroyProgram>>;
using BufferHandle =
    std::unique_ptr<DmlBufferImpl, Destroyer<dmlDestroyBuffer>>;
using TableHandle =
    std::unique_ptr<DmlBindingTableImpl, Destroyer<dmlDestroyBindingTable>>;

/// Calls a function of the runtime's C API, which takes `args` and an error.
template <typename Fn, typename... Args>
Status call(Fn function, Args... args) {
  DmlError error = nullptr;
  DmlResult result = function(args..., &error);
  if (result == DML_SUCCESS)
    return Status();
  std::unique_ptr<DmlErrorImpl, Destroyer<dmlDestroyError>> owned(error);
  return Status(result, dmlGetErrorMessage(error));
}

/// Calls a function that creates an object. The parameter for the new handle is
/// the last one before the error.
template <typename Handle, typename Fn, typename... Args>
Expected<Handle> create(Fn function, Args... args) {
  typename Handle::pointer pointer = nullptr;
  Status status = call(function, args..., &pointer);
  if (!status.ok())
    return status;
  return Handle(pointer);
}

/// Opens an executable, whose bytes the caller keeps.
template <typename Bytes>
Expected<ExecutableHandle> openExecutable(const Bytes &bytes) {
  DmlExecutableCreateInfo info{};
  info.borrow = true;
  return create<ExecutableHandle>(
      dmlCreateExecutable, bytes.data(), bytes.size(),
      static_cast<const DmlExecutableCreateInfo *>(&info));
}

/// Fails if an array of `structure` is NULL although its count is not 0.
inline Status checkArray(const char *structure, const char *member,
                         const void *array, uint32_t count) {
  if (array || count == 0)
    return Status();
  return makeError(DML_ERROR_INVALID_ARGUMENT, structure, "::", member,
                   " is NULL, but its count is ", count);
}

/// Copies bytes to memory of the caller's, which dmlFreeBytes frees.
Status copyBytes(llvm::StringRef bytes, DmlBytes &copy);

/// Returns the error of a model that is invalid, or that cannot be read.
inline Status invalid(llvm::Error error) {
  DmlResult result = DML_ERROR_INVALID_ARGUMENT;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    if (info.convertToErrorCode() == std::errc::io_error)
      result = DML_ERROR_IO;
  });
  return Status(result, llvm::toString(std::move(error)));
}

} // namespace dml::session

#endif // DML_LIB_SESSION_SUPPORT_H
