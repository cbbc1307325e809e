//===- SlicedKind.cpp - When threads share out sums -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/SlicedKernel.h"
#include "Selection/KernelKinds.h"
#include "Selection/SumTraits.h"
#include "dml/Target/CostModel.h"
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
/// The addresses of loads: `count` threads, or groups of threads, load at
/// addresses that are `apart` bytes apart. 16 threads that load neighbouring
/// f32 numbers have the spread {16, 4}.
struct Spread {
  int64_t count;
  double apart;
};
} // namespace

/// Returns the number of lines of the L1 cache that a subgroup touches when
/// each of its threads loads `width` bytes. The threads form groups: `inner` is
/// the spread of the threads within a group, and `outer` the spread of the
/// groups. With 4 groups of 8 threads, `inner` {8, 4} and `outer` {4, 1024},
/// each group touches one line of 128 bytes, and the subgroup 4 lines.
static double countLines(Spread inner, Spread outer, double width,
                         const DeviceSpeed &device) {
  if (inner.apart > outer.apart)
    std::swap(inner, outer);
  double lines = 1;
  for (Spread spread : {inner, outer}) {
    auto count = static_cast<double>(spread.count);
    double span = (count - 1) * spread.apart + width;
    lines = std::min(count * lines, std::ceil(span / device.cacheLineBytes));
    width = span;
  }
  return std::max(lines, 1.0);
}

namespace {
/// The cost of the factors of one operand that a thread of a sliced kernel
/// loads for `SliceTile::terms` neighbouring terms.
struct FactorCost {
  /// The number of operations of the thread.
  double operations;
  /// The number of loads of the thread, of vectors or of single factors.
  double loads;
  /// The number of registers for loaded vectors, and for factors that are
  /// loaded one by one. Drivers move all loads of single factors ahead of their
  /// uses, but only a limited number of loads of vectors. The numbers are
  /// therefore separate.
  double ofVectors = 0, ofSingles = 0;
  /// The number of registers for words of 4-bit factors, and for the scales and
  /// zero points of these factors. Drivers load all of them ahead.
  double ofWords = 0;
  /// The number of registers that a driver's compiler needs if it keeps the
  /// order of the program (DeviceSpeed::computesInOrder). They hold all factors
  /// of a round, and the values from which these factors are computed.
  double inOrder = 0;
  /// The number of selections between an element and padding. Their conditions
  /// do not change between iterations, so that such a compiler keeps them.
  double conditions = 0;
  /// The cycles in which the L1 cache serves the loads of a workgroup.
  double cycles;
};
} // namespace

