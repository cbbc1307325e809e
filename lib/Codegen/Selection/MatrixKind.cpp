//===- MatrixKind.cpp - When matrices are multiplied ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/MatrixKernel.h"
#include "Selection/KernelKinds.h"
#include "Selection/Occupancy.h"
#include "dml/Target/MatrixCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// An iteration of the contraction's loop adds several terms. Returns whether
/// one condition decides for the factors of all these terms whether they are
/// elements or padding. In an image with channels last, for example, all
/// channels at one position are elements or all are padding.
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

/// Returns the approximate number of operations that copy one factor to
/// workgroup memory.
static double countStagingOps(const Contraction &contraction,
                              const ContractionOperand &operand,
                              const MatrixSchedule &schedule) {
  // If an iteration of the contraction's loop adds many terms, a stage may
  // contain only one term of each of several iterations. The factors of
  // neighbouring terms then belong to different stages, and each factor is
  // loaded by itself.
  if (schedule.termsTogether < contraction.getTermsOfStep())
    return cost::matrix::opsPerSingleFactor;
  if (!isChosen(operand))
    return cost::matrix::opsPerMovedFactor;
  // If one condition decides for all terms of an iteration, the factors of a
  // vector share one selection between elements and padding.
  int64_t together =
      areChosenTogether(operand)
          ? std::gcd(contraction.getTermsOfStep(), schedule.lanes)
          : 1;
  return std::max(cost::matrix::opsPerChosenFactor /
                      static_cast<double>(together),
                  cost::matrix::opsPerMovedFactor);
}

/// Returns the cycles in which `threads` threads load and prepare the factors
/// of an operand for one stage. In the last round, threads without an item load
/// an item as well, so that the time is that of whole rounds.
static double getStagingTime(const Contraction &contraction,
                             const ContractionOperand &operand,
                             const FactorStrides &strides, int64_t positions,
                             int64_t units, int64_t threads,
                             const MatrixSchedule &schedule) {
  bool isAlong = strides.areAlongSteps();
  int64_t items = schedule.getNumItems(positions, isAlong, units);
  int64_t factors = llvm::alignTo(items, threads) *
                    schedule.getVectorsOfItem(isAlong, units) * schedule.lanes;
  return countStagingOps(contraction, operand, schedule) *
         static_cast<double>(factors) / DeviceSpeed::opsPerCycle;
}

/// Returns the number of workgroups that compute `contraction` in tiles of
/// `rows` by `columns` sums.
static int64_t countGroups(const Contraction &contraction, int64_t rows,
                           int64_t columns) {
  return llvm::divideCeilSigned(contraction.rows.size, rows) *
         llvm::divideCeilSigned(contraction.columns.size, columns) *
         contraction.batches;
}

/// Returns the number of bytes of factors that a workgroup stores in workgroup
/// memory for one stage.
static double getStagedBytes(const MatrixTile &tile,
                             const MatrixSchedule &schedule) {
  return static_cast<double>((tile.rows + tile.columns) *
                             schedule.getUsedTerms() *
                             schedule.getBytesOfFactor());
}

/// Returns the number of bytes that all subgroups of a workgroup load from
/// workgroup memory, as matrices, in one stage.
static double getLoadedBytes(const MatrixTile &tile,
                             const MatrixSchedule &schedule) {
  return static_cast<double>(
      tile.getSubgroups() * (tile.subgroupRows + tile.subgroupColumns) *
      (tile.terms / tile.slices) * schedule.getBytesOfFactor());
}

