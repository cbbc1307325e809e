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

/// What verifyArrays looks at.
struct ArrayVerifier {
  std::optional<mlir::Location> location;
  llvm::StringRef opName;
  const OperatorSupport &support;
  /// The op's own attributes.
  mlir::DictionaryAttr attributes;
  /// The rank of a tensor, if it has one.
  llvm::function_ref<std::optional<int64_t>(llvm::StringRef tensor)> getRank;
};

/// Checks that the array attributes hold what the support table says of them.
llvm::LogicalResult verifyArrays(const ArrayVerifier &verifier);

/// Checks that the operands are ranked tensors. Result type inference may run
/// before anything is verified, and looks at their shapes.
template <typename OpTy>
llvm::LogicalResult verifyRanked(std::optional<mlir::Location> location,
                                 mlir::ValueRange operands) {
  for (auto [index, operand] : llvm::enumerate(operands))
    if (!mlir::isa<mlir::RankedTensorType>(operand.getType()))
      return emitInferenceError<OpTy>(location, "operand ", index, " has type ",
                                      operand.getType(),
                                      ", but wants a ranked tensor");
  return llvm::success();
}

/// Checks the arrays in result type inference, which runs before the op exists.
/// The tensors that the arrays speak of are operands.
template <typename OpTy>
llvm::LogicalResult verifyArrays(std::optional<mlir::Location> location,
                                 mlir::MLIRContext *context,
                                 typename OpTy::Adaptor adaptor) {
  const OperatorSupport &support = OpTy::getOperatorSupport();
  auto attributes = mlir::dyn_cast_or_null<mlir::DictionaryAttr>(
      OpTy::getPropertiesAsAttr(context, adaptor.getProperties()));
  if (!attributes)
    return llvm::success();
  auto getRank = [&](llvm::StringRef name) -> std::optional<int64_t> {
    for (auto [index, info] : llvm::enumerate(support.tensors)) {
      if (info.isResult || info.name != name)
        continue;
      auto [first, count] = adaptor.getODSOperandIndexAndLength(index);
      if (count == 0)
        return std::nullopt;
      auto type = mlir::dyn_cast<mlir::RankedTensorType>(
          adaptor.getOperands()[first].getType());
      return type ? std::optional(type.getRank()) : std::nullopt;
    }
    return std::nullopt;
  };
  return verifyArrays(
      {location, OpTy::getOperationName(), support, attributes, getRank});
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
