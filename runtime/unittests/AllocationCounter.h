//===- AllocationCounter.h - What operator new hands out ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A program that contains AllocationCounter.cpp counts its allocations on one
// thread. Tests use the counts to limit work that grows with a file, since the
// counts are equal on all machines, unlike times.
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_ALLOCATIONCOUNTER_H
#define DML_UNITTESTS_ALLOCATIONCOUNTER_H

#include <cstddef>

namespace dml::test {

struct Allocations {
  /// The number of bytes in use, the largest such number since `peak` was last
  /// set, and the number of allocations.
  size_t live = 0, peak = 0, count = 0;
};
extern thread_local Allocations allocations;

} // namespace dml::test

#endif // DML_UNITTESTS_ALLOCATIONCOUNTER_H
