//===- KernelTimes.cpp - How long kernels of sums take --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/KernelTimes.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/MapCosts.h"
#include "dml/Target/SumCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Bytes of a factor as it is in its buffer.
static int64_t getFactorBytes(const ContractionOperand &operand) {
  for (Operation *nested : operand.slice)
    if (auto load = dyn_cast<memref::LoadOp>(nested))
      return llvm::divideCeil(
          load.getMemRefType().getElementType().getIntOrFloatBitWidth(), 8);
  return sizeof(float);
}

/// The operations that a factor takes when it is loaded: conversions, and the
/// choice between it and padding. Addresses and the conditions of padding are
/// the same for all iterations, mostly.
static double countOpsOfFactor(const ContractionOperand &operand) {
  double operations = 0;
  for (Operation *op : operand.slice)
    if (!isa<memref::LoadOp, arith::ConstantOp>(op) &&
        op->getNumResults() == 1 && !op->getResult(0).getType().isIndex() &&
        !op->getResult(0).getType().isInteger(1))
      operations += cost::getWeight(op);
  return operations / static_cast<double>(operand.factors.size());
}

static FactorTraits getTraits(const ContractionOperand &operand,
                              const FactorStrides &strides) {
  return {strides, operand.size, getFactorBytes(operand),
          countOpsOfFactor(operand), isChosen(operand)};
}

SumTraits SumTraits::get(linalg::GenericOp op, const Contraction &contraction) {
  OperandStrides strides = OperandStrides::get(op, contraction);
  return {getTraits(contraction.rows, strides.rows),
          getTraits(contraction.columns, strides.columns),
          contraction.getTerms(), contraction.batches};
}

/// The bytes that memory brings of the factors of an operand.
static double getBytes(const SumTraits &sums, const FactorTraits &factors) {
  double count = static_cast<double>(factors.size) *
                 static_cast<double>(sums.terms * sums.batches);
  // The windows of neighbouring positions have most elements in common.
  if (factors.isChosen)
    count /= static_cast<double>(factors.strides.terms);
  return count * static_cast<double>(factors.bytes);
}

/// The cycles that memory takes for all factors.
static double getTimeOfMemory(const SumTraits &sums,
                              const DeviceSpeed &device) {
  return (getBytes(sums, sums.rows) + getBytes(sums, sums.columns)) *
         device.getCyclesPerByte();
}

//===----------------------------------------------------------------------===//
// Multiprocessors
//===----------------------------------------------------------------------===//

/// The cycles of `groups` workgroups of `threads` threads, of which each takes
/// so many registers. Those that a multiprocessor has at a time take `getTime`
/// of their number, and of their number on average; the others wait until these
/// have finished.
static double
getTimeOfGroups(double groups, int64_t threads, double registers,
                const DeviceSpeed &device,
                function_ref<double(double most, double average)> getTime) {
  double resident =
      std::max(std::floor(device.registers /
                          (static_cast<double>(threads) *
                           std::min(registers, device.registersOfThread))),
               1.0);
  double ofEach = groups / device.multiprocessors;
  double turns = std::floor(ofEach / resident);
  double rest = ofEach - turns * resident;
  double time = turns > 0 ? turns * getTime(resident, resident) : 0;
  if (turns == 0 || rest > cost::freeWorkgroups)
    time +=
        getTime(std::max(std::ceil(rest - cost::freeWorkgroups), 1.0), rest);
  return time;
}

//===----------------------------------------------------------------------===//
// Kernels with workgroup memory
//===----------------------------------------------------------------------===//

