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
/// attribute, MLIR gives each 4-bit element a byte. In a resource, dml keeps
/// 4-bit elements as files and buffers do: two to a byte, the first in the low
/// half, so that the elements 1, 2 and 3 are the bytes 0x21 and 0x03.
struct ConstantData {
  llvm::ArrayRef<char> bytes;
  /// Whether `bytes` is a single element, to which all elements are equal.
  bool isSplat;
  /// Whether 4-bit elements are two to a byte.
  bool isPacked = false;
};

/// Returns the bytes of `value`, without a copy. Returns nothing if `value` is
/// no dense tensor, or if it is a resource whose blob is missing or has the
/// wrong size, or whose elements have neither 4 bits nor whole bytes.
inline std::optional<ConstantData> getConstantData(mlir::Attribute value) {
  if (auto dense = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(value))
    return ConstantData{dense.getRawData(), dense.isSplat()};
  auto resource =
      llvm::dyn_cast_or_null<mlir::DenseResourceElementsAttr>(value);
  if (!resource)
    return std::nullopt;
  mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  mlir::ShapedType type = resource.getType();
  unsigned bits = type.getElementTypeBitWidth();
  bool isPacked = bits == 4;
  if (bits % 8 != 0 && !isPacked)
    return std::nullopt;
  uint64_t count = type.getNumElements();
  uint64_t size = isPacked ? count / 2 + count % 2 : count * (bits / 8);
  if (!blob || blob->getData().size() != size)
    return std::nullopt;
  FileMemory::want(blob->getData());
  return ConstantData{blob->getData(), /*isSplat=*/false, isPacked};
}

} // namespace dml

#endif // DML_IR_CONSTANTDATA_H
