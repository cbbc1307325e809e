//===- Placement.h - Where a buffer is in the one that is bound -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_IR_PLACEMENT_H
#define DML_CODEGEN_IR_PLACEMENT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dml {

/// Runs of bytes of a buffer, all of one size and at equal distances. A part of
/// a concatenation has one run in each row of the result: in rows of 40 bytes,
/// a part of 12 bytes has runs of 12 bytes that begin 40 bytes apart.
struct Strip {
  int64_t offset, run, stride, count;

  bool operator==(const Strip &other) const {
    return offset == other.offset && run == other.run &&
           stride == other.stride && count == other.count;
  }
  int64_t getEnd() const { return offset + (count - 1) * stride + run; }
  bool overlaps(const Strip &other) const;
};

/// Where the bytes of a buffer are in the buffer that it is a view of.
struct Placement {
  /// An argument, an allocation or a constant.
  mlir::Value root;
  /// The ranges that lead from the buffer's bytes, through what it is a view
  /// of, to the root's. There are none if the buffer is all of the root.
  llvm::SmallVector<Strip, 1> strips;

  /// Whether two buffers of as many elements have the same bytes.
  bool operator==(const Placement &other) const {
    return root == other.root && strips == other.strips;
  }
  /// The least range of the root's bytes that has all bytes of `buffer`, whose
  /// placement this is.
  Strip getExtent(mlir::Value buffer) const;
  /// The largest power of two that divides where the runs begin and end, but
  /// for the end of what is the last of its root.
  int64_t getAlignment() const;
};

/// Whether `op` makes a buffer that is a view of its first operand.
bool isBufferView(mlir::Operation *op);

/// Follows casts, reshapes, dml_buffer.view, memref.view, and memref.subview of
/// one dimension's range. Nothing if `buffer` is another view, or not of
/// constant offsets.
std::optional<Placement> getPlacement(mlir::Value buffer);

/// The bytes of the elements of `type`, which has a static shape.
int64_t getNumBytes(mlir::MemRefType type);

} // namespace dml

#endif // DML_CODEGEN_IR_PLACEMENT_H
