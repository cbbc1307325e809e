//===- MapTiles.cpp - What a thread of a map kernel computes --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The candidates are few. Each is built, and the operations that its threads
// would run are counted; nothing stays of a candidate but the attribute that
// states the one which was taken.
//
//===----------------------------------------------------------------------===//

#include "Selection/MapTiles.h"
#include "Emit/TileBuilder.h"
#include "Kernels/MapKernel.h"
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
// Bodies without loops
//===----------------------------------------------------------------------===//

namespace {
/// The traffic of a body without loops: what it reads and writes.
struct Traffic {
  explicit Traffic(linalg::GenericOp op);

  /// The bytes that are read and written, each once.
  int64_t bytes;
  /// Loads of the body.
  int64_t loads = 0;
  /// How often an element of the inputs is read, on average.
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

/// `tile` with twice the rows, if that leaves enough threads. The rows of a
/// thread lie in one plane.
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

/// Whether threads of `tile` move so few bytes that memory waits for the device
/// to start others.
static bool waitsForThreads(linalg::GenericOp op, const MapTile &tile,
                            const Traffic &traffic, const DeviceSpeed &device) {
  return static_cast<double>(traffic.bytes) <
         device.bytesPerThread * static_cast<double>(getNumThreads(op, tile));
}

/// Elements that read many others share them with their neighbours: a thread
/// then computes two rows of them, where rows hold whole vectors. So it does
/// where threads of one row move few bytes.
static MapTile getFirstTile(linalg::GenericOp op, const RowShape &rows,
                            const Traffic &traffic, const DeviceSpeed &device) {
  MapTile tile = getPlainTile(op);
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
  return tile;
}

/// The tile of threads of two kinds, where vectors at the borders of rows,
/// whose elements are clamped each, would part nearly all groups of threads.
static std::optional<MapTile> getTileOfInside(linalg::GenericOp op) {
  MapTile tile = getPlainTile(op);
  // Among the vectors inside, comparisons may still be undecided. Each step
  // keeps those of them for which they are decided.
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

/// Returns the cycles of the operations of a kernel, as a device runs them.
static double getTimeOfOps(double counted, const DeviceSpeed &device) {
  return counted / cost::countedOps / device.getOpsPerCycle();
}

/// Returns the cycles in which memory moves the bytes of a kernel.
static double getTimeOfMemory(const Traffic &traffic,
                              const DeviceSpeed &device) {
  return static_cast<double>(traffic.bytes) * device.getCyclesPerByte();
}

/// Returns the time of operations and of loads of single elements, as a share
/// of the time in which memory moves the bytes.
static double getLoadedShare(const KernelCost &cost, const MapTile &tile,
                             const Traffic &traffic,
                             const DeviceSpeed &device) {
  double ofLoads = cost.loads * cost::getOpsPerLoadedByte(device) *
                   static_cast<double>(tile.vectorBytes) /
                   device.getOpsPerCycle();
  return (getTimeOfOps(cost.average, device) + ofLoads) /
         getTimeOfMemory(traffic, device);
}

/// Gives `tile` as many steps as its threads need to move enough bytes. It
/// keeps its one step if it has several rows or groups of vectors, or if it has
/// threads of two kinds that are busy with what they compute and load.
static MapTile getWithSteps(linalg::GenericOp op, MapTile tile,
                            const RowShape &rows, const Traffic &traffic,
                            const DeviceSpeed &device, double loadedShare) {
  const auto *single = std::get_if<SingleVectors>(&tile.mode);
  if (!single ||
      (single->isSplit && loadedShare >= cost::map::share::loadedOfSteps))
    return tile;
  while (waitsForThreads(op, tile, traffic, device)) {
    SingleVectors next = *single;
    next.steps *= 2;
    if (next.steps * tile.vectorBytes > cost::map::maxRowBytes ||
        rows.getNumVectors() / next.steps < device.getEnoughThreads())
      break;
    tile.mode = next;
  }
  return tile;
}

/// Where a small odd number divides coordinates, those of a vector's elements
/// share little; those of as many consecutive vectors differ by constants. With
/// 3 columns and vectors of 4, three vectors are four whole rows.
static std::optional<MapTile> getGroupedTile(linalg::GenericOp op,
                                             const RowShape &rows,
                                             const DeviceSpeed &device) {
  MapTile tile = getPlainTile(op);
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
/// The best tile of those that were measured. A candidate is taken that has no
/// more than a share of the operations of the best so far.
class Contest {
public:
  Contest(linalg::GenericOp op, const MapTile &first)
      : op(op), interiors(cost::map::interiorDivergence), tile(first),
        cost(measure(op, first, interiors, HUGE_VAL)), general(cost.general) {
    // It takes long to find out whether a second path pays, and depends little
    // on the tile.
    if (cost.average >= cost.general)
      interiors = {};
  }

  /// The best tile so far, with its second paths.
  MapTile getBest() const {
    MapTile best = tile;
    best.interior = cost.interior;
    return best;
  }
  const KernelCost &getCost() const { return cost; }

  /// Whether `candidate` is taken: it has `operations` of those of the best on
  /// average, and of the first tile's without a second path, and `loads` of the
  /// best's loads. (What has more without a second path is not built to its
  /// end.)
  bool enter(const MapTile &candidate, double operations,
             double loads = HUGE_VAL) {
    double maxGeneral = operations * general;
    KernelCost other = measure(op, candidate, interiors, maxGeneral);
    if (other.general > maxGeneral ||
        other.average > operations * cost.average ||
        other.loads > loads * cost.loads)
      return false;
    tile = candidate;
    cost = other;
    return true;
  }

private:
  linalg::GenericOp op;
  ArrayRef<int64_t> interiors;
  MapTile tile;
  KernelCost cost;
  /// The operations of the first tile without a second path.
  const double general;
};
} // namespace

static MapTile chooseTile(linalg::GenericOp op, const DeviceSpeed &device) {
  if (std::optional<MapTile> crosswise = getCrosswiseTile(op, device))
    return *crosswise;
  const MapTile plain = getPlainTile(op);
  const RowShape rows =
      RowShape::get(op, plain.vectorBytes * 8 /
                            cast<MemRefType>(op.getOutputs().front().getType())
                                .getElementTypeBitWidth());
  const Traffic traffic(op);
  const MapTile first = getFirstTile(op, rows, traffic, device);
  Contest contest(op, first);

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
    // Twice as many rows, and as many again.
    for (int step = 0; step < 2 && taller; ++step) {
      if (!contest.enter(*taller, isBusy ? cost::map::share::tallerWhereBusy
                                         : cost::map::share::tallerWhereIdle))
        break;
      taller = getTaller(rows, *taller, device);
    }
  }

  if (std::optional<MapTile> grouped = getGroupedTile(op, rows, device))
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
    if (std::optional<MapTile> parts = getTileOfInside(op))
      contest.enter(*parts, cost::map::share::split,
                    isBusy ? HUGE_VAL : cost::map::share::splitLoads);

  MapTile best =
      getWithSteps(op, contest.getBest(), rows, traffic, device, getShare());
  best.turns = getTurns(op, best, cost::cachedShare * device.cacheBytes);
  return best;
}

//===----------------------------------------------------------------------===//
// Bodies with loops
//===----------------------------------------------------------------------===//

/// Chooses which elements of a body with loops a thread has, which decides how
/// often what they load is used. One element of a matrix product takes two
/// loads for each product; 4 rows of 4 elements, one eighth of that. Begins
/// with one vector, and doubles the block in the dimension that gains most
/// until none gains.
static MapTile chooseBlock(linalg::GenericOp op, const DeviceSpeed &device) {
  struct Candidate {
    MapTile tile;
    double time = HUGE_VAL;
  } best;
  auto type = cast<MemRefType>(op.getOutputs().front().getType());
  int64_t elementBytes = type.getElementTypeBitWidth() / 8;
  auto countElements = [&](const MapTile &tile) {
    return llvm::product_of(tile.getBlock()->factors) *
           (tile.vectorBytes / elementBytes);
  };
  // The cycles that a tile takes on a filled device. A second path is no other
  // for each tile.
  auto consider = [&](const MapTile &tile) -> Candidate {
    KernelCost cost = measure(op, tile, /*interiors=*/{}, HUGE_VAL);
    double time =
        (cost.general + (cost::getOpsPerLoad(device) - 1) * cost.loads) /
        device.getOpsPerCycle();
    int64_t independent =
        std::min(countElements(tile), cost::map::maxIndependent);
    return {tile,
            time *
                std::max(1.0, static_cast<double>(device.getEnoughThreads()) /
                                  static_cast<double>(getNumThreads(op, tile) *
                                                      independent))};
  };
  for (int64_t bytes = getMaxVectorBytes(op); bytes >= elementBytes;
       bytes /= 2) {
    if (bytes < 4 && bytes != elementBytes)
      continue;
    MapTile unit;
    unit.vectorBytes = bytes;
    unit.mode = LoopBlock{getUnitBlock(op, bytes)};
    Candidate vector = consider(unit);
    while (true) {
      Candidate next;
      for (auto [dim, factor] :
           llvm::enumerate(vector.tile.getBlock()->factors)) {
        MapTile larger = vector.tile;
        std::get<LoopBlock>(larger.mode).factors[dim] = 2 * factor;
        if (type.getDimSize(dim) % (2 * factor) ||
            countElements(larger) > cost::map::maxCarried)
          continue;
        Candidate candidate = consider(larger);
        if (candidate.time < next.time)
          next = candidate;
      }
      if (next.time > cost::map::share::largerBlock * vector.time)
        break;
      vector = next;
    }
    if (vector.time < cost::map::share::largerBlock * best.time)
      best = vector;
    // Narrower vectors are for rows that are no whole vectors, and for more
    // threads.
    if (static_cast<int64_t>(unit.getBlock()->factors.size()) ==
            type.getRank() - 1 &&
        getNumThreads(op, unit) >= device.getEnoughThreads())
      break;
  }
  best.tile.interior =
      measure(op, best.tile, cost::map::interiorDivergence, HUGE_VAL).interior;
  return best.tile;
}

MapTile dml::chooseMapTile(linalg::GenericOp op, const DeviceSpeed &device) {
  return TileBuilder::hasLoops(op) ? chooseBlock(op, device)
                                   : chooseTile(op, device);
}
