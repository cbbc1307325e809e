//===- Tensor.cpp - Tensors in host memory --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Reference/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace llvm;

namespace dml::reference {

namespace {
struct Half {
  uint16_t bits;
};
/// A 4-bit integer in the low bits of a byte.
template <bool isSigned> struct Nibble {
  uint8_t bits;

  int getValue() const {
    int value = bits & 0xf;
    return isSigned && value >= 8 ? value - 16 : value;
  }
};
template <typename T> constexpr bool isNibble = false;
template <bool isSigned> constexpr bool isNibble<Nibble<isSigned>> = true;
} // namespace

/// Calls `callback` with a zero of the C++ type that stores elements of `type`.
template <typename Callback>
static auto dispatch(DataType type, Callback callback) {
  switch (type) {
  case DataType::FLOAT64:
    return callback(double());
  case DataType::FLOAT32:
    return callback(float());
  case DataType::FLOAT16:
    return callback(Half());
  case DataType::INT64:
    return callback(int64_t());
  case DataType::INT32:
    return callback(int32_t());
  case DataType::INT16:
    return callback(int16_t());
  case DataType::INT8:
    return callback(int8_t());
  case DataType::UINT64:
    return callback(uint64_t());
  case DataType::UINT32:
    return callback(uint32_t());
  case DataType::UINT16:
    return callback(uint16_t());
  case DataType::UINT8:
    return callback(uint8_t());
  case DataType::INT4:
    return callback(Nibble<true>());
  case DataType::UINT4:
    return callback(Nibble<false>());
  }
  llvm_unreachable("unknown data type");
}

unsigned getByteWidth(DataType type) {
  return dispatch(type, [](auto value) -> unsigned { return sizeof(value); });
}

unsigned getBitWidth(DataType type) {
  return dispatch(type, [](auto value) -> unsigned {
    return isNibble<decltype(value)> ? 4 : 8 * sizeof(value);
  });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

// An f16 has 1 sign bit, 5 exponent bits with a bias of 15, and 10 mantissa
// bits.

float convertFromHalf(uint16_t bits) {
  float sign = bits & 0x8000 ? -1.0f : 1.0f;
  int exponent = (bits >> 10) & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f) // The payload of a NaN keeps its place at the top.
    return bit_cast<float>(uint32_t(bits & 0x8000) << 16 | 0x7f800000 |
                           mantissa << 13);
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa | 0x400), exponent - 25);
}

/// Rounds a double. Every f32 is a double, and so are the bounds of sums.
static uint16_t roundToHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) // Quiet, with what fits of the payload.
    return sign | 0x7e00 | ((bit_cast<uint64_t>(value) >> 42) & 0x3ff);
  double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) // Half-way beyond the largest f16.
    return sign | 0x7c00;
  if (magnitude == 0)
    return sign;
  // Rounds to a multiple of the unit in the last place. The addition to the
  // bits carries into the exponent if necessary.
  int exponent = std::max(std::ilogb(magnitude), -14);
  auto units = static_cast<uint16_t>(
      std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return sign | (((exponent + 14) << 10) + units);
}

uint16_t convertToHalf(float value) { return roundToHalf(value); }

static double toNumber(Half value) { return convertFromHalf(value.bits); }
template <bool isSigned> static double toNumber(Nibble<isSigned> value) {
  return value.getValue();
}
template <typename T> static double toNumber(T value) {
  return static_cast<double>(value);
}

