//===- ProviderTest.cpp - Tests of the provider without ONNX Runtime ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include "Devices.h"
#include "Members.h"
#include "Options.h"
#include "Partitions.h"
#include "Speeds.h"
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace dml::provider;
using testing::ElementsAre;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// ONNX Runtime's interface
//===----------------------------------------------------------------------===//

namespace {
/// The frozen table: the places of members, and the values of enumerators.
struct Table {
  std::map<std::string, size_t> places;
  std::map<std::string, int> values;

  Table() {
    std::ifstream file(DML_ABI_TABLE);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string first, second;
      int number = 0;
      if (line[0] == '#' || !(words >> first >> second >> number))
        continue;
      if (first == "enum")
        values[second] = number;
      else
        places[first + "." + second] = static_cast<size_t>(number);
    }
  }
};
} // namespace

TEST(ProviderAbi, MembersHaveTheirPlaces) {
  Table table;
  ASSERT_GT(table.places.size(), 600u);
  for (const Member &member : getMembers()) {
    std::string name = std::string(member.structure) + "." + member.name;
    // Descriptors have members of several sizes, and are not in the table.
    if (std::strstr(member.structure, "Descriptor") ||
        std::strstr(member.structure, "Handle"))
      continue;
    ASSERT_TRUE(table.places.count(name)) << name;
    bool isFlag = name == "OrtNodeFusionOptions.drop_constant_initializers";
    EXPECT_EQ(member.offset, isFlag ? 4 : 8 * table.places[name]) << name;
  }
}

TEST(ProviderAbi, DescriptorsHaveTheSizesOfTheirTypes) {
  EXPECT_EQ(sizeof(OrtExternalMemoryDescriptor), 32u);
  EXPECT_EQ(sizeof(OrtExternalSemaphoreDescriptor), 16u);
  EXPECT_EQ(sizeof(OrtExternalTensorDescriptor), 32u);
}

TEST(ProviderAbi, EveryDeclaredFunctionIsCompared) {
  // A member that OnnxRuntimeMembers.def lacks would be compared with nothing.
  std::set<std::string> compared;
  for (const Member &member : getMembers())
    compared.insert(std::string(member.structure) + "." + member.name);
  std::ifstream file(DML_ABI_HEADER);
  std::string structure;
  size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_search(line, match, std::regex("^struct (\\w+) \\{")))
      structure = match[1];
    // No table that a test has describes the structure of kernels.
    if (structure != "OrtKernelImpl" &&
        std::regex_search(line, match, std::regex("^  .*\\(\\*(\\w+)\\)\\("))) {
      EXPECT_TRUE(compared.count(structure + "." + match[1].str()))
          << structure << " " << match[1];
      ++count;
    }
  }
  EXPECT_GT(count, 200u);
}

