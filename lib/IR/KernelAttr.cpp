//===- KernelAttr.cpp - Which kernel computes a tensor --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/KernelAttr.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dml;

static constexpr llvm::StringLiteral mapName = "map";
static constexpr llvm::StringLiteral tileName = "contraction_tile";

DictionaryAttr ContractionTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(
      b.getNamedAttr(tileName, b.getDenseI64ArrayAttr({rows, columns, terms})));
}

std::optional<KernelChoice> KernelChoice::get(Attribute attribute) {
  if (auto name = dyn_cast<StringAttr>(attribute))
    return name.getValue() == mapName ? std::optional(KernelChoice())
                                      : std::nullopt;
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary || dictionary.size() != 1)
    return std::nullopt;
  auto sizes = dictionary.getAs<DenseI64ArrayAttr>(tileName);
  if (!sizes || sizes.size() != 3 ||
      llvm::any_of(sizes.asArrayRef(), [](int64_t size) { return size < 1; }))
    return std::nullopt;
  return KernelChoice{ContractionTile{sizes[0], sizes[1], sizes[2]}};
}
