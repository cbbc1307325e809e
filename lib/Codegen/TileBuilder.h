//===- TileBuilder.h - The elements that a thread computes ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_TILEBUILDER_H
#define DML_LIB_CODEGEN_TILEBUILDER_H

#include "IndexForms.h"
#include "dml/Codegen/Placement.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dml {

/// How the elements of a type fill the vector that a thread stores. SPIR-V's
/// vectors have at most four components: narrow elements travel in 32-bit
/// words.
struct Packing {
  /// `bytes` is 4, 8 or 16, and no less than an element, or an element's.
  Packing(mlir::Type elementType, int64_t bytes)
      : element(elementType), bits(elementType.getIntOrFloatBitWidth()),
        bytes(bytes) {}

  /// Elements in a vector.
  int64_t getCount() const { return bytes * 8 / bits; }
  /// Whether elements travel in words.
  bool hasWords() const { return bits < 32 && getCount() > 1; }
  /// Elements in a 32-bit word, 1 if they do not travel in words.
  int64_t getPerWord() const { return hasWords() ? 32 / bits : 1; }
  mlir::IntegerType getWordType() const {
    return mlir::IntegerType::get(element.getContext(), 32);
  }
  /// The elements of a word.
  mlir::VectorType getPartType() const {
    return mlir::VectorType::get(getPerWord(), element);
  }
  /// What loads and stores take: elements, or words of narrow ones; a vector of
  /// them if they are several.
  mlir::Type getVectorType() const {
    mlir::Type component = hasWords() ? getWordType() : element;
    int64_t count = getCount() / getPerWord();
    return count == 1 ? component : mlir::VectorType::get(count, component);
  }

  mlir::Type element;
  int64_t bits, bytes;
};

/// Buffers as kernels see them: arrays of elements or vectors. SPIR-V
/// with logical addressing has no casts of pointers, so that each view is a
/// buffer of its own to the kernel.
class BufferViews {
public:
  /// Views are made before `launch`.
  explicit BufferViews(mlir::Operation *launch) : launch(launch) {}

  /// The buffer that `buffer` is placed in, as elements of its type.
  mlir::Value getRoot(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  mlir::Value getElements(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  mlir::Value getVectors(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                         const Packing &packing);

private:
  mlir::Value getView(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer,
                      mlir::Type element, int64_t elementBits);

  mlir::Operation *launch;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> views;
  llvm::DenseMap<mlir::Value, mlir::Value> roots;
};

/// Where element `position` of a buffer is among those of its root, or vector
/// `position`, if `bytes` are those of a vector.
LinearForm getPlace(IndexForms &forms, mlir::ImplicitLocOpBuilder &b,
                    const Placement &placement, LinearForm position,
                    int64_t bytes);

/// What an operation of a body computes for one element.
struct Scalar {
  /// An index, and where in `buffer` a load reads.
  LinearForm index;
  /// A load that nothing has needed the value of: a whole vector of loads may
  /// become something cheaper.
  mlir::Value buffer;
  /// Where the load counts, if not everywhere, and the constant that counts
  /// elsewhere.
  mlir::Value guard, otherwise;
  /// Neither an index nor a load.
  mlir::Value value;
};

/// Builds the body of a linalg.generic for several elements, computing once
/// what they have in common.
class TileBuilder {
public:
  TileBuilder(mlir::ImplicitLocOpBuilder &builder, mlir::linalg::GenericOp op,
              IndexForms &forms, BufferViews &views)
      : b(builder), op(op), forms(forms), views(views) {}

  /// What the body yields for the element at `coordinates`.
  Scalar buildElement(llvm::ArrayRef<LinearForm> coordinates);

  /// What the body yields for the elements at each of `coordinates`. A loop
  /// whose bounds are the same for all of them becomes one loop that carries
  /// the values of all: where 4 x 4 elements of a matrix product would load 32
  /// factors in 16 loops, one loop loads 8.
  llvm::SmallVector<Scalar>
  buildElements(llvm::ArrayRef<llvm::SmallVector<LinearForm>> coordinates);

  /// A value of the body that `element` of the next slices uses, and that they
  /// do not compute.
  void bind(size_t element, mlir::Value value, const Scalar &scalar);
  /// Builds `slice`, operations of the body in their order, for the elements at
  /// each of `coordinates`.
  void buildSlice(llvm::ArrayRef<mlir::Operation *> slice,
                  llvm::ArrayRef<llvm::SmallVector<LinearForm>> coordinates);
  /// What `value` of the body is for `element` of the last slices.
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

  /// The vector of `elements`.
  mlir::Value pack(const Packing &packing, llvm::ArrayRef<Scalar> elements);

  /// The position of an element in a packed buffer.
  LinearForm linearize(mlir::MemRefType type,
                       llvm::ArrayRef<LinearForm> coordinates);

private:
  Scalar lookup(mlir::Value value) const;
  LinearForm getIndex(mlir::Value value);
  mlir::Value getValue(mlir::Value value);
  mlir::Value materialize(mlir::Type type, const Scalar &scalar);
  mlir::Value getConstant(mlir::TypedAttr attribute);
  mlir::Value load(mlir::Value buffer, const LinearForm &position);
  mlir::Value loadComponent(mlir::Value buffer, const LinearForm &component);
  mlir::Value buildVector(const Packing &packing,
                          llvm::ArrayRef<mlir::Value> parts);
  mlir::Value packMoved(const Packing &packing,
                        llvm::ArrayRef<Scalar> elements);
  mlir::Value packGuarded(const Packing &packing,
                          llvm::ArrayRef<Scalar> elements);

  mlir::Value packWords(const Packing &packing,
                        llvm::ArrayRef<mlir::Value> elements);
  mlir::Value buildWidening(mlir::Operation &op, mlir::ValueRange operands);

  std::optional<Scalar> buildIndex(mlir::Operation &op);
  std::optional<bool> decide(mlir::arith::CmpIOp op);
  llvm::SmallVector<mlir::Value, 4> getOperands(mlir::Operation &op);
  mlir::Value buildSelect(mlir::Value condition, mlir::Value chosen,
                          mlir::Value otherwise);
  IndexRange getChosenRange(mlir::arith::SelectOp op);
  LinearForm buildChoice(mlir::arith::SelectOp op);
  std::optional<Scalar> buildGuarded(mlir::arith::SelectOp op);
  void buildOther(mlir::Operation &op, llvm::ArrayRef<LinearForm> coordinates);
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
  BufferViews &views;

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
    llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
    std::map<std::pair<void *, LinearForm>, mlir::Value> loads, components;
    std::map<std::tuple<void *, int64_t, LinearForm>, mlir::Value> vectors;
    std::map<std::tuple<void *, void *, void *>, mlir::Value> selections;
    /// What conditions tell of the atoms that they select. (Range analysis does
    /// not know it, so that it decides nothing in the code.)
    IndexForms::Box selected;
    /// Conditions of atoms that are 1 where they hold, else 0.
    llvm::DenseMap<unsigned, mlir::Value> conditions;
  } built;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_TILEBUILDER_H
