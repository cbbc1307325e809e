//===- OpUtils.h - Checks that the operators share --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IR_OPUTILS_H
#define DML_LIB_IR_OPUTILS_H

#include "dml/IR/DML.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/raw_ostream.h"

namespace dml {

/// Emits an error about the operator `OpTy` at `location`, if there is a
/// location. For the inference of result types, which runs before the operation
/// exists.
template <typename OpTy, typename... Args>
llvm::LogicalResult emitInferenceError(std::optional<mlir::Location> location,
                                       Args &&...args) {
  return mlir::emitOptionalError(location, "'", OpTy::getOperationName(),
                                 "' op ", std::forward<Args>(args)...);
}

/// Returns the type of `tensor`, which must be a ranked tensor.
inline mlir::RankedTensorType getTensorType(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}

/// Checks the constraints that apply to all DirectML tensors at all levels.
/// `name` is the name of the tensor in `op`.
llvm::LogicalResult verifyTensor(mlir::Operation *op, const llvm::Twine &name,
                                 mlir::RankedTensorType type);

/// The inputs of verifyArrays().
struct ArrayVerifier {
  std::optional<mlir::Location> location;
  llvm::StringRef opName;
  const OperatorSupport &support;
  /// The inherent attributes of the operation.
  mlir::DictionaryAttr attributes;
  /// Returns the rank of a tensor, or nothing if it is unknown.
  llvm::function_ref<std::optional<int64_t>(llvm::StringRef tensor)> getRank;
};

/// Checks that the array attributes satisfy the constraints in the support
/// table.
llvm::LogicalResult verifyArrays(const ArrayVerifier &verifier);

/// Checks that the operands are ranked tensors. The inference of result types
/// reads their shapes, and may run before verification.
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

/// Checks the array attributes during the inference of result types, before the
/// operation exists. The tensors to which the arrays refer are operands.
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

/// Checks a size that inference computes for `output`. Since inference may run
/// before verification, callers use saturating arithmetic, so that invalid
/// sizes are detected here.
template <typename OpTy>
llvm::LogicalResult verifyOutputSize(std::optional<mlir::Location> location,
                                     size_t dim, uint64_t size) {
  if (size <= UINT32_MAX)
    return llvm::success();
  return emitInferenceError<OpTy>(
      location, "output would have size ", size, " in dimension ", dim,
      ", but DirectML sizes range from 1 to ", UINT32_MAX);
}

/// Returns `sizes` in the notation of descriptions: "{2, 3}".
inline std::string describeSizes(llvm::ArrayRef<int64_t> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{";
  llvm::interleaveComma(sizes, os);
  os << "}";
  return text;
}

/// Checks that the scalar `name` has the element type of `tensor`.
inline llvm::LogicalResult verifyScalar(mlir::Operation *op,
                                        llvm::StringRef name,
                                        mlir::TypedAttr scalar,
                                        mlir::Value tensor) {
  mlir::Type wanted =
      mlir::cast<mlir::RankedTensorType>(tensor.getType()).getElementType();
  if (scalar.getType() == wanted)
    return llvm::success();
  return op->emitOpError() << name << " has type " << scalar.getType()
                           << ", but wants " << wanted
                           << ", output's element type";
}

/// Infers the shape of the slices that the tuples in `indices` select in
/// `input`, which has the same rank. The shape consists of leading 1s, the
/// counted sizes of `indices` without the last one, and the sizes of `input`
/// behind the batch and the selected dimensions. `name` is the tensor with this
/// shape.
template <typename OpTy>
llvm::LogicalResult
inferSliceShape(std::optional<mlir::Location> location,
                llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> indices,
                int64_t inputCount, int64_t indicesCount, int64_t batch,
                llvm::StringRef name, llvm::SmallVectorImpl<int64_t> &shape) {
  auto rank = static_cast<int64_t>(input.size());
  auto countDimensions = [&](llvm::StringRef tensor, int64_t count,
                             llvm::ArrayRef<int64_t> &sizes) {
    if (count > rank)
      return emitInferenceError<OpTy>(location, tensor, "_dimension_count is ",
                                      count, ", but ", tensor, " has rank ",
                                      rank);
    for (auto [dim, size] : llvm::enumerate(sizes.drop_back(count)))
      if (size != 1)
        return emitInferenceError<OpTy>(
            location, tensor, " has size ", size, " in dimension ", dim,
            ", but wants 1 before its last ", count, " dimensions");
    sizes = sizes.take_back(count);
    return llvm::success();
  };
  if (failed(countDimensions("input", inputCount, input)) ||
      failed(countDimensions("indices", indicesCount, indices)))
    return llvm::failure();
  if (batch >= indicesCount)
    return emitInferenceError<OpTy>(
        location, "batch_dimension_count is ", batch,
        ", but wants less than indices_dimension_count, ", indicesCount);
  int64_t chosen = indices.back();
  if (chosen > inputCount - batch)
    return emitInferenceError<OpTy>(location, "indices has tuples of ", chosen,
                                    ", but input has ", inputCount - batch,
                                    " dimensions for them");
  for (int64_t dim = 0; dim < batch; ++dim)
    if (input[dim] != indices[dim])
      return emitInferenceError<OpTy>(
          location, "indices has size ", indices[dim], " in dimension ", dim,
          " of the batch, but input has ", input[dim]);
  int64_t missing = rank - (indicesCount - 1) - (inputCount - batch - chosen);
  if (missing < 0)
    return emitInferenceError<OpTy>(location, name, " would have rank ",
                                    rank - missing, ", but input has rank ",
                                    rank);
  shape.append(missing, 1);
  shape.append(indices.begin(), indices.end() - 1);
  shape.append(input.begin() + batch + chosen, input.end());
  return llvm::success();
}

/// Rewrites `op` as its newer version, the operator `NewOp`, with the
/// additional attributes `added` and without the attributes `dropped`. Does
/// nothing if the model states an older feature level that lacks the newer
/// version.
template <typename NewOp, typename OldOp>
llvm::LogicalResult
replaceByNewer(OldOp op, mlir::PatternRewriter &rewriter,
               llvm::ArrayRef<mlir::NamedAttribute> added,
               llvm::ArrayRef<llvm::StringRef> dropped = {}) {
  FeatureLevel target = getTargetFeatureLevel(op);
  if (target < NewOp::getOperatorSupport().getIntroducedLevel())
    return rewriter.notifyMatchFailure(op, "the feature level lacks the newer "
                                           "version");
  llvm::SmallVector<mlir::NamedAttribute> attributes(added);
  for (mlir::NamedAttribute attribute : op->getAttrs())
    if (!llvm::is_contained(dropped, attribute.getName().getValue()))
      attributes.push_back(attribute);
  // The newer version may have stricter rules at the target's level. It is
  // inserted only if it satisfies them.
  mlir::OperationState state(op.getLoc(), NewOp::getOperationName(),
                             op->getOperands(), op->getResultTypes(),
                             attributes);
  mlir::Operation *newer = mlir::Operation::create(state);
  if (!mlir::cast<FeatureLevelOpInterface>(newer)
           .getViolations(target)
           .empty()) {
    newer->destroy();
    return rewriter.notifyMatchFailure(op, "the newer version wants more of "
                                           "its tensors at the feature level");
  }
  rewriter.setInsertionPoint(op);
  rewriter.insert(newer);
  rewriter.replaceOp(op, newer->getResults());
  return llvm::success();
}

/// Builds the results of `op` with its older version, the operator `OldOp`,
/// which lacks the attributes `neutral` and whose operation is that of `op`
/// where the attributes have these values. `added` are attributes of the older
/// version alone. Fails if an attribute has another value.
template <typename OldOp>
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
buildOlder(mlir::Operation *op, mlir::OpBuilder &builder,
           llvm::ArrayRef<mlir::NamedAttribute> neutral,
           llvm::ArrayRef<mlir::NamedAttribute> added = {}) {
  llvm::SmallVector<mlir::NamedAttribute> attributes(added);
  for (mlir::NamedAttribute attribute : op->getAttrDictionary()) {
    const auto *found =
        llvm::find_if(neutral, [&](const mlir::NamedAttribute &each) {
          return each.getName() == attribute.getName();
        });
    if (found == neutral.end())
      attributes.push_back(attribute);
    else if (found->getValue() != attribute.getValue())
      return mlir::failure();
  }
  mlir::OperationState state(op->getLoc(), OldOp::getOperationName(),
                             op->getOperands(), op->getResultTypes(),
                             attributes);
  return llvm::SmallVector<mlir::Value>(builder.create(state)->getResults());
}

} // namespace dml

#endif // DML_LIB_IR_OPUTILS_H
