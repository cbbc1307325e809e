//===- BufferOps.cpp - Buffers as kernels see them ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

#include "dml/Codegen/IR/BufferDialect.cpp.inc"

void DMLBufferDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dml/Codegen/IR/BufferOps.cpp.inc"
      >();
}

/// Returns the number of bytes in an element of `type`, or nothing if an
/// element does not consist of whole bytes.
static std::optional<int64_t> getElementBytes(MemRefType type) {
  Type element = type.getElementType();
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(element)) {
    if (vector.isScalable())
      return std::nullopt;
    count = vector.getNumElements();
  }
  Type scalar = getElementTypeOrSelf(element);
  if (!scalar.isIntOrFloat() || scalar.getIntOrFloatBitWidth() % 8)
    return std::nullopt;
  return count * scalar.getIntOrFloatBitWidth() / 8;
}

LogicalResult BufferViewOp::verify() {
  auto source = dyn_cast<MemRefType>(getSource().getType());
  auto result = dyn_cast<MemRefType>(getResult().getType());
  for (MemRefType type : {source, result})
    if (!type || !type.hasStaticShape() || !getElementBytes(type))
      return emitOpError("wants memrefs of static shape, with whole bytes an "
                         "element, but has ")
             << getSource().getType() << " and " << getResult().getType();
  if (!result.getLayout().isIdentity())
    return emitOpError("wants a packed result, but it is ") << result;
  if (source.getMemorySpace() != result.getMemorySpace())
    return emitOpError("wants one memory space, but has ")
           << source << " and " << result;
  int64_t bytes = getNumBytes(result);
  auto wanted = static_cast<int64_t>(
      llvm::alignTo(getNumBytes(source), *getElementBytes(result)));
  if (getWhole() ? bytes >= wanted : bytes == wanted)
    return success();
  return emitOpError("has ")
         << bytes << " bytes, but wants " << (getWhole() ? "at least " : "")
         << wanted << ", which are those of " << source;
}

OpFoldResult BufferViewOp::fold(FoldAdaptor) {
  return getSource().getType() == getResult().getType()
             ? OpFoldResult(getSource())
             : OpFoldResult();
}

LogicalResult BufferRangeOp::verify() {
  auto source = dyn_cast<MemRefType>(getSource().getType());
  auto result = dyn_cast<MemRefType>(getResult().getType());
  for (MemRefType type : {source, result})
    if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
        !getElementBytes(type))
      return emitOpError("wants packed memrefs of static shape, with whole "
                         "bytes an element, but has ")
             << getSource().getType() << " and " << getResult().getType();
  if (source.getMemorySpace() != result.getMemorySpace())
    return emitOpError("wants one memory space, but has ")
           << source << " and " << result;
  auto offset = static_cast<int64_t>(getOffset());
  if (offset < 0 || offset % DeviceProfile::rangeAlignment)
    return emitOpError("is at byte ") << offset << ", but wants a multiple of "
                                      << DeviceProfile::rangeAlignment;
  auto stride = static_cast<int64_t>(getStride());
  if (stride % DeviceProfile::rangeAlignment ||
      !getIteration() != (stride == 0))
    return emitOpError("advances by ")
           << stride << " bytes, but wants a multiple of "
           << DeviceProfile::rangeAlignment
           << ", which is not 0 exactly where there is an iteration";
  if (getPeriod() && (!getIteration() || *getPeriod() < 2))
    return emitOpError("has the period ")
           << *getPeriod() << ", but wants at least 2, and an iteration";
  auto end = static_cast<int64_t>(
      llvm::alignTo(getNumBytes(source), DeviceProfile::vectorBytes));
  if (offset > end - getNumBytes(result))
    return emitOpError("ends at byte ")
           << offset + getNumBytes(result) << ", but " << source << " has "
           << end << ", whole vectors";
  return success();
}

#define GET_OP_CLASSES
#include "dml/Codegen/IR/BufferOps.cpp.inc"
