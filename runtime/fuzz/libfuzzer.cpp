//===- libfuzzer.cpp - The reader under Clang's libFuzzer -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include "Executable.h"

#include <algorithm>
#include <cstring>

// libFuzzer asks for these names.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  (void)dml::runtime::readExecutable(data, size);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t mostSize, unsigned int seed) {
  static dml::fuzz::Mutator mutator;
  dml::fuzz::Random random(seed, 0);
  dml::fuzz::Bytes bytes(data, data + size);
  bytes = size < 16 ? mutator.makeCase(seed, 0, /*forDevice=*/false)
                    : dml::fuzz::Mutator::mutate(bytes, random);
  size = std::min(bytes.size(), mostSize);
  if (size != 0)
    std::memcpy(data, bytes.data(), size);
  return size;
}
