//===- ContractionBuilder.h - Kernels of contractions -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_CONTRACTIONBUILDER_H
#define DML_LIB_CODEGEN_EMIT_CONTRACTIONBUILDER_H

#include "Analysis/Contraction.h"
#include "Emit/ThreadBlock.h"
#include "Emit/TileBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace dml {

/// The strides of an operand's factors, in elements of their buffer. `ofStep`
/// is the distance between the factors of consecutive iterations of the loop
/// over terms. `ofPosition` is the distance between the factors of neighbouring
/// positions (rows or columns). If the operand has several loads, the strides
/// are those of the first load whose address depends on the iteration. A stride
/// is missing if neither the linear form of the address nor the addresses of
/// the first two iterations determine the stride.
struct FactorStrides {
  std::optional<int64_t> ofStep, ofPosition;
  /// The number of terms that an iteration adds.
  int64_t terms = 1;

  /// Whether the factors of neighbouring terms lie closer together in memory
  /// than the factors of neighbouring positions. The factors of neighbouring
  /// terms lie `ofStep` / `terms` elements apart, since an iteration of the
  /// loop over terms adds `terms` terms.
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

/// A workgroup's tile of an operand: some of the operand's positions, which are
/// rows or columns.
struct OperandTile {
  const ContractionOperand *operand = nullptr;
  /// The number of positions in a tile.
  int64_t positions = 0;
  /// The index of this workgroup's tile, counted among all tiles of the
  /// operand.
  LinearForm tile;
};

/// The common part of the builders of contraction kernels. Such a builder
/// distributes tiles of the output to workgroups, and builds the addresses and
/// the computation of factors. It also builds the epilogue, which computes
/// elements of the output from sums. The builders differ in how they add up
/// products. Neighbouring rows or columns form vectors, whose members are
/// called lanes.
class ContractionBuilder {
protected:
  using Forms = llvm::SmallVector<LinearForm>;

  ContractionBuilder(mlir::linalg::GenericOp op,
                     const Contraction &contraction);

  /// Creates the launch, with a workgroup of `threads` threads for each tile of
  /// `rowPositions` by `columnPositions` sums, and moves the builder into the
  /// launch. Consecutive workgroups compute `panel` tiles of rows in the same
  /// tile of columns, and then go on to the next tile of columns. The factors
  /// of these rows and columns are then still in a cache when the next
  /// workgroup loads them. `panel` divides the number of tiles of rows.
  void buildLaunch(int64_t rowPositions, int64_t columnPositions,
                   int64_t threads, OperandTile &rows, OperandTile &columns,
                   int64_t panel = 1);

  /// Builds 0 in the type of the sums, or a vector of `lanes` zeros.
  mlir::Value getZero(int64_t lanes = 1);
  /// Builds `sum` + `lhs` * `rhs`. The operands are numbers of the type of the
  /// sums, or vectors of such numbers.
  mlir::Value addProduct(mlir::Value lhs, mlir::Value rhs, mlir::Value sum);
  mlir::Value add(mlir::Value sum, mlir::Value term);

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }

