//===- Upstream.cpp - MLIR's own operations -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operators/Evaluators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

using namespace mlir;

namespace dml::reference {

static LogicalResult evaluate(arith::ConstantOp op, ArrayRef<Tensor>,
                              MutableArrayRef<Tensor> outputs) {
  Tensor &output = outputs[0];
  if (auto number = dyn_cast<IntegerAttr>(op.getValue());
      number && isa<IndexType>(number.getType())) {
    output.setInteger(0, number.getInt());
    return success();
  }
  ArrayRef<char> elements;
  bool isSplat = false;
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    elements = dense.getRawData();
    isSplat = dense.isSplat();
  } else if (auto resource =
                 dyn_cast<DenseResourceElementsAttr>(op.getValue())) {
    // The blob has 4-bit elements two to a byte.
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != output.getNumPackedBytes())
      return op.emitOpError("has elements the interpreter cannot read");
    output.unpack(blob->getData());
    return success();
  }
  // Like a Tensor, a dense attribute stores each 4-bit element in a byte.
  size_t width = getByteWidth(output.getDataType());
  if (elements.size() != (isSplat ? width : output.getNumBytes()))
    return op.emitOpError("has elements the interpreter cannot read");
  if (!isSplat) {
    std::memcpy(output.getData(), elements.data(), elements.size());
    return success();
  }
  for (int64_t index = 0; index < output.getNumElements(); ++index)
    std::memcpy(output.getData() + index * width, elements.data(), width);
  return success();
}

namespace {
/// The part of a tensor that a slicing operation selects.
struct Slice {
  SmallVector<int64_t> offsets, sizes, strides;
};
} // namespace

/// Returns the slice that `op`, with these operands, selects of a tensor with
/// shape `shape`.
static FailureOr<Slice> getSlice(OffsetSizeAndStrideOpInterface op,
                                 ArrayRef<Tensor> operands,
                                 ArrayRef<int64_t> shape) {
  Slice slice{SmallVector<int64_t>(op.getStaticOffsets()),
              SmallVector<int64_t>(op.getStaticSizes()),
              SmallVector<int64_t>(op.getStaticStrides())};
  if (ShapedType::isDynamicShape(slice.sizes) ||
      ShapedType::isDynamicShape(slice.strides))
    return op.emitOpError("has a slice of dynamic sizes or strides, but the "
                          "interpreter knows static ones");
  ArrayRef<Tensor> numbers =
      operands.drop_front(op.getOffsetSizeAndStrideStartOperandIndex());
  for (int64_t &offset : slice.offsets)
    if (ShapedType::isDynamic(offset)) {
      offset = static_cast<int64_t>(numbers.front().getInteger(0));
      numbers = numbers.drop_front();
    }
  for (auto [offset, size, stride, bound] :
       llvm::zip_equal(slice.offsets, slice.sizes, slice.strides, shape)) {
    auto outside = [limit = bound](int64_t coordinate) {
      return coordinate < 0 || coordinate >= limit;
    };
    if (size > 0 && (outside(offset) || std::abs(stride) > bound ||
                     outside(offset + (size - 1) * stride)))
      return op.emitOpError("has a slice that leaves its tensor");
  }
  return slice;
}

/// Copies `source`, whose shape is `slice.sizes`, to the slice `slice` of
/// `output`.
static void scatter(const Tensor &source, const Slice &slice, Tensor &output) {
  size_t width = getByteWidth(output.getDataType());
  const char *element = source.getData();
  forEachCoordinate(slice.sizes, [&](ArrayRef<int64_t> coordinate) {
    int64_t index = 0;
    for (unsigned dim = 0; dim < coordinate.size(); ++dim)
      index = index * output.getShape()[dim] + slice.offsets[dim] +
              coordinate[dim] * slice.strides[dim];
    std::memcpy(output.getData() + index * width, element, width);
    element += width;
  });
}

static LogicalResult evaluate(tensor::ConcatOp op, ArrayRef<Tensor> inputs,
                              MutableArrayRef<Tensor> outputs) {
  Tensor &output = outputs[0];
  SmallVector<int64_t> offsets(output.getRank(), 0),
      strides(output.getRank(), 1);
  for (const Tensor &input : inputs) {
    scatter(input, {offsets, SmallVector<int64_t>(input.getShape()), strides},
            output);
    offsets[op.getDim()] += input.getShape()[op.getDim()];
  }
  return success();
}

static LogicalResult evaluate(tensor::ExtractSliceOp op,
                              ArrayRef<Tensor> operands,
                              MutableArrayRef<Tensor> outputs) {
  const Tensor &source = operands[0];
  Tensor &output = outputs[0];
  FailureOr<Slice> slice = getSlice(op, operands, source.getShape());
  if (failed(slice))
    return failure();
  // The type of the result may omit dimensions of size 1.
  Tensor whole = output.view(output.getDataType(), slice->sizes);
  gather(source, whole, [&](unsigned dim, int64_t coordinate) {
    return slice->offsets[dim] + coordinate * slice->strides[dim];
  });
  return success();
}

