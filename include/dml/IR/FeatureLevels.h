//===- FeatureLevels.h - What DirectML supports at each level ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The support tables, which are generated from the ODS descriptions of
// operators, and queries on these tables that work for any operator.
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

/// The newest feature level, which is the default if no `dml.target` states a
/// level.
inline constexpr FeatureLevel newestFeatureLevel = FeatureLevel::fl_6_4;

/// The releases in which a level first appeared.
struct FeatureLevelInfo {
  FeatureLevel level;
  /// The first widely released version of DirectML that supports the level.
  llvm::StringLiteral directMLVersion;
  /// The first Windows release whose system component was this version of
  /// DirectML, or "".
  llvm::StringLiteral windowsRelease;
};

/// Returns all feature levels, from the oldest to the newest.
llvm::ArrayRef<FeatureLevelInfo> getFeatureLevels();

/// Returns the releases of `level`.
const FeatureLevelInfo &getFeatureLevelInfo(FeatureLevel level);

/// Returns the first Windows release whose system component supports `level`,
/// or "" if there is none.
llvm::StringRef getFirstWindowsRelease(FeatureLevel level);

/// Returns "5_1" for fl_5_1.
llvm::StringRef getFeatureLevelNumber(FeatureLevel level);

/// Parses a level in the form `5_1` or `fl_5_1`.
std::optional<FeatureLevel> parseFeatureLevel(llvm::StringRef text);

/// Returns an error text for an option that parseFeatureLevel cannot parse:
/// "'7_0' is no feature level, wants one of 1_0, ..., 6_4".
std::string describeUnknownFeatureLevel(llvm::StringRef text);

//===----------------------------------------------------------------------===//
// Data types
//===----------------------------------------------------------------------===//

/// Returns the bit of `type` in TensorSupport::dataTypes.
constexpr uint32_t dataTypeBit(DataType type) {
  return uint32_t(1) << static_cast<uint32_t>(type);
}

/// Returns all data types in DirectML's order.
llvm::ArrayRef<DataType> getDataTypes();

/// Returns the DirectML data type of an element type, or nothing if there is
/// none: FLOATn for fn, INTn for the signless in, UINTn for uin.
std::optional<DataType> getDataType(mlir::Type elementType);

/// Returns the element type for a DirectML data type.
mlir::Type getElementType(DataType type, mlir::MLIRContext *context);

//===----------------------------------------------------------------------===//
// Support tables
//===----------------------------------------------------------------------===//

/// The types and ranks that one tensor of an operator may have at one level.
struct TensorSupport {
  /// The name of the operand or result.
  llvm::StringLiteral tensor;
  /// The inclusive range of the DimensionCount.
  uint8_t minRank, maxRank;
  /// The permitted data types: one dataTypeBit for each.
  uint32_t dataTypes;

  bool supportsRank(int64_t rank) const {
    return minRank <= rank && rank <= maxRank;
  }
  bool supportsDataType(DataType type) const {
    return dataTypes & dataTypeBit(type);
  }
};

/// A tensor of an operator: an operand or a result, identified by its ODS name.
struct TensorInfo {
  enum class Count { One, Optional, Variadic };

  llvm::StringLiteral name;
  Count count;
  bool isResult;
  /// Tensors with the same number, if it is not 0, have the same element type.
  uint8_t typeGroup;
  /// Tensors with the same number, if it is not 0, have the same sizes.
  uint8_t shapeGroup;
};

/// A row of an operator's support table. The row is valid from `level` on, up
/// to a newer row for the same cases. Its tensors have the order of
/// OperatorSupport::tensors.
struct LevelSupport {
  FeatureLevel level;
  llvm::ArrayRef<TensorSupport> tensors;
  /// The values of the attribute OperatorSupport::selector to which the row
  /// applies, as one bit each. All bits are set if the operator has no
  /// selector.
  uint32_t cases = ~uint32_t(0);
};

/// A case of an enum attribute.
struct EnumCaseSupport {
  llvm::StringLiteral attribute;
  llvm::StringLiteral enumCase;
  uint32_t value;
  /// The syntax of the attribute in MLIR.
  llvm::StringLiteral syntax;
  /// The first level at which the case exists, if the operator exists there.
  FeatureLevel level;
  /// The address of the page that documents the case, or "" for the operator's
  /// own page.
  llvm::StringLiteral source;
};

/// The constraints on an array attribute, or on the attribute for a single
/// axis. Generic code verifies them.
struct ArraySupport {
  enum class Kind {
    /// The array has one value for each dimension of the tensor `tensor` from
    /// `firstDimension` on. `neutral` is the value with which the operator
    /// leaves a dimension as it is.
    PerDimension,
    /// The array has dimensions of the tensor `tensor`, each at most once.
    Axes,
    /// The array has `length` values, for example one for each of two spatial
    /// dimensions.
    Fixed,
    /// The operator's own verifier checks the number of values.
    Free,
  };

  llvm::StringLiteral attribute;
  Kind kind;
  llvm::StringLiteral tensor;
  unsigned firstDimension;
  unsigned length;
  /// The inclusive bounds of integer values.
  int64_t min, max;
  std::optional<int64_t> neutral;
};

