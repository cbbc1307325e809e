//===- SPIRVModule.h - What a SPIR-V module asks of its user --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A light walk over a SPIR-V module. It is no validator (the compiler ran one);
// it keeps a module whose words are malformed, or whose interface is not what
// the executable says, from reaching a driver.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_SPIRVMODULE_H
#define DML_RUNTIME_SPIRVMODULE_H

#include "Status.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dml::runtime {

struct SPIRVEntryPoint {
  std::string name;
  /// LocalSize, or the constant decorated WorkgroupSize, which overrules it.
  std::array<uint32_t, 3> workgroupSize;
  /// Ids of the variables it lists.
  std::vector<uint32_t> interface;
};

struct SPIRVStorageBuffer {
  uint32_t id;
  uint32_t binding;
};

struct SPIRVWorkgroupVariable {
  uint32_t id;
  uint32_t size;
};

struct SPIRVModule {
  /// As in the module's second word: 0x00010500 is 1.5.
  uint32_t version = 0;
  /// The features that its capabilities need.
  DmlFeatureFlags features = 0;
  std::vector<SPIRVEntryPoint> entryPoints;
  std::vector<SPIRVStorageBuffer> storageBuffers;
  std::vector<SPIRVWorkgroupVariable> workgroupVariables;

  const SPIRVEntryPoint *findEntryPoint(const std::string &name) const;
  /// One more than the largest binding that an entry point may use.
  uint32_t bindingCount(const SPIRVEntryPoint &entryPoint) const;
  /// Bytes of workgroup memory that an entry point may use.
  uint64_t sharedMemorySize(const SPIRVEntryPoint &entryPoint) const;

private:
  bool mayUse(const SPIRVEntryPoint &entryPoint, uint32_t variable) const;
};

Expected<SPIRVModule> readSPIRVModule(const std::vector<uint32_t> &words);

} // namespace dml::runtime

#endif // DML_RUNTIME_SPIRVMODULE_H
