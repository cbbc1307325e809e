//===- FeatureLevels.cpp - What DirectML supports at each level -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/FeatureLevels.h"
#include "dml/IR/DML.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

#include "dml/IR/DMLEnums.cpp.inc"

namespace dml {

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

llvm::ArrayRef<FeatureLevelInfo> getFeatureLevels() {
  return TargetAttr::getFeatureLevels();
}

const FeatureLevelInfo &getFeatureLevelInfo(FeatureLevel level) {
  return *llvm::find_if(getFeatureLevels(), [&](const FeatureLevelInfo &info) {
    return info.level == level;
  });
}

llvm::StringRef getFirstWindowsRelease(FeatureLevel level) {
  for (const FeatureLevelInfo &info : getFeatureLevels())
    if (info.level >= level && !info.windowsRelease.empty())
      return info.windowsRelease;
  return {};
}

llvm::StringRef getFeatureLevelNumber(FeatureLevel level) {
  llvm::StringRef name = stringifyFeatureLevel(level);
  name.consume_front("fl_");
  return name;
}

std::optional<FeatureLevel> parseFeatureLevel(llvm::StringRef text) {
  text.consume_front("fl_");
  return symbolizeFeatureLevel(("fl_" + text).str());
}

std::string describeUnknownFeatureLevel(llvm::StringRef text) {
  std::string message;
  llvm::raw_string_ostream os(message);
  os << "'" << text << "' is no feature level, wants one of ";
  llvm::interleaveComma(getFeatureLevels(), os,
                        [&](const FeatureLevelInfo &info) {
                          os << getFeatureLevelNumber(info.level);
                        });
  return message;
}

//===----------------------------------------------------------------------===//
// Data types
//===----------------------------------------------------------------------===//

llvm::ArrayRef<DataType> getDataTypes() {
  // DirectML numbers the types consecutively from 1 on; 0 is invalid.
  static const auto types = [] {
    llvm::SmallVector<DataType> types;
    for (uint32_t value = 1; auto type = symbolizeDataType(value); ++value)
      types.push_back(*type);
    return types;
  }();
  return types;
}

std::optional<DataType> getDataType(Type elementType) {
  if (elementType.isF64())
    return DataType::FLOAT64;
  if (elementType.isF32())
    return DataType::FLOAT32;
  if (elementType.isF16())
    return DataType::FLOAT16;
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || integer.isSigned())
    return std::nullopt;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 64:
    return isUnsigned ? DataType::UINT64 : DataType::INT64;
  case 32:
    return isUnsigned ? DataType::UINT32 : DataType::INT32;
  case 16:
    return isUnsigned ? DataType::UINT16 : DataType::INT16;
  case 8:
    return isUnsigned ? DataType::UINT8 : DataType::INT8;
  case 4:
    return isUnsigned ? DataType::UINT4 : DataType::INT4;
  default:
    return std::nullopt;
  }
}

Type getElementType(DataType type, MLIRContext *context) {
  auto unsignedType = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case DataType::FLOAT64:
    return Float64Type::get(context);
  case DataType::FLOAT32:
    return Float32Type::get(context);
  case DataType::FLOAT16:
    return Float16Type::get(context);
  case DataType::INT64:
    return IntegerType::get(context, 64);
  case DataType::INT32:
    return IntegerType::get(context, 32);
  case DataType::INT16:
    return IntegerType::get(context, 16);
  case DataType::INT8:
    return IntegerType::get(context, 8);
  case DataType::INT4:
    return IntegerType::get(context, 4);
  case DataType::UINT64:
    return unsignedType(64);
  case DataType::UINT32:
    return unsignedType(32);
  case DataType::UINT16:
    return unsignedType(16);
  case DataType::UINT8:
    return unsignedType(8);
  case DataType::UINT4:
    return unsignedType(4);
  }
  llvm_unreachable("unknown data type");
}

//===----------------------------------------------------------------------===//
// Support tables
//===----------------------------------------------------------------------===//

llvm::StringRef stringifyRequirementKind(Requirement::Kind kind) {
  switch (kind) {
  case Requirement::Kind::Operator:
    return "operator";
  case Requirement::Kind::EnumCase:
    return "enum-case";
  case Requirement::Kind::DataType:
    return "data-type";
  case Requirement::Kind::Rank:
    return "rank";
  case Requirement::Kind::Rule:
    return "rule";
  }
  llvm_unreachable("unknown kind of requirement");
}

std::string Requirement::getSubject() const {
  std::string text = subject.str();
  if (position)
    text += "[" + std::to_string(*position) + "]";
  return text;
}

const TensorInfo *OperatorSupport::getTensorInfo(llvm::StringRef name) const {
  const TensorInfo *info = llvm::find_if(
      tensors, [&](const TensorInfo &info) { return info.name == name; });
  return info == tensors.end() ? nullptr : info;
}

const LevelSupport *
OperatorSupport::getRow(FeatureLevel level,
                        std::optional<uint32_t> selected) const {
  const LevelSupport *row = llvm::find_if(levels, [&](const LevelSupport &row) {
    return row.level <= level &&
           (!selected || (*selected < 32 && (row.cases >> *selected) & 1));
  });
  return row == levels.end() ? nullptr : row;
}

const TensorSupport *
OperatorSupport::getTensor(llvm::StringRef name, FeatureLevel level,
                           std::optional<uint32_t> selected) const {
  if (const LevelSupport *row = getRow(level, selected))
    for (const TensorSupport &tensor : row->tensors)
      if (tensor.tensor == name)
        return &tensor;
  return nullptr;
}