static FactorCost getFactorCost(const FactorTraits &factors,
                                const SliceTile &tile, int64_t positions,
                                bool areColumns, bool isAlong,
                                const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  int64_t threadsTogether = profile.getThreadsTogether();
  int64_t ofVector =
      std::max<int64_t>(8 * DeviceProfile::vectorBytes / factors.bits, 1);
  int64_t stepTerms = factors.strides.terms;
  // Neighbouring factors are loaded as a vector if they are always neighbours
  // in memory.
  int64_t together = 1;
  if (!factors.isChosen && factors.size % positions == 0) {
    if (factors.strides.ofStep == stepTerms)
      together = std::gcd(tile.terms, ofVector);
    else if (areColumns && factors.strides.ofPosition == 1)
      together = std::gcd(positions / factors.sums, ofVector);
  }
  auto count = static_cast<double>(positions * tile.terms);
  double width = factors.getBytes(together);
  FactorCost result;
  result.loads = count / static_cast<double>(together);
  (together > 1 ? result.ofVectors : result.ofSingles) =
      result.loads * std::ceil(width / sizeof(float));
  // The kernel loads and converts the factors of `times` groups of terms before
  // it multiplies those of the first group, so that registers hold the factors
  // of all groups. Factors that need no conversion are an exception: compilers
  // load these factors one group after the other.
  auto times = static_cast<double>(tile.times);
  result.inOrder = count * (factors.operations > 0 ? times : 1);
  if (factors.numPerWord > 0) {
    // Words, and the scales and zero points of the factors in them.
    double loaded = static_cast<double>(positions) *
                    (static_cast<double>(tile.terms) /
                         static_cast<double>(factors.numPerWord) +
                     static_cast<double>(factors.sharedLoads));
    result.inOrder = times * loaded + static_cast<double>(factors.numPerWord);
    if (factors.bits < 8)
      result.ofWords = cost::sliced::registersOfWord * loaded;
  }
  if (factors.isChosen) {
    result.inOrder *= 1 + cost::sliced::registersOfChoice;
    result.conditions = static_cast<double>(positions * stepTerms);
  }
  result.inOrder +=
      times * static_cast<double>(tile.terms) * factors.otherLoads;
  // Neighbouring quantized factors share a scale and a zero point.
  auto shared = static_cast<double>(positions * factors.sharedLoads);
  result.operations = count * factors.operations + result.loads +
                      shared * cost::sums::opsOfScale;

  int64_t threadColumns = DeviceProfile::workgroupSize / tile.slices;
  int64_t steps = tile.terms / stepTerms;
  Spread slices{tile.slices,
                factors.getBytes(steps * factors.strides.ofStep.value_or(0))};
  Spread columns{threadColumns, 0};
  if (areColumns)
    columns.apart =
        factors.getBytes(positions * factors.strides.ofPosition.value_or(1));
  if (tile.together > 0)
    slices.count = tile.together;
  // Threads with consecutive numbers belong to one subgroup.
  Spread &nearer = isAlong ? slices : columns,
         &farther = isAlong ? columns : slices;
  nearer.count = std::min(nearer.count, threadsTogether);
  farther.count = threadsTogether / nearer.count;
  double lines = countLines(slices, columns, width, device);
  double groups = static_cast<double>(DeviceProfile::workgroupSize) /
                  static_cast<double>(threadsTogether);
  // If the columns are quantized, most loads have 16 bytes in each thread. The
  // L1 cache then takes the longer of two times. The first is the time of a
  // whole line for each line that a load touches. The second is timesOfWideLoad
  // times the time of as many whole lines as the load has bytes.
  bool isQuantized = tile.together > 0;
  double loaded = width * static_cast<double>(threadsTogether) /
                  device.cacheLineBytes *
                  (isQuantized ? cost::sliced::timesOfWideLoad : 1);
  double touched = (isQuantized ? 1 : cost::sliced::shareOfTouchedLine) * lines;
  double linesOfLoads =
      result.loads * std::max({touched, cost::sliced::linesOfLoad, loaded}) +
      shared * cost::sliced::linesOfLoad;
  result.cycles = groups * linesOfLoads * cost::sliced::getLineCycles(device);
  return result;
}

/// Returns the estimated number of registers of a thread of `tile`.
static double countRegisters(const SliceTile &tile, const FactorCost &rows,
                             const FactorCost &columns,
                             const DeviceSpeed &device) {
  auto sums = static_cast<double>(tile.rows * tile.columns),
       times = static_cast<double>(tile.times);
  if (device.computesInOrder != 0)
    return sums + rows.inOrder + columns.inOrder + cost::sliced::otherRegisters;
  // If a tile has one row, drivers load words ahead of everything else, and the
  // row's factors only when these are multiplied by the factors of a word.
  if (columns.ofWords > 0 && tile.rows == 1)
    return sums + times * columns.ofWords + cost::sliced::otherRegisters;
  // A factor that is loaded ahead of its use holds a register until then.
  // Drivers move all loads of single factors ahead, and loads of vectors
  // (FactorCost::ofVectors) as far as registers are left for them.
  double ahead = std::min(times * (rows.ofVectors + columns.ofVectors),
                          cost::sliced::registersAhead + sums / 2);
  return sums + ahead + times * (rows.ofSingles + columns.ofSingles) +
         cost::sliced::otherRegisters;
}

/// Returns the number of columns of a workgroup.
static int64_t getColumnsOfGroup(const SliceTile &tile) {
  return DeviceProfile::workgroupSize / tile.slices * tile.columns;
}

