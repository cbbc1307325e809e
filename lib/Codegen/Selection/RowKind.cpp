//===- RowKind.cpp - When a workgroup holds rows --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/RowKernel.h"
#include "Selection/KernelKinds.h"
#include "Selection/Occupancy.h"
#include "Selection/Registers.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/RowCosts.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

/// Returns the tile of a row kernel, whose threads have at most `most` vectors
/// of a row at a time. The tile is chosen by rules, since there is no model of
/// a row kernel's time.
static RowTile chooseRowTile(const RowReduction &reduction,
                             const RowLayout &layout, int64_t most,
                             const DeviceSpeed &device) {
  int64_t items = layout.getItems(reduction),
          slots = layout.getSlots(reduction);
  int64_t wanted = std::min(cost::rows::vectorsOfThread, most);
  // Returns how many threads should load neighbouring bytes at the same time,
  // so that their loads coalesce to whole sectors. The number is at most
  // `count`, rounded up to a power of two. These threads have consecutive
  // numbers.
  auto getTogether = [&](int64_t count) {
    return static_cast<int64_t>(llvm::bit_ceil(static_cast<uint64_t>(
        std::min(cost::rows::getThreadsSideBySide(device), count))));
  };
  RowTile tile = {1, 1};
  int64_t mostThreads = DeviceProfile::workgroupSize;
  if (layout.isAlongRow || reduction.hasScan())
    wanted = std::min(
        wanted,
        std::max<int64_t>(cost::rows::elementsOfThread / layout.lanes, 1));
  if (layout.isAlongRow) {
    tile.threads = getTogether(items);
    // If a few rows are interleaved in memory, each thread holds elements of
    // all of these rows, which form a slot. At least two slots then share a
    // workgroup. The only reason is a measurement: reduce_columns_three_f32
    // reaches 0.73 of the rate of a copy on an H200, and 0.37 with one
    // workgroup for each slot.
    if (layout.rows > 1 && !reduction.hasScan())
      mostThreads = DeviceProfile::workgroupSize / 2;
  } else {
    mostThreads = DeviceProfile::workgroupSize / getTogether(slots);
    // If there are few long rows, each row gets more threads, so that the
    // threads of the whole kernel occupy the device.
    while (mostThreads * cost::rows::getLeastSideBySide(device) <
               DeviceProfile::workgroupSize &&
           slots * mostThreads < device.getEnoughThreads() &&
           items > mostThreads * wanted)
      mostThreads *= 2;
  }
  while (tile.threads < mostThreads && tile.threads < items &&
         (llvm::divideCeilSigned(items, tile.threads) > wanted ||
          slots * tile.threads < device.getEnoughThreads()))
    tile.threads *= 2;
  tile.vectors = llvm::divideCeilSigned(items, tile.threads);
  if (tile.vectors > most)
    tile.vectors = wanted;
  return tile;
}

/// Whether the values of a thread of `tile` fit its registers. Compilers that
/// move loads to their uses where registers run short make every tile fit. For
/// others, the kernel is built from a copy of `op`, and discarded.
static bool fitsThread(linalg::GenericOp op, const RowTile &tile,
                       const DeviceProfile &profile) {
  if (profile.getSpeed().computesInOrder == 0)
    return true;
  OwningOpRef<ModuleOp> discarded = ModuleOp::create(op.getLoc());
  Block &block = *discarded->getBody();
  auto copy = cast<linalg::GenericOp>(OpBuilder::atBlockEnd(&block).clone(*op));
  std::optional<RowReduction> reduction = RowReduction::match(copy);
  buildRowKernel(copy, *reduction, tile, profile);
  return fitsThread(static_cast<double>(countRegistersInOrder(block)) +
                        cost::rows::otherRegistersInOrder,
                    profile.getSpeed());
}

/// Returns the tile of the row kernel for `op`, whose threads have as many
/// vectors of a row at a time as their registers allow.
static RowTile chooseRowTile(linalg::GenericOp op,
                             const RowReduction &reduction,
                             const RowLayout &layout,
                             const DeviceProfile &profile) {
  int64_t most = std::clamp<int64_t>(cost::maxWrittenOutOps /
                                         (layout.lanes * reduction.countOps()),
                                     1, getMaxVectors(reduction, layout));
  RowTile tile = chooseRowTile(reduction, layout, most, profile.getSpeed());
  while (tile.vectors > 1 && !fitsThread(op, tile, profile))
    tile =
        chooseRowTile(reduction, layout, tile.vectors / 2, profile.getSpeed());
  return tile;
}

