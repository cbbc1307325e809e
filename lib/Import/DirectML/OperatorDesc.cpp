//===- OperatorDesc.cpp - A DML_OPERATOR_DESC and its operator ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OperatorDesc.h"

#include "Support/Builder.h"
#include "dml/IR/Layout.h"
#include "dml/IR/ViewOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace dml;
using namespace dml::directml;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns the member of DML_SCALAR_UNION for the type `type`, such as "UInt8".
static std::string getMemberName(DataType type) {
  StringRef name = stringifyDataType(type);
  StringRef width = name.drop_until(llvm::isDigit);
  StringRef kind = name.drop_back(width.size());
  return ((kind == "f" ? "Float" : kind == "i" ? "Int" : "UInt") + width).str();
}

std::string dml::directml::describeDataType(DataType type) {
  return StringRef(getMemberName(type)).upper();
}

static unsigned getBitWidth(DataType type) {
  unsigned width = 0;
  (void)stringifyDataType(type)
      .drop_until(llvm::isDigit)
      .getAsInteger(10, width);
  return width;
}

/// Returns the enumerator name `text` without `prefix`, if it has this prefix.
static StringRef dropPrefix(StringRef text, StringRef prefix) {
  text.consume_front(prefix);
  return text;
}

llvm::Expected<DataType> dml::directml::readDataType(const Json &json) {
  std::string names;
  if (json.isString()) {
    StringRef text =
        dropPrefix(llvm::cantFail(json.getString()), "DML_TENSOR_DATA_TYPE_");
    for (DataType type : getDataTypes())
      if (text == describeDataType(type))
        return type;
  }
  for (DataType type : getDataTypes())
    names += (names.empty() ? "" : ", ") + describeDataType(type);
  return json.fail("a data type: " + names);
}

static llvm::Expected<Attribute> readEnum(const Json &json, const FieldRow &row,
                                          MLIRContext *context) {
  std::string prefix = "DML_" + row.enumName.upper() + "_", names;
  std::optional<int64_t> number = json ? (*json).getAsInteger() : std::nullopt;
  StringRef text = json.isString()
                       ? dropPrefix(llvm::cantFail(json.getString()), prefix)
                       : StringRef();
  for (const FieldCaseRow &enumCase : getFieldCases()) {
    if (enumCase.enumName != row.enumName)
      continue;
    std::string name = enumCase.name.upper();
    if (text == name || (number && *number == enumCase.value))
      return parseAttribute(
          ("#dml." + row.enumName + "<" + enumCase.name + ">").str(), context);
    names += (names.empty() ? "" : ", ") + name;
  }
  return json.fail("one of " + names);
}

