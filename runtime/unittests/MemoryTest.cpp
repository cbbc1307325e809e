//===- MemoryTest.cpp - Where the memory of buffers comes from ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Everything runs under the validation layer, which must be silent.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "TestExecutables.h"
#include "dml/runtime.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>

using namespace dml::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

/// An allocator of the caller's, which allocates anew for each buffer.
struct Allocator {
  DmlVulkanDevice vulkan{};
  VkPhysicalDeviceMemoryProperties memory{};
  VkResult result = VK_SUCCESS;
  bool givesNothing = false, maps = true;
  std::atomic<int> live{0}, made{0};
  std::vector<std::string> names;

  template <typename Function> Function find(const char *name) {
    return reinterpret_cast<Function>(
        vulkan.getInstanceProcAddr(vulkan.instance, name));
  }
#define DML_CALL(name) find<PFN_##name>(#name)

  VkResult allocate(const DmlAllocationRequest &request,
                    DmlAllocation &allocation) {
    if (result != VK_SUCCESS || givesNothing)
      return result;
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    // What lies before the buffer shows that the offset counts.
    uint64_t offset = request.requirements.alignment;
    info.allocationSize = offset + request.requirements.size;
    auto fits = [&](uint32_t type, VkMemoryPropertyFlags flags) {
      return request.requirements.memoryTypeBits >> type & 1 &&
             (memory.memoryTypes[type].propertyFlags & flags) == flags;
    };
    VkMemoryPropertyFlags best = request.requiredFlags | request.preferredFlags;
    while (info.memoryTypeIndex < 32 && !fits(info.memoryTypeIndex, best))
      ++info.memoryTypeIndex;
    EXPECT_LT(info.memoryTypeIndex, 32u);
    VkResult made = DML_CALL(vkAllocateMemory)(vulkan.device, &info, nullptr,
                                               &allocation.memory);
    void *mapped = nullptr;
    if (maps && best & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
      EXPECT_EQ(DML_CALL(vkMapMemory)(vulkan.device, allocation.memory, 0,
                                      VK_WHOLE_SIZE, 0, &mapped),
                VK_SUCCESS);
    allocation.offset = offset;
    if (mapped)
      allocation.mapped = static_cast<char *>(mapped) + offset;
    allocation.handle = this;
    names.push_back(request.name);
    ++live;
    ++this->made;
    return made;
  }
  void deallocate(const DmlAllocation &allocation) {
    // What gave nothing has nothing to free.
    if (!allocation.memory)
      return;
    EXPECT_EQ(allocation.handle, this);
    DML_CALL(vkFreeMemory)(vulkan.device, allocation.memory, nullptr);
    --live;
  }
  DmlAllocator describe() {
    DmlAllocator hooks{};
    hooks.userData = this;
    hooks.allocate = [](void *data, const DmlAllocationRequest *request,
                        DmlAllocation *allocation) {
      return static_cast<Allocator *>(data)->allocate(*request, *allocation);
    };
    hooks.deallocate = [](void *data, const DmlAllocation *allocation) {
      static_cast<Allocator *>(data)->deallocate(*allocation);
    };
    return hooks;
  }
};

class BufferMemory : public testing::Test {
protected:
  void SetUp() override {
    DmlInstanceCreateInfo info{};
    info.enableValidation = dml::test::kHasValidation;
    DmlResult result = dmlCreateInstance(&info, &instance, nullptr);
    DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                           dmlGetDeviceCount(instance) != 0)
    ASSERT_EQ(result, DML_SUCCESS);
    ASSERT_EQ(dmlCreateDevice(instance, nullptr, &device, nullptr),
              DML_SUCCESS);
  }
  void TearDown() override {
    for (DmlBuffer buffer : buffers)
      dmlDestroyBuffer(buffer);
    dmlDestroyDevice(device);
    EXPECT_EQ(dmlGetValidationMessageCount(instance), 0u);
    dmlDestroyInstance(instance);
  }

