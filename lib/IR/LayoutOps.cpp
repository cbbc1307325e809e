//===- LayoutOps.cpp - Operators that rearrange and fill ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/LayoutOps.h"
#include "OpUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/LayoutOps.cpp.inc"

void DMLDialect::registerLayoutOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/LayoutOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

LogicalResult JoinOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &inferred) {
  if (failed(verifyRanked<JoinOp>(location, adaptor.getOperands())))
    return failure();
  ValueRange inputs = adaptor.getInputs();
  if (inputs.empty())
    return emitInferenceError<JoinOp>(location,
                                      "has 0 inputs, but wants at least 1");
  if (failed(verifyArrays<JoinOp>(location, context, adaptor)))
    return failure();
  auto first = cast<RankedTensorType>(inputs.front().getType());
  auto axis = static_cast<size_t>(adaptor.getAxis());
  uint64_t sum = 0;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getRank() != first.getRank())
      return emitInferenceError<JoinOp>(
          location, "inputs[", i, "] has rank ", type.getRank(),
          ", but inputs[0] has rank ", first.getRank());
    for (auto [dim, found, wanted] :
         llvm::enumerate(type.getShape(), first.getShape()))
      if (dim != axis && found != wanted)
        return emitInferenceError<JoinOp>(
            location, "inputs[", i, "] has size ", found, " in dimension ", dim,
            ", but inputs[0] has ", wanted, " there");
    sum = llvm::SaturatingAdd<uint64_t>(sum, type.getDimSize(axis));
  }
  if (failed(verifyOutputSize<JoinOp>(location, axis, sum)))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = static_cast<int64_t>(sum);
  inferred.push_back(first.clone(shape));
  return success();
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  return getInputs().size() == 1 ? getInputs().front() : Value();
}

LogicalResult SplitOp::verify() {
  if (getOutputs().empty())
    return emitOpError("has 0 outputs, but wants at least 1");
  auto input = cast<RankedTensorType>(getInput().getType());
  int64_t axis = getAxis(), sum = 0;
  for (auto [i, output] : llvm::enumerate(getOutputs())) {
    auto type = cast<RankedTensorType>(output.getType());
    if (type.getRank() != input.getRank())
      return emitOpError() << "outputs[" << i << "] has rank " << type.getRank()
                           << ", but input has rank " << input.getRank();
    for (auto [dim, found, wanted] :
         llvm::enumerate(type.getShape(), input.getShape()))
      if (static_cast<int64_t>(dim) != axis && found != wanted)
        return emitOpError()
               << "outputs[" << i << "] has size " << found << " in dimension "
               << dim << ", but input has " << wanted << " there";
    // Sizes have at most 32 bits, and there are fewer than 2^31 outputs, so
    // that the sum does not overflow.
    sum += type.getDimSize(axis);
  }
  if (sum != input.getDimSize(axis))
    return emitOpError() << "outputs have size " << sum
                         << " in all in dimension " << axis
                         << ", but input has " << input.getDimSize(axis)
                         << " there";
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks and channels
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult inferBlocks(MLIRContext *context,
                                 std::optional<Location> location,
                                 typename OpTy::Adaptor adaptor, bool toDepth,
                                 SmallVectorImpl<Type> &inferred) {
  if (failed(verifyRanked<OpTy>(location, adaptor.getOperands())) ||
      failed(verifyArrays<OpTy>(location, context, adaptor)))
    return failure();
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  if (input.getRank() != 4)
    return emitInferenceError<OpTy>(location, "input has rank ",
                                    input.getRank(), ", but wants rank 4");
  auto block = static_cast<uint64_t>(adaptor.getBlockSize());
  uint64_t square = llvm::SaturatingMultiply(block, block);
  SmallVector<int64_t> shape(input.getShape());
  auto divide = [&](size_t dim, uint64_t divisor) -> LogicalResult {
    if (static_cast<uint64_t>(shape[dim]) % divisor != 0)
      return emitInferenceError<OpTy>(location, "input has size ", shape[dim],
                                      " in dimension ", dim,
                                      ", but wants a multiple of ", divisor);
    shape[dim] /= static_cast<int64_t>(divisor);
    return success();
  };
  auto multiply = [&](size_t dim, uint64_t factor) -> LogicalResult {
    auto size = llvm::SaturatingMultiply<uint64_t>(shape[dim], factor);
    if (failed(verifyOutputSize<OpTy>(location, dim, size)))
      return failure();
    shape[dim] = static_cast<int64_t>(size);
    return success();
  };
  if (toDepth) {
    if (failed(divide(2, block)) || failed(divide(3, block)) ||
        failed(multiply(1, square)))
      return failure();
  } else if (failed(divide(1, square)) || failed(multiply(2, block)) ||
             failed(multiply(3, block))) {
    return failure();
  }
  inferred.push_back(input.clone(shape));
  return success();
}

LogicalResult SpaceToDepthOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  return inferBlocks<SpaceToDepthOp>(context, location, adaptor,
                                     /*toDepth=*/true, inferred);
}
LogicalResult SpaceToDepth1Op::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  return inferBlocks<SpaceToDepth1Op>(context, location, adaptor,
                                      /*toDepth=*/true, inferred);
}
LogicalResult DepthToSpaceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  return inferBlocks<DepthToSpaceOp>(context, location, adaptor,
                                     /*toDepth=*/false, inferred);
}
LogicalResult DepthToSpace1Op::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &inferred) {
  return inferBlocks<DepthToSpace1Op>(context, location, adaptor,
                                      /*toDepth=*/false, inferred);
}

