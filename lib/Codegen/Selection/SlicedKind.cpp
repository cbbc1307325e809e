//===- SlicedKind.cpp - When threads share out sums -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/SlicedKernel.h"
#include "Selection/KernelKinds.h"
#include "Selection/SumTraits.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/MatrixCosts.h"
#include "dml/Target/SumCosts.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

namespace {
/// Threads, or the groups that threads make, of which each loads so many bytes
/// further on than the one before.
struct Spread {
  int64_t count, apart;
};
} // namespace

/// The lines of the first cache that threads touch that run together and each
/// load `width` bytes.
static double countLines(Spread inner, Spread outer, double width) {
  if (inner.apart > outer.apart)
    std::swap(inner, outer);
  double lines = 1;
  for (Spread spread : {inner, outer}) {
    auto count = static_cast<double>(spread.count);
    double span = (count - 1) * static_cast<double>(spread.apart) + width;
    lines = std::min(count * lines, std::ceil(span / cost::cacheLineBytes));
    width = span;
  }
  return std::max(lines, 1.0);
}

namespace {
/// The cost of an operand for a group of neighbouring terms, in a thread of a
/// sliced kernel.
struct FactorCost {
  /// Operations of the thread.
  double operations;
  /// Vectors that it loads, or single factors.
  double loads;
  /// Registers that vectors are loaded to, and single factors.
  double ofVectors = 0, ofSingles = 0;
  /// The cycles that the first cache is busy with the loads of a workgroup.
  double cycles;
};
} // namespace

static FactorCost getFactorCost(const FactorTraits &factors,
                                const SliceTile &tile, int64_t positions,
                                bool areColumns, bool isAlong) {
  int64_t ofVector =
      std::max<int64_t>(DeviceProfile::vectorBytes / factors.bytes, 1);
  int64_t stepTerms = factors.strides.terms;
  // Neighbours are loaded together if they always lie side by side.
  int64_t together = 1;
  if (!factors.isChosen && factors.size % positions == 0) {
    if (factors.strides.ofStep == stepTerms)
      together = std::gcd(tile.terms, ofVector);
    else if (areColumns && factors.strides.ofPosition == 1)
      together = std::gcd(positions, ofVector);
  }
  auto count = static_cast<double>(positions * tile.terms);
  auto width = static_cast<double>(together * factors.bytes);
  FactorCost result;
  result.loads = count / static_cast<double>(together);
  (together > 1 ? result.ofVectors : result.ofSingles) =
      result.loads * std::ceil(width / sizeof(float));
  result.operations = count * factors.operations + result.loads;

  int64_t threadColumns = DeviceProfile::workgroupSize / tile.slices;
  int64_t steps = tile.terms / stepTerms;
  Spread slices{tile.slices,
                steps * factors.strides.ofStep.value_or(0) * factors.bytes};
  Spread columns{threadColumns, 0};
  if (areColumns)
    columns.apart =
        positions * factors.strides.ofPosition.value_or(1) * factors.bytes;
  // Those whose numbers are neighbours run together.
  Spread &nearer = isAlong ? slices : columns,
         &farther = isAlong ? columns : slices;
  nearer.count = std::min(nearer.count, cost::threadsTogether);
  farther.count = cost::threadsTogether / nearer.count;
  double lines = countLines(slices, columns, width);
  double groups =
      static_cast<double>(DeviceProfile::workgroupSize) / cost::threadsTogether;
  result.cycles =
      groups * result.loads *
      std::max({cost::cyclesOfLine * lines, cost::cyclesOfLoad,
                width * cost::threadsTogether / cost::cacheLineBytes});
  return result;
}

