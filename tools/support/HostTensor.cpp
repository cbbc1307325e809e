//===- HostTensor.cpp - A tensor in host memory ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/HostTensor.h"

using namespace dml::tools;

std::string dml::tools::describeType(DmlDataType dataType,
                                     const std::vector<uint32_t> &sizes) {
  std::string text;
  for (uint32_t size : sizes)
    text += std::to_string(size) + "x";
  return text + dmlGetDataTypeName(dataType);
}

std::optional<uint64_t>
dml::tools::countElements(DmlDataType dataType,
                          const std::vector<uint32_t> &sizes) {
  uint64_t limit = (UINT64_MAX / 2) / dmlGetDataTypeSize(dataType);
  uint64_t count = 1;
  for (uint32_t size : sizes) {
    if (size == 0)
      return 0;
    if (count > limit / size)
      return std::nullopt;
    count *= size;
  }
  return count;
}
