//===- Decoder.cpp - Protocol Buffers' wire format ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Protozero checks each length and number against the available bytes. Its
// exceptions become an llvm::Error in decodeModel. Fields with a wrong wire
// type are rejected here, since protozero only checks the type by an assertion.
// Messages are decoded to a fixed depth (model, function or graph, node,
// attribute, tensor). Graphs in attributes are recorded, but not decoded, so
// that the recursion is limited for any file.
//
//===----------------------------------------------------------------------===//

#include "Reader/Model.h"
#include "dml/IR/FileMemory.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <type_traits>

using namespace dml::onnx;
using llvm::StringRef;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

namespace {
/// An error in a field.
struct DecodeError {
  std::string message;
};
} // namespace

static StringRef describe(pbf_wire_type type) {
  switch (type) {
  case pbf_wire_type::varint:
    return "a varint";
  case pbf_wire_type::fixed64:
    return "64 bits";
  case pbf_wire_type::length_delimited:
    return "bytes with a length";
  case pbf_wire_type::fixed32:
    return "32 bits";
  default:
    return "of an unknown wire type";
  }
}

/// Throws unless the current field has the wire type `wanted`.
static void want(const pbf_reader &reader, pbf_wire_type wanted,
                 StringRef field) {
  if (reader.wire_type() != wanted)
    throw DecodeError{("field " + field + " is " +
                       describe(reader.wire_type()) + ", but wanted is " +
                       describe(wanted))
                          .str()};
}

static StringRef getString(pbf_reader &reader, StringRef field) {
  want(reader, pbf_wire_type::length_delimited, field);
  protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

static pbf_reader getMessage(pbf_reader &reader, StringRef field) {
  want(reader, pbf_wire_type::length_delimited, field);
  return reader.get_message();
}

static int64_t getInt(pbf_reader &reader, StringRef field) {
  want(reader, pbf_wire_type::varint, field);
  return reader.get_int64();
}

static int32_t getInt32(pbf_reader &reader, StringRef field) {
  int64_t value = getInt(reader, field);
  if (value != static_cast<int32_t>(value))
    throw DecodeError{("field " + field + " is " + llvm::Twine(value) +
                       ", but wanted is a number of 32 bits")
                          .str()};
  return static_cast<int32_t>(value);
}

static float getFloat(pbf_reader &reader, StringRef field) {
  want(reader, pbf_wire_type::fixed32, field);
  return reader.get_float();
}

/// Appends the values of a repeated number, which may be packed.
template <typename T>
static void getVarints(pbf_reader &reader, StringRef field,
                       std::vector<T> &values) {
  if (reader.wire_type() == pbf_wire_type::varint) {
    values.push_back(static_cast<T>(reader.get_uint64()));
    return;
  }
  want(reader, pbf_wire_type::length_delimited, field);
  for (uint64_t value : reader.get_packed_uint64())
    values.push_back(static_cast<T>(value));
}

template <typename T>
static void getFixed(pbf_reader &reader, StringRef field,
                     std::vector<T> &values) {
  constexpr auto single =
      sizeof(T) == 4 ? pbf_wire_type::fixed32 : pbf_wire_type::fixed64;
  if (reader.wire_type() == single) {
    if constexpr (sizeof(T) == 4)
      values.push_back(reader.get_float());
    else
      values.push_back(reader.get_double());
    return;
  }
  StringRef bytes = getString(reader, field);
  if (bytes.size() % sizeof(T) != 0)
    throw DecodeError{("field " + field + " has " + llvm::Twine(bytes.size()) +
                       " bytes, but wanted is a multiple of " +
                       llvm::Twine(sizeof(T)))
                          .str()};
  values.reserve(values.size() + bytes.size() / sizeof(T));
  for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    Bits bits = llvm::support::endian::read<Bits, llvm::endianness::little>(
        bytes.data() + at);
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    values.push_back(value);
  }
}

//===----------------------------------------------------------------------===//
// The messages
//===----------------------------------------------------------------------===//