//===----------------------------------------------------------------------===//
// Sequences and windows
//===----------------------------------------------------------------------===//

LogicalResult ReverseSubsequencesOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto lengths = cast<RankedTensorType>(getSequenceLengths().getType());
  if (lengths.getRank() != input.getRank())
    return emitOpError() << "sequence_lengths has rank " << lengths.getRank()
                         << ", but input has rank " << input.getRank();
  for (auto [dim, found, size] :
       llvm::enumerate(lengths.getShape(), input.getShape())) {
    int64_t wanted = dim == getAxis() ? 1 : size;
    if (found != wanted)
      return emitOpError() << "sequence_lengths has size " << found
                           << " in dimension " << dim << ", but wants "
                           << wanted;
  }
  return success();
}

/// Checks an operator on the windows of `image`, which are the columns of
/// `columns`.
template <typename OpTy>
static LogicalResult verifyWindows(OpTy op, StringRef imageName, Value image,
                                   StringRef columnsName, Value columns) {
  constexpr size_t maxPlaneRank = 6;
  size_t rank = op.getWindowSizes().size();
  if (rank < 1 || rank > maxPlaneRank)
    return op.emitOpError() << "window_sizes has " << rank
                            << " values, but wants 1 to " << maxPlaneRank;
  std::pair<StringRef, size_t> others[] = {
      {"strides", op.getStrides().size()},
      {"dilations", op.getDilations().size()},
      {"start_padding", op.getStartPadding().size()},
      {"end_padding", op.getEndPadding().size()}};
  for (auto [name, size] : others)
    if (size != rank)
      return op.emitOpError()
             << name << " has " << size << (size == 1 ? " value" : " values")
             << ", but window_sizes has " << rank;

  // Sets `shape` to the last `wanted` sizes of a tensor, and checks that the
  // preceding sizes are 1.
  auto split = [&](StringRef name, Value tensor, int64_t wanted,
                   ArrayRef<int64_t> &shape) -> LogicalResult {
    shape = cast<RankedTensorType>(tensor.getType()).getShape();
    int64_t found = static_cast<int64_t>(shape.size());
    if (found < wanted)
      return op.emitOpError() << name << " has rank " << found
                              << ", but wants at least " << wanted;
    for (auto [dim, size] : llvm::enumerate(shape.drop_back(wanted)))
      if (size != 1)
        return op.emitOpError()
               << name << " has size " << size << " in dimension " << dim
               << ", but wants 1 before its last " << wanted << " dimensions";
    shape = shape.take_back(wanted);
    return success();
  };
  ArrayRef<int64_t> imageShape, columnsShape;
  if (failed(split(imageName, image, static_cast<int64_t>(rank) + 2,
                   imageShape)) ||
      failed(split(columnsName, columns, 3, columnsShape)))
    return failure();

  uint64_t elements = 1, places = 1;
  for (size_t dim = 0; dim < rank; ++dim) {
    // Each of these numbers has at most 32 bits, so that the sum does not
    // overflow.
    uint64_t padded = imageShape[dim + 2] + op.getStartPadding()[dim] +
                      op.getEndPadding()[dim];
    uint64_t extent = static_cast<uint64_t>(op.getWindowSizes()[dim] - 1) *
                          static_cast<uint64_t>(op.getDilations()[dim]) +
                      1;
    if (extent > padded)
      return op.emitOpError()
             << "a window reaches over " << extent << " elements in dimension "
             << dim << " of the plane, but only " << padded
             << " are there with the padding";
    elements =
        llvm::SaturatingMultiply<uint64_t>(elements, op.getWindowSizes()[dim]);
    places = llvm::SaturatingMultiply<uint64_t>(
        places, (padded - extent) / op.getStrides()[dim] + 1);
  }
  uint64_t wanted[] = {
      static_cast<uint64_t>(imageShape[0]),
      llvm::SaturatingMultiply<uint64_t>(imageShape[1], elements), places};
  for (auto [dim, found, size] : llvm::enumerate(columnsShape, wanted))
    if (static_cast<uint64_t>(found) != size)
      return op.emitOpError()
             << columnsName << " has size " << found << " in dimension "
             << cast<RankedTensorType>(columns.getType()).getRank() - 3 +
                    static_cast<int64_t>(dim)
             << ", but wants " << size;
  return success();
}

