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

/// Returns the distance, in vectors of 16 bytes, between the lines of a matrix
/// in workgroup memory. A line holds `size` numbers, `ofVector` in each vector.
/// The distance is odd, such as 9 for 8 vectors: workgroup memory has banks for
/// 8 vectors, so that the first vectors of 8 neighbouring lines then lie in
/// different banks.
inline int64_t getLinePitch(int64_t size, int64_t ofVector) {
  return (size / ofVector) | 1;
}

/// The number of 32-bit words in a vector of workgroup memory.
inline constexpr int64_t wordsOfVector = 4;

/// If `bytes` of workgroup memory are more than devices of `profile` have,
/// returns a text that says so, and an empty text otherwise.
std::string findMemoryProblem(int64_t bytes, const DeviceProfile &profile);

/// The division of a contraction's terms into stages. A matrix kernel has one
/// or two stages in workgroup memory at a time.
struct MatrixSchedule {
  MatrixShape shape;
  /// The number of factors in 16 bytes.
  int64_t lanes;
  /// How many of the terms that an iteration of the contraction's loop adds are
  /// in one stage: all of them, or one. If it is one, an iteration with 9 terms
  /// takes 9 stages.
  int64_t termsTogether;
  /// The smallest number of iterations of the contraction's loop whose terms
  /// fill whole vectors, and the number of these vectors. For example, with 9
  /// terms in an iteration and vectors of 8 factors, 8 iterations fill 9
  /// vectors.
  int64_t stepsOfUnit, vectorsOfUnit;
  /// The number of units in an item of the columns, the data that a thread
  /// loads at a time. It is more than 1 if the factors are quantized numbers,
  /// of which 16 bytes hold more than a unit: 32 numbers of 4 bits are 4 units
  /// of 8 terms.
  int64_t unitsOfPacked;
  /// The number of iterations of the contraction's loop of which a stage
  /// contains terms. A tile may have room for more terms in a stage. The
  /// remaining terms of the stage are then 0.
  int64_t steps;
  /// The number of stages in workgroup memory. With two stages, one is filled
  /// while the other is multiplied.
  int64_t stages;
  /// How many rows of each subgroup's tile of sums are in workgroup memory at a
  /// time, while the kernel computes elements of the output from the sums.
  int64_t rowsTogether;
  /// The sizes, in vectors, of three areas of workgroup memory: `stageVectors`
  /// for all stages, `sumVectors` for the sums of products, and `ofFactors` for
  /// the sums of factors. During the loop, the memory holds the stages. If sums
  /// of factors are needed, a matrix of ones follows, by which factors are
  /// multiplied. After the loop, the memory holds the sums of products from its
  /// beginning, followed by the sums of factors.
  int64_t stageVectors, sumVectors, ofFactors;
  /// Whether zero points require the sum of each row's factors (addsRows),
  /// which is multiplied by the zero points of columns, and the sum of each
  /// column's factors (addsColumns), which is multiplied by the zero points of
  /// rows.
  bool addsRows, addsColumns;
  /// The size of workgroup memory in bytes.
  int64_t bytes;

  int64_t getBytesOfFactor() const {
    return DeviceProfile::vectorBytes / lanes;
  }
  /// Returns the number of terms of a stage that are not padding.
  int64_t getUsedTerms() const { return steps * termsTogether; }

  /// Returns the number of items in a stage of an operand with `positions`
  /// positions in the tile. An item is the data that a thread loads at a time.
  /// If lines run along terms, an item is `units` units of terms of one
  /// position. Otherwise, an item has a vector of positions for each of
  /// `termsTogether` terms.
  int64_t getNumItems(int64_t positions, bool isAlongTerms,
                      int64_t units) const {
    return isAlongTerms ? positions * (steps / stepsOfUnit / units)
                        : steps * (positions / lanes);
  }
  /// Returns the number of vectors in an item of an operand.
  int64_t getVectorsOfItem(bool isAlongTerms, int64_t units) const {
    return isAlongTerms ? vectorsOfUnit * units : termsTogether;
  }

  /// Returns the number of iterations of the kernel's loop. Each iteration
  /// covers a block of `steps` iterations of the contraction's loop over terms.
  int64_t getBlocks(const Contraction &contraction) const {
    return llvm::divideCeilSigned(contraction.steps, steps);
  }
  /// Returns the number of phases in an iteration of the kernel's loop, which
  /// covers a block of iterations of the contraction's loop. Each phase fills
  /// one stage, with `termsTogether` terms from each iteration of the block.
  int64_t getPhases(const Contraction &contraction) const {
    return contraction.getTermsOfStep() / termsTogether;
  }

  /// If no matrix kernel with `tile` can compute `contraction` on devices of
  /// `profile`, returns the reason. Otherwise sets `schedule` and returns an
  /// empty text.
  static std::string get(const Contraction &contraction, const MatrixTile &tile,
                         const DeviceProfile &profile,
                         MatrixSchedule &schedule);
};

/// Replaces `op`, a contraction, by the launch of a matrix kernel with `tile`.
void buildMatrixKernel(mlir::linalg::GenericOp op, const MatrixTile &tile,
                       const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_MATRIXKERNEL_H
