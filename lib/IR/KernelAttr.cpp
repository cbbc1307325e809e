//===- KernelAttr.cpp - Which kernel computes a tensor --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/KernelAttr.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace dml;

static constexpr llvm::StringLiteral mapName = "map";

// The entries of a matrix kernel's tile.
static constexpr llvm::StringLiteral workgroupName = "workgroup";
static constexpr llvm::StringLiteral subgroupName = "subgroup";
static constexpr llvm::StringLiteral subgroupsName = "subgroups";
static constexpr llvm::StringLiteral shapeName = "shape";
static constexpr llvm::StringLiteral stagesName = "stages";
static constexpr llvm::StringLiteral panelName = "panel";

// The other entries of a contraction kernel's tile.
static constexpr llvm::StringLiteral threadsName = "threads";
static constexpr llvm::StringLiteral buffersName = "buffers";
static constexpr llvm::StringLiteral writtenOutName = "written_out";
static constexpr llvm::StringLiteral aheadName = "ahead";
static constexpr llvm::StringLiteral slicesName = "slices";
static constexpr llvm::StringLiteral togetherName = "together";

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
  const ContractionTile plain = {rows, columns, terms};
  SmallVector<NamedAttribute> entries;
  auto add = [&](StringRef name, Attribute value) {
    entries.push_back(b.getNamedAttr(name, value));
  };
  add(name, b.getDenseI64ArrayAttr({rows, columns, terms}));
  if (threads != plain.threads)
    add(threadsName, b.getI64IntegerAttr(threads));
  if (buffers != plain.buffers)
    add(buffersName, b.getI64IntegerAttr(buffers));
  if (writtenOut != plain.writtenOut)
    add(writtenOutName, b.getI64IntegerAttr(writtenOut));
  if (isAhead)
    add(aheadName, b.getUnitAttr());
  if (slices != plain.slices)
    add(slicesName, b.getI64IntegerAttr(slices));
  if (together != plain.together)
    add(togetherName, b.getI64IntegerAttr(together));
  return b.getDictionaryAttr(entries);
}

DictionaryAttr SliceTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<int64_t> sizes = {rows, columns, slices, terms, times};
  if (together > 0)
    sizes.push_back(together);
  return b.getDictionaryAttr(
      b.getNamedAttr(name, b.getDenseI64ArrayAttr(sizes)));
}

DictionaryAttr RowTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(
      b.getNamedAttr(name, b.getDenseI64ArrayAttr({threads, vectors})));
}

DictionaryAttr AttentionTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(
      b.getNamedAttr(name, b.getDenseI64ArrayAttr({queries, keys, terms})));
}

DictionaryAttr SplitAttentionTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(
      b.getNamedAttr(name, b.getDenseI64ArrayAttr({rows, keys})));
}

DictionaryAttr MatrixAttentionTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr(workgroupName, b.getDenseI64ArrayAttr({queries, keys})),
      b.getNamedAttr(shapeName, b.getStringAttr(shape))};
  if (stages != 1)
    entries.push_back(b.getNamedAttr(stagesName, b.getI64IntegerAttr(stages)));
  return b.getDictionaryAttr(
      b.getNamedAttr(name, b.getDictionaryAttr(entries)));
}

DictionaryAttr ResidentAttentionTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(b.getNamedAttr(
      name,
      b.getDictionaryAttr(
          {b.getNamedAttr(workgroupName,
                          b.getDenseI64ArrayAttr({queries, keys})),
           b.getNamedAttr(shapeName, b.getStringAttr(shape)),
           b.getNamedAttr(subgroupsName, b.getI64IntegerAttr(subgroups))})));
}

DictionaryAttr MatrixTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  const MatrixTile plain = {};
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr(workgroupName,
                     b.getDenseI64ArrayAttr({rows, columns, terms})),
      b.getNamedAttr(subgroupName,
                     b.getDenseI64ArrayAttr({subgroupRows, subgroupColumns})),
      b.getNamedAttr(shapeName, b.getStringAttr(shape))};
  if (stages != plain.stages)
    entries.push_back(b.getNamedAttr(stagesName, b.getI64IntegerAttr(stages)));
  if (panel != plain.panel)
    entries.push_back(b.getNamedAttr(panelName, b.getI64IntegerAttr(panel)));
  if (slices != plain.slices)
    entries.push_back(b.getNamedAttr(slicesName, b.getI64IntegerAttr(slices)));
  if (ahead != plain.ahead)
    entries.push_back(b.getNamedAttr(aheadName, b.getI64IntegerAttr(ahead)));
  return b.getDictionaryAttr(
      b.getNamedAttr(name, b.getDictionaryAttr(entries)));
}

