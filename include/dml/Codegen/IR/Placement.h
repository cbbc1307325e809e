//===- Placement.h - The place of a view in its root ------------*- C++ -*-===//
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

/// Runs of bytes of a buffer, all of one size and at equal distances: `count`
/// runs of `run` bytes, of which the first begins at byte `offset`, and each
/// other one `stride` bytes after the one before. A part of a concatenation has
/// one run in each row of the result: in 3 rows of 40 bytes, a part that is 12
/// bytes wide and begins at column 8 is {offset 8, run 12, stride 40, count 3}.
struct Strip {
  int64_t offset, run, stride, count;

  bool operator==(const Strip &other) const {
    return offset == other.offset && run == other.run &&
           stride == other.stride && count == other.count;
  }
  /// Returns the byte behind the last run.
  int64_t getEnd() const { return offset + (count - 1) * stride + run; }
  /// Whether the two strips, which are of one buffer, may have a byte in
  /// common.
  bool overlaps(const Strip &other) const;
};

/// The place of the bytes of a view in its root: in the buffer that the view,
/// through any number of other views, is a view of.
struct Placement {
  /// The buffer that is no view: an argument, an allocation or a constant.
  mlir::Value root;
  /// The strips that lead from the view to the root. The first one is a strip
  /// of the buffer that the view is taken from, and the last one of the root.
  /// There are none if the view has all bytes of the root.
  llvm::SmallVector<Strip, 1> strips;

  /// Whether two views of equally many elements have the same bytes.
  bool operator==(const Placement &other) const {
    return root == other.root && strips == other.strips;
  }
  /// Returns the smallest strip of the root that has all bytes of `buffer`,
  /// whose placement this is.
  Strip getExtent(mlir::Value buffer) const;
  /// Returns the largest power of two that divides the bytes at which the runs
  /// begin and end. The end of a run that ends its root does not count.
  int64_t getAlignment() const;
};

/// Whether the result of `op` is a view of the first operand of `op`. An `op`
/// that is null makes no view.
bool isBufferView(mlir::Operation *op);

/// Returns the place of `buffer` in its root. Follows casts, reshapes,
/// dml_buffer.view, memref.view, and memref.subview of a range of one
/// dimension. Returns nothing if `buffer` is a view of another kind, or if an
/// offset is not constant.
std::optional<Placement> getPlacement(mlir::Value buffer);

/// Returns the bytes of all elements of `type`, which has a static shape.
int64_t getNumBytes(mlir::MemRefType type);

} // namespace dml

#endif // DML_CODEGEN_IR_PLACEMENT_H
