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
#include <vector>

namespace dml::reader {

/// An operand, identified by its name in DirectML's description. There is no
/// value if the operand is optional and absent, and there are several values if
/// it is an array.
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

/// Builds the operator `name`, which must exist in dml. If its verifier rejects
/// the operator, builds nothing and returns the verifier's message as an error;
/// if `builder` is a rewriter, the operator is left for it to undo.
/// `adjust` may change the operator before verification.
llvm::Expected<mlir::Operation *>
buildOperator(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::OperationName name, llvm::ArrayRef<Operand> operands,
              llvm::ArrayRef<mlir::NamedAttribute> attributes,
              mlir::TypeRange results,
              llvm::function_ref<void(mlir::Operation *)> adjust = nullptr);

/// Builds a constant. `data` contains all elements, or a single one to which
/// all are equal. 4-bit elements are two to a byte in a resource, and have a
/// byte each otherwise. Apart from small constants, the elements are not
/// copied: `owner` keeps them, and they become the resource `name`.
mlir::Value buildConstant(mlir::OpBuilder &builder, mlir::Location loc,
                          DataType type, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<char> data,
                          std::shared_ptr<const void> owner,
                          llvm::StringRef name, bool isResource);

/// Returns a byte for each of `count` 4-bit elements, which `packed` has two to
/// a byte, the first in the low half.
std::vector<char> unpackFourBits(llvm::ArrayRef<char> packed, int64_t count);

/// Builds a view of `value` with the shape `to`, which has equally many
/// elements.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, llvm::ArrayRef<int64_t> to);

/// The largest number of bytes in a constant that becomes an attribute.
/// Attributes are compared by their elements, and exist as long as the context.
inline constexpr size_t maxInlineBytes = 64;

} // namespace dml::reader

#endif // DML_LIB_IMPORT_SUPPORT_BUILDER_H
