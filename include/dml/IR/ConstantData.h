//===- ConstantData.h - The bytes of constant tensors -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_CONSTANTDATA_H
#define DML_IR_CONSTANTDATA_H

#include "dml/IR/FileMemory.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <optional>

namespace dml {

/// The limit on the bytes of all constants of an executable. FlatBuffers have
/// 31-bit offsets; half of that range is left for the rest of the file.
inline constexpr uint64_t maxConstantBytes = INT32_MAX / 2;

/// The elements of a constant tensor, as bytes in row-major order. In a dense
/// attribute, a 4-bit element occupies a byte.
struct ConstantData {
  llvm::ArrayRef<char> bytes;
  /// Whether `bytes` is a single element, to which all elements are equal.
  bool isSplat;
};

/// Returns the bytes of `value`, without a copy. Returns nothing if `value` is
/// no dense tensor, if its elements do not consist of whole bytes, or if it is
/// a resource whose blob is missing or has the wrong size.
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
  FileMemory::want(blob->getData());
  return ConstantData{blob->getData(), /*isSplat=*/false};
}

} // namespace dml

#endif // DML_IR_CONSTANTDATA_H