LogicalResult insertSlice(tensor::InsertSliceOp op, ArrayRef<Tensor> operands,
                          Tensor &output) {
  FailureOr<Slice> slice = getSlice(op, operands, output.getShape());
  if (failed(slice))
    return failure();
  scatter(operands[0], *slice, output);
  return success();
}

static LogicalResult evaluate(tensor::InsertSliceOp op,
                              ArrayRef<Tensor> operands,
                              MutableArrayRef<Tensor> outputs) {
  const Tensor &destination = operands[1];
  std::memcpy(outputs[0].getData(), destination.getData(),
              destination.getNumBytes());
  return insertSlice(op, operands, outputs[0]);
}

/// Evaluates arithmetic on indices.
template <typename OpTy, typename Function>
static void addIndexArithmetic(Evaluators &evaluators, Function function) {
  evaluators.add(
      OpTy::getOperationName(),
      [function](Operation *op, ArrayRef<Estimate> operands,
                 std::vector<Estimate> &outputs) -> LogicalResult {
        if (!isa<IndexType>(op->getResult(0).getType()))
          return op->emitOpError("computes a ")
                 << op->getResult(0).getType()
                 << ", but the interpreter knows arithmetic on indices";
        FailureOr<Tensor> output = createTensor(op, op->getResult(0).getType());
        if (failed(output))
          return failure();
        // Indices wrap around.
        output->setInteger(0, function(operands[0].value.getInteger(0),
                                       operands[1].value.getInteger(0)));
        outputs.push_back(Estimate(std::move(*output)));
        return success();
      });
}

/// Copies elements of `source` to `output`. Dimension `dim` of the source takes
/// the coordinate of dimension `from(dim)` of the output.
static void copyAlong(const Tensor &source, Tensor &output,
                      llvm::function_ref<unsigned(unsigned)> from) {
  size_t width = getByteWidth(output.getDataType());
  char *element = output.getData();
  forEachCoordinate(output.getShape(), [&](ArrayRef<int64_t> coordinate) {
    int64_t index = 0;
    for (unsigned dim = 0; dim < source.getRank(); ++dim)
      index = index * source.getShape()[dim] + coordinate[from(dim)];
    std::memcpy(element, source.getData() + index * width, width);
    element += width;
  });
}

static LogicalResult evaluate(linalg::TransposeOp op, ArrayRef<Tensor> operands,
                              MutableArrayRef<Tensor> outputs) {
  // Dimension p[i] of the input is dimension i of the output.
  SmallVector<unsigned> from(op.getPermutation().size());
  for (auto [dim, source] : llvm::enumerate(op.getPermutation()))
    from[source] = dim;
  copyAlong(operands[0], outputs[0], [&](unsigned dim) { return from[dim]; });
  return success();
}

static LogicalResult evaluate(linalg::BroadcastOp op, ArrayRef<Tensor> operands,
                              MutableArrayRef<Tensor> outputs) {
  SmallVector<unsigned> kept;
  for (unsigned dim = 0; dim < outputs[0].getRank(); ++dim)
    if (!llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim)))
      kept.push_back(dim);
  copyAlong(operands[0], outputs[0], [&](unsigned dim) { return kept[dim]; });
  return success();
}

/// Leaves the output as it is: a transposition or a broadcast overwrites all
/// elements of a tensor.empty.
static LogicalResult evaluate(tensor::EmptyOp, ArrayRef<Tensor>,
                              MutableArrayRef<Tensor>) {
  return success();
}

/// Returns the same elements with another type.
template <typename OpTy>
static LogicalResult view(OpTy op, ArrayRef<Tensor> operands,
                          MutableArrayRef<Tensor> outputs) {
  outputs[0] =
      operands[0].view(outputs[0].getDataType(), outputs[0].getShape());
  return success();
}

void addUpstreamEvaluators(Evaluators &evaluators) {
  evaluators.addMovement<arith::ConstantOp>(evaluate);
  evaluators.addMovement<linalg::BroadcastOp>(evaluate);
  evaluators.addMovement<linalg::TransposeOp>(evaluate);
  evaluators.addMovement<tensor::ConcatOp>(evaluate);
  evaluators.addMovement<tensor::EmptyOp>(evaluate);
  evaluators.addMovement<tensor::ExtractSliceOp>(evaluate);
  evaluators.addMovement<tensor::InsertSliceOp>(evaluate);
  evaluators.addMovement<tensor::BitcastOp>(view);
  evaluators.addMovement<tensor::CastOp>(view);
  evaluators.addMovement<tensor::CollapseShapeOp>(view);
  evaluators.addMovement<tensor::ExpandShapeOp>(view);
  addIndexArithmetic<arith::AddIOp>(evaluators, std::plus<__int128>());
  addIndexArithmetic<arith::SubIOp>(evaluators, std::minus<__int128>());
  addIndexArithmetic<arith::MulIOp>(evaluators, std::multiplies<__int128>());
}

} // namespace dml::reference
