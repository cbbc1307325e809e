//===- Thread.h - Work beside the thread of a call --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_THREAD_H
#define DML_LIB_SESSION_THREAD_H

#include <functional>
#include <future>

namespace dml::session {

/// Runs `work` on a thread of its own, or, where the system gives none, on the
/// thread that asks for the end of it. The result waits for the thread when it
/// goes.
std::future<void> startThread(std::function<void()> work);

} // namespace dml::session

#endif // DML_LIB_SESSION_THREAD_H
