//===- Windows.h - Windows of convolutions and of pooling -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_WINDOWS_H
#define DML_LIB_IMPORT_ONNX_NODES_WINDOWS_H

#include "Nodes/NodeUtils.h"

namespace dml::onnx {

/// The windows of a convolution or of a pooling over the spatial dimensions of
/// a tensor. DirectML supports two or three spatial dimensions, so that a
/// tensor {N, C, W} is reshaped to {N, C, 1, W}.
struct Windows {
  /// The shape of the input, including an additional dimension of size 1.
  Shape input;
  Shape sizes, strides, dilations, start, end;
  /// The number of windows along each spatial dimension.
  Shape counts;

  /// Whether the last window along a dimension extends beyond the padding at
  /// the end, because the number of windows was rounded up.
  bool isBeyondPadding() const {
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      if ((counts[dim] - 1) * strides[dim] + (sizes[dim] - 1) * dilations[dim] +
              1 >
          input[dim + 2] + start[dim] + end[dim])
        return true;
    return false;
  }
  bool isDilated() const {
    return llvm::any_of(dilations, [](int64_t d) { return d != 1; });
  }
  /// Returns `shape` without the additional dimension of size 1.
  static Shape without(Shape shape, bool isAdded) {
    if (isAdded)
      return {shape[0], shape[1], shape[3]};
    return shape;
  }
};

/// Adds the dimension of size 1 to {N, C, W}.
Shape addDimension(Shape shape);

/// Inserts `value` at the beginning of each of `arrays`, which have one spatial
/// dimension.
void prepend(int64_t value, llvm::ArrayRef<Shape *> arrays);

/// Returns the attribute `name`, which has `count` values of at least
/// `minimum`. If the node lacks the attribute, each value is `otherwise`.
llvm::FailureOr<Shape> getSpatial(NodeImporter &node, llvm::StringRef name,
                                  size_t count, int64_t otherwise,
                                  int64_t minimum);

/// Fails if a node states window sizes other than `sizes`, which are those of
/// its weights.
llvm::LogicalResult wantKernelShape(NodeImporter &node,
                                    llvm::ArrayRef<int64_t> sizes);

/// Returns the windows, with the sizes `sizes`, of a node whose input has the
/// shape `shape`: {N, C} and the spatial dimensions. If `sizes` is empty, the
/// attribute kernel_shape states the sizes.
llvm::FailureOr<Windows> getWindows(NodeImporter &node, const Shape &shape,
                                    Shape sizes);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_WINDOWS_H
