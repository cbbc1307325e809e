//===- Builder.h - Building operators by their names ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_SUPPORT_BUILDER_H
#define DML_LIB_IMPORT_SUPPORT_BUILDER_H

#include "dml/IR/DML.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace dml::reader {

/// An operand under its name in DirectML's description; none where it is
/// optional and absent, several where it is an array.
struct Operand {
  llvm::StringRef name;
  llvm::SmallVector<mlir::Value> values;
  Operand(llvm::StringRef name, mlir::Value value) : name(name) {
    if (value)
      values.push_back(value);
  }
  Operand(llvm::StringRef name, llvm::ArrayRef<mlir::Value> values)
      : name(name), values(values) {}
};

/// Builds the operator `name`, which dml has. Where its verifier refuses it,
/// nothing is built, and the error is what the verifier says. `adjust` may
/// change the operator before it is verified.
llvm::Expected<mlir::Operation *>
buildOperator(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::OperationName name, llvm::ArrayRef<Operand> operands,
              llvm::ArrayRef<mlir::NamedAttribute> attributes,
              mlir::TypeRange results,
              llvm::function_ref<void(mlir::Operation *)> adjust = nullptr);

/// Builds a constant of the elements `data`, or of one that all of them are.
/// Elements beyond a few stay where they are, which `owner` keeps, and become
/// the resource `name`.
mlir::Value buildConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          DataType type, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<char> data,
                          std::shared_ptr<const void> owner,
                          llvm::StringRef name, bool isResource);

/// A view of `value` in the shape `to`, which has as many elements.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, llvm::ArrayRef<int64_t> to);

/// Attributes of the context are compared by their elements, and live as long
/// as it does: few bytes alone become one.
inline constexpr size_t maxInlineBytes = 64;

} // namespace dml::reader

#endif // DML_LIB_IMPORT_SUPPORT_BUILDER_H
