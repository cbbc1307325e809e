//===- Boundary.h - The boundary of a C API -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// How a Status becomes what a call of a C API returns, and what calls check
// first. No exception crosses the boundary. The session's C API (lib/Session)
// does the same.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_BOUNDARY_H
#define DML_RUNTIME_BOUNDARY_H

#include "Status.h"

namespace dml::runtime {

/// Turns a Status into what a call returns.
DmlResult report(const Status &status, DmlError *error) noexcept;
/// Turns the exception that is being handled into what a call returns.
DmlResult reportException(DmlError *error) noexcept;

/// Runs the body of a call: no exception leaves it.
template <typename Fn> DmlResult guard(DmlError *error, Fn &&body) noexcept {
  try {
    return report(body(), error);
  } catch (...) {
    return reportException(error);
  }
}

/// Notes that this process loads Vulkan's drivers. Fails in a process that was
/// forked from a process that had loaded them: the threads of a driver are not
/// in the new process, where a call that waits for a thread never returns.
Status enterVulkan();
/// Fails like enterVulkan(), and notes nothing.
Status wantOwnVulkan();

inline Status nullArgument(const char *name) {
  return makeError(DML_ERROR_INVALID_ARGUMENT, "the argument '", name,
                   "' is NULL");
}

/// Refuses every structure in a chain of extensions, since there are no
/// extensions yet. `name` is the name of the structure to which the chain
/// belongs.
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
