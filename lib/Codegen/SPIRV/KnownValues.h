//===- KnownValues.h - Values that a driver may compute ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SPIRV_KNOWNVALUES_H
#define DML_LIB_CODEGEN_SPIRV_KNOWNVALUES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace dml {

/// Finds the values that a driver may know at compile time: values that are
/// computed only from constants and from induction variables of loops.
class KnownValues {
public:
  /// Determines when the result of a selection counts as known. With `Any`, one
  /// known alternative suffices. `Any` is for a driver that mistreats a known
  /// value wherever the selection yields it: `select(c, 2, x)` is 2 if c is
  /// true. With `All`, both alternatives must be known. `All` is for a driver
  /// that concludes something about all results of a selection: the comparison
  /// `0 < select(c, 0, NaN)` is always false.
  enum class Choices { Any, All };
  /// Determines which values of a loop count as known. `Unrolled` assumes that
  /// the driver unrolls the loop: the induction variable is known, and so is a
  /// carried value with a known initial value. `Kept` assumes that the loop
  /// remains: the induction variable changes and is not known. A carried value
  /// is known if its initial value is known and each iteration sets it to a
  /// known value, whichever branches the iteration takes.
  enum class Loops { Unrolled, Kept };
  explicit KnownValues(Choices choices, Loops loops = Loops::Unrolled)
      : choices(choices), loops(loops) {}

  /// Whether a driver may know `value`.
  bool contains(mlir::Value value);

private:
  bool find(mlir::Value value);
  bool findCarried(mlir::Value argument);

  Choices choices;
  Loops loops;
  llvm::DenseMap<mlir::Value, bool> known;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_SPIRV_KNOWNVALUES_H
