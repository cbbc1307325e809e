//===- LoopTest.cpp - Loops over steps on a device ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Runs the loop of makeLoop() in one piece, in ranges of steps, and on a device
// that has no dynamic offsets for all ranges that advance.
//
//===----------------------------------------------------------------------===//

#include "AllocationCounter.h"
#include "Device.h"
#include "DiscreteVulkan.h"
#include "FaultyVulkan.h"
#include "TestExecutables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace dml::test;

namespace {

PFN_vkGetPhysicalDeviceProperties realGetProperties = nullptr;

/// Says that a device has one dynamic offset, too few for the loop's kernel.
void VKAPI_CALL getFewOffsets(VkPhysicalDevice device,
                              VkPhysicalDeviceProperties *properties) {
  realGetProperties(device, properties);
  properties->limits.maxDescriptorSetStorageBuffersDynamic = 1;
}

PFN_vkVoidFunction VKAPI_CALL getProcAddrOfFewOffsets(VkInstance instance,
                                                      const char *name) {
  PFN_vkVoidFunction found = openVulkanLoader()(instance, name);
  if (std::strcmp(name, "vkGetPhysicalDeviceProperties") != 0)
    return found;
  realGetProperties =
      reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(getFewOffsets);
}

/// The parameter tells whether the device has too few dynamic offsets.
class LoopOnDevice : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    setNextLoader(GetParam() ? getProcAddrOfFewOffsets : openVulkanLoader());
    setVulkanFault({});
    DmlInstanceCreateInfo info{};
    info.getInstanceProcAddr = faultyGetInstanceProcAddr;
    DmlResult result = dmlCreateInstance(&info, &instance, nullptr);
    DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                           dmlGetDeviceCount(instance) != 0)
    ASSERT_EQ(dmlCreateDevice(instance, nullptr, &device, nullptr),
              DML_SUCCESS);
    dmlGetVulkanDevice(device, &vulkan);
  }
  void TearDown() override {
    dmlDestroyBindingTable(table);
    for (DmlBuffer buffer : buffers)
      dmlDestroyBuffer(buffer);
    dmlDestroyProgram(program);
    dmlDestroyExecutable(executable);
    dmlDestroyDevice(device);
    dmlDestroyInstance(instance);
    EXPECT_THAT(listVulkanMisuses(), testing::IsEmpty());
    EXPECT_THAT(listLiveObjects(), testing::IsEmpty());
  }

  /// Makes a table of a loop of `rows` iterations, with all buffers bound.
  void create(uint32_t rows, bool timestamps) {
    count = rows;
    std::vector<uint8_t> bytes = write(*makeLoop(rows));
    ASSERT_EQ(dmlCreateExecutable(bytes.data(), bytes.size(), nullptr,
                                  &executable, nullptr),
              DML_SUCCESS);
    ASSERT_EQ(dmlCreateProgram(device, executable, &program, nullptr),
              DML_SUCCESS);
    DmlBindingTableCreateInfo info{};
    info.timestamps = timestamps;
    ASSERT_EQ(dmlCreateBindingTable(program, &info, &table, nullptr),
              DML_SUCCESS);
    const uint64_t sizes[] = {rows * uint64_t(512), 512, rows * uint64_t(512)};
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(dmlCreateBuffer(device, sizes[i], DML_MEMORY_DEVICE,
                                &buffers[i], nullptr),
                DML_SUCCESS);
    std::vector<float> a(rows * size_t(128)), start(128, 3);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(i % 7);
    ASSERT_EQ(dmlWriteBuffer(buffers[0], 0, a.data(), sizes[0], nullptr),
              DML_SUCCESS);
    ASSERT_EQ(dmlWriteBuffer(buffers[1], 0, start.data(), 512, nullptr),
              DML_SUCCESS);
    for (uint32_t i = 0; i < 3; ++i) {
      DmlBufferInfo bufferInfo{};
      dmlGetBufferInfo(buffers[i], &bufferInfo);
      DmlBufferRange range = {bufferInfo.buffer, 0, bufferInfo.size};
      ASSERT_EQ(i < 2 ? dmlBindInput(table, i, &range, nullptr)
                      : dmlBindOutput(table, 0, &range, nullptr),
                DML_SUCCESS);
    }
    ASSERT_EQ(dmlBindTemporary(table, nullptr, nullptr), DML_SUCCESS);
  }

  void expectSums() {
    std::vector<float> sums(count * size_t(128)), wanted(128, 3);
    ASSERT_EQ(
        dmlReadBuffer(buffers[2], 0, sums.data(), sums.size() * 4, nullptr),
        DML_SUCCESS);
    for (uint32_t row = 0; row < count; ++row)
      for (size_t i = 0; i < 128; ++i) {
        wanted[i] += static_cast<float>((row * size_t(128) + i) % 7);
        ASSERT_EQ(sums[(count - 1 - row) * size_t(128) + i], wanted[i])
            << "row " << row << ", element " << i;
      }
  }

  template <typename Function> Function find(const char *name) {
    return reinterpret_cast<Function>(
        openVulkanLoader()(vulkan.instance, name));
  }

  DmlInstance instance = nullptr;
  DmlDevice device = nullptr;
  DmlVulkanDevice vulkan{};
  DmlExecutable executable = nullptr;
  DmlProgram program = nullptr;
  DmlBindingTable table = nullptr;
  DmlBuffer buffers[3] = {};
  uint32_t count = 0;
};

} // namespace

