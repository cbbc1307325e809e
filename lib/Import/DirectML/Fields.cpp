//===- Fields.cpp - The fields of DirectML's structures -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Fields.h"

#include "Memory.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::directml;

namespace {
/// The position of a tensor or attribute in a structure with an order of its
/// own.
struct MemberRow {
  llvm::StringLiteral op;
  uint8_t index;
  llvm::StringLiteral name;
};

/// A value of DML_OPERATOR_TYPE.
struct OperatorTypeRow {
  uint16_t value;
  llvm::StringLiteral op;
};

#define GET_DMLFields_IMPL
#define GET_DMLFieldCases_IMPL
#define GET_DMLMembers_IMPL
#define GET_DMLOperatorTypes_IMPL
#include "Fields.inc"
} // namespace

/// Returns the rows of `table` for the operator `op`.
template <typename Row>
static ArrayRef<Row> getRows(ArrayRef<Row> table, OperationName op) {
  StringRef name = op.stripDialect();
  auto isOther = [&](const Row &row) { return row.op != name; };
  return table.drop_while(isOther).take_until(isOther);
}

ArrayRef<FieldRow> dml::directml::getFields(OperationName op) {
  return getRows(ArrayRef<FieldRow>(DMLFields), op);
}

ArrayRef<FieldCaseRow> dml::directml::getFieldCases() { return DMLFieldCases; }

/// Returns "StartPadding" for "start_padding". Abbreviations remain in
/// capitals.
static std::string toFieldName(StringRef name) {
  std::string text;
  for (StringRef word : llvm::split(name, '_')) {
    if (word == "roi")
      text += "ROI";
    else
      text += llvm::toUpper(word.front()) + word.drop_front().str();
  }
  return text;
}

std::string dml::directml::getFieldName(const FieldRow &row) {
  // In the dialect, these attributes are just called mode.
  if (row.attribute == "mode" &&
      (row.enumName == "padding_mode" || row.enumName == "interpolation_mode"))
    return toFieldName(row.enumName);
  return toFieldName(row.attribute);
}

std::string dml::directml::getTensorFieldName(const TensorInfo &info) {
  std::string text = toFieldName(info.name);
  if (info.count != TensorInfo::Count::Variadic)
    return text + "Tensor";
  text.pop_back(); // The plural's s.
  return text + "Tensors";
}

StringRef dml::directml::getTypeField(const FieldRow &row) {
  if (row.attribute == "min" || row.attribute == "max")
    return "MinMaxDataType";
  return row.attribute == "padding_value" ? "PaddingValueDataType"
                                          : "ValueDataType";
}

std::string dml::directml::getCountField(const TensorInfo &info) {
  std::string field = getTensorFieldName(info);
  StringRef text = field;
  text.consume_back("s");
  // The numbers of JOIN's inputs and of SPLIT's outputs have a shorter name.
  if (info.name == "inputs" || info.name == "outputs")
    text.consume_back("Tensor");
  return (text + "Count").str();
}

std::string dml::directml::getOperatorType(uint32_t value) {
  for (const OperatorTypeRow &row : DMLOperatorTypes)
    if (row.value == value)
      return "DML_OPERATOR_" + row.op.upper();
  return "";
}

uint32_t dml::directml::getLastOperatorType() {
  return std::size(DMLOperatorTypes);
}

//===----------------------------------------------------------------------===//
// Structures in memory
//===----------------------------------------------------------------------===//

namespace {
/// Lays out the members of a structure one after another.
class StructureBuilder {
public:
  void add(const TensorInfo &info) {
    if (info.count == TensorInfo::Count::Variadic)
      addCount(getCountField(info));
    place<const void *>(
        {Member::Kind::Tensor, getTensorFieldName(info), &info});
  }
  void add(const FieldRow &row);
  Structure finish();

private:
  /// Adds a count before the first one of the arrays that it counts.
  void addCount(StringRef name) { addOnce(Member::Kind::Count, name); }
  void addOnce(Member::Kind kind, StringRef name) {
    if (llvm::none_of(structure.members, [&](const Member &member) {
          return member.name == name;
        }))
      place<uint32_t>({kind, name.str()});
  }
  template <typename T> void place(Member member) {
    member.offset = llvm::alignTo<alignof(T)>(structure.size);
    member.size = sizeof(T);
    structure.size = member.offset + member.size;
    alignment = std::max(alignment, alignof(T));
    structure.members.push_back(std::move(member));
  }

  Structure structure;
  size_t alignment = 1;
};
} // namespace

void StructureBuilder::add(const FieldRow &row) {
  if (!row.count.empty())
    addCount(row.count);
  if (row.kind == FieldKind::Scalar)
    addOnce(Member::Kind::DataType, getTypeField(row));
  Member member{Member::Kind::Attribute, getFieldName(row), nullptr, &row};
  switch (row.kind) {
  case FieldKind::Enum:
  case FieldKind::Bool:
  case FieldKind::Integer:
    return place<uint32_t>(std::move(member));
  case FieldKind::Float:
    return place<float>(std::move(member));
  case FieldKind::Scalar:
    return place<memory::Scalar>(std::move(member));
  case FieldKind::Integers:
    if (row.isSize2D())
      return place<memory::Size2D>(std::move(member));
    [[fallthrough]];
  case FieldKind::Floats:
  case FieldKind::ScaleBias:
  case FieldKind::Activation:
  case FieldKind::Activations:
    return place<const void *>(std::move(member));
  }
  llvm_unreachable("unknown kind of field");
}

Structure StructureBuilder::finish() {
  structure.size = llvm::alignTo(structure.size, alignment);
  return std::move(structure);
}

Structure dml::directml::getStructure(OperationName op) {
  const OperatorSupport &support = *getOperatorSupport(op);
  ArrayRef<FieldRow> rows = getFields(op);
  StructureBuilder builder;
  ArrayRef<MemberRow> order = getRows(ArrayRef<MemberRow>(DMLMembers), op);
  for (const MemberRow &member : order) {
    if (const TensorInfo *info = support.getTensorInfo(member.name))
      builder.add(*info);
    for (const FieldRow &row : rows)
      if (row.attribute == member.name)
        builder.add(row);
  }
  if (order.empty()) {
    for (const TensorInfo &info : support.tensors)
      builder.add(info);
    for (const FieldRow &row : rows)
      builder.add(row);
  }
  return builder.finish();
}