/// Returns the cycles in which memory transfers the factors, if a
/// multiprocessor has `together` workgroups at a time. `isRead` is true if the
/// kernel does little else than read its columns. With a staged row
/// (`isStaged`), threads load the words of the next round ahead.
static double getMemoryTime(const SumTraits &sums, const SliceTile &tile,
                            double together, bool isRead, bool isStaged,
                            const DeviceSpeed &device) {
  int64_t rowTiles = llvm::divideCeilSigned(sums.rows.size, tile.rows);
  double bytes =
      getFactorBytes(sums, sums.rows) +
      getFactorBytes(sums, sums.columns) *
          (1 + cost::sliced::shareOfCache * static_cast<double>(rowTiles - 1));
  double ofOne = isRead && !isStaged ? cost::sliced::memoryOfOneRead
                                     : cost::sliced::memoryOfOne;
  double time = bytes * device.getCyclesPerByte() *
                cost::sliced::shareOfMemory * (1 + ofOne / together);
  // The number of neighbouring factors that threads load together.
  int64_t ofPiece = 0;
  if (!sums.isAlong())
    ofPiece = getColumnsOfGroup(tile) / sums.columns.sums;
  else if (isRead)
    ofPiece = tile.together * tile.terms;
  if (ofPiece > 0 && sums.columns.getBytes(ofPiece) <
                         cost::sectorsTogether * device.sectorBytes)
    time *= cost::sliced::memoryOfPieces;
  return time;
}

