//===- MatrixKernel.h - Sums of products by matrices ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_MATRIXKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_MATRIXKERNEL_H

#include "Kernels/MatrixFactors.h"
#include "dml/IR/KernelAttr.h"
#include "llvm/Support/MathExtras.h"

namespace dml {

/// Returns how many vectors a line of workgroup memory takes that holds `size`
/// numbers, of which a vector has `ofVector`. It is an odd number, so that
/// neighbouring lines, which make a matrix, lie in different banks.
inline int64_t getLinePitch(int64_t size, int64_t ofVector) {
  return (size / ofVector) | 1;
}

/// The words of a vector of workgroup memory, whose components are words.
inline constexpr int64_t wordsOfVector = 4;

/// Says why a kernel with matrices cannot take `bytes` of workgroup memory on
/// devices of `profile`, or nothing if it can.
std::string findMemoryProblem(int64_t bytes, const DeviceProfile &profile);

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
  /// Vectors of workgroup memory that the factors and the sums take. The bytes
  /// behind the factors are all 1, and behind the sums come those of factors,
  /// where these are wanted.
  int64_t stageVectors, sumVectors, ofFactors;
  /// Whether the factors of a row are added up, which the zero points of
  /// columns are multiplied by, and those of a column.
  bool addsRows, addsColumns;
  /// Bytes of workgroup memory.
  int64_t bytes;

  int64_t getBytesOfFactor() const {
    return DeviceProfile::vectorBytes / lanes;
  }
  /// The terms of a stage that are not always 0.
  int64_t getUsedTerms() const { return steps * termsTogether; }

  /// Returns how many items the threads load of an operand of which a workgroup
  /// has so many positions. An item is what a thread loads at a time. Where
  /// workgroup memory has the terms of a position side by side, it is a unit of
  /// terms of one position; elsewhere it is a vector of positions, for each of
  /// the terms that lie together.
  int64_t getNumItems(int64_t positions, bool isAlongTerms) const {
    return isAlongTerms ? positions * (steps / stepsOfUnit)
                        : steps * (positions / lanes);
  }
  /// Returns the vectors of such an item.
  int64_t getVectorsOfItem(bool isAlongTerms) const {
    return isAlongTerms ? vectorsOfUnit : termsTogether;
  }

  /// How many blocks of iterations the stages go through, and the stages that
  /// each block takes.
  int64_t getBlocks(const Contraction &contraction) const {
    return llvm::divideCeilSigned(contraction.steps, steps);
  }
  int64_t getPhases(const Contraction &contraction) const {
    return contraction.getTermsOfStep() / termsTogether;
  }

  /// Why `tile` cannot be that of `contraction` on devices of `profile`, or
  /// nothing, and then `schedule` is set.
  static std::string get(const Contraction &contraction, const MatrixTile &tile,
                         const DeviceProfile &profile,
                         MatrixSchedule &schedule);
};

/// Replaces `op` by a launch.
void buildMatrixKernel(mlir::linalg::GenericOp op, const MatrixTile &tile,
                       const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MATRIXKERNEL_H
