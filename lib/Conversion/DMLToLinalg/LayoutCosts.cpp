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

bool dml::canLoadChannels(const WindowSums &sums,
                          const DeviceProfile &profile) {
  auto isUsable = [&](const MatrixShape &shape) {
    return (shape.factors == "f16" ? sums.factorType.isF16()
                                   : sums.factorType.isInteger(8)) &&
           2 * sums.rows >= shape.rows && 2 * sums.positions >= shape.columns &&
           sums.channels * sums.taps >= shape.terms;
  };
  int64_t lanes =
      DeviceProfile::vectorBytes * 8 / sums.factorType.getIntOrFloatBitWidth();
  // A vector must consist of channels of a single tap.
  return llvm::any_of(profile.getMatrixShapes(), isUsable) &&
         sums.channels % lanes == 0;
}

bool dml::isFasterChannelsLast(const WindowSums &sums,
                               const DeviceProfile &profile) {
  if (!canLoadChannels(sums, profile))
    return false;
  int64_t lanes =
      DeviceProfile::vectorBytes * 8 / sums.factorType.getIntOrFloatBitWidth();
  double staged = static_cast<double>(llvm::divideCeilSigned(
                      sums.rows, cost::layout::tileRows)) *
                  static_cast<double>(sums.positions) *
                  static_cast<double>(sums.channels * sums.taps);
  const DeviceSpeed &device = profile.getSpeed();
  double saved = staged *
                 (sums.width % lanes == 0 ? cost::layout::opsSavedInRows
                                          : cost::layout::opsSavedAcrossRows) /
                 device.getOpsPerCycle();
  double turning = sums.movedBytes * cost::layout::timesOfTurning *
                   device.getCyclesPerByte();
  // The saved time must exceed the time of another launch, even if the input
  // need not be copied: kernels with few sums wait for other things than
  // operations.
  return saved - turning > device.launchCycles;
}