/// Returns the cycles of a sliced kernel with `tile`, or nothing if its threads
/// need more registers than a thread can have. `isStaged` is true if the kernel
/// stages its row (isRowStaged()).
static std::optional<double> getSlicedTime(const SumTraits &sums,
                                           const SliceTile &tile, bool isStaged,
                                           const DeviceProfile &profile) {
  constexpr int64_t threads = DeviceProfile::workgroupSize;
  const DeviceSpeed &device = profile.getSpeed();
  bool isAlong = sums.isAlong();
  FactorCost rows = getFactorCost(sums.rows, tile, tile.rows,
                                  /*areColumns=*/false, isAlong, profile),
             columns = getFactorCost(sums.columns, tile, tile.columns,
                                     /*areColumns=*/true, isAlong, profile);
  double registers = countRegisters(tile, rows, columns, device) +
                     (isStaged ? cost::sliced::registersOfStaged : 0);
  if (!fitsThread(registers, device) ||
      (device.computesInOrder != 0 &&
       rows.conditions + columns.conditions > cost::sliced::maxConditions))
    return std::nullopt;
  int64_t columnsOfGroup = getColumnsOfGroup(tile);
  int64_t rowTiles = llvm::divideCeilSigned(sums.rows.size, tile.rows);
  auto groups = static_cast<double>(
      rowTiles * llvm::divideCeilSigned(sums.columns.size, columnsOfGroup) *
      sums.batches);
  auto rounds = static_cast<double>(llvm::divideCeilSigned(
      sums.terms, tile.terms * tile.times * tile.slices));
  auto sumsOfThread = static_cast<double>(tile.rows * tile.columns),
       times = static_cast<double>(tile.times);
  auto terms = static_cast<double>(tile.terms);
  double ofRow =
      isStaged ? cost::sliced::opsOfStagedFactor * terms : rows.operations;
  double operations =
      times * (terms * sumsOfThread + ofRow + columns.operations);
  double cycles = times * (rows.cycles + columns.cycles);
  double busy = std::max(cost::sums::timesOfProducts * operations, cycles),
         work = operations + cycles, waits = cost::sliced::waitsOfRound,
         barriers = cost::sliced::barriersOfEnd;
  if (isStaged) {
    busy = work = cost::sliced::timesOfStaged * operations;
    waits = cost::sliced::waitsOfStagedRound;
    barriers = cost::sliced::barriersOfStagedEnd;
  }
  double alone = waits * device.firstCacheCycles + work;
  double last = barriers * device.barrierCycles +
                cost::sliced::getJoinedSumCycles(device) * sumsOfThread;
  double together = 1;
  // The workgroup memory in which the slices are added up gets its size later,
  // so that only registers limit the occupancy here.
  double time = getTimeOfGroups(
      groups, getResources(threads, registers, /*vectors=*/0, device), device,
      [&](double most, double) {
        together = std::max(together, most);
        return rounds * std::max(most * busy, alone) + most * last;
      });
  // A row times columns of 4-bit numbers is little more than a read of these
  // columns. With several rows, the products of a word take longer than its
  // load.
  bool isRead = columns.ofWords > 0 && sums.rows.size == 1;
  double memory = getMemoryTime(sums, tile, together, isRead, isStaged, device);
  // The first workgroups start at the same time, wait for memory, and add up
  // their products afterwards, so that neither time hides the other. In a read,
  // later workgroups load while earlier ones add up their products: with four
  // times as many workgroups as the device takes at once, a quarter of the
  // shorter time is added to the longer one.
  double waves =
      isRead ? std::max(groups / (device.multiprocessors * together), 1.0) : 1;
  return device.kernelCycles + std::max(memory, time) +
         std::min(memory, time) / waves;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Returns the number of operations that compute factors in the unrolled loop
/// of a thread of `tile`.
static double countFactorOps(const Contraction &contraction,
                             const FactorTraits &columns,
                             const SliceTile &tile) {
  auto terms = static_cast<double>(tile.terms * tile.times);
  double steps = terms / static_cast<double>(contraction.getTermsOfStep());
  double ofColumns =
      static_cast<double>(tile.columns) *
      (columns.numPerWord > 0
           ? terms * columns.operations
           : steps * static_cast<double>(contraction.columns.slice.size()) /
                 static_cast<double>(contraction.sums));
  return steps * static_cast<double>(tile.rows) *
             static_cast<double>(contraction.rows.slice.size()) +
         ofColumns;
}

namespace {
/// The search for the fastest sliced kernel.
class SliceSearch {
public:
  SliceSearch(const KernelQuery &query)
      : query(query), contraction(*query.contraction),
        traits(SumTraits::get(query)) {}

  void run(Proposals &proposals);

private:
  SmallVector<int64_t> getTermsOfThread() const;
  int64_t getThreadsTogether(int64_t slices) const;
  void consider(const SliceTile &tile, Proposals &proposals);

  const KernelQuery &query;
  const Contraction &contraction;
  const SumTraits traits;
};
} // namespace

void SliceSearch::consider(const SliceTile &tile, Proposals &proposals) {
  int64_t ofRound = tile.terms * tile.times * tile.slices;
  SliceTile single = tile;
  single.times = 1;
  bool isStaged =
      traits.isAlong() && isRowStaged(contraction, single,
                                      traits.columns.numPerWord, query.profile);
  // A kernel with a staged row loads the words of a round ahead, and gains
  // nothing from several groups of terms in a round.
  if (isStaged && (tile.times > 1 ||
                   tile.columns * tile.terms > cost::sliced::maxStagedProducts))
    return;
  if ((tile.times > 1 && ofRound > contraction.getTerms()) ||
      tile.rows * tile.columns * tile.terms * tile.times >
          cost::sliced::maxProducts ||
      countFactorOps(contraction, traits.columns, tile) >
          cost::sliced::maxFactorOps ||
      !findTileProblem(contraction, tile).empty())
    return;
  // If neighbouring terms are not neighbours in memory, neighbouring columns
  // must give the threads of a workgroup at least a sector of neighbouring
  // bytes to load.
  if (!traits.isAlong() &&
      traits.columns.getBytes(getColumnsOfGroup(tile) / traits.columns.sums) <
          query.profile.getSpeed().sectorBytes)
    return;
  if (std::optional<double> time =
          getSlicedTime(traits, tile, isStaged, query.profile))
    proposals.add({tile, time});
}

/// Returns the number of consecutive threads that load neighbouring terms of
/// the same quantized column, in vectors of 16 bytes. Together they load as
/// many bytes as memory transfers at a time. With 4 bits a number, for example,
/// 4 threads load 64 bytes of a column, and the 32 threads of a subgroup load
/// terms of 8 columns. All columns need the same factors of the rows, which the
/// subgroup then loads from 4 places instead of 32.
///
/// The number is the same if each thread loads less than 16 bytes of the
/// column, since the factors of the rows then take an even larger share of the
/// time. Returns 0 if the columns are not quantized.
int64_t SliceSearch::getThreadsTogether(int64_t slices) const {
  if (!traits.isAlong() || traits.columns.numPerWord == 0)
    return 0;
  double wanted = cost::sectorsTogether * query.profile.getSpeed().sectorBytes;
  int64_t threads = 1;
  while (threads < slices &&
         static_cast<double>(threads * DeviceProfile::vectorBytes) < wanted)
    threads *= 2;
  return threads;
}

/// Returns the numbers of neighbouring terms that the search tries for a
/// thread.
SmallVector<int64_t> SliceSearch::getTermsOfThread() const {
  int64_t ofStep = contraction.getTermsOfStep();
  // If the factors of a column are neighbours in memory from term to term, the
  // thread loads as many terms as one vector of 16 bytes holds, such as 8 of
  // f16. Otherwise, each term takes loads of its own for the columns. More
  // terms at a time then only combine loads of the rows' factors, and the
  // thread loads four terms.
  int64_t terms =
      traits.isAlong()
          ? std::max<int64_t>(
                8 * DeviceProfile::vectorBytes / traits.columns.bits, 1)
          : ThreadBlock::side;
  // Quantized factors are unpacked if the terms of each thread fill words. The
  // search tries threads that load four, two or one words at a time. A thread
  // that loads one word instead of four touches fewer lines of the cache for
  // the rows' factors, but the threads together load more scales.
  SmallVector<int64_t> numbers;
  if (traits.isAlong() && traits.columns.numPerWord > 0)
    for (int64_t words : {4, 2, 1}) {
      int64_t number = words * traits.columns.numPerWord;
      if (number % ofStep == 0 && contraction.getTerms() % number == 0)
        numbers.push_back(number);
    }
  if (numbers.empty())
    numbers.push_back(llvm::divideCeilSigned(terms, ofStep) * ofStep);
  return numbers;
}

void SliceSearch::run(Proposals &proposals) {
  auto sums = static_cast<double>(contraction.rows.size) *
              static_cast<double>(traits.columns.size) *
              static_cast<double>(contraction.batches);
  // A sliced kernel divides the terms of each sum between slices of threads to
  // get more threads. If there are many sums, one thread for each of them
  // already occupies the device. A contraction kernel, whose threads share
  // factors in workgroup memory, is then faster.
  if (contraction.rows.size > cost::sliced::maxRows &&
      sums >= static_cast<double>(query.profile.getSpeed().getEnoughThreads()))
    return;
  SmallVector<int64_t> terms = getTermsOfThread();
  // A tile has no more rows and columns than the output, rounded up to a power
  // of two. Its columns are a multiple of the number of sums of an element: if
  // an element is computed from 3 sums, the search tries 3, 6 and 12 columns.
  for (int64_t rows = 1;
       rows <= cost::sliced::maxRows && rows / 2 < contraction.rows.size;
       rows *= 2)
    for (int64_t columns = contraction.sums;
         rows * columns <= cost::sliced::maxSums &&
         columns / 2 < traits.columns.size;
         columns *= 2)
      for (int64_t slices = 2; slices <= DeviceProfile::workgroupSize / 2;
           slices *= 2)
        for (int64_t times = 1; times <= cost::sliced::maxTimes; times *= 2)
          for (int64_t count : terms)
            consider({rows, columns, slices, count, times,
                      getThreadsTogether(slices)},
                     proposals);
}

//===----------------------------------------------------------------------===//
// The kind
//===----------------------------------------------------------------------===//

namespace {
class SlicedKind : public KernelKindOf<SliceTile> {
  std::string tryBuild(linalg::GenericOp op, const SliceTile &tile,
                       const DeviceProfile &profile) const override {
    std::optional<Contraction> contraction = Contraction::match(op);
    if (!contraction)
      return "stands on no contraction";
    std::string problem = findTileProblem(*contraction, tile);
    if (problem.empty())
      buildSlicedKernel(op, *contraction, tile, profile);
    return problem;
  }

  /// This kind and ContractionKind share the option --contraction-tile. Error
  /// messages take the description of the option from ContractionKind, so that
  /// this kind has none.
  StringRef getOption() const override { return "contraction-tile"; }
  std::optional<KernelTile> parseOption(StringRef text,
                                        MLIRContext *context) const override {
    return parseTile(text, context);
  }

  void proposeFastest(const KernelQuery &query,
                      Proposals &proposals) const override {
    if (query.contraction && query.isOnBuffers() &&
        query.contraction->getTerms() >= cost::contraction::minTerms)
      SliceSearch(query).run(proposals);
  }
  std::optional<Proposal>
  proposeWanted(const KernelQuery &query,
                const SliceTile &wanted) const override {
    if (!query.contraction ||
        !findTileProblem(*query.contraction, wanted).empty())
      return std::nullopt;
    return Proposal::prefer(wanted);
  }
};
} // namespace

const KernelKind &dml::getSlicedKind() {
  static const SlicedKind kind;
  return kind;
}
