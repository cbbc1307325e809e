//===- RecordingTest.cpp - What recording and submitting take -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Tests, by counting allocations and calls of Vulkan, that recording allocates
// nothing, and that repeated submissions do not accumulate objects.
//
//===----------------------------------------------------------------------===//

#include "AllocationCounter.h"
#include "Device.h"
#include "DiscreteVulkan.h"
#include "FaultyVulkan.h"
#include "TestExecutables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace dml::test;

namespace {

/// One of Vulkan's functions, within the test's class.
#define DML_CALL(name) find<PFN_##name>(#name)

class Recording : public testing::Test {
protected:
  void SetUp() override {
    setNextLoader(openVulkanLoader());
    setVulkanFault({});
    DmlInstanceCreateInfo info{};
    info.getInstanceProcAddr = faultyGetInstanceProcAddr;
    DmlResult result = dmlCreateInstance(&info, &instance, nullptr);
    DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                           dmlGetDeviceCount(instance) != 0)
    ASSERT_EQ(dmlCreateDevice(instance, nullptr, &device, nullptr),
              DML_SUCCESS);
    std::vector<uint8_t> bytes = write(*makeArithmetic());
    ASSERT_EQ(dmlCreateExecutable(bytes.data(), bytes.size(), nullptr,
                                  &executable, nullptr),
              DML_SUCCESS);
    ASSERT_EQ(dmlCreateProgram(device, executable, &program, nullptr),
              DML_SUCCESS);
    DmlBindingTableCreateInfo tableInfo{};
    tableInfo.timestamps = true;
    ASSERT_EQ(dmlCreateBindingTable(program, &tableInfo, &table, nullptr),
              DML_SUCCESS);
    for (DmlBuffer &buffer : buffers)
      ASSERT_EQ(
          dmlCreateBuffer(device, 512, DML_MEMORY_DEVICE, &buffer, nullptr),
          DML_SUCCESS);
    std::iota(a.begin(), a.end(), 1.0f);
    std::iota(b.begin(), b.end(), 1000.0f);
    ASSERT_EQ(dmlWriteBuffer(buffers[0], 0, a.data(), 512, nullptr),
              DML_SUCCESS);
    ASSERT_EQ(dmlWriteBuffer(buffers[1], 0, b.data(), 512, nullptr),
              DML_SUCCESS);
    bindAll();
    createCommands();
  }
  void TearDown() override {
    if (pool)
      DML_CALL(vkDestroyCommandPool)(vulkan.device, pool, nullptr);
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

  void bindAll() {
    for (uint32_t i = 0; i < 4; ++i) {
      DmlBufferInfo info{};
      dmlGetBufferInfo(buffers[i], &info);
      DmlBufferRange range = {info.buffer, 0, info.size};
      ASSERT_EQ(i < 2 ? dmlBindInput(table, i, &range, nullptr)
                      : dmlBindOutput(table, i - 2, &range, nullptr),
                DML_SUCCESS);
    }
  }

  /// One of Vulkan's functions as the caller calls it.
  template <typename Function> Function find(const char *name) {
    return reinterpret_cast<Function>(
        openVulkanLoader()(vulkan.instance, name));
  }

  void createCommands() {
    dmlGetVulkanDevice(device, &vulkan);
    VkCommandPoolCreateInfo poolInfo{
        VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.queueFamilyIndex = vulkan.queueFamilyIndex;
    ASSERT_EQ(
        DML_CALL(vkCreateCommandPool)(vulkan.device, &poolInfo, nullptr, &pool),
        VK_SUCCESS);
    VkCommandBufferAllocateInfo info{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool;
    info.commandBufferCount = 2;
    ASSERT_EQ(
        DML_CALL(vkAllocateCommandBuffers)(vulkan.device, &info, commands),
        VK_SUCCESS);
    VkCommandBufferBeginInfo beginInfo{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    for (VkCommandBuffer each : commands)
      ASSERT_EQ(DML_CALL(vkBeginCommandBuffer)(each, &beginInfo), VK_SUCCESS);
  }

  /// Ends a command buffer, submits it and waits for it.
  void execute(VkCommandBuffer each) {
    ASSERT_EQ(DML_CALL(vkEndCommandBuffer)(each), VK_SUCCESS);
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &each;
    ASSERT_EQ(DML_CALL(vkQueueSubmit)(vulkan.queue, 1, &info, VK_NULL_HANDLE),
              VK_SUCCESS);
    ASSERT_EQ(DML_CALL(vkQueueWaitIdle)(vulkan.queue), VK_SUCCESS);
  }

  void expectResults() {
    std::vector<float> sum(128), reversed(128);
    ASSERT_EQ(dmlReadBuffer(buffers[2], 0, sum.data(), 512, nullptr),
              DML_SUCCESS);
    ASSERT_EQ(dmlReadBuffer(buffers[3], 0, reversed.data(), 512, nullptr),
              DML_SUCCESS);
    for (size_t i = 0; i < 128; ++i) {
      ASSERT_EQ(sum[i], a[i] + b[i]);
      ASSERT_EQ(reversed[i], sum[i / 64 * 64 + 63 - i % 64]);
    }
  }

  /// Expects that `call` succeeds, allocates no memory, and calls no function
  /// of Vulkan that can fail. All functions that allocate, submit or wait can
  /// fail.
  template <typename Call> void expectTakesNothing(Call call) {
    std::map<std::string, uint32_t> calls = countVulkanCalls();
    size_t before = allocations.count;
    DmlResult result = call();
    size_t after = allocations.count;
    EXPECT_EQ(result, DML_SUCCESS);
    EXPECT_EQ(after, before);
    EXPECT_EQ(countVulkanCalls(), calls);
  }

  DmlInstance instance = nullptr;
  DmlDevice device = nullptr;
  DmlExecutable executable = nullptr;
  DmlProgram program = nullptr;
  DmlBindingTable table = nullptr;
  DmlBuffer buffers[4] = {};
  DmlVulkanDevice vulkan{};
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands[2] = {};
  std::vector<float> a = std::vector<float>(128), b = a;
};

} // namespace

TEST_F(Recording, TakesNothing) {
  ASSERT_EQ(dmlBindTemporary(table, nullptr, nullptr), DML_SUCCESS);
  expectTakesNothing(
      [&] { return dmlRecordFunction(table, commands[0], nullptr); });
  execute(commands[0]);
  expectResults();
  // Descriptors are written anew.
  bindAll();
  expectTakesNothing(
      [&] { return dmlRecordSteps(table, commands[1], 0, 2, nullptr); });
  expectTakesNothing(
      [&] { return dmlRecordSteps(table, commands[1], 2, 1, nullptr); });
  execute(commands[1]);
  expectResults();
}

TEST_F(Recording, RefusesWithoutTemporaryMemory) {
  EXPECT_EQ(dmlRecordFunction(table, commands[0], nullptr),
            DML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(dmlRecordSteps(table, commands[0], 0, 1, nullptr),
            DML_ERROR_INVALID_ARGUMENT);
}

TEST_F(Recording, MeasuresWholeRuns) {
  uint64_t time = 0;
  DmlBindingTable withSteps = table;
  EXPECT_EQ(dmlGetRunTime(withSteps, &time, nullptr),
            DML_ERROR_INVALID_ARGUMENT);
  DmlBindingTableCreateInfo info{};
  info.runTimestamps = true;
  ASSERT_EQ(dmlCreateBindingTable(program, &info, &table, nullptr),
            DML_SUCCESS);
  bindAll();
  ASSERT_EQ(dmlBindTemporary(table, nullptr, nullptr), DML_SUCCESS);
  ASSERT_EQ(dmlRecordSteps(table, commands[0], 0, 3, nullptr), DML_SUCCESS);
  execute(commands[0]);
  // Only a whole function has timestamps.
  EXPECT_EQ(dmlGetRunTime(table, &time, nullptr), DML_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(dmlRecordFunction(table, commands[1], nullptr), DML_SUCCESS);
  execute(commands[1]);
  expectResults();
  EXPECT_EQ(dmlGetRunTime(table, &time, nullptr), DML_SUCCESS);
  EXPECT_NE(time, 0u);
  EXPECT_EQ(dmlGetRunTime(table, nullptr, nullptr), DML_ERROR_INVALID_ARGUMENT);
  dmlDestroyBindingTable(table);
  table = withSteps;
}

TEST_F(Recording, RangesInSeveralSubmissionsAreTheFunction) {
  ASSERT_EQ(dmlBindTemporary(table, nullptr, nullptr), DML_SUCCESS);
  DmlStepTime times[3];
  ASSERT_EQ(dmlRecordSteps(table, commands[0], 0, 1, nullptr), DML_SUCCESS);
  execute(commands[0]);
  EXPECT_EQ(dmlGetStepTimes(table, 0, 1, times, nullptr), DML_SUCCESS);
  EXPECT_EQ(dmlGetStepTimes(table, 0, 3, times, nullptr),
            DML_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(dmlRecordSteps(table, commands[1], 1, 2, nullptr), DML_SUCCESS);
  execute(commands[1]);
  expectResults();
  EXPECT_EQ(dmlGetStepTimes(table, 1, 2, times, nullptr), DML_SUCCESS);
  EXPECT_EQ(times[0].begin, 0u);
  EXPECT_EQ(dmlRecordSteps(table, commands[1], 1, 3, nullptr),
            DML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(dmlRecordSteps(table, commands[1], UINT32_MAX, UINT32_MAX, nullptr),
            DML_ERROR_INVALID_ARGUMENT);
}

// Fences are used again, and nothing else is made for a submission.
TEST_F(Recording, TenThousandSubmissionsKeepMemoryFlat) {
  ASSERT_EQ(dmlSubmit(table, nullptr, nullptr), DML_SUCCESS);
  std::map<std::string, uint32_t> calls = countVulkanCalls();
  size_t live = 0;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(dmlSubmit(table, nullptr, nullptr), DML_SUCCESS);
    if (i == 1000)
      live = allocations.live;
  }
  // The loader of the test keeps a list of objects for each fence.
  EXPECT_LT(allocations.live, live + (1 << 18));
  ASSERT_EQ(dmlWait(table, UINT64_MAX, nullptr), DML_SUCCESS);
  std::map<std::string, uint32_t> after = countVulkanCalls();
  EXPECT_EQ(after["vkQueueSubmit"], calls["vkQueueSubmit"] + 10000);
  EXPECT_LE(after["vkCreateFence"],
            calls["vkCreateFence"] + DML_MAX_SUBMISSIONS);
  for (const char *function :
       {"vkAllocateMemory", "vkCreateCommandPool", "vkAllocateCommandBuffers",
        "vkBeginCommandBuffer", "vkCreateDescriptorPool"})
    EXPECT_EQ(after[function], calls[function]) << function;
  expectResults();
}

namespace {

/// Recordings of a table whose buffers are bound anew between submissions.
class Rebinding : public Recording {
protected:
  void bind(uint32_t index, VkBuffer buffer, uint64_t offset = 0) {
    DmlBufferRange range = {buffer, offset, 512};
    ASSERT_EQ(index < 2 ? dmlBindInput(table, index, &range, nullptr)
                        : dmlBindOutput(table, index - 2, &range, nullptr),
              DML_SUCCESS);
  }
  void bind(uint32_t index, DmlBuffer buffer, uint64_t offset = 0) {
    DmlBufferInfo info{};
    dmlGetBufferInfo(buffer, &info);
    bind(index, info.buffer, offset);
  }

  /// Submits, and returns how many command buffers were recorded for that.
  uint32_t submit() {
    std::map<std::string, uint32_t> before = countVulkanCalls();
    EXPECT_EQ(dmlSubmit(table, nullptr, nullptr), DML_SUCCESS);
    uint32_t count = countVulkanCalls()["vkBeginCommandBuffer"] -
                     before["vkBeginCommandBuffer"];
    EXPECT_EQ(dmlWait(table, UINT64_MAX, nullptr), DML_SUCCESS);
    return count;
  }

  void expectSum(DmlBuffer buffer, uint64_t offset = 0) {
    std::vector<float> sum(128);
    ASSERT_EQ(dmlReadBuffer(buffer, offset, sum.data(), 512, nullptr),
              DML_SUCCESS);
    for (size_t i = 0; i < 128; ++i)
      ASSERT_EQ(sum[i], a[i] + b[i]);
    std::vector<float> zeros(128);
    ASSERT_EQ(dmlWriteBuffer(buffer, offset, zeros.data(), 512, nullptr),
              DML_SUCCESS);
  }
};

} // namespace

TEST_F(Rebinding, KeepsTheCommandsOfSetsInTurn) {
  DmlBuffer other = nullptr;
  ASSERT_EQ(dmlCreateBuffer(device, 1024, DML_MEMORY_DEVICE, &other, nullptr),
            DML_SUCCESS);
  for (int i = 0; i < 10; ++i) {
    bind(2, buffers[2]);
    EXPECT_EQ(submit(), i == 0) << i;
    expectSum(buffers[2]);
    bind(2, other);
    EXPECT_EQ(submit(), i == 0) << i;
    expectSum(other);
    // Another offset is another set.
    bind(2, other, 512);
    EXPECT_EQ(submit(), i == 0) << i;
    expectSum(other, 512);
  }
  dmlDestroyBuffer(other);
}

TEST_F(Rebinding, KeepsFewRecordings) {
  DmlBuffer other = nullptr;
  ASSERT_EQ(
      dmlCreateBuffer(device, 8 * 512, DML_MEMORY_DEVICE, &other, nullptr),
      DML_SUCCESS);
  std::map<std::string, uint32_t> before = countVulkanCalls();
  for (int i = 0; i < 100; ++i) {
    bind(2, other, i % 8 * 512);
    EXPECT_EQ(submit(), 1u) << i;
    expectSum(other, i % 8 * 512);
  }
  std::map<std::string, uint32_t> after = countVulkanCalls();
  EXPECT_EQ(after["vkCreateDescriptorPool"],
            before["vkCreateDescriptorPool"] + 3);
  // The last four sets are known.
  for (int i = 96; i < 100; ++i) {
    bind(2, other, i % 8 * 512);
    EXPECT_EQ(submit(), 0u) << i;
    expectSum(other, i % 8 * 512);
  }
  dmlDestroyBuffer(other);
}

// A driver may give the handle of a destroyed buffer to the next one.
TEST_F(Rebinding, KnowsANewBufferFromADestroyedOne) {
  EXPECT_EQ(submit(), 1u);
  for (int i = 0; i < 10; ++i) {
    dmlDestroyBuffer(buffers[2]);
    ASSERT_EQ(
        dmlCreateBuffer(device, 512, DML_MEMORY_DEVICE, &buffers[2], nullptr),
        DML_SUCCESS);
    bind(2, buffers[2]);
    EXPECT_EQ(submit(), 1u) << i;
    expectSum(buffers[2]);
    bind(2, buffers[2]);
    EXPECT_EQ(submit(), 0u) << i;
    expectSum(buffers[2]);
  }
}

TEST_F(Rebinding, RecordsBuffersOfTheCallerAnew) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = 512;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer own = VK_NULL_HANDLE;
  ASSERT_EQ(DML_CALL(vkCreateBuffer)(vulkan.device, &info, nullptr, &own),
            VK_SUCCESS);
  VkMemoryRequirements needs{};
  DML_CALL(vkGetBufferMemoryRequirements)(vulkan.device, own, &needs);
  VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.allocationSize = needs.size;
  while (!(needs.memoryTypeBits >> allocation.memoryTypeIndex & 1))
    ++allocation.memoryTypeIndex;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(
      DML_CALL(vkAllocateMemory)(vulkan.device, &allocation, nullptr, &memory),
      VK_SUCCESS);
  ASSERT_EQ(DML_CALL(vkBindBufferMemory)(vulkan.device, own, memory, 0),
            VK_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    bind(2, own);
    EXPECT_EQ(submit(), 1u) << i;
    EXPECT_EQ(submit(), 0u) << i;
  }
  // One recording is enough for them.
  bind(2, buffers[2]);
  EXPECT_EQ(submit(), 1u);
  expectSum(buffers[2]);
  bind(2, own);
  EXPECT_EQ(submit(), 1u);
  bind(2, buffers[2]);
  EXPECT_EQ(submit(), 0u);
  expectSum(buffers[2]);
  DML_CALL(vkDestroyBuffer)(vulkan.device, own, nullptr);
  DML_CALL(vkFreeMemory)(vulkan.device, memory, nullptr);
}

// The recordings before name the memory of the table, which is gone.
TEST_F(Rebinding, ForgetsRecordingsWithOtherTemporaryMemory) {
  EXPECT_EQ(submit(), 1u);
  DmlBuffer temporary = nullptr;
  ASSERT_EQ(
      dmlCreateBuffer(device, 65536, DML_MEMORY_DEVICE, &temporary, nullptr),
      DML_SUCCESS);
  DmlBufferInfo info{};
  dmlGetBufferInfo(temporary, &info);
  DmlBufferRange range = {info.buffer, 0, info.size};
  ASSERT_EQ(dmlBindTemporary(table, &range, nullptr), DML_SUCCESS);
  EXPECT_EQ(submit(), 1u);
  expectResults();
  ASSERT_EQ(dmlBindTemporary(table, nullptr, nullptr), DML_SUCCESS);
  dmlDestroyBuffer(temporary);
  EXPECT_EQ(submit(), 1u);
  expectResults();
  EXPECT_EQ(submit(), 0u);
}
