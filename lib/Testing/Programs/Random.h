//===- Random.h - The same numbers everywhere -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_TESTING_PROGRAMS_RANDOM_H
#define DML_LIB_TESTING_PROGRAMS_RANDOM_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace dml::fuzz {

/// A random generator (SplitMix64) whose draws depend on the seed only. The
/// distributions of the standard library differ between implementations. Every
/// draw should be a statement of its own, since compilers evaluate arguments in
/// different orders.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Draws a number from `low` to `high`, inclusive.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % uint64_t(high - low + 1));
  }
  bool oneIn(unsigned n) { return next() % n == 0; }
  template <typename T> T pick(llvm::ArrayRef<T> values) {
    return values[next() % values.size()];
  }

private:
  uint64_t state;
};

} // namespace dml::fuzz

#endif // DML_LIB_TESTING_PROGRAMS_RANDOM_H
