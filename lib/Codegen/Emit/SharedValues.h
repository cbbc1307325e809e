//===- SharedValues.h - Values that a thread computes once ------*- C++ -*-===//
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

/// A load that is built only when its value is needed. Until then, the loads of
/// a whole vector may still be replaced by cheaper loads, such as loads of
/// 32-bit words.
struct Load {
  mlir::Value buffer;
  /// The row-major position of the element in the buffer.
  LinearForm position;
  /// The condition under which the loaded element is used, and the constant
  /// that is used if the condition is false. Both are null for an unconditional
  /// load.
  mlir::Value guard, otherwise;
  /// The loaded element, or null while the load is not built.
  mlir::Value value;
};

/// The result of an operation of a body for one element: an index, a load, or
/// another value.
using Scalar = std::variant<LinearForm, Load, mlir::Value>;

/// Returns the quotient and the remainder of `form` by `divisor`, if the
/// remainder is a constant: 8 t + 3 divided by 4 is 2 t with remainder 3.
/// Returns nothing otherwise.
std::optional<std::pair<LinearForm, int64_t>>
divideExactly(const LinearForm &form, int64_t divisor);

/// Builds constants, selections and loads, each at most once, for all elements
/// that a thread computes.
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
  /// Loads component `component` of `buffer`: an element, or a 32-bit word of
  /// narrow elements. The function loads a vector of up to 16 bytes, and
  /// extracts the component. The vector is the largest one in which the
  /// component has the same place for all threads: with f32, component 4 t + 1
  /// is component 1 of vector t for each thread t. The other components of the
  /// vector are usually needed as well, and a subgroup loads vectors in the
  /// time of single components.
  mlir::Value loadComponent(mlir::Value buffer, const LinearForm &component);
  /// Builds the value for which `scalar` stands.
  mlir::Value materialize(const Scalar &scalar);

  /// The values that have been built and that later code may reuse.
  struct Built {
    llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
    std::map<std::pair<void *, LinearForm>, mlir::Value> loads, components;
    std::map<std::tuple<void *, int64_t, LinearForm>, mlir::Value> vectors;
    std::map<std::tuple<void *, void *, void *>, mlir::Value> selections;
  };
  const Built &getBuilt() const { return built; }
  /// Forgets the values that were built after getBuilt() returned `earlier`.
  /// The function is called at the end of a loop, since code behind the loop
  /// cannot use values of the loop's body.
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
