//===- QuantizedFactor.h - Factors that are packed integers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_QUANTIZEDFACTOR_H
#define DML_LIB_CODEGEN_ANALYSIS_QUANTIZEDFACTOR_H

#include "Analysis/Contraction.h"

namespace dml {

/// A factor of a contraction that is (number - zero point) * scale, where the
/// number is an integer of 4 or 8 bits: a dequantized weight.
struct QuantizedFactor {
  static constexpr int64_t wordBits = 32;

  /// The number of bits of a quantized number, which its zero point also has,
  /// and whether both are signed.
  int64_t bits = 0;
  bool isSigned = false;
  /// The loaded value: a number of 8 bits, or the 32-bit word that holds a
  /// number of 4 bits.
  mlir::Value loaded;
  /// The place of a 4-bit number in its word: 0 for the lowest four bits, 7 for
  /// the highest. Null for a number of 8 bits.
  mlir::Value lane;
  /// The zero point, an i32. Null if the zero point is a constant, which
  /// `constantZeroPoint` then holds.
  mlir::Value zeroPoint;
  int64_t constantZeroPoint = 0;
  /// The scale, an f32 or an f16. The body multiplies by the scale in the
  /// scale's type, and widens a product of type f16 to the factor, an f32.
  mlir::Value scale;

  /// Returns how many quantized numbers a 32-bit word holds.
  int64_t getNumPerWord() const { return wordBits / bits; }

  /// Matches `factor`, an f32, as a quantized number. Returns nothing if
  /// `factor` is anything else.
  static std::optional<QuantizedFactor> match(mlir::Value factor);
};

/// Matches all factors of `operand` as quantized numbers. Returns no factors
/// unless all of them are quantized numbers with the same number of bits and
/// the same type.
llvm::SmallVector<QuantizedFactor>
matchQuantizedFactors(const ContractionOperand &operand);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_QUANTIZEDFACTOR_H