template <typename T> static T fromNumber(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return {roundToHalf(value)};
  } else if constexpr (isNibble<T>) {
    bool isSigned = std::is_same_v<T, Nibble<true>>;
    double rounded = std::isnan(value) ? 0 : std::nearbyint(value);
    rounded = std::min(std::max(rounded, isSigned ? -8.0 : 0.0),
                       isSigned ? 7.0 : 15.0);
    return {static_cast<uint8_t>(static_cast<int>(rounded) & 0xf)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    using Limits = std::numeric_limits<T>;
    if (std::isnan(value))
      return 0;
    double rounded = std::nearbyint(value);
    // 2^digits is exactly representable as a double, whereas the largest
    // integer may not be.
    if (rounded >= std::ldexp(1.0, Limits::digits))
      return Limits::max();
    if (rounded <= static_cast<double>(Limits::min()))
      return Limits::min();
    return static_cast<T>(rounded);
  }
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

std::optional<int64_t> getNumElements(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    if (size < 0 || MulOverflow(product, size, product))
      return std::nullopt;
  return product;
}

FailureOr<Tensor> Tensor::create(DataType dataType, ArrayRef<int64_t> shape) {
  std::optional<int64_t> numElements = reference::getNumElements(shape);
  if (!numElements || *numElements > std::numeric_limits<int64_t>::max() / 8)
    return failure();
  // calloc returns null if there is too little memory, and the system clears
  // large blocks lazily.
  std::shared_ptr<char> elements(
      static_cast<char *>(std::calloc(std::max<int64_t>(*numElements, 1),
                                      getByteWidth(dataType))),
      std::free);
  if (!elements)
    return failure();
  return Tensor(dataType, shape, *numElements, std::move(elements));
}

Tensor Tensor::view(DataType newType, ArrayRef<int64_t> newShape) const {
  return Tensor(newType, newShape, numElements, elements);
}

size_t Tensor::getNumPackedBytes() const {
  return getBitWidth(dataType) == 4 ? (numElements + 1) / 2 : getNumBytes();
}

std::vector<char> Tensor::pack() const {
  if (getBitWidth(dataType) != 4)
    return {getData(), getData() + getNumBytes()};
  std::vector<char> bytes(getNumPackedBytes());
  for (int64_t i = 0; i < numElements; ++i)
    bytes[i / 2] =
        static_cast<char>(bytes[i / 2] | (getData()[i] & 0xf) << (i % 2 * 4));
  return bytes;
}

void Tensor::unpack(ArrayRef<char> bytes) {
  if (getBitWidth(dataType) != 4) {
    std::memcpy(getData(), bytes.data(), getNumBytes());
    return;
  }
  for (int64_t i = 0; i < numElements; ++i)
    setInteger(i, bytes[i / 2] >> (i % 2 * 4));
}

double Tensor::getNumber(int64_t index) const {
  return dispatch(dataType, [&](auto value) {
    std::memcpy(&value, getData() + index * sizeof(value), sizeof(value));
    return toNumber(value);
  });
}

void Tensor::setNumber(int64_t index, double number) {
  dispatch(dataType, [&](auto value) {
    value = fromNumber<decltype(value)>(number);
    std::memcpy(getData() + index * sizeof(value), &value, sizeof(value));
  });
}

__int128 Tensor::getInteger(int64_t index) const {
  return dispatch(dataType, [&](auto value) -> __int128 {
    using T = decltype(value);
    if constexpr (std::is_integral_v<T>) {
      std::memcpy(&value, getData() + index * sizeof(value), sizeof(value));
      return value;
    } else if constexpr (isNibble<T>) {
      return T{static_cast<uint8_t>(getData()[index])}.getValue();
    }
    llvm_unreachable("elements are no integers");
  });
}

void Tensor::setInteger(int64_t index, __int128 number) {
  dispatch(dataType, [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(number);
      std::memcpy(getData() + index * sizeof(value), &value, sizeof(value));
    } else if constexpr (isNibble<T>) {
      getData()[index] = static_cast<char>(number & 0xf);
    } else {
      llvm_unreachable("elements are no integers");
    }
  });
}

//===----------------------------------------------------------------------===//
// Moving elements
//===----------------------------------------------------------------------===//

void forEachCoordinate(ArrayRef<int64_t> shape,
                       function_ref<void(ArrayRef<int64_t>)> callback) {
  if (is_contained(shape, 0))
    return;
  SmallVector<int64_t> coordinate(shape.size());
  while (true) {
    callback(coordinate);
    size_t dim = shape.size();
    while (dim > 0 && ++coordinate[dim - 1] == shape[dim - 1])
      coordinate[--dim] = 0;
    if (dim == 0)
      return;
  }
}

void gather(const Tensor &input, Tensor &output,
            function_ref<int64_t(unsigned, int64_t)> source,
            ArrayRef<char> fill) {
  size_t width = getByteWidth(input.getDataType());
  unsigned rank = output.getRank();
  if (rank == 0) {
    std::memcpy(output.getData(), input.getData(), width);
    return;
  }

  // The byte offset in `input` that each coordinate of each dimension
  // contributes.
  SmallVector<std::vector<int64_t>> offsets(rank);
  int64_t stride = width;
  for (unsigned dim = rank; dim-- > 0; stride *= input.getShape()[dim]) {
    offsets[dim].resize(output.getShape()[dim]);
    for (auto [coordinate, offset] : enumerate(offsets[dim])) {
      int64_t index = source(dim, coordinate);
      offset = index == outsideOfInput ? outsideOfInput : index * stride;
    }
  }

  char *destination = output.getData();
  forEachCoordinate(output.getShape().drop_back(), [&](ArrayRef<int64_t> row) {
    const char *base = input.getData();
    for (auto [dim, coordinate] : enumerate(row)) {
      int64_t offset = offsets[dim][coordinate];
      if (offset == outsideOfInput)
        base = nullptr;
      if (base)
        base += offset;
    }
    for (int64_t offset : offsets.back()) {
      bool inside = base && offset != outsideOfInput;
      std::memcpy(destination, inside ? base + offset : fill.data(), width);
      destination += width;
    }
  });
}

} // namespace dml::reference