static TensorProto decodeTensor(pbf_reader reader) {
  TensorProto tensor;
  while (reader.next()) {
    switch (reader.tag()) {
    case 1:
      getVarints(reader, "TensorProto.dims", tensor.dims);
      break;
    case 2:
      tensor.dataType = getInt32(reader, "TensorProto.data_type");
      break;
    case 3:
      tensor.isSegment = true;
      reader.skip();
      break;
    case 4:
      getFixed(reader, "TensorProto.float_data", tensor.floats);
      break;
    case 5:
      getVarints(reader, "TensorProto.int32_data", tensor.int32s);
      break;
    case 6:
      tensor.hasStrings = true;
      reader.skip();
      break;
    case 7:
      getVarints(reader, "TensorProto.int64_data", tensor.int64s);
      break;
    case 8:
      tensor.name = getString(reader, "TensorProto.name");
      break;
    case 9:
      tensor.rawData = getString(reader, "TensorProto.raw_data");
      break;
    case 10:
      getFixed(reader, "TensorProto.double_data", tensor.doubles);
      break;
    case 11:
      getVarints(reader, "TensorProto.uint64_data", tensor.uint64s);
      break;
    case 13: {
      pbf_reader entry = getMessage(reader, "TensorProto.external_data");
      StringRef key, value;
      while (entry.next()) {
        if (entry.tag() == 1)
          key = getString(entry, "StringStringEntryProto.key");
        else if (entry.tag() == 2)
          value = getString(entry, "StringStringEntryProto.value");
        else
          entry.skip();
      }
      if (key == "location")
        tensor.externalLocation = value;
      else if (key == "offset")
        tensor.externalOffset = value;
      else if (key == "length")
        tensor.externalLength = value;
      break;
    }
    case 14:
      tensor.isExternal = getInt(reader, "TensorProto.data_location") == 1;
      break;
    default:
      reader.skip();
    }
  }
  return tensor;
}

static AttributeProto decodeAttribute(pbf_reader reader) {
  AttributeProto attribute;
  // Old files have no field `type`. The type then follows from the field that
  // is present.
  int32_t found = AttributeProto::Undefined;
  bool hasSeveral = false;
  auto note = [&](AttributeProto::Type type) {
    hasSeveral |= found != AttributeProto::Undefined && found != type;
    found = type;
  };
  while (reader.next()) {
    switch (reader.tag()) {
    case 1:
      attribute.name = getString(reader, "AttributeProto.name");
      break;
    case 2:
      attribute.f = getFloat(reader, "AttributeProto.f");
      note(AttributeProto::Float);
      break;
    case 3:
      attribute.i = getInt(reader, "AttributeProto.i");
      note(AttributeProto::Int);
      break;
    case 4:
      attribute.s = getString(reader, "AttributeProto.s");
      note(AttributeProto::String);
      break;
    case 5:
      attribute.t = decodeTensor(getMessage(reader, "AttributeProto.t"));
      note(AttributeProto::Tensor);
      break;
    case 6:
      attribute.g = getString(reader, "AttributeProto.g");
      note(AttributeProto::Graph);
      break;
    case 7:
      getFixed(reader, "AttributeProto.floats", attribute.floats);
      note(AttributeProto::Floats);
      break;
    case 8:
      getVarints(reader, "AttributeProto.ints", attribute.ints);
      note(AttributeProto::Ints);
      break;
    case 9:
      attribute.strings.push_back(getString(reader, "AttributeProto.strings"));
      note(AttributeProto::Strings);
      break;
    case 20:
      attribute.type = getInt32(reader, "AttributeProto.type");
      break;
    case 21:
      attribute.reference = getString(reader, "AttributeProto.ref_attr_name");
      break;
    default:
      reader.skip();
    }
  }
  // An empty list has no field, regardless of its type.
  hasSeveral |= attribute.type != AttributeProto::Undefined &&
                found != AttributeProto::Undefined && attribute.type != found;
  if (hasSeveral)
    throw DecodeError{("attribute '" + attribute.name +
                       "' has values of two types, but wanted is one")
                          .str()};
  if (attribute.type == AttributeProto::Undefined)
    attribute.type = found;
  return attribute;
}

