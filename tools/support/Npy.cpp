//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Little-endian hosts only, as everything that runs Vulkan is.
//
//===----------------------------------------------------------------------===//

#include "support/Npy.h"

#include "support/File.h"

#include <algorithm>
#include <cstring>
#include <string_view>

using namespace dml::tools;

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
/// NumPy's own limit is 10,000 bytes; anything near this is no header.
constexpr uint32_t kMaxHeaderSize = 1 << 20;
/// NumPy's own limit. Transposing takes time for each dimension of each
/// element.
constexpr size_t kMaxRank = 64;

struct DType {
  const char *name;
  DmlDataType dataType;
};

constexpr DType kDTypes[] = {
    {"f2", DML_DATA_TYPE_FLOAT16}, {"f4", DML_DATA_TYPE_FLOAT32},
    {"f8", DML_DATA_TYPE_FLOAT64}, {"i1", DML_DATA_TYPE_INT8},
    {"i2", DML_DATA_TYPE_INT16},   {"i4", DML_DATA_TYPE_INT32},
    {"i8", DML_DATA_TYPE_INT64},   {"u1", DML_DATA_TYPE_UINT8},
    {"u2", DML_DATA_TYPE_UINT16},  {"u4", DML_DATA_TYPE_UINT32},
    {"u8", DML_DATA_TYPE_UINT64},
};
/// NumPy's bool, a byte of 0 or 1.
constexpr std::string_view kBool = "b1";

struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<uint32_t> shape;
};

/// Parses the header, a Python dictionary of three entries:
///   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
  HeaderParser(std::string_view text, std::string &error)
      : text(text), error(error) {}

  bool parse(Header &header) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!expect('{'))
      return false;
    while (!accept('}')) {
      std::string key;
      if (!parseString(key) || !expect(':'))
        return false;
      if (key == "descr" && !hasDescr)
        hasDescr = parseString(header.descr);
      else if (key == "fortran_order" && !hasOrder)
        hasOrder = parseBool(header.fortranOrder);
      else if (key == "shape" && !hasShape)
        hasShape = parseShape(header.shape);
      else
        return fail("entry '" + key + "' is unknown or there twice");
      if (!error.empty())
        return false;
      if (!accept(',')) {
        if (!expect('}'))
          return false;
        break;
      }
    }
    skipSpace();
    if (!text.empty())
      return fail("text follows the dictionary");
    if (!hasDescr || !hasOrder || !hasShape)
      return fail("'descr', 'fortran_order' or 'shape' is missing");
    return true;
  }

private:
  bool fail(const std::string &message) {
    if (error.empty())
      error = "its header is malformed: " + message;
    return false;
  }
  void skipSpace() {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n'))
      text.remove_prefix(1);
  }
  bool accept(char c) {
    skipSpace();
    if (text.empty() || text.front() != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool expect(char c) {
    return accept(c) || fail(std::string("'") + c + "' is missing");
  }
  bool parseString(std::string &value) {
    skipSpace();
    if (text.empty() || (text.front() != '\'' && text.front() != '"'))
      return fail("a string is missing (structured types are not supported)");
    size_t end = text.find(text.front(), 1);
    if (end == std::string_view::npos)
      return fail("a string does not end");
    value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }
  bool parseBool(bool &value) {
    skipSpace();
    for (bool candidate : {false, true}) {
      std::string_view word = candidate ? "True" : "False";
      if (text.substr(0, word.size()) == word) {
        text.remove_prefix(word.size());
        value = candidate;
        return true;
      }
    }
    return fail("'fortran_order' is neither True nor False");
  }
  bool parseShape(std::vector<uint32_t> &shape) {
    if (!expect('('))
      return false;
    while (!accept(')')) {
      skipSpace();
      uint64_t size = 0;
      size_t digits = 0;
      for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9';
           ++digits) {
        size = size * 10 + static_cast<uint64_t>(text[digits] - '0');
        if (size > UINT32_MAX)
          return fail("a dimension is larger than 4294967295");
      }
      if (digits == 0)
        return fail("'shape' is no tuple of numbers");
      text.remove_prefix(digits);
      shape.push_back(static_cast<uint32_t>(size));
      if (shape.size() > kMaxRank)
        return fail("'shape' has more than the " + std::to_string(kMaxRank) +
                    " dimensions that NumPy's arrays may have");
      if (!accept(',')) {
        if (!expect(')'))
          return false;
        break;
      }
    }
    return true;
  }

  std::string_view text;
  std::string &error;
};

