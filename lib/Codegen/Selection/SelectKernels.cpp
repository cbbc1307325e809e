//===- SelectKernels.cpp - Which kernel computes what ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/Contraction.h"
#include "Analysis/RowReduction.h"
#include "Kernels/MatrixKernel.h"
#include "Selection/KernelTimes.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/MatrixCosts.h"
#include "dml/Target/SumCosts.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

namespace dml {
#define GEN_PASS_DEF_SELECTKERNELS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// What kernels cost
//===----------------------------------------------------------------------===//

namespace {
/// Rows and columns of a contraction kernel, and its slices.
struct TileShape {
  int64_t rows, columns, slices;
};
} // namespace

/// Tiles from those that load least for a product to those that leave the most
/// workgroups; neighbouring columns lie side by side in memory, mostly, and
/// more of them come first. With slices, a thread has as many sums as in a
/// larger tile.
static constexpr TileShape tileShapes[] = {
    {64, 128, 1}, {128, 64, 1}, {64, 64, 1},  {64, 64, 2}, {32, 128, 1},
    {128, 32, 1}, {32, 128, 2}, {128, 32, 2}, {32, 64, 4}, {64, 32, 4},
    {32, 64, 2},  {64, 32, 2},  {32, 64, 1},  {64, 32, 1}, {32, 32, 4}};

/// `rows` times `columns` with about `terms` terms, a number that fits
/// `contraction`: whole iterations, so many that no part of a tile of terms is
/// left, if it can be.
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

/// The tile of a sliced kernel of the least time, where that is less than
/// `least`, which it becomes.
static std::optional<SliceTile> chooseSliceTile(linalg::GenericOp op,
                                                const Contraction &contraction,
                                                const SumTraits &traits,
                                                const DeviceProfile &profile,
                                                double &least) {
  const DeviceSpeed &device = profile.getSpeed();
  std::optional<SliceTile> best;
  auto sums = static_cast<double>(contraction.rows.size) *
              static_cast<double>(contraction.columns.size) *
              static_cast<double>(contraction.batches);
  // Many sums fill a device, and share their factors in workgroup memory.
  if (!op.hasPureBufferSemantics() ||
      (contraction.rows.size > cost::sliced::maxRows &&
       sums >= static_cast<double>(device.getEnoughThreads())))
    return best;
  int64_t bytes = traits.columns.bytes;
  int64_t ofStep = contraction.getTermsOfStep();
  // A vector of neighbouring terms, of rows and perhaps of columns.
  int64_t terms = traits.isAlong()
                      ? std::max<int64_t>(DeviceProfile::vectorBytes / bytes, 1)
                      : ThreadBlock::side;
  terms = llvm::divideCeilSigned(terms, ofStep) * ofStep;
  auto consider = [&](const SliceTile &tile) {
    int64_t ofRound = tile.terms * tile.times * tile.slices;
    if ((tile.times > 1 && ofRound > contraction.getTerms()) ||
        tile.rows * tile.columns * tile.terms * tile.times >
            cost::sliced::maxProducts ||
        countFactorOps(contraction, tile) > cost::sliced::maxFactorOps ||
        !findTileProblem(contraction, tile).empty())
      return;
    // Threads load at least a sector side by side.
    if (!traits.isAlong() &&
        static_cast<double>(DeviceProfile::workgroupSize / tile.slices *
                            tile.columns * bytes) < device.sectorBytes)
      return;
    double time = getTime(traits, tile, profile);
    if (time >= least)
      return;
    least = time;
    best = tile;
  };
  // No more rows or columns than there are, or the next power of two.
  for (int64_t rows = 1;
       rows <= cost::sliced::maxRows && rows / 2 < contraction.rows.size;
       rows *= 2)
    for (int64_t columns = 1; rows * columns <= cost::sliced::maxSums &&
                              columns / 2 < contraction.columns.size;
         columns *= 2)
      for (int64_t slices = 2; slices <= DeviceProfile::workgroupSize / 2;
           slices *= 2)
        for (int64_t times = 1; times <= cost::sliced::maxTimes; times *= 2)
          consider({rows, columns, slices, terms, times});
  return best;
}

/// How many neighbouring terms a thread of `tile` loads together: as many as
/// leave something to load for half of the threads, where an iteration has so
/// many terms that threads which load those of one would load far apart.
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

/// The contraction kernel of the least time, where that is less than `least`,
/// which it becomes.
static std::optional<ContractionTile>
chooseContractionTile(const Contraction &contraction, const SumTraits &traits,
                      const DeviceProfile &profile, double &least) {
  std::optional<ContractionTile> best;
  for (const TileShape &shape : tileShapes)
    for (int64_t terms : cost::contraction::stagedTerms) {
      ContractionTile tile =
          getTile(contraction, shape.rows, shape.columns, terms, shape.slices);
      tile.isAhead = true;
      tile.writtenOut = cost::contraction::writtenOutTerms;
      tile.together = getTogether(contraction, tile);
      if (!findTileProblem(contraction, tile, profile).empty())
        continue;
      double time = getTime(traits, tile, profile.getSpeed());
      if (time >= least)
        continue;
      least = time;
      best = tile;
    }
  return best;
}

/// The kernel of the least time, or null if a map kernel takes the least.
static Attribute chooseKernel(linalg::GenericOp op,
                              const Contraction &contraction,
                              const DeviceProfile &profile) {
  if (contraction.getTerms() < cost::contraction::minTerms)
    return Attribute();
  SumTraits traits = SumTraits::get(op, contraction);
  double least = cost::sums::shareInWorkgroups *
                 getMapTime(op, contraction, traits, profile.getSpeed());
  std::optional<ContractionTile> best =
      chooseContractionTile(contraction, traits, profile, least);
  if (std::optional<SliceTile> tile =
          chooseSliceTile(op, contraction, traits, profile, least))
    return tile->getAttr(op.getContext());
  return best ? best->getAttr(op.getContext()) : Attribute();
}

/// The tile that `spec` wants of all row kernels, such as '32x4'; nothing where
/// that is left to each. Fails where `spec` is none of what it may be.
static FailureOr<std::optional<RowTile>> parseRowTile(StringRef spec) {
  if (spec == "auto" || spec == "none")
    return std::optional<RowTile>();
  RowTile tile;
  auto [threads, vectors] = spec.split('x');
  if (threads.getAsInteger(10, tile.threads) ||
      vectors.getAsInteger(10, tile.vectors) || tile.vectors < 1 ||
      !llvm::isPowerOf2_64(tile.threads) ||
      tile.threads > DeviceProfile::workgroupSize)
    return failure();
  return std::optional(tile);
}

namespace {
/// The kernel that is asked for wherever it can be.
struct Wanted {
  /// A `dml.kernel` of a contraction, or rows and columns.
  Attribute kernel;
  int64_t rows = 0, columns = 0;

