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

/// Sums of products of a filter and of the windows of an input.
struct WindowSums {
  /// The type of both factors.
  mlir::Type factorType;
  /// The number of channels of the output, the number of its positions in all
  /// images, and the number of terms in each sum: channels of the input for
  /// each tap, and taps.
  int64_t rows, positions, channels, taps;
  /// The number of positions in a row of the output.
  int64_t width;
  /// The number of bytes that a preceding copy to the channels-last layout
  /// reads and writes.
  double movedBytes;
};

/// Returns the number of elements of `type` in a vector.
int64_t getLanes(mlir::Type type);

/// Whether a matrix kernel on devices of `profile` can load channels of `sums`
/// as vectors in the channels-last layout, if there are enough positions.
bool canLoadChannels(const WindowSums &sums, const DeviceProfile &profile);

/// Whether matrix kernels on devices of `profile` compute `sums` faster in the
/// channels-last layout, including the time of the copy.
bool isFasterChannelsLast(const WindowSums &sums, const DeviceProfile &profile);

} // namespace dml

#endif // DML_LIB_CONVERSION_LAYOUTCOSTS_H
