//===- Shapes.h - Shapes of ONNX and of DirectML ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_READER_SHAPES_H
#define DML_LIB_IMPORT_ONNX_READER_SHAPES_H

#include "Reader/Constant.h"

namespace dml::onnx {

/// Returns `shape` with leading dimensions of size 1, up to four dimensions.
/// This is the shape of the value that represents an ONNX tensor with the shape
/// `shape`.
Shape toPhysical(llvm::ArrayRef<int64_t> shape);

/// Returns the shape to which `a` and `b` are broadcast by NumPy's rule, or
/// nothing if they are incompatible. Sizes are compared from the right, and a
/// dimension of size 1 is extended to the other size. For example, {3, 1} and
/// {2, 1, 4} are broadcast to {2, 3, 4}.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a,
                                     llvm::ArrayRef<int64_t> b);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_SHAPES_H
