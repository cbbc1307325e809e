//===- ConstantData.h - The bytes of constant tensors -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_CONSTANTDATA_H
#define DML_IR_CONSTANTDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <optional>

namespace dml {

/// Bytes of all constants of an executable, at most. FlatBuffers have offsets
/// of 31 bits; the rest of the file has the other half.
inline constexpr uint64_t maxConstantBytes = INT32_MAX / 2;

/// The elements of a constant tensor, as bytes in row-major order. An element
/// of 4 bits in a dense value takes a byte.
struct ConstantData {
  llvm::ArrayRef<char> bytes;
  /// Whether these are one element, which all others are like.
  bool isSplat;
};

/// The bytes of `value`, without a copy. Nothing where it is no dense tensor,
/// or a resource without its blob, with one of another size, or whose elements
/// are not of whole bytes.
inline std::optional<ConstantData> getConstantData(mlir::Attribute value) {
  if (auto dense = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(value))
    return ConstantData{dense.getRawData(), dense.isSplat()};
  auto resource =
      llvm::dyn_cast_or_null<mlir::DenseResourceElementsAttr>(value);
  if (!resource)
    return std::nullopt;
  mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  mlir::ShapedType type = resource.getType();
  if (type.getElementTypeBitWidth() % 8 != 0)
    return std::nullopt;
  uint64_t size = static_cast<uint64_t>(type.getNumElements()) *
                  (type.getElementTypeBitWidth() / 8);
  if (!blob || blob->getData().size() != size)
    return std::nullopt;
  return ConstantData{blob->getData(), /*isSplat=*/false};
}

} // namespace dml

#endif // DML_IR_CONSTANTDATA_H
