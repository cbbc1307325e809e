//===- TensorLiteral.cpp - Tensors as text --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/TensorLiteral.h"

#include "support/Half.h"
#include "support/Plural.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace dml::tools;

namespace {

constexpr std::string_view kBool = "bool";
constexpr std::string_view kSeparators = " \t\n\r,";
constexpr std::string_view kSeparatorsAndBrackets = " \t\n\r,[]";

bool parseDataType(std::string_view text, DmlDataType &dataType) {
  // Signed types may be written "si8" as well as "i8".
  if (text.substr(0, 2) == "si")
    text.remove_prefix(1);
  // Truth values are bytes.
  if (text == kBool)
    text = "ui8";
  for (int i = DML_DATA_TYPE_FLOAT32; i <= DML_DATA_TYPE_INT4; ++i) {
    auto candidate = static_cast<DmlDataType>(i);
    if (text == dmlGetDataTypeName(candidate)) {
      dataType = candidate;
      return true;
    }
  }
  return false;
}

enum class Parsed { Ok, Malformed, OutOfRange };

/// All of `text` as a T.
template <typename T, typename... Format>
Parsed fromChars(std::string_view text, T &value, Format... format) {
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value, format...);
  if (end != text.data() + text.size() || code == std::errc::invalid_argument)
    return Parsed::Malformed;
  return code == std::errc() ? Parsed::Ok : Parsed::OutOfRange;
}

/// Digits after "0x".
Parsed parseHex(std::string_view text, uint64_t &value) {
  return fromChars(text.substr(2), value, 16);
}

bool isHex(std::string_view text) {
  return text.size() > 2 && text[0] == '0' &&
         (text[1] == 'x' || text[1] == 'X');
}

template <typename T> void append(std::vector<uint8_t> &data, T value) {
  size_t at = data.size();
  data.resize(at + sizeof(T));
  std::memcpy(&data[at], &value, sizeof(T));
}

template <typename T>
Parsed parseInteger(std::string_view text, std::vector<uint8_t> &data) {
  T value = 0;
  if (isHex(text)) {
    uint64_t bits = 0;
    if (Parsed result = parseHex(text, bits); result != Parsed::Ok)
      return result;
    if (bits > static_cast<uint64_t>(std::numeric_limits<T>::max()))
      return Parsed::OutOfRange;
    value = static_cast<T>(bits);
  } else {
    // from_chars takes no sign for unsigned types: -1 is out of their range.
    int64_t probe = 0;
    if (!text.empty() && text[0] == '-' && !std::numeric_limits<T>::is_signed)
      return fromChars(text, probe) == Parsed::Malformed || probe == 0
                 ? Parsed::Malformed
                 : Parsed::OutOfRange;
    if (Parsed result = fromChars(text, value); result != Parsed::Ok)
      return result;
  }
  append(data, value);
  return Parsed::Ok;
}

bool isNibble(DmlDataType dataType) {
  return dmlGetDataTypeBits(dataType) == 4;
}

/// A number of 4 bits, as the low ones of a byte.
Parsed parseNibble(std::string_view text, bool isSigned,
                   std::vector<uint8_t> &data) {
  Parsed result = isSigned ? parseInteger<int8_t>(text, data)
                           : parseInteger<uint8_t>(text, data);
  if (result != Parsed::Ok)
    return result;
  int value = isSigned ? static_cast<int8_t>(data.back()) : data.back();
  if (value < (isSigned ? -8 : 0) || value > (isSigned ? 7 : 15))
    return Parsed::OutOfRange;
  data.back() &= 0xf;
  return Parsed::Ok;
}

/// `Bits` is the unsigned type of the same size; `round` makes a value of it.
template <typename Bits, typename Round>
Parsed parseFloat(std::string_view text, std::vector<uint8_t> &data,
                  Round round) {
  if (isHex(text)) {
    uint64_t bits = 0;
    if (Parsed result = parseHex(text, bits); result != Parsed::Ok)
      return result;
    if (bits > std::numeric_limits<Bits>::max())
      return Parsed::OutOfRange;
    append(data, static_cast<Bits>(bits));
    return Parsed::Ok;
  }
  return round(text);
}

