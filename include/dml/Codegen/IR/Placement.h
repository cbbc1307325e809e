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

/// A strip: `count` runs of `run` bytes each in a buffer. The first run begins
/// at byte `offset`, and each further run `stride` bytes after the previous
/// one. An input of a concatenation, for example, has one run in each row of
/// the result: in a result of 3 rows of 40 bytes, an input that is 12 bytes
/// wide and begins at byte 8 of each row is the strip {offset 8, run 12, stride
/// 40, count 3}.
struct Strip {
  int64_t offset, run, stride, count;

  bool operator==(const Strip &other) const {
    return offset == other.offset && run == other.run &&
           stride == other.stride && count == other.count;
  }
  /// Returns the end of the last run.
  int64_t getEnd() const { return offset + (count - 1) * stride + run; }
  /// Whether the two strips of one buffer may have a byte in common.
  bool overlaps(const Strip &other) const;
};

/// The placement of a view: the location of its bytes in its root. The root is
/// the buffer from which a chain of views leads to the view.
struct Placement {
  /// The root, which is not a view: an argument, an allocation or a constant.
  mlir::Value root;
  /// The strips from the view to the root. The first strip lies in the buffer
  /// from which the view is taken, and the last strip lies in the root. The
  /// list is empty if the view contains all bytes of the root.
  llvm::SmallVector<Strip, 1> strips;

  /// Whether two views with equally many elements contain the same bytes.
  bool operator==(const Placement &other) const {
    return root == other.root && strips == other.strips;
  }
  /// Returns the smallest strip of the root that contains all bytes of
  /// `buffer`. This object must be the placement of `buffer`.
  Strip getExtent(mlir::Value buffer) const;
  /// Returns the largest power of two that divides the byte offsets at which
  /// runs begin and end. The end of a run that is also the end of the root is
  /// ignored.
  int64_t getAlignment() const;
};

/// Whether `op` is not null and its result is a view of its first operand.
bool isBufferView(mlir::Operation *op);

/// Returns the placement of `buffer` in its root. Follows casts, reshapes,
/// dml_buffer.view, memref.view, and one-dimensional memref.subview. Returns
/// nothing if `buffer` is another kind of view, or if an offset is not
/// constant.
std::optional<Placement> getPlacement(mlir::Value buffer);

/// Returns the number of bytes in all elements of `type`, which has a static
/// shape.
int64_t getNumBytes(mlir::MemRefType type);

} // namespace dml

#endif // DML_CODEGEN_IR_PLACEMENT_H
