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

/// Builds the body of a linalg.generic for several elements of the output.
/// Values that several elements have in common are computed once.
class TileBuilder {
public:
  TileBuilder(mlir::ImplicitLocOpBuilder &builder, mlir::linalg::GenericOp op,
              IndexForms &forms, BufferViews &views)
      : b(builder), op(op), forms(forms), shared(builder, forms, views) {}

  /// Returns the object that builds the values that several elements have in
  /// common. Callers use it to build further values.
  SharedValues &getShared() { return shared; }

  /// Builds the value that the body yields for the element at `coordinates`.
  Scalar buildElement(llvm::ArrayRef<LinearForm> coordinates);

  /// Builds the values that the body yields for the elements at each of
  /// `coordinates`. A loop whose bounds are the same for all elements is built
  /// once and carries the values of all elements: for 4 x 4 elements of a
  /// matrix product, one loop loads 8 factors an iteration, where 16 separate
  /// loops would load 32.
  llvm::SmallVector<Scalar>
  buildElements(llvm::ArrayRef<llvm::SmallVector<LinearForm>> coordinates);

  /// Makes `scalar` stand for `value` of the body in the code for element
  /// number `element`. Operations that buildSlice() builds later use `scalar`
  /// and do not compute `value`.
  void bind(size_t element, mlir::Value value, const Scalar &scalar);
  /// Builds the operations `slice` of the body, in the order in which they
  /// stand there, for the elements at each of `coordinates`.
  void buildSlice(llvm::ArrayRef<mlir::Operation *> slice,
                  llvm::ArrayRef<llvm::SmallVector<LinearForm>> coordinates);
  /// Returns the scalar that bind() or buildSlice() has last given to `value`
  /// of the body, for element number `element`. A value that is defined outside
  /// of the body stands for itself.
  Scalar getScalar(size_t element, mlir::Value value);
  /// Returns the value of the kernel for which getScalar()'s result stands, and
  /// builds it if necessary.
  mlir::Value getBuilt(size_t element, mlir::Value value);

  /// Whether the body of `op` has loops, which buildElements() may build once
  /// for all elements.
  static bool hasLoops(mlir::linalg::GenericOp op);

  /// Whether the body of `op` only moves elements: it yields a loaded element
  /// without computation, or selects between a loaded element and a constant.
  /// For such a body, a TileBuilder computes only the position of the load
  /// until the element is needed. A kernel may therefore build the body at
  /// coordinates beyond the end of a row. If a vector may continue in the next
  /// row, the kernel builds the body for both rows and selects between the two
  /// positions (chooseMoved()).
  static bool isMove(mlir::linalg::GenericOp op);
  /// For a body that moves elements, builds the load of the element at `chosen`
  /// if `form` is at least 0, and of the element at `otherwise` if not. The
  /// kernel selects between the two positions and loads once, for example where
  /// a vector crosses the end of a row and each of its elements lies in one of
  /// two rows. Returns nothing if the body is known to yield a constant for one
  /// of the two elements, since a constant has no position.
  std::optional<Scalar> chooseMoved(const LinearForm &form,
                                    llvm::ArrayRef<LinearForm> chosen,
                                    llvm::ArrayRef<LinearForm> otherwise);

  /// Returns the row-major position of the element at `coordinates`.
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
  /// built together, and the index of the element whose operations are being
  /// built.
  llvm::SmallVector<ScalarMap, 1> values = {ScalarMap()};
  size_t current = 0;

  /// The classes of operations: two operations have the same class if they
  /// compute equal results from equal operands, so that one result can serve
  /// for both.
  llvm::DenseMap<mlir::Operation *, std::optional<unsigned>> classes;
  std::map<llvm::hash_code, llvm::SmallVector<mlir::Operation *>> byHash;

  /// The values that have been built and that later code may reuse. At the end
  /// of a loop, the values of its body are forgotten.
  struct Built {
    llvm::DenseMap<std::pair<unsigned, llvm::SmallVector<mlir::Value, 4>>,
                   mlir::Value>
        computed;
    /// The ranges of the atoms that are results of select operations. For
    /// `%s = select(i < 8, i, 0)`, this range is 0 to 7, even if i can be
    /// larger. The ranges may prove that a load is inside of its buffer. They
    /// must not remove a comparison of %s with a bound, such as `%s < 100`:
    /// MLIR's range analysis, which runs later, does not derive the range of %s
    /// from the select, and needs the comparison.
    IndexForms::Box selected;
    /// Atoms that are 1 where a condition holds and 0 elsewhere, with their
    /// conditions. In the index of a load that is used only where the condition
    /// holds, the atom can be taken as 1.
    llvm::DenseMap<unsigned, mlir::Value> conditions;
  } built;
};

/// Identifies a factor that a TileBuilder has built: `element` is the index of
/// the element for which the body was built, and `term` is the index of the
/// factor's term among those that an iteration of the loop over terms adds.
struct BuiltFactor {
  int64_t element, term;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_TILEBUILDER_H