/// A number with a magnitude that is too small rounds to zero or to a denormal,
/// which is no error. A number that is too large is an error, since infinity
/// has a notation of its own.
Parsed parseDouble(std::string_view text, double &value) {
  Parsed result = fromChars(text, value);
  if (result != Parsed::OutOfRange)
    return result;
  value = std::strtod(std::string(text).c_str(), nullptr);
  return std::fabs(value) < 1 ? Parsed::Ok : Parsed::OutOfRange;
}

Parsed parseF64(std::string_view text, std::vector<uint8_t> &data) {
  double value = 0;
  if (Parsed result = parseDouble(text, value); result != Parsed::Ok)
    return result;
  append(data, value);
  return Parsed::Ok;
}

Parsed parseF32(std::string_view text, std::vector<uint8_t> &data) {
  float value = 0;
  Parsed result = fromChars(text, value);
  if (result == Parsed::OutOfRange) {
    double wide = 0;
    if (parseDouble(text, wide) != Parsed::Ok || std::fabs(wide) > 1)
      return Parsed::OutOfRange;
    value = static_cast<float>(wide);
    result = Parsed::Ok;
  }
  if (result == Parsed::Ok)
    append(data, value);
  return result;
}

Parsed parseF16(std::string_view text, std::vector<uint8_t> &data) {
  double value = 0;
  if (Parsed result = parseDouble(text, value); result != Parsed::Ok)
    return result;
  uint16_t bits = toHalf(value);
  if (std::isfinite(value) && !std::isfinite(fromHalf(bits)))
    return Parsed::OutOfRange;
  append(data, bits);
  return Parsed::Ok;
}

Parsed parseElement(std::string_view text, DmlDataType dataType,
                    std::vector<uint8_t> &data) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  switch (dataType) {
  case DML_DATA_TYPE_FLOAT16:
    return parseFloat<uint16_t>(
        text, data, [&](std::string_view t) { return parseF16(t, data); });
  case DML_DATA_TYPE_FLOAT32:
    return parseFloat<uint32_t>(
        text, data, [&](std::string_view t) { return parseF32(t, data); });
  case DML_DATA_TYPE_FLOAT64:
    return parseFloat<uint64_t>(
        text, data, [&](std::string_view t) { return parseF64(t, data); });
  case DML_DATA_TYPE_INT8:
    return parseInteger<int8_t>(text, data);
  case DML_DATA_TYPE_INT16:
    return parseInteger<int16_t>(text, data);
  case DML_DATA_TYPE_INT32:
    return parseInteger<int32_t>(text, data);
  case DML_DATA_TYPE_INT64:
    return parseInteger<int64_t>(text, data);
  case DML_DATA_TYPE_UINT8:
    return parseInteger<uint8_t>(text, data);
  case DML_DATA_TYPE_UINT16:
    return parseInteger<uint16_t>(text, data);
  case DML_DATA_TYPE_UINT32:
    return parseInteger<uint32_t>(text, data);
  case DML_DATA_TYPE_UINT64:
    return parseInteger<uint64_t>(text, data);
  case DML_DATA_TYPE_UINT4:
    return parseNibble(text, /*isSigned=*/false, data);
  case DML_DATA_TYPE_INT4:
    return parseNibble(text, /*isSigned=*/true, data);
  case DML_DATA_TYPE_UNKNOWN:
  case DML_DATA_TYPE_MAX_ENUM:
    break;
  }
  return Parsed::Malformed;
}

/// A truth value, as a byte.
Parsed parseBool(std::string_view text, std::vector<uint8_t> &data) {
  bool isTrue = text == "true" || text == "1";
  if (!isTrue && text != "false" && text != "0")
    return Parsed::Malformed;
  data.push_back(isTrue);
  return Parsed::Ok;
}

