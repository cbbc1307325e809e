//===- DeviceProfileTest.cpp - What specifications of devices say ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/DeviceProfile.h"
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

} // namespace
