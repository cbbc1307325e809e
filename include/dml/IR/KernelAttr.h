//===- KernelAttr.h - Which kernel computes a tensor ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_KERNELATTR_H
#define DML_IR_KERNELATTR_H

#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace dml {

/// The name of the attribute that says which kind of kernel a linalg.generic
/// becomes: `"map"`, whose threads each compute elements from their
/// coordinates, or `{contraction_tile = array<i64: rows, columns, terms>}`.
inline constexpr llvm::StringLiteral kernelAttrName = "dml.kernel";

/// What a workgroup of a contraction kernel computes: `rows` times `columns`
/// sums, for which it has `terms` terms of each in workgroup memory at a time.
struct ContractionTile {
  int64_t rows, columns, terms;

  mlir::DictionaryAttr getAttr(mlir::MLIRContext *context) const;
};

/// A value of the attribute `dml.kernel`: a map kernel, or the tile of a
/// contraction kernel.
struct KernelChoice {
  std::optional<ContractionTile> tile;

  /// Nothing if `attribute` says neither.
  static std::optional<KernelChoice> get(mlir::Attribute attribute);
};

} // namespace dml

#endif // DML_IR_KERNELATTR_H