template <typename T> T readElement(const uint8_t *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

template <typename T> void printNumber(std::string &text, T value) {
  // Room for the longest double and the longest 64-bit integer.
  char digits[32];
  auto [end, code] = std::to_chars(digits, digits + sizeof(digits), value);
  text.append(digits, end);
}

/// A NaN as "nan" or "-nan" where that reads back as the same, else as bits.
template <typename Bits>
void printNan(std::string &text, Bits bits, Bits canonical, Bits sign) {
  if (bits == canonical) {
    text += "nan";
  } else if (bits == (canonical | sign)) {
    text += "-nan";
  } else {
    char digits[2 * sizeof(Bits)];
    auto [end, code] = std::to_chars(digits, digits + sizeof(digits), bits, 16);
    text.append("0x").append(digits, end);
  }
}

/// Prints integers with all digits, and other numbers with the fewest digits
/// that read back as the same half. Five digits are always enough.
void printHalf(std::string &text, uint16_t bits) {
  double value = fromHalf(bits);
  if (std::isnan(value))
    return printNan<uint16_t>(text, bits, 0x7e00, 0x8000);
  if (std::trunc(value) == value)
    return printNumber(text, value);
  for (int precision = 0;; ++precision) {
    char digits[32];
    auto [end, code] = std::to_chars(digits, digits + sizeof(digits), value,
                                     std::chars_format::scientific, precision);
    double rounded = 0;
    std::from_chars(digits, end, rounded);
    if (precision == 4 || toHalf(rounded) == bits)
      return printNumber(text, rounded);
  }
}

void appendElement(std::string &text, DmlDataType dataType,
                   const uint8_t *data) {
  switch (dataType) {
  case DML_DATA_TYPE_FLOAT16:
    return printHalf(text, readElement<uint16_t>(data));
  case DML_DATA_TYPE_FLOAT32: {
    auto value = readElement<float>(data);
    if (std::isnan(value))
      return printNan<uint32_t>(text, readElement<uint32_t>(data), 0x7fc00000,
                                0x80000000);
    return printNumber(text, value);
  }
  case DML_DATA_TYPE_FLOAT64: {
    auto value = readElement<double>(data);
    if (std::isnan(value))
      return printNan<uint64_t>(text, readElement<uint64_t>(data),
                                0x7ff8000000000000, 0x8000000000000000);
    return printNumber(text, value);
  }
  case DML_DATA_TYPE_INT8:
    return printNumber(text, int(readElement<int8_t>(data)));
  case DML_DATA_TYPE_INT16:
    return printNumber(text, readElement<int16_t>(data));
  case DML_DATA_TYPE_INT32:
    return printNumber(text, readElement<int32_t>(data));
  case DML_DATA_TYPE_INT64:
    return printNumber(text, readElement<int64_t>(data));
  case DML_DATA_TYPE_UINT8:
    return printNumber(text, unsigned(readElement<uint8_t>(data)));
  case DML_DATA_TYPE_UINT16:
    return printNumber(text, readElement<uint16_t>(data));
  case DML_DATA_TYPE_UINT32:
    return printNumber(text, readElement<uint32_t>(data));
  case DML_DATA_TYPE_UINT64:
    return printNumber(text, readElement<uint64_t>(data));
  case DML_DATA_TYPE_UINT4:
    return printNumber(text, unsigned(*data));
  case DML_DATA_TYPE_INT4:
    return printNumber(text, *data < 8 ? *data : *data - 16);
  case DML_DATA_TYPE_UNKNOWN:
  case DML_DATA_TYPE_MAX_ENUM:
    break;
  }
}

/// Parses the values of a literal into a tensor that already has its type.
/// 4-bit values take a byte each.
class ValueParser {
public:
  ValueParser(std::string_view type, std::string_view text, HostTensor &tensor,
              std::string &error)
      : type(type), rest(text), tensor(tensor), error(error) {}

  /// Parses the values. Returns false, with `error` set, if they are invalid
  /// for the type.
  bool parse(uint64_t wanted) {
    if (next() == '[')
      return parseList(0) && (next() == '\0' || failAt("behind the last ']'"));
    while (next() != '\0')
      if (next() == '[' || next() == ']')
        return failAt("among values without brackets");
      else if (!parseValue())
        return false;
    if (found == 1 && wanted > 1)
      splat(wanted);
    else if (found != wanted)
      return fail(type + " wants " + printCount(wanted, "value") +
                  ", but there " + (found == 1 ? "is " : "are ") +
                  std::to_string(found));
    return true;
  }

private:
  bool fail(const std::string &message) {
    error = message;
    return false;
  }

  bool failAt(const char *where) {
    std::string_view token = rest.substr(0, rest.find_first_of(kSeparators));
    return fail("'" + std::string(token) + "' stands " + where);
  }

  bool isBool() const {
    return type.size() >= kBool.size() &&
           type.compare(type.size() - kBool.size(), kBool.size(), kBool) == 0;
  }

  /// The next character that is no separator, or 0.
  char next() {
    size_t begin = rest.find_first_not_of(kSeparators);
    rest.remove_prefix(std::min(begin, rest.size()));
    return rest.empty() ? '\0' : rest[0];
  }

  bool parseValue() {
    std::string_view value =
        rest.substr(0, rest.find_first_of(kSeparatorsAndBrackets));
    rest.remove_prefix(value.size());
    Parsed parsed = isBool()
                        ? parseBool(value, tensor.data)
                        : parseElement(value, tensor.dataType, tensor.data);
    if (parsed != Parsed::Ok)
      return fail("element " + std::to_string(found) + ": '" +
                  std::string(value) + "' is " +
                  (parsed == Parsed::OutOfRange ? "out of the range of "
                                                : "no value of ") +
                  (isBool() ? "bool: true, false, 1 or 0"
                            : dmlGetDataTypeName(tensor.dataType)));
    ++found;
    return true;
  }

  /// The list under `path`, which is dimension `depth`.
  bool parseList(size_t depth, const std::string &path = "") {
    if (depth == tensor.sizes.size())
      return fail(describe(path) + " is a list, but " + type +
                  " wants a value there");
    rest.remove_prefix(1);
    uint64_t count = 0;
    for (; next() != ']'; ++count) {
      std::string element = path + "[" + std::to_string(count) + "]";
      if (next() == '\0')
        return fail("a ']' is missing at the end");
      if (next() == '[') {
        if (!parseList(depth + 1, element))
          return false;
      } else if (depth + 1 < tensor.sizes.size()) {
        return fail(describe(element) + " is a value, but " + type +
                    " wants a list of " +
                    std::to_string(tensor.sizes[depth + 1]) + " there");
      } else if (!parseValue()) {
        return false;
      }
    }
    rest.remove_prefix(1);
    if (count != tensor.sizes[depth])
      return fail(describe(path) + " has " + printCount(count, "element") +
                  ", but " + type + " wants " +
                  std::to_string(tensor.sizes[depth]) + " there");
    return true;
  }

  static std::string describe(const std::string &path) {
    return path.empty() ? "the literal" : "element " + path;
  }

  void splat(uint64_t count) {
    size_t elementSize = tensor.data.size();
    tensor.data.resize(elementSize * count);
    for (uint64_t i = 1; i < count; ++i)
      std::memcpy(&tensor.data[i * elementSize], tensor.data.data(),
                  elementSize);
  }

  std::string type;
  std::string_view rest;
  HostTensor &tensor;
  std::string &error;
  uint64_t found = 0;
};

} // namespace

