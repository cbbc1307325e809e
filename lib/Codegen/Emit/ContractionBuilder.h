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

/// The tile of an operand's positions that a workgroup has.
struct OperandTile {
  const ContractionOperand *operand = nullptr;
  /// Positions of a tile.
  int64_t positions = 0;
  /// The number of the workgroup's tile.
  LinearForm tile;
};

/// The common part of the kernels of contractions, which differ in how they add
/// up products: the tile of sums that a workgroup has, the addresses and the
/// computation of factors, and the epilogue that makes elements of sums.
/// Positions of rows and columns come in vectors of neighbours, whose members
/// are called lanes.
class ContractionBuilder {
protected:
  using Forms = llvm::SmallVector<LinearForm>;

  ContractionBuilder(mlir::linalg::GenericOp op,
                     const Contraction &contraction);

  /// Creates the launch of a workgroup of `threads` for each tile of
  /// `rowPositions` by `columnPositions` sums. From then on the builder stands
  /// in the launch. Consecutive workgroups have `panel` tiles of rows, which
  /// divides the number of these tiles, before they go on to the next tile of
  /// columns.
  void buildLaunch(int64_t rowPositions, int64_t columnPositions,
                   int64_t threads, OperandTile &rows, OperandTile &columns,
                   int64_t panel = 1);

  /// Builds 0 in the type of the sums, or a vector of `lanes` zeros.
  mlir::Value getZero(int64_t lanes = 1);
  /// Adds the product of `lhs` and `rhs`, or `term`, to `sum`. All of these are
  /// numbers of the type of the sums, or all are vectors of such numbers.
  mlir::Value addProduct(mlir::Value lhs, mlir::Value rhs, mlir::Value sum);
  mlir::Value add(mlir::Value sum, mlir::Value term);

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }

  /// Splits `position` into coordinates, and sets these in `coordinates`.
  /// `dims` are the dimensions of the batch or of an operand, and positions
  /// number their elements in row-major order: in dimensions of sizes 2 and 8,
  /// position 10 has the coordinates 1 and 2. Where the batch and the columns
  /// share a dimension, the columns' part of the coordinate is added to the
  /// batch's part, so that the batch has to be set before the columns.
  void setDims(llvm::ArrayRef<int64_t> dims, LinearForm position,
               Forms &coordinates, bool areOfBatch = false);
  /// The positions that `dim` has.
  int64_t getSize(int64_t dim, bool isOfBatch = false) const;
  /// Returns position `lane` of vector `vector`, which has `lanes` positions of
  /// an operand, or the operand's last position in place of positions beyond
  /// it. The positions of a vector inside of the operand stay neighbours.
  LinearForm getPosition(const ContractionOperand &operand, LinearForm vector,
                         int64_t lane, int64_t lanes);
  /// Returns the coordinates of the batch and of `position` of an operand.
  Forms getCoordinates(const ContractionOperand &operand, LinearForm position);
  /// Binds the counters of the contraction's loops to iteration `step`, for
  /// element `lane` of `builder`.
  void bindStep(TileBuilder &builder, size_t lane, LinearForm step) {
    bindStep(builder, lane, step, contraction);
  }
  /// Binds the counters of the loops of `sums`.
  void bindStep(TileBuilder &builder, size_t lane, LinearForm step,
                const Contraction &sums);
  /// Whether the factors of neighbouring iterations lie closer in their buffer
  /// than those of neighbouring positions.
  bool isAlongSteps(const ContractionOperand &operand) {
    return isAlongSteps(operand, contraction);
  }
  /// The same for an operand of `sums`. If the operand's positions are no
  /// coordinates of the output, `position` is the value of the body that they
  /// are bound to.
  bool isAlongSteps(const ContractionOperand &operand, const Contraction &sums,
                    mlir::Value position = {}) {
    return getStrides(operand, sums, position).areAlongSteps();
  }
  /// How far apart the factors of an operand of `sums` lie.
  FactorStrides getStrides(const ContractionOperand &operand,
                           const Contraction &sums, mlir::Value position = {});

  /// Returns how many elements of the output a thread stores at once. A vector
  /// of `lanes` columns is stored whole if its elements are always neighbours
  /// in the output, and in halves, quarters and so on otherwise. If the output
  /// is a part of another buffer, no run of the part's bytes may begin or end
  /// within the elements that are stored at once.
  int64_t getStoredTogether(int64_t lanes) const;
  /// Builds whether `position` lies inside of the operand. Null if all
  /// positions of all tiles do.
  mlir::Value buildIsInside(const OperandTile &tile, LinearForm position);
  /// Computes the elements of `sums`, the sums of vector `vector` of columns in
  /// row `row`, and stores the elements that lie inside of the output.
  void storeElements(TileBuilder &builder, const OperandTile &rows,
                     LinearForm row, const OperandTile &columns,
                     LinearForm vector, llvm::ArrayRef<mlir::Value> sums);

  mlir::ImplicitLocOpBuilder b;
  mlir::linalg::GenericOp op;
  const Contraction &contraction;
  const mlir::MemRefType type;
  /// The place of the output in a buffer that it may be a part of.
  const Placement placement;

  mlir::gpu::LaunchOp launch;
  std::optional<BufferViews> views;
  std::optional<IndexForms> forms;
  /// The coordinates of the batch; those of other dimensions are 0.
  Forms batch;
  /// Whether the workgroup has a tile: a grid may have a few workgroups more
  /// than there are tiles. Null where all workgroups have one.
  mlir::Value isWanted;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_CONTRACTIONBUILDER_H
