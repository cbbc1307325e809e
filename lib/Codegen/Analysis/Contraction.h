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

/// One operand of the products of a contraction: its factors, the operations
/// that compute the factors, and the dimensions of the output on which only
/// these factors depend.
struct ContractionOperand {
  /// The factor of each term, in the order of the terms. The columns of a
  /// contraction with several sums (Contraction::sums) have the factors of the
  /// first sum, then those of the second sum, and so on.
  llvm::SmallVector<mlir::Value> factors;
  /// The operations of the body that compute the factors, in their order.
  llvm::SmallVector<mlir::Operation *> slice;
  /// The dimensions of the output on which only this operand depends, and the
  /// product of their sizes.
  llvm::SmallVector<int64_t> dims;
  int64_t size = 1;
};

/// A product that an iteration of the loop over terms adds to a sum, and the
/// condition under which the iteration adds it. The condition is null if the
/// product is always added.
struct ContractionTerm {
  mlir::Value lhs, rhs, condition;
};

/// If `sum` is `init` plus products that operations of one block add one after
/// the other, returns these products in their order. Returns no terms
/// otherwise.
llvm::SmallVector<ContractionTerm> readTerms(mlir::Value sum, mlir::Value init);

/// A linalg.generic whose body has loops that add up products of two operands,
/// in f32 or i32, and an epilogue that computes the element of the output from
/// the sum, or from several sums. Each operand depends on dimensions of the
/// output that the other does not depend on: the rows and the columns. (There
/// may be a single row, without a dimension.)
///
/// A product of matrices is a contraction. A convolution is one as well (an
/// implicit GEMM): its filters are one operand, and its positions in the image
/// are the other. If the innermost dimension of the output is the width of the
/// image, the filters are the rows. With channels last, the filters are the
/// columns. The operators that have been fused with the product are parts of
/// the factors and the epilogue.
///
/// If an element has several sums, they share the factors of the rows, and each
/// has factors of the columns of its own. An example is x * sigmoid(x) * y,
/// where x and y are products of one tensor with two matrices: each element
/// needs a sum of both.
struct Contraction {
  ContractionOperand rows, columns;
  /// The number of sums from which an element of the output is computed.
  int64_t sums = 1;
  /// The type of factors and sums.
  mlir::Type sumType;
  /// For each term, the condition under which the term is added to the sum, or
  /// null if the term is always added; and the operations that compute the
  /// conditions.
  llvm::SmallVector<mlir::Value> conditions;
  llvm::SmallVector<mlir::Operation *> conditionSlice;
  /// The dimensions of the output on which both operands depend or neither
  /// depends, and the product of their sizes.
  llvm::SmallVector<int64_t> batchDims;
  int64_t batches = 1;
  /// The loops over the terms of a sum, outermost first, the number of
  /// iterations of each loop, and the product of these numbers.
  llvm::SmallVector<mlir::scf::ForOp> loops;
  llvm::SmallVector<int64_t> trips;
  int64_t steps = 1;
  /// The operations that compute the element of the output from the sum.
  llvm::SmallVector<mlir::Operation *> epilogue;
  /// A dimension of the output that the batch and the columns share, if there
  /// is one, and the number of columns in each position of the batch. An
  /// example is a dimension of 16 heads with 64 elements each. The head, the
  /// coordinate divided by 64, belongs to the batch. The element, the
  /// remainder, belongs to the columns.
  std::optional<int64_t> sharedDim;
  int64_t columnsOfShared = 1;

  /// The number of terms that an iteration adds to each sum.
  int64_t getTermsOfStep() const {
    return static_cast<int64_t>(rows.factors.size());
  }
  int64_t getTerms() const { return steps * getTermsOfStep(); }

  /// Stores the nest of loops over terms that begins with `outermost`, and the
  /// number of iterations of each loop. Fails unless each loop carries `sums`
  /// sums of the type `sumType`.
  llvm::LogicalResult readLoops(mlir::scf::ForOp outermost);

  /// Matches `op`, a generic on buffers, as a contraction. Returns nothing if
  /// `op` computes anything else.
  static std::optional<Contraction> match(mlir::linalg::GenericOp op);
};

/// Whether the computation of a factor contains a selection, such as the one
/// between an element and 0 at the padded borders of a convolution. The models
/// of time assume that a thread loads such factors one by one. They assume that
/// it loads other factors in vectors if the factors are neighbours.
bool isChosen(const ContractionOperand &operand);

/// Returns the operations of `slice` on which `values` depend, in the order of
/// `slice`. Values may be null.
llvm::SmallVector<mlir::Operation *>
getSliceOf(llvm::ArrayRef<mlir::Operation *> slice,
           llvm::ArrayRef<mlir::Value> values);

/// Returns the last dimension of `type` that has more than one element, or the
/// first dimension if no dimension has. Elements that are neighbours in memory
/// differ in the coordinate of this dimension.
int64_t getInnermostDim(mlir::ShapedType type);

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_CONTRACTION_H
