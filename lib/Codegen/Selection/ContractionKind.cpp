//===- ContractionKind.cpp - When workgroups stage factors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/ContractionKernel.h"
#include "Selection/KernelKinds.h"
#include "Selection/SumTraits.h"
#include "dml/Target/SumCosts.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

namespace {
/// The cost of copying one stage of an operand, the factors of
/// `ContractionTile::terms` terms, to workgroup memory.
struct StagedCost {
  /// The cycles that the copies of all threads of the workgroup take.
  double cycles;
  /// The number of loads of a thread, and the number of registers that hold the
  /// loaded values and the values from which they are computed.
  double loads, registers;
};
} // namespace

static StagedCost getStagedCost(const FactorTraits &factors,
                                const ContractionTile &tile, int64_t positions,
                                bool areColumns, const DeviceSpeed &device) {
  constexpr int64_t side = ThreadBlock::side;
  int64_t ofStep = factors.strides.terms;
  int64_t together = ofStep;
  if (tile.together > 0 && !factors.isChosen &&
      factors.strides.ofStep == ofStep)
    together = tile.together;
  // In each of `rounds` rounds, each thread stages one item. An item has the
  // factors of `together` neighbouring terms for `side` neighbouring rows or
  // columns. With 512 items and 128 threads, there are 4 rounds.
  auto rounds = static_cast<double>(llvm::divideCeilSigned(
      positions / side * (tile.terms / together), tile.threads));
  auto getVectors = [&](int64_t neighbours) {
    return llvm::divideCeilSigned(neighbours * factors.bits,
                                  8 * DeviceProfile::vectorBytes);
  };
  int64_t loads = side * together;
  if (!factors.isChosen && factors.strides.ofStep == ofStep &&
      together % side == 0)
    loads = side * getVectors(together);
  else if (!factors.isChosen && areColumns && factors.strides.ofPosition == 1 &&
           factors.size % side == 0)
    loads = together * getVectors(side);
  bool isScattered = ofStep > side && !factors.isChosen;
  auto count = static_cast<double>(positions * tile.terms);
  double registers = rounds * static_cast<double>(side * together);
  if (device.computesInOrder != 0) {
    // A factor that is selected between an element and padding has an address
    // that does not change between stages, which the positions of a group
    // share. The addresses of one group are among the other registers.
    if (factors.isChosen)
      registers *= 1 + static_cast<double>(factors.groupsOfSide - 1) / side;
    registers += rounds * static_cast<double>(together) * factors.otherLoads;
  }
  return {count * cost::contraction::getStagedFactorCycles(device) *
              (isScattered ? cost::contraction::scatteredFactors : 1),
          rounds * static_cast<double>(loads), registers};
}

/// Returns the estimated number of registers of a thread of `tile`.
static double countRegisters(const ContractionTile &tile,
                             const StagedCost &rows, const StagedCost &columns,
                             const DeviceSpeed &device) {
  ThreadBlock block = *ThreadBlock::get(tile);
  return static_cast<double>(block.rows * block.columns) + rows.registers +
         columns.registers +
         (device.computesInOrder != 0 ? cost::contraction::otherRegistersInOrder
                                      : cost::contraction::otherRegisters);
}

