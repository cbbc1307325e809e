//===- TileBuilder.h - The elements that a thread computes ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_TILEBUILDER_H
#define DML_LIB_CODEGEN_EMIT_TILEBUILDER_H

#include "Emit/SharedValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dml {

/// Builds the body of a linalg.generic for several elements. Values that are
/// the same for several elements are computed once.
class TileBuilder {
public:
  TileBuilder(mlir::ImplicitLocOpBuilder &builder, mlir::linalg::GenericOp op,
              IndexForms &forms, BufferViews &views)
      : b(builder), op(op), forms(forms), shared(builder, forms, views) {}

  /// The values that the elements share. Callers build further values there.
  SharedValues &getShared() { return shared; }

  /// Builds the value that the body yields for the element at `coordinates`.
  Scalar buildElement(llvm::ArrayRef<LinearForm> coordinates);

  /// Builds the values that the body yields for the elements at each of
  /// `coordinates`. Loops whose bounds are the same for all elements become one
  /// loop that carries the values of all elements: where 4 x 4 elements of a
  /// matrix product would load 32 factors in 16 loops, one loop loads 8.
  llvm::SmallVector<Scalar>
  buildElements(llvm::ArrayRef<llvm::SmallVector<LinearForm>> coordinates);

  /// Binds `value` of the body to `scalar` for `element`. Slices that are built
  /// next use the value and do not compute it.
  void bind(size_t element, mlir::Value value, const Scalar &scalar);
  /// Builds `slice`, operations of the body in their order, for the elements at
  /// each of `coordinates`.
  void buildSlice(llvm::ArrayRef<mlir::Operation *> slice,
                  llvm::ArrayRef<llvm::SmallVector<LinearForm>> coordinates);
  /// Returns the scalar that the slices so far have computed of `value` for
  /// `element`.
  Scalar getScalar(size_t element, mlir::Value value);
  /// Builds that scalar as a value.
  mlir::Value getBuilt(size_t element, mlir::Value value);

  /// Whether the body of `op` has loops that buildElements may join.
  static bool hasLoops(mlir::linalg::GenericOp op);

  /// Whether the body of `op` yields a loaded element as it is, or a constant.
  /// Elements at coordinates beyond a tensor then do no harm as long as the
  /// elements are not packed.
  static bool isMove(mlir::linalg::GenericOp op);
  /// Builds, for a body that moves elements, the choice of the element at
  /// `chosen` where `form` is at least 0, and of the element at `otherwise`
  /// elsewhere. Returns nothing if one of the two elements is a constant.
  std::optional<Scalar> chooseMoved(const LinearForm &form,
                                    llvm::ArrayRef<LinearForm> chosen,
                                    llvm::ArrayRef<LinearForm> otherwise);

  /// The position of an element in a packed buffer.
  LinearForm linearize(mlir::MemRefType type,
                       llvm::ArrayRef<LinearForm> coordinates);

private:
  Scalar lookup(mlir::Value value) const;
  LinearForm getIndex(mlir::Value value);
  mlir::Value getValue(mlir::Value value);
  mlir::Value buildWidening(mlir::Operation &op, mlir::ValueRange operands);

  std::optional<Scalar> buildIndex(mlir::Operation &op);
  std::pair<LinearForm, LinearForm> getSides(mlir::arith::CmpIOp op);
  std::optional<bool> decide(mlir::arith::CmpIOp op);
  llvm::SmallVector<mlir::Value, 4> getOperands(mlir::Operation &op);
  IndexRange getChosenRange(mlir::arith::SelectOp op);
  LinearForm buildChoice(mlir::arith::SelectOp op);
  std::optional<Scalar> buildGuarded(mlir::arith::SelectOp op);
  void buildOther(mlir::Operation &op, llvm::ArrayRef<LinearForm> coordinates);
  void loadFromRoot(mlir::memref::LoadOp load);
  Scalar getResult(mlir::Value result);
  std::optional<unsigned> getClass(mlir::Operation &op);

  using Coordinates = llvm::ArrayRef<llvm::SmallVector<LinearForm>>;
  void buildOperation(mlir::Operation &op,
                      llvm::ArrayRef<LinearForm> coordinates);
  void buildBlock(mlir::Block &block, Coordinates coordinates);
  bool buildLoop(mlir::scf::ForOp loop, Coordinates coordinates);

  using ScalarMap = llvm::DenseMap<mlir::Value, Scalar>;
  ScalarMap &getValues() { return values[current]; }
  const ScalarMap &getValues() const { return values[current]; }

  mlir::ImplicitLocOpBuilder &b;
  mlir::linalg::GenericOp op;
  IndexForms &forms;
  SharedValues shared;

  /// The results of the body's operations for each of the elements that are
  /// being built side by side, and the number of the element that is built at
  /// the moment.
  llvm::SmallVector<ScalarMap, 1> values = {ScalarMap()};
  size_t current = 0;

  /// Operations of the body that compute the same from the same operands.
  llvm::DenseMap<mlir::Operation *, std::optional<unsigned>> classes;
  std::map<llvm::hash_code, llvm::SmallVector<mlir::Operation *>> byHash;

  /// The values that have been built, which later code may use again. The
  /// values of a loop's body are forgotten behind the loop.
  struct Built {
    llvm::DenseMap<std::pair<unsigned, llvm::SmallVector<mlir::Value, 4>>,
                   mlir::Value>
        computed;
    /// The ranges that conditions imply for the indices that they select.
    /// (Range analysis does not see these ranges, so that they decide no
    /// comparison in the code.)
    IndexForms::Box selected;
    /// The condition of each atom that is 1 where the condition holds and 0
    /// elsewhere.
    llvm::DenseMap<unsigned, mlir::Value> conditions;
  } built;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_TILEBUILDER_H