bool dml::tools::parseType(std::string_view text, DmlDataType &dataType,
                           std::vector<uint32_t> &sizes) {
  sizes.clear();
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    size_t end = text.find('x');
    uint32_t size = 0;
    if (end == std::string_view::npos ||
        fromChars(text.substr(0, end), size) != Parsed::Ok)
      return false;
    sizes.push_back(size);
    text.remove_prefix(end + 1);
  }
  return parseDataType(text, dataType);
}

std::optional<HostTensor> dml::tools::parseLiteral(std::string_view text,
                                                   std::string &error) {
  auto fail = [&](const std::string &message) {
    error = message;
    return std::nullopt;
  };
  HostTensor tensor;
  size_t equals = text.find('=');
  std::string_view type = text.substr(0, equals);
  if (!parseType(type, tensor.dataType, tensor.sizes))
    return fail("'" + std::string(type) +
                "' is not a tensor type (2x3xf32 is one); a file is written "
                "@FILE.npy");
  if (equals == std::string_view::npos)
    return fail("'" + std::string(text) +
                "' has no values; wanted is TYPE=VALUES");
  std::optional<uint64_t> count = countElements(tensor.dataType, tensor.sizes);
  if (!count || *count > std::numeric_limits<size_t>::max() / 16)
    return fail("the type " + std::string(type) + " is too large");

  ValueParser parser(type, text.substr(equals + 1), tensor, error);
  if (!parser.parse(*count))
    return std::nullopt;
  if (isNibble(tensor.dataType))
    tensor.data = packNibbles(tensor.data);
  return tensor;
}

