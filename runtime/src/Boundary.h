//===- Boundary.h - The boundary of a C API -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// How a Status becomes what a call of a C API returns. No exception crosses the
// boundary. The session's C API (lib/Session) creates its errors here, too.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_BOUNDARY_H
#define DML_RUNTIME_BOUNDARY_H

#include "Status.h"

#include <new>
#include <stdexcept>

struct DmlErrorImpl {
  DmlResult result;
  std::string message;
};

namespace dml::runtime {

/// Reported where there is no memory for an error object; never freed. Its text
/// stands in dmlGetErrorMessage: to put it here would take memory.
extern DmlErrorImpl outOfMemoryError;

/// Turns a Status into what a call returns.
inline DmlResult report(const Status &status, DmlError *error) noexcept {
  if (error)
    *error = nullptr;
  if (status.ok())
    return DML_SUCCESS;
  if (error) {
    try {
      *error = new DmlErrorImpl{status.result(), status.message()};
    } catch (...) {
      *error = &outOfMemoryError;
      return DML_ERROR_OUT_OF_MEMORY;
    }
  }
  return status.result();
}

/// Runs the body of a call: no exception leaves it.
template <typename Fn> DmlResult guard(DmlError *error, Fn &&body) noexcept {
  try {
    return report(body(), error);
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) {
    // A container asked for more than can be addressed.
  } catch (...) {
    return report(Status(DML_ERROR_VULKAN, "unknown"), error);
  }
  if (error)
    *error = &outOfMemoryError;
  return DML_ERROR_OUT_OF_MEMORY;
}

inline Status nullArgument(const char *name) {
  return makeError(DML_ERROR_INVALID_ARGUMENT, "the argument '", name,
                   "' is NULL");
}

/// Refuses every structure in a chain of extensions: there are none yet.
/// `name` is that of the structure that the chain hangs on.
inline Status checkChain(const char *name, const void *chain) {
  if (!chain)
    return Status();
  return makeError(
      DML_ERROR_UNSUPPORTED, "the chain of ", name, " has a structure of type ",
      static_cast<int>(static_cast<const DmlExtension *>(chain)->type),
      ", which this version of the runtime (", dmlGetVersion(),
      ") does not know");
}

/// Leaves the call where a structure's chain has an unknown structure.
#define DML_CHECK_CHAIN(type, structure)                                       \
  DML_TRY(::dml::runtime::checkChain(#type, (structure)->next))

/// Leaves the call where a pointer that it needs is null.
#define DML_NEED(pointer)                                                      \
  if (!(pointer))                                                              \
  return ::dml::runtime::nullArgument(#pointer)

} // namespace dml::runtime

#endif // DML_RUNTIME_BOUNDARY_H