  DmlMemoryUse getUse(DmlDevice of) {
    DmlMemoryUse use{};
    EXPECT_EQ(dmlGetMemoryUse(of, &use, nullptr), DML_SUCCESS);
    return use;
  }
  DmlBuffer create(DmlDevice of, uint64_t size) {
    DmlBuffer buffer = nullptr;
    EXPECT_EQ(dmlCreateBuffer(of, size, DML_MEMORY_DEVICE, &buffer, nullptr),
              DML_SUCCESS);
    return buffer;
  }
  /// The message of an attempt that fails with `result`.
  std::string failToCreate(DmlDevice of, uint64_t size, DmlResult result,
                           DmlMemory memory = DML_MEMORY_DEVICE) {
    DmlBuffer buffer = nullptr;
    DmlError error = nullptr;
    EXPECT_EQ(dmlCreateBuffer(of, size, memory, &buffer, &error), result);
    std::string message = dmlGetErrorMessage(error);
    dmlDestroyError(error);
    EXPECT_EQ(buffer, nullptr);
    return message;
  }
  /// Each buffer holds its number in each byte.
  void fill(size_t i) {
    std::vector<uint8_t> bytes(getSize(i), static_cast<uint8_t>(i + 1));
    ASSERT_EQ(
        dmlWriteBuffer(buffers[i], 0, bytes.data(), bytes.size(), nullptr),
        DML_SUCCESS);
  }
  void expectFilled(size_t i) {
    std::vector<uint8_t> bytes(getSize(i));
    ASSERT_EQ(dmlReadBuffer(buffers[i], 0, bytes.data(), bytes.size(), nullptr),
              DML_SUCCESS);
    EXPECT_THAT(bytes, testing::Each(static_cast<uint8_t>(i + 1)));
  }
  static uint64_t getSize(size_t i) { return 100 + i * 397; }
  static void run(DmlDevice of) {
    std::vector<uint8_t> bytes = write(*makeArithmetic());
    DmlExecutable executable = nullptr;
    DmlProgram program = nullptr;
    ASSERT_EQ(dmlCreateExecutable(bytes.data(), bytes.size(), nullptr,
                                  &executable, nullptr),
              DML_SUCCESS);
    ASSERT_EQ(dmlCreateProgram(of, executable, &program, nullptr), DML_SUCCESS);
    std::vector<float> a(128, 2), b(128, 3), sum(128), reversed(128);
    DmlHostTensor inputs[] = {{a.data(), 512}, {b.data(), 512}};
    DmlHostTensor outputs[] = {{sum.data(), 512}, {reversed.data(), 512}};
    EXPECT_EQ(dmlRunFunction(program, 0, inputs, 2, outputs, 2, nullptr),
              DML_SUCCESS);
    EXPECT_EQ(reversed, std::vector<float>(128, 5));
    dmlDestroyProgram(program);
    dmlDestroyExecutable(executable);
  }

  DmlInstance instance = nullptr;
  DmlDevice device = nullptr;
  std::vector<DmlBuffer> buffers;
};

} // namespace

TEST_F(BufferMemory, IsSharedBySmallBuffers) {
  constexpr size_t kCount = 100;
  for (size_t i = 0; i < kCount; ++i)
    buffers.push_back(create(device, getSize(i)));
  // All fit into one block, and copies may go through another.
  EXPECT_LE(getUse(device).allocationCount, 3u);
  for (size_t i = 0; i < kCount; ++i)
    fill(i);
  // Buffers that come and go leave the others alone.
  for (size_t round = 2; round < 5; ++round) {
    for (size_t i = 0; i < kCount; i += round) {
      dmlDestroyBuffer(buffers[i]);
      buffers[i] = nullptr;
    }
    for (size_t i = 0; i < kCount; i += round)
      buffers[i] = create(device, getSize(i));
    for (size_t i = 0; i < kCount; i += round)
      fill(i);
    for (size_t i = 0; i < kCount; ++i)
      expectFilled(i);
  }
  DmlMemoryUse use = getUse(device);
  EXPECT_LE(use.allocationCount, 3u);
  EXPECT_GE(use.peak, use.used);
  // What is large has an allocation of its own, which ends with it.
  DmlBuffer large = create(device, uint64_t(16) << 20);
  EXPECT_EQ(getUse(device).allocationCount, use.allocationCount + 1);
  EXPECT_GE(getUse(device).used, use.used + (uint64_t(16) << 20));
  dmlDestroyBuffer(large);
  EXPECT_EQ(getUse(device).used, use.used);
  EXPECT_GE(getUse(device).peak, use.used + (uint64_t(16) << 20));
  for (DmlBuffer &buffer : buffers) {
    dmlDestroyBuffer(buffer);
    buffer = nullptr;
  }
  // A block stays for the buffers to come.
  EXPECT_LE(getUse(device).used, uint64_t(3) << 23);
}

TEST_F(BufferMemory, IsNotSharedWhereAccessIsRobust) {
  DmlDeviceCreateInfo info{};
  info.robustBufferAccess = true;
  DmlDevice robust = nullptr;
  // Vulkan requires robustBufferAccess of every device.
  ASSERT_EQ(dmlCreateDevice(instance, &info, &robust, nullptr), DML_SUCCESS);
  DmlBuffer one = create(robust, 512), two = create(robust, 512);
  EXPECT_EQ(getUse(robust).allocationCount, 2u);
  dmlDestroyBuffer(one);
  dmlDestroyBuffer(two);
  EXPECT_EQ(getUse(robust).used, 0u);
  dmlDestroyDevice(robust);
}

