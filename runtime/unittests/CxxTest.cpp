//===- CxxTest.cpp - The header for C++ -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/runtime.hpp"

#include "Device.h"
#include "TestExecutables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>

using testing::Each;
using testing::HasSubstr;
using testing::StrEq;

std::string getMessageWithoutExceptions();

namespace {

std::vector<float> count(float first) {
  std::vector<float> values(128);
  std::iota(values.begin(), values.end(), first);
  return values;
}

dml::Executable load() {
  std::vector<uint8_t> bytes = dml::test::write(*dml::test::makeArithmetic());
  return dml::Executable::read(bytes.data(), bytes.size());
}

} // namespace

TEST(Cxx, OwnsHandles) {
  dml::Executable first = load();
  DmlExecutable raw = first;
  EXPECT_TRUE(first);
  dml::Executable second = std::move(first);
  EXPECT_FALSE(first);
  EXPECT_EQ(second.get(), raw);
  first = std::move(second);
  EXPECT_EQ(first.get(), raw);
  // A handle that is handed over is destroyed by whoever takes it.
  dml::Executable third(first.release());
  EXPECT_EQ(third.get(), raw);
  // The place of a handle is empty, whatever was owned before.
  EXPECT_EQ(*third.out(), nullptr);
}

TEST(Cxx, DescribesExecutables) {
  dml::Executable executable = load();
  uint32_t main = executable.findFunction("main");
  EXPECT_THAT(executable.function(main).name, StrEq("main"));
  std::vector<DmlTensorInfo> inputs = executable.inputs(main);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_THAT(inputs[1].name, StrEq("b"));
  EXPECT_EQ(inputs[1].dataType, dml::getDataType<float>());
  EXPECT_THAT(executable.outputs(main)[0].name, StrEq("sum"));
  EXPECT_EQ(executable.info().functionCount, 2u);
  EXPECT_TRUE(executable.weights().empty());
}

TEST(Cxx, ThrowsErrors) {
  try {
    dml::Executable::open("/nonexistent");
    FAIL() << "nothing was thrown";
  } catch (const dml::Error &error) {
    EXPECT_EQ(error.result(), DML_ERROR_NOT_FOUND);
    EXPECT_THAT(error.what(), HasSubstr("cannot open '/nonexistent'"));
  }
  EXPECT_THROW(load().findFunction("other"), dml::Error);
  EXPECT_THROW(load().inputs(7), dml::Error);
}

TEST(Cxx, DoesWithoutExceptions) {
  EXPECT_THAT(getMessageWithoutExceptions(), HasSubstr("has 0 bytes"));
  dml::ErrorHandle none;
  EXPECT_EQ(none.result(), DML_SUCCESS);
  EXPECT_THAT(none.message(), StrEq(""));
}

TEST(Cxx, RunsFunctions) {
  dml::Instance instance;
  dml::ErrorHandle failure;
  DmlResult result = dmlCreateInstance(nullptr, instance.out(), failure.out());
  DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                         instance.deviceCount() != 0)
  ASSERT_EQ(result, DML_SUCCESS) << failure.message();
  dml::Device device = dml::Device::create(instance);
  EXPECT_THAT(device.info().name,
              StrEq(instance.deviceInfo(instance.findDevice("")).name));
  dml::Executable executable = load();
  uint32_t main = executable.findFunction("main");
  dml::Program program = dml::Program::create(device, executable);
  std::vector<float> b = count(1000), sum(128), reversed(128);
  const std::vector<float> a = count(1);
  program.run(main, {dml::host(a), dml::host(b)},
              {dml::host(sum), dml::host(reversed)});
  EXPECT_EQ(sum[0], 1001);
  EXPECT_EQ(sum[127], 1255);

  // The same with buffers, in any order of destruction.
  std::vector<dml::Buffer> buffers;
  for (int i = 0; i < 4; ++i)
    buffers.push_back(dml::Buffer::create(device, 512));
  buffers[0].write(dml::host(b));
  buffers[1].write(dml::host(b));
  dml::BindingTable table = dml::BindingTable::create(program, main);
  device = dml::Device();
  program = dml::Program();
  for (uint32_t i = 0; i < 2; ++i) {
    table.bindInput(i, buffers[i].range());
    table.bindOutput(i, buffers[2 + i].range());
  }
  table.bindTemporary();
  table.submit();
  table.wait();
  buffers[2].read(dml::host(sum));
  EXPECT_EQ(sum[0], 2000);
  EXPECT_EQ(sum[127], 2254);
}

TEST(Cxx, RunsOnADeviceThatWasMadeAsRequired) {
  dml::Instance instance;
  dml::ErrorHandle failure;
  DmlResult result = dmlCreateInstance(nullptr, instance.out(), failure.out());
  DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                         instance.deviceCount() != 0)
  dml::Device device = dml::Device::create(instance);
  DmlVulkanDevice vulkan = device.vulkan();
  DmlDeviceRequest request{};
  request.getInstanceProcAddr = vulkan.getInstanceProcAddr;
  request.instance = vulkan.instance;
  request.physicalDevice = vulkan.physicalDevice;
  request.apiVersion = vulkan.apiVersion;
  auto requirements = dml::DeviceRequirements::create(request);
  EXPECT_EQ(requirements.info().device.enabledFeatures, vulkan.enabledFeatures);
  dml::Device adopted = dml::Device::adopt(vulkan);
  EXPECT_EQ(adopted.info().features, device.info().features);
  adopted.setPipelineCache(device.pipelineCache());
}
