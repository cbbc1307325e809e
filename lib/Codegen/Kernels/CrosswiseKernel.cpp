//===- CrosswiseKernel.cpp - Kernels that read down columns ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/CrosswiseKernel.h"
#include "Analysis/ElementMap.h"
#include "Emit/Launch.h"
#include "Emit/Loops.h"
#include "Emit/TileBuilder.h"
#include "Emit/VectorPacker.h"
#include "Kernels/RowShape.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

namespace {
class CrosswiseKernel {
public:
  CrosswiseKernel(linalg::GenericOp op, const MapTile &tile)
      : b(op.getLoc(), op), op(op), tile(*tile.getCrosswise()),
        shape(op, tile.getCrosswise()->dim),
        down(shape.type.getElementType(), DeviceProfile::vectorBytes),
        across(shape.type.getElementType(), tile.vectorBytes) {}

  void build();

private:
  using Forms = SmallVector<LinearForm>;
  static constexpr int64_t numThreads = DeviceProfile::workgroupSize;

  Value isBelow(const LinearForm &form, int64_t bound) {
    return buildIsBelow(b, *forms, form, bound);
  }
  int64_t getPitch() const { return tile.rows / down.getPerWord() + 1; }
  Forms getCoordinates(LinearForm row, LinearForm column);
  /// Runs `build` for each of `count` items, which are distributed to the
  /// threads.
  void shareOut(int64_t count, llvm::function_ref<void(LinearForm)> build) {
    forEachItem(b, *forms, {count, forms->getThread(), numThreads}, build);
  }
  void loadColumns(const LinearForm &item);
  void storeRows(const LinearForm &item);
  void turn(MutableArrayRef<Value> words);

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  const CrosswiseTile &tile;
  const CrosswiseShape shape;
  /// The vectors in which threads compute elements, along columns, and the
  /// vectors in which threads store elements, along rows.
  const Packing down, across;

  std::optional<BufferViews> views;
  std::optional<IndexForms> forms;
  /// The workgroup's position in the batch, the index of its tile of rows, and
  /// the index of its tile of columns.
  LinearForm batch, rowTile, columnTile;
  /// The condition that the workgroup computes a tile. A grid may have a few
  /// workgroups more than there are tiles. Null if each workgroup computes a
  /// tile.
  Value isWanted;
  /// The tile in workgroup memory, column by column. Narrow elements are
  /// packed: a word holds, for example, four bytes of one column. Each column
  /// ends with an unused element, so that the elements of a row lie in
  /// different banks.
  Value memory;
};
} // namespace

SmallVector<LinearForm> CrosswiseKernel::getCoordinates(LinearForm row,
                                                        LinearForm column) {
  Forms coordinates(shape.type.getRank());
  LinearForm rest = batch;
  for (int64_t dim = shape.columnDim; dim-- > shape.rowDim + 1;)
    std::tie(rest, coordinates[dim]) =
        forms->divide(b, rest, shape.type.getDimSize(dim));
  for (int64_t dim = shape.rowDim + 1; dim-- > 1;)
    std::tie(row, coordinates[dim]) =
        forms->divide(b, row, shape.type.getDimSize(dim));
  coordinates[0] = row;
  coordinates[shape.columnDim] = column;
  return coordinates;
}

/// Computes vector `item` of the tile, whose elements are neighbours in one
/// column. Stores the vector in workgroup memory.
void CrosswiseKernel::loadColumns(const LinearForm &item) {
  int64_t count = down.getCount();
  auto [column, vector] = forms->divide(b, item, tile.rows / count);
  LinearForm ofTensor = forms->min(
      b, forms->add(b, forms->mul(b, columnTile, tile.columns), column),
      shape.numColumns - 1);
  // A tile may extend beyond the last row of the output. There, the kernel
  // computes the last row again. If the number of rows is a multiple of the
  // vector's size, the kernel computes the whole last vector again instead, so
  // that the elements of a vector stay neighbours in their buffer.
  LinearForm first =
      forms->add(b, forms->mul(b, rowTile, tile.rows / count), vector);
  bool isWhole = shape.numRows % count == 0;
  if (isWhole)
    first = forms->min(b, first, shape.numRows / count - 1);
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Scalar> elements;
  for (int64_t lane = 0; lane < count; ++lane) {
    LinearForm row = forms->add(b, forms->mul(b, first, count), lane);
    if (!isWhole)
      row = forms->min(b, row, shape.numRows - 1);
    elements.push_back(builder.buildElement(getCoordinates(row, ofTensor)));
  }
  Value packed = VectorPacker(builder.getShared(), down).pack(elements);
  int64_t parts = count / down.getPerWord();
  LinearForm place = forms->add(b, forms->mul(b, column, getPitch()),
                                forms->mul(b, vector, parts));
  for (int64_t i = 0; i < parts; ++i)
    memref::StoreOp::create(b, vector::ExtractOp::create(b, packed, i), memory,
                            forms->materialize(b, forms->add(b, place, i)));
}