/// Returns the cycles in which the matrix units of a multiprocessor compute the
/// products of one stage.
static double getTimeOfProducts(const MatrixTile &tile,
                                const MatrixSchedule &schedule,
                                const DeviceSpeed &device) {
  // Sums of factors, which zero points need, are computed as products with a
  // matrix of ones. Each matrix of rows' factors (addsRows) or of columns'
  // factors (addsColumns) that a subgroup loads takes one more product.
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

/// Returns the number of stages that a matrix kernel multiplies, one after the
/// other.
static double countStages(const Contraction &contraction,
                          const MatrixSchedule &schedule) {
  return static_cast<double>(schedule.getBlocks(contraction) *
                             schedule.getPhases(contraction));
}

/// Returns the cycles in which the sums of a tile are stored to workgroup
/// memory and loaded again.
static double getTimeOfSums(const MatrixTile &tile, const DeviceSpeed &device) {
  return 2 * static_cast<double>(tile.rows * tile.columns) * sizeof(float) /
         device.workgroupBytesPerCycle;
}

/// Returns the number of registers that all threads of a workgroup take
/// together: for sums, for factors in flight, and for other values.
static double countRegisters(const MatrixTile &tile,
                             const MatrixSchedule &schedule, double threads) {
  double sums = static_cast<double>(tile.rows * tile.columns * tile.slices);
  double ahead = getStagedBytes(tile, schedule) / sizeof(int32_t) *
                 static_cast<double>(std::max<int64_t>(tile.ahead, 1));
  return sums + ahead + threads * cost::matrix::otherRegisters;
}

/// Whether the values of a thread of `tile` fit its registers, if the driver's
/// compiler keeps the order of the program (DeviceSpeed::computesInOrder). Such
/// a compiler holds the factors, the addresses and the matrices of all stages
/// whose code is written out, so that no stage but the next is loaded ahead. It
/// also writes out the code of a loop over few stages, and then holds all
/// matrices of a stage at a time.
static bool fitsInOrder(const Contraction &contraction, const MatrixTile &tile,
                        const MatrixSchedule &schedule,
                        const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  if (device.computesInOrder == 0)
    return true;
  if (tile.ahead > 1)
    return false;
  auto subgroups = static_cast<double>(tile.getSubgroups()),
       subgroupSize = static_cast<double>(profile.getSubgroupSize());
  double threads = subgroups * subgroupSize;
  double registers = countRegisters(tile, schedule, threads) / threads;
  double stages = countStages(contraction, schedule);
  if (stages > 1 && stages <= cost::matrix::maxWrittenOutStages)
    registers += cost::matrix::copiesOfMatrix * getLoadedBytes(tile, schedule) /
                 sizeof(float) / threads;
  return fitsThread(registers, device);
}

namespace {
/// The time of a matrix kernel in cycles of a multiprocessor, and the number of
/// workgroups that a multiprocessor runs at a time.
struct MatrixTime {
  double cycles = HUGE_VAL, resident = 1;
};
} // namespace

/// Estimates the time of the matrix kernel with `tile` for `contraction`.
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

  // The cycles that one stage takes in each unit of a multiprocessor: matrix
  // units, lanes, workgroup memory and cache. If several workgroups run at a
  // time, the units work concurrently, and the busiest unit determines the
  // time.
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
  // If a workgroup has the multiprocessor to itself, it waits for one unit
  // after the other, and its subgroups may be too few to occupy all matrix
  // units and all lanes.
  double barriers = schedule.stages == 1 ? 2 : 1;
  double alone =
      std::max({products * std::max(device.matrixUnits / subgroups, 1.0),
                shared, cached}) +
      operations * std::max(cost::matrix::subgroupsOfUnit * device.matrixUnits /
                                subgroups,
                            1.0) +
      barriers * cost::matrix::getBarrierCycles(device) +
      cost::matrix::getStageCycles(device, tile.ahead);

  Occupancy occupancy = Occupancy::get(
      {countRegisters(tile, schedule, threads),
       static_cast<double>(schedule.bytes)},
      static_cast<double>(countGroups(contraction, tile.rows, tile.columns)),
      device);
  double ofStage = occupancy.getTimeOfIteration(together, alone);
  double parts = static_cast<double>(tile.subgroupRows) /
                 static_cast<double>(schedule.rowsTogether);
  double last = slices * getTimeOfSums(tile, device) +
                2 * parts * cost::matrix::getBarrierCycles(device) +
                cost::matrix::getStartCycles(device);
  return {
      occupancy.getTimeOfKernel(countStages(contraction, schedule) * ofStage +
                                last / occupancy.resident),
      occupancy.resident};
}

