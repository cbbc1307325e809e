//===- Mutator.h - Executables that are almost right ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_FUZZ_MUTATOR_H
#define DML_RUNTIME_FUZZ_MUTATOR_H

#include "Random.h"

#include "executable_generated.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dml::fuzz {

using Bytes = std::vector<uint8_t>;
using ExecutableObject = executable::ExecutableT;

/// What cases are made from.
class Mutator {
public:
  /// Begins with small executables, and those that are drawn.
  Mutator();

  /// Adds an executable. Returns false where the bytes are none.
  bool addSeed(const Bytes &bytes);
  size_t seedCount() const { return seeds.size(); }

  /// Creates case `index` of a seed. If `forDevice` is set, the reader accepts
  /// most cases, and a device can run them: hardly anything but shaders is
  /// changed. Otherwise cases come in families, since it takes longer to create
  /// a case than to read it: the first case of a family is created with care,
  /// and the others are copies of it with one or a few words exchanged.
  Bytes makeCase(uint64_t seed, uint64_t index, bool forDevice);

  /// An executable that differs from another, which may be anything.
  static Bytes mutate(const Bytes &bytes, Random &random);

  static constexpr uint64_t kFamily = 16;

private:
  Bytes makeFirst(uint64_t seed, uint64_t index, bool forDevice) const;

  std::vector<std::unique_ptr<ExecutableObject>> seeds;
  /// The first of a family.
  Bytes last;
  uint64_t lastSeed = 0, lastFamily = 0;
};

} // namespace dml::fuzz

#endif // DML_RUNTIME_FUZZ_MUTATOR_H