TEST(ProviderAbi, EnumeratorsHaveTheirValues) {
  Table table;
#define EXPECT_VALUE(name) EXPECT_EQ(table.values.at(#name), int(name))
  EXPECT_VALUE(ORT_INVALID_ARGUMENT);
  EXPECT_VALUE(ORT_EP_FAIL);
  EXPECT_VALUE(ORT_LOGGING_LEVEL_INFO);
  EXPECT_VALUE(ORT_LOGGING_LEVEL_WARNING);
  EXPECT_VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  EXPECT_VALUE(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4);
  EXPECT_VALUE(ONNX_TYPE_TENSOR);
  EXPECT_VALUE(ORT_OP_ATTR_TENSOR);
  EXPECT_VALUE(ORT_OP_ATTR_GRAPH);
  EXPECT_VALUE(OrtHardwareDeviceType_CPU);
  EXPECT_VALUE(OrtEpDataLayout_NCHW);
  EXPECT_VALUE(OrtMemoryInfoDeviceType_GPU);
  EXPECT_VALUE(OrtDeviceMemoryType_DEFAULT);
  EXPECT_VALUE(OrtDeviceAllocator);
  EXPECT_VALUE(OrtMemTypeCPUInput);
  EXPECT_VALUE(ORT_EXTERNAL_MEMORY_HANDLE_TYPE_VK_MEMORY_OPAQUE_FD);
#undef EXPECT_VALUE
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

static std::string lastStatus;

/// An ONNX Runtime that has the versions 1 to 22.
static const OrtApi *getOldApi(uint32_t version) noexcept {
  static OrtApi api{};
  api.CreateStatus = [](OrtErrorCode, const char *message) noexcept {
    lastStatus = message;
    return reinterpret_cast<OrtStatus *>(&lastStatus);
  };
  return version >= 1 && version <= 22 ? &api : nullptr;
}

TEST(ProviderVersions, AnOldOnnxRuntimeIsRefusedWithBothVersions) {
  OrtApiBase base{};
  base.GetApi = getOldApi;
  base.GetVersionString = []() noexcept { return "1.22.1"; };
  ASSERT_NE(initialize(base), nullptr);
  EXPECT_THAT(lastStatus, HasSubstr("ONNX Runtime 1.22.1 has no API version "
                                    "from 23 to 29"));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static std::string refuse(const char *name, const char *value) {
  try {
    readOptions({{std::string("ep.dmlvulkan.") + name, value}});
  } catch (const Failure &failure) {
    return failure.what();
  }
  return "";
}

TEST(ProviderOptions, AreRead) {
  Options options = readOptions({{"ep.dmlvulkan.device", "radeon"},
                                 {"ep.dmlvulkan.max_memory", "1024"},
                                 {"ep.dmlvulkan.feature_level", "5_0"},
                                 {"ep.dmlvulkan.partitioning", "directml"},
                                 {"ep.other.device", "none"},
                                 {"session.use_env_allocators", "1"}});
  EXPECT_EQ(options.device, "radeon");
  EXPECT_EQ(options.maxMemory, 1024u);
  EXPECT_EQ(options.featureLevel, "5_0");
  EXPECT_EQ(options.partitioning, Partitioning::DirectML);
  EXPECT_FALSE(options.makesContext);
}

TEST(ProviderOptions, WrongOnesAreRefused) {
  EXPECT_THAT(refuse("devise", "0"), HasSubstr("no provider option 'devise'"));
  EXPECT_THAT(refuse("max_memory", "1G"),
              HasSubstr("'max_memory' has the value '1G', but wanted is a "
                        "number of bytes"));
  EXPECT_THAT(refuse("max_memory", ""), HasSubstr("number of bytes"));
  EXPECT_THAT(refuse("partitioning", "some"),
              HasSubstr("auto, all or directml"));
  EXPECT_THAT(refuse("dump_dir", "/nowhere"), HasSubstr("a folder"));
  EXPECT_THAT(refuse("feature_level", "99_0"), HasSubstr("'feature_level'"));
  EXPECT_THAT(refuse("device_profile", "full"), HasSubstr("compiled ahead"));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static DmlDeviceInfo makeDevice(VkPhysicalDeviceType type, uint32_t vendor,
                                uint32_t device, const char *address) {
  DmlDeviceInfo info{};
  info.type = type;
  info.vendorID = vendor;
  info.deviceID = device;
  std::strcpy(info.pciAddress, address);
  return info;
}

TEST(ProviderDevices, AreMatched) {
  VkPhysicalDeviceType gpu = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  std::vector<Hardware> hardware = {{true, 0x1022, 0, ""},
                                    {false, 0x10de, 5, "0000:02:00.0"},
                                    {false, 0x10de, 5, "0000:01:00.0"},
                                    {false, 0x1002, 7, ""},
                                    {false, 0x1002, 7, ""}};
  std::vector<DmlDeviceInfo> devices = {
      makeDevice(gpu, 0x10de, 5, "0000:01:00.0"),
      makeDevice(gpu, 0x10de, 5, "0000:02:00.0"),
      makeDevice(gpu, 0x1002, 7, "0000:03:00.0"),
      makeDevice(gpu, 0x1002, 7, "0000:04:00.0"),
      makeDevice(VK_PHYSICAL_DEVICE_TYPE_CPU, 0x10005, 0, ""),
      // ONNX Runtime has not found it.
      makeDevice(gpu, 0x8086, 9, "0000:05:00.0")};
  EXPECT_THAT(matchDevices(devices, hardware), ElementsAre(2, 1, 3, 4, 0, 0));
}

TEST(ProviderDevices, WithoutACpuAreLeftOut) {
  std::vector<DmlDeviceInfo> devices = {
      makeDevice(VK_PHYSICAL_DEVICE_TYPE_CPU, 1, 2, "")};
  EXPECT_THAT(matchDevices(devices, {}), ElementsAre(std::nullopt));
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

TEST(ProviderPartitions, NeighboursAreOne) {
  EXPECT_THAT(findPartitions({{}, {0}, {1}}, {true, true, true}),
              ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(ProviderPartitions, ANodeBetweenDivides) {
  EXPECT_THAT(findPartitions({{}, {0}, {1}}, {true, false, true}),
              ElementsAre(ElementsAre(0), ElementsAre(2)));
}

TEST(ProviderPartitions, NoCycleArises) {
  // Node 3 reads node 0 straight and through node 1, which is not taken.
  EXPECT_THAT(findPartitions({{}, {0}, {0}, {1, 2}}, {true, false, true, true}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(3)));
}

TEST(ProviderPartitions, ANodeInFrontDividesNothing) {
  // Node 0 is not taken, and reads nothing that is.
  EXPECT_THAT(findPartitions({{}, {}, {0, 1}}, {false, true, true}),
              ElementsAre(ElementsAre(1, 2)));
}

TEST(ProviderPartitions, WhatIsNotConnectedIsApart) {
  EXPECT_THAT(findPartitions({{}, {}, {0}, {1}}, {true, true, true, true}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
}

TEST(ProviderPartitions, TwoPartitionsThatReadEachOtherDoNotArise) {
  // 0 and 4 could be one partition, and 1 and 3: each would wait for the other
  // if 2 were ignored.
  Edges edges = {{}, {}, {0, 1}, {1, 2}, {0, 2}};
  for (const auto &nodes :
       findPartitions(edges, {true, true, false, true, true}))
    EXPECT_EQ(nodes.size(), 1u);
}

TEST(ProviderPartitions, SmallOnesAreNotWorthTheirCopies) {
  // An addition of 1,024 numbers: the CPU needs 3 us, and a submission 50 us.
  Work small{1024, 3 * 4096, 1, 3 * 4096};
  EXPECT_FALSE(isWorthwhile(small, {}));
  EXPECT_NEAR(estimateCpuTime(small, {}), 2.6e-6, 1e-7);
  EXPECT_NEAR(estimateTransferTime(small, {}), 51.2e-6, 1e-7);
  // A product of two matrices of 1024 x 1024: 10.7 ms against 1.3 ms.
  Work large{2.0 * 1024 * 1024 * 1024, 12.6e6, 1, 12.6e6};
  EXPECT_TRUE(isWorthwhile(large, {}));
  // On a slower device it is not: 0.5 s for a submission.
  Speeds slow;
  slow.secondsPerSubmission = 0.5;
  EXPECT_FALSE(isWorthwhile(large, slow));
  // A copy of 1 GB and no more is not.
  EXPECT_FALSE(isWorthwhile({0, 1e9, 1, 1e9}, {}));
}

TEST(ProviderSpeeds, AreRounded) {
  EXPECT_DOUBLE_EQ(roundSpeed(1.7e11), 2e11);
  EXPECT_DOUBLE_EQ(roundSpeed(2.4e11), 2e11);
  EXPECT_DOUBLE_EQ(roundSpeed(8e-6), 1e-5);
  EXPECT_DOUBLE_EQ(roundSpeed(3.3), 5);
  EXPECT_DOUBLE_EQ(roundSpeed(1.3e10), 1e10);
}