  static std::optional<Wanted> parse(StringRef text, MLIRContext *context);
  /// The `dml.kernel` of `contraction`, or null if it cannot have what is
  /// wanted.
  Attribute getChoice(const Contraction &contraction,
                      const DeviceProfile &profile, MLIRContext *context) const;
};
} // namespace

std::optional<Wanted> Wanted::parse(StringRef text, MLIRContext *context) {
  Wanted wanted;
  if (text.starts_with("{")) {
    wanted.kernel = parseKernelAttr(text, context);
    if (!wanted.kernel)
      return std::nullopt;
    KernelChoice choice = *KernelChoice::get(wanted.kernel);
    if (!choice.tile && !choice.sliceTile)
      return std::nullopt;
    return wanted;
  }
  auto [rows, columns] = text.split('x');
  if (rows.getAsInteger(10, wanted.rows) ||
      columns.getAsInteger(10, wanted.columns) || wanted.rows < 1 ||
      wanted.columns < 1 || !ThreadBlock::get({wanted.rows, wanted.columns, 1}))
    return std::nullopt;
  return wanted;
}

Attribute Wanted::getChoice(const Contraction &contraction,
                            const DeviceProfile &profile,
                            MLIRContext *context) const {
  if (!kernel) {
    ContractionTile tile =
        getTile(contraction, rows, columns, cost::contraction::stagedTerms[0]);
    return findTileProblem(contraction, tile, profile).empty()
               ? tile.getAttr(context)
               : Attribute();
  }
  KernelChoice choice = *KernelChoice::get(kernel);
  std::string problem =
      choice.tile ? findTileProblem(contraction, *choice.tile, profile)
                  : findTileProblem(contraction, *choice.sliceTile);
  return problem.empty() ? kernel : Attribute();
}

/// Whether the terms of an iteration are chosen by the same condition, if they
/// are: those of neighbouring channels, which are padding together.
static bool areChosenTogether(const ContractionOperand &operand) {
  auto getCondition = [](Value factor) -> Value {
    if (auto widening = factor.getDefiningOp<arith::ExtFOp>())
      factor = widening.getIn();
    auto select = factor.getDefiningOp<arith::SelectOp>();
    return select ? select.getCondition() : Value();
  };
  Value first = getCondition(operand.factors.front());
  return first && llvm::all_of(operand.factors, [&](Value factor) {
           return getCondition(factor) == first;
         });
}

/// The operations that a factor takes on its way to workgroup memory, about.
static double countStagingOps(const Contraction &contraction,
                              const ContractionOperand &operand,
                              const MatrixSchedule &schedule) {
  // The neighbours of a term are in other stages.
  if (schedule.termsTogether < contraction.getTermsOfStep())
    return cost::matrix::opsPerSingleFactor;
  if (!isChosen(operand))
    return cost::matrix::opsPerMovedFactor;
  // The factors of a vector share one choice between them and padding.
  int64_t together =
      areChosenTogether(operand)
          ? std::gcd(contraction.getTermsOfStep(), schedule.lanes)
          : 1;
  return std::max(cost::matrix::opsPerChosenFactor /
                      static_cast<double>(together),
                  cost::matrix::opsPerMovedFactor);
}

/// Returns the cycles in which so many threads make a stage's factors of an
/// operand ready for workgroup memory. Threads that have no item of the last
/// round load one nevertheless.
static double getStagingTime(const Contraction &contraction,
                             const ContractionOperand &operand,
                             const FactorStrides &strides, int64_t positions,
                             int64_t threads, const MatrixSchedule &schedule) {
  bool isAlong = strides.areAlongSteps();
  int64_t items = schedule.getNumItems(positions, isAlong);
  int64_t factors = llvm::alignTo(items, threads) *
                    schedule.getVectorsOfItem(isAlong) * schedule.lanes;
  return countStagingOps(contraction, operand, schedule) *
         static_cast<double>(factors) / DeviceSpeed::opsPerCycle;
}

/// The workgroups of tiles of so many rows and columns.
static int64_t countGroups(const Contraction &contraction, int64_t rows,
                           int64_t columns) {
  return llvm::divideCeilSigned(contraction.rows.size, rows) *
         llvm::divideCeilSigned(contraction.columns.size, columns) *
         contraction.batches;
}

/// Returns the bytes of factors that a stage brings to workgroup memory.
static double getStagedBytes(const MatrixTile &tile,
                             const MatrixSchedule &schedule) {
  return static_cast<double>((tile.rows + tile.columns) *
                             schedule.getUsedTerms() *
                             schedule.getBytesOfFactor());
}

/// Returns the bytes of matrices that the subgroups of a workgroup load in a
/// stage.
static double getLoadedBytes(const MatrixTile &tile,
                             const MatrixSchedule &schedule) {
  return static_cast<double>(
      tile.getSubgroups() * (tile.subgroupRows + tile.subgroupColumns) *
      (tile.terms / tile.slices) * schedule.getBytesOfFactor());
}

/// Returns the cycles that all matrix units take for the products of a stage.
static double getTimeOfProducts(const MatrixTile &tile,
                                const MatrixSchedule &schedule,
                                const DeviceSpeed &device) {
  // Sums of factors are products as well: a matrix of them for each matrix of
  // rows or of columns.
  double withSums = 1;
  if (schedule.addsRows)
    withSums += static_cast<double>(schedule.shape.columns) /
                static_cast<double>(tile.subgroupColumns);
  if (schedule.addsColumns)
    withSums += static_cast<double>(schedule.shape.rows) /
                static_cast<double>(tile.subgroupRows);
  return withSums *
         static_cast<double>(tile.rows * tile.columns * tile.terms *
                             schedule.getBytesOfFactor()) /
         device.matrixBytesPerCycle;
}

/// Returns how many stages a matrix kernel has.
static double countStages(const Contraction &contraction,
                          const MatrixSchedule &schedule) {
  return static_cast<double>(schedule.getBlocks(contraction) *
                             schedule.getPhases(contraction));
}

/// Returns the cycles in which workgroup memory stores the sums of a tile and
/// loads them again.
static double getTimeOfSums(const MatrixTile &tile, const DeviceSpeed &device) {
  return 2 * static_cast<double>(tile.rows * tile.columns) * sizeof(float) /
         device.workgroupBytesPerCycle;
}

/// Returns how many registers the threads of a workgroup take together, for
/// sums, for factors that are on their way, and for what else they have.
static double countRegisters(const MatrixTile &tile,
                             const MatrixSchedule &schedule, double threads) {
  double sums = static_cast<double>(tile.rows * tile.columns * tile.slices);
  double ahead = getStagedBytes(tile, schedule) / sizeof(int32_t);
  return sums + ahead + threads * cost::matrix::otherRegisters;
}

namespace {
/// The time of a matrix kernel, in cycles of a multiprocessor, and how many
/// workgroups a multiprocessor has at a time.
struct MatrixTime {
  double cycles = HUGE_VAL, resident = 1;
};
} // namespace

/// Estimates the time of the matrix kernel of `contraction` that has `tile`.
static MatrixTime getMatrixTime(const Contraction &contraction,
                                const MatrixTile &tile,
                                const MatrixSchedule &schedule,
                                const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  auto rows = static_cast<double>(tile.rows),
       columns = static_cast<double>(tile.columns),
       used = static_cast<double>(schedule.getUsedTerms()),
       subgroups = static_cast<double>(tile.getSubgroups()),
       slices = static_cast<double>(tile.slices);
  double threads = subgroups * static_cast<double>(profile.getSubgroupSize());

  // The cycles that a stage takes of each of the units, which work side by
  // side where there are several workgroups.
  double products = getTimeOfProducts(tile, schedule, device);
  double staged = getStagedBytes(tile, schedule);
  double shared =
      (getLoadedBytes(tile, schedule) + staged) / device.workgroupBytesPerCycle;
  double cached = staged / device.lastCacheBytesPerCycle;
  double operations =
      (rows * countStagingOps(contraction, contraction.rows, schedule) +
       columns * countStagingOps(contraction, contraction.columns, schedule)) *
      used / DeviceSpeed::opsPerCycle;
  double together = std::max({products + operations, shared, cached});
  // A workgroup alone has to wait, and a few subgroups keep some of the matrix
  // units busy.
  double barriers = schedule.stages == 1 ? 2 : 1;
  double alone =
      std::max({products * std::max(device.matrixUnits / subgroups, 1.0),
                shared, cached}) +
      operations + barriers * cost::matrix::getBarrierCycles(device) +
      cost::matrix::getStageCycles(device);

  // Workgroups that a multiprocessor has at a time. Sums that do not fit the
  // registers lie in memory.
  double ofRegisters =
      std::floor(device.registers / countRegisters(tile, schedule, threads));
  double ofMemory =
      std::floor(cost::matrix::workgroupMemories *
                 static_cast<double>(profile.getMaxWorkgroupMemory()) /
                 static_cast<double>(schedule.bytes));
  auto groups =
      static_cast<double>(countGroups(contraction, tile.rows, tile.columns));
  double ofEach = std::ceil(groups / device.multiprocessors);
  double resident = std::clamp(std::min(ofRegisters, ofMemory), 1.0, ofEach);
  double ofStage = std::max(together, alone / resident);
  if (resident > 1)
    ofStage += cost::matrix::unhiddenShare * alone;

  double parts = static_cast<double>(tile.subgroupRows) /
                 static_cast<double>(schedule.rowsTogether);
  double last = slices * getTimeOfSums(tile, device) +
                2 * parts * cost::matrix::getBarrierCycles(device) +
                cost::matrix::getStartCycles(device);
  return {ofEach * (ofRegisters < 1 ? cost::matrix::spillTimes : 1) *
              (countStages(contraction, schedule) * ofStage + last / resident),
          resident};
}

/// Estimates the cycles of a workgroup, alone on its multiprocessor, that
/// depend on how its subgroups share the tile. Subgroups with larger tiles load
/// fewer matrices. Slices give the matrix units more subgroups. No thread loads
/// an item for nothing where there are as many items to load as threads.
static double getTimeOfSubgroups(const Contraction &contraction,
                                 const OperandStrides &strides,
                                 const MatrixTile &tile,
                                 const MatrixSchedule &schedule,
                                 const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  int64_t subgroups = tile.getSubgroups();
  int64_t threads = subgroups * profile.getSubgroupSize();
  double ofUnit = device.matrixUnits / static_cast<double>(subgroups);
  double idle = std::ceil(1 / ofUnit) * ofUnit - 1;
  double ofStage =
      getTimeOfProducts(tile, schedule, device) *
          (1 + cost::matrix::idleShare * idle) +
      getLoadedBytes(tile, schedule) / device.workgroupBytesPerCycle +
      getStagingTime(contraction, contraction.rows, strides.rows, tile.rows,
                     threads, schedule) +
      getStagingTime(contraction, contraction.columns, strides.columns,
                     tile.columns, threads, schedule) +
      cost::matrix::getSubgroupCycles(device) * ofUnit;
  double exchange = static_cast<double>(tile.slices - 1) *
                    cost::matrix::exchangeTimes * getTimeOfSums(tile, device);
  if (tile.slices > 1)
    exchange += cost::matrix::getStartCycles(device);
  return countStages(contraction, schedule) * ofStage + exchange;
}

/// Numbers of terms that a stage of so many slices may have, the last for
/// iterations whose terms are whole vectors only together.
static SmallVector<int64_t> getStageTerms(const Contraction &contraction,
                                          const MatrixShape &shape,
                                          int64_t slices) {
  int64_t ofSlices = slices * shape.terms;
  SmallVector<int64_t> numbers = {ofSlices, 2 * ofSlices, 4 * ofSlices,
                                  8 * ofSlices};
  int64_t lanes = DeviceProfile::vectorBytes / (shape.factors == "f16" ? 2 : 1);
  int64_t unit =
      std::lcm(lanes, std::min<int64_t>(contraction.getTermsOfStep(),
                                        cost::matrix::maxTermsTogether));
  for (int64_t units : {1, 2})
    if (unit > lanes)
      numbers.push_back(llvm::alignTo(units * unit, ofSlices));
  return numbers;
}

/// A subgroup may have so many rows and columns of sums.
static constexpr std::pair<int64_t, int64_t> subgroupTiles[] = {
    {16, 16}, {16, 32}, {32, 16}, {32, 32}, {32, 48},
    {32, 64}, {64, 32}, {64, 48}, {64, 64}};

/// The schedule of `tile`, or nothing if it cannot be that of `contraction`.
static std::optional<MatrixSchedule> getSchedule(const Contraction &contraction,
                                                 const MatrixTile &tile,
                                                 const DeviceProfile &profile) {
  MatrixSchedule schedule;
  if (tile.rows % tile.subgroupRows || tile.columns % tile.subgroupColumns ||
      !MatrixSchedule::get(contraction, tile, profile, schedule).empty())
    return std::nullopt;
  return schedule;
}

/// Changes how the subgroups of `tile` share it, so that a workgroup which is
/// alone on its multiprocessor takes the least time.
static void chooseSubgroups(linalg::GenericOp op,
                            const Contraction &contraction,
                            const DeviceProfile &profile, MatrixTile &tile) {
  const DeviceSpeed &device = profile.getSpeed();
  OperandStrides strides = OperandStrides::get(op, contraction);
  double bytes = getLoadedBytes(tile, *getSchedule(contraction, tile, profile)),
         least = HUGE_VAL;
  auto consider = [&](const MatrixTile &other) {
    std::optional<MatrixSchedule> schedule =
        getSchedule(contraction, other, profile);
    if (!schedule)
      return;
    auto threads =
        static_cast<double>(other.getSubgroups() * profile.getSubgroupSize());
    if (countRegisters(other, *schedule, threads) >
        std::min(device.registers, threads * device.registersOfThread))
      return;
    // Slices are for larger tiles of subgroups. MobileNetV2 in f16, whose tiles
    // have 32 times 32 sums, took 1.025 times as long with slices that only
    // made more subgroups.
    if (other.slices > 1 && getLoadedBytes(other, *schedule) >= bytes)
      return;
    double time =
        getTimeOfSubgroups(contraction, strides, other, *schedule, profile);
    if (time >= least)
      return;
    least = time;
    tile = other;
  };
  // The tile stays as it is where nothing takes less time.
  MatrixTile other = tile;
  consider(other);
  for (auto [rows, columns] : subgroupTiles)
    for (int64_t slices : {1, 2, 4}) {
      other.subgroupRows = rows;
      other.subgroupColumns = columns;
      other.slices = slices;
      consider(other);
    }
}

/// The tile of a matrix kernel of the least time, which `least` becomes, or
/// nothing if matrices cannot add up the products or are mostly padding.
static std::optional<MatrixTile>
chooseMatrixTile(const Contraction &contraction, const DeviceProfile &profile,
                 MatrixTime &least) {
  const DeviceSpeed &device = profile.getSpeed();
  std::optional<MatrixTile> best;
  auto consider = [&](const MatrixTile &tile) {
    std::optional<MatrixSchedule> schedule =
        getSchedule(contraction, tile, profile);
    if (!schedule)
      return;
    MatrixTime time = getMatrixTime(contraction, tile, *schedule, profile);
    if (time.cycles >= least.cycles)
      return;
    least = time;
    best = tile;
  };
  // What padding is looked for takes its time until it can be stored: 0.93 of
  // the time on an H200 with it carried (cases: conv64to64_56_k3_f16,
  // conv3to64_224_k7s2_f16). Where vectors are only moved, a workgroup that is
  // alone waits for them: 0.95 of the time on an H100 (197 rows of 768 terms,
  // 768 to 3072 columns), unless its subgroups share out the terms: 1.05
  // (gemm_rows16_f16).
  bool isPadded = isChosen(contraction.rows) || isChosen(contraction.columns);
  auto isCarried = [&](int64_t rows, int64_t columns, int64_t slices) {
    return isPadded ||
           (slices == 1 &&
            static_cast<double>(countGroups(contraction, rows, columns)) <=
                device.multiprocessors);
  };
  for (const MatrixShape &shape : profile.getMatrixShapes()) {
    // Matrices that are mostly padding multiply no faster than threads do.
    if (!canMultiply(contraction, shape) ||
        2 * contraction.rows.size < shape.rows ||
        2 * contraction.columns.size < shape.columns ||
        contraction.getTerms() < shape.terms)
      continue;
    for (int64_t rows : {16, 32, 64, 128, 256}) {
      // The smallest tile is for those that have no more rows.
      if (rows == 16 && contraction.rows.size > rows)
        continue;
      for (int64_t columns : {32, 48, 64, 96, 128, 192, 256})
        for (auto [ofRows, ofColumns] : subgroupTiles)
          for (int64_t slices : {1, 2, 4, 8}) {
            // Slices keep matrix units busy where a tile has all rows, and yet
            // no subgroups for them.
            int64_t subgroups = (rows / ofRows) * (columns / ofColumns);
            if (slices > 1 &&
                (contraction.rows.size > rows ||
                 static_cast<double>(subgroups) >= device.matrixUnits))
              break;
            // Most tiles have too many threads, which is known without their
            // schedules.
            if (subgroups * slices * profile.getSubgroupSize() >
                profile.getMaxWorkgroupSize())
              break;
            for (int64_t terms : getStageTerms(contraction, shape, slices))
              for (int64_t stages : {1, 2})
                consider({rows, columns, terms, ofRows, ofColumns, shape.str(),
                          stages, /*panel=*/1, isCarried(rows, columns, slices),
                          slices});
          }
    }
  }
  return best;
}

double dml::estimateCycles(linalg::GenericOp op, const Contraction &contraction,
                           const DeviceProfile &profile) {
  MatrixTime ofMatrices;
  if (chooseMatrixTile(contraction, profile, ofMatrices))
    return ofMatrices.cycles;
  double least = HUGE_VAL;
  SumTraits traits = SumTraits::get(op, contraction);
  least = getMapTime(op, contraction, traits, profile.getSpeed());
  if (contraction.getTerms() >= cost::contraction::minTerms) {
    chooseContractionTile(contraction, traits, profile, least);
    chooseSliceTile(op, contraction, traits, profile, least);
  }
  return least;
}

/// Reads a tile of a matrix kernel: a `dml.kernel`, or what any shape may have,
/// such as '128x128x32x64x64'.
static std::optional<MatrixTile> parseMatrixTile(StringRef spec,
                                                 MLIRContext *context) {
  if (spec.starts_with("{")) {
    Attribute kernel = parseKernelAttr(spec, context);
    return kernel ? KernelChoice::get(kernel)->matrixTile : std::nullopt;
  }
  SmallVector<StringRef> parts;
  spec.split(parts, 'x');
  if (parts.size() != 5)
    return std::nullopt;
  int64_t sizes[5];
  for (auto [part, size] : llvm::zip_equal(parts, sizes))
    if (part.getAsInteger(10, size) || size < 1)
      return std::nullopt;
  if (sizes[0] % sizes[3] || sizes[1] % sizes[4])
    return std::nullopt;
  return MatrixTile{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], ""};
}