const EnumCaseSupport *OperatorSupport::getEnumCase(llvm::StringRef attribute,
                                                    int64_t value) const {
  for (const EnumCaseSupport &enumCase : enumCases)
    if (enumCase.attribute == attribute && enumCase.value == value)
      return &enumCase;
  return nullptr;
}

const RuleSupport *OperatorSupport::getRule(llvm::StringRef name) const {
  for (const RuleSupport &rule : rules)
    if (rule.name == name)
      return &rule;
  return nullptr;
}

bool OperatorSupport::supports(const Requirement &requirement,
                               FeatureLevel level) const {
  if (!getRow(level, requirement.selected))
    return false;
  const TensorSupport *tensor =
      getTensor(requirement.subject, level, requirement.selected);
  switch (requirement.kind) {
  case Requirement::Kind::Operator:
    return true;
  case Requirement::Kind::EnumCase: {
    const EnumCaseSupport *enumCase =
        getEnumCase(requirement.subject, requirement.value);
    return enumCase && enumCase->level <= level;
  }
  case Requirement::Kind::DataType:
    return tensor &&
           tensor->supportsDataType(static_cast<DataType>(requirement.value));
  case Requirement::Kind::Rank:
    return tensor && tensor->supportsRank(requirement.value);
  case Requirement::Kind::Rule: {
    const RuleSupport *rule = getRule(requirement.subject);
    return rule && rule->level <= level;
  }
  }
  llvm_unreachable("unknown kind of requirement");
}

std::optional<FeatureLevel>
OperatorSupport::getMinimumLevel(const Requirement &requirement) const {
  for (const FeatureLevelInfo &info : getFeatureLevels())
    if (supports(requirement, info.level))
      return info.level;
  return std::nullopt;
}

std::string
OperatorSupport::describeValue(const Requirement &requirement) const {
  switch (requirement.kind) {
  case Requirement::Kind::Operator:
    return operatorType.str();
  case Requirement::Kind::EnumCase:
    if (const EnumCaseSupport *enumCase =
            getEnumCase(requirement.subject, requirement.value))
      return enumCase->enumCase.str();
    return std::to_string(requirement.value);
  case Requirement::Kind::DataType:
    return stringifyDataType(static_cast<DataType>(requirement.value)).str();
  case Requirement::Kind::Rank:
    return "rank " + std::to_string(requirement.value);
  case Requirement::Kind::Rule:
    return "this";
  }
  llvm_unreachable("unknown kind of requirement");
}

std::string OperatorSupport::describe(const Requirement &requirement) const {
  std::string value = describeValue(requirement);
  switch (requirement.kind) {
  case Requirement::Kind::Operator:
    return value;
  case Requirement::Kind::EnumCase:
    return (requirement.subject + " is " + value).str();
  case Requirement::Kind::DataType:
    return requirement.getSubject() + " has element type " + value;
  case Requirement::Kind::Rank:
    return requirement.getSubject() + " has " + value;
  case Requirement::Kind::Rule:
    if (const RuleSupport *rule = getRule(requirement.subject))
      return rule->found.str();
    return requirement.subject.str();
  }
  llvm_unreachable("unknown kind of requirement");
}

std::string OperatorSupport::describeViolation(const Requirement &requirement,
                                               FeatureLevel level) const {
  std::string message;
  llvm::raw_string_ostream os(message);
  if (getRow(level, requirement.selected))
    os << describe(requirement) << ", but feature level "
       << getFeatureLevelNumber(level);
  else
    os << "is not in feature level " << getFeatureLevelNumber(level);
  const TensorSupport *tensor =
      getTensor(requirement.subject, level, requirement.selected);
  if (requirement.kind == Requirement::Kind::EnumCase) {
    os << " supports ";
    llvm::interleaveComma(
        llvm::make_filter_range(enumCases,
                                [&](const EnumCaseSupport &enumCase) {
                                  return enumCase.attribute ==
                                             requirement.subject &&
                                         enumCase.level <= level;
                                }),
        os, [&](const EnumCaseSupport &enumCase) { os << enumCase.enumCase; });
  } else if (tensor && requirement.kind == Requirement::Kind::DataType) {
    os << " supports ";
    llvm::interleaveComma(
        llvm::make_filter_range(
            getDataTypes(),
            [&](DataType type) { return tensor->supportsDataType(type); }),
        os, [&](DataType type) { os << stringifyDataType(type); });
  } else if (tensor && requirement.kind == Requirement::Kind::Rank) {
    os << " supports rank " << unsigned(tensor->minRank);
    if (tensor->maxRank != tensor->minRank)
      os << " to " << unsigned(tensor->maxRank);
  } else if (const RuleSupport *rule = getRule(requirement.subject);
             rule && requirement.kind == Requirement::Kind::Rule) {
    os << " wants " << rule->wanted;
  }
  if (std::optional<FeatureLevel> minimum = getMinimumLevel(requirement))
    os << " (" << describeValue(requirement) << " needs "
       << getFeatureLevelNumber(*minimum) << ")";
  else
    os << " (no feature level supports " << describeValue(requirement) << ")";
  return message;
}

llvm::StringRef
OperatorSupport::getSource(const Requirement &requirement) const {
  if (requirement.kind == Requirement::Kind::EnumCase)
    if (const EnumCaseSupport *enumCase =
            getEnumCase(requirement.subject, requirement.value);
        enumCase && !enumCase->source.empty())
      return enumCase->source;
  return source;
}

} // namespace dml