LogicalResult FoldOp::verify() {
  return verifyWindows(*this, "output", getOutput(), "input", getInput());
}

LogicalResult UnfoldOp::verify() {
  return verifyWindows(*this, "input", getInput(), "output", getOutput());
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult ValueScale2dOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  if (input.getRank() != 4)
    return emitOpError() << "input has rank " << input.getRank()
                         << ", but wants rank 4";
  int64_t channels = input.getDimSize(1);
  if (channels != 1 && channels != 3)
    return emitOpError() << "input has " << channels
                         << " channels, but wants 1 or 3";
  if (static_cast<int64_t>(getBias().size()) != channels)
    return emitOpError() << "bias has " << getBias().size()
                         << " values, but input has " << channels
                         << " channels";
  return success();
}

LogicalResult FillValueConstantOp::verify() {
  return verifyScalar(*this, "value", getValue(), getOutput());
}

LogicalResult FillValueSequenceOp::verify() {
  if (failed(verifyScalar(*this, "value_start", getValueStart(), getOutput())))
    return failure();
  return verifyScalar(*this, "value_delta", getValueDelta(), getOutput());
}

LogicalResult DiagonalMatrix1Op::verify() {
  return verifyScalar(*this, "value", getValue(), getOutput());
}

//===----------------------------------------------------------------------===//
// Newer versions
//===----------------------------------------------------------------------===//

/// The newer versions have an attribute for the order of channels. Returns the
/// attribute for the order of the older versions.
static NamedAttribute getOldOrder(Builder &builder) {
  return builder.getNamedAttr(
      "order", DepthSpaceOrderAttr::get(builder.getContext(),
                                        DepthSpaceOrder::depth_column_row));
}

/// Rewrites `op` as a `NewOp`, which has an attribute for the order of
/// channels.
template <typename NewOp, typename OldOp>
static LogicalResult addOrder(OldOp op, PatternRewriter &rewriter) {
  return replaceByNewer<NewOp>(op, rewriter, getOldOrder(rewriter));
}

FailureOr<SmallVector<Value>> DepthToSpace1Op::decompose(OpBuilder &builder) {
  return buildOlder<DepthToSpaceOp>(*this, builder, getOldOrder(builder));
}

FailureOr<SmallVector<Value>> SpaceToDepth1Op::decompose(OpBuilder &builder) {
  return buildOlder<SpaceToDepthOp>(*this, builder, getOldOrder(builder));
}

void DepthToSpaceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *) {
  patterns.add(addOrder<DepthToSpace1Op, DepthToSpaceOp>);
}

void SpaceToDepthOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *) {
  patterns.add(addOrder<SpaceToDepth1Op, SpaceToDepthOp>);
}