  /// Computes the coordinates of the row-major position `position` in the
  /// dimensions `dims`, which are those of the batch or of an operand. In
  /// dimensions of sizes 2 and 8, position 10 has the coordinates 1 and 2. If
  /// the batch and the columns share a dimension, such as 16 heads of 64
  /// columns, the batch sets the coordinate to 64 times the head, and the
  /// columns add the column. The batch must therefore be set before the
  /// columns.
  void setDims(llvm::ArrayRef<int64_t> dims, LinearForm position,
               Forms &coordinates, bool areOfBatch = false);
  /// Returns the size of `dim`. The batch and the columns may share a
  /// dimension, such as the 1,024 columns of 16 heads with 64 columns each.
  /// Such a dimension has two sizes: 16 if `isOfBatch` is set, and 64
  /// otherwise.
  int64_t getSize(int64_t dim, bool isOfBatch = false) const;
  /// Returns position `lane` of vector `vector` of an operand, where a vector
  /// has `lanes` positions. A vector beyond the end of an operand that consists
  /// of whole vectors is replaced by the last vector, so that the positions of
  /// a vector are always neighbours. In other operands, each position beyond
  /// the end is replaced by the last position.
  LinearForm getPosition(const ContractionOperand &operand, LinearForm vector,
                         int64_t lane, int64_t lanes);
  /// Returns the coordinates in the output of row or column `position` of
  /// `operand`. The coordinates in the dimensions of the batch are those of the
  /// workgroup's tile.
  Forms getCoordinates(const ContractionOperand &operand, LinearForm position);
  /// Sets the induction variables of the contraction's loops over terms to
  /// their values in iteration `step`, which is counted over all loops of the
  /// nest. The values hold for the element that `builder` builds in lane
  /// `lane`.
  void bindStep(TileBuilder &builder, size_t lane, LinearForm step) {
    bindStep(builder, lane, step, contraction);
  }
  /// Sets the induction variables of the loops over terms of the contraction
  /// `sums` to their values in iteration `step`, which is counted over all
  /// loops of the nest. The values hold for lane `lane` of `builder`.
  void bindStep(TileBuilder &builder, size_t lane, LinearForm step,
                const Contraction &sums);
  /// Whether the factors of neighbouring terms lie closer together in their
  /// buffer than the factors of neighbouring positions.
  bool isAlongSteps(const ContractionOperand &operand) {
    return isAlongSteps(operand, contraction);
  }
  /// Whether the factors of neighbouring terms lie closer together in their
  /// buffer than the factors of neighbouring positions, for an operand of the
  /// contraction `sums`. If the positions are not coordinates of the output,
  /// `position` is the value of the body that numbers them. In attention, for
  /// example, the columns of the scores are keys, and the induction variable of
  /// the body's loop over the keys numbers them.
  bool isAlongSteps(const ContractionOperand &operand, const Contraction &sums,
                    mlir::Value position = {}) {
    return getStrides(operand, sums, position).areAlongSteps();
  }
  /// Returns the distances between the factors of an operand of `sums`.
  FactorStrides getStrides(const ContractionOperand &operand,
                           const Contraction &sums, mlir::Value position = {});

  /// Returns how many elements of the output a thread stores at once: `lanes`
  /// neighbouring columns, or a half, a quarter and so on of `lanes`. The
  /// elements must always be neighbours in the output. If the output is placed
  /// in a larger buffer, each run of bytes of the output must begin and end
  /// there at multiples of the size of the store.
  int64_t getStoredTogether(int64_t lanes) const;
  /// Builds the condition that `position` is less than the number of positions
  /// of the operand. Returns null if the operand consists of whole tiles, so
  /// that the condition always holds.
  mlir::Value buildIsInside(const OperandTile &tile, LinearForm position);
  /// Computes the elements of the output in row `row` and in the columns of
  /// vector `vector`, and stores those that lie inside of the output. `sums`
  /// has all sums of the first column, then all sums of the second, and so on.
  void storeElements(TileBuilder &builder, const OperandTile &rows,
                     LinearForm row, const OperandTile &columns,
                     LinearForm vector, llvm::ArrayRef<mlir::Value> sums);

  mlir::ImplicitLocOpBuilder b;
  mlir::linalg::GenericOp op;
  const Contraction &contraction;
  const mlir::MemRefType type;
  /// The placement of the output in a larger buffer, if it lies in one.
  const Placement placement;

  mlir::gpu::LaunchOp launch;
  std::optional<BufferViews> views;
  std::optional<IndexForms> forms;
  /// The coordinates of the workgroup's tile in the dimensions of the batch.
  /// The coordinates in the other dimensions are 0.
  Forms batch;
  /// The condition that the workgroup computes a tile. A grid may have a few
  /// workgroups more than there are tiles. Null if each workgroup computes a
  /// tile.
  mlir::Value isWanted;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_CONTRACTIONBUILDER_H
