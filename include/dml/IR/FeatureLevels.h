//===- FeatureLevels.h - What DirectML supports at each level ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The tables that the ODS descriptions of the operators generate, and queries
// on them that need no knowledge of any operator.
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_FEATURELEVELS_H
#define DML_IR_FEATURELEVELS_H

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

#include "dml/IR/DMLEnums.h.inc"

namespace dml {

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// The newest level; it holds where no `dml.target` says otherwise.
inline constexpr FeatureLevel newestFeatureLevel = FeatureLevel::fl_6_4;

/// When a level appeared.
struct FeatureLevelInfo {
  FeatureLevel level;
  /// The first widely released DirectML that supports it.
  llvm::StringLiteral directMLVersion;
  /// The Windows that first carried that DirectML as a system component, or "".
  llvm::StringLiteral windowsRelease;
};

/// All feature levels, oldest first.
llvm::ArrayRef<FeatureLevelInfo> getFeatureLevels();

/// The facts about `level`.
const FeatureLevelInfo &getFeatureLevelInfo(FeatureLevel level);

/// The first Windows whose system component supports `level`, or "" if none
/// does.
llvm::StringRef getFirstWindowsRelease(FeatureLevel level);

/// "5_1" for fl_5_1.
llvm::StringRef getFeatureLevelNumber(FeatureLevel level);

/// The level written `5_1` or `fl_5_1`.
std::optional<FeatureLevel> parseFeatureLevel(llvm::StringRef text);

/// "'7_0' is no feature level, wants one of 1_0, ..., 6_4": what to tell the
/// author of an option that parseFeatureLevel does not understand.
std::string describeUnknownFeatureLevel(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// Data types
//===----------------------------------------------------------------------===//

/// The bit of `type` in TensorSupport::dataTypes.
constexpr uint32_t dataTypeBit(DataType type) {
  return uint32_t(1) << static_cast<uint32_t>(type);
}

/// All data types in DirectML's order.
llvm::ArrayRef<DataType> getDataTypes();

/// The DirectML data type of a tensor's element type, if it has one: FLOATn is
/// fn, INTn is the signless in, UINTn is uin.
std::optional<DataType> getDataType(mlir::Type elementType);

/// The element type of a DirectML data type.
mlir::Type getElementType(DataType type, mlir::MLIRContext *context);

//===----------------------------------------------------------------------===//
// Support tables
//===----------------------------------------------------------------------===//

/// What one tensor of an operator may be at one level.
struct TensorSupport {
  /// Name of the operand or result.
  llvm::StringLiteral tensor;
  /// Inclusive range of DimensionCount.
  uint8_t minRank, maxRank;
  /// The data types that the tensor may have: one dataTypeBit for each.
  uint32_t dataTypes;

  bool supportsRank(int64_t rank) const {
    return minRank <= rank && rank <= maxRank;
  }
  bool supportsDataType(DataType type) const {
    return dataTypes & dataTypeBit(type);
  }
};

/// A tensor of an operator: an operand or a result, under its ODS name.
struct TensorInfo {
  enum class Count { One, Optional, Variadic };

  llvm::StringLiteral name;
  Count count;
  bool isResult;
  /// Tensors with the same number have the same element type; 0 stands for a
  /// type of its own.
  uint8_t typeGroup;
  /// Tensors with the same number have the same sizes; 0 stands for sizes of
  /// its own.
  uint8_t shapeGroup;
};

/// A row of an operator's table; it holds from `level` on, until a newer row
/// of the same cases replaces it. Tensors stand in the order of
/// OperatorSupport::tensors.
struct LevelSupport {
  FeatureLevel level;
  llvm::ArrayRef<TensorSupport> tensors;
  /// The values of the attribute OperatorSupport::selector that the row is for:
  /// one bit for each. All bits are set where the operator has no selector.
  uint32_t cases = ~uint32_t(0);
};

/// A case of an enum attribute.
struct EnumCaseSupport {
  llvm::StringLiteral attribute;
  llvm::StringLiteral enumCase;
  uint32_t value;
  /// The attribute in MLIR's syntax.
  llvm::StringLiteral syntax;
  /// It exists from here on, if the operator does.
  FeatureLevel level;
  /// The page that says so, or "" for the operator's own page.
  llvm::StringLiteral source;
};

/// What an array attribute, or the attribute of one axis, holds. Generic code
/// verifies it.
struct ArraySupport {
  enum class Kind {
    /// The array has one value for each dimension of the tensor `tensor` from
    /// `firstDimension` on. `neutral` is the value with which the operator
    /// leaves a dimension as it is.
    PerDimension,
    /// Dimensions of the tensor `tensor`, each at most once.
    Axes,
    /// `length` values, for instance one for each of two spatial dimensions.
    Fixed,
    /// The array has as many values as the operator's own verifier wants.
    Free,
  };

  llvm::StringLiteral attribute;
  Kind kind;
  llvm::StringLiteral tensor;
  unsigned firstDimension;
  unsigned length;
  /// Inclusive bounds of integer values.
  int64_t min, max;
  std::optional<int64_t> neutral;
};

/// Something that an op of the operator may be from `level` on, and that no
/// table says (FeatureLevelOpInterface::meetsCondition).
struct RuleSupport {
  llvm::StringLiteral name;
  /// What such an op is: "one of scale and bias is absent".
  llvm::StringLiteral found;
  /// What older levels want instead: "both or neither".
  llvm::StringLiteral wanted;
  FeatureLevel level;
};

/// Whether rewrites may change the ranks of an operator's tensors.
enum class RankChange {
  /// They may not: nothing is known of the operator's dimensions.
  Never,
  /// They may: the operator treats each dimension by itself, as its arrays of
  /// Kind::PerDimension say, and leaves those alone that its arrays of
  /// Kind::Axes do not list. Where it has neither, it leaves all of them alone.
  Independent,
};

/// One thing that an op needs of its feature level.
struct Requirement {
  enum class Kind {
    /// The operator itself.
    Operator,
    /// A case of the enum attribute `subject`; `value` is its numeric value.
    EnumCase,
    /// The DataType `value` of the tensor `subject`.
    DataType,
    /// `value` dimensions of the tensor `subject`.
    Rank,
    /// What the rule `subject` keeps from older levels.
    Rule,
  };
  Kind kind = Kind::Operator;
  llvm::StringRef subject = {};
  int64_t value = 0;
  /// The number of the one that is meant, where `subject` names several
  /// tensors.
  std::optional<unsigned> position = std::nullopt;
  /// The value of the attribute OperatorSupport::selector, if the op has it.
  std::optional<uint32_t> selected = std::nullopt;

  bool operator==(const Requirement &other) const {
    return kind == other.kind && subject == other.subject &&
           value == other.value && position == other.position &&
           selected == other.selected;
  }
  /// "input", or "inputs[2]".
  std::string getSubject() const;
};

/// "operator", "enum-case", "data-type", "rank" or "rule".
llvm::StringRef stringifyRequirementKind(Requirement::Kind kind);

/// An operator's support table.
struct OperatorSupport {
  /// The DML_OPERATOR_TYPE enumerator, and another one of the same value, or
  /// "".
  llvm::StringLiteral operatorType;
  llvm::StringLiteral otherType;
  /// The operands, then the results, in the order of ODS.
  llvm::ArrayRef<TensorInfo> tensors;
  /// Newest first; the last one introduced the operator.
  llvm::ArrayRef<LevelSupport> levels;
  /// The enum attribute that rows depend on, or "".
  llvm::StringLiteral selector;
  llvm::ArrayRef<EnumCaseSupport> enumCases;
  llvm::ArrayRef<ArraySupport> arrays;
  llvm::ArrayRef<RuleSupport> rules;
  RankChange rankChange;
  /// The page that the table comes from.
  llvm::StringLiteral source;

  FeatureLevel getIntroducedLevel() const { return levels.back().level; }

  /// The facts about the tensor `name`, or null.
  const TensorInfo *getTensorInfo(llvm::StringRef name) const;

  /// The row that holds at `level` where the selector has the value `selected`,
  /// or null below the level that introduced it. Without a value, a row of any
  /// case.
  const LevelSupport *
  getRow(FeatureLevel level,
         std::optional<uint32_t> selected = std::nullopt) const;

  /// What the tensor `name` may be at `level`, or null.
  const TensorSupport *
  getTensor(llvm::StringRef name, FeatureLevel level,
            std::optional<uint32_t> selected = std::nullopt) const;

  /// The case of `attribute` with the numeric value `value`, or null.
  const EnumCaseSupport *getEnumCase(llvm::StringRef attribute,
                                     int64_t value) const;

  /// The rule `name`, or null.
  const RuleSupport *getRule(llvm::StringRef name) const;

  bool supports(const Requirement &requirement, FeatureLevel level) const;

  /// The oldest level that supports `requirement`, if any does.
  std::optional<FeatureLevel>
  getMinimumLevel(const Requirement &requirement) const;

  /// What the op has: "input has rank 3", "mode is wrap". An operator itself
  /// reads "DML_OPERATOR_PADDING".
  std::string describe(const Requirement &requirement) const;

  /// The value alone: "rank 3", "i64", "wrap".
  std::string describeValue(const Requirement &requirement) const;

  /// Why `level` is too old: "input has rank 3, but feature level 2_1 supports
  /// rank 4 to 5 (rank 3 needs 3_1)".
  std::string describeViolation(const Requirement &requirement,
                                FeatureLevel level) const;

  /// The page that the facts about `requirement` are written on.
  llvm::StringRef getSource(const Requirement &requirement) const;
};

} // namespace dml

#endif // DML_IR_FEATURELEVELS_H
