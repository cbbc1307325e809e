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
static constexpr llvm::StringLiteral contractionTileName = "contraction_tile";
static constexpr llvm::StringLiteral mapTileName = "map_tile";
static constexpr llvm::StringLiteral matrixTileName = "matrix_tile";

// The entries of a matrix kernel's tile.
static constexpr llvm::StringLiteral workgroupName = "workgroup";
static constexpr llvm::StringLiteral subgroupName = "subgroup";
static constexpr llvm::StringLiteral shapeName = "shape";

// The entries of a map kernel's tile.
static constexpr llvm::StringLiteral vectorBytesName = "vector_bytes";
static constexpr llvm::StringLiteral vectorsName = "vectors";
static constexpr llvm::StringLiteral rowsName = "rows";
static constexpr llvm::StringLiteral inBothRowsName = "in_both_rows";
static constexpr llvm::StringLiteral splitName = "split";
static constexpr llvm::StringLiteral blockName = "block";
static constexpr llvm::StringLiteral interiorName = "interior";

DictionaryAttr ContractionTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(b.getNamedAttr(
      contractionTileName, b.getDenseI64ArrayAttr({rows, columns, terms})));
}

DictionaryAttr MatrixTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  NamedAttribute entries[] = {
      b.getNamedAttr(workgroupName,
                     b.getDenseI64ArrayAttr({rows, columns, terms})),
      b.getNamedAttr(subgroupName,
                     b.getDenseI64ArrayAttr({subgroupRows, subgroupColumns})),
      b.getNamedAttr(shapeName, b.getStringAttr(shape))};
  return b.getDictionaryAttr(
      b.getNamedAttr(matrixTileName, b.getDictionaryAttr(entries)));
}

DictionaryAttr MapTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries;
  auto add = [&](StringRef name, Attribute value) {
    entries.push_back(b.getNamedAttr(name, value));
  };
  add(vectorBytesName, b.getI64IntegerAttr(vectorBytes));
  if (vectors != 1)
    add(vectorsName, b.getI64IntegerAttr(vectors));
  if (rows != 1)
    add(rowsName, b.getI64IntegerAttr(rows));
  if (inBothRows)
    add(inBothRowsName, b.getUnitAttr());
  if (isSplit)
    add(splitName, b.getUnitAttr());
  if (block)
    add(blockName, b.getDenseI64ArrayAttr(*block));
  if (llvm::any_of(interior, [](int64_t share) { return share != 0; }))
    add(interiorName, b.getDenseI64ArrayAttr(interior));
  return b.getDictionaryAttr(
      b.getNamedAttr(mapTileName, b.getDictionaryAttr(entries)));
}

/// Reads a map kernel's tile. Nothing if an entry is unknown or no tile has its
/// value.
static std::optional<MapTile> getMapTile(DictionaryAttr dictionary) {
  MapTile tile;
  auto readSize = [](Attribute value, int64_t &size) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || !number.getType().isInteger(64) || number.getInt() < 1)
      return false;
    size = number.getInt();
    return true;
  };
  for (NamedAttribute entry : dictionary) {
    Attribute value = entry.getValue();
    StringRef name = entry.getName();
    auto numbers = dyn_cast<DenseI64ArrayAttr>(value);
    bool isRead = false;
    if (name == vectorBytesName)
      isRead = readSize(value, tile.vectorBytes);
    else if (name == vectorsName)
      isRead = readSize(value, tile.vectors);
    else if (name == rowsName)
      isRead = readSize(value, tile.rows);
    else if (name == inBothRowsName)
      isRead = tile.inBothRows = isa<UnitAttr>(value);
    else if (name == splitName)
      isRead = tile.isSplit = isa<UnitAttr>(value);
    else if (name == blockName && numbers) {
      tile.block.emplace(numbers.asArrayRef());
      isRead = llvm::all_of(*tile.block, [](int64_t size) { return size > 0; });
    } else if (name == interiorName && numbers) {
      tile.interior.assign(numbers.asArrayRef().begin(),
                           numbers.asArrayRef().end());
      isRead = llvm::all_of(tile.interior, [](int64_t share) {
        return 0 <= share && share <= 100;
      });
    }
    if (!isRead)
      return std::nullopt;
  }
  return tile.vectorBytes ? std::optional(tile) : std::nullopt;
}

/// The numbers that `attribute` holds, if these are `count` and all positive.
static std::optional<ArrayRef<int64_t>> getSizes(Attribute attribute,
                                                 size_t count) {
  auto sizes = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
  if (!sizes || static_cast<size_t>(sizes.size()) != count ||
      llvm::any_of(sizes.asArrayRef(), [](int64_t size) { return size < 1; }))
    return std::nullopt;
  return sizes.asArrayRef();
}

/// Reads a matrix kernel's tile. Nothing if an entry is missing, unknown or no
/// tile has its value.
static std::optional<MatrixTile> getMatrixTile(DictionaryAttr dictionary) {
  auto workgroup = getSizes(dictionary.get(workgroupName), 3),
       subgroup = getSizes(dictionary.get(subgroupName), 2);
  auto shape = dictionary.getAs<StringAttr>(shapeName);
  if (dictionary.size() != 3 || !workgroup || !subgroup || !shape ||
      (*workgroup)[0] % (*subgroup)[0] || (*workgroup)[1] % (*subgroup)[1])
    return std::nullopt;
  return MatrixTile{(*workgroup)[0], (*workgroup)[1], (*workgroup)[2],
                    (*subgroup)[0],  (*subgroup)[1],  shape.str()};
}

std::optional<KernelChoice> KernelChoice::get(Attribute attribute) {
  if (auto name = dyn_cast<StringAttr>(attribute))
    return name.getValue() == mapName ? std::optional(KernelChoice())
                                      : std::nullopt;
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary || dictionary.size() != 1)
    return std::nullopt;
  KernelChoice choice;
  if (auto entries = dictionary.getAs<DictionaryAttr>(mapTileName)) {
    choice.mapTile = getMapTile(entries);
    return choice.mapTile ? std::optional(choice) : std::nullopt;
  }
  if (auto entries = dictionary.getAs<DictionaryAttr>(matrixTileName)) {
    choice.matrixTile = getMatrixTile(entries);
    return choice.matrixTile ? std::optional(choice) : std::nullopt;
  }
  auto sizes = getSizes(dictionary.get(contractionTileName), 3);
  if (!sizes)
    return std::nullopt;
  choice.tile = ContractionTile{(*sizes)[0], (*sizes)[1], (*sizes)[2]};
  return choice;
}