static NodeProto decodeNode(pbf_reader reader) {
  NodeProto node;
  while (reader.next()) {
    switch (reader.tag()) {
    case 1:
      node.inputs.push_back(getString(reader, "NodeProto.input"));
      break;
    case 2:
      node.outputs.push_back(getString(reader, "NodeProto.output"));
      break;
    case 3:
      node.name = getString(reader, "NodeProto.name");
      break;
    case 4:
      node.opType = getString(reader, "NodeProto.op_type");
      break;
    case 5:
      node.attributes.push_back(
          decodeAttribute(getMessage(reader, "NodeProto.attribute")));
      break;
    case 7:
      node.domain = getString(reader, "NodeProto.domain");
      break;
    case 8:
      node.overload = getString(reader, "NodeProto.overload");
      break;
    default:
      reader.skip();
    }
  }
  return node;
}

static void decodeTensorType(pbf_reader reader, ValueInfo &info) {
  info.isTensor = true;
  while (reader.next()) {
    if (reader.tag() == 1) {
      info.elementType = getInt32(reader, "TypeProto.Tensor.elem_type");
    } else if (reader.tag() == 2) {
      info.hasShape = true;
      pbf_reader shape = getMessage(reader, "TypeProto.Tensor.shape");
      while (shape.next()) {
        if (shape.tag() != 1) {
          shape.skip();
          continue;
        }
        Dimension &dimension = info.dimensions.emplace_back();
        pbf_reader dim = getMessage(shape, "TensorShapeProto.dim");
        while (dim.next()) {
          if (dim.tag() == 1)
            dimension.size = getInt(dim, "TensorShapeProto.dim_value");
          else if (dim.tag() == 2)
            dimension.symbol = getString(dim, "TensorShapeProto.dim_param");
          else
            dim.skip();
        }
      }
    } else {
      reader.skip();
    }
  }
}

static ValueInfo decodeValueInfo(pbf_reader reader) {
  ValueInfo info;
  while (reader.next()) {
    if (reader.tag() == 1) {
      info.name = getString(reader, "ValueInfoProto.name");
    } else if (reader.tag() == 2) {
      pbf_reader type = getMessage(reader, "ValueInfoProto.type");
      while (type.next()) {
        if (type.tag() == 1)
          decodeTensorType(getMessage(type, "TypeProto.tensor_type"), info);
        else
          type.skip();
      }
    } else {
      reader.skip();
    }
  }
  return info;
}

static GraphProto decodeGraph(pbf_reader reader) {
  GraphProto graph;
  while (reader.next()) {
    switch (reader.tag()) {
    case 1:
      graph.nodes.push_back(decodeNode(getMessage(reader, "GraphProto.node")));
      break;
    case 2:
      graph.name = getString(reader, "GraphProto.name");
      break;
    case 5:
      graph.initializers.push_back(
          decodeTensor(getMessage(reader, "GraphProto.initializer")));
      break;
    case 11:
      graph.inputs.push_back(
          decodeValueInfo(getMessage(reader, "GraphProto.input")));
      break;
    case 12:
      graph.outputs.push_back(
          decodeValueInfo(getMessage(reader, "GraphProto.output")));
      break;
    case 13:
      graph.values.push_back(
          decodeValueInfo(getMessage(reader, "GraphProto.value_info")));
      break;
    case 15:
      graph.hasSparseInitializers = true;
      reader.skip();
      break;
    default:
      reader.skip();
    }
  }
  return graph;
}

static OperatorSet decodeOperatorSet(pbf_reader reader) {
  OperatorSet set;
  while (reader.next()) {
    if (reader.tag() == 1)
      set.domain = getString(reader, "OperatorSetIdProto.domain");
    else if (reader.tag() == 2)
      set.version = getInt(reader, "OperatorSetIdProto.version");
    else
      reader.skip();
  }
  return set;
}

