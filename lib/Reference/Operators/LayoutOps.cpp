//===- LayoutOps.cpp - Operators that rearrange and fill ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/LayoutOps.h"
#include "Arithmetic/Interval.h"
#include "Arithmetic/Places.h"
#include "Arithmetic/Sums.h"
#include "Operators/Evaluators.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dml::reference {

//===----------------------------------------------------------------------===//
// Parts of a tensor
//===----------------------------------------------------------------------===//

static LogicalResult evaluateJoin(JoinOp op, ArrayRef<Tensor> operands,
                                  MutableArrayRef<Tensor> outputs) {
  int64_t start = 0;
  for (const Tensor &input : operands) {
    forEachCoordinate(input.getShape(), [&](ArrayRef<int64_t> from) {
      SmallVector<int64_t> to(from);
      to[op.getAxis()] += start;
      copyElement(input, from, outputs[0], to);
    });
    start += input.getShape()[op.getAxis()];
  }
  return success();
}

static LogicalResult evaluateSplit(SplitOp op, ArrayRef<Tensor> operands,
                                   MutableArrayRef<Tensor> outputs) {
  int64_t start = 0;
  for (Tensor &output : outputs) {
    forEachCoordinate(output.getShape(), [&](ArrayRef<int64_t> to) {
      SmallVector<int64_t> from(to);
      from[op.getAxis()] += start;
      copyElement(operands[0], from, output, to);
    });
    start += output.getShape()[op.getAxis()];
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks and channels
//===----------------------------------------------------------------------===//

/// Copies elements between a tensor `space`, in which each block is a square of
/// positions, and a tensor `depth`, in which each block is a group of channels.
static void moveBlocks(const Tensor &input, Tensor &output, bool toDepth,
                       int64_t block, DepthSpaceOrder order) {
  ArrayRef<int64_t> space = toDepth ? input.getShape() : output.getShape();
  forEachCoordinate(space, [&](ArrayRef<int64_t> at) {
    int64_t c = at[1], y = at[2] % block, x = at[3] % block;
    int64_t d = order == DepthSpaceOrder::depth_column_row
                    ? (y * block + x) * space[1] + c
                    : (c * block + y) * block + x;
    int64_t depth[] = {at[0], d, at[2] / block, at[3] / block};
    if (toDepth)
      copyElement(input, at, output, depth);
    else
      copyElement(input, depth, output, at);
  });
}

template <typename OpTy, bool toDepth>
static LogicalResult evaluateBlocks(OpTy op, ArrayRef<Tensor> operands,
                                    MutableArrayRef<Tensor> outputs) {
  auto order = DepthSpaceOrder::depth_column_row;
  if constexpr (std::is_same_v<OpTy, SpaceToDepth1Op> ||
                std::is_same_v<OpTy, DepthToSpace1Op>)
    order = op.getOrder();
  moveBlocks(operands[0], outputs[0], toDepth, op.getBlockSize(), order);
  return success();
}

//===----------------------------------------------------------------------===//
// Sequences and windows
//===----------------------------------------------------------------------===//

static LogicalResult evaluateReverse(ReverseSubsequencesOp op,
                                     ArrayRef<Tensor> operands,
                                     MutableArrayRef<Tensor> outputs) {
  const Tensor &input = operands[0], &lengths = operands[1];
  int64_t axis = op.getAxis();
  forEachCoordinate(input.getShape(), [&](ArrayRef<int64_t> to) {
    SmallVector<int64_t> from(to);
    from[axis] = 0;
    __int128 length = std::min<__int128>(
        lengths.getInteger(getPlace(lengths, from)), input.getShape()[axis]);
    from[axis] = to[axis] < length ? static_cast<int64_t>(length) - 1 - to[axis]
                                   : to[axis];
    copyElement(input, from, outputs[0], to);
  });
  return success();
}

/// Calls `callback` for each element of each window, with its coordinates in
/// the columns and its coordinates in the image, if it is not padding.
template <typename OpTy>
static void forEachWindowElement(
    OpTy op, const Tensor &image, const Tensor &columns,
    llvm::function_ref<void(ArrayRef<int64_t> inColumns,
                            std::optional<ArrayRef<int64_t>> inImage)>
        callback) {
  size_t rank = op.getWindowSizes().size();
  ArrayRef<int64_t> sizes = image.getShape().take_back(rank + 2);
  SmallVector<int64_t> all(sizes.take_front(2)), places;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t padded =
        sizes[dim + 2] + op.getStartPadding()[dim] + op.getEndPadding()[dim];
    int64_t extent =
        op.getDilations()[dim] * (op.getWindowSizes()[dim] - 1) + 1;
    places.push_back((padded - extent) / op.getStrides()[dim] + 1);
  }
  llvm::append_range(all, op.getWindowSizes());
  llvm::append_range(all, places);
  int64_t elements = *getNumElements(op.getWindowSizes());
  forEachCoordinate(all, [&](ArrayRef<int64_t> at) {
    ArrayRef<int64_t> k = at.slice(2, rank), l = at.take_back(rank);
    SmallVector<int64_t> inColumns(columns.getRank() - 3, 0);
    inColumns.push_back(at[0]);
    inColumns.push_back(at[1] * elements + getNumber(k, op.getWindowSizes()));
    inColumns.push_back(getNumber(l, places));
    SmallVector<int64_t> inImage(image.getRank() - rank - 2, 0);
    llvm::append_range(inImage, at.take_front(2));
    bool isInside = true;
    for (size_t dim = 0; dim < rank; ++dim) {
      int64_t p = l[dim] * op.getStrides()[dim] +
                  k[dim] * op.getDilations()[dim] - op.getStartPadding()[dim];
      isInside &= 0 <= p && p < sizes[dim + 2];
      inImage.push_back(p);
    }
    if (isInside)
      callback(inColumns, ArrayRef(inImage));
    else
      callback(inColumns, std::nullopt);
  });
}

static LogicalResult evaluateUnfold(UnfoldOp op, ArrayRef<Tensor> operands,
                                    MutableArrayRef<Tensor> outputs) {
  // The outputs initially contain zeros.
  forEachWindowElement(op, operands[0], outputs[0],
                       [&](ArrayRef<int64_t> inColumns,
                           std::optional<ArrayRef<int64_t>> inImage) {
                         if (inImage)
                           copyElement(operands[0], *inImage, outputs[0],
                                       inColumns);
                       });
  return success();
}

static LogicalResult evaluateFold(FoldOp op, ArrayRef<Estimate> operands,
                                  Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  std::vector<Sum> sums(output->value.getNumElements());
  forEachWindowElement(
      op, output->value, operands[0].value,
      [&](ArrayRef<int64_t> inColumns,
          std::optional<ArrayRef<int64_t>> inImage) {
        if (inImage)
          sums[getPlace(output->value, *inImage)].add(Interval::load(
              operands[0], getPlace(operands[0].value, inColumns)));
      });
  for (auto [index, sum] : llvm::enumerate(sums))
    sum.get().store(*output, static_cast<int64_t>(index));
  outputs.push_back(*output);
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static LogicalResult evaluateScale(ValueScale2dOp op,
                                   ArrayRef<Estimate> operands,
                                   Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  Interval scale(op.getScale().convertToFloat());
  forEachCoordinate(output->value.getShape(), [&](ArrayRef<int64_t> at) {
    int64_t index = getPlace(output->value, at);
    Interval bias(op.getBias()[at[1]]);
    (scale * Interval::load(operands[0], index) + bias).store(*output, index);
  });
  outputs.push_back(*output);
  return success();
}

static LogicalResult evaluateConstant(FillValueConstantOp op, ArrayRef<Tensor>,
                                      MutableArrayRef<Tensor> outputs) {
  for (int64_t i = 0; i < outputs[0].getNumElements(); ++i)
    setScalar(outputs[0], i, op.getValue());
  return success();
}

static LogicalResult evaluateSequence(FillValueSequenceOp op,
                                      ArrayRef<Estimate>,
                                      Evaluators::Estimates &outputs) {
  FailureOr<Estimate> output = createBounds(op, op->getResult(0).getType());
  if (failed(output))
    return failure();
  int64_t count = output->value.getNumElements();
  if (auto start = dyn_cast<IntegerAttr>(op.getValueStart())) {
    // The sequence wraps around in the type's number of bits.
    auto delta = cast<IntegerAttr>(op.getValueDelta());
    Tensor values = output->value;
    APInt value = start.getValue();
    for (int64_t i = 0; i < count; ++i, value += delta.getValue())
      setScalar(values, i, IntegerAttr::get(start.getType(), value));
    outputs.push_back(Estimate(values));
    return success();
  }
  Interval start(cast<FloatAttr>(op.getValueStart()).getValueAsDouble());
  Interval delta(cast<FloatAttr>(op.getValueDelta()).getValueAsDouble());
  for (int64_t i = 0; i < count; ++i) {
    auto number = static_cast<double>(i);
    // Integers from 2^24 on are rounded to f32.
    Interval e = i < (1 << 24) ? Interval(number)
                               : Interval::around(number, number, number, 1);
    (start + e * delta).store(*output, i);
  }
  outputs.push_back(*output);
  return success();
}

static LogicalResult evaluateDiagonal(DiagonalMatrixOp op, ArrayRef<Tensor>,
                                      MutableArrayRef<Tensor> outputs) {
  Tensor &output = outputs[0];
  double value = op.getValue().convertToFloat();
  bool isFloating =
      isa<FloatType>(cast<RankedTensorType>(op.getType()).getElementType());
  unsigned rank = output.getRank();
  forEachCoordinate(output.getShape(), [&](ArrayRef<int64_t> at) {
    if (at[rank - 1] - at[rank - 2] == static_cast<int64_t>(op.getOffset()))
      output.setNumber(getPlace(output, at),
                       isFloating ? value : std::trunc(value));
  });
  return success();
}

static LogicalResult evaluateDiagonals(DiagonalMatrix1Op op,
                                       ArrayRef<Tensor> operands,
                                       MutableArrayRef<Tensor> outputs) {
  Tensor &output = outputs[0];
  auto begin = static_cast<int64_t>(op.getDiagonalFillBegin());
  auto end = static_cast<int64_t>(op.getDiagonalFillEnd());
  unsigned rank = output.getRank();
  forEachCoordinate(output.getShape(), [&](ArrayRef<int64_t> at) {
    int64_t d = at[rank - 1] - at[rank - 2];
    bool isFilled =
        begin > end ? !(end <= d && d < begin) : begin <= d && d < end;
    if (isFilled)
      setScalar(output, getPlace(output, at), op.getValue());
    else if (!operands.empty())
      copyElement(operands[0], at, output, at);
  });
  return success();
}

void addLayoutEvaluators(Evaluators &evaluators) {
  evaluators.addMovement<JoinOp>(evaluateJoin);
  evaluators.addMovement<SplitOp>(evaluateSplit);
  evaluators.addMovement<SpaceToDepthOp>(
      evaluateBlocks<SpaceToDepthOp, /*toDepth=*/true>);
  evaluators.addMovement<SpaceToDepth1Op>(
      evaluateBlocks<SpaceToDepth1Op, /*toDepth=*/true>);
  evaluators.addMovement<DepthToSpaceOp>(
      evaluateBlocks<DepthToSpaceOp, /*toDepth=*/false>);
  evaluators.addMovement<DepthToSpace1Op>(
      evaluateBlocks<DepthToSpace1Op, /*toDepth=*/false>);
  evaluators.addIndexedMovement<ReverseSubsequencesOp>(evaluateReverse, {1});
  evaluators.addMovement<UnfoldOp>(evaluateUnfold);
  evaluators.add<FoldOp>(evaluateFold);
  evaluators.add<ValueScale2dOp>(evaluateScale);
  evaluators.addMovement<FillValueConstantOp>(evaluateConstant);
  evaluators.add<FillValueSequenceOp>(evaluateSequence);
  evaluators.addMovement<DiagonalMatrixOp>(evaluateDiagonal);
  evaluators.addMovement<DiagonalMatrix1Op>(evaluateDiagonals);
}

} // namespace dml::reference
