//===- AttentionMatrices.h - Factors of attention as matrices ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_ATTENTIONMATRICES_H
#define DML_LIB_CODEGEN_KERNELS_ATTENTIONMATRICES_H

#include "Analysis/Attention.h"
#include "Emit/ContractionBuilder.h"
#include "Emit/Staging.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dml {

/// The lines in which attention kernels with cooperative matrices stage
/// factors of f16 in workgroup memory, in vectors of 16 bytes. A line holds the
/// terms of a query or a key, or the values of a key. The distance between
/// lines is an odd number of vectors, so that the first vectors of neighbouring
/// lines lie in different banks.
struct AttentionMatrices {
  MatrixShape shape;
  /// The number of terms of a score and the number of columns of the output,
  /// both rounded up to whole matrices. Padding terms are 0, and padding
  /// columns are not stored.
  int64_t terms = 0, columns = 0;
  /// A unit: the smallest number of iterations of the loop over terms whose
  /// terms fill whole vectors, and the number of these terms. With 3 terms in
  /// an iteration and vectors of 8, a unit has 8 iterations and 24 terms.
  int64_t stepsOfUnit = 0, unit = 0;
  /// The distances between lines of terms and between lines of values.
  int64_t termsPitch = 0, valuesPitch = 0;

  /// The number of f16 factors in a vector.
  static constexpr int64_t lanes = 8;

  /// If blocks of `keys` keys are no whole matrices, or matrices no whole
  /// vectors, returns a text that says so, and an empty text otherwise.
  std::string findProblemOfBlocks(int64_t keys,
                                  const DeviceProfile &profile) const;

  /// If matrices of the shape named `shape` cannot multiply the factors of
  /// `attention` on devices of `profile`, returns the reason. Otherwise sets
  /// `matrices` and returns an empty text.
  static std::string get(const Attention &attention, llvm::StringRef shape,
                         const DeviceProfile &profile,
                         AttentionMatrices &matrices);
};

/// The common part of the builders of attention kernels with cooperative
/// matrices: it stages the factors of queries, keys and values.
class AttentionMatrixBuilder : protected ContractionBuilder {
protected:
  static constexpr int64_t lanes = AttentionMatrices::lanes;

  /// A workgroup has `threads` threads and computes the outputs of
  /// `queriesOfGroup` queries. It stages `keysOfBlock` keys or values at a
  /// time.
  AttentionMatrixBuilder(mlir::linalg::GenericOp op, const Attention &attention,
                         const AttentionMatrices &matrices, int64_t threads,
                         int64_t queriesOfGroup, int64_t keysOfBlock)
      : ContractionBuilder(op, attention.products), attention(attention),
        matrices(matrices), shape(matrices.shape), threads(threads),
        queriesOfGroup(queriesOfGroup), keysOfBlock(keysOfBlock) {}

  /// The factors of queries, keys or values, as lines in workgroup memory. A
  /// line has the factors of one query or one key.
  struct Lines {
    const ContractionOperand &operand;
    StagedArea area;
  };
  /// Returns the lines of the workgroup's queries, of a block's keys, or of a
  /// block's values. The first line begins at vector `first`. The lines of
  /// neighbouring stages lie `ofStage` vectors apart.
  Lines getQueryLines(int64_t first) {
    return getTermLines(attention.scores.rows, queriesOfGroup, first,
                        /*ofStage=*/0);
  }
  Lines getKeyLines(int64_t first, int64_t ofStage);
  Lines getValueLines(int64_t first, int64_t ofStage);

  /// Loads the thread's items of the operand that `lines` describes: of block
  /// `keyBlock`, or of all queries.
  llvm::SmallVector<mlir::Value> load(const Lines &lines, LinearForm keyBlock);
  /// Stores the vectors of one operand in stage `stage` of workgroup memory, in
  /// the layout that `lines` describes. The vectors of this operand are the
  /// first of `vectors`, as load() has returned them. Returns the other
  /// vectors, which belong to other operands.
  mlir::ValueRange store(const Lines &lines, LinearForm stage,
                         mlir::ValueRange vectors) {
    return Staging(b, *forms, threads).store(lines.area, stage, vectors);
  }

