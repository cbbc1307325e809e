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

/// Finds the values that a driver may know while it compiles a kernel: those
/// that are computed from constants and from the counters of loops alone.
class KnownValues {
public:
  /// Which operands of a selection make its result known. With `Any`, one
  /// known operand does, since a driver may then know the result in some cases:
  /// `select(c, 2, x)` is 2 where c holds. With `All`, both operands have to be
  /// known, since a driver may then know a conclusion in all cases: the
  /// comparison `0 < select(c, 0, NaN)` never holds.
  enum class Choices { Any, All };
  /// Which values of a loop are known. With `Unrolled`, the counter is known,
  /// and so is a carried value whose initial value is known, since a driver may
  /// know both after it has unrolled the loop. With `Kept`, a carried value is
  /// known if its initial value is known and each iteration sets it to a known
  /// value, whichever branches the iteration takes; the counter is not known,
  /// since it changes.
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