/// Returns tiles with more or fewer threads for a row than `tile` has. If a
/// row's threads hold all `items` vectors of the row at a time with `tile`,
/// they also do so with the other tiles.
static SmallVector<RowTile> getNeighbours(const RowTile &tile, int64_t items) {
  SmallVector<RowTile> tiles;
  bool holdsRow = tile.threads * tile.vectors >= items;
  auto add = [&](int64_t threads) {
    if (threads < 1 || threads > DeviceProfile::workgroupSize)
      return;
    tiles.push_back({threads, tile.vectors});
    if (holdsRow)
      tiles.back().vectors = llvm::divideCeilSigned(items, threads);
  };
  for (int64_t times : {2, 4}) {
    add(tile.threads * times);
    add(tile.threads / times);
  }
  for (int64_t vectors : {2 * tile.vectors, tile.vectors / 2})
    if (vectors > 0)
      tiles.push_back({tile.threads, vectors});
  return tiles;
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class RowKind : public KernelKindOf<RowTile> {
  std::string tryBuild(linalg::GenericOp op, const RowTile &tile,
                       const DeviceProfile &profile) const override {
    std::optional<RowReduction> reduction;
    if (op.hasPureBufferSemantics())
      reduction = RowReduction::match(op);
    if (!reduction)
      return "stands on no reduction of rows";
    std::string problem =
        findRowTileProblem(*reduction, RowLayout::get(op, *reduction), tile);
    if (problem.empty())
      buildRowKernel(op, *reduction, tile, profile);
    return problem;
  }

  StringRef getOption() const override { return "row-tile"; }
  std::string describeOption() const override {
    return llvm::formatv("or a power of two of at most {0} threads and the "
                         "vectors that each has, such as '32x4'",
                         DeviceProfile::workgroupSize);
  }
  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    RowTile tile{};
    if (!parseSizes(text, {&tile.threads, &tile.vectors}) ||
        !llvm::isPowerOf2_64(tile.threads) ||
        tile.threads > DeviceProfile::workgroupSize)
      return std::nullopt;
    return tile;
  }

  /// Prefers a row kernel wherever RowReduction::isWorthwhile() holds, since
  /// there is no model of a row kernel's time.
  void proposeFastest(const KernelQuery &query,
                      Proposals &proposals) const override {
    std::optional<RowReduction> reduction = match(query);
    if (!reduction || !reduction->isWorthwhile())
      return;
    RowLayout layout = RowLayout::get(query.op, *reduction);
    if (!reduction->canWriteOut(layout.lanes))
      return;
    RowTile chosen = chooseRowTile(query.op, *reduction, layout, query.profile);
    auto add = [&](const RowTile &tile) {
      if (auto proposal = proposeTile(*reduction, layout, tile))
        proposals.add(*proposal);
    };
    add(chosen);
    if (proposals.wantsOne())
      return;
    // A tuner also gets the tiles that differ from the chosen one by a factor
    // of two or four. Without a model of time, they have no other order.
    for (RowTile other : getNeighbours(chosen, layout.getItems(*reduction)))
      add(other);
  }
  std::optional<Proposal> proposeWanted(const KernelQuery &query,
                                        const RowTile &wanted) const override {
    std::optional<RowReduction> reduction = match(query);
    if (!reduction)
      return std::nullopt;
    return proposeTile(*reduction, RowLayout::get(query.op, *reduction),
                       wanted);
  }

private:
  static std::optional<RowReduction> match(const KernelQuery &query) {
    return query.isOnBuffers() ? RowReduction::match(query.op) : std::nullopt;
  }
  static std::optional<Proposal> proposeTile(const RowReduction &reduction,
                                             const RowLayout &layout,
                                             const RowTile &tile) {
    if (!findRowTileProblem(reduction, layout, tile).empty())
      return std::nullopt;
    return Proposal::prefer(tile);
  }
};
} // namespace

const KernelKind &dml::getRowKind() {
  static const RowKind kind;
  return kind;
}
