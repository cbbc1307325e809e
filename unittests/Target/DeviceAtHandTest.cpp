//===- DeviceAtHandTest.cpp - Profiles of devices that there are not ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceAtHand.h"
#include "dml/Target/DeviceProfile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace dml;
using ::testing::HasSubstr;

namespace {

/// The profile of a device, or a failure of the test.
DeviceProfile getProfile(const DmlDeviceInfo &device,
                         const MeasuredSpeeds *measured = nullptr) {
  std::string text = getProfileOfDevice(device, measured);
  llvm::Expected<DeviceProfile> profile = DeviceProfile::parse(text);
  if (profile)
    return *profile;
  ADD_FAILURE() << text << ": " << llvm::toString(profile.takeError());
  return DeviceProfile();
}

/// A desktop GPU that has all but cooperative matrices.
DmlDeviceInfo makeDevice(const char *name, uint32_t vendor) {
  DmlDeviceInfo device{};
  std::strncpy(device.name, name, sizeof(device.name) - 1);
  device.vendorID = vendor;
  device.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  device.features = DML_FEATURE_ALL & ~DML_FEATURE_COOPERATIVE_MATRIX_BIT;
  DmlDeviceLimits &limits = device.limits;
  limits.maxStorageBufferRange = UINT32_MAX;
  limits.maxMemoryAllocationSize = uint64_t(4) << 30;
  limits.maxPerStageDescriptorStorageBuffers = 1 << 20;
  limits.maxComputeWorkGroupInvocations = 1024;
  for (uint32_t &size : limits.maxComputeWorkGroupSize)
    size = 1024;
  limits.maxComputeSharedMemorySize = 49152;
  limits.subgroupSize = limits.minSubgroupSize = limits.maxSubgroupSize = 32;
  return device;
}

void addMatrix(DmlDeviceInfo &device, const DmlMatrixShape &shape) {
  device.features |= DML_FEATURE_COOPERATIVE_MATRIX_BIT;
  device.limits.matrixShapes[device.limits.matrixShapeCount++] = shape;
}

DmlMatrixShape ofHalves(uint32_t rows, uint32_t columns, uint32_t terms,
                        DmlDataType sums = DML_DATA_TYPE_FLOAT32) {
  return {rows, columns, terms, DML_DATA_TYPE_FLOAT16, sums};
}

DmlDeviceInfo makeH100() {
  DmlDeviceInfo device = makeDevice("NVIDIA H100 80GB HBM3", 0x10de);
  device.limits.multiprocessorCount = 114;
  device.limits.maxComputeWorkgroupSubgroups = 1 << 20;
  addMatrix(device, ofHalves(16, 8, 8));
  addMatrix(device, ofHalves(16, 16, 16, DML_DATA_TYPE_FLOAT16));
  addMatrix(device, ofHalves(16, 16, 16));
  addMatrix(device, {16, 16, 32, DML_DATA_TYPE_INT8, DML_DATA_TYPE_INT32});
  addMatrix(device, {16, 8, 32, DML_DATA_TYPE_INT8, DML_DATA_TYPE_INT32});
  return device;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TEST(DeviceAtHandTest, ADesktopGPUWithoutMatricesIsFull) {
  EXPECT_EQ(getProfile(makeDevice("Toy", 1)).str(),
            "full,subgroupSize=32,multiprocessors=64");
}

/// The matrices that kernels cannot use are left out: sums of f16, and 8-bit
/// columns that are no whole vectors. Of each type of factors, those of the
/// vendor's table are taken.
TEST(DeviceAtHandTest, NVIDIA) {
  EXPECT_EQ(getProfile(makeH100()).str(),
            "full,cooperativeMatrix=16x16x16xf16xf32,"
            "cooperativeMatrix=16x16x32xi8xi32,"
            "bytesPerThread=15,multiprocessors=114");
  DmlDeviceInfo device = makeH100();
  std::strcpy(device.name, "NVIDIA H200");
  device.limits.multiprocessorCount = 132;
  EXPECT_EQ(getProfile(device).getSpeed().str(), "");
}

/// Of subgroups of 32 to 64 threads, those of 32 are asked for, whatever size
/// kernels have that do not ask.
TEST(DeviceAtHandTest, AMD) {
  DmlDeviceInfo device = makeDevice("AMD Radeon RX 7900 XTX", 0x1002);
  device.limits.subgroupSize = 64;
  device.limits.maxSubgroupSize = 64;
  device.limits.maxComputeWorkgroupSubgroups = 64;
  device.limits.maxComputeSharedMemorySize = 65536;
  device.limits.multiprocessorCount = 96;
  addMatrix(device, ofHalves(16, 16, 16));
  EXPECT_EQ(getProfile(device).str(),
            "full,+cooperativeMatrix,multiprocessors=96");
  // A driver without the control of sizes has those that it reports.
  device.limits.maxComputeWorkgroupSubgroups = 0;
  EXPECT_EQ(getProfile(device).getSubgroupSize(), 64);
}

/// Registers are those that the driver reports, and of those no more than its
/// compiler is known to give a thread.
TEST(DeviceAtHandTest, Registers) {
  DmlDeviceInfo device = makeDevice("AMD Radeon RX 7900 XTX", 0x1002);
  device.driverID = VK_DRIVER_ID_AMD_PROPRIETARY;
  device.driverVersion = VK_MAKE_API_VERSION(0, 2, 0, 300);
  device.limits.multiprocessorRegisterCount = 98304;
  device.limits.maxThreadRegisterCount = 256;
  EXPECT_EQ(getProfile(device).getSpeed().str(),
            ",multiprocessors=64,registers=98304,registersOfThread=256");

  device.driverID = VK_DRIVER_ID_MESA_RADV;
  device.driverVersion = VK_MAKE_API_VERSION(0, 22, 3, 6);
  std::strcpy(device.name, "AMD Radeon RX 7900 XTX (RADV GFX1100)");
  EXPECT_EQ(getProfile(device).getSpeed().str(),
            ",multiprocessors=64,registers=98304,registersOfThread=128,"
            "computesInOrder=1");
  // A newer driver, and a GPU of another family.
  device.driverVersion = VK_MAKE_API_VERSION(0, 23, 0, 0);
  EXPECT_EQ(getProfile(device).getSpeed().registersOfThread, 256);
  device.driverVersion = VK_MAKE_API_VERSION(0, 22, 3, 6);
  std::strcpy(device.name, "AMD Radeon RX 6800 XT (RADV NAVI21)");
  EXPECT_EQ(getProfile(device).getSpeed().registersOfThread, 256);
  EXPECT_EQ(getProfile(device).getSpeed().computesInOrder, 1);

  // A measurement does not override a report.
  MeasuredSpeeds measured;
  measured.numbers = {{"registersOfThread", 100}};
  EXPECT_EQ(getProfile(device, &measured).getSpeed().registersOfThread, 256);
}

/// Intel's GPUs have subgroups of 8 to 32 threads, which share 128 registers of
/// 32 bytes.
TEST(DeviceAtHandTest, Intel) {
  DmlDeviceInfo device = makeDevice("Intel(R) Arc(tm) A770 Graphics", 0x8086);
  device.driverID = VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
  device.limits.minSubgroupSize = 8;
  device.limits.maxComputeWorkgroupSubgroups = 64;
  EXPECT_EQ(getProfile(device).str(),
            "full,subgroupSize=16,multiprocessors=64,registersOfThread=128");
  device.limits.minSubgroupSize = 32;
  EXPECT_EQ(getProfile(device).getSubgroupSize(), 32);
}

TEST(DeviceAtHandTest, APhone) {
  DmlDeviceInfo device = makeDevice("Phone", 0x5143);
  device.type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  device.features =
      DML_FEATURE_SHADER_INT16_BIT | DML_FEATURE_SHADER_FLOAT16_BIT;
  device.limits.maxPerStageDescriptorStorageBuffers = 4;
  device.limits.maxComputeSharedMemorySize = 16384;
  device.limits.maxComputeWorkGroupInvocations = 128;
  device.limits.maxStorageBufferRange = uint64_t(1) << 27;
  device.limits.multiprocessorCount = 0;
  EXPECT_EQ(getProfile(device).str(),
            "minimal,+shaderInt16,+shaderFloat16,multiprocessors=12");
}

TEST(DeviceAtHandTest, Lavapipe) {
  DmlDeviceInfo device =
      makeDevice("llvmpipe (LLVM 15.0.6, 256 bits)", 0x10005);
  device.type = VK_PHYSICAL_DEVICE_TYPE_CPU;
  device.limits.maxStorageBufferRange = uint64_t(1) << 27;
  device.limits.maxMemoryAllocationSize = uint64_t(2) << 30;
  device.limits.subgroupSize = device.limits.minSubgroupSize =
      device.limits.maxSubgroupSize = 8;
  device.limits.multiprocessorCount = 2;
  EXPECT_EQ(getProfile(device).str(),
            "full,maxStorageBufferRange=134217728,subgroupSize=8,"
            "multiprocessors=2");
  // The driver says that it runs the threads of a workgroup in turn.
  for (VkDriverId driver :
       {VK_DRIVER_ID_MESA_LLVMPIPE, VK_DRIVER_ID_GOOGLE_SWIFTSHADER}) {
    device.driverID = driver;
    EXPECT_EQ(getProfile(device).getSpeed().runsInTurn, 1);
  }
}

//===----------------------------------------------------------------------===//
// Limits and subgroups
//===----------------------------------------------------------------------===//

/// No limit is less than Vulkan promises, or more than kernels make use of.
TEST(DeviceAtHandTest, LimitsAreThoseOfTheTable) {
  DmlDeviceInfo least{}, most = makeH100();
  most.limits.maxComputeSharedMemorySize = UINT32_MAX;
  DeviceProfile minimal = getProfile(least), large = getProfile(most);
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  EXPECT_EQ(minimal.get##GETTER(), DeviceProfile::promised##GETTER) << #NAME;  \
  EXPECT_EQ(large.get##GETTER(), std::max<int64_t>(FULL, MATRICES)) << #NAME;
#include "dml/Target/Limits.def"
}

TEST(DeviceAtHandTest, SubgroupsFitWorkgroups) {
  DmlDeviceInfo device = makeDevice("Toy", 1);
  auto getSize = [&](uint32_t least, uint32_t most, uint32_t subgroups) {
    device.limits.minSubgroupSize = least;
    device.limits.maxSubgroupSize = most;
    device.limits.maxComputeWorkgroupSubgroups = subgroups;
    return getProfile(device).getSubgroupSize();
  };
  EXPECT_EQ(getSize(8, 32, 64), 32);
  EXPECT_EQ(getSize(8, 16, 64), 16);
  EXPECT_EQ(getSize(64, 128, 64), 64);
  // A workgroup of 128 threads would have more subgroups than the device.
  EXPECT_EQ(getSize(4, 64, 2), 64);
  EXPECT_EQ(getSize(4, 16, 4), 0);
  device.features &= ~DML_FEATURE_SUBGROUP_SHUFFLE_BIT;
  EXPECT_EQ(getSize(8, 32, 64), 0);
}

/// Matrices need the memory model of Vulkan.
TEST(DeviceAtHandTest, MatricesWantTheMemoryModel) {
  DmlDeviceInfo device = makeH100();
  device.features &= ~DML_FEATURE_VULKAN_MEMORY_MODEL_BIT;
  EXPECT_TRUE(getProfile(device).getMatrixShapes().empty());
  EXPECT_FALSE(getProfile(device).has(DeviceFeature::CooperativeMatrix));
}

//===----------------------------------------------------------------------===//
// Measured speeds
//===----------------------------------------------------------------------===//

TEST(DeviceAtHandTest, MeasuredSpeedsWin) {
  MeasuredSpeeds measured;
  measured.numbers = {{"bytesPerThread", 12}, {"multiprocessors", 100}};
  measured.matrices = {ofHalves(16, 8, 8)};
  DeviceProfile profile = getProfile(makeH100(), &measured);
  EXPECT_EQ(profile.getSpeed().bytesPerThread, 12);
  // What the driver counts is not measured.
  EXPECT_EQ(profile.getSpeed().multiprocessors, 114);
  EXPECT_EQ(profile.getMatrixShapes().front().columns, 8);
}

TEST(DeviceAtHandTest, SpeedsAreRoundedAFifthApart) {
  EXPECT_EQ(roundSpeed("opsPerByte", 3.38), 3.3);
  EXPECT_EQ(roundSpeed("opsPerByte", 3.5), 3.3);
  EXPECT_EQ(roundSpeed("opsPerByte", 9.4), 10);
  EXPECT_EQ(roundSpeed("kernelCycles", 4195), 3900);
  EXPECT_EQ(roundSpeed("barrierCycles", 0.0113), 0.012);
  EXPECT_EQ(roundSpeed("barrierCycles", 0), 0);
  EXPECT_EQ(roundSpeed("multiprocessors", 114), 114);
  EXPECT_EQ(roundSpeed("cacheBytes", 1 << 20), 1 << 20);
}

/// A folder for the cache, and none after the test.
class SpeedFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("dml-speeds", folder));
    setenv("XDG_CACHE_HOME", folder.c_str(), /*overwrite=*/1);
    path = getSpeedFile(makeH100());
    ASSERT_THAT(path, HasSubstr(std::string(folder) + "/dml/speeds-"));
    ASSERT_FALSE(llvm::sys::fs::create_directories(getCacheFolder()));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  void write(llvm::StringRef text) const {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    os << text;
  }
  /// The warning about a file of these bytes, which has to be ignored.
  std::string getWarning(llvm::StringRef text) const {
    write(text);
    std::string warning;
    EXPECT_EQ(getProfileAtHand(makeH100(), warning),
              getProfileOfDevice(makeH100()));
    return warning;
  }

  llvm::SmallString<128> folder;
  std::string path;
};

TEST_F(SpeedFileTest, WhatIsPrintedIsRead) {
  MeasuredSpeeds speeds;
  for (const DeviceSpeed::Number &number : DeviceSpeed::getNumbers())
    speeds.numbers.emplace_back(number.name.str(), 1.5);
  speeds.matrices = {ofHalves(16, 8, 8), ofHalves(16, 16, 16)};
  write(printSpeedFile(makeH100(), speeds));
  std::string warning;
  EXPECT_EQ(getProfileAtHand(makeH100(), warning),
            getProfileOfDevice(makeH100(), &speeds));
  EXPECT_EQ(warning, "");
  // Another driver has not been measured.
  DmlDeviceInfo other = makeH100();
  ++other.driverVersion;
  EXPECT_EQ(getProfileAtHand(other, warning), getProfileOfDevice(other));
  EXPECT_EQ(warning, "");
}

TEST_F(SpeedFileTest, WhatIsNoFileOfSpeedsIsIgnored) {
  EXPECT_EQ(getWarning("speeds\n"),
            "the measured speeds of 'NVIDIA H100 80GB HBM3' are ignored: '" +
                path +
                "' is no file of speeds: its first line is not 'dml speeds 1'");
  for (const char *line :
       {"opsPerByte=fast", "opsPerByte=-1", "opsPerByte=1e16", "opsPerByte=nan",
        "opsPerByte=", "opsPerByte", "=8", "speed=8", "matrixUnits=0",
        "opsPerByte=8,barrierCycles=9", "cooperativeMatrix=16x16",
        "cooperativeMatrix=16x16x16xf16", "cooperativeMatrix=0x16x16xf16xf32",
        "cooperativeMatrix=16x16x16xf16xf32x"})
    EXPECT_THAT(getWarning(std::string("dml speeds 1\n") + line + "\n"),
                HasSubstr("' is no file of speeds: line 2 is '" +
                          std::string(line) + "'"));
  EXPECT_THAT(getWarning("dml speeds 1\nopsPerByte=8\nopsPerByte=9\n"),
              HasSubstr("line 3 is 'opsPerByte=9'"));
  EXPECT_THAT(getWarning("dml speeds 1\n" + std::string(10000, '\n')),
              HasSubstr("it has more than the 8192 bytes that it may have"));
  EXPECT_THAT(getWarning(""), HasSubstr("its first line"));
  llvm::sys::fs::remove(path);
  ASSERT_FALSE(llvm::sys::fs::create_directories(path));
  std::string warning;
  (void)getProfileAtHand(makeH100(), warning);
  EXPECT_THAT(warning, HasSubstr("wanted is a regular file"));
}

TEST_F(SpeedFileTest, TheCacheHasAnAbsolutePath) {
  setenv("XDG_CACHE_HOME", "relative", /*overwrite=*/1);
  setenv("HOME", "/home/someone", /*overwrite=*/1);
  EXPECT_EQ(getCacheFolder(), "/home/someone/.cache/dml");
  unsetenv("HOME");
  EXPECT_EQ(getCacheFolder(), "");
  EXPECT_EQ(getSpeedFile(makeH100()), "");
}

} // namespace
