//===- OpUtils.h - Checks that the operators share --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IR_OPUTILS_H
#define DML_LIB_IR_OPUTILS_H

#include "dml/IR/DML.h"
#include "mlir/IR/Diagnostics.h"

namespace dml {

/// Emits an error of the operator `OpTy` at `location`, if there is one. For
/// result type inference, which runs before the op exists.
template <typename OpTy, typename... Args>
llvm::LogicalResult emitInferenceError(std::optional<mlir::Location> location,
                                       Args &&...args) {
  return mlir::emitOptionalError(location, "'", OpTy::getOperationName(),
                                 "' op ", std::forward<Args>(args)...);
}

/// Checks that the array attribute `name`, which has `found` values, has
/// `wanted`, one for each `what`.
template <typename OpTy>
llvm::LogicalResult verifyCount(std::optional<mlir::Location> location,
                                llvm::StringRef name, size_t found,
                                size_t wanted, llvm::StringRef what) {
  if (found == wanted)
    return llvm::success();
  return emitInferenceError<OpTy>(
      location, name, " has ", found, found == 1 ? " value" : " values",
      ", but wants ", wanted, ", one for each ", what);
}

/// Checks that the array attribute `name` has `count` values, one for each
/// `what`, none of them below `minimum`.
template <typename OpTy>
llvm::LogicalResult verifyArray(std::optional<mlir::Location> location,
                                llvm::StringRef name,
                                llvm::ArrayRef<int64_t> values, size_t count,
                                llvm::StringRef what, int64_t minimum) {
  if (failed(verifyCount<OpTy>(location, name, values.size(), count, what)))
    return llvm::failure();
  for (size_t i = 0; i < count; ++i)
    if (values[i] < minimum || values[i] > UINT32_MAX)
      return emitInferenceError<OpTy>(location, name, "[", i, "] is ",
                                      values[i], ", but wants a value from ",
                                      minimum, " to ", UINT32_MAX);
  return llvm::success();
}

/// Checks a size that inference gives to `output`. Inference may run before
/// anything is verified: callers saturate, and so notice sizes that are none.
template <typename OpTy>
llvm::LogicalResult verifyOutputSize(std::optional<mlir::Location> location,
                                     size_t dim, uint64_t size) {
  if (size <= UINT32_MAX)
    return llvm::success();
  return emitInferenceError<OpTy>(
      location, "output would have size ", size, " in dimension ", dim,
      ", but DirectML sizes range from 1 to ", UINT32_MAX);
}

} // namespace dml

#endif // DML_LIB_IR_OPUTILS_H
