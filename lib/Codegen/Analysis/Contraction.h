//===- Contraction.h - Sums of products of two operands ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_CONTRACTION_H
#define DML_LIB_CODEGEN_ANALYSIS_CONTRACTION_H

#include "dml/IR/KernelAttr.h"
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

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_CONTRACTION_H
