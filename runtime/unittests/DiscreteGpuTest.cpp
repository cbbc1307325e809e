//===- DiscreteGpuTest.cpp - Buffers that the host does not see -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "DiscreteVulkan.h"
#include "TestExecutables.h"

#include "gtest/gtest.h"

using namespace dml::test;

TEST(DiscreteGpu, GoesThroughStagingBuffers) {
  DmlInstanceCreateInfo instanceInfo{};
  instanceInfo.getInstanceProcAddr = discreteGetInstanceProcAddr;
  instanceInfo.enableValidation = dml::test::kHasValidation;
  DmlInstance instance = nullptr;
  DmlResult result = dmlCreateInstance(&instanceInfo, &instance, nullptr);
  DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                         dmlGetDeviceCount(instance) != 0)
  ASSERT_EQ(result, DML_SUCCESS);
  DmlDevice device = nullptr;
  ASSERT_EQ(dmlCreateDevice(instance, nullptr, &device, nullptr), DML_SUCCESS);

  DmlBuffer buffer = nullptr;
  DmlBufferInfo info{};
  // The size exceeds one staging buffer, and is not a multiple of its size.
  constexpr size_t kSize = (size_t(5) << 20) + 4096 + 12;
  ASSERT_EQ(dmlCreateBuffer(device, kSize, DML_MEMORY_DEVICE, &buffer, nullptr),
            DML_SUCCESS);
  dmlGetBufferInfo(buffer, &info);
  EXPECT_EQ(info.mapped, nullptr);
  std::vector<uint32_t> values(kSize / 4), back(kSize / 4 - 2);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint32_t>(i * 2654435761u);
  ASSERT_EQ(dmlWriteBuffer(buffer, 0, values.data(), kSize, nullptr),
            DML_SUCCESS);
  ASSERT_EQ(dmlReadBuffer(buffer, 8, back.data(), kSize - 8, nullptr),
            DML_SUCCESS);
  EXPECT_TRUE(std::equal(back.begin(), back.end(), values.begin() + 2));
  dmlDestroyBuffer(buffer);

  // Constants, inputs, temporary and outputs, all out of sight.
  std::vector<uint8_t> bytes = write(*makeArithmetic());
  DmlExecutable executable = nullptr;
  DmlProgram program = nullptr;
  ASSERT_EQ(dmlCreateExecutable(bytes.data(), bytes.size(), nullptr,
                                &executable, nullptr),
            DML_SUCCESS);
  ASSERT_EQ(dmlCreateProgram(device, executable, &program, nullptr),
            DML_SUCCESS);
  std::vector<float> a(128, 2), b(128, 3), sum(128), reversed(128);
  DmlHostTensor inputs[] = {{a.data(), 512}, {b.data(), 512}};
  DmlHostTensor outputs[] = {{sum.data(), 512}, {reversed.data(), 512}};
  EXPECT_EQ(dmlRunFunction(program, 0, inputs, 2, outputs, 2, nullptr),
            DML_SUCCESS);
  EXPECT_EQ(reversed, std::vector<float>(128, 5));
  EXPECT_EQ(dmlRunFunction(program, 1, inputs, 1, outputs, 1, nullptr),
            DML_SUCCESS);
  EXPECT_EQ(sum[127], 129);

  dmlDestroyProgram(program);
  dmlDestroyExecutable(executable);
  dmlDestroyDevice(device);
  EXPECT_EQ(dmlGetValidationMessageCount(instance), 0u);
  dmlDestroyInstance(instance);
}

// The arena of a chain has 512 bytes, in two ranges of 256.
TEST(DiscreteGpu, CutsTheArenaIntoBuffersThatItAllocates) {
  setDiscreteAllocationSize(256);
  DmlInstanceCreateInfo instanceInfo{};
  instanceInfo.getInstanceProcAddr = discreteGetInstanceProcAddr;
  instanceInfo.enableValidation = dml::test::kHasValidation;
  DmlInstance instance = nullptr;
  DmlResult result = dmlCreateInstance(&instanceInfo, &instance, nullptr);
  setDiscreteAllocationSize(0);
  DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                         dmlGetDeviceCount(instance) != 0)
  ASSERT_EQ(result, DML_SUCCESS);
  DmlDevice device = nullptr;
  ASSERT_EQ(dmlCreateDevice(instance, nullptr, &device, nullptr), DML_SUCCESS);
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device, &info);
  ASSERT_EQ(info.limits.maxMemoryAllocationSize, 256u);

  std::vector<uint8_t> bytes = write(*makeChain(4));
  DmlExecutable executable = nullptr;
  DmlProgram program = nullptr;
  ASSERT_EQ(dmlCreateExecutable(bytes.data(), bytes.size(), nullptr,
                                &executable, nullptr),
            DML_SUCCESS);
  DmlFunctionInfo function{};
  ASSERT_EQ(dmlGetFunctionInfo(executable, 0, &function, nullptr), DML_SUCCESS);
  EXPECT_EQ(function.temporarySize, 512u);
  ASSERT_EQ(dmlCreateProgram(device, executable, &program, nullptr),
            DML_SUCCESS);
  std::vector<uint32_t> a(32, 5), b(32), wanted(32, 5);
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t &value : wanted)
      value = 3 * value + i;
  DmlHostTensor input{a.data(), 128}, output{b.data(), 128};
  EXPECT_EQ(dmlRunFunction(program, 0, &input, 1, &output, 1, nullptr),
            DML_SUCCESS);
  EXPECT_EQ(b, wanted);

  dmlDestroyProgram(program);
  dmlDestroyExecutable(executable);
  dmlDestroyDevice(device);
  EXPECT_EQ(dmlGetValidationMessageCount(instance), 0u);
  dmlDestroyInstance(instance);
}