  /// Builds the condition that `number` is at most `last`.
  mlir::Value buildIsUpTo(LinearForm number, mlir::Value last);
  /// Builds the condition that `number` is at most `last`: the condition that a
  /// key, or an iteration of the loop over terms, exists and takes part in
  /// sums. `most` is the largest possible `number`. Returns null if `most` is
  /// at most `last`, since the condition then always holds.
  mlir::Value buildCount(LinearForm number, int64_t last, int64_t most);
  /// Returns the coordinates of query `number` of the workgroup. A number
  /// beyond the last query stands for the last query.
  Forms getQueryCoordinates(LinearForm number);
  /// Returns the largest number that a key of a block can have. Keys beyond the
  /// last one are missing.
  int64_t getLastOfBlocks() const;

  /// Builds a barrier of the subgroup, after which its threads see each other's
  /// stores to workgroup memory.
  void meet();

  mlir::gpu::MMAMatrixType getType(int64_t rows, int64_t columns,
                                   mlir::Type element,
                                   llvm::StringRef operand) {
    return mlir::gpu::MMAMatrixType::get({rows, columns}, element, operand);
  }
  mlir::gpu::MMAMatrixType getSumsType() {
    return getType(shape.rows, shape.columns, b.getF32Type(), "COp");
  }
  /// The types of matrices of factors: of queries or weights, and of keys or
  /// values.
  mlir::gpu::MMAMatrixType getRowType() {
    return getType(shape.rows, shape.terms, b.getF16Type(), "AOp");
  }
  mlir::gpu::MMAMatrixType getColumnType() {
    return getType(shape.terms, shape.columns, b.getF16Type(), "BOp");
  }
  /// Returns a matrix of sums that are 0.
  mlir::Value getZeroSums();
  mlir::Value loadMatrix(mlir::gpu::MMAMatrixType type, LinearForm place,
                         int64_t pitch, bool isTransposed = false);
  void storeMatrix(mlir::Value matrix, LinearForm place, int64_t pitch);
  /// Builds the sum of the matrix `sum` and the product of the matrices `row`
  /// and `column`.
  mlir::Value multiply(mlir::Value row, mlir::Value column, mlir::Value sum);

  mlir::Value constantOf(double value, int64_t count = 1);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::SubFOp::create(b, lhs, rhs);
  }
  /// Loads four f32 from a vector of workgroup memory.
  mlir::Value loadNumbers(LinearForm place);
  /// Packs 8 numbers of f16, or of f32 that are rounded to f16, into a vector
  /// of 16 bytes.
  mlir::Value packHalves(llvm::ArrayRef<mlir::Value> numbers);
  /// Stores a vector of 16 bytes.
  void storeVector(mlir::Value vector, LinearForm place);

  const Attention &attention;
  const AttentionMatrices &matrices;
  const MatrixShape &shape;
  const int64_t threads, queriesOfGroup, keysOfBlock;

  OperandTile rows, columns;
  /// The whole workgroup memory, as vectors.
  mlir::Value memory;
  /// The last key that a query of the workgroup sees, or null if all queries
  /// see all keys. Values of later keys are staged as 0.
  mlir::Value lastSeen;

private:
  Lines getTermLines(const ContractionOperand &operand, int64_t lines,
                     int64_t first, int64_t ofStage);
  llvm::SmallVector<mlir::Value>
  loadTerms(const Lines &lines, const StagedItem &item, LinearForm keyBlock);
  llvm::SmallVector<mlir::Value> loadValues(const StagedItem &item,
                                            LinearForm keyBlock);
};

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_ATTENTIONMATRICES_H
