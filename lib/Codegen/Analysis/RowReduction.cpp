//===- RowReduction.cpp - Reductions and scans of rows --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/RowReduction.h"
#include "Analysis/BodySlice.h"
#include "Analysis/ElementMap.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/DeviceProfile.h"
#include "dml/Target/RowCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Stores in `nest` the nest of loops that begins with `outermost`, and in
/// `sizes` the number of iterations of each loop.
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

/// If an operation computes `combined` from `carried` and an element of the
/// row, returns the element: the other operand of a sum or a maximum, or the
/// other alternative of a select, as in `select(isLarger, element, carried)`.
/// Returns null otherwise.
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

/// The dimension of the output along which a scan, such as a running sum,
/// visits a row. If this dimension holds several rows one after the other,
/// `partSize` is the number of elements in a row, and otherwise 0: with three
/// rows of 4 elements in a dimension of size 12, `partSize` is 4.
struct ScanLine {
  int64_t dim, partSize;
  bool isBackward = false;

  bool operator==(const ScanLine &other) const {
    return dim == other.dim && partSize == other.partSize &&
           isBackward == other.isBackward;
  }
};

/// Matches `index` as the position of an element within its row. This is the
/// element's coordinate in one dimension, or, if several rows follow each other
/// along the dimension, the coordinate modulo the size of a row.
static std::optional<ScanLine> readPlace(Value index) {
  APInt divisor;
  int64_t partSize = 0;
  if (auto remainder = index.getDefiningOp<arith::RemUIOp>()) {
    if (!matchPattern(remainder.getRhs(), m_ConstantInt(&divisor)))
      return std::nullopt;
    partSize = divisor.getSExtValue();
    index = remainder.getLhs();
  }
  if (auto dim = index.getDefiningOp<linalg::IndexOp>())
    return ScanLine{static_cast<int64_t>(dim.getDim()), partSize};
  return std::nullopt;
}

static bool areSameConstants(Value lhs, Value rhs) {
  Attribute first, second;
  return matchPattern(lhs, m_Constant(&first)) &&
         matchPattern(rhs, m_Constant(&second)) && first == second;
}

/// Matches `nest` as a scan. In a scan, the nest combines the element
/// `select(%i <= %place, scanned, neutral)`, which compares the induction
/// variable with the position of the output's element in its row. Returns
/// nothing if the nest combines other elements.
static std::optional<ScanLine> readScan(RowLoops &nest) {
  using Predicate = arith::CmpIPredicate;
  Value element =
      getElement(nest.getCarried().front(), nest.getCombined().front());
  auto choice =
      element ? element.getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  auto compare = choice ? choice.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  if (!compare || nest.loops.size() != 1 || nest.getInit().size() != 1 ||
      !areSameConstants(choice.getFalseValue(), nest.getInit().front()))
    return std::nullopt;
  std::optional<ScanLine> line = readPlace(compare.getRhs());
  if (!line || compare.getLhs() != nest.loops.front().getInductionVar())
    return std::nullopt;
  ScanOrder order;
  switch (compare.getPredicate()) {
  case Predicate::ule:
  case Predicate::sle:
    order = {/*isBackward=*/false, /*isExclusive=*/false};
    break;
  case Predicate::ult:
  case Predicate::slt:
    order = {/*isBackward=*/false, /*isExclusive=*/true};
    break;
  case Predicate::uge:
  case Predicate::sge:
    order = {/*isBackward=*/true, /*isExclusive=*/false};
    break;
  case Predicate::ugt:
  case Predicate::sgt:
    order = {/*isBackward=*/true, /*isExclusive=*/true};
    break;
  default:
    return std::nullopt;
  }
  nest.scan = order;
  line->isBackward = order.isBackward;
  nest.scanned = choice.getTrueValue();
  return line;
}

