//===- RowReduction.cpp - Rows that are combined to one -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "RowReduction.h"
#include "BodySlice.h"
#include "ElementMap.h"
#include "dml/Codegen/CostModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Reads the loops from `outermost` inward, and how often each runs.
static LogicalResult readLoops(scf::ForOp outermost, RowLoops &nest,
                               SmallVector<int64_t> &sizes) {
  for (scf::ForOp loop = outermost;;) {
    std::optional<int64_t> trips = getCountFromZero(loop);
    if (!trips || loop.getNumResults() == 0)
      return failure();
    nest.loops.push_back(loop);
    sizes.push_back(*trips);
    auto inner = loop.getBody()->getOps<scf::ForOp>();
    if (inner.empty())
      return success();
    if (!llvm::hasSingleElement(inner))
      return failure();
    scf::ForOp next = *inner.begin();
    if (!llvm::equal(next.getInitArgs(), loop.getRegionIterArgs()) ||
        !llvm::equal(next.getResults(), loop.getYieldedValues()))
      return failure();
    loop = next;
  }
}

/// What is combined with `carried` to `combined`, or null: the other one that a
/// selection is between, or the other operand of a sum.
static Value getElement(Value carried, Value combined) {
  Operation *op = combined.getDefiningOp();
  if (!op)
    return Value();
  ValueRange operands = op->getOperands();
  if (isa<arith::SelectOp>(op))
    operands = operands.drop_front();
  if (operands.size() != 2)
    return Value();
  if (operands[0] == carried)
    return operands[1];
  return operands[1] == carried ? operands[0] : Value();
}

/// Tells apart what an iteration computes and how it is combined. `given` are
/// the results of earlier loops.
static LogicalResult readIteration(linalg::GenericOp op, RowLoops &nest,
                                   ArrayRef<Value> given,
                                   llvm::SmallBitVector &dims) {
  BodySlice start(op, given);
  for (Value init : nest.getInit())
    if (failed(start.add(init)))
      return failure();
  nest.start = start.getOperations();
  dims |= start.getDims();

  SmallVector<Value> ofElement(given);
  for (scf::ForOp loop : nest.loops)
    ofElement.push_back(loop.getInductionVar());
  BodySlice slice(op, ofElement);
  SmallVector<Value> ofCombiner(nest.getCarried());
  for (auto [carried, combined] :
       llvm::zip_equal(nest.getCarried(), nest.getCombined())) {
    Value element = getElement(carried, combined);
    if (!element || failed(slice.add(element)))
      return failure();
    nest.elements.push_back(element);
    ofCombiner.push_back(element);
  }
  nest.slice = slice.getOperations();
  dims |= slice.getDims();

  BodySlice combiner(op, ofCombiner);
  for (Value combined : nest.getCombined())
    if (failed(combiner.add(combined)))
      return failure();
  nest.combiner = combiner.getOperations();
  return success(llvm::none_of(nest.combiner, [&](Operation *nested) {
    return BodySlice::isLoad(nested) || isa<linalg::IndexOp>(nested) ||
           llvm::any_of(nested->getOperands(), [&](Value operand) {
             return llvm::is_contained(ofElement, operand);
           });
  }));
}

std::optional<RowReduction> RowReduction::match(linalg::GenericOp op) {
  if (!isElementMap(op))
    return std::nullopt;
  auto type = cast<ShapedType>(op.getOutputs().front().getType());
  auto buffer = dyn_cast<MemRefType>(type);
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
      !llvm::is_contained({8, 16, 32, 64}, type.getElementTypeBitWidth()) ||
      (buffer && !buffer.getLayout().isIdentity()))
    return std::nullopt;

  RowReduction reduction;
  SmallVector<Value> results;
  llvm::SmallBitVector dims(op.getNumLoops());
  for (auto outermost : op.getBody()->getOps<scf::ForOp>()) {
    RowLoops nest;
    SmallVector<int64_t> sizes;
    if (!outermost->hasAttr(anyOrderAttrName) ||
        failed(readLoops(outermost, nest, sizes)) ||
        failed(readIteration(op, nest, results, dims)))
      return std::nullopt;
    if (reduction.nests.empty())
      reduction.sizes = sizes;
    else if (reduction.sizes != sizes)
      return std::nullopt;
    llvm::append_range(results, nest.getResults());
    reduction.nests.push_back(std::move(nest));
  }
  BodySlice epilogue(op, results);
  if (reduction.nests.empty() ||
      failed(epilogue.add(op.getBody()->getTerminator()->getOperand(0))))
    return std::nullopt;
  reduction.epilogue = epilogue.getOperations();

  for (int64_t size : reduction.sizes)
    if (llvm::MulOverflow(reduction.rowSize, size, reduction.rowSize))
      return std::nullopt;
  SmallVector<int64_t> elementSizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (size == 1)
      continue;
    if (dims[dim]) {
      reduction.setDims.push_back(dim);
      reduction.numRows *= size;
    } else {
      reduction.elementDims.push_back(dim);
      elementSizes.push_back(size);
    }
  }
  // What repeats a row's result is no reduction, and is read less often than
  // the row.
  if (!elementSizes.empty() && elementSizes != reduction.sizes)
    return std::nullopt;
  return reduction;
}

bool RowReduction::isWorthwhile() const {
  if (numRows < cost::minRows && rowSize > cost::maxRowOfFew)
    return false;
  // Windows that overlap are no rows: their elements are read several times.
  int64_t read = 0;
  for (const RowLoops &nest : nests)
    for (Operation *nested : nest.slice)
      if (BodySlice::isLoad(nested))
        read = std::max(
            read,
            cast<ShapedType>(nested->getOperand(0).getType()).getNumElements());
  int64_t elements;
  return !llvm::MulOverflow(rowSize, numRows, elements) && elements / 2 <= read;
}

bool RowReduction::fitsWorkgroup() const {
  return rowSize <= cost::maxHeld * DeviceProfile::workgroupSize;
}

int64_t RowReduction::countOps() const {
  size_t count = epilogue.size();
  for (const RowLoops &nest : nests)
    count += nest.slice.size() + nest.combiner.size();
  return static_cast<int64_t>(count);
}

bool RowReduction::canWriteOut(int64_t lanes) const {
  return lanes * countOps() <= cost::maxWrittenOutOps;
}
