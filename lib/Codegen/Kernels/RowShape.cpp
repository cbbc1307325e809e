//===- RowShape.cpp - How an output lies in vectors and rows --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/RowShape.h"
#include "Analysis/ElementMap.h"
#include "Emit/TileBuilder.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

int64_t dml::getMaxVectorBytes(linalg::GenericOp op) {
  std::optional<Placement> placement = getPlacement(op.getOutputs().front());
  if (!placement || placement->strips.empty())
    return DeviceProfile::vectorBytes;
  int64_t bytes =
      std::min(DeviceProfile::vectorBytes, placement->getAlignment());
  return bytes < 4 ? getOutputType(op).getElementTypeBitWidth() / 8 : bytes;
}

int64_t dml::getVectorBytes(linalg::GenericOp op) {
  auto getBytes = [](Value buffer) -> int64_t {
    return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
  };
  int64_t stored = getBytes(op.getOutputs().front()), widest = stored;
  // A thread stores as many elements at once as it computes from at most 16
  // bytes of a row of the input. A load may skip elements: if the body reads
  // every second element, 4 elements of the output take 8 elements of the
  // input. `strides` estimates, for each value of the body, how much the value
  // increases from one element of the output's row to the next. The index of
  // such a load increases by 2. An error in the estimate only costs time.
  llvm::SmallDenseMap<Value, int64_t> strides;
  for (Operation &nested : *op.getBody()) {
    if (auto load = dyn_cast<memref::LoadOp>(nested)) {
      int64_t stride =
          load.getIndices().empty() ? 1 : strides[load.getIndices().back()];
      widest = std::max(widest, getBytes(load.getMemRef()) *
                                    std::max<int64_t>(stride, 1));
      continue;
    }
    int64_t stride = 0;
    for (Value operand : nested.getOperands())
      stride = std::max(stride, strides[operand]);
    APInt constant;
    if (auto index = dyn_cast<linalg::IndexOp>(nested))
      stride = index.getDim() + 1 == op.getNumLoops();
    else if (isa<arith::MulIOp, arith::DivUIOp>(nested) &&
             matchPattern(nested.getOperand(1), m_ConstantInt(&constant))) {
      // The constant divisor may be 0 if the quotient is not used.
      auto factor = constant.getLimitedValue(DeviceProfile::vectorBytes);
      stride = isa<arith::MulIOp>(nested)
                   ? stride * factor
                   : stride / std::max<uint64_t>(factor, 1);
    }
    for (Value result : nested.getResults())
      strides[result] = std::min<int64_t>(stride, DeviceProfile::vectorBytes);
  }
  uint64_t bytes = DeviceProfile::vectorBytes * stored / widest;
  bytes = std::max(
      {static_cast<int64_t>(llvm::bit_floor(bytes)), int64_t{4}, stored});
  return std::min<int64_t>(bytes, getMaxVectorBytes(op));
}

int64_t dml::getPeriod(linalg::GenericOp op, int64_t dim) {
  int64_t size = getOutputType(op).getDimSize(dim), period = 1;
  for (auto index : op.getBody()->getOps<linalg::IndexOp>()) {
    if (static_cast<int64_t>(index.getDim()) != dim)
      continue;
    for (Operation *user : index->getUsers()) {
      APInt divisor;
      if (!isa<arith::RemUIOp>(user) || user->getOperand(0) != index ||
          !matchPattern(user->getOperand(1), m_ConstantInt(&divisor)) ||
          divisor.isZero() || divisor.ugt(size))
        return size;
      period = std::lcm(period, divisor.getSExtValue());
    }
  }
  return size % period ? size : period;
}

RowShape RowShape::get(linalg::GenericOp op, int64_t vectorSize) {
  MemRefType type = getOutputType(op);
  RowShape rows;
  rows.vectorSize = vectorSize;
  rows.numElements = type.getNumElements();
  for (int64_t dim = type.getRank() - 1; dim >= 0 && rows.perPlane == 1;
       --dim) {
    int64_t size = type.getDimSize(dim);
    if (rows.size > 1)
      rows.perPlane = size;
    else
      std::tie(rows.size, rows.dim) = std::tie(size, dim);
  }
  // A tensor of rank 0 has no dimension along which elements could repeat.
  if (rows.size == 1 || rows.hasWholeVectors())
    return rows;
  int64_t period = getPeriod(op, rows.dim);
  if (period > 1 && period < rows.size) {
    rows.perPlane = rows.size / period;
    rows.size = period;
  }
  return rows;
}

int64_t RowShape::getInsideVectors() const {
  // `most` is the largest number of a row's elements that precede the first
  // vector inside of the row. With rows of 9 elements and vectors of 4, rows
  // begin at elements 0, 9, 18 and 27. The row that begins at element 9 has 3
  // elements before its first vector inside, which begins at element 12.
  int64_t most = vectorSize - std::gcd(size, vectorSize);
  return (size - most) / vectorSize;
}

int64_t RowShape::getNumVectors() const {
  return llvm::divideCeil(numElements, vectorSize);
}

bool dml::mayLookInBothRows(linalg::GenericOp op, const RowShape &rows) {
  return !rows.hasWholeVectors() && rows.size >= rows.vectorSize &&
         rows.hasSeveralRows() && TileBuilder::isMove(op);
}

SmallVector<int64_t> dml::getUnitBlock(linalg::GenericOp op,
                                       int64_t vectorBytes) {
  MemRefType type = getOutputType(op);
  int64_t rank = type.getRank(), outer = rank, row = 1;
  int64_t count = vectorBytes * 8 / type.getElementTypeBitWidth();
  while (outer > 0 && (outer == rank || row % count != 0))
    row *= type.getDimSize(--outer);
  return SmallVector<int64_t>(outer, 1);
}
