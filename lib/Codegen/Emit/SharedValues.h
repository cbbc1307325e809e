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

/// A load that is built only when its value is needed. Until then, a whole
/// vector of loads may still be replaced by a cheaper one, such as a load of
/// 32-bit words.
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

/// The result of an operation of a body for one element: an index, a load, or
/// another value.
using Scalar = std::variant<LinearForm, Load, mlir::Value>;

/// Returns quotient and remainder of `form` by `divisor`, if the remainder is
/// the same number for all threads: 8 t + 3 by 4 is 2 t and 3.
std::optional<std::pair<LinearForm, int64_t>>
divideExactly(const LinearForm &form, int64_t divisor);

/// Constants, selections and loaded values of a thread. Each is built once and
/// shared by the thread's elements.
class SharedValues {
public:
  SharedValues(mlir::ImplicitLocOpBuilder &builder, IndexForms &forms,
               BufferViews &views)
      : b(builder), forms(forms), views(views) {}

  mlir::Value getConstant(mlir::TypedAttr attribute);
  mlir::Value buildSelect(mlir::Value condition, mlir::Value chosen,
                          mlir::Value otherwise);
  /// Builds the load of the element at `position` of `buffer`.
  mlir::Value load(mlir::Value buffer, const LinearForm &position);
  /// Loads an element, or a 32-bit word of narrow elements, as a component of
  /// the largest vector in which the component has the same place for all
  /// threads. The neighbours of a component are mostly wanted as well, and a
  /// subgroup takes no longer to load vectors than to load their components.
  mlir::Value loadComponent(mlir::Value buffer, const LinearForm &component);
  /// Builds the value of `scalar`.
  mlir::Value materialize(const Scalar &scalar);

  /// The values that have been built, which later code may use again.
  struct Built {
    llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
    std::map<std::pair<void *, LinearForm>, mlir::Value> loads, components;
    std::map<std::tuple<void *, int64_t, LinearForm>, mlir::Value> vectors;
    std::map<std::tuple<void *, void *, void *>, mlir::Value> selections;
  };
  const Built &getBuilt() const { return built; }
  /// Forgets the values that were built since getBuilt() returned `earlier`.
  /// The code behind a loop cannot use values of the loop's body.
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
