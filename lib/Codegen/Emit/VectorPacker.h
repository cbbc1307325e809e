//===- VectorPacker.h - Elements as vectors to store ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_EMIT_VECTORPACKER_H
#define DML_LIB_CODEGEN_EMIT_VECTORPACKER_H

#include "Emit/SharedValues.h"

namespace dml {

/// Packs the elements that a thread computes into the vectors that the thread
/// stores. Elements that a body loads and does not change are packed as whole
/// words or vectors where possible.
class VectorPacker {
public:
  VectorPacker(SharedValues &shared, const Packing &packing)
      : shared(shared), b(shared.b), forms(shared.forms), packing(packing) {}

  /// Builds the vector of `elements`.
  mlir::Value pack(llvm::ArrayRef<Scalar> elements);

private:
  mlir::Value buildVector(llvm::ArrayRef<mlir::Value> parts);
  mlir::Value packMoved(llvm::ArrayRef<Scalar> elements);
  mlir::Value packGuarded(llvm::ArrayRef<Scalar> elements);
  mlir::Value packWords(llvm::ArrayRef<mlir::Value> elements);

  SharedValues &shared;
  mlir::ImplicitLocOpBuilder &b;
  IndexForms &forms;
  const Packing packing;
};

} // namespace dml

#endif // DML_LIB_CODEGEN_EMIT_VECTORPACKER_H