DictionaryAttr MapTile::getAttr(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries;
  auto add = [&](StringRef name, Attribute value) {
    entries.push_back(b.getNamedAttr(name, value));
  };
  add(vectorBytesName, b.getI64IntegerAttr(vectorBytes));
  if (getVectors() != 1)
    add(vectorsName, b.getI64IntegerAttr(getVectors()));
  if (getRows() != 1)
    add(rowsName, b.getI64IntegerAttr(getRows()));
  if (getSteps() != 1)
    add(stepsName, b.getI64IntegerAttr(getSteps()));
  if (looksInBothRows())
    add(inBothRowsName, b.getUnitAttr());
  if (isSplit())
    add(splitName, b.getUnitAttr());
  if (const InsideVectors *inside = getInside())
    add(insideName, b.getDenseI64ArrayAttr({inside->first, inside->count}));
  if (turns)
    add(turnsName, b.getI64IntegerAttr(*turns));
  if (const CrosswiseTile *crosswise = getCrosswise())
    add(crosswiseName, b.getDenseI64ArrayAttr({crosswise->dim, crosswise->rows,
                                               crosswise->columns}));
  if (const LoopBlock *block = getBlock())
    add(blockName, b.getDenseI64ArrayAttr(block->factors));
  if (llvm::any_of(interior, [](int64_t share) { return share != 0; }))
    add(interiorName, b.getDenseI64ArrayAttr(interior));
  return b.getDictionaryAttr(
      b.getNamedAttr(name, b.getDictionaryAttr(entries)));
}

/// Reads a number that is at least `least` into `size`. Returns false if
/// `value` is not such a number.
static bool readSize(Attribute value, int64_t &size, int64_t least = 1) {
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || !number.getType().isInteger(64) || number.getInt() < least)
    return false;
  size = number.getInt();
  return true;
}

/// Returns the `count` numbers in `value`, each of which is at least 1. Returns
/// nothing if `value` is anything else.
static ArrayRef<int64_t> readSizes(Attribute value, size_t count) {
  auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(value);
  return numbers && numbers.asArrayRef().size() == count &&
                 llvm::all_of(numbers.asArrayRef(),
                              [](int64_t size) { return size > 0; })
             ? numbers.asArrayRef()
             : ArrayRef<int64_t>();
}

/// Returns the value of the entry `name` of `kernel`. Returns null if there is
/// no such entry, or if there are other entries.
template <typename Value>
static Value getOnlyEntry(DictionaryAttr kernel, StringRef name) {
  return kernel.size() == 1 ? kernel.getAs<Value>(name) : Value();
}

std::optional<ContractionTile> ContractionTile::get(DictionaryAttr kernel) {
  ContractionTile tile;
  bool hasSizes = false;
  for (NamedAttribute entry : kernel) {
    Attribute value = entry.getValue();
    StringRef entryName = entry.getName();
    bool isRead = false;
    if (entryName == name) {
      if (ArrayRef<int64_t> sizes = readSizes(value, 3); !sizes.empty()) {
        tile.rows = sizes[0];
        tile.columns = sizes[1];
        tile.terms = sizes[2];
        isRead = hasSizes = true;
      }
    } else if (entryName == threadsName) {
      isRead = readSize(value, tile.threads);
    } else if (entryName == buffersName) {
      isRead = readSize(value, tile.buffers) && tile.buffers <= 2;
    } else if (entryName == writtenOutName) {
      isRead = readSize(value, tile.writtenOut);
    } else if (entryName == aheadName) {
      isRead = tile.isAhead = isa<UnitAttr>(value);
    } else if (entryName == slicesName) {
      isRead = readSize(value, tile.slices);
    } else if (entryName == togetherName) {
      isRead = readSize(value, tile.together);
    }
    if (!isRead)
      return std::nullopt;
  }
  return hasSizes ? std::optional(tile) : std::nullopt;
}

