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
  uint64_t limit = UINT64_MAX / dmlGetDataTypeBits(dataType);
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

std::vector<uint8_t>
dml::tools::packNibbles(const std::vector<uint8_t> &elements) {
  std::vector<uint8_t> data((elements.size() + 1) / 2);
  for (size_t i = 0; i < elements.size(); ++i)
    data[i / 2] |= (elements[i] & 0xf) << (i % 2 * 4);
  return data;
}

std::vector<uint8_t> dml::tools::unpackNibbles(const std::vector<uint8_t> &data,
                                               uint64_t count) {
  std::vector<uint8_t> elements(count);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = data[i / 2] >> (i % 2 * 4) & 0xf;
  return elements;
}
