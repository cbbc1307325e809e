//===- HostTensor.h - A tensor in host memory -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_HOSTTENSOR_H
#define DML_TOOLS_SUPPORT_HOSTTENSOR_H

#include "dml/runtime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dml::tools {

/// Packed, row-major, in the host's byte order. Elements of 4 bits are two to a
/// byte, the first in the low half.
struct HostTensor {
  DmlDataType dataType = DML_DATA_TYPE_UNKNOWN;
  std::vector<uint32_t> sizes;
  std::vector<uint8_t> data;
};

/// "1x4xf32"; "f32" where there are no dimensions.
std::string describeType(DmlDataType dataType,
                         const std::vector<uint32_t> &sizes);
inline std::string describeType(const HostTensor &tensor) {
  return describeType(tensor.dataType, tensor.sizes);
}

/// The product of the sizes, or nothing where the bytes of so many elements
/// cannot be counted.
std::optional<uint64_t> countElements(DmlDataType dataType,
                                      const std::vector<uint32_t> &sizes);

/// Whether the tensor's elements lie in row-major order without gaps.
bool isPacked(const DmlTensorInfo &info);

/// The bytes of a buffer that has the elements of `packed` where `info` says,
/// and zeros elsewhere. Nothing where elements that share a place differ.
std::optional<std::vector<uint8_t>>
applyLayout(const DmlTensorInfo &info, const std::vector<uint8_t> &packed);

/// The elements that a buffer has where `info` says, packed.
std::vector<uint8_t> removeLayout(const DmlTensorInfo &info,
                                  const std::vector<uint8_t> &bytes);

/// Elements of 4 bits, one in each byte, as they are in a HostTensor, and back
/// to `count` bytes, whose upper bits are 0.
std::vector<uint8_t> packNibbles(const std::vector<uint8_t> &elements);
std::vector<uint8_t> unpackNibbles(const std::vector<uint8_t> &data,
                                   uint64_t count);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_HOSTTENSOR_H