/// Returns the cycles of a contraction kernel with `tile`, or nothing if its
/// threads need more registers than a thread can have. A round of the only
/// workgroup on a multiprocessor waits for `waits` latencies of the last cache.
static std::optional<double> getContractionTime(const SumTraits &sums,
                                                const ContractionTile &tile,
                                                const DeviceSpeed &device,
                                                double waits) {
  ThreadBlock block = *ThreadBlock::get(tile);
  auto rounds =
      static_cast<double>(llvm::divideCeilSigned(sums.terms, tile.terms));
  auto groups = static_cast<double>(
      llvm::divideCeilSigned(sums.rows.size, tile.rows) *
      llvm::divideCeilSigned(sums.columns.size, tile.columns) * sums.batches);
  StagedCost rows = getStagedCost(sums.rows, tile, tile.rows,
                                  /*areColumns=*/false, device),
             columns = getStagedCost(sums.columns, tile, tile.columns,
                                     /*areColumns=*/true, device);
  double registers = countRegisters(tile, rows, columns, device);
  if (!fitsThread(registers, device))
    return std::nullopt;
  // `products` are the cycles in which a workgroup computes the products of one
  // stage. `loaded` are the cycles in which it loads the factors of these
  // products from workgroup memory, as vectors.
  double terms = static_cast<double>(tile.terms) / tile.slices;
  auto sumsOfThread = static_cast<double>(block.rows * block.columns);
  double vectors =
      static_cast<double>(block.rows + block.columns) / ThreadBlock::side;
  bool hasLoop = terms > static_cast<double>(tile.writtenOut);
  double products = terms * sumsOfThread * tile.threads /
                    DeviceSpeed::opsPerCycle *
                    (hasLoop ? cost::contraction::timesOfLoop : 1);
  double loaded = terms * vectors * tile.threads *
                  cost::contraction::getVectorCycles(device);
  double adding = cost::sums::timesOfProducts * std::max(products, loaded) +
                  cost::contraction::getBarrierCycles(device);
  double staged = rows.cycles + columns.cycles;
  double alone =
      products + cost::contraction::getRoundCycles(device, waits) +
      cost::contraction::getLoadCycles(device) * (rows.loads + columns.loads);
  return device.kernelCycles + getTimeOfMemory(sums, device) +
         getTimeOfGroups(
             groups,
             getResources(tile.threads, registers, getNumVectors(tile), device),
             device, [&](double most, double average) {
               return rounds *
                      std::max({most * adding, average * staged, alone});
             });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// The size of a workgroup's tile of the output, and the number of slices:
/// groups of threads that share out the terms of the same sums.
struct TileShape {
  int64_t rows, columns, slices;
};
} // namespace

/// The tiles that the search tries. Of tiles with equal times, the first wins.
/// Large tiles use a loaded factor for more products, and small tiles form more
/// workgroups. Tiles with many columns come first, since neighbouring columns
/// usually are neighbours in memory. If there are several slices, each slice
/// adds up a part of the terms of all sums of the tile, so that a thread
/// computes more sums over fewer terms. With 4 slices and 32 by 64 sums, a
/// thread computes as many sums as with one slice and 64 by 128 sums.
static constexpr TileShape tileShapes[] = {
    {64, 128, 1}, {128, 64, 1}, {64, 64, 1},  {64, 64, 2}, {32, 128, 1},
    {128, 32, 1}, {32, 128, 2}, {128, 32, 2}, {32, 64, 4}, {64, 32, 4},
    {32, 64, 2},  {64, 32, 2},  {32, 64, 1},  {64, 32, 1}, {32, 32, 4}};

/// Returns a tile of `rows` by `columns` sums. Its stages hold about `terms`
/// terms: those of one or several iterations of the contraction's loop over
/// terms. If possible, the iterations of the loop fill whole stages, so that no
/// stage is incomplete.
static ContractionTile getTile(const Contraction &contraction, int64_t rows,
                               int64_t columns, int64_t terms,
                               int64_t slices = 1) {
  int64_t ofStep = contraction.getTermsOfStep();
  int64_t most = std::max<int64_t>((terms + ofStep / 2) / ofStep, 1);
  int64_t steps = std::min(most, contraction.steps);
  auto leavesPart = [&] {
    return contraction.steps % steps || steps * ofStep % slices;
  };
  while (steps > 1 && 2 * steps > most && leavesPart())
    --steps;
  if (leavesPart())
    steps = most;
  ContractionTile tile{rows, columns, steps * ofStep};
  tile.slices = slices;
  return tile;
}

/// Returns how many neighbouring terms of an operand one thread of `tile` loads
/// at a time, if each iteration of the contraction's loop adds more than 4
/// terms, such as the 9 taps of a filter. If a thread loaded all terms of an
/// iteration, few threads would have terms to load, and neighbouring threads
/// would load elements that are far apart. The number is therefore so small
/// that at least half of the threads load terms. Returns 0 if an iteration adds
/// at most 4 terms, all of which one thread loads.
static int64_t getTogether(const Contraction &contraction,
                           const ContractionTile &tile) {
  if (contraction.getTermsOfStep() <= ThreadBlock::side)
    return 0;
  int64_t together = cost::contraction::maxTermsTogether;
  while (together > 1 &&
         (tile.terms % together ||
          2 * (tile.rows / ThreadBlock::side) * (tile.terms / together) <
              tile.threads))
    --together;
  return together;
}