llvm::Expected<llvm::APInt> dml::directml::readElement(const Json &json,
                                                       DataType type) {
  StringRef name = stringifyDataType(type);
  unsigned width = getBitWidth(type);
  if (name.starts_with("f")) {
    llvm::Expected<double> number = json.getFloat();
    if (!number)
      return number.takeError();
    llvm::APFloat value(*number);
    bool losesInfo;
    value.convert(width == 16   ? llvm::APFloat::IEEEhalf()
                  : width == 32 ? llvm::APFloat::IEEEsingle()
                                : llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    if (value.isInfinity() && !std::isinf(*number))
      return json.fail("a number that a float of " + Twine(width) +
                       " bits holds");
    return value.bitcastToAPInt();
  }
  if (name.starts_with("u")) {
    llvm::Expected<uint64_t> number = json.getUnsigned(llvm::maxUIntN(width));
    if (!number)
      return number.takeError();
    return llvm::APInt(width, *number);
  }
  llvm::Expected<int64_t> number =
      json.getInteger(llvm::minIntN(width), llvm::maxIntN(width));
  if (!number)
    return number.takeError();
  return llvm::APInt(width, static_cast<uint64_t>(*number), /*isSigned=*/true);
}

llvm::json::Value dml::directml::describeElement(DataType type, uint64_t bits) {
  auto toDouble = [](const llvm::fltSemantics &semantics, uint64_t bits,
                     unsigned width) {
    llvm::APFloat number(semantics, llvm::APInt(width, bits, false, true));
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return number.convertToDouble();
  };
  switch (type) {
  case DataType::FLOAT16:
    return toJson(toDouble(llvm::APFloat::IEEEhalf(), bits, 16));
  case DataType::FLOAT32:
    return toJson(toDouble(llvm::APFloat::IEEEsingle(), bits, 32));
  case DataType::FLOAT64:
    return toJson(toDouble(llvm::APFloat::IEEEdouble(), bits, 64));
  case DataType::INT8:
    return static_cast<int64_t>(static_cast<int8_t>(bits));
  case DataType::INT16:
    return static_cast<int64_t>(static_cast<int16_t>(bits));
  case DataType::INT32:
    return static_cast<int64_t>(static_cast<int32_t>(bits));
  case DataType::INT64:
    return static_cast<int64_t>(bits);
  case DataType::UINT8:
    return bits & UINT8_MAX;
  case DataType::UINT16:
    return bits & UINT16_MAX;
  case DataType::UINT32:
    return bits & UINT32_MAX;
  case DataType::UINT64:
    return bits;
  case DataType::INT4:
    return llvm::SignExtend64(bits & 0xf, 4);
  case DataType::UINT4:
    return bits & 0xf;
  }
  llvm_unreachable("unknown data type");
}

static llvm::Expected<FloatAttr> readFloat(const Json &json,
                                           MLIRContext *context) {
  llvm::Expected<llvm::APInt> bits = readElement(json, DataType::FLOAT32);
  if (!bits)
    return bits.takeError();
  return FloatAttr::get(Float32Type::get(context),
                        llvm::APFloat(llvm::APFloat::IEEEsingle(), *bits));
}

static llvm::Expected<Attribute> readScalar(const Json &json, DataType type,
                                            MLIRContext *context) {
  Json value = json;
  bool isHalf = false;
  if (json && (*json).kind() == llvm::json::Value::Object) {
    // A member of the union, identified by its name. For halves, the union only
    // has a member for their bits.
    isHalf = type == DataType::FLOAT16;
    std::string member = isHalf ? "UInt16" : getMemberName(type);
    llvm::Expected<const llvm::json::Object *> object = json.getObject();
    if (!object)
      return object.takeError();
    if (llvm::Error error = wantKnown(**object, json.getPath(), {member}))
      return error;
    value = getField(**object, json.getPath(), member);
  }
  llvm::Expected<llvm::APInt> bits =
      readElement(value, isHalf ? DataType::UINT16 : type);
  if (!bits)
    return bits.takeError();
  Type elementType = getElementType(type, context);
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return FloatAttr::get(elementType,
                          llvm::APFloat(floatType.getFloatSemantics(), *bits));
  return IntegerAttr::get(elementType, *bits);
}

static llvm::Expected<Attribute> readScaleBias(const Json &json,
                                               MLIRContext *context) {
  llvm::Expected<const llvm::json::Object *> object = json.getObject();
  if (!object)
    return object.takeError();
  if (llvm::Error error =
          wantKnown(**object, json.getPath(), {"Scale", "Bias"}))
    return error;
  llvm::Expected<FloatAttr> scale =
      readFloat(getField(**object, json.getPath(), "Scale"), context);
  if (!scale)
    return scale.takeError();
  llvm::Expected<FloatAttr> bias =
      readFloat(getField(**object, json.getPath(), "Bias"), context);
  if (!bias)
    return bias.takeError();
  return ScaleBiasAttr::get(context, *scale, *bias);
}

/// Returns a type enumerator and the object with its fields: {"Type": ..,
/// "Desc": {..}}, or the fields in the same object as the type.
static llvm::Expected<std::pair<OperationName, Json>>
readTypeAndDesc(const Json &json, MLIRContext *context) {
  llvm::Expected<const llvm::json::Object *> object = json.getObject();
  if (!object)
    return object.takeError();
  Json type = getField(**object, json.getPath(), "Type");
  if (!type)
    type = getField(**object, json.getPath(), "type");
  llvm::Expected<StringRef> text = type.getString();
  if (!text)
    return text.takeError();
  llvm::Expected<OperationName> name =
      findOperator(*text, type.getPath(), context);
  if (!name)
    return name.takeError();
  for (StringRef field : {"Desc", "desc"})
    if (Json desc = getField(**object, json.getPath(), field))
      return std::make_pair(*name, desc);
  return std::make_pair(*name, json);
}

/// Reads each element of an array by `read`.
template <typename T, typename Read>
static llvm::Expected<SmallVector<T>> readAll(const Json &json, Read read) {
  llvm::Expected<const llvm::json::Array *> array = json.getArray();
  if (!array)
    return array.takeError();
  SmallVector<T> values;
  for (auto [index, element] : llvm::enumerate(**array)) {
    llvm::Expected<T> value = read(Json(&element, json.getPath()[index]));
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  return values;
}

/// Reads a size, a stride or a similar number, which is a UINT or an INT.
static llvm::Expected<int64_t> readInteger(const Json &json) {
  return json.getInteger(INT32_MIN, UINT32_MAX);
}

/// If there is a field `field`, checks that it is equal to the length of
/// `array`.
static llvm::Error checkCount(const llvm::json::Object &fields,
                              const Path &path, StringRef field,
                              const std::string &array, size_t length) {
  Json count = getField(fields, path, field);
  if (!count)
    return llvm::Error::success();
  llvm::Expected<uint64_t> number = count.getUnsigned();
  if (!number)
    return number.takeError();
  if (*number != length)
    return count.fail(Twine(length) + ", as many as " + array + " has");
  return llvm::Error::success();
}

static llvm::Expected<Attribute> readActivation(const Json &json,
                                                MLIRContext *context) {
  auto typeAndDesc = readTypeAndDesc(json, context);
  if (!typeAndDesc)
    return typeAndDesc.takeError();
  auto &[op, desc] = *typeAndDesc;
  StringRef name = op.stripDialect();
  std::optional<ActivationFunction> function;
  if (name == "element_wise_clip")
    function = ActivationFunction::clip;
  else if (name.consume_front("activation_"))
    function = symbolizeActivationFunction(name);
  if (!function)
    return json.getPath()["Type"].fail("found DML_OPERATOR_" +
                                       op.stripDialect().upper() +
                                       ", wanted an operator that others fuse");
  llvm::Expected<const llvm::json::Object *> fields = desc.getObject();
  if (!fields)
    return fields.takeError();
  const Path &path = desc.getPath();
  NamedAttrList parameters;
  // The tensors of a fused operator are null.
  SmallVector<std::string> known = {"Type", "type"};
  for (const FieldRow &row : getFields(op)) {
    std::string field = getFieldName(row);
    if (row.isOptional)
      continue;
    known.push_back(field);
    Json value = getField(**fields, path, field);
    if (row.kind == FieldKind::Integers) {
      llvm::Expected<SmallVector<int64_t>> numbers =
          readAll<int64_t>(value, readInteger);
      if (!numbers)
        return numbers.takeError();
      parameters.append(row.attribute,
                        DenseI64ArrayAttr::get(context, *numbers));
      known.push_back(row.count.str());
      if (llvm::Error error =
              checkCount(**fields, path, row.count, field, numbers->size()))
        return error;
      continue;
    }
    assert(row.kind == FieldKind::Float &&
           "other parameters of activations are floats");
    llvm::Expected<FloatAttr> number = readFloat(value, context);
    if (!number)
      return number.takeError();
    parameters.append(row.attribute, *number);
  }
  SmallVector<StringRef> knownFields(known.begin(), known.end());
  for (const auto &field : **fields)
    if (field.second.kind() != llvm::json::Value::Null &&
        !llvm::is_contained(knownFields, StringRef(field.first)))
      return path[field.first].fail(field.second,
                                    "nothing or null: no field of a fused "
                                    "operator");

  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  auto attribute = ActivationAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context, *function,
      parameters.getDictionary(context));
  if (!attribute)
    return path.fail(message);
  return attribute;
}

/// Reads a DML_SIZE_2D as the height and the width, as in the dialect.
static llvm::Expected<SmallVector<int64_t>> readSize2D(const Json &json) {
  llvm::Expected<const llvm::json::Object *> object = json.getObject();
  if (!object)
    return object.takeError();
  if (llvm::Error error =
          wantKnown(**object, json.getPath(), {"Width", "Height"}))
    return error;
  SmallVector<int64_t> sizes;
  for (StringRef field : {"Height", "Width"}) {
    llvm::Expected<int64_t> size =
        readInteger(getField(**object, json.getPath(), field));
    if (!size)
      return size.takeError();
    sizes.push_back(*size);
  }
  return sizes;
}

/// Reads the field `row` from `fields`.
static llvm::Expected<Attribute> readField(const FieldRow &row,
                                           const llvm::json::Object &fields,
                                           const Path &path,
                                           MLIRContext *context) {
  Builder builder(context);
  Json json = getField(fields, path, getFieldName(row));
  // Converts a value that was read to an attribute.
  auto make = [](auto value, auto toAttribute) -> llvm::Expected<Attribute> {
    if (!value)
      return value.takeError();
    return toAttribute(*value);
  };
  switch (row.kind) {
  case FieldKind::Enum:
    return readEnum(json, row, context);
  case FieldKind::Bool:
    return make(json.getBool(),
                [&](bool flag) { return builder.getBoolAttr(flag); });
  case FieldKind::Float:
    return make(readFloat(json, context),
                [](FloatAttr number) { return number; });
  case FieldKind::Integer:
    return make(readInteger(json), [&](int64_t number) {
      return builder.getI64IntegerAttr(number);
    });
  case FieldKind::Integers:
    return make(row.isSize2D() ? readSize2D(json)
                               : readAll<int64_t>(json, readInteger),
                [&](ArrayRef<int64_t> values) {
                  return builder.getDenseI64ArrayAttr(values);
                });
  case FieldKind::Floats:
    return make(readAll<FloatAttr>(json,
                                   [&](const Json &element) {
                                     return readFloat(element, context);
                                   }),
                [&](ArrayRef<FloatAttr> attributes) {
                  SmallVector<float> values;
                  for (FloatAttr attribute : attributes)
                    values.push_back(attribute.getValue().convertToFloat());
                  return builder.getDenseF32ArrayAttr(values);
                });
  case FieldKind::Scalar: {
    llvm::Expected<DataType> type =
        readDataType(getField(fields, path, getTypeField(row)));
    if (!type)
      return type.takeError();
    return readScalar(json, *type, context);
  }
  case FieldKind::ScaleBias:
    return readScaleBias(json, context);
  case FieldKind::Activation:
    return readActivation(json, context);
  case FieldKind::Activations:
    return make(readAll<Attribute>(json,
                                   [&](const Json &element) {
                                     return readActivation(element, context);
                                   }),
                [&](ArrayRef<Attribute> values) {
                  return builder.getArrayAttr(values);
                });
  }
  llvm_unreachable("unknown kind of field");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

uint64_t dml::directml::countBytes(DataType type, uint64_t elements) {
  return (elements * getBitWidth(type) + 7) / 8;
}

static std::string describeNumbers(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

llvm::Expected<TensorDesc> dml::directml::readTensorDesc(const Json &json) {
  llvm::Expected<const llvm::json::Object *> object = json.getObject();
  if (!object)
    return object.takeError();
  const llvm::json::Object *fields = *object;
  Path path = json.getPath();
  auto field = [&](StringRef name) { return getField(*fields, path, name); };

  // The enclosing structure, if there is one, states that the tensor is a
  // buffer.
  if (Json type = field("Type")) {
    llvm::Expected<StringRef> text = type.getString();
    if (!text)
      return text.takeError();
    if (dropPrefix(*text, "DML_TENSOR_TYPE_") != "BUFFER")
      return type.fail("BUFFER");
  }
  if (Json desc = field("Desc")) {
    if (llvm::Error error = wantKnown(*fields, path, {"Type", "Desc"}))
      return error;
    llvm::Expected<const llvm::json::Object *> inner = desc.getObject();
    if (!inner)
      return inner.takeError();
    fields = *inner;
    path = desc.getPath();
  }
  if (llvm::Error error = wantKnown(
          *fields, path,
          {"Type", "DataType", "Flags", "DimensionCount", "Sizes", "Strides",
           "TotalTensorSizeInBytes", "GuaranteedBaseOffsetAlignment"}))
    return error;

  TensorDesc desc;
  desc.path = path;
  llvm::Expected<DataType> type = readDataType(field("DataType"));
  if (!type)
    return type.takeError();
  desc.type = *type;

  llvm::Expected<SmallVector<int64_t>> sizes =
      readAll<int64_t>(field("Sizes"), [](const Json &size) {
        return size.getInteger(1, UINT32_MAX);
      });
  if (!sizes)
    return sizes.takeError();
  desc.sizes = std::move(*sizes);
  if (desc.sizes.empty() || desc.sizes.size() > 8)
    return field("Sizes").fail("1 to 8 sizes");
  uint64_t count = 1;
  for (int64_t size : desc.sizes)
    if (count *= size; count > UINT32_MAX)
      return path["Sizes"].fail(Twine(describeNumbers(desc.sizes)),
                                "at most 2^32 - 1 elements");
  if (Json dimensions = field("DimensionCount")) {
    llvm::Expected<uint64_t> number = dimensions.getUnsigned();
    if (!number)
      return number.takeError();
    if (*number != desc.sizes.size())
      return dimensions.fail(Twine(desc.sizes.size()) +
                             ", as many as there are sizes");
  }
  if (Json json = field("Strides")) {
    llvm::Expected<SmallVector<int64_t>> strides =
        readAll<int64_t>(json, [](const Json &stride) {
          return stride.getInteger(0, UINT32_MAX);
        });
    if (!strides)
      return strides.takeError();
    // DxDispatch represents a null pointer by an empty array.
    if (!strides->empty() && strides->size() != desc.sizes.size())
      return json.fail(Twine(desc.sizes.size()) +
                       " strides, as many as there are sizes");
    if (!strides->empty())
      desc.strides = std::move(*strides);
  }
  if (Json json = field("Flags")) {
    auto readFlag = [&](const Json &flag) -> llvm::Expected<bool> {
      llvm::Expected<StringRef> text = flag.getString();
      if (!text)
        return text.takeError();
      StringRef name = dropPrefix(*text, "DML_TENSOR_FLAG_");
      if (name == "OWNED_BY_DML")
        desc.isOwned = true;
      else if (name != "NONE")
        return flag.fail("NONE or OWNED_BY_DML");
      return true;
    };
    if (json.isString()) {
      if (llvm::Expected<bool> flag = readFlag(json); !flag)
        return flag.takeError();
    } else if (auto flags = readAll<bool>(json, readFlag); !flags) {
      return flags.takeError();
    }
  }
  uint64_t last = 0;
  for (size_t dim = 0; dim < desc.sizes.size(); ++dim)
    if (desc.strides)
      last += static_cast<uint64_t>(desc.sizes[dim] - 1) *
              static_cast<uint64_t>((*desc.strides)[dim]);
  uint64_t wanted = countBytes(desc.type, desc.strides ? last + 1 : count);
  if (Json bytes = field("TotalTensorSizeInBytes")) {
    llvm::Expected<uint64_t> number = bytes.getUnsigned();
    if (!number)
      return number.takeError();
    // Zero stands for the smallest sufficient number.
    if (*number != 0 && *number < wanted)
      return bytes.fail("at least " + Twine(wanted));
  }
  if (Json alignment = field("GuaranteedBaseOffsetAlignment")) {
    llvm::Expected<uint64_t> number = alignment.getUnsigned(UINT32_MAX);
    if (!number)
      return number.takeError();
    // A guarantee of 0 is no guarantee. Other guarantees have no effect either,
    // since all buffers here are aligned to at least 16 bytes. They are only
    // checked.
    uint64_t least = std::max<uint64_t>(getBitWidth(desc.type) / 8, 1);
    if (*number != 0 && (!llvm::isPowerOf2_64(*number) || *number < least))
      return alignment.fail("0, or a power of two from " + Twine(least) +
                            " on, the bytes of an element");
  }
  return desc;
}

namespace {
/// The layout of a tensor's dimensions in memory.
struct Layout {
  /// Whether each element has the same position as without strides.
  bool isPacked = true;
  /// Whether elements are repeated along a dimension.
  bool repeats = false;
  /// The dimensions with more than one element, from the slowest to the fastest
  /// in memory. Elements are repeated along the other dimensions.
  SmallVector<int64_t> order;
};
} // namespace

static llvm::Expected<Layout> getLayout(const TensorDesc &desc) {
  Layout layout;
  if (!desc.strides)
    return layout;
  ArrayRef<int64_t> strides = *desc.strides;
  for (size_t dim = 0; dim < desc.sizes.size(); ++dim) {
    if (desc.sizes[dim] == 1)
      continue;
    if (strides[dim] == 0)
      layout.repeats = true;
    else
      layout.order.push_back(dim);
  }
  llvm::stable_sort(layout.order, [&](int64_t a, int64_t b) {
    return strides[a] > strides[b];
  });
  uint64_t wanted = 1;
  for (int64_t dim : llvm::reverse(layout.order)) {
    if (static_cast<uint64_t>(strides[dim]) != wanted)
      return desc.path["Strides"].fail(
          Twine(describeNumbers(strides)),
          "strides of a tensor of the sizes " + describeNumbers(desc.sizes) +
              " that has no gaps: of its dimensions in whatever order, and 0 "
              "along those that repeat elements");
    wanted *= desc.sizes[dim];
  }
  layout.isPacked = !layout.repeats && llvm::is_sorted(layout.order);
  return layout;
}

llvm::Expected<RankedTensorType>
dml::directml::getMemoryType(const TensorDesc &desc, MLIRContext *context) {
  llvm::Expected<Layout> layout = getLayout(desc);
  if (!layout)
    return layout.takeError();
  Type type = getElementType(desc.type, context);
  if (layout->isPacked)
    return RankedTensorType::get(desc.sizes, type);
  SmallVector<int64_t> sizes;
  for (int64_t dim : layout->order)
    sizes.push_back(desc.sizes[dim]);
  if (sizes.empty())
    sizes.push_back(1);
  return RankedTensorType::get(sizes, type);
}

llvm::Expected<Value> dml::directml::buildRead(OpBuilder &builder, Location loc,
                                               Value memory,
                                               const TensorDesc &desc) {
  llvm::Expected<Layout> layout = getLayout(desc);
  if (!layout)
    return layout.takeError();
  if (layout->isPacked)
    return memory;
  auto type = cast<RankedTensorType>(memory.getType());
  return ViewOp::create(builder, loc, type.clone(desc.sizes), memory,
                        *desc.strides);
}

llvm::Expected<Value> dml::directml::buildWrite(OpBuilder &builder,
                                                Location loc, Value value,
                                                const TensorDesc &desc) {
  llvm::Expected<Layout> layout = getLayout(desc);
  if (!layout)
    return layout.takeError();
  if (layout->isPacked)
    return value;
  if (layout->repeats)
    return desc.path["Strides"].fail(
        Twine(describeNumbers(*desc.strides)),
        "an output whose elements each have a place of their own");
  SmallVector<int64_t> packed = getPackedStrides(desc.sizes), sizes, strides;
  for (int64_t dim : layout->order) {
    sizes.push_back(desc.sizes[dim]);
    strides.push_back(packed[dim]);
  }
  auto type = cast<RankedTensorType>(value.getType());
  return ViewOp::create(builder, loc, type.clone(sizes), value, strides);
}

llvm::Expected<Value> dml::directml::reinterpret(OpBuilder &builder,
                                                 Location loc, Value value,
                                                 RankedTensorType type,
                                                 const Path &path) {
  auto from = cast<RankedTensorType>(value.getType());
  bool isSameWidth =
      from.getElementTypeBitWidth() == type.getElementTypeBitWidth();
  if (!isSameWidth || from.getNumElements() != type.getNumElements()) {
    std::string found, wanted;
    llvm::raw_string_ostream(found) << from;
    llvm::raw_string_ostream(wanted) << type;
    return path.fail(
        "found a tensor of the type " + found +
        " in memory, wanted as many elements of as many bytes as " + wanted);
  }
  value = reader::reshape(builder, loc, value, type.getShape());
  if (from.getElementType() != type.getElementType())
    value = tensor::BitcastOp::create(builder, loc, type, value);
  return value;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

llvm::Expected<OperationName>
dml::directml::findOperator(StringRef type, const Path &path,
                            MLIRContext *context) {
  StringRef suffix = dropPrefix(type, "DML_OPERATOR_");
  auto isCalled = [&](StringRef enumerator) {
    return !enumerator.empty() &&
           dropPrefix(enumerator, "DML_OPERATOR_") == suffix;
  };
  OperationName name(("dml." + suffix.lower()), context);
  const OperatorSupport *support =
      name.isRegistered() ? getOperatorSupport(name) : nullptr;
  // DirectML has no names in lower case.
  if (support && isCalled(support->operatorType))
    return name;
  for (RegisteredOperationName other :
       context->getRegisteredOperationsByDialect("dml"))
    if (const OperatorSupport *support = getOperatorSupport(other);
        support && isCalled(support->otherType))
      return other;
  return path.fail(llvm::json::Value(type.str()),
                   "an operator of DirectML, such as DML_OPERATOR_GEMM");
}

llvm::Expected<OperatorDesc> dml::directml::readOperatorDesc(
    OperationName name, const llvm::json::Object &fields, const Path &path) {
  MLIRContext *context = name.getContext();
  const OperatorSupport &support = *getOperatorSupport(name);
  OperatorDesc desc{name, path, {}, {}, {}};
  SmallVector<std::string> known;
  // Compares the number of elements in an array with its count.
  auto checkLength = [&](StringRef array, const std::string &count) {
    known.push_back(count);
    const llvm::json::Array *elements = fields.getArray(array);
    return elements
               ? checkCount(fields, path, count, array.str(), elements->size())
               : llvm::Error::success();
  };

  for (const TensorInfo &info : support.tensors) {
    TensorField field{getTensorFieldName(info), &info, {}};
    known.push_back(field.name);
    Json json = getField(fields, path, field.name);
    if (info.count == TensorInfo::Count::Variadic) {
      auto tensors = readAll<TensorDesc>(json, readTensorDesc);
      if (!tensors)
        return tensors.takeError();
      field.tensors = std::move(*tensors);
      if (llvm::Error error = checkLength(field.name, getCountField(info)))
        return error;
    } else if (json || info.count == TensorInfo::Count::One) {
      llvm::Expected<TensorDesc> tensor = readTensorDesc(json);
      if (!tensor)
        return tensor.takeError();
      field.tensors.push_back(std::move(*tensor));
    }
    (info.isResult ? desc.outputs : desc.inputs).push_back(std::move(field));
  }

  for (const FieldRow &row : getFields(name)) {
    std::string field = getFieldName(row);
    known.push_back(field);
    if (row.kind == FieldKind::Scalar)
      known.push_back(getTypeField(row).str());
    if (!row.count.empty())
      if (llvm::Error error = checkLength(field, row.count.str()))
        return error;
    if (row.isOptional && !getField(fields, path, field))
      continue;
    llvm::Expected<Attribute> value = readField(row, fields, path, context);
    if (!value)
      return value.takeError();
    desc.attributes.push_back(
        NamedAttribute(StringAttr::get(context, row.attribute), *value));
  }

  SmallVector<StringRef> names(known.begin(), known.end());
  if (llvm::Error error = wantKnown(fields, path, names))
    return error;
  return desc;
}

/// Sets the output padding of `op` if its description states 0 but the output
/// is larger. ONNX Runtime always sets OutputPadding to 0: for a transposed
/// convolution with output_padding 1, it describes an OutputTensor of 6x6,
/// although the other fields imply 5x5.
static void padOutput(Operation *op) {
  constexpr llvm::StringLiteral name = "output_padding";
  auto padding = dyn_cast_or_null<DenseI64ArrayAttr>(
      op->getInherentAttr(name).value_or(Attribute()));
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  if (!padding || !inferable ||
      llvm::any_of(padding.asArrayRef(), [](int64_t more) { return more; }))
    return;
  // Other errors are reported by the verifier.
  SmallVector<Type> types;
  auto infer = [&] {
    types.clear();
    return inferable.inferReturnTypes(
        op->getContext(), /*location=*/std::nullopt, op->getOperands(),
        op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
        op->getRegions(), types);
  };
  if (failed(infer()))
    return;
  auto found = cast<RankedTensorType>(op->getResult(0).getType()),
       wanted = cast<RankedTensorType>(types.front());
  if (found.getRank() != wanted.getRank())
    return;
  SmallVector<int64_t> more;
  for (auto [size, least] :
       llvm::zip_equal(found.getShape().take_back(padding.size()),
                       wanted.getShape().take_back(padding.size())))
    more.push_back(std::max<int64_t>(size - least, 0));
  op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), more));
  // A forward convolution has no output padding.
  if (failed(infer()))
    op->setAttr(name, padding);
}

llvm::Expected<SmallVector<Value>>
dml::directml::buildOperator(OpBuilder &builder, Location loc,
                             const OperatorDesc &desc, ArrayRef<Value> inputs) {
  SmallVector<reader::Operand> operands;
  size_t next = 0;
  for (const TensorField &field : desc.inputs) {
    SmallVector<Value> values;
    for (const TensorDesc &tensor : field.tensors) {
      llvm::Expected<Value> value =
          buildRead(builder, loc, inputs[next++], tensor);
      if (!value)
        return value.takeError();
      values.push_back(*value);
    }
    operands.emplace_back(field.info->name, ArrayRef<Value>(values));
  }
  SmallVector<Type> types;
  SmallVector<int32_t> segments;
  for (const TensorField &field : desc.outputs) {
    segments.push_back(static_cast<int32_t>(field.tensors.size()));
    for (const TensorDesc &tensor : field.tensors)
      types.push_back(RankedTensorType::get(
          tensor.sizes, getElementType(tensor.type, builder.getContext())));
  }
  SmallVector<NamedAttribute> attributes(desc.attributes);
  if (desc.name.hasTrait<OpTrait::AttrSizedResultSegments>())
    attributes.push_back(builder.getNamedAttr(
        "resultSegmentSizes", builder.getDenseI32ArrayAttr(segments)));
  llvm::Expected<Operation *> op = reader::buildOperator(
      builder, loc, desc.name, operands, attributes, types, padOutput);
  if (!op)
    return desc.path.fail(llvm::toString(op.takeError()));
  SmallVector<Value> results;
  next = 0;
  for (const TensorField &field : desc.outputs)
    for (const TensorDesc &tensor : field.tensors) {
      llvm::Expected<Value> value =
          buildWrite(builder, loc, (*op)->getResult(next++), tensor);
      if (!value)
        return value.takeError();
      results.push_back(*value);
    }
  return results;
}