namespace {
struct SelectKernels : dml::impl::SelectKernelsBase<SelectKernels> {
  using SelectKernelsBase::SelectKernelsBase;

  void runOnOperation() override {
    FailureOr<DeviceProfile> profile =
        DeviceProfile::parse(deviceProfile, getOperation());
    if (failed(profile))
      return signalPassFailure();
    std::optional<MatrixTile> wantedMatrixTile;
    if (matrixTile != "auto" && matrixTile != "none") {
      wantedMatrixTile = parseMatrixTile(matrixTile, &getContext());
      if (!wantedMatrixTile) {
        getOperation().emitError("matrix-tile is '")
            << matrixTile
            << "', but wants to be 'auto', 'none', rows, columns and terms of "
               "a workgroup and rows and columns of its subgroups, such as "
               "'128x128x32x64x64', or a 'dml.kernel' with a matrix_tile";
        return signalPassFailure();
      }
    }
    std::optional<Wanted> wanted;
    if (contractionTile != "auto" && contractionTile != "none") {
      wanted = Wanted::parse(contractionTile, &getContext());
      if (!wanted) {
        getOperation().emitError("contraction-tile is '")
            << contractionTile
            << "', but wants to be 'auto', 'none', rows and columns that "
            << DeviceProfile::workgroupSize
            << " threads can share, such as '64x64', or a 'dml.kernel' of a "
               "contraction, such as '{contraction_tile = array<i64: 64, 64, "
               "16>, ahead}'";
        return signalPassFailure();
      }
    }
    FailureOr<std::optional<RowTile>> wantedRow = parseRowTile(rowTile);
    if (failed(wantedRow)) {
      getOperation().emitError("row-tile is '")
          << rowTile
          << "', but wants to be 'auto', 'none', or a power of two of at most "
          << DeviceProfile::workgroupSize
          << " threads and the vectors that each has, such as '32x4'";
      return signalPassFailure();
    }
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kernelAttrName))
        return;
      if (Attribute choice =
              chooseContraction(op, *profile, wantedMatrixTile, wanted))
        op->setAttr(kernelAttrName, choice);
      else if (Attribute choice =
                   chooseRow(op, profile->getSpeed(), *wantedRow))
        op->setAttr(kernelAttrName, choice);
    });
  }

