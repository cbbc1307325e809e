//===- SPIRVModule.h - What a SPIR-V module asks of its user --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A walk over a SPIR-V module that takes nothing on trust: instructions, types,
// ids, blocks and decorations are held against SPIRVTable.h and the rules of
// SPIR-V that drivers rely on, so that what reaches a driver reaches no memory
// but its own and that of the buffers bound. The work and the memory are linear
// in the module's size, but for logarithms.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_SPIRVMODULE_H
#define DML_RUNTIME_SPIRVMODULE_H

#include "Status.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dml::runtime {

struct SPIRVEntryPoint {
  /// LocalSize, or the constant decorated WorkgroupSize, which overrules it.
  std::array<uint32_t, 3> workgroupSize{};
  /// The number of bindings: one more than the largest that it may use.
  uint64_t bindingCount = 0;
  /// The number of bytes of workgroup memory that the entry point may use, for
  /// any order of its variables.
  uint64_t sharedMemorySize = 0;
  /// The bindings to which the entry point stores.
  std::set<uint32_t> written;
  bool hasLoops = false;
};

struct SPIRVModule {
  /// The version as in the module's second word: 0x00010500 is 1.5.
  uint32_t version = 0;
  /// The features that its capabilities need.
  DmlFeatureFlags features = 0;
  /// The cooperative matrices that it multiplies; it has no others.
  std::vector<DmlMatrixShape> matrixShapes;
  std::map<std::string, SPIRVEntryPoint> entryPoints;

  const SPIRVEntryPoint *findEntryPoint(const std::string &name) const;
};

/// Checks the words, and writes zeros into variables that have nothing in them.
Expected<SPIRVModule> readSPIRVModule(std::vector<uint32_t> &words);

} // namespace dml::runtime

#endif // DML_RUNTIME_SPIRVMODULE_H