/// Transposes a square of narrow elements in 32-bit words. Each word holds
/// elements of one column before, and elements of one row afterwards. For 4
/// words of 4 bytes, the first step exchanges the blocks of 2 by 2 bytes across
/// the diagonal, and the second step the bytes within each block.
void CrosswiseKernel::turn(MutableArrayRef<Value> words) {
  auto constantWord = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(
        b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  auto both = [&](Value lhs, Value rhs) -> Value {
    return arith::OrIOp::create(b, lhs, rhs);
  };
  for (int64_t bits = 16; bits >= down.bits; bits /= 2) {
    // Two words exchange blocks of `bits` bits. The blocks of a word are
    // numbered from the lowest bits. The odd-numbered blocks of the first word
    // and the even-numbered blocks of the second word change places. `low` is
    // the mask of the even-numbered blocks: 0x00ff00ff for 8 bits.
    uint32_t low = 0;
    for (int64_t at = 0; at < 32; at += 2 * bits)
      low |= llvm::maskTrailingOnes<uint32_t>(bits) << at;
    Value lowMask = constantWord(low), highMask = constantWord(~low);
    Value by = constantWord(bits);
    auto distance = static_cast<size_t>(bits / down.bits);
    for (size_t i = 0; i < words.size(); ++i) {
      if (i & distance)
        continue;
      Value &first = words[i], &second = words[i + distance];
      Value ofFirst =
          both(arith::AndIOp::create(b, first, lowMask),
               arith::ShLIOp::create(
                   b, arith::AndIOp::create(b, second, lowMask), by));
      second = both(arith::ShRUIOp::create(
                        b, arith::AndIOp::create(b, first, highMask), by),
                    arith::AndIOp::create(b, second, highMask));
      first = ofFirst;
    }
  }
}

/// Loads item `item` of the tile from workgroup memory and stores it in the
/// output. An item is a vector of one row. If elements are narrow, a word holds
/// elements of several rows, such as 4 rows of bytes, and an item has a vector
/// of each of these rows.
void CrosswiseKernel::storeRows(const LinearForm &item) {
  int64_t count = across.getCount(), perWord = down.getPerWord();
  auto [word, vector] = forms->divide(b, item, tile.columns / count);
  SmallVector<Value> parts;
  for (int64_t lane = 0; lane < count; ++lane) {
    LinearForm column = forms->add(b, forms->mul(b, vector, count), lane);
    LinearForm place = forms->add(b, forms->mul(b, column, getPitch()), word);
    parts.push_back(
        memref::LoadOp::create(b, memory, forms->materialize(b, place)));
  }
  for (int64_t i = 0; perWord > 1 && i < count; i += perWord)
    turn(MutableArrayRef(parts).slice(i, perWord));

  TileBuilder builder(b, op, *forms, *views);
  OutputVectors output(b, *views, op.getOutputs().front(), across);
  LinearForm column = forms->mul(
      b, forms->add(b, forms->mul(b, columnTile, tile.columns / count), vector),
      count);
  Value columnInside = shape.numColumns % tile.columns
                           ? isBelow(column, shape.numColumns)
                           : Value();
  for (int64_t i = 0; i < perWord; ++i) {
    LinearForm row = forms->add(b, forms->mul(b, rowTile, tile.rows),
                                forms->add(b, forms->mul(b, word, perWord), i));
    Value inside = both(b, isWanted, columnInside);
    if (shape.numRows % tile.rows)
      inside = both(b, inside, isBelow(row, shape.numRows));
    SmallVector<Value> components;
    for (int64_t lane = 0; lane < count; lane += perWord)
      components.push_back(parts[lane + i]);
    Value value = components.front();
    if (auto type = dyn_cast<VectorType>(across.getVectorType()))
      value = vector::FromElementsOp::create(b, type, components);
    std::optional<GuardedBlock> guard;
    LinearForm insideColumn = column;
    if (inside) {
      guard.emplace(b, *forms, inside);
      // The minima state that the row and the column lie in the output. Range
      // analysis does not learn this from the condition of the guard.
      row = forms->min(b, row, shape.numRows - 1);
      insideColumn =
          forms->mul(b,
                     forms->min(b, forms->divide(b, column, count).first,
                                shape.numColumns / count - 1),
                     count);
    }
    LinearForm position =
        builder.linearize(shape.type, getCoordinates(row, insideColumn));
    LinearForm place = forms->divide(b, position, count).first;
    memref::StoreOp::create(b, value, output.getBuffer(),
                            output.getPlace(*forms, b, place));
  }
}

void CrosswiseKernel::build() {
  int64_t rowTiles = llvm::divideCeilSigned(shape.numRows, tile.rows);
  int64_t columnTiles = llvm::divideCeilSigned(shape.numColumns, tile.columns);
  int64_t groups = rowTiles * columnTiles * shape.numBatches;
  GroupedLaunch grouped = createLaunch(b, op, groups);
  views.emplace(grouped.launch);
  forms.emplace(grouped.launch.getThreadIds().x, numThreads);
  LinearForm group = forms->getOpaque(grouped.group, {0, grouped.count - 1});
  if (grouped.count > groups) {
    // Workgroups without a tile run as well, but do not store anything.
    isWanted = isBelow(group, groups);
    group = forms->min(b, group, groups - 1);
  }
  std::tie(group, columnTile) = forms->divide(b, group, columnTiles);
  std::tie(batch, rowTile) = forms->divide(b, group, rowTiles);

  Type part = down.hasWords() ? Type(down.getWordType()) : down.element;
  memory = allocateInWorkgroup(b, tile.columns * getPitch(), part);
  int64_t elements = tile.rows * tile.columns;
  shareOut(elements / down.getCount(),
           [&](const LinearForm &item) { loadColumns(item); });
  gpu::BarrierOp::create(b);
  shareOut(elements / across.getCount() / down.getPerWord(),
           [&](const LinearForm &item) { storeRows(item); });
  op.erase();
}

void dml::buildCrosswiseKernel(linalg::GenericOp op, const MapTile &tile) {
  CrosswiseKernel(op, tile).build();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

std::string dml::findCrosswiseProblem(linalg::GenericOp op,
                                      const MapTile &tile) {
  const CrosswiseTile &crosswise = *tile.getCrosswise();
  auto type = getOutputType(op);
  if (TileBuilder::hasLoops(op))
    return "is crosswise, which is for a body without loops";
  if (readsOutput(op))
    return "is crosswise, which is for a body that does not read the output";
  if (!tile.interior.empty() || tile.turns)
    return "is crosswise, and has other entries than vector_bytes";
  int64_t bits = type.getElementTypeBitWidth();
  if (bits != 8 && bits != 16 && bits != 32)
    return llvm::formatv(
        "is crosswise, but elements have {0} bits; wanted are 8, 16 or 32",
        bits);
  if (type.getRank() == 0 ||
      crosswise.dim >= CrosswiseShape::getColumnDim(type))
    return llvm::formatv("is crosswise along dimension {0}, but wants one "
                         "before the innermost one of several elements",
                         crosswise.dim);
  const Packing down(type.getElementType(), DeviceProfile::vectorBytes);
  int64_t count = tile.vectorBytes * 8 / bits;
  if (tile.vectorBytes < 4 || tile.vectorBytes > getMaxVectorBytes(op) ||
      !llvm::isPowerOf2_64(tile.vectorBytes) ||
      CrosswiseShape(op, crosswise.dim).numColumns % count)
    return llvm::formatv(
        "has vector_bytes {0}, but wants a power of two from 4 to {1} that "
        "divides a row",
        tile.vectorBytes, getMaxVectorBytes(op));
  int64_t words, bytes;
  if (crosswise.rows % down.getCount() || crosswise.columns % count ||
      crosswise.columns % down.getPerWord() ||
      llvm::MulOverflow(crosswise.columns,
                        crosswise.rows / down.getPerWord() + 1, words) ||
      llvm::MulOverflow(words, int64_t{4}, bytes) ||
      bytes > DeviceProfile::workgroupMemory)
    return llvm::formatv(
        "is crosswise with {0} rows and {1} columns, but wants whole vectors "
        "of both, and at most {2} bytes of workgroup memory",
        crosswise.rows, crosswise.columns, DeviceProfile::workgroupMemory);
  return "";
}
