//===- FaultTest.cpp - Each call of Vulkan fails, each allocation too -----===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Runs flows (sequences of calls of the library) again and again. In each run,
// another call of Vulkan or another allocation fails. Each failure must cause
// one error, the same call must then succeed, results must be correct, and in
// the end no object may be left or have been misused.
//
// If the environment contains DML_FAULT_TABLE, the test prints a table of the
// fault points.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "DiscreteVulkan.h"
#include "FaultyCalls.h"
#include "TestExecutables.h"
#include "Vulkan.h"
#include "support/Runtime.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>

using namespace dml::test;
using dml::runtime::kMaxIncomplete;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

//===----------------------------------------------------------------------===//
// What may fail, and how
//===----------------------------------------------------------------------===//

#define DML_RESULT(name)                                                       \
  { VK_##name, "VK_" #name }
struct NamedResult {
  VkResult result;
  const char *name;
};

/// Returns the errors that Vulkan 1.2 allows a function to return. The list
/// begins with out of host memory and out of device memory.
std::vector<NamedResult> listErrors(const std::string &function) {
  static const std::map<std::string, std::vector<NamedResult>> others = {
      {"vkCreateInstance",
       {DML_RESULT(ERROR_INITIALIZATION_FAILED),
        DML_RESULT(ERROR_LAYER_NOT_PRESENT),
        DML_RESULT(ERROR_EXTENSION_NOT_PRESENT),
        DML_RESULT(ERROR_INCOMPATIBLE_DRIVER)}},
      {"vkEnumerateInstanceExtensionProperties",
       {DML_RESULT(ERROR_LAYER_NOT_PRESENT)}},
      {"vkEnumeratePhysicalDevices", {DML_RESULT(ERROR_INITIALIZATION_FAILED)}},
      {"vkEnumerateDeviceExtensionProperties",
       {DML_RESULT(ERROR_LAYER_NOT_PRESENT)}},
      {"vkCreateDevice",
       {DML_RESULT(ERROR_INITIALIZATION_FAILED),
        DML_RESULT(ERROR_EXTENSION_NOT_PRESENT),
        DML_RESULT(ERROR_FEATURE_NOT_PRESENT),
        DML_RESULT(ERROR_TOO_MANY_OBJECTS), DML_RESULT(ERROR_DEVICE_LOST)}},
      {"vkQueueSubmit", {DML_RESULT(ERROR_DEVICE_LOST)}},
      {"vkAllocateMemory", {DML_RESULT(ERROR_TOO_MANY_OBJECTS)}},
      {"vkMapMemory", {DML_RESULT(ERROR_MEMORY_MAP_FAILED)}},
      {"vkCreateShaderModule", {DML_RESULT(ERROR_INVALID_SHADER_NV)}},
      {"vkCreateComputePipelines", {DML_RESULT(ERROR_INVALID_SHADER_NV)}},
      {"vkCreateDescriptorPool", {DML_RESULT(ERROR_FRAGMENTATION)}},
      {"vkAllocateDescriptorSets",
       {DML_RESULT(ERROR_FRAGMENTED_POOL),
        DML_RESULT(ERROR_OUT_OF_POOL_MEMORY)}},
      {"vkGetFenceStatus", {DML_RESULT(ERROR_DEVICE_LOST)}},
      {"vkWaitForFences", {DML_RESULT(ERROR_DEVICE_LOST), DML_RESULT(TIMEOUT)}},
      {"vkGetQueryPoolResults", {DML_RESULT(ERROR_DEVICE_LOST)}},
  };
  // They return nothing instead.
  if (function == "vkGetInstanceProcAddr" || function == "vkGetDeviceProcAddr")
    return {DML_RESULT(ERROR_UNKNOWN)};
  std::vector<NamedResult> errors = {DML_RESULT(ERROR_OUT_OF_HOST_MEMORY),
                                     DML_RESULT(ERROR_OUT_OF_DEVICE_MEMORY)};
  auto it = others.find(function);
  if (it != others.end())
    errors.insert(errors.end(), it->second.begin(), it->second.end());
  return errors;
}

template <typename Function> constexpr bool returnsResult = false;
template <typename... Args>
constexpr bool returnsResult<VkResult(VKAPI_PTR *)(Args...)> = true;

/// Every function that the library calls and that can fail.
std::set<std::string> listFunctions() {
  std::set<std::string> names = {"vkGetInstanceProcAddr"};
#define DML_ADD(name)                                                          \
  if (returnsResult<PFN_vk##name>)                                             \
    names.insert("vk" #name);
  DML_VULKAN_GLOBAL_FUNCTIONS(DML_ADD)
  DML_VULKAN_INSTANCE_FUNCTIONS(DML_ADD)
  DML_VULKAN_DEBUG_FUNCTIONS(DML_ADD)
  DML_VULKAN_DEVICE_FUNCTIONS(DML_ADD)
#undef DML_ADD
  names.insert("vkGetDeviceProcAddr");
  return names;
}

/// The error that the library makes of a fault.
DmlResult translate(const VulkanFault &fault) {
  if (fault.function == "vkGetInstanceProcAddr" ||
      fault.function == "vkGetDeviceProcAddr")
    return DML_ERROR_UNSUPPORTED;
  switch (fault.result) {
  case VK_ERROR_OUT_OF_HOST_MEMORY:
  case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    return DML_ERROR_OUT_OF_MEMORY;
  case VK_ERROR_DEVICE_LOST:
    return DML_ERROR_DEVICE_LOST;
  case VK_ERROR_INCOMPATIBLE_DRIVER:
    return DML_ERROR_NOT_FOUND;
  case VK_TIMEOUT:
    return DML_ERROR_TIMEOUT;
  default:
    return DML_ERROR_VULKAN;
  }
}

//===----------------------------------------------------------------------===//
// The flows
//===----------------------------------------------------------------------===//

/// A use of the library, from its beginning to its end.
class Flow : public FaultyCalls {
public:
  struct Kind {
    const char *name;
    /// The two parts of the flow, which return false if the flow cannot
    /// continue. Only calls in `run` fail.
    bool (Flow::*prepare)();
    bool (Flow::*run)();
    /// What fails in this flow.
    bool hasVulkanFaults = true, hasMemoryFaults = true;
  };

  Flow() = default;
  ~Flow() {
    // Two devices of the library share one VkDevice, and do not know each
    // other's work. Only the caller knows that all work has ended.
    if (adopted) {
      caller<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(vulkan.device);
      endVulkanWork();
    }
    dmlDestroyBindingTable(table);
    // Late work may still signal the semaphore.
    if (timeline) {
      awaitLateWork();
      caller<PFN_vkDestroySemaphore>("vkDestroySemaphore")(vulkan.device,
                                                           timeline, nullptr);
    }
    if (commandPool)
      caller<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(
          vulkan.device, commandPool, nullptr);
    for (DmlBuffer buffer : buffers)
      dmlDestroyBuffer(buffer);
    dmlDestroyProgram(program);
    dmlDestroyExecutable(executable);
    dmlDestroyDevice(adopted);
    // The caller's device must outlive late work of who adopted it.
    if (adopted)
      awaitLateWork();
    dmlDestroyDevice(device);
    if (instance != sharedInstance)
      dmlDestroyInstance(instance);
  }
  Flow(const Flow &) = delete;
  Flow &operator=(const Flow &) = delete;

  /// The instance of all flows that do not create one. To create an instance
  /// takes longer than all other calls together.
  static DmlInstance sharedInstance;

  bool nothing() { return true; }

  bool createInstance() {
    DmlInstanceCreateInfo info{};
    info.getInstanceProcAddr = faultyGetInstanceProcAddr;
    info.enableValidation = isValidated;
    return make(dmlCreateInstance, &info, &instance);
  }
  bool createValidatedInstance() {
    isValidated = true;
    return createInstance();
  }

  bool createDevice() {
    if (!instance)
      instance = sharedInstance;
    if (!make(dmlCreateDevice, instance, nullptr, &device))
      return false;
    // The limit is never reached, but drivers may keep it.
    dmlSetWaitLimit(device, uint64_t(600) * 1'000'000'000);
    return true;
  }

  bool adoptDevice() {
    dmlGetVulkanDevice(device, &vulkan);
    return make(dmlAdoptDevice, &vulkan, &adopted);
  }

  bool prepareRequirements() {
    if (!createDevice())
      return false;
    dmlGetVulkanDevice(device, &vulkan);
    return true;
  }
  bool getRequirements() {
    DmlDeviceRequest request{};
    request.getInstanceProcAddr = vulkan.getInstanceProcAddr;
    request.instance = vulkan.instance;
    request.physicalDevice = vulkan.physicalDevice;
    request.apiVersion = vulkan.apiVersion;
    DmlDeviceRequirements requirements = nullptr;
    bool goesOn = make(dmlGetDeviceRequirements, &request, &requirements);
    dmlDestroyDeviceRequirements(requirements);
    return goesOn;
  }

  bool prepareProgram() { return createDevice() && readExecutable(); }
  bool readExecutable() {
    static const std::vector<uint8_t> bytes = write(*makeArithmetic());
    return make(dmlCreateExecutable, bytes.data(), bytes.size(), nullptr,
                &executable);
  }
  bool readFile() {
    static const std::string path = [] {
      std::string path = testing::TempDir() + "dml-fault-test.dmlx";
      std::vector<uint8_t> bytes = write(*makeArithmetic());
      std::FILE *file = std::fopen(path.c_str(), "wb");
      EXPECT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
      std::fclose(file);
      return path;
    }();
    return make(dmlCreateExecutableFromFile, path.c_str(), &executable);
  }
  bool createProgram() {
    return make(dmlCreateProgram, device, executable, &program);
  }
  /// The kernels are enough for several threads.
  bool prepareManyPipelines() {
    static const std::vector<uint8_t> bytes = write(*makeChain(16));
    return createDevice() && make(dmlCreateExecutable, bytes.data(),
                                  bytes.size(), nullptr, &executable);
  }
  bool bindWeights() {
    static const std::vector<uint8_t> bytes = write(*makeWeights());
    std::vector<float> sum(128);
    DmlHostTensor input{a.data(), 512}, output{sum.data(), 512};
    if (!make(dmlCreateExecutable, bytes.data(), bytes.size(), nullptr,
              &executable) ||
        !make(dmlCreateProgram, device, executable, &program) ||
        !make(dmlBindWeight, program, 0, b.data(), 512) ||
        !make(dmlInitializeProgram, program) ||
        !make(dmlRunFunction, program, 0, &input, 1, &output, 1))
      return false;
    for (size_t i = 0; i < 128; ++i)
      EXPECT_EQ(sum[i], a[i] + (static_cast<float>(i) + b[i]));
    return true;
  }
  /// The weight is copied on the device, and then stays where it is.
  bool runLoop() {
    static const std::vector<uint8_t> bytes = write(*makeLoop(3));
    std::vector<float> rows(3 * 128, 1), sums(3 * 128);
    DmlHostTensor inputs[] = {{rows.data(), 3 * 512}, {a.data(), 512}},
                  output{sums.data(), 3 * 512};
    if (!make(dmlCreateExecutable, bytes.data(), bytes.size(), nullptr,
              &executable) ||
        !make(dmlCreateProgram, device, executable, &program) ||
        !make(dmlRunFunction, program, 0, inputs, 2, &output, 1))
      return false;
    for (size_t i = 0; i < 128; ++i)
      EXPECT_EQ(sums[i], a[i] + 3);
    return true;
  }
  bool bindWeightsOfBuffers() {
    static const std::vector<uint8_t> bytes = write(*makeWeights());
    std::vector<float> sum(128);
    DmlHostTensor input{a.data(), 512}, output{sum.data(), 512};
    buffers.push_back(nullptr);
    if (!make(dmlCreateBuffer, device, 512, DML_MEMORY_DEVICE,
              &buffers.back()) ||
        !make(dmlWriteBuffer, buffers.back(), 0, b.data(), 512))
      return false;
    DmlBufferRange range = getRange(buffers.back());
    DmlExecutableCreateInfo info{};
    info.borrow = true;
    if (!make(dmlCreateExecutable, bytes.data(), bytes.size(), &info,
              &executable) ||
        !make(dmlCreateProgram, device, executable, &program) ||
        !make(dmlBindWeightFromBuffer, program, 0, &range) ||
        !make(dmlInitializeProgram, program) ||
        !make(dmlBindWeightInPlace, program, 0, &range) ||
        !make(dmlInitializeProgram, program) ||
        !make(dmlWriteWeight, program, 0, 0, b.data(), 256) ||
        !make(dmlWriteWeight, program, 0, 256, b.data() + 64, 256) ||
        !make(dmlInitializeProgram, program) ||
        !make(dmlRunFunction, program, 0, &input, 1, &output, 1))
      return false;
    for (size_t i = 0; i < 128; ++i)
      EXPECT_EQ(sum[i], a[i] + (static_cast<float>(i) + b[i]));
    return true;
  }
  bool prepareRun() { return prepareProgram() && createProgram(); }

  bool keepPipelines() {
    size_t size = 0;
    if (!make(dmlGetPipelineCacheData, device, &size, nullptr))
      return false;
    std::vector<uint8_t> data(size);
    return make(dmlGetPipelineCacheData, device, &size, data.data()) &&
           make(dmlSetPipelineCacheData, device, data.data(), data.size());
  }

  bool useBuffers() {
    std::vector<uint8_t> values(64, 7), back(64);
    for (DmlMemory memory :
         {DML_MEMORY_DEVICE, DML_MEMORY_UPLOAD, DML_MEMORY_READBACK}) {
      DmlBuffer buffer = nullptr;
      bool goesOn =
          make(dmlCreateBuffer, device, values.size(), memory, &buffer);
      buffers.push_back(buffer);
      if (!goesOn ||
          !make(dmlWriteBuffer, buffer, 0, values.data(), values.size()) ||
          !make(dmlReadBuffer, buffer, 0, back.data(), back.size()))
        return false;
      EXPECT_EQ(back, values);
    }
    return true;
  }

  bool runFunction() {
    std::vector<float> sum(128), reversed(128);
    DmlHostTensor inputs[] = {{a.data(), 512}, {b.data(), 512}};
    DmlHostTensor outputs[] = {{sum.data(), 512}, {reversed.data(), 512}};
    if (!make(dmlRunFunction, program, 0, inputs, 2, outputs, 2))
      return false;
    check(sum, reversed);
    return true;
  }

  /// Runs a function by the classes that the tools have for C++.
  bool runInCpp() {
    return makeWhole([&] {
      using namespace dml::tools;
      std::vector<Buffer> owned(4);
      BindingTable own;
      DmlBindingTableCreateInfo info{};
      DML_CHECK(dmlCreateBindingTable, program, &info, own.out());
      for (uint32_t i = 0; i < 4; ++i) {
        DML_CHECK(dmlCreateBuffer, device, 512, DML_MEMORY_DEVICE,
                  owned[i].out());
        if (i < 2)
          DML_CHECK(dmlWriteBuffer, owned[i], 0, (i == 0 ? a : b).data(), 512);
        DmlBufferRange range = getRange(owned[i]);
        if (i < 2)
          DML_CHECK(dmlBindInput, own, i, &range);
        else
          DML_CHECK(dmlBindOutput, own, i - 2, &range);
      }
      DML_CHECK(dmlSubmit, own, nullptr);
      DML_CHECK(dmlWait, own, UINT64_MAX);
      std::vector<float> sum(128), reversed(128);
      DML_CHECK(dmlReadBuffer, owned[2], 0, sum.data(), 512);
      DML_CHECK(dmlReadBuffer, owned[3], 0, reversed.data(), 512);
      check(sum, reversed);
    });
  }

  bool prepareBuffers() {
    if (!prepareRun())
      return false;
    for (int i = 0; i < 4; ++i) {
      buffers.push_back(nullptr);
      if (!make(dmlCreateBuffer, device, 512, DML_MEMORY_DEVICE,
                &buffers.back()))
        return false;
    }
    return make(dmlWriteBuffer, buffers[0], 0, a.data(), 512) &&
           make(dmlWriteBuffer, buffers[1], 0, b.data(), 512);
  }

  /// Binds buffers, submits with a semaphore, waits with a time limit, binds
  /// again, submits again, and leaves the waiting to the destruction of the
  /// table.
  bool useTable() {
    DmlSemaphoreValue end{createTimeline(), 1};
    DmlSubmitInfo info{};
    info.signalSemaphores = &end;
    info.signalSemaphoreCount = 1;
    DmlBufferRange ranges[4];
    DmlStepTime times[3];
    if (!createTable(program, ranges) || !make(dmlSubmit, table, &info) ||
        !make(dmlWait, table, uint64_t(600) * 1'000'000'000) ||
        !make(dmlGetStepTimes, table, 0, 3, times) || !readResults() ||
        !make(dmlBindOutput, table, 1, &ranges[3]) ||
        !make(dmlSubmit, table, nullptr))
      return false;
    // Waits for the first of them.
    return make(dmlSubmit, table, nullptr);
  }

  /// A semaphore of the caller's, whose own calls do not fail.
  VkSemaphore createTimeline() {
    dmlGetVulkanDevice(device, &vulkan);
    VkSemaphoreTypeCreateInfo type{
        VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
    EXPECT_EQ(caller<PFN_vkCreateSemaphore>("vkCreateSemaphore")(
                  vulkan.device, &info, nullptr, &timeline),
              VK_SUCCESS);
    return timeline;
  }

  bool prepareRecording() {
    if (!prepareBuffers() || !adoptDevice())
      return false;
    dmlDestroyProgram(program);
    program = nullptr;
    if (!make(dmlCreateProgram, adopted, executable, &program))
      return false;
    // The caller's own calls do not fail.
    VkCommandPoolCreateInfo poolInfo{
        VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    poolInfo.queueFamilyIndex = vulkan.queueFamilyIndex;
    EXPECT_EQ(caller<PFN_vkCreateCommandPool>("vkCreateCommandPool")(
                  vulkan.device, &poolInfo, nullptr, &commandPool),
              VK_SUCCESS);
    VkCommandBufferAllocateInfo info{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = commandPool;
    info.commandBufferCount = 1;
    EXPECT_EQ(caller<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(
                  vulkan.device, &info, &commands),
              VK_SUCCESS);
    VkCommandBufferBeginInfo beginInfo{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    EXPECT_EQ(caller<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(
                  commands, &beginInfo),
              VK_SUCCESS);
    return true;
  }
  bool record() {
    DmlBufferRange ranges[4];
    if (!createTable(program, ranges) ||
        !make(dmlBindTemporary, table, nullptr) ||
        !make(dmlRecordFunction, table, commands))
      return false;
    EXPECT_EQ(caller<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(commands),
              VK_SUCCESS);
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    EXPECT_EQ(caller<PFN_vkQueueSubmit>("vkQueueSubmit")(vulkan.queue, 1, &info,
                                                         VK_NULL_HANDLE),
              VK_SUCCESS);
    EXPECT_EQ(caller<PFN_vkQueueWaitIdle>("vkQueueWaitIdle")(vulkan.queue),
              VK_SUCCESS);
    return readResults();
  }

private:
  /// One of Vulkan's functions as the caller calls it.
  template <typename Function> Function caller(const char *name) {
    static const PFN_vkGetInstanceProcAddr find = openVulkanLoader();
    return reinterpret_cast<Function>(find(vulkan.instance, name));
  }

  static DmlBufferRange getRange(DmlBuffer buffer) {
    DmlBufferInfo info{};
    dmlGetBufferInfo(buffer, &info);
    return {info.buffer, 0, info.size};
  }

  bool createTable(DmlProgram of, DmlBufferRange (&ranges)[4]) {
    DmlBindingTableCreateInfo info{};
    info.timestamps = true;
    if (!make(dmlCreateBindingTable, of, &info, &table))
      return false;
    for (uint32_t i = 0; i < 4; ++i) {
      ranges[i] = getRange(buffers[i]);
      if (!(i < 2 ? make(dmlBindInput, table, i, &ranges[i])
                  : make(dmlBindOutput, table, i - 2, &ranges[i])))
        return false;
    }
    return true;
  }

  bool readResults() {
    std::vector<float> sum(128), reversed(128);
    if (!make(dmlReadBuffer, buffers[2], 0, sum.data(), 512) ||
        !make(dmlReadBuffer, buffers[3], 0, reversed.data(), 512))
      return false;
    check(sum, reversed);
    return true;
  }

  void check(const std::vector<float> &sum,
             const std::vector<float> &reversed) {
    for (size_t i = 0; i < 128; ++i) {
      EXPECT_EQ(sum[i], a[i] + b[i]);
      EXPECT_EQ(reversed[i], sum[i / 64 * 64 + 63 - i % 64]);
    }
  }

  /// Makes several calls, which throw, as one call.
  template <typename Call> bool makeWhole(Call call) {
    std::optional<dml::tools::Failure> failure;
    for (int round = 0; round < 2; ++round) {
      try {
        call();
        return true;
      } catch (const dml::tools::Failure &caught) {
        fail(caught.result, caught.message);
        if (caught.result == DML_ERROR_DEVICE_LOST)
          return false;
      }
    }
    return false;
  }

  bool isValidated = false;

  DmlInstance instance = nullptr;
  DmlDevice device = nullptr;
  DmlDevice adopted = nullptr;
  DmlExecutable executable = nullptr;
  DmlProgram program = nullptr;
  std::vector<DmlBuffer> buffers;
  DmlBindingTable table = nullptr;
  DmlVulkanDevice vulkan{};
  VkSemaphore timeline = VK_NULL_HANDLE;
  VkCommandPool commandPool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  std::vector<float> a = count(1), b = count(1000);

  static std::vector<float> count(float first) {
    std::vector<float> values(128);
    std::iota(values.begin(), values.end(), first);
    return values;
  }
};

DmlInstance Flow::sharedInstance = nullptr;

constexpr Flow::Kind kFlows[] = {
    // These call nothing of Vulkan.
    {"reading an executable", &Flow::nothing, &Flow::readExecutable,
     /*hasVulkanFaults=*/false},
    {"reading a file", &Flow::nothing, &Flow::readFile,
     /*hasVulkanFaults=*/false},
    // Validation calls more of Vulkan, and allocates by itself.
    {"an instance", &Flow::nothing, &Flow::createInstance,
     /*hasVulkanFaults=*/!dml::test::kHasValidation},
    {"a validated instance", &Flow::nothing, &Flow::createValidatedInstance,
     /*hasVulkanFaults=*/dml::test::kHasValidation, /*hasMemoryFaults=*/false},
    {"a device", &Flow::nothing, &Flow::createDevice},
    {"adopting a device", &Flow::createDevice, &Flow::adoptDevice},
    {"requirements", &Flow::prepareRequirements, &Flow::getRequirements},
    {"a program", &Flow::prepareProgram, &Flow::createProgram},
    {"many pipelines", &Flow::prepareManyPipelines, &Flow::createProgram},
    {"the pipeline cache", &Flow::prepareRun, &Flow::keepPipelines},
    {"buffers", &Flow::createDevice, &Flow::useBuffers},
    {"running a function", &Flow::prepareRun, &Flow::runFunction},
    // The tools' classes throw, and so does their own memory.
    {"running in C++", &Flow::prepareRun, &Flow::runInCpp,
     /*hasVulkanFaults=*/true, /*hasMemoryFaults=*/false},
    {"weights", &Flow::createDevice, &Flow::bindWeights},
    {"a loop", &Flow::createDevice, &Flow::runLoop},
    {"weights in buffers", &Flow::createDevice, &Flow::bindWeightsOfBuffers},
    {"a binding table", &Flow::prepareBuffers, &Flow::useTable},
    {"recording", &Flow::prepareRecording, &Flow::record},
};

//===----------------------------------------------------------------------===//
// The tests
//===----------------------------------------------------------------------===//

/// The outcomes of the fault points of one function.
struct Row {
  unsigned points = 0, errors = 0, harmless = 0, kept = 0;
  Row &operator+=(const Row &other) {
    points += other.points;
    errors += other.errors;
    harmless += other.harmless;
    kept += other.kept;
    return *this;
  }
  void print(const char *name) const {
    std::printf("| %-40s | %6u | %9u | %8u | %4u |\n", name, points, errors,
                harmless, kept);
  }
};

void printTable(const std::map<std::string, Row> &rows) {
  if (rows.empty() || !std::getenv("DML_FAULT_TABLE"))
    return;
  std::printf("| %-40s | points | one error | harmless | kept |\n|%s|--------|"
              "-----------|----------|------|\n",
              "what fails", std::string(42, '-').c_str());
  Row sum;
  for (const auto &[name, row] : rows) {
    row.print(name.c_str());
    sum += row;
  }
  sum.print("together");
}

class Faults : public testing::Test {
protected:
  void SetUp() override {
    // The device appears as a discrete GPU, so that what is read and written
    // goes through staging buffers.
    setNextLoader(discreteGetInstanceProcAddr);
    setVulkanFault({});
    DmlInstanceCreateInfo info{};
    info.getInstanceProcAddr = faultyGetInstanceProcAddr;
    DmlResult result = dmlCreateInstance(&info, &Flow::sharedInstance, nullptr);
    DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                           dmlGetDeviceCount(Flow::sharedInstance) != 0)
    ASSERT_EQ(result, DML_SUCCESS);
  }
  void TearDown() override {
    dmlDestroyInstance(Flow::sharedInstance);
    Flow::sharedInstance = nullptr;
  }
};

/// The flows for which `has` holds.
std::vector<Flow::Kind> listFlows(bool Flow::Kind::*has) {
  std::vector<Flow::Kind> flows;
  std::copy_if(std::begin(kFlows), std::end(kFlows), std::back_inserter(flows),
               [&](const Flow::Kind &kind) { return kind.*has; });
  return flows;
}

/// Converts the name of a flow to a part of a test's name: "a binding table"
/// becomes "a_binding_table".
std::string getTestName(const testing::TestParamInfo<Flow::Kind> &info) {
  std::string name = info.param.name;
  for (char &character : name)
    if (!std::isalnum(static_cast<unsigned char>(character)))
      character = '_';
  return name;
}

/// Prints the name of a flow. Google Test calls it for a test's parameter.
void PrintTo(const Flow::Kind &kind, std::ostream *out) { *out << kind.name; }

/// Tests the faults of one flow. The process prints one table for all flows
/// that have run.
class FlowFaults : public Faults,
                   public testing::WithParamInterface<Flow::Kind> {
protected:
  static void TearDownTestSuite() {
    printTable(rows);
    rows.clear();
  }
  static std::map<std::string, Row> rows;
};
std::map<std::string, Row> FlowFaults::rows;

class VulkanFaults : public FlowFaults {};
class MemoryFaults : public FlowFaults {};

INSTANTIATE_TEST_SUITE_P(
    In, VulkanFaults,
    testing::ValuesIn(listFlows(&Flow::Kind::hasVulkanFaults)), getTestName);
INSTANTIATE_TEST_SUITE_P(
    In, MemoryFaults,
    testing::ValuesIn(listFlows(&Flow::Kind::hasMemoryFaults)), getTestName);

/// Runs one flow with one fault.
Row runWithFault(const Flow::Kind &kind, const VulkanFault &fault,
                 const char *resultName) {
  // Such a fault only omits a name for debuggers, or is the loader's report
  // that there are no devices.
  bool isHarmless = fault.function == "vkSetDebugUtilsObjectNameEXT" ||
                    (fault.function == "vkEnumeratePhysicalDevices" &&
                     fault.result == VK_ERROR_INITIALIZATION_FAILED);
  setVulkanFault(fault);
  bool isMissingDestroyer = false;
  {
    Flow flow;
    if ((flow.*kind.prepare)())
      (void)(flow.*kind.run)();
    EXPECT_TRUE(hasVulkanFailed());
    EXPECT_EQ(flow.failures.size(), isHarmless ? 0u : 1u);
    for (const Flow::Failure &failure : flow.failures) {
      EXPECT_EQ(failure.result, translate(fault));
      if (failure.result == DML_ERROR_UNSUPPORTED)
        EXPECT_THAT(failure.message, HasSubstr("Vulkan has no function vk"));
      else if (failure.result == DML_ERROR_NOT_FOUND)
        EXPECT_THAT(failure.message, HasSubstr("found no driver"));
      else if (failure.result == DML_ERROR_TIMEOUT)
        EXPECT_THAT(failure.message, HasSubstr("has not finished within"));
      else
        EXPECT_THAT(failure.message,
                    AllOf(HasSubstr(std::string(" failed with ") + resultName),
                          HasSubstr(fault.function == "vkGetFenceStatus"
                                        ? "vkWaitForFences"
                                        : fault.function)));
      isMissingDestroyer =
          failure.message == "Vulkan has no function vkDestroyInstance" ||
          failure.message == "Vulkan has no function vkDestroyDevice";
    }
  }
  awaitLateWork();
  EXPECT_THAT(listVulkanMisuses(), IsEmpty());
  // What cannot be destroyed stays.
  bool isKept = !listLiveObjects().empty();
  if (!isMissingDestroyer)
    EXPECT_THAT(listLiveObjects(), IsEmpty());
  return {1, isHarmless ? 0u : 1u, isHarmless ? 1u : 0u, isKept ? 1u : 0u};
}

/// The number of times that a flow has called each function, before `run` and
/// at the end.
struct CallCounts {
  std::map<std::string, uint32_t> before, after;
};

/// Runs a flow in which nothing fails.
CallCounts countCalls(const Flow::Kind &kind) {
  VulkanFault none;
  none.hidesStatus = true;
  setVulkanFault(none);
  CallCounts counts;
  {
    Flow flow;
    EXPECT_TRUE((flow.*kind.prepare)());
    counts.before = countVulkanCalls();
    EXPECT_TRUE((flow.*kind.run)());
    counts.after = countVulkanCalls();
    EXPECT_THAT(flow.failures, IsEmpty());
  }
  EXPECT_THAT(listLiveObjects(), IsEmpty());
  // The number of queries of a fence varies, and is set to one for each wait.
  counts.before["vkGetFenceStatus"] = 0;
  counts.after["vkGetFenceStatus"] = counts.after["vkWaitForFences"];
  return counts;
}

/// Returns the failures of a flow in which a function reports, `count` times
/// from call `call` on, that there are more elements than it has returned.
std::vector<Flow::Failure> runIncomplete(const Flow::Kind &kind,
                                         const std::string &function,
                                         uint32_t call, uint32_t count) {
  VulkanFault fault;
  fault.function = function;
  fault.call = call;
  fault.result = VK_INCOMPLETE;
  fault.count = count;
  setVulkanFault(fault);
  std::vector<Flow::Failure> failures;
  {
    Flow flow;
    if ((flow.*kind.prepare)())
      (void)(flow.*kind.run)();
    EXPECT_TRUE(hasVulkanFailed());
    failures = flow.failures;
  }
  EXPECT_THAT(listVulkanMisuses(), IsEmpty());
  EXPECT_THAT(listLiveObjects(), IsEmpty());
  return failures;
}

} // namespace

TEST_P(VulkanFaults, AreCleanErrors) {
  CallCounts counts = countCalls(GetParam());
  ASSERT_FALSE(HasFailure());
  for (const auto &[function, count] : counts.after)
    for (uint32_t call = counts.before[function]; call < count; ++call)
      for (const NamedResult &error : listErrors(function)) {
        SCOPED_TRACE(testing::Message()
                     << function << ", call " << call << ", " << error.name);
        VulkanFault fault;
        fault.function = function;
        fault.call = call;
        fault.result = error.result;
        fault.hidesStatus = function != "vkGetFenceStatus";
        rows[function] += runWithFault(GetParam(), fault, error.name);
        ASSERT_FALSE(HasFailure());
      }
}

TEST_P(VulkanFaults, MoreThanWasSaidIsAskedForAgain) {
  CallCounts counts = countCalls(GetParam());
  ASSERT_FALSE(HasFailure());
  for (const char *function :
       {"vkEnumerateInstanceExtensionProperties",
        "vkEnumerateInstanceLayerProperties", "vkEnumeratePhysicalDevices",
        "vkEnumerateDeviceExtensionProperties", "vkGetPipelineCacheData"})
    for (uint32_t call = counts.before[function]; call < counts.after[function];
         ++call) {
      SCOPED_TRACE(testing::Message() << function << ", call " << call);
      EXPECT_THAT(runIncomplete(GetParam(), function, call, kMaxIncomplete - 1),
                  IsEmpty());
      std::vector<Flow::Failure> failures =
          runIncomplete(GetParam(), function, call, kMaxIncomplete);
      ASSERT_EQ(failures.size(), 1u);
      EXPECT_EQ(failures.front().result, DML_ERROR_VULKAN);
      EXPECT_THAT(failures.front().message,
                  AllOf(HasSubstr(function),
                        HasSubstr("gave VK_INCOMPLETE 16 times, but wanted is "
                                  "all that there is")));
    }
}

TEST_F(Faults, AreOfEachFunctionOfVulkan) {
  std::set<std::string> missing = listFunctions();
#define DML_ERASE(name) missing.erase("vk" #name);
  if (!dml::test::kHasValidation) {
    DML_ERASE(EnumerateInstanceLayerProperties)
    DML_VULKAN_DEBUG_FUNCTIONS(DML_ERASE)
  }
#undef DML_ERASE
  for (const Flow::Kind &kind : listFlows(&Flow::Kind::hasVulkanFaults)) {
    SCOPED_TRACE(kind.name);
    CallCounts counts = countCalls(kind);
    ASSERT_FALSE(HasFailure());
    for (const auto &[function, count] : counts.after)
      if (count > counts.before[function])
        missing.erase(function);
  }
  EXPECT_THAT(missing, IsEmpty()) << "never called, and so never failing";
}

TEST_P(MemoryFaults, AreCleanErrors) {
  const Flow::Kind &kind = GetParam();
  // What functions keep for good is made before anything fails.
  setVulkanFault({});
  {
    Flow flow;
    ASSERT_TRUE((flow.*kind.prepare)() && (flow.*kind.run)());
  }
  // Other threads do the work of one that there is no memory for.
  bool mayDoWithout = std::string(kind.name) == "many pipelines";
  Row &row = rows[std::string("memory for ") + kind.name];
  for (bool lasting : {false, true}) {
    bool hasFailed = true;
    for (uint64_t number = 0; hasFailed; ++number) {
      SCOPED_TRACE(testing::Message() << "allocation " << number
                                      << (lasting ? " and all after it" : ""));
      setVulkanFault({});
      int64_t live = countLiveAllocations();
      AllocationFailure failure = AllocationFailure::None;
      size_t errors = 0;
      {
        Flow flow;
        ASSERT_TRUE((flow.*kind.prepare)());
        flow.failAllocation(number, lasting);
        EXPECT_TRUE((flow.*kind.run)());
        failure = takeAllocationFailure();
        errors = flow.failures.size();
        for (const Flow::Failure &each : flow.failures) {
          EXPECT_EQ(each.result, DML_ERROR_OUT_OF_MEMORY);
          EXPECT_EQ(each.message, "out of host memory");
        }
      }
      hasFailed = failure != AllocationFailure::None;
      EXPECT_LE(errors, hasFailed ? 1u : 0u);
      if (failure == AllocationFailure::Throwing && !mayDoWithout)
        EXPECT_EQ(errors, 1u);
      EXPECT_EQ(countLiveAllocations(), live);
      EXPECT_THAT(listLiveObjects(), IsEmpty());
      EXPECT_THAT(listVulkanMisuses(), IsEmpty());
      ASSERT_FALSE(HasFailure());
      if (hasFailed)
        row += {1, static_cast<unsigned>(errors),
                static_cast<unsigned>(1 - errors), 0};
    }
  }
}
