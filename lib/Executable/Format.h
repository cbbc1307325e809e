//===- Format.h - The compiler's and the format's numbers -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Conversions between the compiler's enums and those of the executable format,
// whose numbers must agree.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_EXECUTABLE_FORMAT_H
#define DML_LIB_EXECUTABLE_FORMAT_H

#include "dml/IR/Layout.h"
#include "dml/Target/DeviceProfile.h"
#include "executable_constants.h"
#include "executable_generated.h"

namespace dml {

static_assert(DeviceProfile::rangeAlignment == executable::kRangeAlignment,
              "ranges begin elsewhere than executables want");
static_assert(DeviceProfile::vectorBytes == executable::kVectorSize,
              "buffers have another size than executables want");
static_assert(maxRank == executable::kMaxRank,
              "tensors have more dimensions than executables have");

/// Converts `feature` to the numbering of executables. Both enums take their
/// numbers from Features.def.
inline executable::Feature getFormatFeature(DeviceFeature feature) {
  return static_cast<executable::Feature>(feature);
}

} // namespace dml

#endif // DML_LIB_EXECUTABLE_FORMAT_H