static FunctionProto decodeFunction(pbf_reader reader) {
  FunctionProto function;
  while (reader.next()) {
    switch (reader.tag()) {
    case 1:
      function.name = getString(reader, "FunctionProto.name");
      break;
    case 4:
      function.inputs.push_back(getString(reader, "FunctionProto.input"));
      break;
    case 5:
      function.outputs.push_back(getString(reader, "FunctionProto.output"));
      break;
    case 7:
      function.nodes.push_back(
          decodeNode(getMessage(reader, "FunctionProto.node")));
      break;
    case 9:
      function.operatorSets.push_back(
          decodeOperatorSet(getMessage(reader, "FunctionProto.opset_import")));
      break;
    case 10:
      function.domain = getString(reader, "FunctionProto.domain");
      break;
    case 11:
      function.defaults.push_back(
          decodeAttribute(getMessage(reader, "FunctionProto.attribute_proto")));
      break;
    case 13:
      function.overload = getString(reader, "FunctionProto.overload");
      break;
    default:
      reader.skip();
    }
  }
  return function;
}

static ModelProto decode(pbf_reader reader) {
  ModelProto model;
  while (reader.next()) {
    switch (reader.tag()) {
    case 1:
      model.irVersion = getInt(reader, "ModelProto.ir_version");
      break;
    case 7:
      if (model.graph)
        throw DecodeError{"field ModelProto.graph stands twice"};
      model.graph = decodeGraph(getMessage(reader, "ModelProto.graph"));
      break;
    case 8:
      model.operatorSets.push_back(
          decodeOperatorSet(getMessage(reader, "ModelProto.opset_import")));
      break;
    case 25:
      model.functions.push_back(
          decodeFunction(getMessage(reader, "ModelProto.functions")));
      break;
    default:
      reader.skip();
    }
  }
  return model;
}

/// Whether a file begins with text. An ONNX model begins with the head of a
/// field, whose byte is a control character for each of the first fields.
static bool beginsWithText(StringRef bytes) {
  constexpr size_t kStart = 16;
  auto isText = [](char c) {
    return llvm::isPrint(c) || llvm::isSpace(c) || (c & 0x80);
  };
  return bytes.size() >= 2 && llvm::all_of(bytes.take_front(kStart), isText) &&
         (llvm::isPrint(bytes[0]) || llvm::isPrint(bytes[1]));
}

/// Whether the last field of a whole file needs more bytes than there are.
static bool endsInField(StringRef bytes) {
  try {
    pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next())
      reader.skip();
  } catch (const protozero::end_of_buffer_exception &) {
    return true;
  } catch (const protozero::exception &) {
  }
  return false;
}

/// Returns the result of `decode` for the bytes, or an error. If the bytes are
/// all of a file, the error also says how the file looks otherwise.
template <typename Function>
static auto guard(StringRef bytes, bool isWhole, Function decode)
    -> llvm::Expected<decltype(decode(pbf_reader()))> {
  bool isText = isWhole && beginsWithText(bytes);
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError(
        "the file is no ONNX model: " +
        llvm::Twine(isText ? "it begins with text, and " : "") + message);
  };
  // A field does not begin with a byte of 0. The check reads one page alone,
  // since a sparse file may have gigabytes of zeros.
  StringRef start = bytes.take_front(4096);
  if (!start.empty() && start.find_first_not_of('\0') == start.npos)
    return fail("it begins with " + llvm::Twine(start.size()) + " bytes of 0");
  try {
    return decode(pbf_reader(bytes.data(), bytes.size()));
  } catch (const DecodeError &error) {
    return fail(error.message);
  } catch (const protozero::end_of_buffer_exception &) {
    return fail(llvm::Twine("a field is longer than the message that it stands "
                            "in") +
                (isWhole && !isText && endsInField(bytes)
                     ? "; the file ends in the middle of a field: it may be "
                       "truncated"
                     : ""));
  } catch (const protozero::varint_too_long_exception &) {
    return fail("a number has more than the 10 bytes that a varint may have");
  } catch (const protozero::unknown_pbf_wire_type_exception &) {
    return fail("a field has a wire type that is none of 0, 1, 2 and 5");
  } catch (const protozero::invalid_tag_exception &) {
    return fail("a field has number 0, or one between 19000 and 19999");
  } catch (const protozero::exception &error) {
    return fail(error.what());
  }
}