namespace {
/// Reads the entries of a map kernel's tile that state the mode.
class MapModeReader {
public:
  /// Reads the entry `name`. Returns whether it is a valid entry of a mode and
  /// compatible with the entries read before.
  bool read(StringRef name, Attribute value) {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(value);
    if (name == stepsName || name == inBothRowsName || name == splitName)
      return readSingle(name, value);
    if (mode)
      return false;
    int64_t size;
    if (name == vectorsName && readSize(value, size))
      mode = ConsecutiveVectors{size};
    else if (name == rowsName && readSize(value, size))
      mode = VectorsOfRows{size};
    else if (name == insideName && numbers && numbers.size() == 2 &&
             numbers[0] >= 0 && numbers[1] > 0)
      mode = InsideVectors{numbers[0], numbers[1]};
    else if (name == crosswiseName && numbers && numbers.size() == 3 &&
             numbers[0] >= 0 && numbers[1] > 0 && numbers[2] > 0)
      mode = CrosswiseTile{numbers[0], numbers[1], numbers[2]};
    else if (name == blockName && numbers &&
             llvm::all_of(numbers.asArrayRef(),
                          [](int64_t size) { return size > 0; }))
      mode = LoopBlock{SmallVector<int64_t>(numbers.asArrayRef())};
    return mode.has_value();
  }
  MapTile::Mode get() const { return mode.value_or(SingleVectors()); }

private:
  /// Reads an entry of SingleVectors, which can have all three of its entries.
  bool readSingle(StringRef name, Attribute value) {
    if (!mode)
      mode = SingleVectors();
    auto *single = std::get_if<SingleVectors>(&*mode);
    if (!single)
      return false;
    if (name == stepsName)
      return readSize(value, single->steps);
    bool &flag = name == splitName ? single->isSplit : single->inBothRows;
    return flag = isa<UnitAttr>(value);
  }

  std::optional<MapTile::Mode> mode;
};
} // namespace

std::optional<MapTile> MapTile::get(DictionaryAttr kernel) {
  auto dictionary = getOnlyEntry<DictionaryAttr>(kernel, name);
  if (!dictionary)
    return std::nullopt;
  MapTile tile;
  MapModeReader mode;
  for (NamedAttribute entry : dictionary) {
    Attribute value = entry.getValue();
    StringRef entryName = entry.getName();
    bool isRead = false;
    if (entryName == vectorBytesName) {
      isRead = readSize(value, tile.vectorBytes);
    } else if (entryName == turnsName) {
      isRead = readSize(value, tile.turns.emplace(), /*least=*/0);
    } else if (entryName == interiorName) {
      if (auto numbers = dyn_cast<DenseI64ArrayAttr>(value)) {
        tile.interior.assign(numbers.asArrayRef().begin(),
                             numbers.asArrayRef().end());
        isRead = llvm::all_of(tile.interior, [](int64_t share) {
          return 0 <= share && share <= 100;
        });
      }
    } else {
      isRead = mode.read(entryName, value);
    }
    if (!isRead)
      return std::nullopt;
  }
  tile.mode = mode.get();
  return tile.vectorBytes ? std::optional(tile) : std::nullopt;
}

std::optional<MatrixTile> MatrixTile::get(DictionaryAttr kernel) {
  auto dictionary = getOnlyEntry<DictionaryAttr>(kernel, name);
  if (!dictionary)
    return std::nullopt;
  ArrayRef<int64_t> workgroup = readSizes(dictionary.get(workgroupName), 3),
                    subgroup = readSizes(dictionary.get(subgroupName), 2);
  auto shape = dictionary.getAs<StringAttr>(shapeName);
  if (workgroup.empty() || subgroup.empty() || !shape ||
      workgroup[0] % subgroup[0] || workgroup[1] % subgroup[1])
    return std::nullopt;
  MatrixTile tile{workgroup[0], workgroup[1], workgroup[2],
                  subgroup[0],  subgroup[1],  shape.str()};
  for (NamedAttribute entry : dictionary) {
    Attribute value = entry.getValue();
    StringRef entryName = entry.getName();
    bool isRead = entryName == workgroupName || entryName == subgroupName ||
                  entryName == shapeName;
    if (entryName == stagesName)
      isRead = readSize(value, tile.stages) && tile.stages <= 2;
    else if (entryName == panelName)
      isRead = readSize(value, tile.panel);
    else if (entryName == aheadName)
      isRead =
          readSize(value, tile.ahead) && tile.ahead <= MatrixTile::maxAhead;
    else if (entryName == slicesName)
      isRead = readSize(value, tile.slices);
    if (!isRead)
      return std::nullopt;
  }
  return tile;
}