/// A condition on operations that requires `level`, and that the other parts of
/// the table cannot express. FeatureLevelOpInterface::meetsCondition evaluates
/// the condition.
struct RuleSupport {
  llvm::StringLiteral name;
  /// A description of an operation that meets the condition: "one of scale and
  /// bias is absent".
  llvm::StringLiteral found;
  /// A description of the operations that older levels accept: "both or
  /// neither".
  llvm::StringLiteral wanted;
  FeatureLevel level;
};

/// Whether rewrites may change the ranks of an operator's tensors.
enum class RankChange {
  /// Ranks must not change, since the meaning of the operator's dimensions is
  /// unknown.
  Never,
  /// Ranks may change. The operator treats each dimension separately, according
  /// to its arrays of Kind::PerDimension, and does not change the dimensions
  /// that its arrays of Kind::Axes do not list. Without such arrays, it does
  /// not change any dimension.
  Independent,
};

/// A property of an operation that its feature level must support.
struct Requirement {
  enum class Kind {
    /// The operator itself.
    Operator,
    /// A case of the enum attribute `subject`; `value` is its numeric value.
    EnumCase,
    /// The DataType `value` of the tensor `subject`.
    DataType,
    /// The rank `value` of the tensor `subject`.
    Rank,
    /// The condition of the rule `subject`, which older levels do not accept.
    Rule,
  };
  Kind kind = Kind::Operator;
  llvm::StringRef subject = {};
  int64_t value = 0;
  /// The index of the tensor if `subject` is variadic.
  std::optional<unsigned> position = std::nullopt;
  /// The value of the attribute OperatorSupport::selector, if the operation has
  /// it.
  std::optional<uint32_t> selected = std::nullopt;

  bool operator==(const Requirement &other) const {
    return kind == other.kind && subject == other.subject &&
           value == other.value && position == other.position &&
           selected == other.selected;
  }
  /// "input", or "inputs[2]".
  std::string getSubject() const;
};

/// Returns "operator", "enum-case", "data-type", "rank" or "rule".
llvm::StringRef stringifyRequirementKind(Requirement::Kind kind);

/// The support table of an operator.
struct OperatorSupport {
  /// The DML_OPERATOR_TYPE enumerator, and another enumerator with the same
  /// value, or "".
  llvm::StringLiteral operatorType;
  llvm::StringLiteral otherType;
  /// The operands, followed by the results, in the order of ODS.
  llvm::ArrayRef<TensorInfo> tensors;
  /// The rows from the newest to the oldest. The last row introduced the
  /// operator.
  llvm::ArrayRef<LevelSupport> levels;
  /// The enum attribute on which rows depend, or "".
  llvm::StringLiteral selector;
  llvm::ArrayRef<EnumCaseSupport> enumCases;
  llvm::ArrayRef<ArraySupport> arrays;
  llvm::ArrayRef<RuleSupport> rules;
  RankChange rankChange;
  /// The address of the page on which the table is based.
  llvm::StringLiteral source;

  FeatureLevel getIntroducedLevel() const { return levels.back().level; }

  /// Returns the information about the tensor `name`, or null if there is no
  /// such tensor.
  const TensorInfo *getTensorInfo(llvm::StringRef name) const;

  /// Returns the row for `level` if the selector has the value `selected`, or
  /// null if the operator did not exist at `level`. Without a value, returns a
  /// row for any value.
  const LevelSupport *
  getRow(FeatureLevel level,
         std::optional<uint32_t> selected = std::nullopt) const;

  /// Returns the types and ranks of the tensor `name` at `level`, or null.
  const TensorSupport *
  getTensor(llvm::StringRef name, FeatureLevel level,
            std::optional<uint32_t> selected = std::nullopt) const;

  /// Returns the case of `attribute` with the numeric value `value`, or null.
  const EnumCaseSupport *getEnumCase(llvm::StringRef attribute,
                                     int64_t value) const;

  /// Returns the rule `name`, or null.
  const RuleSupport *getRule(llvm::StringRef name) const;

  bool supports(const Requirement &requirement, FeatureLevel level) const;

  /// Returns the oldest level that supports `requirement`, or nothing if there
  /// is none.
  std::optional<FeatureLevel>
  getMinimumLevel(const Requirement &requirement) const;

  /// Describes the requirement as a property of the operation: "input has rank
  /// 3", "mode is wrap". For the operator itself, returns
  /// "DML_OPERATOR_PADDING".
  std::string describe(const Requirement &requirement) const;

  /// Describes the value only: "rank 3", "i64", "wrap".
  std::string describeValue(const Requirement &requirement) const;

  /// Explains why `level` does not meet `requirement`: "input has rank 3, but
  /// feature level 2_1 supports rank 4 to 5 (rank 3 needs 3_1)".
  std::string describeViolation(const Requirement &requirement,
                                FeatureLevel level) const;

  /// Returns the address of the page that documents `requirement`.
  llvm::StringRef getSource(const Requirement &requirement) const;
};

} // namespace dml

#endif // DML_IR_FEATURELEVELS_H
