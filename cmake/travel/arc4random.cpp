//===- arc4random.cpp - For a glibc that is older than LLVM's -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Debian's static libraries of LLVM call arc4random for names of temporary
// files. glibc has that function from version 2.36 on. The travelling library
// brings its own, which no other library of the process sees, and so runs with
// glibc 2.35 too.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

extern "C" uint32_t arc4random() noexcept {
  uint32_t value;
  // The kernel gives this few bytes whole.
  if (getrandom(&value, sizeof(value), 0) != sizeof(value))
    std::abort();
  return value;
}