/// Searches the tiles of contraction kernels, and adds to `proposals` the
/// kernels whose tiles can compute the contraction.
static void searchContractionTiles(const KernelQuery &query,
                                   Proposals &proposals) {
  const DeviceSpeed &device = query.profile.getSpeed();
  SumTraits traits = SumTraits::get(query);
  SmallVector<std::pair<ContractionTile, double>> tiles;
  for (const TileShape &shape : tileShapes)
    for (int64_t terms : cost::contraction::stagedTerms) {
      ContractionTile tile = getTile(*query.contraction, shape.rows,
                                     shape.columns, terms, shape.slices);
      tile.isAhead = true;
      tile.writtenOut = cost::contraction::writtenOutTerms;
      tile.together = getTogether(*query.contraction, tile);
      if (getNumVectors(tile) > cost::contraction::maxVectors ||
          !findTileProblem(*query.contraction, tile, query.profile).empty())
        continue;
      if (std::optional<double> time = getContractionTime(
              traits, tile, device, cost::contraction::waitsOfComparedRound))
        tiles.push_back({tile, *time});
    }
  if (tiles.empty())
    return;
  // The best tile is compared with kernels of other kinds by its own time, and
  // other tiles by times that are longer in proportion.
  const auto &[best, least] =
      *llvm::min_element(tiles, [](const auto &lhs, const auto &rhs) {
        return lhs.second < rhs.second;
      });
  double ofBest = *getContractionTime(traits, best, device,
                                      cost::contraction::waitsOfRound);
  for (const auto &[tile, time] : tiles)
    proposals.add({tile, ofBest * time / least});
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class ContractionKind : public KernelKindOf<ContractionTile> {
  std::string tryBuild(linalg::GenericOp op, const ContractionTile &tile,
                       const DeviceProfile &profile) const override {
    std::optional<Contraction> contraction = Contraction::match(op);
    if (!contraction)
      return "stands on no contraction";
    std::string problem = findTileProblem(*contraction, tile, profile);
    if (problem.empty())
      buildContractionKernel(op, *contraction, tile);
    return problem;
  }

  StringRef getOption() const override { return "contraction-tile"; }
  std::string describeOption() const override {
    return llvm::formatv(
        "rows and columns that {0} threads can share, such as '64x64', or a "
        "'dml.kernel' of a contraction, such as '{{contraction_tile = "
        "array<i64: 64, 64, 16>, ahead}'",
        DeviceProfile::workgroupSize);
  }
  /// Parses a text such as '64x64', which states the rows and columns of a
  /// tile. The number of terms of this tile is 0, and is chosen later for each
  /// contraction.
  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    ContractionTile tile{};
    if (!parseSizes(text, {&tile.rows, &tile.columns}))
      return parseTile(text, context);
    return ThreadBlock::get(tile) ? std::optional<KernelTile>(tile)
                                  : std::nullopt;
  }

  void proposeFastest(const KernelQuery &query,
                      Proposals &proposals) const override {
    if (query.contraction &&
        query.contraction->getTerms() >= cost::contraction::minTerms)
      searchContractionTiles(query, proposals);
  }
  std::optional<Proposal>
  proposeWanted(const KernelQuery &query,
                const ContractionTile &wanted) const override {
    if (!query.contraction)
      return std::nullopt;
    ContractionTile tile = wanted;
    if (tile.terms == 0)
      tile = getTile(*query.contraction, tile.rows, tile.columns,
                     cost::contraction::stagedTerms[0]);
    if (!findTileProblem(*query.contraction, tile, query.profile).empty())
      return std::nullopt;
    return Proposal::prefer(tile);
  }
};
} // namespace

const KernelKind &dml::getContractionKind() {
  static const ContractionKind kind;
  return kind;
}