/// Separates the operations of an iteration of `nest` into those that compute
/// elements and those that combine elements with carried values. Elements may
/// be computed from `given`: the results of earlier nests, and the index of the
/// row among the rows that share a dimension (RowReduction::partNumbers). Adds
/// to `dims` the dimensions of the output on which the elements and the initial
/// values depend.
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
    if (!element || failed(slice.add(nest.scan ? nest.scanned : element)))
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
  std::optional<ScanLine> line;
  for (auto outermost : op.getBody()->getOps<scf::ForOp>()) {
    RowLoops nest;
    SmallVector<int64_t> sizes;
    if (!outermost->hasAttr(anyOrderAttrName) ||
        failed(readLoops(outermost, nest, sizes)))
      return std::nullopt;
    if (reduction.nests.empty())
      reduction.sizes = sizes;
    else if (reduction.sizes != sizes)
      return std::nullopt;
    if (std::optional<ScanLine> scanned = readScan(nest)) {
      if (line && !(*line == *scanned))
        return std::nullopt;
      line = scanned;
    }
    reduction.nests.push_back(std::move(nest));
  }
  // If several rows follow each other along a dimension, the body divides the
  // coordinate in this dimension by the size of a row. The quotient is the
  // index of the row, and is the same for all elements of a row. Loops over the
  // row may therefore use the quotient like the result of an earlier loop.
  if (line && line->partSize > 0)
    op.getBody()->walk([&](arith::DivUIOp division) {
      APInt divisor;
      auto index = division.getLhs().getDefiningOp<linalg::IndexOp>();
      if (index && static_cast<int64_t>(index.getDim()) == line->dim &&
          matchPattern(division.getRhs(), m_ConstantInt(&divisor)) &&
          divisor.getSExtValue() == line->partSize)
        reduction.partNumbers.push_back(division);
    });
  SmallVector<Value> given(reduction.partNumbers), results;
  llvm::SmallBitVector dims(op.getNumLoops());
  for (RowLoops &nest : reduction.nests) {
    if (failed(readIteration(op, nest, given, dims)))
      return std::nullopt;
    llvm::append_range(results, nest.getResults());
    // The result of a scan differs between the elements of a row, so that later
    // nests may not use it.
    if (!nest.scan)
      llvm::append_range(given, nest.getResults());
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
    } else if (line && line->partSize > 0 &&
               line->dim == static_cast<int64_t>(dim)) {
      reduction.partSize = line->partSize;
      reduction.setDims.push_back(dim);
      reduction.numRows *= llvm::divideCeilSigned(size, line->partSize);
      reduction.elementDims.push_back(dim);
      elementSizes.push_back(line->partSize);
    } else {
      reduction.elementDims.push_back(dim);
      elementSizes.push_back(size);
    }
  }
  if (!line && elementSizes != reduction.sizes && elementSizes.size() == 1 &&
      elementSizes.front() <= cost::rows::maxResults) {
    reduction.resultDim = reduction.elementDims.pop_back_val();
    reduction.numResults = elementSizes.pop_back_val();
  }
  // The loops of a row reduction and its output must agree on the sizes of a
  // row. A body that broadcasts the result of a row along a dimension of
  // another size is not a row reduction.
  if (!elementSizes.empty() && elementSizes != reduction.sizes)
    return std::nullopt;
  if (line && (reduction.elementDims.size() != 1 ||
               reduction.elementDims.front() != line->dim))
    return std::nullopt;
  return reduction;
}

bool RowReduction::isWorthwhile() const {
  int64_t elements;
  if (llvm::MulOverflow(rowSize, numRows, elements))
    return false;
  // Rows may overlap: the windows of a pooling are rows, and an element may
  // belong to several windows. If the rows together have more than twice as
  // many elements as the tensor that they are read from, a row kernel would
  // read each element more than twice on average, and the rows are rejected.
  // Windows of 3 elements that begin 2 elements apart have 1.5 times as many
  // elements as the tensor and are accepted.
  auto isRead = [&](const RowLoops &nest) {
    return llvm::any_of(nest.slice, [&](Operation *nested) {
      return BodySlice::isLoad(nested) &&
             elements / 2 <= cast<ShapedType>(nested->getOperand(0).getType())
                                 .getNumElements();
    });
  };
  // For each element of a scan, a map kernel would iterate over the whole row.
  // A row kernel is therefore better for any number of rows.
  if (hasScan())
    return llvm::all_of(nests, isRead);
  // A few long rows, such as 4 rows of a million elements, are too few to
  // occupy the device, and the following condition rejects them. The lowering
  // of operators uses the same condition to divide a few long rows into more
  // and shorter ones, so that normally none are left. The lowering does not
  // know the device and uses the default speeds. This function must use the
  // default speeds as well: with the device's speeds, it might reject rows that
  // the lowering did not divide, and a map kernel would reduce each of them
  // with a single thread.
  if (numRows < cost::rows::getEnoughRows(DeviceSpeed()) &&
      rowSize > cost::rows::maxRowOfFew)
    return false;
  return llvm::any_of(nests, isRead);
}

bool RowReduction::fitsWorkgroup() const {
  return rowSize <= cost::rows::maxHeld * DeviceProfile::workgroupSize;
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