private:
  /// The tile of a matrix kernel for `contraction`, or nothing.
  std::optional<MatrixTile>
  getMatrixTile(linalg::GenericOp op, const Contraction &contraction,
                const DeviceProfile &profile,
                const std::optional<MatrixTile> &wantedTile) {
    if (matrixTile == "none" || profile.getMatrixShapes().empty())
      return std::nullopt;
    if (!wantedTile) {
      MatrixTime time;
      std::optional<MatrixTile> tile =
          chooseMatrixTile(contraction, profile, time);
      if (tile && tile->slices == 1 && time.resident == 1)
        chooseSubgroups(op, contraction, profile, *tile);
      return tile;
    }
    for (const MatrixShape &shape : profile.getMatrixShapes()) {
      MatrixTile tile = *wantedTile;
      if (tile.shape.empty())
        tile.shape = shape.str();
      MatrixSchedule schedule;
      if (MatrixSchedule::get(contraction, tile, profile, schedule).empty())
        return tile;
    }
    return std::nullopt;
  }

  /// The kernel of a contraction that `op` becomes, the wanted one if it can
  /// have it, or null.
  Attribute chooseContraction(linalg::GenericOp op,
                              const DeviceProfile &profile,
                              const std::optional<MatrixTile> &wantedMatrices,
                              const std::optional<Wanted> &wanted) {
    std::optional<Contraction> contraction = Contraction::match(op);
    if (!contraction)
      return Attribute();
    if (std::optional<MatrixTile> tile =
            getMatrixTile(op, *contraction, profile, wantedMatrices))
      return tile->getAttr(&getContext());
    if (contractionTile == "none")
      return Attribute();
    if (wanted)
      return wanted->getChoice(*contraction, profile, &getContext());
    return chooseKernel(op, *contraction, profile);
  }

  /// The row kernel that `op` becomes, or null.
  Attribute chooseRow(linalg::GenericOp op, const DeviceSpeed &device,
                      std::optional<RowTile> wanted) {
    if (rowTile == "none" || !op.hasPureBufferSemantics())
      return Attribute();
    std::optional<RowReduction> reduction = RowReduction::match(op);
    if (!reduction || (!wanted && !reduction->isWorthwhile()))
      return Attribute();
    RowLayout layout = RowLayout::get(op, *reduction);
    if (!wanted && !reduction->canWriteOut(layout.lanes))
      return Attribute();
    RowTile tile = wanted ? *wanted : chooseRowTile(*reduction, layout, device);
    if (!findRowTileProblem(*reduction, layout, tile).empty())
      return Attribute();
    return tile.getAttr(&getContext());
  }
};
} // namespace