bool readExactly(ByteSource &source, void *data, size_t size) {
  return source.read(data, size) == size;
}

/// Reads `size` bytes and the end of the source. The buffer grows while bytes
/// are read, since the header may state a wrong size.
bool readData(ByteSource &source, uint64_t size, std::vector<uint8_t> &data,
              std::string &error) {
  constexpr uint64_t kBlock = uint64_t(64) << 20;
  while (data.size() < size) {
    size_t begin = data.size();
    auto count = static_cast<size_t>(std::min(size - begin, kBlock));
    data.resize(begin + count);
    size_t got = source.read(data.data() + begin, count);
    if (got != count) {
      error = "its header promises " + std::to_string(size) +
              " bytes of data, but there are only " +
              std::to_string(begin + got);
      return false;
    }
  }
  uint8_t more = 0;
  if (source.read(&more, 1) != 0) {
    error = "data follow the " + std::to_string(size) +
            " bytes that its header promises";
    return false;
  }
  return true;
}

void swapBytes(std::vector<uint8_t> &data, size_t elementSize) {
  for (size_t i = 0; i + elementSize <= data.size(); i += elementSize)
    std::reverse(&data[i], &data[i] + elementSize);
}

/// Puts column-major elements into row-major order.
std::vector<uint8_t> transpose(const std::vector<uint8_t> &data,
                               const std::vector<uint32_t> &shape,
                               size_t elementSize) {
  std::vector<uint8_t> result(data.size());
  std::vector<uint64_t> strides(shape.size());
  uint64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  std::vector<uint32_t> index(shape.size());
  uint64_t source = 0;
  for (size_t at = 0; at < data.size(); at += elementSize) {
    std::memcpy(&result[at], &data[source * elementSize], elementSize);
    // The coordinates count up, the last one fastest.
    for (size_t i = shape.size(); i-- > 0;) {
      source += strides[i];
      if (++index[i] < shape[i])
        break;
      source -= strides[i] * shape[i];
      index[i] = 0;
    }
  }
  return result;
}

/// Sets the data type of `tensor`, and `order` to the byte order, as the header
/// states them.
bool readDescr(const std::string &descr, HostTensor &tensor, char &order,
               std::string &error) {
  order = descr.empty() ? '\0' : descr[0];
  std::string_view name =
      std::string_view(descr).substr(std::min<size_t>(1, descr.size()));
  for (const DType &dtype : kDTypes)
    if (name == dtype.name)
      tensor.dataType = dtype.dataType;
  if (name == kBool)
    tensor.dataType = DML_DATA_TYPE_UINT8;
  if (tensor.dataType != DML_DATA_TYPE_UNKNOWN && order != '\0' &&
      std::strchr("<>|=", order))
    return true;
  error = "has dtype '" + descr +
          "', but b1, f2, f4, f8, i1 to i8 and u1 to u8 are supported";
  return false;
}

