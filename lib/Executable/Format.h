//===- Format.h - The compiler's and the format's numbers -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What the compiler and the executable format both number has to agree.
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

#define DML_CHECK_FEATURE(compiler, format)                                    \
  static_assert(static_cast<int>(DeviceFeature::compiler) ==                   \
                    static_cast<int>(executable::Feature::format),             \
                #compiler " differs from " #format " in executable.fbs")
DML_CHECK_FEATURE(ShaderInt8, shaderInt8);
DML_CHECK_FEATURE(ShaderInt16, shaderInt16);
DML_CHECK_FEATURE(ShaderInt64, shaderInt64);
DML_CHECK_FEATURE(ShaderFloat16, shaderFloat16);
DML_CHECK_FEATURE(ShaderFloat64, shaderFloat64);
DML_CHECK_FEATURE(StorageBuffer8BitAccess, storageBuffer8BitAccess);
DML_CHECK_FEATURE(StorageBuffer16BitAccess, storageBuffer16BitAccess);
DML_CHECK_FEATURE(ShaderSignedZeroInfNanPreserveFloat32,
                  shaderSignedZeroInfNanPreserveFloat32);
DML_CHECK_FEATURE(VulkanMemoryModel, vulkanMemoryModel);
DML_CHECK_FEATURE(CooperativeMatrix, cooperativeMatrix);
DML_CHECK_FEATURE(SubgroupShuffle, subgroupShuffle);
#undef DML_CHECK_FEATURE

/// `feature` as executables number it.
inline executable::Feature getFormatFeature(DeviceFeature feature) {
  return static_cast<executable::Feature>(feature);
}

} // namespace dml

#endif // DML_LIB_EXECUTABLE_FORMAT_H
