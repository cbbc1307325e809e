//===- BodySlice.h - Backward slices of bodies ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_BODYSLICE_H
#define DML_LIB_CODEGEN_ANALYSIS_BODYSLICE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dml {

/// Returns the number of iterations of a loop that counts from 0 in steps of 1
/// and has at least one iteration, or nothing for other loops.
inline std::optional<int64_t> getCountFromZero(mlir::scf::ForOp loop) {
  std::optional<llvm::APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->isZero() ||
      !loop.getInductionVar().getType().isIndex() ||
      !matchPattern(loop.getLowerBound(), mlir::m_Zero()) ||
      !matchPattern(loop.getStep(), mlir::m_One()))
    return std::nullopt;
  return trips->getSExtValue();
}

/// The operations in the body of a linalg.generic, on buffers or tensors, that
/// compute some values of the body: a backward slice.
class BodySlice {
public:
  using Operation = mlir::Operation;
  using Value = mlir::Value;

  /// Creates an empty slice. The slice will not contain the operations that
  /// compute the values `given`, which are its inputs.
  BodySlice(mlir::linalg::GenericOp op, llvm::ArrayRef<Value> given) : op(op) {
    this->given.insert_range(given);
  }

  /// Adds the operations that compute `value`. Fails if one of these operations
  /// has a region, as a loop has, or a side effect other than a load. Fails as
  /// well if an operation uses a block argument that is not among the given
  /// values, such as an induction variable or a value that a loop carries.
  llvm::LogicalResult add(Value value) {
    if (given.contains(value) ||
        !op.getRegion().isAncestor(value.getParentRegion()))
      return llvm::success();
    Operation *definition = value.getDefiningOp();
    if (!definition || definition->getNumRegions() ||
        !(isLoad(definition) || isMemoryEffectFree(definition)))
      return llvm::failure();
    if (!operations.insert(definition).second)
      return llvm::success();
    for (Value operand : definition->getOperands())
      if (failed(add(operand)))
        return llvm::failure();
    return llvm::success();
  }

  /// Returns the operations in the order in which they stand in the body.
  llvm::SmallVector<Operation *> getOperations() {
    llvm::SmallVector<Operation *> ordered;
    op.getBody()->walk<mlir::WalkOrder::PreOrder>([&](Operation *nested) {
      if (operations.contains(nested))
        ordered.push_back(nested);
    });
    return ordered;
  }

  /// Returns the dimensions of the output on whose coordinates the slice
  /// depends.
  llvm::SmallBitVector getDims() {
    llvm::SmallBitVector dims(op.getNumLoops());
    for (Operation *operation : operations)
      if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(operation))
        dims.set(index.getDim());
    return dims;
  }

  /// Whether `op` reads an element of a buffer or of a tensor.
  static bool isLoad(Operation *op) {
    return mlir::isa<mlir::memref::LoadOp, mlir::tensor::ExtractOp>(op);
  }

private:
  mlir::linalg::GenericOp op;
  llvm::SmallPtrSet<Value, 8> given;
  llvm::SmallPtrSet<Operation *, 32> operations;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_BODYSLICE_H
