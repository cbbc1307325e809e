//===- ContractionBuilder.h - What kernels of contractions share -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_CONTRACTIONBUILDER_H
#define DML_LIB_CODEGEN_CONTRACTIONBUILDER_H

#include "Contraction.h"
#include "Launch.h"
#include "TileBuilder.h"

namespace dml {

/// Builds parts that the kernels of a contraction have in common: the launch,
/// the factors of a thread, and the elements that are made of its sums.
class ContractionBuilder {
protected:
  using Forms = llvm::SmallVector<LinearForm>;

  ContractionBuilder(mlir::linalg::GenericOp op, const Contraction &contraction,
                     int64_t numThreads);

  /// Creates a launch of at least `groups` workgroups, and gives the number of
  /// one. Those that are too many do the work of the last one, and store
  /// nothing.
  LinearForm createGroups(int64_t groups);

  mlir::Value constant(int64_t value);
  /// Sets the coordinates of `dims` for `position`, the number of a place in
  /// all of them.
  void setDims(llvm::ArrayRef<int64_t> dims, LinearForm position,
               Forms &coordinates);
  /// Position `lane` of vector `vector` of an operand, whose vectors have
  /// `lanes` positions, the last position beyond it. A vector of positions that
  /// there are stays one of neighbours.
  LinearForm getPosition(const ContractionOperand &operand, LinearForm vector,
                         int64_t lane, int64_t lanes);
  /// Builds what `slice` computes at each of the iterations `steps` for each of
  /// the `lanes` positions of `vector` of `operand`: element number
  /// `lanes` * i + lane of the builder is that of iteration i.
  void buildFactors(TileBuilder &builder, const ContractionOperand &operand,
                    llvm::ArrayRef<mlir::Operation *> slice, LinearForm vector,
                    int64_t lanes, llvm::ArrayRef<LinearForm> steps);

  /// How many of `lanes` neighbouring columns are stored together: all, if
  /// these are always neighbours in the output and no part of another buffer
  /// begins or ends among them, or one.
  int64_t getStoredTogether(int64_t lanes) const;
  /// Makes the elements at `coordinates`, neighbouring columns, of their sums,
  /// and stores them, each where `isInside` holds of the columns from its
  /// number on; null stands for everywhere.
  void
  storeElements(TileBuilder &builder, llvm::ArrayRef<Forms> coordinates,
                mlir::ValueRange sums,
                llvm::function_ref<mlir::Value(int64_t lane)> isInside);
  /// The condition of `position` being one of `operand`, or null if `multiple`,
  /// of which tiles have as many positions, says so.
  mlir::Value isInside(const ContractionOperand &operand, int64_t multiple,
                       LinearForm position);
  /// Both conditions; null holds always.
  mlir::Value both(mlir::Value lhs, mlir::Value rhs);

  mlir::ImplicitLocOpBuilder b;
  mlir::linalg::GenericOp op;
  const Contraction &contraction;
  const int64_t numThreads;
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

/// Whether the factors that neighbouring iterations of `contraction`, which
/// describes `op`, have of `operand` lie closer in their buffer than those of
/// neighbouring positions, as the first load tells.
bool isAlongSteps(mlir::linalg::GenericOp op, const Contraction &contraction,
                  const ContractionOperand &operand);

} // namespace dml

#endif // DML_LIB_CODEGEN_CONTRACTIONBUILDER_H
