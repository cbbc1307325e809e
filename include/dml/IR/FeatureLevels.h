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

/// The newest level; it holds where no `dml.target` says otherwise.
inline constexpr FeatureLevel newestFeatureLevel = FeatureLevel::fl_6_4;

/// The bit of `type` in TensorSupport::dataTypes.
constexpr uint32_t dataTypeBit(DataType type) {
  return uint32_t(1) << static_cast<uint32_t>(type);
}

/// What one tensor of an operator may be at one level.
struct TensorSupport {
  /// Name of the operand or result.
  llvm::StringLiteral tensor;
  /// Inclusive range of DimensionCount.
  uint8_t minRank, maxRank;
  /// One dataTypeBit for each data type.
  uint32_t dataTypes;
};

/// A row of an operator's table; it holds from `level` on, until a newer row
/// replaces it. Tensors stand in the order of the operands, then the results.
struct LevelSupport {
  FeatureLevel level;
  llvm::ArrayRef<TensorSupport> tensors;
};

/// A case of an enum attribute that came later than the operator.
struct EnumCaseSupport {
  llvm::StringLiteral attribute;
  llvm::StringLiteral enumCase;
  uint32_t value;
  FeatureLevel level;
};

/// An operator's support table.
struct OperatorSupport {
  /// The DML_OPERATOR_TYPE enumerator.
  llvm::StringLiteral operatorType;
  /// Newest first; the last one introduced the operator.
  llvm::ArrayRef<LevelSupport> levels;
  llvm::ArrayRef<EnumCaseSupport> enumCases;
  /// The page the table comes from.
  llvm::StringLiteral source;

  FeatureLevel getIntroducedLevel() const { return levels.back().level; }

  /// The row that holds at `level`, or null below the introducing level.
  const LevelSupport *getRow(FeatureLevel level) const;
};

/// "5_1" for fl_5_1.
llvm::StringRef getFeatureLevelNumber(FeatureLevel level);

/// The DirectML data type of a tensor's element type, if it has one: FLOATn is
/// fn, INTn is the signless in, UINTn is uin.
std::optional<DataType> getDataType(mlir::Type elementType);

/// The element type of a DirectML data type.
mlir::Type getElementType(DataType type, mlir::MLIRContext *context);

} // namespace dml

#endif // DML_IR_FEATURELEVELS_H