/// Returns the part of a workgroup's time, in cycles, that depends on the
/// division of its tile between subgroups. The workgroup has the multiprocessor
/// to itself. Subgroups with larger tiles load fewer matrices. Slices, which
/// share out the terms of a sum (split-K within the workgroup), give the matrix
/// units more subgroups. In the last round of loads, threads without an item
/// cost as much time as others. The best number of items is therefore a
/// multiple of the number of threads.
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
                     /*units=*/1, threads, schedule) +
      getStagingTime(contraction, contraction.columns, strides.columns,
                     tile.columns, schedule.unitsOfPacked, threads, schedule) +
      cost::matrix::getSubgroupCycles(device) * ofUnit;
  double exchange = static_cast<double>(tile.slices - 1) *
                    cost::matrix::exchangeTimes * getTimeOfSums(tile, device);
  if (tile.slices > 1)
    exchange += cost::matrix::getStartCycles(device);
  return countStages(contraction, schedule) * ofStage + exchange;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// The sizes that the search for a matrix kernel tries. Each tile of a
/// workgroup is combined with each tile of a subgroup that divides it.
struct MatrixSeeds {
  /// The numbers of rows and columns of a workgroup's sums.
  int64_t rows[5], columns[8];
  /// The numbers of rows and columns of a subgroup's sums.
  std::pair<int64_t, int64_t> subgroups[9];
  /// The numbers of slices that the search tries: in tiles of workgroups, and
  /// in the division of a tile between subgroups (chooseSubgroups()).
  int64_t slices[4], slicesOfSubgroups[3];
  /// The lengths of a stage that the search tries, as numbers of cooperative
  /// matrices for each slice. With 2 slices and matrices of 16 terms, an entry
  /// of 4 means 4 * 2 * 16 terms.
  int64_t matricesOfStage[4];
  /// The numbers of stages in workgroup memory.
  int64_t stages[2];
  /// The numbers of stages ahead that the search tries in addition to the
  /// number that getLeastAhead() returns.
  int64_t ahead[2];
};
} // namespace

static constexpr MatrixSeeds seeds = {
    /*rows=*/{16, 32, 64, 128, 256},
    /*columns=*/{16, 32, 48, 64, 96, 128, 192, 256},
    /*subgroups=*/
    {{16, 16},
     {16, 32},
     {32, 16},
     {32, 32},
     {32, 48},
     {32, 64},
     {64, 32},
     {64, 48},
     {64, 64}},
    /*slices=*/{1, 2, 4, 8},
    /*slicesOfSubgroups=*/{1, 2, 4},
    /*matricesOfStage=*/{1, 2, 4, 8},
    /*stages=*/{1, 2},
    /*ahead=*/{2, 3}};

/// Returns the numbers of terms that the search tries for a stage with `slices`
/// slices. The last numbers are for contractions whose terms fill whole vectors
/// only after several iterations of the loop over terms. With 9 terms in an
/// iteration and vectors of 8 factors, for example, 8 iterations have 72 terms,
/// or 9 vectors.
static SmallVector<int64_t> getStageTerms(const Contraction &contraction,
                                          const MatrixShape &shape,
                                          int64_t slices) {
  int64_t ofSlices = slices * shape.terms;
  SmallVector<int64_t> numbers = llvm::map_to_vector(
      seeds.matricesOfStage, [&](int64_t count) { return count * ofSlices; });
  int64_t lanes = DeviceProfile::vectorBytes / (shape.factors == "f16" ? 2 : 1);
  int64_t unit =
      std::lcm(lanes, std::min<int64_t>(contraction.getTermsOfStep(),
                                        cost::matrix::maxTermsTogether));
  for (int64_t units : {1, 2})
    if (unit > lanes)
      numbers.push_back(llvm::alignTo(units * unit, ofSlices));
  return numbers;
}

/// Returns the division of the terms of `contraction` into the stages of a
/// kernel with `tile`. Returns nothing if no matrix kernel with this tile can
/// compute the contraction.
static std::optional<MatrixSchedule> getSchedule(const Contraction &contraction,
                                                 const MatrixTile &tile,
                                                 const DeviceProfile &profile) {
  MatrixSchedule schedule;
  if (tile.rows % tile.subgroupRows || tile.columns % tile.subgroupColumns ||
      !MatrixSchedule::get(contraction, tile, profile, schedule).empty())
    return std::nullopt;
  return schedule;
}

