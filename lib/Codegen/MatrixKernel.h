//===- MatrixKernel.h - Sums of products by matrices ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_MATRIXKERNEL_H
#define DML_LIB_CODEGEN_MATRIXKERNEL_H

#include "Contraction.h"
#include "dml/Codegen/DeviceProfile.h"
#include "dml/IR/KernelAttr.h"

namespace dml {

/// How a matrix kernel goes through the terms of a contraction: some at a time,
/// its stages, of which it has one or two in workgroup memory.
struct MatrixSchedule {
  MatrixShape shape;
  /// Neighbouring factors in 16 bytes.
  int64_t lanes;
  /// Of the terms that an iteration adds, those that a stage has next to each
  /// other: all of them, or one, and then each has stages of its own.
  int64_t termsTogether;
  /// Iterations whose terms together are whole vectors, and how many vectors:
  /// of 9 terms and vectors of 8, 8 iterations and 9 vectors.
  int64_t stepsOfUnit, vectorsOfUnit;
  /// Iterations of a stage. Their terms may be fewer than the tile's; the last
  /// terms of a stage are 0 then.
  int64_t steps;
  /// Stages in workgroup memory: while one is multiplied, the next is stored.
  int64_t stages;
  /// Of the rows of a subgroup's sums, those that go through workgroup memory
  /// at a time.
  int64_t rowsTogether;
  /// Bytes of workgroup memory.
  int64_t bytes;

  /// The terms of a stage that are not always 0.
  int64_t getUsedTerms() const { return steps * termsTogether; }

  /// Why `tile` cannot be that of `contraction` on devices of `profile`, or
  /// nothing, and then `schedule` is set.
  static std::string get(const Contraction &contraction, const MatrixTile &tile,
                         const DeviceProfile &profile,
                         MatrixSchedule &schedule);
};

/// Whether all factors of `contraction` are numbers of the type `name`, such as
/// "f16", that were widened.
bool hasFactorsOf(const Contraction &contraction, llvm::StringRef name);

/// Replaces `op` by a launch.
void buildMatrixKernel(mlir::linalg::GenericOp op, const MatrixTile &tile,
                       const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_MATRIXKERNEL_H
