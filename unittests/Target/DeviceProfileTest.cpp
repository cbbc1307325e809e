//===- DeviceProfileTest.cpp - What specifications of devices say ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceProfile.h"
#include "dml/Target/FusionCosts.h"
#include "dml/Target/MatrixCosts.h"
#include "dml/Target/RowCosts.h"
#include "dml/Target/SumCosts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace dml;

namespace {

/// The profile that a specification says, or a failure of the test.
DeviceProfile parse(llvm::StringRef spec) {
  llvm::Expected<DeviceProfile> profile = DeviceProfile::parse(spec);
  if (profile)
    return *profile;
  ADD_FAILURE() << llvm::toString(profile.takeError());
  return DeviceProfile();
}

/// The error of a specification that is refused.
std::string refuse(llvm::StringRef spec) {
  llvm::Expected<DeviceProfile> profile = DeviceProfile::parse(spec);
  return profile ? "none" : llvm::toString(profile.takeError());
}

/// Expects that a specification with `entries` says `wanted`, whatever their
/// order.
void expectInAnyOrder(llvm::StringRef name, std::vector<std::string> entries,
                      llvm::StringRef wanted) {
  llvm::sort(entries);
  do {
    std::string spec = name.str() + "," + llvm::join(entries, ",");
    EXPECT_EQ(parse(spec).str(), wanted) << spec;
  } while (std::next_permutation(entries.begin(), entries.end()));
}

TEST(DeviceProfileTest, OrderMeansNothing) {
  expectInAnyOrder("full",
                   {"subgroupSize=16", "cooperativeMatrix=8x16x16xf16xf32"},
                   "full,cooperativeMatrix=8x16x16xf16xf32,subgroupSize=16");
  expectInAnyOrder("full",
                   {"+cooperativeMatrix", "maxWorkgroupSize=128",
                    "maxWorkgroupMemory=16384", "subgroupSize=64"},
                   "full,+cooperativeMatrix,maxWorkgroupSize=128,"
                   "maxWorkgroupMemory=16384,subgroupSize=64");
  expectInAnyOrder("minimal",
                   {"+cooperativeMatrix", "cooperativeMatrix=16x8x16xf16xf32",
                    "+vulkanMemoryModel", "maxStorageBuffers=5"},
                   "minimal,cooperativeMatrix=16x8x16xf16xf32,"
                   "maxStorageBuffers=5");
  expectInAnyOrder("full",
                   {"-shaderInt64", "opsPerByte=8", "maxStorageBuffers=4",
                    "-cooperativeMatrix", "subgroupSize=8"},
                   "full,-shaderInt64,maxStorageBuffers=4,subgroupSize=8,"
                   "opsPerByte=8");
}

/// Each number of a device's speed is set by its name, and printed where it is
/// not the default.
TEST(DeviceProfileTest, SpeedsAreNamed) {
  const DeviceSpeed defaults;
  EXPECT_EQ(parse("full").str(), "full");
  for (const DeviceSpeed::Number &number : DeviceSpeed::getNumbers()) {
    std::string entry = "full," + number.name.str() + "=";
    DeviceProfile profile = parse(entry + "7.5");
    EXPECT_EQ(profile.str(), entry + "7.5");
    for (const DeviceSpeed::Number &other : DeviceSpeed::getNumbers())
      EXPECT_EQ(profile.getSpeed().*other.value,
                other.name == number.name ? 7.5 : defaults.*other.value)
          << entry << ": " << other.name.str();
    std::string value = std::to_string(defaults.*number.value);
    EXPECT_EQ(parse(entry + value).str(), "full") << entry << value;
    EXPECT_GE(defaults.*number.value, number.least) << entry;
  }
}

/// A number by which a model divides is more than 0, and none is more than any
/// device has.
TEST(DeviceProfileTest, SpeedsHaveBounds) {
  for (const DeviceSpeed::Number &number : DeviceSpeed::getNumbers())
    for (const char *value : {"-1", "1e16", "nan", "fast", ""}) {
      std::string entry = number.name.str() + "=" + value;
      EXPECT_NE(refuse("full," + entry)
                    .find("device profile number '" + entry +
                          "' wants a number from "),
                std::string::npos)
          << refuse("full," + entry);
    }
  EXPECT_EQ(refuse("full,matrixUnits=0"),
            "device profile number 'matrixUnits=0' wants a number from 1 to "
            "1e15");
  EXPECT_EQ(refuse("full,lastCacheBytesPerCycle=0"),
            "device profile number 'lastCacheBytesPerCycle=0' wants a number "
            "from 0.001 to 1e15");
}

/// The numbers that are derived from those of the default device. Waits are
/// latencies times constants of three digits.
TEST(DeviceProfileTest, SpeedsOfTheDefaultDevice) {
  const DeviceSpeed device;
  EXPECT_EQ(device.getOpsPerCycle(), 132 * 128);
  EXPECT_EQ(device.getCyclesPerByte() * 132 * 128, 10);
  EXPECT_EQ(device.getEnoughThreads(), 65536);
  EXPECT_EQ(cost::getOpsPerLoad(device), 4);
  EXPECT_EQ(cost::fusion::getFreeOps(device), 32);
  EXPECT_EQ(cost::fusion::getMaxLoadsBesideLoops(device), 64);
  EXPECT_EQ(cost::rows::getBusyWorkgroups(device), 1024);
  EXPECT_EQ(cost::rows::getEnoughRows(device), 256);
  EXPECT_EQ(cost::rows::getThreadsSideBySide(device), 8);
  EXPECT_EQ(cost::rows::getLeastSideBySide(device), 4);
  EXPECT_NEAR(cost::contraction::getRoundCycles(device), 1000, 5);
  EXPECT_EQ(cost::contraction::getBarrierCycles(device), 270);
  EXPECT_EQ(cost::sliced::getLineCycles(device), 1);
  EXPECT_EQ(cost::sliced::getJoinedSumCycles(device), 50);
  EXPECT_NEAR(cost::matrix::getBarrierCycles(device), 150, 1);
  EXPECT_NEAR(cost::matrix::getStageCycles(device), 500, 5);
  EXPECT_NEAR(cost::matrix::getStartCycles(device), 3000, 30);
  EXPECT_EQ(parse("full").getThreadsTogether(), 32);
  EXPECT_EQ(parse("full,subgroupSize=64").getThreadsTogether(), 64);
}

TEST(DeviceProfileTest, MatricesBringLimits) {
  DeviceProfile profile = parse("full,+cooperativeMatrix");
  EXPECT_EQ(profile.getSubgroupSize(), 32);
  EXPECT_EQ(profile.getMaxWorkgroupSize(), 256);
  EXPECT_EQ(profile.getMaxWorkgroupMemory(), 49152);
  EXPECT_TRUE(profile.has(DeviceFeature::VulkanMemoryModel));
}

/// The order of matrices is that of preference.
TEST(DeviceProfileTest, MatricesKeepTheirOrder) {
  DeviceProfile profile =
      parse("full,cooperativeMatrix=64x8x16xf16xf32,"
            "subgroupSize=64,cooperativeMatrix=16x8x16xf16xf32");
  ASSERT_EQ(profile.getMatrixShapes().size(), 2u);
  EXPECT_EQ(profile.getMatrixShapes()[0].rows, 64);
  EXPECT_EQ(profile.getMatrixShapes()[1].rows, 16);
}

TEST(DeviceProfileTest, EntriesStandOnce) {
  for (const char *entry :
       {"maxStorageBuffers=4,maxStorageBuffers=8",
        "subgroupSize=8,subgroupSize=8", "opsPerByte=8,opsPerByte=9",
        "+shaderInt8,+shaderInt8", "+shaderInt8,-shaderInt8",
        "-shaderInt8,+shaderInt8", "+cooperativeMatrix,-cooperativeMatrix",
        "cooperativeMatrix=16x8x16xf16xf32,cooperativeMatrix="
        "16x8x16xf16xf32"}) {
    std::string spec = std::string("full,") + entry;
    EXPECT_NE(refuse(spec).find("more than once, but wanted is one entry"),
              std::string::npos)
        << spec << ": " << refuse(spec);
  }
}

TEST(DeviceProfileTest, ContradictionsAreRefused) {
  std::string matrix = "cooperativeMatrix=16x8x16xf16xf32";
  for (const std::string &spec :
       {"full,-cooperativeMatrix," + matrix,
        "full," + matrix + ",-cooperativeMatrix",
        "full,-vulkanMemoryModel," + matrix,
        "full," + matrix + ",-vulkanMemoryModel",
        std::string("full,+cooperativeMatrix,-vulkanMemoryModel"),
        std::string("full,-vulkanMemoryModel,+cooperativeMatrix")})
    EXPECT_NE(refuse(spec).find("states cooperative matrices and '-"),
              std::string::npos)
        << spec << ": " << refuse(spec);
}

TEST(DeviceProfileTest, FeaturesStandInTheOrderOfTheirNumbers) {
  for (auto [number, info] : llvm::enumerate(getDeviceFeatures())) {
    EXPECT_EQ(static_cast<size_t>(info.feature), number);
    DeviceProfile profile = parse("minimal,+" + info.vulkanName.str());
    for (const DeviceFeatureInfo &other : getDeviceFeatures())
      if (other.feature != DeviceFeature::VulkanMemoryModel)
        EXPECT_EQ(profile.has(other.feature), other.feature == info.feature)
            << profile.str();
  }
}

TEST(DeviceProfileTest, LimitsAreThoseOfTheTable) {
  DeviceProfile full = parse("full"), minimal = parse("minimal");
#define DML_LIMIT(NAME, GETTER, PROMISED, LEAST, GREATEST, FULL, MATRICES)     \
  EXPECT_EQ(full.get##GETTER(), FULL) << #NAME;                                \
  EXPECT_EQ(minimal.get##GETTER(), DeviceProfile::promised##GETTER) << #NAME;  \
  EXPECT_EQ(parse("full," #NAME "=20000").get##GETTER(), 20000) << #NAME;      \
  EXPECT_NE(refuse("full," #NAME "=0").find("wants a whole number"),           \
            std::string::npos);
#include "dml/Target/Limits.def"
  EXPECT_EQ(minimal.getMaxStorageBuffers(), 4);
  EXPECT_EQ(full.getMaxStorageBuffers(), 16);
  EXPECT_EQ(parse("full,+cooperativeMatrix").getMaxWorkgroupMemory(), 49152);
}

} // namespace
