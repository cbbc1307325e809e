//===- ModelMutator.cpp - Spoiling ONNX models ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A model is a tree of Protocol Buffers messages. The table below lists the
// fields that are messages. All other fields are numbers, or bytes of names or
// elements. A mutation changes a field anywhere in the tree.
//
//===----------------------------------------------------------------------===//

#include "Testing/Mutation/ModelMutator.h"
#include "Testing/Mutation/Mutator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/LEB128.h"
#include <cstring>
#include <vector>

using llvm::ArrayRef;
using llvm::StringRef;

namespace dml::fuzz {
namespace {

/// The messages of onnx.proto that the importer reads. `Leaf` stands for bytes
/// that are not such a message.
enum class Kind {
  Leaf,
  Model,
  Graph,
  Node,
  Attribute,
  Tensor,
  Entry,
  ValueInfo,
  Type,
  TensorType,
  TensorShape,
  Dimension,
  OperatorSet,
  Function,
};

/// States that field `number` of a message of kind `parent` has the kind
/// `child`.
struct MessageField {
  Kind parent;
  uint32_t number;
  Kind child;
};

constexpr MessageField messageFields[] = {
    {Kind::Model, 7, Kind::Graph},
    {Kind::Model, 8, Kind::OperatorSet},
    {Kind::Model, 25, Kind::Function},
    {Kind::Graph, 1, Kind::Node},
    {Kind::Graph, 5, Kind::Tensor},
    {Kind::Graph, 11, Kind::ValueInfo},
    {Kind::Graph, 12, Kind::ValueInfo},
    {Kind::Graph, 13, Kind::ValueInfo},
    {Kind::Node, 5, Kind::Attribute},
    {Kind::Attribute, 5, Kind::Tensor},
    {Kind::Attribute, 6, Kind::Graph},
    {Kind::Tensor, 13, Kind::Entry},
    {Kind::ValueInfo, 2, Kind::Type},
    {Kind::Type, 1, Kind::TensorType},
    {Kind::TensorType, 2, Kind::TensorShape},
    {Kind::TensorShape, 1, Kind::Dimension},
    {Kind::Function, 7, Kind::Node},
    {Kind::Function, 9, Kind::OperatorSet},
    {Kind::Function, 11, Kind::Attribute},
};

/// The wire types of Protocol Buffers.
enum Wire : uint32_t { Varint = 0, Fixed64 = 1, Delimited = 2, Fixed32 = 5 };

struct Field {
  uint32_t number = 0;
  Wire wire = Varint;
  /// The value of a varint field.
  uint64_t varint = 0;
  /// The bytes of any other field that is no message.
  std::string bytes;
  /// The fields of a field that is a message.
  Kind kind = Kind::Leaf;
  std::vector<Field> fields;
};

Kind getChild(Kind parent, uint32_t number) {
  for (const MessageField &field : messageFields)
    if (field.parent == parent && field.number == number)
      return field.child;
  return Kind::Leaf;
}

/// Removes a varint from the front of `bytes`. Fails if there is none.
bool takeVarint(StringRef &bytes, uint64_t &value) {
  unsigned length = 0;
  const char *error = nullptr;
  value = llvm::decodeULEB128(bytes.bytes_begin(), &length, bytes.bytes_end(),
                              &error);
  if (error)
    return false;
  bytes = bytes.drop_front(length);
  return true;
}

/// Reads the fields of a message. Fails if `bytes` are no message.
bool parse(StringRef bytes, Kind kind, std::vector<Field> &fields) {
  while (!bytes.empty()) {
    uint64_t tag = 0;
    if (!takeVarint(bytes, tag))
      return false;
    Field field;
    field.number = static_cast<uint32_t>(tag >> 3);
    field.wire = static_cast<Wire>(tag & 7);
    uint64_t length = 0;
    switch (field.wire) {
    case Varint:
      if (!takeVarint(bytes, field.varint))
        return false;
      break;
    case Fixed64:
    case Fixed32:
      length = field.wire == Fixed64 ? 8 : 4;
      break;
    case Delimited:
      if (!takeVarint(bytes, length))
        return false;
      break;
    default:
      return false;
    }
    if (length > bytes.size())
      return false;
    StringRef content = bytes.take_front(length);
    bytes = bytes.drop_front(length);
    Kind child = getChild(kind, field.number);
    if (field.wire == Delimited && child != Kind::Leaf &&
        parse(content, child, field.fields))
      field.kind = child;
    else
      field.bytes = content.str();
    fields.push_back(std::move(field));
  }
  return true;
}

void writeVarint(std::string &to, uint64_t value) {
  uint8_t buffer[10];
  unsigned length = llvm::encodeULEB128(value, buffer);
  to.append(reinterpret_cast<const char *>(buffer), length);
}

std::string write(ArrayRef<Field> fields) {
  std::string bytes;
  for (const Field &field : fields) {
    writeVarint(bytes, uint64_t(field.number) << 3 | field.wire);
    if (field.wire == Varint) {
      writeVarint(bytes, field.varint);
      continue;
    }
    std::string content =
        field.kind == Kind::Leaf ? field.bytes : write(field.fields);
    if (field.wire == Delimited)
      writeVarint(bytes, content.size());
    bytes += content;
  }
  return bytes;
}

/// The place of a field: a list of fields, and the position in it.
struct Place {
  std::vector<Field> *list;
  size_t index;
  Field &get() const { return (*list)[index]; }
};

void collect(std::vector<Field> &fields, std::vector<Place> &places) {
  for (size_t index = 0; index < fields.size(); ++index) {
    places.push_back({&fields, index});
    collect(fields[index].fields, places);
  }
}

uint64_t drawNumber(uint64_t number, Random &random) {
  static constexpr uint64_t extremes[] = {0,
                                          1,
                                          2,
                                          3,
                                          7,
                                          9,
                                          11,
                                          16,
                                          255,
                                          65536,
                                          0x7fffffff,
                                          0x80000000,
                                          0xffffffff,
                                          uint64_t(1) << 62,
                                          0x7fffffffffffffff,
                                          0x8000000000000000,
                                          ~uint64_t(0),
                                          ~uint64_t(1)};
  if (random.oneIn(2))
    return random.pick(ArrayRef(extremes));
  return number + random.between(-4, 4);
}

/// Changes the bytes of a field, which may be a name, packed numbers or
/// elements.
void spoilLeaf(Field &field, ArrayRef<Place> places, Random &random) {
  switch (random.between(0, 5)) {
  case 0:
    field.bytes.clear();
    break;
  case 1: {
    // Reads the bytes as packed numbers, and changes one.
    std::vector<uint64_t> numbers;
    StringRef rest = field.bytes;
    uint64_t number = 0;
    while (!rest.empty() && takeVarint(rest, number))
      numbers.push_back(number);
    if (!rest.empty() || numbers.empty())
      break;
    size_t at = random.between(0, numbers.size() - 1);
    numbers[at] = drawNumber(numbers[at], random);
    field.bytes.clear();
    for (uint64_t each : numbers)
      writeVarint(field.bytes, each);
    break;
  }
  case 2:
    field.bytes = spoilBytes(field.bytes, random);
    break;
  default: {
    // Takes the bytes of another field: another name, operator or list.
    const Field &other = places[random.between(0, places.size() - 1)].get();
    if (other.kind == Kind::Leaf && other.wire == field.wire)
      field.bytes = other.bytes;
  }
  }
}

void spoilFixed(Field &field, Random &random) {
  static constexpr float numbers[] = {0.0f, -0.0f, 1.0f,   -1.0f,
                                      0.5f, 2.5f,  1e-40f, 3e38f};
  float number = random.pick(ArrayRef(numbers));
  if (random.oneIn(3))
    number = random.oneIn(2) ? __builtin_inff() : __builtin_nanf("");
  if (field.bytes.size() == sizeof(float))
    std::memcpy(field.bytes.data(), &number, sizeof(float));
}

void spoilField(ArrayRef<Place> places, Random &random) {
  Place place = places[random.between(0, places.size() - 1)];
  std::vector<Field> &list = *place.list;
  Field &field = place.get();
  switch (random.between(0, 9)) {
  case 0:
    list.erase(list.begin() + place.index);
    return;
  case 1: {
    Field copy = field;
    list.insert(list.begin() + random.between(0, list.size()), std::move(copy));
    return;
  }
  case 2:
    std::swap(field, list[random.between(0, list.size() - 1)]);
    return;
  case 3: {
    // Takes the whole message or value of another field.
    const Field &other = places[random.between(0, places.size() - 1)].get();
    if (other.kind == field.kind && other.wire == field.wire) {
      Field copy = other;
      copy.number = field.number;
      field = std::move(copy);
    }
    return;
  }
  default:
    if (field.kind != Kind::Leaf)
      return;
    if (field.wire == Varint)
      field.varint = drawNumber(field.varint, random);
    else if (field.wire == Delimited)
      spoilLeaf(field, places, random);
    else
      spoilFixed(field, random);
  }
}

/// Removes the types that the graph's outputs are declared to have.
void dropDeclarations(std::vector<Field> &model) {
  constexpr uint32_t outputs = 12, type = 2;
  for (Field &graph : model)
    if (graph.kind == Kind::Graph)
      for (Field &output : graph.fields)
        if (output.number == outputs && output.kind == Kind::ValueInfo)
          llvm::erase_if(output.fields, [](const Field &field) {
            return field.number == type;
          });
}

} // namespace

std::string spoilModel(StringRef bytes, Random &random) {
  std::vector<Field> model;
  if (random.oneIn(50) || !parse(bytes, Kind::Model, model))
    return spoilBytes(bytes, random);
  // Half of the models lose the declared types of their results. With these,
  // the importer would reject most of the changes below as mismatches.
  if (random.oneIn(2))
    dropDeclarations(model);
  for (int64_t count = random.between(1, 4); count-- > 0;) {
    std::vector<Place> places;
    collect(model, places);
    if (!places.empty())
      spoilField(places, random);
  }
  return write(model);
}

} // namespace dml::fuzz