TEST_P(LoopOnDevice, RunsAllIterations) {
  create(5, /*timestamps=*/true);
  DmlVariantInfo info{};
  ASSERT_EQ(dmlGetVariantInfo(executable, 0, 0, &info, nullptr), DML_SUCCESS);
  EXPECT_EQ(info.stepCount, 11u);
  DmlStepInfo step{};
  ASSERT_EQ(dmlGetStepInfo(executable, 0, 0, 10, &step, nullptr), DML_SUCCESS);
  EXPECT_STREQ(step.label, "test.copy");
  EXPECT_EQ(dmlGetStepInfo(executable, 0, 0, 11, &step, nullptr),
            DML_ERROR_INVALID_ARGUMENT);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(dmlSubmit(table, nullptr, nullptr), DML_SUCCESS);
    ASSERT_EQ(dmlWait(table, UINT64_MAX, nullptr), DML_SUCCESS);
    expectSums();
  }
  std::vector<DmlStepTime> times(11);
  EXPECT_EQ(dmlGetStepTimes(table, 0, 11, times.data(), nullptr), DML_SUCCESS);
}

// More steps than one submission has: the commands are divided, and submitted
// by one call.
TEST_P(LoopOnDevice, DividesLongLoops) {
  create(5000, /*timestamps=*/false);
  std::map<std::string, uint32_t> calls = countVulkanCalls();
  ASSERT_EQ(dmlSubmit(table, nullptr, nullptr), DML_SUCCESS);
  ASSERT_EQ(dmlWait(table, UINT64_MAX, nullptr), DML_SUCCESS);
  std::map<std::string, uint32_t> after = countVulkanCalls();
  EXPECT_EQ(after["vkBeginCommandBuffer"], calls["vkBeginCommandBuffer"] + 2);
  EXPECT_EQ(after["vkQueueSubmit"], calls["vkQueueSubmit"] + 1);
  expectSums();
}

// Ranges of steps that begin and end within iterations, without allocations.
TEST_P(LoopOnDevice, RecordsRangesOfSteps) {
  create(7, /*timestamps=*/false);
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = vulkan.queueFamilyIndex;
  VkCommandPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(find<PFN_vkCreateCommandPool>("vkCreateCommandPool")(
                vulkan.device, &poolInfo, nullptr, &pool),
            VK_SUCCESS);
  VkCommandBufferAllocateInfo info{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  ASSERT_EQ(find<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(
                vulkan.device, &info, &commands),
            VK_SUCCESS);
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  ASSERT_EQ(
      find<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(commands, &begin),
      VK_SUCCESS);
  size_t before = allocations.count;
  for (auto [first, steps] : {std::pair(0u, 2u), {2u, 5u}, {7u, 1u}, {8u, 7u}})
    EXPECT_EQ(dmlRecordSteps(table, commands, first, steps, nullptr),
              DML_SUCCESS);
  EXPECT_EQ(allocations.count, before);
  EXPECT_EQ(dmlRecordSteps(table, commands, 15, 1, nullptr),
            DML_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(find<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(commands),
            VK_SUCCESS);
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  ASSERT_EQ(find<PFN_vkQueueSubmit>("vkQueueSubmit")(vulkan.queue, 1, &submit,
                                                     VK_NULL_HANDLE),
            VK_SUCCESS);
  ASSERT_EQ(find<PFN_vkQueueWaitIdle>("vkQueueWaitIdle")(vulkan.queue),
            VK_SUCCESS);
  find<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(vulkan.device, pool,
                                                         nullptr);
  expectSums();
}

INSTANTIATE_TEST_SUITE_P(DynamicOffsets, LoopOnDevice, testing::Bool());
