//===- SharedValues.h - What elements of a thread share ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_SHAREDVALUES_H
#define DML_LIB_CODEGEN_EMIT_SHAREDVALUES_H

#include "Emit/BufferViews.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <variant>

namespace dml {

/// A load that is built once its value is needed. Until then a whole vector of
/// loads may become something cheaper, such as one load of words.
struct Load {
  mlir::Value buffer;
  /// The number of the element in the buffer.
  LinearForm position;
  /// The condition under which the loaded element is taken, and the constant
  /// that is taken elsewhere. Both are null where the element is always taken.
  mlir::Value guard, otherwise;
  /// The element, once something has needed it.
  mlir::Value value;
};

/// What an operation of a body computes for one element: an index, a load, or
/// another value.
using Scalar = std::variant<LinearForm, Load, mlir::Value>;

/// `form` divided by `divisor` and what is left, if that is the same number for
/// all threads.
std::optional<std::pair<LinearForm, int64_t>>
divideExactly(const LinearForm &form, int64_t divisor);

/// Values that elements of a thread have in common, each built once: constants,
/// selections and what is loaded.
class SharedValues {
public:
  SharedValues(mlir::ImplicitLocOpBuilder &builder, IndexForms &forms,
               BufferViews &views)
      : b(builder), forms(forms), views(views) {}

  mlir::Value getConstant(mlir::TypedAttr attribute);
  mlir::Value buildSelect(mlir::Value condition, mlir::Value chosen,
                          mlir::Value otherwise);
  /// The element at `position` of `buffer`.
  mlir::Value load(mlir::Value buffer, const LinearForm &position);
  /// Loads an element, or a word of narrow ones, as a component of the largest
  /// vector in which it has the same place for all threads. Mostly its
  /// neighbours are wanted as well, and a group of threads takes no longer to
  /// load vectors than to load parts of them.
  mlir::Value loadComponent(mlir::Value buffer, const LinearForm &component);
  /// The value of `scalar` in code.
  mlir::Value materialize(const Scalar &scalar);

  /// What has been built and may be used again from here on.
  struct Built {
    llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
    std::map<std::pair<void *, LinearForm>, mlir::Value> loads, components;
    std::map<std::tuple<void *, int64_t, LinearForm>, mlir::Value> vectors;
    std::map<std::tuple<void *, void *, void *>, mlir::Value> selections;
  };
  const Built &getBuilt() const { return built; }
  /// Forgets what was built after `earlier` was: values of a loop's body are
  /// none behind it.
  void restore(Built earlier) { built = std::move(earlier); }

  mlir::ImplicitLocOpBuilder &b;
  IndexForms &forms;
  BufferViews &views;

private:
  mlir::Value loadAlone(mlir::Value buffer, const LinearForm &position);
  mlir::Value loadFromNeighbours(mlir::Value buffer,
                                 const LinearForm &position);

  Built built;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_SHAREDVALUES_H
