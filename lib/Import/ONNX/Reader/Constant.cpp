//===- Constant.cpp - Tensors whose elements are known --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Reader/Constant.h"
#include "dml/IR/Layout.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include <cmath>
#include <limits>
#include <tuple>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

// Files store little-endian elements, to which constants refer directly.
static_assert(llvm::endianness::native == llvm::endianness::little,
              "the importer wants a little-endian host");

unsigned dml::onnx::getByteWidth(DataType type) {
  switch (type) {
  case DataType::UINT4:
  case DataType::INT4:
  case DataType::UINT8:
  case DataType::INT8:
    return 1;
  case DataType::FLOAT16:
  case DataType::UINT16:
  case DataType::INT16:
    return 2;
  case DataType::FLOAT32:
  case DataType::UINT32:
  case DataType::INT32:
    return 4;
  case DataType::FLOAT64:
  case DataType::UINT64:
  case DataType::INT64:
    return 8;
  }
  llvm_unreachable("unknown data type");
}

std::optional<DataType> dml::onnx::toDataType(int32_t type) {
  switch (type) {
  case 1:
    return DataType::FLOAT32;
  case 2:
  case 9: // bool
    return DataType::UINT8;
  case 3:
    return DataType::INT8;
  case 4:
    return DataType::UINT16;
  case 5:
    return DataType::INT16;
  case 6:
    return DataType::INT32;
  case 7:
    return DataType::INT64;
  case 10:
    return DataType::FLOAT16;
  case 11:
    return DataType::FLOAT64;
  case 12:
    return DataType::UINT32;
  case 13:
    return DataType::UINT64;
  case 21:
    return DataType::UINT4;
  case 22:
    return DataType::INT4;
  default:
    return std::nullopt;
  }
}

static constexpr llvm::StringLiteral typeNames[] = {
    "undefined",      "float",        "uint8",          "int8",
    "uint16",         "int16",        "int32",          "int64",
    "string",         "bool",         "float16",        "double",
    "uint32",         "uint64",       "complex64",      "complex128",
    "bfloat16",       "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fnuz", "uint4",        "int4",           "float4e2m1"};

std::string dml::onnx::describeONNXType(int32_t type) {
  if (type >= 0 && static_cast<size_t>(type) < std::size(typeNames))
    return typeNames[type].str();
  return "number " + std::to_string(type);
}

int32_t dml::onnx::findONNXType(StringRef name) {
  for (auto [type, known] : llvm::enumerate(typeNames))
    if (name == known.upper())
      return static_cast<int32_t>(type);
  return 0;
}

std::optional<int64_t> dml::onnx::countElements(ArrayRef<int64_t> shape) {
  uint64_t count = 1;
  bool isEmpty = false;
  for (int64_t size : shape) {
    if (size < 0 || size > UINT32_MAX)
      return std::nullopt;
    if (size == 0)
      isEmpty = true;
    else if (count *= size; count > UINT32_MAX)
      return std::nullopt;
  }
  return isEmpty ? 0 : static_cast<int64_t>(count);
}

std::string dml::onnx::describeShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

bool Constant::isSplat() const {
  return !isPacked && data.size() == getByteWidth(type) && getNumElements() > 0;
}

/// Converts `value` to T. Floats out of range are clamped, and integers keep
/// their low bits.
template <typename T, typename From> static T convertTo(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<T>) {
    if (std::isnan(value))
      return 0;
    if (value <= static_cast<From>(std::numeric_limits<T>::min()))
      return std::numeric_limits<T>::min();
    if (value >= static_cast<From>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
  }
  return static_cast<T>(value);
}

