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

/// Runs `work` on a thread of its own. If the system cannot create a thread,
/// `work` runs on the thread that waits for its end. The destructor of the
/// result waits for the thread.
std::future<void> startThread(std::function<void()> work);

} // namespace dml::session

#endif // DML_LIB_SESSION_THREAD_H
