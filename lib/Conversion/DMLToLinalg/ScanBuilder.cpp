//===- ScanBuilder.cpp - What stands before each element ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ScanBuilder.h"
#include "dml/Target/RowCosts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Returns the number of elements in the parts into which lines are divided, or
/// the size of a line if it is not divided. A workgroup scans one part, and
/// there may be too few lines to occupy a device. The combination of all
/// elements before each part is computed by a scan of the parts' results, so
/// that elements are read twice.
int64_t Scan::getPartSize(ArrayRef<int64_t> shape) const {
  int64_t size = shape[axis];
  int64_t lines = llvm::product_of(shape) / std::max<int64_t>(size, 1);
  int64_t neighbours = llvm::product_of(shape.drop_front(axis + 1));
  // If there are only a few lines side by side, a workgroup processes several
  // elements of each line.
  bool isTogether = neighbours <= cost::rows::maxRowsTogether;
  int64_t wanted = isTogether ? cost::rows::partOfScannedRow
                              : cost::rows::partOfScannedColumn;
  int64_t bits = cast<RankedTensorType>(op->getOperand(0).getType())
                     .getElementTypeBitWidth();
  // Operators are lowered independently of the device.
  const DeviceSpeed device;
  bool areEnough =
      isTogether
          ? lines / neighbours >= cost::rows::getEnoughRows(device)
          : lines * bits / 8 >= cost::rows::getEnoughBytesOfLines(device);
  // A few parts do not compensate for the second reading.
  if (size <= (isTogether ? 2 : 4) * wanted ||
      (size <= maxIterations && areEnough))
    return size;
  // Parts of equal size need no condition, and parts of whole vectors are
  // better than parts of single elements.
  for (int64_t multiple : {8, 4, 2, 1})
    for (int64_t even = wanted; even >= wanted / 2; even -= multiple)
      if (size % even == 0)
        return even;
  return wanted;
}

Value Scan::build(OpBuilder &builder, ArrayRef<int64_t> shape,
                  const NumberFn &element) const {
  int64_t size = shape[axis], partSize = getPartSize(shape);
  int64_t numParts = llvm::divideCeilSigned(size, partSize);
  bool isWhole = size % partSize == 0;
  auto loadAt = [&](ElementBuilder &b, ValueRange indices, Value part,
                    Value place) {
    SmallVector<Value> at(indices);
    at[axis] = numParts > 1 ? b.add(b.mul(part, partSize), place) : place;
    if (isWhole)
      return element(b, at);
    Condition exists{
        &b, b.cmpi(arith::CmpIPredicate::ult, at[axis], b.index(size))};
    at[axis] = b.minui(at[axis], b.index(size - 1));
    return select(exists, element(b, at), combiner.getIdentity(b));
  };
  // The combination of all elements before each part.
  Value before;
  if (numParts > 1) {
    SmallVector<int64_t> parts(shape);
    parts[axis] = numParts;
    Value sums = buildReduction(
        builder, op, parts, partSize,
        /*isInnermost=*/llvm::product_of(shape.drop_front(axis + 1)) <=
            cost::rows::maxRowsTogether,
        combiner, [&](ElementBuilder &b, ValueRange part, ValueRange place) {
          return loadAt(b, part, part[axis], place[0]);
        });
    Scan ofParts = *this;
    ofParts.isExclusive = true;
    before = ofParts.build(
        builder, parts, [&](ElementBuilder &b, ValueRange indices) {
          return loadReduced(b, sums, indices, combiner.isUnsigned);
        });
  }
  // Each element combines all elements of its part that precede it. Code
  // generation recognizes such loops, and replaces them by a single loop for
  // all elements of a part.
  using Predicate = arith::CmpIPredicate;
  Predicate counts = isBackward
                         ? (isExclusive ? Predicate::ugt : Predicate::uge)
                         : (isExclusive ? Predicate::ult : Predicate::ule);
  return buildTensor(
      builder, op, RankedTensorType::get(shape, combiner.getType()),
      [&](ElementBuilder &b, ValueRange indices) {
        Value part, own = indices[axis];
        if (numParts > 1) {
          part = b.divui(own, partSize);
          own = b.remui(own, partSize);
        }
        Value scanned = buildAnyOrder(
            b, partSize, combiner.getIdentity(b).value, /*maxWrittenOut=*/9,
            [&](ElementBuilder &b, ValueRange place, Value carried) {
              Condition isCounted{&b, b.cmpi(counts, place[0], own)};
              Number x = select(isCounted, loadAt(b, indices, part, place[0]),
                                combiner.getIdentity(b));
              return combiner.combine({&b, carried, combiner.isUnsigned}, x)
                  .value;
            });
        if (!before)
          return scanned;
        SmallVector<Value> ofPart(indices);
        ofPart[axis] = part;
        return combiner
            .combine(loadReduced(b, before, ofPart, combiner.isUnsigned),
                     {&b, scanned, combiner.isUnsigned})
            .value;
      });
}
