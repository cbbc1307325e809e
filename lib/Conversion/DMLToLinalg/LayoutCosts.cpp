//===- LayoutCosts.cpp - What another order of elements gains -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "LayoutCosts.h"
#include "dml/Target/MatrixCosts.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

int64_t dml::getLanes(Type type) {
  return DeviceProfile::vectorBytes * 8 / type.getIntOrFloatBitWidth();
}

bool dml::canLoadChannels(const WindowSums &sums,
                          const DeviceProfile &profile) {
  auto isUsable = [&](const MatrixShape &shape) {
    return (shape.factors == "f16" ? sums.factorType.isF16()
                                   : sums.factorType.isInteger(8)) &&
           2 * sums.rows >= shape.rows && 2 * sums.positions >= shape.columns &&
           sums.channels * sums.taps >= shape.terms;
  };
  // A vector must consist of channels of a single tap.
  return llvm::any_of(profile.getMatrixShapes(), isUsable) &&
         sums.channels % getLanes(sums.factorType) == 0;
}

bool dml::isFasterChannelsLast(const WindowSums &sums,
                               const DeviceProfile &profile) {
  if (!canLoadChannels(sums, profile))
    return false;
  auto terms = static_cast<double>(sums.channels * sums.taps);
  double staged = static_cast<double>(llvm::divideCeilSigned(
                      sums.rows, cost::layout::tileRows)) *
                  static_cast<double>(sums.positions) * terms;
  const DeviceSpeed &device = profile.getSpeed();
  bool isInRows = sums.width % getLanes(sums.factorType) == 0;
  double saved = staged *
                 (isInRows ? cost::layout::opsSavedInRows
                           : cost::layout::opsSavedAcrossRows) /
                 device.getOpsPerCycle();
  // Each stage waits for its loads, however few sums there are. Convolutions of
  // 8 bits, which were not measured, are estimated without these waits.
  if (!isInRows && sums.taps > 1 && sums.factorType.isF16())
    saved = std::max(saved, terms / cost::layout::termsOfStage *
                                cost::layout::latenciesSavedAcrossRows *
                                device.lastCacheCycles);
  double turning = sums.movedBytes * cost::layout::timesOfTurning *
                   device.getCyclesPerByte();
  // If the input has to be copied, the saved time must exceed the time of
  // another launch. Otherwise, nothing speaks against the layout.
  return sums.movedBytes == 0 || saved - turning > device.launchCycles;
}