TEST_F(BufferMemory, KeepsToItsBudget) {
  dmlSetMemoryBudget(device, 10000);
  DmlBuffer first = create(device, 6000);
  uint64_t used = getUse(device).used;
  EXPECT_GE(used, 6000u);
  EXPECT_LE(used, 10000u);
  EXPECT_EQ(getUse(device).budget, 10000u);
  EXPECT_THAT(failToCreate(device, 6000, DML_ERROR_OUT_OF_MEMORY),
              AllOf(HasSubstr("buffer: 6"), HasSubstr("bytes are wanted"),
                    HasSubstr(std::to_string(used) +
                              " bytes of the device's memory budget of 10000 "
                              "bytes are used")));
  dmlDestroyBuffer(first);
  EXPECT_EQ(getUse(device).used, 0u);
  dmlDestroyBuffer(create(device, 6000));
  // A lower budget than what is used takes nothing away.
  DmlBuffer second = create(device, 6000);
  dmlSetMemoryBudget(device, 1);
  EXPECT_THAT(failToCreate(device, 16, DML_ERROR_OUT_OF_MEMORY),
              HasSubstr("budget of 1 bytes"));
  dmlSetMemoryBudget(device, 0);
  run(device);
  dmlDestroyBuffer(second);
}

TEST_F(BufferMemory, ComesFromTheCallersAllocator) {
  Allocator allocator;
  dmlGetVulkanDevice(device, &allocator.vulkan);
  allocator.find<PFN_vkGetPhysicalDeviceMemoryProperties>(
      "vkGetPhysicalDeviceMemoryProperties")(allocator.vulkan.physicalDevice,
                                             &allocator.memory);
  DmlAllocator hooks = allocator.describe();
  DmlVulkanDevice vulkan = allocator.vulkan;
  vulkan.allocator = &hooks;
  DmlDevice adopted = nullptr;
  ASSERT_EQ(dmlAdoptDevice(&vulkan, &adopted, nullptr), DML_SUCCESS);
  run(adopted);
  EXPECT_GE(allocator.made, 5);
  EXPECT_EQ(allocator.live, 0);
  EXPECT_THAT(allocator.names, testing::Contains("constant buffer"));
  EXPECT_EQ(getUse(adopted).used, 0u);
  EXPECT_GT(getUse(adopted).peak, 0u);

  DmlBuffer buffer = create(adopted, 100);
  EXPECT_EQ(getUse(adopted).allocationCount, 1u);
  allocator.result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_THAT(failToCreate(adopted, 100, DML_ERROR_OUT_OF_MEMORY),
              HasSubstr("the caller's allocator of"));
  allocator.result = VK_SUCCESS;
  allocator.givesNothing = true;
  EXPECT_THAT(failToCreate(adopted, 100, DML_ERROR_INVALID_ARGUMENT),
              HasSubstr("gave memory that is VK_NULL_HANDLE"));
  allocator.givesNothing = false;
  allocator.maps = false;
  EXPECT_THAT(
      failToCreate(adopted, 100, DML_ERROR_INVALID_ARGUMENT, DML_MEMORY_UPLOAD),
      HasSubstr("gave memory that is not mapped"));
  dmlSetMemoryBudget(adopted, 150);
  EXPECT_THAT(failToCreate(adopted, 200, DML_ERROR_OUT_OF_MEMORY),
              HasSubstr("budget of 150 bytes"));
  EXPECT_EQ(getUse(adopted).allocationCount, 1u);
  dmlDestroyBuffer(buffer);
  EXPECT_EQ(allocator.live, 0);
  dmlDestroyDevice(adopted);

  hooks.deallocate = nullptr;
  DmlError error = nullptr;
  EXPECT_EQ(dmlAdoptDevice(&vulkan, &adopted, &error),
            DML_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(dmlGetErrorMessage(error), HasSubstr("both allocate and"));
  dmlDestroyError(error);
}

TEST_F(BufferMemory, IsReportedAsTheDeviceDoes) {
  DmlVulkanDevice vulkan{};
  dmlGetVulkanDevice(device, &vulkan);
  auto list = reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(
      vulkan.getInstanceProcAddr(vulkan.instance,
                                 "vkEnumerateDeviceExtensionProperties"));
  uint32_t count = 0;
  ASSERT_EQ(list(vulkan.physicalDevice, nullptr, &count, nullptr), VK_SUCCESS);
  std::vector<VkExtensionProperties> extensions(count);
  ASSERT_EQ(list(vulkan.physicalDevice, nullptr, &count, extensions.data()),
            VK_SUCCESS);
  bool has = std::any_of(extensions.begin(), extensions.end(),
                         [](const auto &extension) {
                           return std::string(extension.extensionName) ==
                                  VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
                         });
  EXPECT_EQ(getUse(device).heapBudget != 0, has);
}
