//===- Windows.h - Windows of convolutions and of pooling -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_WINDOWS_H
#define DML_LIB_IMPORT_ONNX_NODES_WINDOWS_H

#include "Nodes/NodeUtils.h"

namespace dml::onnx {

/// How windows lie on the spatial dimensions of a tensor. Tensors of one
/// spatial dimension get one of size 1 before it, since DirectML has two or
/// three.
struct Windows {
  /// The input, with that dimension.
  Shape input;
  Shape sizes, strides, dilations, start, end;
  /// How many windows there are along each spatial dimension.
  Shape counts;

  /// Whether the last window along a dimension reaches beyond the padding at
  /// its end, since the number of windows was rounded up.
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
  /// `shape` without the dimension of size 1.
  static Shape without(Shape shape, bool isAdded) {
    if (isAdded)
      return {shape[0], shape[1], shape[3]};
    return shape;
  }
};

/// Adds the dimension of size 1 to {N, C, W}.
Shape addDimension(Shape shape);

/// Puts `value` before the values of an array of one spatial dimension.
void prepend(int64_t value, llvm::ArrayRef<Shape *> arrays);

/// An array with a value for each spatial dimension, or `otherwise`.
llvm::FailureOr<Shape> getSpatial(NodeImporter &node, llvm::StringRef name,
                                  size_t count, int64_t otherwise,
                                  int64_t minimum);

/// Fails where a node states other windows than its weights have, `sizes`.
llvm::LogicalResult wantKernelShape(NodeImporter &node,
                                    llvm::ArrayRef<int64_t> sizes);

/// The windows, of the sizes `sizes`, of a node whose input has the shape
/// `shape`, {N, C} and spatial dimensions. Where `sizes` is empty, kernel_shape
/// states them.
llvm::FailureOr<Windows> getWindows(NodeImporter &node, const Shape &shape,
                                    Shape sizes);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_WINDOWS_H
