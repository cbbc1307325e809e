//===- FaultTest.cpp - Each call of Vulkan fails, each allocation too -----===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The calls of a session, again and again, each time with another call of
// Vulkan failing, or, in runs whose program is there, another allocation. Each
// time there is one error or one warning, the same call succeeds right
// afterwards, and nothing is left or misused in the end. Where the device is
// lost, every later call names the device, and another session runs.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "DiscreteVulkan.h"
#include "FaultyCalls.h"
#include "ModelWriter.h"
#include "dml/session.hpp"
#include "gmock/gmock.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unistd.h>

using namespace dml::test;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct NamedResult {
  VkResult result;
  DmlResult error;
  const char *name;
};

/// The errors that a function of Vulkan returns here, with those that the
/// session makes of them.
std::vector<NamedResult> listErrors(const std::string &function) {
  std::vector<NamedResult> errors = {
      {VK_ERROR_OUT_OF_HOST_MEMORY, DML_ERROR_OUT_OF_MEMORY,
       "VK_ERROR_OUT_OF_HOST_MEMORY"},
      {VK_ERROR_OUT_OF_DEVICE_MEMORY, DML_ERROR_OUT_OF_MEMORY,
       "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
  if (function == "vkQueueSubmit" || function == "vkWaitForFences" ||
      function == "vkGetFenceStatus")
    errors.push_back(
        {VK_ERROR_DEVICE_LOST, DML_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"});
  if (function == "vkWaitForFences")
    errors.push_back({VK_TIMEOUT, DML_ERROR_TIMEOUT, "has not finished"});
  return errors;
}

/// Whether a fault takes away what is a convenience alone: the name of an
/// object for debuggers.
bool isHarmless(const std::string &function) {
  return function == "vkSetDebugUtilsObjectNameEXT";
}

/// The files of the model, and those of the cache, which is full.
class Files {
public:
  Files() {
    folder = std::filesystem::temp_directory_path() /
             ("dml-session-fault-test-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::vector<float> weights(width * width);
    for (int64_t i = 0; i < width; ++i)
      weights[i * width + i] = 3;
    ModelWriter writer;
    writer.addInput("x", Float, {"rows", width});
    writer.addOutput("y", Float, {"rows", width});
    writer.addWeight("w", {width, width}, weights, "w.bin");
    writer.addNode("MatMul", {"x", "w"}, {"product"});
    writer.addNode("Relu", {"product"}, {"y"});
    model = folder / "model.onnx";
    std::ofstream(model, std::ios::binary) << writer.write();
    std::ofstream(folder / "w.bin", std::ios::binary)
        .write(reinterpret_cast<const char *>(weights.data()),
               static_cast<std::streamsize>(weights.size() * sizeof(float)));
    cache = folder / "cache";
  }
  ~Files() { std::filesystem::remove_all(folder); }

  static constexpr int64_t width = 64;
  std::filesystem::path folder;
  std::string model, cache;
};

/// A use of a session on a device whose calls may fail.
class Flow : public FaultyCalls {
public:
  struct Kind {
    const char *name;
    /// What is done before anything fails, and what is done then. Both return
    /// false where the device is lost.
    bool (Flow::*prepare)();
    bool (Flow::*run)();
    bool hasMemoryFaults;
  };

  explicit Flow(const Files &files) : files(files) {}
  ~Flow() {
    dmlDestroySession(session);
    for (DmlBuffer buffer : buffers)
      dmlDestroyBuffer(buffer);
    dmlDestroyDevice(device);
  }
  Flow(const Flow &) = delete;
  Flow &operator=(const Flow &) = delete;

  static DmlInstance instance;

  bool createDevice() {
    return make([&](DmlError *error) {
      return dmlCreateDevice(instance, nullptr, &device, error);
    });
  }
  bool open() {
    DmlSessionCreateInfo info{};
    info.path = files.model.c_str();
    return open(info);
  }
  bool open(DmlSessionCreateInfo &info) {
    info.device = device;
    info.cacheDirectory = files.cache.c_str();
    info.userData = this;
    info.messageCallback = [](void *userData, DmlMessageSeverity,
                              const char *message) {
      static_cast<Flow *>(userData)->warnings.push_back(message);
    };
    return make([&](DmlError *error) {
      return dmlCreateSession(&info, &session, error);
    });
  }
  /// The model of the file, built node by node.
  bool runBuilt() {
    dml::Weight weight;
    weight.name = "w";
    weight.elementType = DML_ELEMENT_TYPE_FLOAT;
    weight.sizes = {Files::width, Files::width};
    weight.byteSize = Files::width * rowBytes;
    weight.read = [](uint64_t offset, size_t size, void *destination) {
      auto *to = static_cast<float *>(destination);
      for (size_t i = 0; i < size / sizeof(float); ++i)
        to[i] = (offset / sizeof(float) + i) % (Files::width + 1) ? 0 : 3;
    };
    built.emplace(std::map<std::string, int64_t>{{"", 17}});
    built->input("x", DML_ELEMENT_TYPE_FLOAT, {"rows", Files::width});
    built->weight(weight).node("MatMul", {"x", "w"}, {"y"}).output("y");
    DmlSessionCreateInfo info{};
    info.model = built->get();
    return open(info) && runOnHost();
  }
  bool prepareSession() { return createDevice() && open(); }
  bool prepareProgram() { return prepareSession() && prepareRows(); }
  bool prepareRows() {
    DmlSessionTensor input = getInput(2);
    return make([&](DmlError *error) {
      return dmlPrepareSession(session, &input, 1, nullptr, 0, error);
    });
  }
  bool prepareRun() { return prepareSession() && runOnHost(); }
  bool runOnHost() {
    DmlSessionTensor input = getInput(2), output{};
    if (!makeRun(input, output))
      return false;
    check(static_cast<const float *>(output.data), 2);
    dmlFreeTensor(&output);
    return true;
  }
  /// Two shapes in turn, of which the first is there.
  bool runShapes() {
    for (int64_t rows : {2, 3, 2}) {
      std::vector<float> result(rows * Files::width);
      DmlSessionTensor input = getInput(rows), output{};
      output.data = result.data();
      output.byteSize = result.size() * sizeof(float);
      if (!makeRun(input, output))
        return false;
      check(result.data(), rows);
    }
    return true;
  }
  bool prepareBuffers() {
    if (!prepareRun())
      return false;
    for (int i = 0; i < 2; ++i) {
      buffers.push_back(nullptr);
      if (!make([&](DmlError *error) {
            return dmlCreateBuffer(device, 2 * rowBytes, DML_MEMORY_DEVICE,
                                   &buffers.back(), error);
          }))
        return false;
    }
    return make([&](DmlError *error) {
      return dmlWriteBuffer(buffers[0], 0, elements.data(), 2 * rowBytes,
                            error);
    });
  }
  bool runInBuffers() {
    DmlSessionTensor input = getInput(2), output{};
    input.data = nullptr;
    input.byteSize = 0;
    input.buffer = getRange(buffers[0]);
    output.buffer = getRange(buffers[1]);
    return makeRun(input, output);
  }

  /// Whether results are right where nothing fails.
  void checkBuffers() {
    if (buffers.empty())
      return;
    std::vector<float> result(2 * Files::width);
    ASSERT_EQ(
        dmlReadBuffer(buffers[1], 0, result.data(), 2 * rowBytes, nullptr),
        DML_SUCCESS);
    check(result.data(), 2);
  }
  /// Whether each call of a session on a device that is lost names the device.
  void expectLost() {
    DmlDeviceInfo info{};
    dmlGetDeviceProperties(device, &info);
    DmlSessionTensor input = getInput(2);
    // The loss may have come in a call of the caller's own.
    for (bool runs : {true, false}) {
      DmlError error = nullptr;
      EXPECT_EQ(runs
                    ? dmlRunSession(session, &input, 1, nullptr, 0, &error)
                    : dmlPrepareSession(session, &input, 1, nullptr, 0, &error),
                DML_ERROR_DEVICE_LOST);
      EXPECT_THAT(dmlGetErrorMessage(error),
                  HasSubstr("the device '" + std::string(info.name) +
                            "' is lost; wanted is another session"));
      dmlDestroyError(error);
    }
    DmlSessionInfo sessionInfo{};
    EXPECT_EQ(dmlGetSessionInfo(session, &sessionInfo, nullptr), DML_SUCCESS);
  }

  std::vector<std::string> warnings;

private:
  static constexpr size_t rowBytes = Files::width * sizeof(float);

  DmlSessionTensor getInput(int64_t rows) {
    DmlSessionTensor input{};
    input.name = "x";
    input.dataType = DML_DATA_TYPE_FLOAT32;
    input.rank = 2;
    input.sizes[0] = rows;
    input.sizes[1] = Files::width;
    input.data = elements.data();
    input.byteSize = rows * rowBytes;
    return input;
  }
  static DmlBufferRange getRange(DmlBuffer buffer) {
    DmlBufferInfo info{};
    dmlGetBufferInfo(buffer, &info);
    return {info.buffer, 0, info.size};
  }
  void check(const float *result, int64_t rows) {
    for (int64_t i = 0; i < rows * Files::width; ++i)
      ASSERT_EQ(result[i], 3 * elements[i]);
  }

  bool makeRun(DmlSessionTensor &input, DmlSessionTensor &output) {
    return make([&](DmlError *error) {
      return dmlRunSession(session, &input, 1, &output, 1, error);
    });
  }

  const Files &files;
  DmlDevice device = nullptr;
  std::optional<dml::Model> built;
  DmlSession session = nullptr;
  std::vector<DmlBuffer> buffers;
  std::vector<float> elements = [] {
    std::vector<float> elements(3 * Files::width);
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = static_cast<float>(i);
    return elements;
  }();
};

DmlInstance Flow::instance = nullptr;

constexpr Flow::Kind kFlows[] = {
    {"opening", &Flow::createDevice, &Flow::open, false},
    {"preparing", &Flow::prepareSession, &Flow::prepareRows, false},
    {"the first run", &Flow::prepareProgram, &Flow::runOnHost, true},
    {"the second run", &Flow::prepareRun, &Flow::runOnHost, true},
    {"another shape", &Flow::prepareRun, &Flow::runShapes, false},
    {"a model of nodes", &Flow::createDevice, &Flow::runBuilt, false},
    {"tensors in buffers", &Flow::prepareBuffers, &Flow::runInBuffers, true},
};

void PrintTo(const Flow::Kind &kind, std::ostream *out) { *out << kind.name; }

std::string getTestName(const testing::TestParamInfo<Flow::Kind> &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

class SessionFaults : public testing::TestWithParam<Flow::Kind> {
protected:
  void SetUp() override {
    setNextLoader(discreteGetInstanceProcAddr);
    setVulkanFault({});
    DmlInstanceCreateInfo info{};
    info.getInstanceProcAddr = faultyGetInstanceProcAddr;
    DmlResult result = dmlCreateInstance(&info, &Flow::instance, nullptr);
    DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                           dmlGetDeviceCount(Flow::instance) != 0)
    ASSERT_EQ(result, DML_SUCCESS);
    // The cache becomes full.
    Flow flow(files);
    ASSERT_TRUE(flow.prepareSession() && flow.runShapes());
  }
  void TearDown() override {
    dmlDestroyInstance(Flow::instance);
    Flow::instance = nullptr;
  }

  /// How often a flow calls each function, before and after it runs.
  std::pair<std::map<std::string, uint32_t>, std::map<std::string, uint32_t>>
  countCalls();
  void runWithFault(const VulkanFault &fault, const NamedResult &error);

  Files files;
};
class SessionMemoryFaults : public SessionFaults {};

std::vector<Flow::Kind> listMemoryFlows() {
  std::vector<Flow::Kind> flows;
  for (const Flow::Kind &kind : kFlows)
    if (kind.hasMemoryFaults)
      flows.push_back(kind);
  return flows;
}

INSTANTIATE_TEST_SUITE_P(In, SessionFaults, testing::ValuesIn(kFlows),
                         getTestName);
INSTANTIATE_TEST_SUITE_P(In, SessionMemoryFaults,
                         testing::ValuesIn(listMemoryFlows()), getTestName);

std::pair<std::map<std::string, uint32_t>, std::map<std::string, uint32_t>>
SessionFaults::countCalls() {
  VulkanFault none;
  none.hidesStatus = true;
  setVulkanFault(none);
  std::map<std::string, uint32_t> before, after;
  {
    Flow flow(files);
    EXPECT_TRUE((flow.*GetParam().prepare)());
    before = countVulkanCalls();
    EXPECT_TRUE((flow.*GetParam().run)());
    after = countVulkanCalls();
    flow.checkBuffers();
    EXPECT_THAT(flow.failures, IsEmpty());
    EXPECT_THAT(flow.warnings, IsEmpty());
  }
  EXPECT_THAT(listLiveObjects(), IsEmpty());
  // How often a fence is asked, nobody can say beforehand; once for each wait
  // it is.
  before["vkGetFenceStatus"] = 0;
  after["vkGetFenceStatus"] = after["vkWaitForFences"];
  return {before, after};
}

void SessionFaults::runWithFault(const VulkanFault &fault,
                                 const NamedResult &error) {
  setVulkanFault(fault);
  {
    Flow flow(files);
    bool goesOn = (flow.*GetParam().prepare)() && (flow.*GetParam().run)();
    EXPECT_TRUE(hasVulkanFailed());
    EXPECT_EQ(flow.failures.size() + flow.warnings.size(),
              isHarmless(fault.function) ? 0u : 1u);
    for (const Flow::Failure &failure : flow.failures) {
      EXPECT_EQ(failure.result, error.error);
      EXPECT_THAT(failure.message, HasSubstr(error.name));
    }
    EXPECT_EQ(goesOn, error.error != DML_ERROR_DEVICE_LOST);
    if (!goesOn)
      flow.expectLost();
    else
      flow.checkBuffers();
  }
  awaitLateWork();
  EXPECT_THAT(listVulkanMisuses(), IsEmpty());
  EXPECT_THAT(listLiveObjects(), IsEmpty());
}

TEST_P(SessionFaults, AreCleanErrors) {
  auto [before, after] = countCalls();
  ASSERT_FALSE(HasFailure());
  unsigned points = 0;
  for (const auto &[function, count] : after)
    for (uint32_t call = before[function]; call < count; ++call)
      for (const NamedResult &error : listErrors(function)) {
        SCOPED_TRACE(testing::Message()
                     << function << ", call " << call << ", " << error.name);
        VulkanFault fault;
        fault.function = function;
        fault.call = call;
        fault.result = error.result;
        fault.hidesStatus = function != "vkGetFenceStatus";
        runWithFault(fault, error);
        ASSERT_FALSE(HasFailure());
        ++points;
      }
  RecordProperty("points", static_cast<int>(points));
  std::printf("%u calls of Vulkan have failed\n", points);
}

TEST_P(SessionMemoryFaults, AreCleanErrors) {
  unsigned points = 0;
  for (bool lasting : {false, true}) {
    bool hasFailed = true;
    for (uint64_t number = 0; hasFailed; ++number) {
      SCOPED_TRACE(testing::Message() << "allocation " << number
                                      << (lasting ? " and all after it" : ""));
      setVulkanFault({});
      int64_t live = countLiveAllocations();
      {
        Flow flow(files);
        ASSERT_TRUE((flow.*GetParam().prepare)());
        flow.failAllocation(number, lasting);
        EXPECT_TRUE((flow.*GetParam().run)());
        hasFailed = takeAllocationFailure() != AllocationFailure::None;
        EXPECT_EQ(flow.failures.size(), hasFailed ? 1u : 0u);
        for (const Flow::Failure &failure : flow.failures) {
          EXPECT_EQ(failure.result, DML_ERROR_OUT_OF_MEMORY);
          EXPECT_THAT(failure.message, HasSubstr("out of host memory"));
        }
        flow.checkBuffers();
      }
      EXPECT_EQ(countLiveAllocations(), live);
      EXPECT_THAT(listLiveObjects(), IsEmpty());
      EXPECT_THAT(listVulkanMisuses(), IsEmpty());
      ASSERT_FALSE(HasFailure());
      points += hasFailed;
    }
  }
  EXPECT_GT(points, 0u);
  std::printf("%u allocations have failed\n", points);
}

} // namespace
