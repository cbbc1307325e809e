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

/// Returns the number of vectors in a line of workgroup memory that holds
/// `size` numbers, `ofVector` in each vector. The result is odd, so that
/// neighbouring lines, which a matrix is loaded from, lie in different banks.
inline int64_t getLinePitch(int64_t size, int64_t ofVector) {
  return (size / ofVector) | 1;
}

/// The number of 32-bit words in a vector of workgroup memory.
inline constexpr int64_t wordsOfVector = 4;

/// Returns why a kernel with matrices cannot use `bytes` of workgroup memory on
/// devices of `profile`, or an empty text if it can.
std::string findMemoryProblem(int64_t bytes, const DeviceProfile &profile);

/// The division of a contraction's terms into stages, of which a matrix kernel
/// has one or two in workgroup memory at a time.
struct MatrixSchedule {
  MatrixShape shape;
  /// The number of factors in 16 bytes.
  int64_t lanes;
  /// The number of terms of an iteration that a stage contains: all terms, or
  /// one. In the latter case, each term of an iteration has a stage of its own.
  int64_t termsTogether;
  /// The smallest number of iterations whose terms fill whole vectors, and the
  /// number of these vectors. For example, with 9 terms in an iteration and
  /// vectors of 8 factors, 8 iterations fill 9 vectors.
  int64_t stepsOfUnit, vectorsOfUnit;
  /// The number of iterations in a stage. If these have fewer terms than the
  /// tile, the remaining terms of a stage are 0.
  int64_t steps;
  /// The number of stages in workgroup memory. With two stages, one is filled
  /// while the other is multiplied.
  int64_t stages;
  /// The number of rows of a subgroup's sums that are in workgroup memory at a
  /// time.
  int64_t rowsTogether;
  /// The numbers of vectors of workgroup memory for all stages, for the sums of
  /// products, and for the sums of factors. The matrix of ones lies behind the
  /// stages, and the sums of factors behind the sums of products.
  int64_t stageVectors, sumVectors, ofFactors;
  /// Whether the kernel computes the sum of the factors of each row, which is
  /// multiplied by the zero points of columns, and the sum of the factors of
  /// each column, which is multiplied by the zero points of rows.
  bool addsRows, addsColumns;
  /// The size of workgroup memory in bytes.
  int64_t bytes;

  int64_t getBytesOfFactor() const {
    return DeviceProfile::vectorBytes / lanes;
  }
  /// Returns the number of terms of a stage that are not padding.
  int64_t getUsedTerms() const { return steps * termsTogether; }

  /// Returns the number of items in a stage of an operand with `positions`
  /// positions in the tile. An item is the data that a thread loads at a time:
  /// if lines run along terms, a unit of terms of one position, and otherwise a
  /// vector of positions for each of `termsTogether` terms.
  int64_t getNumItems(int64_t positions, bool isAlongTerms) const {
    return isAlongTerms ? positions * (steps / stepsOfUnit)
                        : steps * (positions / lanes);
  }
  /// Returns the number of vectors in such an item.
  int64_t getVectorsOfItem(bool isAlongTerms) const {
    return isAlongTerms ? vectorsOfUnit : termsTogether;
  }

  /// Return the number of blocks of iterations, and the number of stages in
  /// each block.
  int64_t getBlocks(const Contraction &contraction) const {
    return llvm::divideCeilSigned(contraction.steps, steps);
  }
  int64_t getPhases(const Contraction &contraction) const {
    return contraction.getTermsOfStep() / termsTogether;
  }

  /// Returns why `contraction` cannot have the tile `tile` on devices of
  /// `profile`. Otherwise sets `schedule` and returns an empty text.
  static std::string get(const Contraction &contraction, const MatrixTile &tile,
                         const DeviceProfile &profile,
                         MatrixSchedule &schedule);
};

/// Replaces `op` by a launch.
void buildMatrixKernel(mlir::linalg::GenericOp op, const MatrixTile &tile,
                       const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MATRIXKERNEL_H