/// Replaces the division of `tile` between subgroups by the fastest division.
/// The times are those of a workgroup that has a multiprocessor to itself.
static void chooseSubgroups(const KernelQuery &query, MatrixTile &tile) {
  const Contraction &contraction = *query.contraction;
  const DeviceProfile &profile = query.profile;
  const DeviceSpeed &device = profile.getSpeed();
  const OperandStrides &strides = query.getStrides();
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
            std::min(device.registers, threads * device.registersOfThread) ||
        !fitsInOrder(contraction, other, *schedule, profile))
      return;
    // Slices are worthwhile only if they allow the subgroups larger tiles, and
    // thus fewer loads of matrices. MobileNetV2 in f16, whose tiles have 32 by
    // 32 sums, took 1.025 times as long with slices that only added subgroups.
    if (other.slices > 1 && getLoadedBytes(other, *schedule) >= bytes)
      return;
    double time =
        getTimeOfSubgroups(contraction, strides, other, *schedule, profile);
    if (time >= least)
      return;
    least = time;
    tile = other;
  };
  // The present division is considered first. It stays if no other is faster.
  MatrixTile other = tile;
  consider(other);
  for (auto [rows, columns] : seeds.subgroups)
    for (int64_t slices : seeds.slicesOfSubgroups) {
      other.subgroupRows = rows;
      other.subgroupColumns = columns;
      other.slices = slices;
      consider(other);
    }
}

namespace {
/// The search for the fastest matrix kernel.
class MatrixSearch {
public:
  MatrixSearch(const KernelQuery &query, Proposals &proposals)
      : contraction(*query.contraction), profile(query.profile),
        proposals(proposals) {}

  void run();

  /// The tile of the fastest kernel. Nothing if matrices cannot compute the
  /// contraction, or if most of the matrices would be padding.
  std::optional<MatrixTile> best;
  MatrixTime time;

private:
  bool isFilledBy(const MatrixShape &shape) const;
  bool haveOwnMultiprocessors(int64_t rows, int64_t columns) const;
  bool waitsForLoads(const MatrixTile &tile) const;
  bool canShare(const MatrixTile &tile) const;
  int64_t getLeastAhead(const MatrixTile &tile) const;
  bool canLoadAhead(const MatrixTile &tile,
                    const MatrixSchedule &schedule) const;
  void tryShares(MatrixTile tile, const MatrixShape &shape);
  void tryStages(MatrixTile tile, const MatrixShape &shape);
  void consider(const MatrixTile &tile, const MatrixSchedule &schedule);

  const Contraction &contraction;
  const DeviceProfile &profile;
  Proposals &proposals;
};
} // namespace

/// Whether matrices of `shape` can compute the contraction, with at least half
/// of their rows and columns and all of their terms in use. If less is in use,
/// a kernel without cooperative matrices is as fast.
bool MatrixSearch::isFilledBy(const MatrixShape &shape) const {
  return canMultiply(contraction, shape) &&
         2 * contraction.rows.size >= shape.rows &&
         2 * contraction.columns.size >= shape.columns &&
         contraction.getTerms() >= shape.terms;
}

/// Whether tiles of `rows` by `columns` sums are so few that the workgroup of
/// each has a multiprocessor to itself.
bool MatrixSearch::haveOwnMultiprocessors(int64_t rows, int64_t columns) const {
  return static_cast<double>(countGroups(contraction, rows, columns)) <=
         profile.getSpeed().multiprocessors;
}

/// Whether a workgroup with `tile` waits for its loads most of the time. If a
/// multiprocessor runs several workgroups, they hide each other's latency. If a
/// tile is large, its products take as long as its loads.
bool MatrixSearch::waitsForLoads(const MatrixTile &tile) const {
  return haveOwnMultiprocessors(tile.rows, tile.columns) &&
         tile.rows * tile.columns <= cost::matrix::maxWaitingSums;
}