std::string dml::tools::printElement(const HostTensor &tensor, uint64_t index) {
  std::string text;
  if (isNibble(tensor.dataType)) {
    uint8_t element = tensor.data[index / 2] >> (index % 2 * 4) & 0xf;
    appendElement(text, tensor.dataType, &element);
  } else {
    appendElement(text, tensor.dataType,
                  &tensor.data[index * dmlGetDataTypeSize(tensor.dataType)]);
  }
  return text;
}

namespace {

/// Prints the elements of a tensor, or of its edges.
class ElementPrinter {
public:
  ElementPrinter(const HostTensor &tensor, bool isShortened)
      : tensor(tensor), isShortened(isShortened), rank(tensor.sizes.size()) {}

  std::string print() {
    if (rank == 0)
      return printElement(tensor, 0);
    if (countElements(tensor.dataType, tensor.sizes).value_or(0) == 0)
      return std::string(rank, '[') + std::string(rank, ']');
    // A single row stands in no columns.
    bool hasColumns = false;
    for (size_t i = 0; i + 1 < rank; ++i)
      hasColumns |= tensor.sizes[i] > 1;
    if (hasColumns)
      visit(0, 0, /*measures=*/true);
    visit(0, 0, /*measures=*/false);
    return text;
  }

private:
  /// The number of elements that a shortened dimension keeps of either end.
  static constexpr uint32_t kEdge = 3;

  bool isLong(size_t depth) const {
    return isShortened && tensor.sizes[depth] > 2 * kEdge;
  }

  /// Visits the elements from `first` on in dimension `depth`. If `measures` is
  /// set, determines the widths of the columns, and otherwise prints the
  /// elements.
  void visit(size_t depth, uint64_t first, bool measures) {
    bool isRow = depth + 1 == rank;
    uint64_t stride = 1;
    for (size_t i = depth + 1; i < rank; ++i)
      stride *= tensor.sizes[i];
    if (!measures)
      text += '[';
    size_t padding = 0;
    for (uint32_t i = 0; i < tensor.sizes[depth]; ++i) {
      if (!measures && i > 0)
        separate(depth, isRow, padding);
      if (i == kEdge && isLong(depth)) {
        if (!measures) {
          text += "...";
          separate(depth, isRow, 0);
        }
        i = tensor.sizes[depth] - kEdge;
      }
      if (isRow)
        padding = visitElement(first + i, measures);
      else
        visit(depth + 1, first + i * stride, measures);
    }
    if (!measures)
      text += ']';
  }

  void separate(size_t depth, bool isRow, size_t padding) {
    if (isRow) {
      text.append(padding + 1, ' ');
      return;
    }
    // A blank line between matrices keeps them apart.
    text += depth + 2 < rank ? "\n\n" : "\n";
    text.append(depth + 1, ' ');
  }

  /// Prints an element, or measures its width if `measures` is set. Returns the
  /// number of blanks that make the element as wide as its column, if another
  /// element follows.
  size_t visitElement(uint64_t index, bool measures) {
    std::string number = printElement(tensor, index);
    if (measures) {
      width = std::max(width, number.size());
      return 0;
    }
    text += number;
    return width > number.size() ? width - number.size() : 0;
  }

  const HostTensor &tensor;
  bool isShortened;
  size_t rank;
  size_t width = 0;
  std::string text;
};

} // namespace

std::string dml::tools::printElements(const HostTensor &tensor, bool all) {
  uint64_t count = countElements(tensor.dataType, tensor.sizes).value_or(0);
  return ElementPrinter(tensor, !all && count > kMaxPrintedElements).print();
}
