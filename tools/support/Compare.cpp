//===- Compare.cpp - How far two tensors are apart ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Compare.h"

#include "support/Half.h"
#include "support/Plural.h"
#include "support/TensorLiteral.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace dml::tools;

namespace {

template <typename T> T read(const HostTensor &tensor, uint64_t index) {
  T value;
  std::memcpy(&value, &tensor.data[index * sizeof(T)], sizeof(T));
  return value;
}

double readFloat(const HostTensor &tensor, uint64_t index) {
  switch (tensor.dataType) {
  case DML_DATA_TYPE_FLOAT16:
    return fromHalf(read<uint16_t>(tensor, index));
  case DML_DATA_TYPE_FLOAT32:
    return read<float>(tensor, index);
  default:
    return read<double>(tensor, index);
  }
}

bool isFloat(DmlDataType type) {
  return type == DML_DATA_TYPE_FLOAT16 || type == DML_DATA_TYPE_FLOAT32 ||
         type == DML_DATA_TYPE_FLOAT64;
}

/// An integer of any type, exactly: a sign and a magnitude.
struct Integer {
  bool isNegative;
  uint64_t magnitude;
};

Integer makeInteger(int64_t value) {
  bool isNegative = value < 0;
  auto bits = static_cast<uint64_t>(value);
  return {isNegative, isNegative ? uint64_t(0) - bits : bits};
}

Integer readInteger(const HostTensor &tensor, uint64_t index) {
  switch (tensor.dataType) {
  case DML_DATA_TYPE_INT4:
  case DML_DATA_TYPE_UINT4: {
    int value = tensor.data[index / 2] >> (index % 2 * 4) & 0xf;
    bool wraps = tensor.dataType == DML_DATA_TYPE_INT4 && value > 7;
    return makeInteger(wraps ? value - 16 : value);
  }
  case DML_DATA_TYPE_INT8:
    return makeInteger(read<int8_t>(tensor, index));
  case DML_DATA_TYPE_INT16:
    return makeInteger(read<int16_t>(tensor, index));
  case DML_DATA_TYPE_INT32:
    return makeInteger(read<int32_t>(tensor, index));
  case DML_DATA_TYPE_INT64:
    return makeInteger(read<int64_t>(tensor, index));
  case DML_DATA_TYPE_UINT8:
    return {false, read<uint8_t>(tensor, index)};
  case DML_DATA_TYPE_UINT16:
    return {false, read<uint16_t>(tensor, index)};
  case DML_DATA_TYPE_UINT32:
    return {false, read<uint32_t>(tensor, index)};
  default:
    return {false, read<uint64_t>(tensor, index)};
  }
}

/// The distance of an element from the expected element, which is more than 0
/// if they differ, and the magnitude of the expected element.
struct Difference {
  double distance;
  double expected;
};

Difference differ(const HostTensor &found, const HostTensor &expected,
                  uint64_t index) {
  if (!isFloat(found.dataType)) {
    Integer a = readInteger(found, index), b = readInteger(expected, index);
    auto wide = [](uint64_t value) { return static_cast<double>(value); };
    double distance =
        a.isNegative == b.isNegative
            ? wide(a.magnitude > b.magnitude ? a.magnitude - b.magnitude
                                             : b.magnitude - a.magnitude)
            : wide(a.magnitude) + wide(b.magnitude);
    return {distance, wide(b.magnitude)};
  }
  double a = readFloat(found, index), b = readFloat(expected, index);
  if (std::isnan(a) || std::isnan(b))
    return {std::isnan(a) && std::isnan(b)
                ? 0
                : std::numeric_limits<double>::infinity(),
            0};
  // An infinity is equal to itself alone.
  return {a == b ? 0 : std::fabs(a - b), std::isinf(b) ? 0 : std::fabs(b)};
}

/// Whether an element is at most that of another tensor; no NaN is.
bool isAtMost(const HostTensor &lhs, const HostTensor &rhs, uint64_t index) {
  if (isFloat(lhs.dataType))
    return readFloat(lhs, index) <= readFloat(rhs, index);
  Integer a = readInteger(lhs, index), b = readInteger(rhs, index);
  if (a.isNegative != b.isNegative)
    return a.isNegative;
  return a.isNegative ? a.magnitude >= b.magnitude : a.magnitude <= b.magnitude;
}

bool isNan(const HostTensor &tensor, uint64_t index) {
  return isFloat(tensor.dataType) && std::isnan(readFloat(tensor, index));
}

/// Whether an element is a zero, of the sign that its bits say.
bool isZero(const HostTensor &tensor, uint64_t index, bool isNegative) {
  if (!isFloat(tensor.dataType))
    return false;
  double number = readFloat(tensor, index);
  return number == 0 && std::signbit(number) == isNegative;
}

bool isWithin(const HostTensor &found, const HostTensor *lower,
              const HostTensor *upper, uint64_t index) {
  if (lower && isNan(*lower, index))
    return isNan(found, index);
  if (upper && isNan(*upper, index))
    return true;
  for (bool isNegative : {false, true})
    if (lower && upper && isZero(*lower, index, isNegative) &&
        isZero(*upper, index, isNegative))
      return isZero(found, index, isNegative);
  return (!lower || isAtMost(*lower, found, index)) &&
         (!upper || isAtMost(found, *upper, index));
}

/// Whether an element is the least, or the greatest, of its type.
bool isLimit(const HostTensor &tensor, uint64_t index, bool isLeast) {
  if (isFloat(tensor.dataType)) {
    double number = readFloat(tensor, index);
    return std::isinf(number) && std::signbit(number) == isLeast;
  }
  bool isUnsigned = tensor.dataType == DML_DATA_TYPE_UINT4 ||
                    tensor.dataType == DML_DATA_TYPE_UINT8 ||
                    tensor.dataType == DML_DATA_TYPE_UINT16 ||
                    tensor.dataType == DML_DATA_TYPE_UINT32 ||
                    tensor.dataType == DML_DATA_TYPE_UINT64;
  unsigned digits = dmlGetDataTypeBits(tensor.dataType) - (isUnsigned ? 0 : 1);
  // 2^digits, less 1 at the upper end.
  uint64_t most = ~uint64_t(0) >> (64 - digits);
  Integer found = readInteger(tensor, index);
  if (!isLeast)
    return !found.isNegative && found.magnitude == most;
  return isUnsigned ? found.magnitude == 0
                    : found.isNegative && found.magnitude == most + 1;
}

bool isUnjudged(const HostTensor *lower, const HostTensor *upper,
                uint64_t index) {
  if (lower && isNan(*lower, index))
    return false;
  if (upper && isNan(*upper, index))
    return true;
  return (!lower || isLimit(*lower, index, /*isLeast=*/true)) &&
         (!upper || isLimit(*upper, index, /*isLeast=*/false));
}

std::string describeIndex(const HostTensor &tensor, uint64_t index) {
  std::string text;
  for (size_t i = tensor.sizes.size(); i-- > 0; index /= tensor.sizes[i])
    text = std::to_string(index % tensor.sizes[i]) +
           (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

} // namespace

double dml::tools::getNumber(const HostTensor &tensor, uint64_t index) {
  if (isFloat(tensor.dataType))
    return readFloat(tensor, index);
  Integer integer = readInteger(tensor, index);
  auto magnitude = static_cast<double>(integer.magnitude);
  return integer.isNegative ? -magnitude : magnitude;
}

std::string dml::tools::describeDifference(const HostTensor &found,
                                           const HostTensor &expected,
                                           const Tolerance &tolerance) {
  uint64_t count = countElements(found.dataType, found.sizes).value_or(0);
  uint64_t different = 0, first = 0, worst = 0;
  double largest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Difference difference = differ(found, expected, i);
    double allowed =
        tolerance.absolute + tolerance.relative * difference.expected;
    // No tolerance makes an infinity or a NaN of a number.
    if (difference.distance == 0 ||
        (difference.distance <= allowed && std::isfinite(difference.distance)))
      continue;
    if (different++ == 0)
      first = i;
    if (different == 1 || difference.distance > largest) {
      worst = i;
      largest = difference.distance;
    }
  }
  if (different == 0)
    return "";
  auto describe = [&](uint64_t index) {
    return "at " + describeIndex(found, index) + ": " +
           printElement(found, index) + ", not " +
           printElement(expected, index);
  };
  std::string text = std::to_string(different) + " of " +
                     printCount(count, "element") + " " +
                     (different == 1 ? "differs" : "differ") + ": the first " +
                     describe(first);
  if (worst != first)
    text += "; the largest difference " + describe(worst);
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.3g", largest);
  if (std::isfinite(largest))
    text += std::string(" (") + digits + " apart)";
  return text;
}

std::string dml::tools::describeOutside(const HostTensor &found,
                                        const HostTensor *lower,
                                        const HostTensor *upper) {
  uint64_t count = countElements(found.dataType, found.sizes).value_or(0);
  uint64_t outside = 0, first = 0;
  for (uint64_t i = 0; i < count; ++i)
    if (!isWithin(found, lower, upper, i) && outside++ == 0)
      first = i;
  if (outside == 0)
    return "";
  std::string text = std::to_string(outside) + " of " +
                     printCount(count, "element") +
                     (outside == 1 ? " is" : " are") + ": the first at " +
                     describeIndex(found, first) + ": " +
                     printElement(found, first) + ", wanted ";
  std::string low = lower ? printElement(*lower, first) : "",
              high = upper ? printElement(*upper, first) : "";
  if (lower && upper)
    return text + (low == high ? low : low + " to " + high);
  return text + (lower ? low + " or more" : high + " or less");
}

Unjudged dml::tools::countUnjudged(const HostTensor *lower,
                                   const HostTensor *upper) {
  const HostTensor &shape = lower ? *lower : *upper;
  Unjudged unjudged;
  unjudged.total = countElements(shape.dataType, shape.sizes).value_or(0);
  for (uint64_t i = 0; i < unjudged.total; ++i)
    unjudged.count += isUnjudged(lower, upper, i);
  return unjudged;
}
