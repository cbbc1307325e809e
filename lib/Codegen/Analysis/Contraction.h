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

/// One side of the products of a contraction: the factors, the operations that
/// compute them, and the dimensions of the output that they depend on.
struct ContractionOperand {
  /// The factor of each term, in the order of the terms.
  llvm::SmallVector<mlir::Value> factors;
  /// The operations of the body that compute the factors, in their order.
  llvm::SmallVector<mlir::Operation *> slice;
  /// The dimensions of the output that this operand alone depends on, and the
  /// product of their sizes.
  llvm::SmallVector<int64_t> dims;
  int64_t size = 1;
};

/// A product that an iteration adds, and the condition under which the
/// iteration adds it. The condition is null where the product is always added.
struct ContractionTerm {
  mlir::Value lhs, rhs, condition;
};

/// Returns the terms that `sum` adds to `init`, in their order: products that
/// operations of one block add one after the other. Returns no terms if `sum`
/// is computed in another way.
llvm::SmallVector<ContractionTerm> readTerms(mlir::Value sum, mlir::Value init);

/// A linalg.generic whose body has loops that add up products of two operands,
/// in f32 or i32, and an epilogue that computes the element of the output from
/// the sum. Each operand depends on dimensions of the output that the other
/// does not depend on: the rows and the columns. A product of matrices is a
/// contraction, and so is a convolution, whose rows are its filters and whose
/// columns are the positions in the image (an implicit GEMM). The operators
/// that have been fused with the product are parts of the factors and the
/// epilogue.
struct Contraction {
  ContractionOperand rows, columns;
  /// The type of factors and sums.
  mlir::Type sumType;
  /// The condition under which each term is added, or null where the term is
  /// always added, and the operations that compute the conditions.
  llvm::SmallVector<mlir::Value> conditions;
  llvm::SmallVector<mlir::Operation *> conditionSlice;
  /// The dimensions of the output that both operands or neither depend on, and
  /// the product of their sizes.
  llvm::SmallVector<int64_t> batchDims;
  int64_t batches = 1;
  /// The loops, outermost first, the number of iterations of each loop, and the
  /// product of these numbers.
  llvm::SmallVector<mlir::scf::ForOp> loops;
  llvm::SmallVector<int64_t> trips;
  int64_t steps = 1;
  /// The operations that compute the element of the output from the sum.
  llvm::SmallVector<mlir::Operation *> epilogue;
  /// A dimension of the output that the batch and the columns share, or
  /// nothing, and the number of columns for each position of the batch. Of a
  /// dimension of 16 heads with 64 elements each, the batch has the head, which
  /// is the quotient by 64, and the columns have the element, the remainder.
  std::optional<int64_t> sharedDim;
  int64_t columnsOfShared = 1;

  /// The number of terms that an iteration adds.
  int64_t getTermsOfStep() const {
    return static_cast<int64_t>(rows.factors.size());
  }
  int64_t getTerms() const { return steps * getTermsOfStep(); }

  /// Reads the loops from `outermost` inward, and their numbers of iterations.
  /// Fails unless each loop carries one sum of `sumType`.
  llvm::LogicalResult readLoops(mlir::scf::ForOp outermost);

  /// Returns the contraction that `op`, on buffers, is, or nothing.
  static std::optional<Contraction> match(mlir::linalg::GenericOp op);
};

/// Whether a factor is selected between an element and the number that stands
/// for padding.
bool isChosen(const ContractionOperand &operand);

/// The last dimension of `type` with more than one element, or the first one if
/// there is none. Neighbours in memory differ in this coordinate.
int64_t getInnermostDim(mlir::ShapedType type);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_CONTRACTION_H
