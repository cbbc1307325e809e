//===- HostTensor.cpp - A tensor in host memory ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/HostTensor.h"

#include <cstring>

using namespace dml::tools;

std::string dml::tools::describeType(DmlDataType dataType,
                                     const std::vector<uint32_t> &sizes) {
  std::string text;
  for (uint32_t size : sizes)
    text += std::to_string(size) + "x";
  return text + dmlGetDataTypeName(dataType);
}

bool dml::tools::hasType(const HostTensor &tensor, const std::string &type) {
  std::string own = describeType(tensor);
  return own == type || (tensor.sizes.empty() && "1x" + own == type);
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

bool dml::tools::isPacked(const DmlTensorInfo &info) {
  uint64_t packed = 1;
  for (uint32_t dim = info.rank; dim-- > 0;) {
    if (info.sizes[dim] != 1 && info.strides[dim] != packed)
      return false;
    packed *= info.sizes[dim];
  }
  return true;
}

/// Calls `callback` with the place of each element, in row-major order.
template <typename Callback>
static void forEachPlace(const DmlTensorInfo &info, Callback callback) {
  std::vector<uint32_t> coordinates(info.rank);
  uint64_t place = 0;
  for (uint64_t i = 0; i < info.elementCount; ++i) {
    callback(i, place);
    for (uint32_t dim = info.rank; dim-- > 0;) {
      place += info.strides[dim];
      if (++coordinates[dim] < info.sizes[dim])
        break;
      place -= info.strides[dim] * info.sizes[dim];
      coordinates[dim] = 0;
    }
  }
}

/// Elements of whole bytes: one of 4 bits has a byte of its own.
static std::vector<uint8_t> toElements(const DmlTensorInfo &info,
                                       const std::vector<uint8_t> &bytes,
                                       uint64_t count) {
  return dmlGetDataTypeBits(info.dataType) == 4 ? unpackNibbles(bytes, count)
                                                : bytes;
}
static std::vector<uint8_t> toBytes(const DmlTensorInfo &info,
                                    const std::vector<uint8_t> &elements) {
  return dmlGetDataTypeBits(info.dataType) == 4 ? packNibbles(elements)
                                                : elements;
}

/// Elements from the first to the last.
static uint64_t getExtent(const DmlTensorInfo &info) {
  uint64_t extent = 1;
  for (uint32_t dim = 0; dim < info.rank; ++dim)
    extent += (info.sizes[dim] - uint64_t(1)) * info.strides[dim];
  return extent;
}

std::optional<std::vector<uint8_t>>
dml::tools::applyLayout(const DmlTensorInfo &info,
                        const std::vector<uint8_t> &packed) {
  uint64_t extent = getExtent(info);
  size_t width = (dmlGetDataTypeBits(info.dataType) + 7) / 8;
  std::vector<uint8_t> from = toElements(info, packed, info.elementCount);
  std::vector<uint8_t> to(extent * width);
  std::vector<bool> isSet(extent);
  bool agree = true;
  forEachPlace(info, [&](uint64_t i, uint64_t place) {
    const uint8_t *source = &from[i * width];
    uint8_t *target = &to[place * width];
    agree &= !isSet[place] || std::memcmp(target, source, width) == 0;
    isSet[place] = true;
    std::memcpy(target, source, width);
  });
  if (!agree)
    return std::nullopt;
  return toBytes(info, to);
}

std::vector<uint8_t>
dml::tools::removeLayout(const DmlTensorInfo &info,
                         const std::vector<uint8_t> &bytes) {
  size_t width = (dmlGetDataTypeBits(info.dataType) + 7) / 8;
  std::vector<uint8_t> from = toElements(info, bytes, getExtent(info));
  std::vector<uint8_t> to(info.elementCount * width);
  forEachPlace(info, [&](uint64_t i, uint64_t place) {
    std::memcpy(&to[i * width], &from[place * width], width);
  });
  return toBytes(info, to);
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
