//===- TensorProto.cpp - ONNX's files of one tensor -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/TensorProto.h"

#include "support/ByteSource.h"

#include <algorithm>

#if DML_HAS_PROTOZERO
#include <protozero/pbf_reader.hpp>
#endif

using namespace dml::tools;

#if DML_HAS_PROTOZERO

namespace {

/// A message of protocol buffers has at most 2 GiB.
constexpr uint64_t kMaxMessage = uint64_t(1) << 31;

/// The fields of TensorProto in onnx.proto.
enum Field : protozero::pbf_tag_type {
  kDims = 1,
  kDataType = 2,
  kFloats = 4,
  kInts = 5,
  kInt64s = 7,
  kRaw = 9,
  kDoubles = 10,
  kUInt64s = 11,
  kExternal = 13,
};

/// ONNX's element types, by their numbers in TensorProto.DataType.
DmlDataType getDataType(int32_t number) {
  switch (number) {
  case 1:
    return DML_DATA_TYPE_FLOAT32;
  case 2:
  case 9: // bool
    return DML_DATA_TYPE_UINT8;
  case 3:
    return DML_DATA_TYPE_INT8;
  case 4:
    return DML_DATA_TYPE_UINT16;
  case 5:
    return DML_DATA_TYPE_INT16;
  case 6:
    return DML_DATA_TYPE_INT32;
  case 7:
    return DML_DATA_TYPE_INT64;
  case 10:
    return DML_DATA_TYPE_FLOAT16;
  case 11:
    return DML_DATA_TYPE_FLOAT64;
  case 12:
    return DML_DATA_TYPE_UINT32;
  case 13:
    return DML_DATA_TYPE_UINT64;
  default:
    return DML_DATA_TYPE_UNKNOWN;
  }
}

/// Reads a message. Throws protozero's exceptions, and Failure for what it
/// does not take.
class Reader {
public:
  explicit Reader(const std::vector<uint8_t> &bytes)
      : message(reinterpret_cast<const char *>(bytes.data()), bytes.size()) {}

  HostTensor read() {
    while (message.next())
      readField();
    if (tensor.dataType == DML_DATA_TYPE_UNKNOWN)
      throw Failure{"it has ONNX's element type " + std::to_string(type) +
                    ", but f16, f32, f64, i8 to i64, ui8 to ui64 and bool are "
                    "read"};
    std::optional<uint64_t> count =
        countElements(tensor.dataType, tensor.sizes);
    uint64_t wanted =
        count ? *count * dmlGetDataTypeSize(tensor.dataType) : UINT64_MAX;
    if (tensor.data.size() != wanted)
      throw Failure{"it has " + std::to_string(tensor.data.size()) +
                    " bytes of elements, but " + describeType(tensor) +
                    (count ? " has " + std::to_string(wanted) : " has more")};
    return std::move(tensor);
  }

  struct Failure {
    std::string message;
  };

private:
  void addSize(int64_t size) {
    constexpr size_t kMaxRank = 64;
    if (size < 0 || size > UINT32_MAX || tensor.sizes.size() == kMaxRank)
      throw Failure{"it has the size " + std::to_string(size) +
                    " in dimension " + std::to_string(tensor.sizes.size())};
    tensor.sizes.push_back(static_cast<uint32_t>(size));
  }
  /// Appends the low `size` bytes of a number.
  template <typename T> void addElement(T value, size_t size = sizeof(T)) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(&value);
    if (tensor.data.size() > kMaxMessage)
      throw Failure{"it has more than " + std::to_string(kMaxMessage) +
                    " bytes of elements"};
    tensor.data.insert(tensor.data.end(), bytes,
                       bytes + std::min(size, sizeof(T)));
  }
  /// Calls `use` with each number of a field, which is packed or has one.
  template <typename GetPacked, typename GetOne, typename Use>
  void readNumbers(GetPacked getPacked, GetOne getOne, Use use) {
    if (message.wire_type() != protozero::pbf_wire_type::length_delimited)
      return use((message.*getOne)());
    auto range = (message.*getPacked)();
    for (auto number : range)
      use(number);
  }
  void readField();

  protozero::pbf_reader message;
  HostTensor tensor;
  int32_t type = 0;
};

void Reader::readField() {
  using PBF = protozero::pbf_reader;
  switch (message.tag()) {
  case kDims:
    return readNumbers(&PBF::get_packed_int64, &PBF::get_int64,
                       [&](int64_t size) { addSize(size); });
  case kDataType:
    type = message.get_int32();
    tensor.dataType = getDataType(type);
    return;
  case kFloats:
    return readNumbers(&PBF::get_packed_float, &PBF::get_float,
                       [&](float value) { addElement(value); });
  case kDoubles:
    return readNumbers(&PBF::get_packed_double, &PBF::get_double,
                       [&](double value) { addElement(value); });
  case kInt64s:
    return readNumbers(&PBF::get_packed_int64, &PBF::get_int64,
                       [&](int64_t value) { addElement(value); });
  // The element type, which comes first, says how many bytes of a number count.
  case kInts:
    return readNumbers(&PBF::get_packed_int32, &PBF::get_int32,
                       [&](int32_t value) {
                         addElement(value, dmlGetDataTypeSize(tensor.dataType));
                       });
  case kUInt64s:
    return readNumbers(&PBF::get_packed_uint64, &PBF::get_uint64,
                       [&](uint64_t value) {
                         addElement(value, dmlGetDataTypeSize(tensor.dataType));
                       });
  case kRaw: {
    protozero::data_view raw = message.get_view();
    tensor.data.assign(raw.data(), raw.data() + raw.size());
    return;
  }
  case kExternal:
    throw Failure{"its elements are in another file"};
  default:
    message.skip();
  }
}

} // namespace

std::optional<HostTensor> dml::tools::readTensorProto(const std::string &path,
                                                      std::string &error) {
  auto bytes = readBytes(path, kMaxMessage, error);
  if (!bytes)
    return std::nullopt;
  try {
    return Reader(*bytes).read();
  } catch (const Reader::Failure &failure) {
    error = failure.message;
  } catch (const protozero::exception &exception) {
    error = std::string("is no tensor of ONNX: ") + exception.what();
  }
  error = "cannot read '" + path + "': " + error;
  return std::nullopt;
}

#else

std::optional<HostTensor> dml::tools::readTensorProto(const std::string &path,
                                                      std::string &error) {
  error = "cannot read '" + path +
          "': this program was built without protozero, which .pb files need";
  return std::nullopt;
}

#endif