/// Whether the subgroups and slices of `tile` are worth considering.
bool MatrixSearch::canShare(const MatrixTile &tile) const {
  // Slices are tried for tiles that wait for their loads, since the subgroups
  // of one slice then multiply while others wait. They are also tried if one
  // tile has all rows and its subgroups are too few to occupy the matrix units
  // of a multiprocessor. If there are several tiles of rows, there are more
  // workgroups, whose subgroups can occupy the matrix units instead.
  int64_t subgroups =
      (tile.rows / tile.subgroupRows) * (tile.columns / tile.subgroupColumns);
  if (tile.slices > 1 && !waitsForLoads(tile) &&
      (contraction.rows.size > tile.rows ||
       static_cast<double>(subgroups) >= profile.getSpeed().matrixUnits))
    return false;
  // Most combinations of sizes have too many threads, and are rejected here,
  // before their schedule is computed.
  return subgroups * tile.slices * profile.getSubgroupSize() <=
         profile.getMaxWorkgroupSize();
}

/// Returns the least number of stages ahead that the search tries. The number
/// is 1 if the kernel gains by keeping the factors of a stage in registers from
/// one iteration of its loop to the next. Otherwise it is 0.
int64_t MatrixSearch::getLeastAhead(const MatrixTile &tile) const {
  // Two kinds of kernels gain by loading the factors of the next stage into
  // registers before they compute the products of the present stage.
  //
  // First, kernels that select between a factor and padding, since the
  // selection delays the factor. They took 0.93 of the time on an H200 (cases:
  // conv64to64_56_k3_f16, conv3to64_224_k7s2_f16).
  //
  // Second, kernels whose workgroups have a multiprocessor to themselves, since
  // no other workgroup works while one waits for its loads. They took 0.95 of
  // the time on an H100 (197 rows of 768 terms, 768 to 3072 columns). With
  // slices, the second kind took 1.05 of the time (gemm_rows16_f16), and
  // therefore loads no stage ahead.
  if (isChosen(contraction.rows) || isChosen(contraction.columns))
    return 1;
  return tile.slices == 1 && haveOwnMultiprocessors(tile.rows, tile.columns);
}

/// Whether a kernel with `tile`, which loads factors several stages ahead, can
/// be faster than one that does not.
bool MatrixSearch::canLoadAhead(const MatrixTile &tile,
                                const MatrixSchedule &schedule) const {
  if (!waitsForLoads(tile))
    return false;
  // The code of several stages is unrolled. For this, each iteration of the
  // kernel's loop must have a single stage, and there must be more iterations
  // than stages that are loaded ahead.
  if (schedule.getPhases(contraction) > 1 ||
      schedule.getBlocks(contraction) <= tile.ahead)
    return false;
  // If each factor has a selection of its own between an element and padding,
  // the selection waits for the load of the factor, and loads ahead gain
  // nothing.
  if (llvm::any_of(ArrayRef{&contraction.rows, &contraction.columns},
                   [](const ContractionOperand *operand) {
                     return isChosen(*operand) && !areChosenTogether(*operand);
                   }))
    return false;
  auto threads =
      static_cast<double>(tile.getSubgroups() * profile.getSubgroupSize());
  return countRegisters(tile, schedule, threads) <=
         cost::matrix::shareAhead * threads *
             profile.getSpeed().registersOfThread;
}

void MatrixSearch::consider(const MatrixTile &tile,
                            const MatrixSchedule &schedule) {
  if (!fitsInOrder(contraction, tile, schedule, profile))
    return;
  MatrixTime ofTile = getMatrixTime(contraction, tile, schedule, profile);
  if (ofTile.cycles < HUGE_VAL)
    proposals.add({tile, ofTile.cycles, /*isPreferred=*/true});
  if (ofTile.cycles >= time.cycles)
    return;
  time = ofTile;
  best = tile;
}

/// Tries all lengths and numbers of stages for a tile whose subgroups and
/// slices are set.
void MatrixSearch::tryStages(MatrixTile tile, const MatrixShape &shape) {
  int64_t least = getLeastAhead(tile);
  for (int64_t terms : getStageTerms(contraction, shape, tile.slices))
    for (int64_t stages : seeds.stages) {
      tile.terms = terms;
      tile.stages = stages;
      tile.ahead = least;
      std::optional<MatrixSchedule> schedule =
          getSchedule(contraction, tile, profile);
      if (!schedule)
        continue;
      consider(tile, *schedule);
      for (int64_t ahead : seeds.ahead) {
        tile.ahead = ahead;
        if (canLoadAhead(tile, *schedule))
          consider(tile, *schedule);
      }
    }
}

