//===- SumTraits.cpp - Costs of kernels that compute sums -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/SumTraits.h"
#include "Analysis/QuantizedFactor.h"
#include "Selection/Occupancy.h"
#include "dml/Target/CostModel.h"
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

/// Returns the size in bits of a factor in its buffer.
static int64_t getElementBits(const ContractionOperand &operand) {
  for (Operation *nested : operand.slice)
    if (auto load = dyn_cast<memref::LoadOp>(nested))
      return llvm::alignTo(
          load.getMemRefType().getElementType().getIntOrFloatBitWidth(), 8);
  return 8 * sizeof(float);
}

/// Returns the number of operations that compute a factor from a loaded
/// element: conversions, and the selection between the element and padding.
/// Addresses and conditions of padding do not count, since they usually do not
/// change between iterations of the loop over terms.
static double countOpsOfFactor(const ContractionOperand &operand) {
  double operations = 0;
  for (Operation *op : operand.slice)
    if (!isa<memref::LoadOp, arith::ConstantOp>(op) &&
        op->getNumResults() == 1 && !op->getResult(0).getType().isIndex() &&
        !op->getResult(0).getType().isInteger(1))
      operations += cost::getWeight(op);
  return operations / static_cast<double>(operand.factors.size());
}

/// Returns the average number of loads that compute a factor, without the load
/// of the factor itself.
static double countOtherLoads(const ContractionOperand &operand) {
  auto loads = llvm::count_if(
      operand.slice, [](Operation *op) { return isa<memref::LoadOp>(op); });
  return std::max(static_cast<double>(loads) /
                          static_cast<double>(operand.factors.size()) -
                      1,
                  0.0);
}

/// Returns the number of groups that neighbouring positions of `operand` form
/// in the output of `op` (FactorTraits::groupsOfSide). If the positions are no
/// multiple of 4, each of them is limited to the last one by itself.
static int64_t countGroupsOfSide(linalg::GenericOp op,
                                 const ContractionOperand &operand) {
  constexpr int64_t side = ThreadBlock::side;
  if (operand.size % side)
    return side;
  auto type = cast<ShapedType>(op.getOutputs().front().getType());
  for (int64_t dim : llvm::reverse(operand.dims))
    if (int64_t size = type.getDimSize(dim); size > 1)
      return side / std::gcd(side, size);
  return 1;
}

static FactorTraits getTraits(linalg::GenericOp op,
                              const ContractionOperand &operand,
                              const FactorStrides &strides) {
  FactorTraits traits{strides, operand.size, getElementBits(operand),
                      countOpsOfFactor(operand), isChosen(operand)};
  traits.groupsOfSide = countGroupsOfSide(op, operand);
  SmallVector<QuantizedFactor> quantized = matchQuantizedFactors(operand);
  if (!quantized.empty()) {
    const QuantizedFactor &first = quantized.front();
    traits.bits = first.bits;
    traits.operations = cost::sums::opsOfQuantizedFactor;
    traits.numPerWord = first.getNumPerWord();
    traits.sharedLoads = first.zeroPoint ? 2 : 1;
  } else {
    traits.otherLoads = countOtherLoads(operand);
  }
  return traits;
}

SumTraits SumTraits::get(const KernelQuery &query) {
  const Contraction &contraction = *query.contraction;
  const OperandStrides &strides = query.getStrides();
  SumTraits traits{getTraits(query.op, contraction.rows, strides.rows),
                   getTraits(query.op, contraction.columns, strides.columns),
                   contraction.getTerms(), contraction.batches};
  traits.columns.sums = contraction.sums;
  traits.columns.size *= contraction.sums;
  return traits;
}

double dml::getFactorBytes(const SumTraits &sums, const FactorTraits &factors) {
  double count = static_cast<double>(factors.size) *
                 static_cast<double>(sums.terms * sums.batches);
  // A factor that may be padding belongs to a window of a convolution. Windows
  // of neighbouring positions overlap, so that memory transfers most elements
  // only once for all windows. If an iteration of the loop over terms adds all
  // taps of a channel, an element lies in about as many windows as an iteration
  // has terms: 3 x 3 taps are 9 terms, and an element lies in 9 windows. The
  // estimate divides by the number of terms of an iteration, even if an
  // iteration adds terms of several channels at one tap instead.
  if (factors.isChosen)
    count /= static_cast<double>(factors.strides.terms);
  return count * factors.getBytes(1);
}

double dml::getTimeOfMemory(const SumTraits &sums, const DeviceSpeed &device) {
  return (getFactorBytes(sums, sums.rows) +
          getFactorBytes(sums, sums.columns)) *
         device.getCyclesPerByte();
}

//===----------------------------------------------------------------------===//
// Multiprocessors
//===----------------------------------------------------------------------===//

GroupResources dml::getResources(int64_t threads, double registers,
                                 int64_t vectors, const DeviceSpeed &device) {
  return {static_cast<double>(threads) *
              std::min(registers, device.registersOfThread),
          static_cast<double>(vectors * DeviceProfile::vectorBytes)};
}

double dml::getTimeOfGroups(
    double groups, const GroupResources &ofGroup, const DeviceSpeed &device,
    function_ref<double(double most, double average)> getTime) {
  double resident = std::max(Occupancy::getMostGroups(ofGroup, device), 1.0);
  double ofEach = groups / device.multiprocessors;
  double turns = std::floor(ofEach / resident);
  double rest = ofEach - turns * resident;
  double time = turns > 0 ? turns * getTime(resident, resident) : 0;
  if (turns == 0 || rest > cost::freeWorkgroups)
    time +=
        getTime(std::max(std::ceil(rest - cost::freeWorkgroups), 1.0), rest);
  return time;
}
