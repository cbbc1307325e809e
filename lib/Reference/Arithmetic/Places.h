//===- Places.h - Where elements are ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_ARITHMETIC_PLACES_H
#define DML_LIB_REFERENCE_ARITHMETIC_PLACES_H

#include "dml/Reference/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <algorithm>
#include <optional>

namespace dml::reference {

/// Returns the row-major position of the coordinates `at`.
inline int64_t getNumber(llvm::ArrayRef<int64_t> at,
                         llvm::ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [coordinate, size] : llvm::zip_equal(at, shape))
    number = number * size + coordinate;
  return number;
}

/// Returns the position of the element at `at` in `tensor`.
inline int64_t getPlace(const Tensor &tensor, llvm::ArrayRef<int64_t> at) {
  return getNumber(at, tensor.getShape());
}

/// Copies the bits of an element. Both tensors have the same data type.
inline void copyElement(const Tensor &input, llvm::ArrayRef<int64_t> from,
                        Tensor &output, llvm::ArrayRef<int64_t> to) {
  unsigned width = getByteWidth(input.getDataType());
  std::copy_n(input.getData() + getPlace(input, from) * width, width,
              output.getData() + getPlace(output, to) * width);
}

/// Stores the bits of `scalar`, which has the element type of `tensor`, as
/// element `index` of `tensor`.
inline void setScalar(Tensor &tensor, int64_t index, mlir::TypedAttr scalar) {
  auto number = mlir::dyn_cast<mlir::FloatAttr>(scalar);
  uint64_t bits = (number ? number.getValue().bitcastToAPInt()
                          : mlir::cast<mlir::IntegerAttr>(scalar).getValue())
                      .getZExtValue();
  unsigned width = getByteWidth(tensor.getDataType());
  std::copy_n(reinterpret_cast<const char *>(&bits), width,
              tensor.getData() + index * width);
}

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_ARITHMETIC_PLACES_H
