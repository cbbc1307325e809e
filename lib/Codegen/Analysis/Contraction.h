//===- Contraction.h - Sums of products of two operands ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_CONTRACTION_H
#define DML_LIB_CODEGEN_ANALYSIS_CONTRACTION_H

#include "dml/IR/KernelAttr.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dml {

/// One side of the products of a contraction: what it depends on, and how it is
/// computed.
struct ContractionOperand {
  /// The factors of each term, in the order of the terms.
  llvm::SmallVector<mlir::Value> factors;
  /// The operations of the body that compute them, in order.
  llvm::SmallVector<mlir::Operation *> slice;
  /// The dimensions of the output that this operand alone depends on, and how
  /// many positions they have together.
  llvm::SmallVector<int64_t> dims;
  int64_t size = 1;
};

/// A product that an iteration adds, and under what it does: null where it
/// always does.
struct ContractionTerm {
  mlir::Value lhs, rhs, condition;
};

/// The terms that `sum` adds to `init`, in their order: products that
/// operations of one block add one after the other. None if `sum` is computed
/// otherwise.
llvm::SmallVector<ContractionTerm> readTerms(mlir::Value sum, mlir::Value init);

/// A linalg.generic whose body adds up products of two operands in loops over
/// f32 or i32 and makes the element of the sum. Each operand depends on
/// dimensions of the output that the other does not depend on, its rows or its
/// columns. That is what products of matrices are, but convolutions as well,
/// whose columns are positions of the output, and whatever operators have
/// become a part of such a body.
struct Contraction {
  ContractionOperand rows, columns;
  /// The type of factors and sums.
  mlir::Type sumType;
  /// Under what each term counts, or null where it always does.
  llvm::SmallVector<mlir::Value> conditions;
  llvm::SmallVector<mlir::Operation *> conditionSlice;
  /// Dimensions of the output that both operands depend on, or none.
  llvm::SmallVector<int64_t> batchDims;
  int64_t batches = 1;
  /// The loops, outermost first, how often each runs, and all together.
  llvm::SmallVector<mlir::scf::ForOp> loops;
  llvm::SmallVector<int64_t> trips;
  int64_t steps = 1;
  /// The operations that make the element of the sum.
  llvm::SmallVector<mlir::Operation *> epilogue;
  /// A dimension of the output that the batch and the columns share, or
  /// nothing, and how many columns there are for each position of the batch: of
  /// a dimension of 16 heads with 64 elements each, the batch has the head,
  /// which is the quotient by 64, and the columns have the remainder.
  std::optional<int64_t> sharedDim;
  int64_t columnsOfShared = 1;

  /// Terms that an iteration adds.
  int64_t getTermsOfStep() const {
    return static_cast<int64_t>(rows.factors.size());
  }
  int64_t getTerms() const { return steps * getTermsOfStep(); }

  /// Reads the loops from `outermost` inward, whose sums are of `sumType`, and
  /// how often each runs.
  llvm::LogicalResult readLoops(mlir::scf::ForOp outermost);

  /// Nothing if `op` is none.
  static std::optional<Contraction> match(mlir::linalg::GenericOp op);
};

/// Whether a factor is chosen between an element and what stands for padding.
bool isChosen(const ContractionOperand &operand);

/// How the threads of a slice share the tile of a workgroup: each has `rows`
/// times `columns` elements, in blocks of 4 by 4 that lie `threadRows` and
/// `threadColumns` blocks apart.
struct ThreadBlock {
  int64_t rows, columns, threadRows, threadColumns;

  /// Nothing if the threads of a workgroup cannot share `tile` so.
  static std::optional<ThreadBlock> get(const ContractionTile &tile);

  /// How many neighbouring rows or columns a thread's elements come in: the
  /// components of SPIR-V's largest vectors.
  static constexpr int64_t side = 4;

  /// The vectors of neighbouring columns that a thread's elements make.
  int64_t getVectors() const { return rows * columns / side; }
};

/// Vectors of workgroup memory that a term of `positions` rows or columns
/// takes: one more than it has, so that vectors of different terms lie in
/// different banks.
inline int64_t getStagedVectors(int64_t positions) {
  return positions / ThreadBlock::side + 1;
}

/// Vectors of workgroup memory that the terms of `tile` take.
inline int64_t getStagedVectors(const ContractionTile &tile) {
  return tile.buffers * tile.terms *
         (getStagedVectors(tile.rows) + getStagedVectors(tile.columns));
}

/// Vectors of workgroup memory by which the slices of `tile` exchange parts of
/// sums, one vector of each that a thread stores in the end.
inline int64_t getExchangedVectors(const ContractionTile &tile) {
  return tile.slices > 1 ? tile.slices * tile.threads : 0;
}

/// Says why `tile` cannot be the tile of `contraction`, for devices of
/// `profile`, or nothing if it can.
std::string findTileProblem(const Contraction &contraction,
                            const ContractionTile &tile,
                            const DeviceProfile &profile);

std::string findTileProblem(const Contraction &contraction,
                            const SliceTile &tile);

/// How far apart in their buffer the factors of an operand lie that
/// neighbouring iterations have, and those of neighbouring positions, as the
/// first load tells that depends on the iteration. In elements, and nothing
/// where neither the address nor its first values tell.
struct FactorStrides {
  std::optional<int64_t> ofStep, ofPosition;
  /// The terms of an iteration.
  int64_t terms = 1;

  /// Whether the factors of neighbouring iterations lie closer than those of
  /// neighbouring positions.
  bool areAlongSteps() const {
    return ofStep && ofPosition && *ofStep < *ofPosition * terms;
  }
};

/// The strides of the operands of `contraction`, which describes `op`.
struct OperandStrides {
  FactorStrides rows, columns;

  static OperandStrides get(mlir::linalg::GenericOp op,
                            const Contraction &contraction);
};

/// Replaces `op`, which `contraction` describes, by a launch.
void buildContractionKernel(mlir::linalg::GenericOp op,
                            const Contraction &contraction,
                            const ContractionTile &tile);
void buildSlicedKernel(mlir::linalg::GenericOp op,
                       const Contraction &contraction, const SliceTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_CONTRACTION_H