namespace {
/// The cost of an operand for a round of a contraction kernel, in which its
/// factors go to workgroup memory.
struct StagedCost {
  /// Cycles of a multiprocessor.
  double cycles;
  /// Loads of a thread, and registers that these are loaded to.
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
  // A thread loads the factors of so many terms at a vector of positions.
  auto turns = static_cast<double>(llvm::divideCeilSigned(
      positions / side * (tile.terms / together), tile.threads));
  auto getVectors = [&](int64_t neighbours) {
    return llvm::divideCeilSigned(neighbours * factors.bytes,
                                  DeviceProfile::vectorBytes);
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
  return {count * cost::contraction::getStagedFactorCycles(device) *
              (isScattered ? cost::contraction::scatteredFactors : 1),
          turns * static_cast<double>(loads),
          turns * static_cast<double>(side * together)};
}

double dml::getTime(const SumTraits &sums, const ContractionTile &tile,
                    const DeviceSpeed &device) {
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
  // A thread multiplies vectors from workgroup memory, which it loads.
  double terms = static_cast<double>(tile.terms) / tile.slices;
  auto sumsOfThread = static_cast<double>(block.rows * block.columns);
  double vectors =
      static_cast<double>(block.rows + block.columns) / ThreadBlock::side;
  double products =
      terms * sumsOfThread * tile.threads / DeviceSpeed::opsPerCycle;
  double loaded = terms * vectors * tile.threads *
                  cost::contraction::getVectorCycles(device);
  double adding = cost::sums::timesOfProducts * std::max(products, loaded) +
                  cost::contraction::getBarrierCycles(device);
  double staged = rows.cycles + columns.cycles;
  double alone =
      products + cost::contraction::getRoundCycles(device) +
      cost::contraction::getLoadCycles(device) * (rows.loads + columns.loads);
  double registers = sumsOfThread + rows.registers + columns.registers +
                     cost::contraction::otherRegisters;
  return device.kernelCycles + getTimeOfMemory(sums, device) +
         getTimeOfGroups(groups, tile.threads, registers, device,
                         [&](double most, double average) {
                           return rounds * std::max({most * adding,
                                                     average * staged, alone});
                         });
}

//===----------------------------------------------------------------------===//
// Map kernels
//===----------------------------------------------------------------------===//

double dml::getMapTime(linalg::GenericOp op, const Contraction &contraction,
                       const SumTraits &traits, const DeviceSpeed &device) {
  double sums = static_cast<double>(contraction.rows.size) *
                static_cast<double>(contraction.columns.size) *
                static_cast<double>(contraction.batches);
  // Vectors are no longer than what divides rows.
  int64_t innermost =
      cast<MemRefType>(op.getOutputs().front().getType()).getShape().back();
  auto lanes = static_cast<double>(std::gcd(innermost, ThreadBlock::side));
  double loads = cost::map_sums::loadsOfTerm * ThreadBlock::side / lanes;
  double time = 1 + cost::getOpsPerLoad(device) * loads / cost::map::maxCarried;
  double busy = time * static_cast<double>(contraction.getTerms()) *
                std::max(sums, static_cast<double>(device.getEnoughThreads())) /
                device.getOpsPerCycle();
  double ofStep =
      std::min(cost::map_sums::getTermCycles(device) *
                   static_cast<double>(contraction.getTermsOfStep()),
               cost::map_sums::getMaxIterationCycles(device));
  return device.kernelCycles + getTimeOfMemory(traits, device) +
         std::max(busy, ofStep * static_cast<double>(contraction.steps));
}

//===----------------------------------------------------------------------===//
// Sliced kernels
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
static double countLines(Spread inner, Spread outer, double width,
                         const DeviceSpeed &device) {
  if (inner.apart > outer.apart)
    std::swap(inner, outer);
  double lines = 1;
  for (Spread spread : {inner, outer}) {
    auto count = static_cast<double>(spread.count);
    double span = (count - 1) * static_cast<double>(spread.apart) + width;
    lines = std::min(count * lines, std::ceil(span / device.cacheLineBytes));
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
                                bool areColumns, bool isAlong,
                                const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  int64_t threadsTogether = profile.getThreadsTogether();
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
  nearer.count = std::min(nearer.count, threadsTogether);
  farther.count = threadsTogether / nearer.count;
  double lines = countLines(slices, columns, width, device);
  double groups = static_cast<double>(DeviceProfile::workgroupSize) /
                  static_cast<double>(threadsTogether);
  result.cycles = groups * result.loads *
                  std::max({cost::sliced::shareOfTouchedLine * lines,
                            cost::sliced::linesOfLoad,
                            width * static_cast<double>(threadsTogether) /
                                device.cacheLineBytes}) *
                  cost::sliced::getLineCycles(device);
  return result;
}

double dml::getTime(const SumTraits &sums, const SliceTile &tile,
                    const DeviceProfile &profile) {
  constexpr int64_t threads = DeviceProfile::workgroupSize;
  const DeviceSpeed &device = profile.getSpeed();
  bool isAlong = sums.isAlong();
  FactorCost rows = getFactorCost(sums.rows, tile, tile.rows,
                                  /*areColumns=*/false, isAlong, profile),
             columns = getFactorCost(sums.columns, tile, tile.columns,
                                     /*areColumns=*/true, isAlong, profile);
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
  double busy = std::max(cost::sums::timesOfProducts * operations, cycles);
  double alone = cost::sliced::getRoundCycles(device) + operations + cycles;
  double last = cost::sliced::getEndCycles(device) +
                cost::sliced::getJoinedSumCycles(device) * sumsOfThread;
  // Drivers load some vectors ahead, and all factors that are no vectors.
  double ahead = std::min(times * (rows.ofVectors + columns.ofVectors),
                          cost::sliced::registersAhead + sumsOfThread / 2);
  double registers = sumsOfThread + ahead +
                     times * (rows.ofSingles + columns.ofSingles) +
                     cost::sliced::otherRegisters;
  double together = 1;
  double time = getTimeOfGroups(
      groups, threads, registers, device, [&](double most, double) {
        together = std::max(together, most);
        return rounds * std::max(most * busy, alone) + most * last;
      });
  // All threads begin together, and add up when memory has brought what they
  // wait for.
  double memory = (getBytes(sums, sums.rows) +
                   getBytes(sums, sums.columns) *
                       (1 + cost::sliced::shareOfCache *
                                static_cast<double>(rowTiles - 1))) *
                  device.getCyclesPerByte();
  memory *=
      cost::sliced::shareOfMemory * (1 + cost::sliced::memoryOfOne / together);
  int64_t sideBySide = columnsOfGroup * sums.columns.bytes;
  if (!isAlong && static_cast<double>(sideBySide) <
                      cost::sectorsTogether * device.sectorBytes)
    memory *= cost::sliced::memoryOfPieces;
  return device.kernelCycles + memory + time;
}
