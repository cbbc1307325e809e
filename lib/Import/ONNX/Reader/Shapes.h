//===- Shapes.h - Shapes of ONNX and of DirectML ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_READER_SHAPES_H
#define DML_LIB_IMPORT_ONNX_READER_SHAPES_H

#include "Reader/Constant.h"

namespace dml::onnx {

/// `shape` with leading sizes of 1 up to four dimensions: the shape of the
/// value that stands for a tensor of ONNX's shape `shape`.
Shape toPhysical(llvm::ArrayRef<int64_t> shape);

/// The shape that `a` and `b` broadcast to by NumPy's rule, or nothing where
/// they do not: sizes are compared from the right, and a size of 1 gives way to
/// the other. {3, 1} and {2, 1, 4} broadcast to {2, 3, 4}.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> a,
                                     llvm::ArrayRef<int64_t> b);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_SHAPES_H
