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

/// Builds the body of a linalg.generic for several elements, computing once
/// what they have in common.
class TileBuilder {
public:
  TileBuilder(mlir::ImplicitLocOpBuilder &builder, mlir::linalg::GenericOp op,
              IndexForms &forms, BufferViews &views)
      : b(builder), op(op), forms(forms), shared(builder, forms, views) {}

  /// What the elements have in common, to build more of it.
  SharedValues &getShared() { return shared; }

  /// What the body yields for the element at `coordinates`.
  Scalar buildElement(llvm::ArrayRef<LinearForm> coordinates);

  /// What the body yields for the elements at each of `coordinates`. A loop
  /// whose bounds are the same for all of them becomes one loop that carries
  /// the values of all: where 4 x 4 elements of a matrix product would load 32
  /// factors in 16 loops, one loop loads 8.
  llvm::SmallVector<Scalar>
  buildElements(llvm::ArrayRef<llvm::SmallVector<LinearForm>> coordinates);

  /// Says that `value` of the body, which the next slices use and do not
  /// compute, is `scalar` for `element`.
  void bind(size_t element, mlir::Value value, const Scalar &scalar);
  /// Builds `slice`, operations of the body in their order, for the elements at
  /// each of `coordinates`.
  void buildSlice(llvm::ArrayRef<mlir::Operation *> slice,
                  llvm::ArrayRef<llvm::SmallVector<LinearForm>> coordinates);
  /// The scalar that `value` of the body is for `element`, in the slices that
  /// were built last.
  Scalar getScalar(size_t element, mlir::Value value);
  /// ... in code.
  mlir::Value getBuilt(size_t element, mlir::Value value);

  /// Whether the body of `op` has loops that buildElements may join.
  static bool hasLoops(mlir::linalg::GenericOp op);

  /// Whether the body of `op` yields what it loads, or a constant. Elements at
  /// coordinates that no tensor has then do no harm, as long as they are not
  /// packed.
  static bool isMove(mlir::linalg::GenericOp op);
  /// Of a body that moves elements, the one at `chosen` where `form` is at
  /// least 0, and the one at `otherwise` elsewhere. Nothing if one of them is a
  /// constant.
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

  /// What the body's operations compute for each of the elements that are being
  /// built side by side, and the number of the one whose turn it is.
  llvm::SmallVector<ScalarMap, 1> values = {ScalarMap()};
  size_t current = 0;

  /// Operations of the body that compute the same from the same operands.
  llvm::DenseMap<mlir::Operation *, std::optional<unsigned>> classes;
  std::map<llvm::hash_code, llvm::SmallVector<mlir::Operation *>> byHash;

  /// What has been built and may be used again from here on. Values that are
  /// built inside of a loop are forgotten behind it.
  struct Built {
    llvm::DenseMap<std::pair<unsigned, llvm::SmallVector<mlir::Value, 4>>,
                   mlir::Value>
        computed;
    /// What conditions tell of the atoms that they select. (Range analysis does
    /// not know it, so that it decides nothing in the code.)
    IndexForms::Box selected;
    /// Conditions of atoms that are 1 where they hold, else 0.
    llvm::DenseMap<unsigned, mlir::Value> conditions;
  } built;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_TILEBUILDER_H