bool readHeader(ByteSource &source, Header &header, std::string &error) {
  auto fail = [&](const std::string &message) {
    error = message;
    return false;
  };
  uint8_t start[8];
  if (!readExactly(source, start, sizeof(start)) ||
      std::memcmp(start, kMagic.data(), kMagic.size()) != 0)
    return fail("is no .npy file: it does not begin with \\x93NUMPY");
  if (start[6] < 1 || start[6] > 3)
    return fail("has .npy version " + std::to_string(start[6]) + "." +
                std::to_string(start[7]) + ", but 1, 2 and 3 are supported");
  uint8_t length[4] = {};
  if (!readExactly(source, length, start[6] == 1 ? 2 : 4))
    return fail("ends within its header");
  uint32_t headerSize =
      length[0] | length[1] << 8 | length[2] << 16 | uint32_t(length[3]) << 24;
  if (headerSize > kMaxHeaderSize)
    return fail("has a header of " + std::to_string(headerSize) +
                " bytes, but at most " + std::to_string(kMaxHeaderSize) +
                " make sense");
  std::string text(headerSize, '\0');
  if (!readExactly(source, text.data(), headerSize))
    return fail("ends within its header");
  return HeaderParser(text, error).parse(header);
}

} // namespace

std::optional<HostTensor> dml::tools::readNpy(ByteSource &source,
                                              const std::string &type,
                                              std::string &error) {
  error.clear();
  Header header;
  HostTensor tensor;
  char order = '\0';
  if (!readHeader(source, header, error) ||
      !readDescr(header.descr, tensor, order, error))
    return std::nullopt;
  tensor.sizes = header.shape;
  if (!type.empty() && !hasType(tensor, type))
    return tensor;
  size_t elementSize = dmlGetDataTypeSize(tensor.dataType);
  std::optional<uint64_t> count = countElements(tensor.dataType, tensor.sizes);
  if (!count) {
    error = "has a shape too large to count";
    return std::nullopt;
  }
  if (!readData(source, *count * elementSize, tensor.data, error))
    return std::nullopt;
  if (order == '>')
    swapBytes(tensor.data, elementSize);
  if (header.fortranOrder)
    tensor.data = transpose(tensor.data, tensor.sizes, elementSize);
  return tensor;
}

std::optional<HostTensor> dml::tools::readNpy(const std::string &path,
                                              std::string &error,
                                              const std::string &type) {
  FileSource file;
  if (!file.open(path, error))
    return std::nullopt;
  std::optional<HostTensor> tensor = readNpy(file, type, error);
  if (!tensor)
    error = "cannot read '" + path + "': " + file.describe(error);
  return tensor;
}

bool dml::tools::describeNpy(const HostTensor &tensor, std::string &start,
                             std::string &error) {
  std::string descr;
  for (const DType &dtype : kDTypes)
    if (dtype.dataType == tensor.dataType)
      descr = dtype.name;
  if (descr.empty()) {
    error = "NumPy's format has no dtype for " +
            std::string(dmlGetDataTypeName(tensor.dataType));
    return false;
  }
  descr.insert(0, dmlGetDataTypeSize(tensor.dataType) == 1 ? "|" : "<");
  std::string shape;
  for (uint32_t size : tensor.sizes)
    shape += std::to_string(size) + ", ";
  // Tuples stand as Python prints them: (3, 4), (3,), ().
  if (tensor.sizes.size() == 1)
    shape.pop_back();
  else if (!tensor.sizes.empty())
    shape.resize(shape.size() - 2);
  std::string dictionary = "{'descr': '" + descr +
                           "', 'fortran_order': False, 'shape': (" + shape +
                           "), }";
  // Data begin at a multiple of 64, after a newline.
  size_t total = (kMagic.size() + 4 + dictionary.size() + 1 + 63) / 64 * 64;
  size_t headerSize = total - kMagic.size() - 4;
  dictionary.resize(headerSize - 1, ' ');
  dictionary += '\n';
  start = kMagic;
  start += {'\1', '\0', static_cast<char>(headerSize & 0xff),
            static_cast<char>(headerSize >> 8)};
  start += dictionary;
  return true;
}

bool dml::tools::writeNpy(const std::string &path, const HostTensor &tensor,
                          std::string &error) {
  std::string start;
  if (!describeNpy(tensor, start, error)) {
    error = "cannot write '" + path + "': " + error;
    return false;
  }
  return writeFile(
      path,
      {{start.data(), start.size()}, {tensor.data.data(), tensor.data.size()}},
      error);
}
