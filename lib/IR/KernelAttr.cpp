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
static constexpr llvm::StringLiteral rowTileName = "row_tile";
static constexpr llvm::StringLiteral mapTileName = "map_tile";

// The entries of a map kernel's tile.
static constexpr llvm::StringLiteral vectorBytesName = "vector_bytes";
static constexpr llvm::StringLiteral vectorsName = "vectors";
static constexpr llvm::StringLiteral rowsName = "rows";
static constexpr llvm::StringLiteral stepsName = "steps";
static constexpr llvm::StringLiteral inBothRowsName = "in_both_rows";
static constexpr llvm::StringLiteral splitName = "split";
static constexpr llvm::StringLiteral insideName = "inside";
static constexpr llvm::StringLiteral turnsName = "turns";
static constexpr llvm::StringLiteral crosswiseName = "crosswise";
static constexpr llvm::StringLiteral blockName = "block";
static constexpr llvm::StringLiteral interiorName = "interior";

DictionaryAttr ContractionTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(b.getNamedAttr(
      contractionTileName, b.getDenseI64ArrayAttr({rows, columns, terms})));
}

DictionaryAttr RowTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(
      b.getNamedAttr(rowTileName, b.getDenseI64ArrayAttr({threads, vectors})));
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
  if (steps != 1)
    add(stepsName, b.getI64IntegerAttr(steps));
  if (inBothRows)
    add(inBothRowsName, b.getUnitAttr());
  if (isSplit)
    add(splitName, b.getUnitAttr());
  if (inside)
    add(insideName, b.getDenseI64ArrayAttr({inside->first, inside->count}));
  if (turns)
    add(turnsName, b.getI64IntegerAttr(*turns));
  if (crosswise)
    add(crosswiseName, b.getDenseI64ArrayAttr({crosswise->dim, crosswise->rows,
                                               crosswise->columns}));
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
  auto readSize = [](Attribute value, int64_t &size, int64_t least = 1) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || !number.getType().isInteger(64) || number.getInt() < least)
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
    else if (name == stepsName)
      isRead = readSize(value, tile.steps);
    else if (name == inBothRowsName)
      isRead = tile.inBothRows = isa<UnitAttr>(value);
    else if (name == splitName)
      isRead = tile.isSplit = isa<UnitAttr>(value);
    else if (name == insideName && numbers && numbers.size() == 2) {
      tile.inside = InsideVectors{numbers[0], numbers[1]};
      isRead = numbers[0] >= 0 && numbers[1] > 0;
    } else if (name == turnsName)
      isRead = readSize(value, tile.turns.emplace(), /*least=*/0);
    else if (name == crosswiseName && numbers && numbers.size() == 3) {
      tile.crosswise = CrosswiseTile{numbers[0], numbers[1], numbers[2]};
      isRead = numbers[0] >= 0 && numbers[1] > 0 && numbers[2] > 0;
    } else if (name == blockName && numbers) {
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
  auto getSizes = [&](StringRef name, int64_t count) {
    auto sizes = dictionary.getAs<DenseI64ArrayAttr>(name);
    return sizes && sizes.size() == count &&
                   llvm::all_of(sizes.asArrayRef(),
                                [](int64_t size) { return size > 0; })
               ? sizes
               : DenseI64ArrayAttr();
  };
  if (auto sizes = getSizes(contractionTileName, 3))
    choice.tile = ContractionTile{sizes[0], sizes[1], sizes[2]};
  else if (auto sizes = getSizes(rowTileName, 2))
    choice.rowTile = RowTile{sizes[0], sizes[1]};
  else
    return std::nullopt;
  return choice;
}