/// Tries all divisions into subgroups and slices for a tile whose rows and
/// columns are set.
void MatrixSearch::tryShares(MatrixTile tile, const MatrixShape &shape) {
  for (auto [rows, columns] : seeds.subgroups)
    for (int64_t slices : seeds.slices) {
      tile.subgroupRows = rows;
      tile.subgroupColumns = columns;
      tile.slices = slices;
      if (canShare(tile))
        tryStages(tile, shape);
    }
}

void MatrixSearch::run() {
  for (const MatrixShape &shape : profile.getMatrixShapes()) {
    if (!isFilledBy(shape))
      continue;
    // A contraction has few tiles if the multiprocessors are more than its
    // tiles of the second smallest size. Smaller tiles are tried for such a
    // contraction, and for one that fills no larger tile. Large tiles are not
    // tried for it, since most multiprocessors would have no workgroup.
    bool hasFew = haveOwnMultiprocessors(seeds.rows[1], seeds.columns[1]);
    auto isTried = [&](int64_t size, int64_t smallest, int64_t wanted) {
      return size != smallest || wanted <= size || hasFew;
    };
    for (int64_t rows : seeds.rows) {
      if (!isTried(rows, seeds.rows[0], contraction.rows.size))
        continue;
      for (int64_t columns : seeds.columns) {
        if (!isTried(columns, seeds.columns[0], contraction.columns.size) ||
            (hasFew && rows * columns > cost::matrix::maxWaitingSums))
          continue;
        MatrixTile tile{};
        tile.rows = rows;
        tile.columns = columns;
        tile.shape = shape.str();
        tryShares(tile, shape);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class MatrixKind : public KernelKindOf<MatrixTile> {
  std::string tryBuild(linalg::GenericOp op, const MatrixTile &tile,
                       const DeviceProfile &profile) const override {
    std::optional<Contraction> contraction = Contraction::match(op);
    if (!contraction)
      return "stands on no contraction";
    MatrixSchedule schedule;
    std::string problem =
        MatrixSchedule::get(*contraction, tile, profile, schedule);
    if (problem.empty())
      buildMatrixKernel(op, tile, profile);
    return problem;
  }

  StringRef getOption() const override { return "matrix-tile"; }
  std::string describeOption() const override {
    return "rows, columns and terms of a workgroup and rows and columns of its "
           "subgroups, such as '128x128x32x64x64', or a 'dml.kernel' with a "
           "matrix_tile";
  }
  /// Parses the text of a tile. A text such as '128x128x32x64x64' states no
  /// matrix shape, which is chosen later for each contraction.
  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    MatrixTile tile{};
    if (!parseSizes(text, {&tile.rows, &tile.columns, &tile.terms,
                           &tile.subgroupRows, &tile.subgroupColumns}))
      return parseTile(text, context);
    if (tile.rows % tile.subgroupRows || tile.columns % tile.subgroupColumns)
      return std::nullopt;
    return tile;
  }

  /// Prefers a matrix kernel to all other kernels if matrices can multiply the
  /// factors and are not mostly padding.
  void proposeFastest(const KernelQuery &query,
                      Proposals &proposals) const override {
    if (!query.contraction)
      return;
    MatrixSearch search(query, proposals);
    search.run();
    if (search.best && search.best->slices == 1 && search.time.resident == 1)
      chooseSubgroups(query, std::get<MatrixTile>(*proposals.getBest()->tile));
  }
  std::optional<Proposal>
  proposeWanted(const KernelQuery &query,
                const MatrixTile &wanted) const override {
    if (!query.contraction)
      return std::nullopt;
    for (const MatrixShape &shape : query.profile.getMatrixShapes()) {
      MatrixTile tile = wanted;
      if (tile.shape.empty())
        tile.shape = shape.str();
      MatrixSchedule schedule;
      if (MatrixSchedule::get(*query.contraction, tile, query.profile, schedule)
              .empty())
        return Proposal::prefer(tile);
    }
    return std::nullopt;
  }
};
} // namespace

const KernelKind &dml::getMatrixKind() {
  static const MatrixKind kind;
  return kind;
}
