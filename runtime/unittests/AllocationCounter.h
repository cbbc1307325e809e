//===- AllocationCounter.h - What operator new hands out ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A program that has AllocationCounter.cpp in it counts what it allocates, on
// one thread: work that grows with a file shows there on any machine alike.
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_ALLOCATIONCOUNTER_H
#define DML_UNITTESTS_ALLOCATIONCOUNTER_H

#include <cstddef>

namespace dml::test {

struct Allocations {
  /// Bytes that are in use, the most that were since `peak` was last set, and
  /// how often any were asked for.
  size_t live = 0, peak = 0, count = 0;
};
extern thread_local Allocations allocations;

} // namespace dml::test

#endif // DML_UNITTESTS_ALLOCATIONCOUNTER_H