std::optional<MatrixAttentionTile>
MatrixAttentionTile::get(DictionaryAttr kernel) {
  auto dictionary = getOnlyEntry<DictionaryAttr>(kernel, name);
  if (!dictionary)
    return std::nullopt;
  ArrayRef<int64_t> workgroup = readSizes(dictionary.get(workgroupName), 2);
  auto shape = dictionary.getAs<StringAttr>(shapeName);
  if (workgroup.empty() || !shape)
    return std::nullopt;
  MatrixAttentionTile tile{workgroup[0], workgroup[1], shape.str()};
  for (NamedAttribute entry : dictionary) {
    StringRef entryName = entry.getName();
    bool isRead = entryName == workgroupName || entryName == shapeName;
    if (entryName == stagesName)
      isRead = readSize(entry.getValue(), tile.stages) && tile.stages <= 2;
    if (!isRead)
      return std::nullopt;
  }
  return tile;
}

std::optional<ResidentAttentionTile>
ResidentAttentionTile::get(DictionaryAttr kernel) {
  auto dictionary = getOnlyEntry<DictionaryAttr>(kernel, name);
  if (!dictionary || dictionary.size() != 3)
    return std::nullopt;
  ArrayRef<int64_t> workgroup = readSizes(dictionary.get(workgroupName), 2);
  auto shape = dictionary.getAs<StringAttr>(shapeName);
  if (workgroup.empty() || !shape)
    return std::nullopt;
  ResidentAttentionTile tile{workgroup[0], workgroup[1], shape.str()};
  if (!readSize(dictionary.get(subgroupsName), tile.subgroups))
    return std::nullopt;
  return tile;
}

std::optional<SliceTile> SliceTile::get(DictionaryAttr kernel) {
  Attribute entry = getOnlyEntry<Attribute>(kernel, name);
  ArrayRef<int64_t> sizes = readSizes(entry, 5);
  int64_t together = 0;
  if (sizes.empty()) {
    sizes = readSizes(entry, 6);
    if (sizes.empty())
      return std::nullopt;
    together = sizes[5];
  }
  return SliceTile{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], together};
}

std::optional<RowTile> RowTile::get(DictionaryAttr kernel) {
  ArrayRef<int64_t> sizes = readSizes(getOnlyEntry<Attribute>(kernel, name), 2);
  if (sizes.empty())
    return std::nullopt;
  return RowTile{sizes[0], sizes[1]};
}

std::optional<AttentionTile> AttentionTile::get(DictionaryAttr kernel) {
  ArrayRef<int64_t> sizes = readSizes(getOnlyEntry<Attribute>(kernel, name), 3);
  if (sizes.empty())
    return std::nullopt;
  return AttentionTile{sizes[0], sizes[1], sizes[2]};
}

std::optional<SplitAttentionTile>
SplitAttentionTile::get(DictionaryAttr kernel) {
  ArrayRef<int64_t> sizes = readSizes(getOnlyEntry<Attribute>(kernel, name), 2);
  if (sizes.empty())
    return std::nullopt;
  return SplitAttentionTile{sizes[0], sizes[1]};
}

//===----------------------------------------------------------------------===//
// Tiles of any kind
//===----------------------------------------------------------------------===//

namespace {
/// Functions that iterate over the types of the variant `Tile`.
template <typename Tile> struct Kinds;
template <typename... Tiles> struct Kinds<std::variant<Tiles...>> {
  static std::optional<KernelTile> get(DictionaryAttr kernel) {
    std::optional<KernelTile> result;
    auto read = [&](auto tile) {
      if (tile && !result)
        result = *tile;
    };
    (read(Tiles::get(kernel)), ...);
    return result;
  }
  static SmallVector<StringRef> getNames() { return {Tiles::name...}; }
};
} // namespace

std::optional<KernelTile> dml::getKernelTile(Attribute attribute) {
  if (auto name = dyn_cast<StringAttr>(attribute))
    return name.getValue() == mapName ? std::optional<KernelTile>(MapTile())
                                      : std::nullopt;
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  return dictionary ? Kinds<KernelTile>::get(dictionary) : std::nullopt;
}

StringRef dml::getTileName(const KernelTile &tile) {
  return std::visit([](const auto &own) -> StringRef { return own.name; },
                    tile);
}

DictionaryAttr dml::getKernelAttr(const KernelTile &tile,
                                  MLIRContext *context) {
  return std::visit([&](const auto &own) { return own.getAttr(context); },
                    tile);
}

SmallVector<StringRef> dml::getTileNames() {
  return Kinds<KernelTile>::getNames();
}

std::optional<KernelTile> dml::parseKernelTile(StringRef text,
                                               MLIRContext *context) {
  ScopedDiagnosticHandler silent(context, [](Diagnostic &) {});
  Attribute kernel = parseAttribute(text, context);
  return kernel ? getKernelTile(kernel) : std::nullopt;
}
