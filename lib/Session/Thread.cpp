//===- Thread.cpp - Work beside the thread of a call ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Thread.h"
#include <system_error>

std::future<void> dml::session::startThread(std::function<void()> work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error &) {
    return std::async(std::launch::deferred, work);
  }
}
