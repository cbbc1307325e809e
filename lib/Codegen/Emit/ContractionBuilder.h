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

/// A workgroup's tile of an operand.
struct OperandTile {
  const ContractionOperand *operand = nullptr;
  /// Positions that a workgroup has of it.
  int64_t positions = 0;
  /// Which of the tiles that its positions are cut into the workgroup has.
  LinearForm tile;
};

/// What the kernels of contractions have in common, whatever adds up the
/// products: which tile of the sums a workgroup has, where its factors are and
/// how they are computed, and what becomes of the sums. Positions of rows and
/// columns come in vectors of neighbours, whose members are called lanes.
class ContractionBuilder {
protected:
  using Forms = llvm::SmallVector<LinearForm>;

  ContractionBuilder(mlir::linalg::GenericOp op,
                     const Contraction &contraction);

  /// Creates the launch of a workgroup of `threads` for each tile of
  /// `rowPositions` by `columnPositions` sums, and stands in it from then on.
  /// Consecutive workgroups have `panel` tiles of rows before they go on to the
  /// next tile of columns, which divides the number of tiles of rows.
  void buildLaunch(int64_t rowPositions, int64_t columnPositions,
                   int64_t threads, OperandTile &rows, OperandTile &columns,
                   int64_t panel = 1);

  /// 0 in the type of the sums, or vectors of `lanes` of them.
  mlir::Value getZero(int64_t lanes = 1);
  /// Adds the product of `lhs` and `rhs`, or `term`, to `sum`. They are all
  /// numbers of the type of the sums, or all vectors of such numbers.
  mlir::Value addProduct(mlir::Value lhs, mlir::Value rhs, mlir::Value sum);
  mlir::Value add(mlir::Value sum, mlir::Value term);

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }

  /// Sets the coordinates of `dims`, those of the batch or of an operand, for
  /// `position`, the number of a place in all of them. What the batch has of a
  /// dimension that it shares with the columns is set first.
  void setDims(llvm::ArrayRef<int64_t> dims, LinearForm position,
               Forms &coordinates, bool areOfBatch = false);
  /// The positions that `dim` has.
  int64_t getSize(int64_t dim, bool isOfBatch = false) const;
  /// Position `lane` of vector `vector` of an operand, which has `lanes`; the
  /// last position beyond it. A vector of positions that there are stays one of
  /// neighbours.
  LinearForm getPosition(const ContractionOperand &operand, LinearForm vector,
                         int64_t lane, int64_t lanes);
  /// The coordinates of the batch and of `position` of an operand.
  Forms getCoordinates(const ContractionOperand &operand, LinearForm position);
  /// Makes iteration `step` that which slices compute for element `lane`.
  void bindStep(TileBuilder &builder, size_t lane, LinearForm step) {
    bindStep(builder, lane, step, contraction);
  }
  /// ... of the loops of `sums`.
  void bindStep(TileBuilder &builder, size_t lane, LinearForm step,
                const Contraction &sums);
  /// Whether the factors of neighbouring iterations lie closer in their buffer
  /// than those of neighbouring positions.
  bool isAlongSteps(const ContractionOperand &operand) {
    return isAlongSteps(operand, contraction);
  }
  /// ... of an operand of `sums`, whose positions are those of `position`, a
  /// value of the body, if they are no coordinates of the output.
  bool isAlongSteps(const ContractionOperand &operand, const Contraction &sums,
                    mlir::Value position = {}) {
    return getStrides(operand, sums, position).areAlongSteps();
  }
  /// How far apart the factors of an operand of `sums` lie.
  FactorStrides getStrides(const ContractionOperand &operand,
                           const Contraction &sums, mlir::Value position = {});

  /// How many elements are stored together: as many of the `lanes` of a vector
  /// of columns as are always neighbours in the output, if no part of another
  /// buffer begins or ends among them, and if a thread stores so many at once.
  int64_t getStoredTogether(int64_t lanes) const;
  /// Whether `position` is one of the operand's, or null if all are.
  mlir::Value buildIsInside(const OperandTile &tile, LinearForm position);
  /// Makes the elements of `sums`, which are those of vector `vector` of
  /// columns in the row at `row`, and stores those that are wanted.
  void storeElements(TileBuilder &builder, const OperandTile &rows,
                     LinearForm row, const OperandTile &columns,
                     LinearForm vector, llvm::ArrayRef<mlir::Value> sums);

  mlir::ImplicitLocOpBuilder b;
  mlir::linalg::GenericOp op;
  const Contraction &contraction;
  const mlir::MemRefType type;
  /// Where the output is in the buffer that it may be a part of.
  const Placement placement;

  mlir::gpu::LaunchOp launch;
  std::optional<BufferViews> views;
  std::optional<IndexForms> forms;
  /// The coordinates of the batch; those of other dimensions are 0.
  Forms batch;
  /// Whether the workgroup is one that is wanted, or null where all are.
  mlir::Value isWanted;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_CONTRACTIONBUILDER_H
