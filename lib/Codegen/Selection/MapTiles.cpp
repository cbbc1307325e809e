//===- MapTiles.cpp - The tiles of map kernels ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The search for the tile of a map kernel tries a few candidates. It builds the
// kernel for each candidate, counts the operations that its threads would
// execute, and discards the kernel. Only the attribute for the chosen tile
// remains.
//
//===----------------------------------------------------------------------===//

#include "Selection/MapTiles.h"
#include "Analysis/ElementMap.h"
#include "Emit/TileBuilder.h"
#include "Kernels/MapKernel.h"
#include "Selection/Occupancy.h"
#include "Selection/Registers.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/MapCosts.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;

static KernelCost measure(linalg::GenericOp op, const MapTile &tile,
                          ArrayRef<int64_t> interiors, double maxGeneral) {
  Block block;
  return tryMapKernel(block, op, tile, interiors, maxGeneral);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Whether the values of a thread of `tile` fit its registers. Compilers that
/// move loads to their uses where registers run short make every tile fit. A
/// thread that computes its elements one after the other keeps the vectors that
/// it loaded for the first one up to the last one.
static bool fitsThread(linalg::GenericOp op, const MapTile &tile,
                       const DeviceSpeed &device) {
  if (device.computesInOrder == 0)
    return true;
  Block block;
  tryMapKernel(block, op, tile, /*interiors=*/{}, HUGE_VAL);
  return fitsThread(static_cast<double>(countRegistersInOrder(block)), device);
}

/// Returns `tile` with vectors of half the length, or nothing if `op` has no
/// such kernel.
static std::optional<MapTile> getNarrower(linalg::GenericOp op, MapTile tile) {
  tile.vectorBytes /= 2;
  if (!findTileProblem(op, tile).empty())
    return std::nullopt;
  return tile;
}

/// Returns the tile with one vector for each thread, which is as long as the
/// registers of a thread allow.
static MapTile getLongestTile(linalg::GenericOp op, const DeviceSpeed &device) {
  MapTile tile = getPlainTile(op);
  while (!fitsThread(op, tile, device)) {
    std::optional<MapTile> narrower = getNarrower(op, tile);
    if (!narrower)
      break;
    tile = *narrower;
  }
  return tile;
}

//===----------------------------------------------------------------------===//
// Bodies without loops
//===----------------------------------------------------------------------===//

namespace {
/// The elements that a body without loops reads and writes.
struct Traffic {
  explicit Traffic(linalg::GenericOp op);

  /// The number of bytes that are read and written, if each element is read
  /// once.
  int64_t bytes;
  /// The number of loads in the body.
  int64_t loads = 0;
  /// The number of reads of all elements of the inputs, divided by the number
  /// of elements.
  double readsOfElement;
};
} // namespace

Traffic::Traffic(linalg::GenericOp op) {
  auto type = cast<MemRefType>(op.getOutputs().front().getType());
  bytes = getNumBytes(type);
  llvm::SmallPtrSet<Value, 4> sources;
  int64_t read = 0;
  for (auto load : op.getBody()->getOps<memref::LoadOp>()) {
    ++loads;
    if (!sources.insert(load.getMemRef()).second)
      continue;
    bytes += getNumBytes(load.getMemRefType());
    read += load.getMemRefType().getNumElements();
  }
  readsOfElement = static_cast<double>(loads * type.getNumElements()) /
                   static_cast<double>(std::max<int64_t>(read, 1));
}

/// Returns `tile` with twice as many rows for each thread, or nothing if too
/// few threads would remain. The rows of a thread must differ in one coordinate
/// only (RowShape::perPlane).
static std::optional<MapTile> getTaller(const RowShape &rows, MapTile tile,
                                        const DeviceSpeed &device) {
  int64_t numRows = 2 * tile.getRows();
  if (numRows * tile.vectorBytes > cost::map::maxRowBytes ||
      rows.perPlane % numRows ||
      rows.getNumVectors() / numRows < device.getEnoughThreads())
    return std::nullopt;
  tile.mode = VectorsOfRows{numRows};
  return tile;
}

/// Whether each thread of `tile` transfers so few bytes that the time to start
/// threads, and not memory, limits the kernel.
static bool waitsForThreads(linalg::GenericOp op, const MapTile &tile,
                            const Traffic &traffic, const DeviceSpeed &device) {
  return static_cast<double>(traffic.bytes) <
         device.bytesPerThread * static_cast<double>(getNumThreads(op, tile));
}

/// Returns the tile with which the search for the tile of a map kernel begins.
/// If the rows of the output consist of whole vectors, a thread computes the
/// vectors of several rows in two cases. In the first case, neighbouring
/// elements of the output read many elements in common, as in a pooling. In the
/// second case, threads with one row would transfer so few bytes that the time
/// to start them would limit the kernel.
static MapTile getFirstTile(linalg::GenericOp op, const MapTile &plain,
                            const RowShape &rows, const Traffic &traffic,
                            const DeviceSpeed &device) {
  MapTile tile = plain;
  if (!rows.hasSeveralRows() || !rows.hasWholeVectors())
    return tile;
  if (traffic.loads > 1 && traffic.readsOfElement > cost::map::minReadsOfRows)
    tile = getTaller(rows, tile, device).value_or(tile);
  while (waitsForThreads(op, tile, traffic, device)) {
    std::optional<MapTile> taller = getTaller(rows, tile, device);
    if (!taller)
      break;
    tile = *taller;
  }
  return fitsThread(op, tile, device) ? tile : plain;
}

/// Returns a tile for rows whose elements near the borders have clamped
/// indices, as in a convolution with padding. Some threads compute only vectors
/// inside of rows, whose indices need no clamping, and other threads compute
/// the other vectors. With another tile, nearly all subgroups would have
/// threads of both sorts, and would execute the code of both.
static std::optional<MapTile> getTileOfInside(linalg::GenericOp op,
                                              MapTile tile) {
  // The first kernel is built for a tile whose threads all run the same code,
  // and shows which vectors of a row need no clamping. In the next kernel,
  // separate threads compute these vectors. An index may be clamped twice, and
  // the code for the second clamp shows its effect only after the first clamp
  // is gone. For example, vector c of 8 in a row has the index min(max(4 c - 1,
  // 0), 20). The first kernel shows that the maximum has no effect from vector
  // 1 on. For these vectors, the next kernel has the index min(4 c - 1, 20),
  // and shows that the minimum has no effect up to vector 5. The range of the
  // separate threads then shrinks from the vectors 1 to 7 to the vectors 1 to
  // 5.
  //
  // The steps end when the range does not shrink any more, or after three
  // kernels. If the last range still has vectors that need clamping, its
  // threads clamp their indices.
  for (int step = 0; step < 3; ++step) {
    std::optional<InsideVectors> inside =
        measure(op, tile, /*interiors=*/{}, HUGE_VAL).inside;
    if (!inside)
      break;
    tile.mode = *inside;
    if (!findTileProblem(op, tile).empty())
      return std::nullopt;
  }
  return tile.getInside() ? std::optional(tile) : std::nullopt;
}

/// Returns the cycles in which a device executes `counted` operations of a
/// kernel's IR. Drivers fold some of these operations (cost::countedOps).
static double getTimeOfOps(double counted, const DeviceSpeed &device) {
  return counted / cost::countedOps / device.getOpsPerCycle();
}

/// Returns the cycles in which memory transfers the bytes of a kernel.
static double getTimeOfMemory(const Traffic &traffic,
                              const DeviceSpeed &device) {
  return static_cast<double>(traffic.bytes) * device.getCyclesPerByte();
}

/// Returns how many times as long operations take with `tile` as on a fully
/// occupied device. `independent` operations of a thread occupy the device as
/// well as those of as many threads.
static double getProlongation(linalg::GenericOp op, const MapTile &tile,
                              const DeviceSpeed &device,
                              int64_t independent = 1) {
  return std::max(
      1.0, static_cast<double>(device.getEnoughThreads()) /
               static_cast<double>(getNumThreads(op, tile) * independent));
}

/// Returns `tile`, which has one vector for each thread, or a tile with
/// narrower vectors if `tile` has too few threads to occupy the device, and the
/// time of their operations falls noticeably. For example, 1152x7x7 elements of
/// f16 have 7,056 threads of 8 elements, or 56,448 threads of one element. The
/// kernel of a depthwise convolution with windows of 5x5 takes 12.0 us on an
/// H200 with the former, and 5.2 us with the latter.
static MapTile getOccupyingTile(linalg::GenericOp op, MapTile tile,
                                const Traffic &traffic,
                                const DeviceSpeed &device) {
  auto getTime = [&](const MapTile &tile) {
    KernelCost cost = measure(op, tile, /*interiors=*/{}, HUGE_VAL);
    return std::max(getTimeOfMemory(traffic, device),
                    getTimeOfOps(cost.general, device) *
                        getProlongation(op, tile, device));
  };
  std::optional<double> time;
  while (getProlongation(op, tile, device) > 1) {
    std::optional<MapTile> narrower = getNarrower(op, tile);
    if (!narrower)
      break;
    if (!time)
      time = getTime(tile);
    double ofNarrower = getTime(*narrower);
    if (ofNarrower > cost::map::share::narrower * *time ||
        *time - ofNarrower < cost::map::share::gained * device.kernelCycles)
      break;
    tile = *narrower;
    time = ofNarrower;
  }
  return tile;
}

/// Returns the time of a kernel's operations and of its loads of single
/// elements, relative to the time in which memory transfers the kernel's bytes.
/// If the result is far below 1, memory limits the kernel, and fewer operations
/// would not make it faster.
static double getLoadedShare(const KernelCost &cost, const MapTile &tile,
                             const Traffic &traffic,
                             const DeviceSpeed &device) {
  double ofLoads = cost.loads * cost::getOpsPerLoadedByte(device) *
                   static_cast<double>(tile.vectorBytes) /
                   device.getOpsPerCycle();
  return (getTimeOfOps(cost.average, device) + ofLoads) /
         getTimeOfMemory(traffic, device);
}

/// Returns `tile` with several steps for each thread, which computes one vector
/// in each step, if the time to start threads would otherwise limit the kernel.
/// Returns `tile` unchanged in three cases:
/// * The body reads the output. A step beyond the end of the output would load
///   the old elements of an earlier vector, which another thread stores.
/// * A thread already computes several rows or consecutive vectors.
/// * The vectors inside of rows have separate threads (isSplit), and operations
///   and loads take so long (`loadedShare`) that they limit the kernel instead.
static MapTile getWithSteps(linalg::GenericOp op, MapTile tile,
                            const RowShape &rows, const Traffic &traffic,
                            const DeviceSpeed &device, double loadedShare) {
  const auto *single = std::get_if<SingleVectors>(&tile.mode);
  if (!single || readsOutput(op) ||
      (single->isSplit && loadedShare >= cost::map::share::loadedOfSteps))
    return tile;
  while (waitsForThreads(op, tile, traffic, device)) {
    SingleVectors next = *single;
    next.steps *= 2;
    MapTile longer = tile;
    longer.mode = next;
    if (next.steps * tile.vectorBytes > cost::map::maxRowBytes ||
        rows.getNumVectors() / next.steps < device.getEnoughThreads() ||
        !fitsThread(op, longer, device))
      break;
    tile = longer;
  }
  return tile;
}

/// If the body divides coordinates by a small odd number, returns a tile whose
/// threads compute several consecutive vectors. For example, the output has 3
/// columns and vectors of 4 elements. The columns of a vector's elements then
/// depend on the thread. But three consecutive vectors are four whole rows, and
/// the columns of their elements are constants.
static std::optional<MapTile> getGroupedTile(linalg::GenericOp op, MapTile tile,
                                             const RowShape &rows,
                                             const DeviceSpeed &device) {
  int64_t vectors = 1;
  auto divideBy = [&](uint64_t divisor) {
    if (divisor == 0)
      return;
    uint64_t odd = divisor >> llvm::countr_zero(divisor);
    if (odd > cost::map::maxGroupedElements)
      return;
    int64_t more = std::lcm(vectors, static_cast<int64_t>(odd));
    if (more * rows.vectorSize <= cost::map::maxGroupedElements &&
        more * tile.vectorBytes * DeviceProfile::workgroupSize <=
            DeviceProfile::workgroupMemory)
      vectors = more;
  };
  int64_t inner = 1;
  auto type = cast<MemRefType>(op.getOutputs().front().getType());
  for (int64_t size : llvm::reverse(type.getShape())) {
    inner *= size;
    if (inner > cost::map::maxGroupedElements)
      break;
    divideBy(size);
  }
  for (Operation &nested : *op.getBody()) {
    APInt divisor;
    if (isa<arith::DivUIOp, arith::RemUIOp>(nested) &&
        nested.getOperand(1).getType().isIndex() &&
        matchPattern(nested.getOperand(1), m_ConstantInt(&divisor)))
      divideBy(divisor.getZExtValue());
  }
  tile.mode = ConsecutiveVectors{vectors};
  if (vectors == 1 || !findTileProblem(op, tile).empty() ||
      rows.getNumVectors() / vectors < device.getEnoughThreads())
    return std::nullopt;
  return tile;
}

namespace {
/// Keeps the best of the tiles that have been measured. A candidate replaces
/// the best tile if its number of operations is at most a given share of the
/// best tile's number of operations.
class Contest {
public:
  /// `considered` receives the tiles that are measured. It may be null.
  Contest(linalg::GenericOp op, const MapTile &first, const DeviceSpeed &device,
          Proposals *considered)
      : op(op), device(device), considered(considered),
        interiors(cost::map::interiorDivergence), tile(first),
        cost(measure(op, first, interiors, HUGE_VAL)), general(cost.general) {
    // Building a cheaper path for threads whose indices need no clamping takes
    // long, and its gain hardly depends on the tile. If the first tile gains
    // nothing by such a path, the other tiles are measured without one.
    if (cost.average >= cost.general)
      interiors = {};
    propose(first, cost);
  }

  /// Returns the best tile so far. Its member `interior` tells which parts of
  /// the kernel have a second, cheaper path for threads whose indices need no
  /// clamping.
  MapTile getBest() const {
    MapTile best = tile;
    best.interior = cost.interior;
    return best;
  }
  const KernelCost &getCost() const { return cost; }

  /// Measures `candidate`, and returns whether the candidate becomes the best
  /// tile. Its average number of operations must be at most `operations` times
  /// that of the best tile so far, and its number of loads at most `loads`
  /// times that of the best tile.
  ///
  /// A kernel may have a second, cheaper path for threads whose indices need no
  /// clamping. Without this path, the candidate must have at most `operations`
  /// times the operations of the first tile. This limit is known before the
  /// candidate is built, so that building can stop as soon as the code is too
  /// long.
  bool enter(const MapTile &candidate, double operations,
             double loads = HUGE_VAL) {
    double maxGeneral = operations * general;
    KernelCost other = measure(op, candidate, interiors, maxGeneral);
    if (other.general > maxGeneral || !fitsThread(op, candidate, device))
      return false;
    propose(candidate, other);
    if (other.average > operations * cost.average ||
        other.loads > loads * cost.loads)
      return false;
    tile = candidate;
    cost = other;
    return true;
  }

private:
  void propose(MapTile candidate, const KernelCost &measured) {
    if (!considered)
      return;
    candidate.interior = measured.interior;
    considered->add({candidate, measured.average});
  }

  linalg::GenericOp op;
  const DeviceSpeed &device;
  Proposals *considered;
  ArrayRef<int64_t> interiors;
  MapTile tile;
  KernelCost cost;
  /// The number of operations of the first tile without a second, cheaper path.
  const double general;
};
} // namespace

/// Adds `tile` with other numbers of steps to `considered`, without estimated
/// times.
static void proposeSteps(linalg::GenericOp op, const MapTile &tile,
                         const DeviceSpeed &device, Proposals &considered) {
  const auto *single = std::get_if<SingleVectors>(&tile.mode);
  if (!single || readsOutput(op))
    return;
  for (int64_t steps : {1, 2, 4, 8}) {
    SingleVectors other = *single;
    other.steps = steps;
    MapTile proposed = tile;
    proposed.mode = other;
    if (findTileProblem(op, proposed).empty() &&
        fitsThread(op, proposed, device))
      considered.add({proposed, /*cycles=*/std::nullopt});
  }
}

/// Returns the best tile. `considered` receives the other tiles. It may be
/// null.
static MapTile chooseTile(linalg::GenericOp op, const DeviceSpeed &device,
                          Proposals *considered) {
  if (std::optional<MapTile> largest = getCrosswiseTile(op, device)) {
    MapTile crosswise = getOccupyingCrosswiseTile(op, *largest, device);
    if (considered) {
      considered->add({crosswise, /*cycles=*/0});
      considered->add({*largest, /*cycles=*/std::nullopt});
      proposeSteps(op, getPlainTile(op), device, *considered);
    }
    return crosswise;
  }
  if (MapTile tile = getPlainTile(op); launchesNewRows(op, tile))
    return tile;
  const Traffic traffic(op);
  const MapTile longest = getLongestTile(op, device);
  const MapTile plain = getOccupyingTile(op, longest, traffic, device);
  if (considered)
    considered->add({longest, /*cycles=*/std::nullopt});
  const RowShape rows =
      RowShape::get(op, plain.vectorBytes * 8 /
                            cast<MemRefType>(op.getOutputs().front().getType())
                                .getElementTypeBitWidth());
  const MapTile first = getFirstTile(op, plain, rows, traffic, device);
  Contest contest(op, first, device, considered);

  if (mayLookInBothRows(op, rows)) {
    MapTile inBothRows = plain;
    inBothRows.mode = SingleVectors{/*steps=*/1, /*inBothRows=*/true};
    contest.enter(inBothRows, cost::map::share::bothRows);
  }

  const double ofMemory = getTimeOfMemory(traffic, device);
  const double ofOps = getTimeOfOps(contest.getCost().average, device);
  bool isBusy = ofOps >= ofMemory / 2;
  bool hasRows = rows.hasSeveralRows() && rows.hasWholeVectors() &&
                 rows.getInsideVectors() > 1;
  if (isBusy ? first.getRows() > 1 : hasRows) {
    std::optional<MapTile> taller = getTaller(rows, first, device);
    // The loop tries twice the rows, and then four times the rows.
    for (int step = 0; step < 2 && taller; ++step) {
      if (!contest.enter(*taller, isBusy ? cost::map::share::tallerWhereBusy
                                         : cost::map::share::tallerWhereIdle))
        break;
      taller = getTaller(rows, *taller, device);
    }
  }

  if (std::optional<MapTile> grouped = getGroupedTile(op, plain, rows, device))
    contest.enter(*grouped, cost::map::share::grouped);

  if (rows.canBeSplit()) {
    MapTile split = plain;
    split.mode = SingleVectors{/*steps=*/1, mayLookInBothRows(op, rows),
                               /*isSplit=*/true};
    contest.enter(split, cost::map::share::split,
                  ofOps >= ofMemory ? HUGE_VAL : cost::map::share::splitLoads);
  }
  auto getShare = [&] {
    return getLoadedShare(contest.getCost(), plain, traffic, device);
  };
  if (hasRows && getShare() >= cost::map::share::loaded)
    if (std::optional<MapTile> parts = getTileOfInside(op, plain))
      contest.enter(*parts, cost::map::share::split,
                    isBusy ? HUGE_VAL : cost::map::share::splitLoads);

  MapTile best =
      getWithSteps(op, contest.getBest(), rows, traffic, device, getShare());
  best.turns = getTurns(op, best, cost::cachedShare * device.cacheBytes);
  if (considered)
    proposeSteps(op, best, device, *considered);
  return best;
}

//===----------------------------------------------------------------------===//
// Bodies with loops
//===----------------------------------------------------------------------===//

namespace {
/// The search for the block of elements that a thread computes in a body with
/// loops. The block determines how often a loaded element is used. For example,
/// one element of a matrix product loads two factors for each product, whereas
/// 4 rows of 4 elements load 8 factors for 16 products.
class BlockSearch {
public:
  /// `considered` receives the tiles of the search. It may be null.
  BlockSearch(linalg::GenericOp op, const DeviceSpeed &device,
              Proposals *considered)
      : op(op), considered(considered),
        type(cast<MemRefType>(op.getOutputs().front().getType())),
        elementBytes(type.getElementTypeBitWidth() / 8), device(device) {}

  MapTile run();

private:
  struct Candidate {
    MapTile tile;
    double time = HUGE_VAL;
  };

  int64_t countElements(const MapTile &tile) const {
    return llvm::product_of(tile.getBlock()->factors) *
           (tile.vectorBytes / elementBytes);
  }
  Candidate consider(const MapTile &tile);
  Candidate grow(Candidate block);

  linalg::GenericOp op;
  Proposals *considered;
  MemRefType type;
  int64_t elementBytes;
  const DeviceSpeed &device;
};
} // namespace

/// Returns `tile` with its estimated time in cycles. The time is that of a
/// fully occupied device, prolonged if the tile has too few threads to occupy
/// the device. The tile is measured without a second, cheaper path for threads
/// whose indices need no clamping. The search assumes that this path saves the
/// same share of the time with each tile, and run() builds it only for the best
/// tile.
BlockSearch::Candidate BlockSearch::consider(const MapTile &tile) {
  KernelCost cost = measure(op, tile, /*interiors=*/{}, HUGE_VAL);
  double time =
      (cost.general + (cost::getOpsPerLoad(device) - 1) * cost.loads) /
      device.getOpsPerCycle();
  int64_t independent =
      std::min(countElements(tile), cost::map::maxIndependent);
  time *= getProlongation(op, tile, device, independent);
  if (considered)
    considered->add({tile, time});
  return {tile, time};
}

/// Doubles the factor of `block` in the dimension in which this saves the most
/// time, and repeats this until no dimension saves enough time.
BlockSearch::Candidate BlockSearch::grow(Candidate block) {
  while (true) {
    Candidate next;
    for (auto [dim, factor] : llvm::enumerate(block.tile.getBlock()->factors)) {
      MapTile larger = block.tile;
      std::get<LoopBlock>(larger.mode).factors[dim] = 2 * factor;
      if (type.getDimSize(dim) % (2 * factor) ||
          countElements(larger) > cost::map::getMaxCarried(device))
        continue;
      Candidate candidate = consider(larger);
      if (candidate.time < next.time)
        next = candidate;
    }
    if (next.time > cost::map::share::largerBlock * block.time)
      return block;
    block = next;
  }
}

MapTile BlockSearch::run() {
  Candidate best;
  for (int64_t bytes = getMaxVectorBytes(op); bytes >= elementBytes;
       bytes /= 2) {
    if (bytes < 4 && bytes != elementBytes)
      continue;
    MapTile unit;
    unit.vectorBytes = bytes;
    unit.mode = LoopBlock{getUnitBlock(op, bytes)};
    Candidate block = grow(consider(unit));
    if (block.time < cost::map::share::largerBlock * best.time)
      best = block;
    // Narrower vectors are tried in two cases. In the first case, a vector is
    // longer than the innermost dimension, as a vector of 4 is for an output of
    // 8 x 6 x 2 elements. Its thread computes elements of several rows, whose
    // indices differ. This takes more operations than a vector of 2 within one
    // row. The smallest block, `unit`, then has fewer than rank - 1 factors. In
    // the second case, the unit block gives too few threads to occupy the
    // device, and narrower vectors give more threads.
    if (static_cast<int64_t>(unit.getBlock()->factors.size()) ==
            type.getRank() - 1 &&
        getNumThreads(op, unit) >= device.getEnoughThreads())
      break;
  }
  best.tile.interior =
      measure(op, best.tile, cost::map::interiorDivergence, HUGE_VAL).interior;
  return best.tile;
}

static MapTile searchTiles(linalg::GenericOp op, const DeviceSpeed &device,
                           Proposals *considered) {
  return TileBuilder::hasLoops(op) ? BlockSearch(op, device, considered).run()
                                   : chooseTile(op, device, considered);
}

MapTile dml::chooseMapTile(linalg::GenericOp op, const DeviceSpeed &device) {
  return searchTiles(op, device, /*considered=*/nullptr);
}

void dml::proposeMapTiles(linalg::GenericOp op, const DeviceSpeed &device,
                          Proposals &proposals) {
  searchTiles(op, device, &proposals);
}
