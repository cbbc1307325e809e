//===- Placement.cpp - The place of a view in its root --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

bool Strip::overlaps(const Strip &other) const {
  if (offset >= other.getEnd() || other.offset >= getEnd())
    return false;
  // A strip consists of runs of bytes, one in every stride. If two strips have
  // the same stride, their runs are columns of the same rows. The strips then
  // overlap if and only if the columns overlap, provided that no run continues
  // in the next row.
  int64_t begin = offset % stride, otherBegin = other.offset % stride;
  if (stride != other.stride || begin + run > stride ||
      otherBegin + other.run > stride)
    return true;
  return begin < otherBegin + other.run && otherBegin < begin + run;
}

Strip Placement::getExtent(Value buffer) const {
  int64_t bytes = getNumBytes(cast<MemRefType>(buffer.getType()));
  Strip extent = {/*offset=*/0, /*run=*/bytes, /*stride=*/bytes, /*count=*/1};
  for (const auto &[index, strip] : llvm::enumerate(strips)) {
    // A buffer may be placed in a larger buffer, and the larger buffer in a
    // still larger one. Each strip states which bytes of the next larger buffer
    // hold the smaller one. A strip with one run shifts the extent by its
    // offset. A strip with several runs divides the smaller buffer into pieces.
    // The extent then becomes the whole strip, which contains all pieces.
    if (index == 0 || strip.count > 1)
      extent = strip;
    else
      extent.offset += strip.offset;
  }
  return extent;
}

int64_t Placement::getAlignment() const {
  int64_t common = 0;
  for (const Strip &strip : strips) {
    common = std::gcd(std::gcd(common, strip.offset), strip.run);
    if (strip.count > 1)
      common = std::gcd(common, strip.stride);
  }
  return common & -common;
}

int64_t dml::getNumBytes(MemRefType type) {
  int64_t bits = 0;
  if (auto vector = dyn_cast<VectorType>(type.getElementType()))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  else
    bits = type.getElementTypeBitWidth();
  return type.getNumElements() * bits / 8;
}

bool dml::isBufferView(Operation *op) {
  return isa_and_nonnull<BufferViewOp, memref::CastOp, memref::CollapseShapeOp,
                         memref::ExpandShapeOp, memref::SubViewOp,
                         memref::ViewOp>(op);
}

/// If `op` takes a constant range of at most one dimension, returns the bytes
/// of this range in the source, as a strip. Returns nothing otherwise.
static std::optional<Strip> getStrip(memref::SubViewOp op) {
  MemRefType source = op.getSourceType();
  if (!source.hasStaticShape() || !source.getLayout().isIdentity() ||
      ShapedType::isDynamicShape(op.getStaticOffsets()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      llvm::any_of(op.getStaticStrides(),
                   [](int64_t stride) { return stride != 1; }))
    return std::nullopt;
  int64_t bytes = getNumBytes(source), inner = bytes;
  Strip strip = {0, bytes, bytes, 1};
  bool isRange = false;
  for (auto [offset, size, whole] : llvm::zip_equal(
           op.getStaticOffsets(), op.getStaticSizes(), source.getShape())) {
    inner /= whole;
    if (size == whole)
      continue;
    if (isRange)
      return std::nullopt;
    isRange = true;
    strip = {offset * inner, size * inner, whole * inner,
             bytes / (whole * inner)};
  }
  return strip;
}

/// Appends `strip` to the strips of `placement`. `strip` places the present
/// buffer of `placement` in a larger one, as runs of equal length at equal
/// distances. The new strip is merged with the last strip if one strip can
/// describe both. If the new strip has a single run, the last strip's offset
/// increases. If both have several runs, as in nested concatenations along
/// columns, the stride increases: the last strip may have a run of 16 bytes in
/// each row of 64 bytes, and the new strip may place these rows 256 bytes
/// apart. The result is runs of 16 bytes that are 256 bytes apart.
static void addStrip(Placement &placement, const Strip &strip) {
  if (!placement.strips.empty()) {
    Strip &last = placement.strips.back();
    bool hasRows = last.count == strip.count && last.stride == strip.run;
    if (strip.count == 1 || hasRows) {
      last.offset += strip.offset;
      if (strip.count > 1)
        last.stride = strip.stride;
      return;
    }
  }
  placement.strips.push_back(strip);
}

std::optional<Placement> dml::getPlacement(Value buffer) {
  Placement placement;
  while (true) {
    Operation *op = buffer.getDefiningOp();
    if (!isBufferView(op))
      break;
    if (auto subview = dyn_cast<memref::SubViewOp>(op)) {
      std::optional<Strip> strip = getStrip(subview);
      if (!strip)
        return std::nullopt;
      if (strip->run != getNumBytes(subview.getSourceType()))
        addStrip(placement, *strip);
    } else if (auto view = dyn_cast<memref::ViewOp>(op)) {
      std::optional<int64_t> offset = getConstantIntValue(view.getByteShift());
      if (!offset || !view.getType().hasStaticShape())
        return std::nullopt;
      // Kernels load and store whole vectors of 16 bytes. A view therefore
      // extends to the end of its last vector, as a separate buffer does: 10
      // floats have 40 bytes, and their view has 48.
      auto bytes = static_cast<int64_t>(llvm::alignTo(
          getNumBytes(view.getType()), DeviceProfile::vectorBytes));
      addStrip(placement, {*offset, bytes, bytes, 1});
    }
    buffer = op->getOperand(0);
  }
  placement.root = buffer;
  return placement;
}