/// Returns the cycles that a sliced kernel with `tile` takes.
static double getSlicedTime(const SumTraits &sums, const SliceTile &tile,
                            const DeviceSpeed &device) {
  constexpr int64_t threads = DeviceProfile::workgroupSize;
  bool isAlong = sums.isAlong();
  FactorCost rows = getFactorCost(sums.rows, tile, tile.rows,
                                  /*areColumns=*/false, isAlong),
             columns = getFactorCost(sums.columns, tile, tile.columns,
                                     /*areColumns=*/true, isAlong);
  int64_t columnsOfGroup = threads / tile.slices * tile.columns;
  int64_t rowTiles = llvm::divideCeilSigned(sums.rows.size, tile.rows);
  auto groups = static_cast<double>(
      rowTiles * llvm::divideCeilSigned(sums.columns.size, columnsOfGroup) *
      sums.batches);
  auto rounds = static_cast<double>(llvm::divideCeilSigned(
      sums.terms, tile.terms * tile.times * tile.slices));
  auto sumsOfThread = static_cast<double>(tile.rows * tile.columns),
       times = static_cast<double>(tile.times);
  double operations = times * (static_cast<double>(tile.terms) * sumsOfThread +
                               rows.operations + columns.operations);
  double cycles = times * (rows.cycles + columns.cycles);
  double busy = std::max(cost::cyclesOfProduct * operations, cycles);
  double alone = cost::cyclesOfSlicedRound + operations + cycles;
  double last = cost::cyclesOfEnd + cost::cyclesOfJoinedSum * sumsOfThread;
  // Drivers load some vectors ahead, and all factors that are no vectors.
  double ahead = std::min(times * (rows.ofVectors + columns.ofVectors),
                          cost::registersAhead + sumsOfThread / 2);
  double registers = sumsOfThread + ahead +
                     times * (rows.ofSingles + columns.ofSingles) +
                     cost::otherRegistersOfSlices;
  double together = 1;
  double time = getTimeOfGroups(
      groups, threads, registers, device, [&](double most, double) {
        together = std::max(together, most);
        return rounds * std::max(most * busy, alone) + most * last;
      });
  // All threads begin together, and add up when memory has brought what they
  // wait for.
  double memory =
      (getFactorBytes(sums, sums.rows) +
       getFactorBytes(sums, sums.columns) *
           (1 + cost::shareOfCache * static_cast<double>(rowTiles - 1))) *
      getCyclesOfByte(device);
  memory *= cost::shareOfMemory * (1 + cost::memoryOfOne / together);
  int64_t sideBySide = columnsOfGroup * sums.columns.bytes;
  if (!isAlong && sideBySide < 2 * cost::lineBytes)
    memory *= cost::memoryOfPieces;
  return cost::cyclesOfStart + memory + time;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The operations that compute the factors which a thread of `tile` has written
/// out.
static int64_t countFactorOps(const Contraction &contraction,
                              const SliceTile &tile) {
  int64_t steps = tile.terms / contraction.getTermsOfStep() * tile.times;
  return steps *
         (tile.rows * static_cast<int64_t>(contraction.rows.slice.size()) +
          tile.columns *
              static_cast<int64_t>(contraction.columns.slice.size()));
}

namespace {
/// The search for the sliced kernel of the least time.
class SliceSearch {
public:
  SliceSearch(const KernelQuery &query)
      : query(query), contraction(*query.contraction),
        traits(SumTraits::get(query)) {}

  std::optional<Proposal> run();

private:
  void consider(const SliceTile &tile);

  const KernelQuery &query;
  const Contraction &contraction;
  const SumTraits traits;
  std::optional<Proposal> best;
};
} // namespace

void SliceSearch::consider(const SliceTile &tile) {
  int64_t ofRound = tile.terms * tile.times * tile.slices;
  if ((tile.times > 1 && ofRound > contraction.getTerms()) ||
      tile.rows * tile.columns * tile.terms * tile.times >
          cost::maxSlicedProducts ||
      countFactorOps(contraction, tile) > cost::maxSlicedOps ||
      !findTileProblem(contraction, tile).empty())
    return;
  // Threads load at least as many bytes side by side as memory brings at once.
  if (!traits.isAlong() && DeviceProfile::workgroupSize / tile.slices *
                                   tile.columns * traits.columns.bytes <
                               cost::lineBytes)
    return;
  double time = getSlicedTime(traits, tile, query.profile.getSpeed());
  if (!best || time < best->cycles)
    best = {tile, time};
}

std::optional<Proposal> SliceSearch::run() {
  auto sums = static_cast<double>(contraction.rows.size) *
              static_cast<double>(contraction.columns.size) *
              static_cast<double>(contraction.batches);
  // Many sums fill a device, and share their factors in workgroup memory.
  if (contraction.rows.size > cost::maxSlicedRows &&
      sums >= static_cast<double>(query.profile.getSpeed().getEnoughThreads()))
    return std::nullopt;
  int64_t ofStep = contraction.getTermsOfStep();
  // A vector of neighbouring terms, of rows and perhaps of columns.
  int64_t terms =
      traits.isAlong()
          ? std::max<int64_t>(DeviceProfile::vectorBytes / traits.columns.bytes,
                              1)
          : ThreadBlock::side;
  terms = llvm::divideCeilSigned(terms, ofStep) * ofStep;
  // Drivers load the factors of no more times ahead.
  constexpr int64_t maxTimes = 8;
  // No more rows or columns than there are, or the next power of two.
  for (int64_t rows = 1;
       rows <= cost::maxSlicedRows && rows / 2 < contraction.rows.size;
       rows *= 2)
    for (int64_t columns = 1; rows * columns <= cost::maxSlicedSums &&
                              columns / 2 < contraction.columns.size;
         columns *= 2)
      for (int64_t slices = 2; slices <= DeviceProfile::workgroupSize / 2;
           slices *= 2)
        for (int64_t times = 1; times <= maxTimes; times *= 2)
          consider({rows, columns, slices, terms, times});
  return best;
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class SlicedKind : public KernelKind {
public:
  StringRef getTileName() const override { return SliceTile::name; }

  std::string build(linalg::GenericOp op, const KernelTile &tile,
                    const DeviceProfile &profile) const override {
    const auto &own = std::get<SliceTile>(tile);
    std::optional<Contraction> contraction = Contraction::match(op);
    std::string problem =
        describeProblem(contraction ? findTileProblem(*contraction, own)
                                    : "stands on no contraction");
    if (problem.empty())
      buildSlicedKernel(op, *contraction, own);
    return problem;
  }

  StringRef getOption() const override { return "contraction-tile"; }
  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    return parseTile(text, context);
  }

  std::optional<Proposal> propose(const KernelQuery &query,
                                  const KernelTile *wanted) const override {
    if (!query.contraction)
      return std::nullopt;
    if (!wanted)
      return query.contraction->getTerms() < minTermsOfGroups ||
                     !query.isOnBuffers()
                 ? std::nullopt
                 : SliceSearch(query).run();
    if (!findTileProblem(*query.contraction, std::get<SliceTile>(*wanted))
             .empty())
      return std::nullopt;
    return Proposal::prefer(*wanted);
  }
};
} // namespace

const KernelKind &dml::getSlicedKind() {
  static const SlicedKind kind;
  return kind;
}
