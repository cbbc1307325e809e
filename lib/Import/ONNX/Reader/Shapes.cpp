//===- Shapes.cpp - Shapes of ONNX and of DirectML ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Reader/Shapes.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

Shape dml::onnx::toPhysical(ArrayRef<int64_t> shape) {
  constexpr size_t minRank = 4;
  Shape physical(minRank - std::min(minRank, shape.size()), 1);
  physical.append(shape.begin(), shape.end());
  return physical;
}

std::optional<Shape> dml::onnx::broadcastShapes(ArrayRef<int64_t> a,
                                                ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape result(a);
  size_t offset = a.size() - b.size();
  for (size_t dim = 0; dim < b.size(); ++dim) {
    int64_t &size = result[offset + dim];
    if (size == 1)
      size = b[dim];
    else if (b[dim] != 1 && b[dim] != size)
      return std::nullopt;
  }
  return result;
}
