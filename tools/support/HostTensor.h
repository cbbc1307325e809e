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

/// A tensor in host memory: packed, in row-major order, and in the host's byte
/// order. 4-bit elements are two to a byte, the first of them in the low half.
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

/// Whether a tensor is one of `type`, as describeType() names types. A scalar
/// is a tensor of one element, too: "f32" is "1xf32".
bool hasType(const HostTensor &tensor, const std::string &type);

/// Returns the number of elements, the product of the sizes. Returns nothing if
/// the number of their bytes does not fit into 64 bits.
std::optional<uint64_t> countElements(DmlDataType dataType,
                                      const std::vector<uint32_t> &sizes);

/// Whether the tensor's elements lie in row-major order without gaps.
bool isPacked(const DmlTensorInfo &info);

/// Returns the bytes of a buffer with the elements of `packed` at the places
/// that `info` describes, and zeros elsewhere. Returns nothing if different
/// elements would share a place.
std::optional<std::vector<uint8_t>>
applyLayout(const DmlTensorInfo &info, const std::vector<uint8_t> &packed);

/// Returns the elements of a buffer at the places that `info` describes, as a
/// packed tensor.
std::vector<uint8_t> removeLayout(const DmlTensorInfo &info,
                                  const std::vector<uint8_t> &bytes);

/// Pack 4-bit elements, which are in one byte each, into two to a byte, as in a
/// HostTensor, and unpack `count` elements to one byte each, whose upper bits
/// are 0.
std::vector<uint8_t> packNibbles(const std::vector<uint8_t> &elements);
std::vector<uint8_t> unpackNibbles(const std::vector<uint8_t> &data,
                                   uint64_t count);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_HOSTTENSOR_H
