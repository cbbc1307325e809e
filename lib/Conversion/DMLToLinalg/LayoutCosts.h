//===- LayoutCosts.h - What another order of elements gains -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CONVERSION_LAYOUTCOSTS_H
#define DML_LIB_CONVERSION_LAYOUTCOSTS_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/IR/Types.h"

namespace dml {

/// Sums of products of a filter with what its windows cover of an input.
struct WindowSums {
  /// The type of both factors.
  mlir::Type factorType;
  /// Channels of the output, its positions in all images, and the terms of each
  /// sum: taps, and channels of the input for each of them.
  int64_t rows, positions, channels, taps;
  /// Positions of a row of the output.
  int64_t width;
  /// Bytes that are read and written before, so that channels are last.
  double movedBytes;
};

/// Whether matrix kernels of devices of `profile` take less time for `sums`
/// with channels last, the time of moving the input included.
bool isFasterChannelsLast(const WindowSums &sums, const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CONVERSION_LAYOUTCOSTS_H