//===----------------------------------------------------------------------===//
// Wanting
//===----------------------------------------------------------------------===//

namespace {
/// The messages of ONNX's format that lie on the way from a model to the
/// elements of its tensors.
enum class Message { Model, Graph, Node, Attribute, Tensor };
} // namespace

/// Returns the message in field `number` of `message`, or nothing if the field
/// does not lead to elements.
static std::optional<Message> findMessage(Message message, uint64_t number) {
  switch (message) {
  case Message::Model:
    return number == 7 ? std::optional(Message::Graph) : std::nullopt;
  case Message::Graph:
    if (number == 1)
      return Message::Node;
    return number == 5 ? std::optional(Message::Tensor) : std::nullopt;
  case Message::Node:
    return number == 5 ? std::optional(Message::Attribute) : std::nullopt;
  case Message::Attribute:
    return number == 5 ? std::optional(Message::Tensor) : std::nullopt;
  case Message::Tensor:
    break;
  }
  return std::nullopt;
}

namespace {
/// A field of a message. A number has no content.
struct Field {
  uint64_t number;
  StringRef content;
};
} // namespace

/// Takes a field from the front of a message in a file, and reads only the
/// field's head. Returns nothing if the bytes are not a field.
static std::optional<Field> takeField(StringRef &bytes) {
  // A head consists of at most two varints.
  constexpr size_t mostHead = 20;
  dml::FileMemory::want(bytes.take_front(mostHead));
  const char *error = nullptr;
  auto takeNumber = [&] {
    unsigned size = 0;
    uint64_t number = llvm::decodeULEB128(bytes.bytes_begin(), &size,
                                          bytes.bytes_end(), &error);
    bytes = bytes.drop_front(error ? 0 : size);
    return number;
  };
  uint64_t tag = takeNumber(), size = 0;
  auto type = static_cast<pbf_wire_type>(tag & 7);
  if (type == pbf_wire_type::varint)
    (void)takeNumber();
  else if (type == pbf_wire_type::length_delimited)
    size = takeNumber();
  else if (type == pbf_wire_type::fixed64)
    size = 8;
  else if (type == pbf_wire_type::fixed32)
    size = 4;
  else
    return std::nullopt;
  if (error || size > bytes.size())
    return std::nullopt;
  StringRef content = bytes.take_front(size);
  bytes = bytes.drop_front(size);
  return Field{tag >> 3, content};
}

/// Reads all bytes of a message in a file, except for the elements of large
/// tensors, which are in the field raw_data. The decoder later reports errors
/// of invalid messages.
static void wantMessage(StringRef bytes, Message message) {
  constexpr size_t large = 4096;
  while (!bytes.empty()) {
    std::optional<Field> field = takeField(bytes);
    if (!field)
      return dml::FileMemory::want(bytes);
    std::optional<Message> inner = findMessage(message, field->number);
    bool isLarge = field->content.size() > large;
    if (isLarge && inner)
      wantMessage(field->content, *inner);
    else if (!isLarge || message != Message::Tensor || field->number != 9)
      dml::FileMemory::want(field->content);
  }
}

llvm::Expected<ModelProto> dml::onnx::decodeModel(StringRef file) {
  if (FileMemory::find(file.data()))
    wantMessage(file, Message::Model);
  return guard(file, /*isWhole=*/true,
               [](pbf_reader reader) { return decode(reader); });
}

llvm::Expected<std::shared_ptr<const GraphProto>>
dml::onnx::getInnerGraph(const AttributeProto &attribute) {
  if (attribute.built)
    return attribute.built;
  llvm::Expected<GraphProto> graph =
      guard(attribute.g, /*isWhole=*/false,
            [](pbf_reader reader) { return decodeGraph(reader); });
  if (!graph)
    return graph.takeError();
  return std::make_shared<const GraphProto>(std::move(*graph));
}