uint16_t dml::onnx::toHalf(double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

double dml::onnx::fromHalf(uint16_t bits) {
  llvm::APFloat number(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

template <typename From>
static Constant buildConstant(DataType type, Shape shape,
                              ArrayRef<From> elements) {
  auto bytes =
      std::make_shared<std::vector<char>>(elements.size() * getByteWidth(type));
  dispatchType(type, [&](auto zero) {
    using T = decltype(zero);
    for (auto [index, element] : llvm::enumerate(elements)) {
      T value;
      if (type == DataType::FLOAT16)
        value = static_cast<T>(toHalf(static_cast<double>(element)));
      else if (isFourBits(type))
        value = static_cast<T>(convertTo<int64_t>(element) & 0xf);
      else
        value = convertTo<T>(element);
      std::memcpy(bytes->data() + index * sizeof(T), &value, sizeof(T));
    }
  });
  return Constant(type, std::move(shape), *bytes, bytes);
}

Constant Constant::get(DataType type, Shape shape, ArrayRef<int64_t> elements) {
  return buildConstant(type, std::move(shape), elements);
}
Constant Constant::get(DataType type, Shape shape, ArrayRef<double> elements) {
  return buildConstant(type, std::move(shape), elements);
}

Constant Constant::getFourBits(DataType type, Shape shape, ArrayRef<char> data,
                               std::shared_ptr<const void> owner) {
  assert(isFourBits(type));
  Constant constant(type, std::move(shape), data, std::move(owner));
  constant.isPacked = true;
  assert(static_cast<int64_t>(data.size()) ==
         llvm::divideCeil(constant.getNumElements(), 2));
  return constant.isResource() ? constant : constant.unpack();
}

Constant Constant::unpack() const {
  if (!isPacked)
    return *this;
  assert(isFoldable());
  auto bytes = std::make_shared<std::vector<char>>(
      reader::unpackFourBits(data, getNumElements()));
  return Constant(type, shape, *bytes, bytes);
}

std::optional<Constant> Constant::viewAsFourBits(DataType newType,
                                                 Shape newShape) const {
  assert(getByteWidth(type) == 1 && !isFourBits(type));
  if (!isSplat())
    return getFourBits(newType, std::move(newShape), data, owner);
  int64_t low = *getData() & 0xf, high = *getData() >> 4 & 0xf;
  if (low == high)
    return get(newType, {1}, ArrayRef<int64_t>(low)).splat(std::move(newShape));
  if (!isFoldable())
    return std::nullopt;
  auto bytes =
      std::make_shared<std::vector<char>>(getNumElements(), *getData());
  return getFourBits(newType, std::move(newShape), *bytes, bytes);
}

Constant Constant::getStored() const {
  if (isPacked || !isFourBits(type) || !isResource())
    return *this;
  auto bytes = std::make_shared<std::vector<char>>(getNumStoredBytes());
  for (auto [index, element] : llvm::enumerate(data)) {
    char &pair = (*bytes)[index / 2];
    pair = static_cast<char>(pair | (element & 0xf) << (index % 2 * 4));
  }
  return getFourBits(type, shape, *bytes, bytes);
}

template <typename To>
static SmallVector<To> readElements(DataType type, ArrayRef<char> data,
                                    int64_t count) {
  FileMemory::want(data);
  SmallVector<To> elements;
  bool isSplat = data.size() == getByteWidth(type);
  dispatchType(type, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t index = 0; index < count; ++index) {
      T value;
      std::memcpy(&value, data.data() + (isSplat ? 0 : index * sizeof(T)),
                  sizeof(T));
      if (type == DataType::FLOAT16)
        elements.push_back(
            convertTo<To>(fromHalf(static_cast<uint16_t>(value))));
      else if (type == DataType::INT4)
        elements.push_back(convertTo<To>(static_cast<int>(value) -
                                         (static_cast<int>(value) & 8) * 2));
      else
        elements.push_back(convertTo<To>(value));
    }
  });
  return elements;
}

SmallVector<int64_t> Constant::getIntegers() const {
  assert(isFoldable());
  return readElements<int64_t>(type, unpack().data, getNumElements());
}

SmallVector<double> Constant::getFloats() const {
  assert(isFoldable());
  return readElements<double>(type, unpack().data, getNumElements());
}

Value Constant::materialize(OpBuilder &builder, Location loc,
                            ArrayRef<int64_t> physical, StringRef name) const {
  return reader::buildConstant(builder, loc, type, physical, data, owner, name,
                               isResource());
}

//===----------------------------------------------------------------------===//
// TensorProto
//===----------------------------------------------------------------------===//

/// Converts the elements of a typed field to the width of `type`, and returns
/// their bytes.
template <typename T>
static ArrayRef<char> convertField(ArrayRef<T> field, DataType type,
                                   std::shared_ptr<const void> &owner) {
  auto bytes =
      std::make_shared<std::vector<char>>(field.size() * getByteWidth(type));
  dispatchType(type, [&](auto zero) {
    using Element = decltype(zero);
    for (auto [index, element] : llvm::enumerate(field)) {
      auto value = static_cast<Element>(element);
      std::memcpy(bytes->data() + index * sizeof(Element), &value,
                  sizeof(Element));
    }
  });
  owner = bytes;
  return *bytes;
}

/// Returns the number of fields with elements.
static unsigned countFields(const TensorProto &tensor) {
  return tensor.isExternal + tensor.hasStrings +
         (tensor.rawData && !tensor.rawData->empty()) + !tensor.floats.empty() +
         !tensor.doubles.empty() + !tensor.int32s.empty() +
         !tensor.int64s.empty() + !tensor.uint64s.empty();
}

/// Returns the bytes of a tensor in a file beside the model, and their owner.
/// `wanted` is the number of bytes if the model does not state a length.
static llvm::Expected<std::pair<ArrayRef<char>, std::shared_ptr<const void>>>
readExternal(const TensorProto &tensor, uint64_t wanted,
             reader::ExternalFiles &files) {
  auto file = files.open(tensor.externalLocation);
  if (!file)
    return file.takeError();
  StringRef bytes = (*file)->getBuffer();
  uint64_t offset = 0;
  if (!tensor.externalOffset.empty() &&
      tensor.externalOffset.getAsInteger(10, offset))
    return llvm::createStringError("the offset of its elements is '" +
                                   tensor.externalOffset +
                                   "', but wanted is a number");
  if (offset > bytes.size())
    return llvm::createStringError(
        "the offset of its elements is " + Twine(offset) + ", but '" +
        tensor.externalLocation + "' has " + Twine(bytes.size()) + " bytes");
  uint64_t length = std::min(bytes.size() - offset, wanted);
  if (!tensor.externalLength.empty() &&
      (tensor.externalLength.getAsInteger(10, length) ||
       length > bytes.size() - offset))
    return llvm::createStringError(
        "the length of its elements is '" + tensor.externalLength + "', but '" +
        tensor.externalLocation + "' has " + Twine(bytes.size() - offset) +
        " bytes from its offset on");
  return std::pair(ArrayRef<char>(bytes.data() + offset, length),
                   std::shared_ptr<const void>(*file));
}

/// Returns the bytes of a tensor in the model itself. If the elements are
/// converted, sets `owner` to the owner of the bytes.
static ArrayRef<char> readFields(const TensorProto &tensor, DataType type,
                                 std::shared_ptr<const void> &owner) {
  if (tensor.rawData)
    return ArrayRef<char>(tensor.rawData->data(), tensor.rawData->size());
  switch (type) {
  case DataType::FLOAT32:
    return convertField<float>(tensor.floats, type, owner);
  case DataType::FLOAT64:
    return convertField<double>(tensor.doubles, type, owner);
  case DataType::INT64:
    return convertField<int64_t>(tensor.int64s, type, owner);
  case DataType::UINT32:
  case DataType::UINT64:
    return convertField<uint64_t>(tensor.uint64s, type, owner);
  default:
    return convertField<int32_t>(tensor.int32s, type, owner);
  }
}

llvm::Expected<Constant> ConstantReader::read(const TensorProto &tensor) {
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("tensor '" + tensor.name + "': " + message);
  };
  std::optional<DataType> type = toDataType(tensor.dataType);
  if (!type)
    return fail("its type is " + describeONNXType(tensor.dataType) +
                ", which no DirectML tensor has");
  Shape shape(tensor.dims.begin(), tensor.dims.end());
  if (static_cast<int64_t>(shape.size()) > maxRank)
    return fail("it has " + Twine(shape.size()) +
                " dimensions, but DirectML's tensors have at most " +
                Twine(maxRank));
  std::optional<int64_t> count = countElements(shape);
  if (!count)
    return fail("its shape is " + describeShape(shape) +
                ", but wanted are at most 2^32 - 1 elements");
  if (tensor.isSegment)
    return fail("it is a segment of a tensor, but wanted is a whole one");
  if (unsigned fields = countFields(tensor); fields > 1)
    return fail("its elements stand in " + Twine(fields) +
                " fields, but wanted is one");

  uint64_t wanted = isFourBits(*type)
                        ? (static_cast<uint64_t>(*count) + 1) / 2
                        : static_cast<uint64_t>(*count) * getByteWidth(*type);
  auto failSize = [&](uint64_t size) {
    return fail("it has " + Twine(size) + " bytes of elements, but " +
                describeShape(shape) + " of " +
                describeONNXType(tensor.dataType) + " wants " + Twine(wanted));
  };
  ArrayRef<char> data;
  std::shared_ptr<const void> keeper = owner;
  if (tensor.source) {
    if (uint64_t size = tensor.source->getSize(); size != wanted)
      return failSize(size);
    auto elements = reader::openSource(tensor.source, places);
    if (!elements)
      return reader::makeReadError("tensor '" + tensor.name + "': " +
                                   llvm::toString(elements.takeError()));
    std::tie(data, keeper) = *elements;
  } else if (tensor.isExternal) {
    auto external = readExternal(tensor, wanted, files);
    if (!external)
      return fail(llvm::toString(external.takeError()));
    std::tie(data, keeper) = *external;
  } else {
    data = readFields(tensor, *type, keeper);
  }
  if (data.size() != wanted)
    return failSize(data.size());
  if (isFourBits(*type))
    return Constant::getFourBits(*type, std::move(shape), data,
                                 std::move(keeper));
  return Constant(*type, std::move(shape), data, std::move(keeper));
}
