//===- SortOps.cpp - DirectML's selections --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/SortOps.h"
#include "OpUtils.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/SortOps.cpp.inc"

void DMLDialect::registerSortOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/SortOps.cpp.inc"
      >();
}

/// Checks that lines have at least `k` elements, and that `k` elements of each
/// line are selected.
template <typename OpTy> static LogicalResult verifySelection(OpTy op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto output = cast<RankedTensorType>(op.getOutputValue().getType());
  auto axis = static_cast<int64_t>(op.getAxis()),
       k = static_cast<int64_t>(op.getK());
  if (k > input.getDimSize(axis))
    return op.emitOpError()
           << "k is " << k << ", but input has " << input.getDimSize(axis)
           << " elements along axis " << axis;
  if (output.getRank() != input.getRank())
    return op.emitOpError() << "output_value has rank " << output.getRank()
                            << ", but input has rank " << input.getRank();
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t found = output.getDimSize(dim);
    int64_t wanted = dim == axis ? k : input.getDimSize(dim);
    if (found != wanted)
      return op.emitOpError()
             << "output_value has size " << found << " in dimension " << dim
             << ", but wants " << wanted
             << (dim == axis ? ", which is k" : ", as input has");
  }
  return success();
}

LogicalResult TopKOp::verify() { return verifySelection(*this); }
LogicalResult TopK1Op::verify() { return verifySelection(*this); }

LogicalResult NonzeroCoordinatesOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto count = cast<RankedTensorType>(getOutputCount().getType());
  auto rows = cast<RankedTensorType>(getOutputCoordinates().getType());
  for (auto [dim, size] : llvm::enumerate(count.getShape()))
    if (size != 1)
      return emitOpError() << "output_count has size " << size
                           << " in dimension " << dim << ", but wants 1";
  int64_t last = rows.getRank() - 1;
  if (last < 1)
    return emitOpError() << "output_coordinates has rank " << rows.getRank()
                         << ", but wants at least 2";
  for (int64_t dim = 0; dim < last; ++dim) {
    int64_t wanted = dim + 1 == last ? input.getNumElements() : 1;
    if (rows.getDimSize(dim) != wanted)
      return emitOpError() << "output_coordinates has size "
                           << rows.getDimSize(dim) << " in dimension " << dim
                           << ", but wants " << wanted
                           << (dim + 1 == last
                                   ? ", the number of input's elements"
                                   : " before its last 2 dimensions");
  }
  int64_t length = rows.getDimSize(last);
  auto effective = static_cast<int64_t>(
      input.getShape()
          .drop_while([](int64_t size) { return size == 1; })
          .size());
  if (length > input.getRank() || length < effective)
    return emitOpError() << "output_coordinates has rows of " << length
                         << " coordinates, but wants from "
                         << std::max<int64_t>(effective, 1) << " to "
                         << input.getRank();
  return success();
}

/// The newer version can also select the smallest elements. Returns the
/// attribute with which it selects those that the older version selects.
static NamedAttribute getOldDirection(Builder &builder) {
  return builder.getNamedAttr(
      "axis_direction",
      AxisDirectionAttr::get(builder.getContext(), AxisDirection::decreasing));
}

static LogicalResult addDirection(TopKOp op, PatternRewriter &rewriter) {
  return replaceByNewer<TopK1Op>(op, rewriter, getOldDirection(rewriter));
}

FailureOr<SmallVector<Value>> TopK1Op::decompose(OpBuilder &builder) {
  return buildOlder<TopKOp>(*this, builder, getOldDirection(builder));
}

void TopKOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *) {
  patterns.add(addDirection);
}
