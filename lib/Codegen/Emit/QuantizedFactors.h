//===- QuantizedFactors.h - Unpacking of words of integers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_QUANTIZEDFACTORS_H
#define DML_LIB_CODEGEN_EMIT_QUANTIZEDFACTORS_H

#include "Analysis/QuantizedFactor.h"
#include "Emit/TileBuilder.h"

namespace dml {

/// Unpacks the factors of an operand that are quantized numbers, all numbers of
/// a 32-bit word at a time. The operations of the body shift, mask, convert and
/// subtract each number by itself. The code that this class builds instead
/// extracts a number, or two numbers for f16, by an AND, and turns the bits
/// into the mantissa of a float by an OR.
class QuantizedFactors {
public:
  /// Returns nothing if the factors of `operand` are not quantized numbers.
  static std::optional<QuantizedFactors>
  match(const ContractionOperand &operand);

  int64_t getNumPerWord() const { return factors.front().getNumPerWord(); }
  /// Whether words have zero points of their own. Otherwise, the zero point is
  /// the same constant for all words.
  bool hasZeroPoint() const { return bool(factors.front().zeroPoint); }
  /// Returns the operations of the operand's slice that load words, and that
  /// compute addresses, scales and zero points. The caller builds these
  /// operations before it calls buildWord().
  llvm::ArrayRef<mlir::Operation *> getSlice() const { return slice; }

  /// A word of quantized numbers that have the same scale and the same zero
  /// point. `zeroPoint` is null if the zero point is a constant.
  struct Word {
    mlir::Value bits, scale, zeroPoint;
  };
  /// Builds the word that consists of `numbers`, in this order, with their
  /// scale and zero point. Returns nothing if there is no such word, or if the
  /// numbers have different scales or zero points.
  std::optional<Word> buildWord(TileBuilder &builder,
                                llvm::ArrayRef<BuiltFactor> numbers) const;
  /// Builds the factors of a word. Each factor is the product of a number and
  /// the word's scale, rounded to f16. Returns the factors in pairs of f16, in
  /// the order of getPairedNumbers().
  llvm::SmallVector<mlir::Value> buildPairs(mlir::ImplicitLocOpBuilder &b,
                                            const Word &word) const;
  /// Returns the order in which buildPairs() returns the numbers of a word. A
  /// mask extracts one number from each half of the word: for numbers of 4
  /// bits, the order is 0, 4, 1, 5, 2, 6, 3 and 7.
  llvm::SmallVector<int64_t> getPairedNumbers() const;
  /// Builds the factors of a word as f32 numbers, in the order of the word.
  llvm::SmallVector<mlir::Value> buildFactors(mlir::ImplicitLocOpBuilder &b,
                                              const Word &word) const;

private:
  std::optional<LinearForm> findWord(TileBuilder &builder,
                                     llvm::ArrayRef<BuiltFactor> numbers) const;
  Word flipSigns(mlir::ImplicitLocOpBuilder &b, const Word &word) const;
  mlir::Value buildBias(mlir::ImplicitLocOpBuilder &b, const Word &word,
                        int64_t place, mlir::Type type) const;
  llvm::SmallVector<mlir::Value> buildHalves(mlir::ImplicitLocOpBuilder &b,
                                             const Word &word) const;
  llvm::SmallVector<mlir::Value> buildSingles(mlir::ImplicitLocOpBuilder &b,
                                              const Word &word) const;

  llvm::SmallVector<QuantizedFactor> factors;
  llvm::SmallVector<mlir::Operation *> slice;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_QUANTIZEDFACTORS_H
