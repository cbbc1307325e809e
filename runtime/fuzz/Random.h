//===- Random.h - Random numbers that are the same everywhere -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_FUZZ_RANDOM_H
#define DML_RUNTIME_FUZZ_RANDOM_H

#include <cstddef>
#include <cstdint>

namespace dml::fuzz {

/// SplitMix64. Every case has one of its own, which its number begins.
class Random {
public:
  Random(uint64_t seed, uint64_t index)
      : state(seed * 0x9e3779b97f4a7c15 + index) {
    next();
  }

  uint64_t next() {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// A number less than `count`, which is not 0.
  size_t below(size_t count) { return next() % count; }
  bool oneIn(size_t count) { return below(count) == 0; }
  template <typename T> auto &pick(T &values) {
    return values[below(values.size())];
  }
  /// Numbers at which programs go wrong, and those near `value`.
  uint64_t number(uint64_t value) {
    switch (below(8)) {
    case 0:
      return 0;
    case 1:
      return value + 1;
    case 2:
      return value - 1;
    case 3:
      return value ^ (uint64_t(1) << below(64));
    case 4:
      return uint64_t(1) << below(64);
    case 5:
      return (uint64_t(1) << below(64)) - 1;
    case 6:
      return below(256);
    default:
      return next();
    }
  }

private:
  uint64_t state;
};

} // namespace dml::fuzz

#endif // DML_RUNTIME_FUZZ_RANDOM_H
