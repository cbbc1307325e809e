//===- RuntimeTest.cpp - The C API on a Vulkan device ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Everything runs under the validation layer, which must be silent.
//
//===----------------------------------------------------------------------===//

#include "dml/runtime.h"

#include "Device.h"
#include "FaultyVulkan.h"
#include "TestExecutables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

using namespace dml::test;
namespace fb = dml::executable;
using testing::Each;
using testing::HasSubstr;
using testing::StrEq;

extern "C" const char *dmlTestVersionFromC(void);

namespace {

/// Returns the message of a call that must fail with `result`. Used as
/// expectError(RESULT, [&](DmlError *error) { return dmlX(..., error); }).
template <typename Call> std::string expectError(DmlResult result, Call call) {
  DmlError error = nullptr;
  EXPECT_EQ(call(&error), result);
  EXPECT_EQ(dmlGetErrorResult(error), result);
  std::string message = dmlGetErrorMessage(error);
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_FALSE(message.empty());
  dmlDestroyError(error);
  // The call fails in the same way where nobody wants the message.
  EXPECT_EQ(call(nullptr), result);
  return message;
}

template <typename Call> void expectOk(Call call) {
  DmlError error = nullptr;
  EXPECT_EQ(call(&error), DML_SUCCESS) << dmlGetErrorMessage(error);
  EXPECT_EQ(error, nullptr);
  dmlDestroyError(error);
}

#define EXPECT_OK(name, ...)                                                   \
  expectOk([&](DmlError *error) { return name(__VA_ARGS__, error); })
#define EXPECT_FAILS(result, message, name, ...)                               \
  EXPECT_THAT(                                                                 \
      expectError(result,                                                      \
                  [&](DmlError *error) { return name(__VA_ARGS__, error); }),  \
      HasSubstr(message))

DmlExecutable load(const ExecutableObject &object) {
  std::vector<uint8_t> bytes = write(object);
  DmlExecutable executable = nullptr;
  EXPECT_OK(dmlCreateExecutable, bytes.data(), bytes.size(), nullptr,
            &executable);
  return executable;
}

std::vector<float> iota(size_t count, float first) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

DmlHostTensor host(std::vector<float> &values) {
  return {values.data(), values.size() * sizeof(float)};
}

} // namespace

//===----------------------------------------------------------------------===//
// Without a device
//===----------------------------------------------------------------------===//

TEST(Api, WorksFromC) {
  EXPECT_THAT(dmlTestVersionFromC(), StrEq(dmlGetVersion()));
}

TEST(Api, HeaderAndLibraryHaveOneVersion) {
  std::string version = std::to_string(DML_RUNTIME_VERSION_MAJOR) + "." +
                        std::to_string(DML_RUNTIME_VERSION_MINOR) + "." +
                        std::to_string(DML_RUNTIME_VERSION_PATCH);
  EXPECT_EQ(version, dmlGetVersion());
}

TEST(Api, NamesThings) {
  EXPECT_THAT(dmlGetResultName(DML_ERROR_NOT_FOUND),
              StrEq("DML_ERROR_NOT_FOUND"));
  EXPECT_THAT(dmlGetFeatureName(DML_FEATURE_SHADER_INT64_BIT),
              StrEq("shaderInt64"));
  EXPECT_EQ(dmlGetFeatureName(DML_FEATURE_ALL), nullptr);
  EXPECT_THAT(dmlGetDataTypeName(DML_DATA_TYPE_UINT8), StrEq("ui8"));
  EXPECT_EQ(dmlGetDataTypeSize(DML_DATA_TYPE_FLOAT16), 2u);
  EXPECT_EQ(dmlGetDataTypeSize(DML_DATA_TYPE_UNKNOWN), 0u);
  EXPECT_THAT(dmlGetDataTypeName(DML_DATA_TYPE_UINT4), StrEq("ui4"));
  EXPECT_THAT(dmlGetDataTypeName(DML_DATA_TYPE_INT4), StrEq("i4"));
  EXPECT_EQ(dmlGetDataTypeSize(DML_DATA_TYPE_INT4), 0u);
  EXPECT_EQ(dmlGetDataTypeBits(DML_DATA_TYPE_INT4), 4u);
  EXPECT_EQ(dmlGetDataTypeBits(DML_DATA_TYPE_FLOAT64), 64u);
  EXPECT_EQ(dmlGetDataTypeBits(DML_DATA_TYPE_UNKNOWN), 0u);
}

TEST(Api, TakesNullForAnyHandle) {
  dmlDestroyError(nullptr);
  dmlDestroyInstance(nullptr);
  dmlDestroyDevice(nullptr);
  dmlDestroyExecutable(nullptr);
  dmlDestroyProgram(nullptr);
  dmlDestroyBuffer(nullptr);
  dmlDestroyBindingTable(nullptr);
  EXPECT_EQ(dmlGetDeviceCount(nullptr), 0u);
  EXPECT_THAT(dmlGetErrorMessage(nullptr), StrEq(""));
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(nullptr, &info);
  EXPECT_EQ(info.functionCount, 0u);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'program' is NULL",
               dmlCreateBindingTable, nullptr, nullptr, nullptr);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'table' is NULL", dmlSubmit,
               nullptr, nullptr);
}

TEST(Api, ReportsAMissingLoader) {
  DmlInstanceCreateInfo info{};
  info.getInstanceProcAddr = [](VkInstance, const char *) {
    return PFN_vkVoidFunction(nullptr);
  };
  DmlInstance instance = nullptr;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "Vulkan has no function vkCreateInstance",
               dmlCreateInstance, &info, &instance);
  EXPECT_EQ(instance, nullptr);
}

// No extension structure is known yet.
TEST(Api, RefusesUnknownExtensions) {
  DmlExtension extension{static_cast<DmlStructureType>(77), nullptr};
  DmlInstanceCreateInfo info{};
  info.next = &extension;
  DmlInstance instance = nullptr;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
               "the chain of DmlInstanceCreateInfo has a structure of type 77",
               dmlCreateInstance, &info, &instance);
  DmlExecutable executable = load(*makeWeights());
  DmlDeviceInfo device{};
  device.next = &extension;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "the chain of DmlDeviceInfo has",
               dmlCheckExecutable, executable, &device);
  auto refuses = [&](auto info, const char *message, auto call) {
    info.next = &extension;
    EXPECT_THAT(
        expectError(DML_ERROR_UNSUPPORTED,
                    [&](DmlError *error) { return call(&info, error); }),
        HasSubstr(message));
    EXPECT_EQ(info.next, &extension);
  };
  refuses(DmlFunctionInfo{}, "the chain of DmlFunctionInfo has",
          [&](auto *info, DmlError *error) {
            return dmlGetFunctionInfo(executable, 0, info, error);
          });
  refuses(DmlTensorInfo{}, "the chain of DmlTensorInfo has",
          [&](auto *info, DmlError *error) {
            return dmlGetInputInfo(executable, 0, 0, info, error);
          });
  refuses(DmlVariantInfo{}, "the chain of DmlVariantInfo has",
          [&](auto *info, DmlError *error) {
            return dmlGetVariantInfo(executable, 0, 0, info, error);
          });
  refuses(DmlStepInfo{}, "the chain of DmlStepInfo has",
          [&](auto *info, DmlError *error) {
            return dmlGetStepInfo(executable, 0, 0, 0, info, error);
          });
  refuses(DmlWeightInfo{}, "the chain of DmlWeightInfo has",
          [&](auto *info, DmlError *error) {
            return dmlGetWeightInfo(executable, 0, info, error);
          });
  DmlWeightInfo weight{};
  weight.tensor.next = &extension;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "the chain of DmlTensorInfo has",
               dmlGetWeightInfo, executable, 0, &weight);
  // A call that returns nothing leaves the chain alone.
  DmlExecutableInfo executableInfo{};
  executableInfo.next = &extension;
  dmlGetExecutableInfo(executable, &executableInfo);
  EXPECT_EQ(executableInfo.next, &extension);
  EXPECT_EQ(executableInfo.weightCount, 1u);
  dmlDestroyExecutable(executable);
}

TEST(Executable, ReportsFileErrors) {
  DmlExecutable executable = nullptr;
  EXPECT_FAILS(DML_ERROR_NOT_FOUND, "cannot open '/nonexistent'",
               dmlCreateExecutableFromFile, "/nonexistent", &executable);
#ifdef _WIN32
  // A folder cannot be opened there.
  const char *folder = "cannot open '", *null = "NUL";
#else
  const char *folder = "cannot read '", *null = "/dev/null";
#endif
  EXPECT_FAILS(DML_ERROR_IO, folder + testing::TempDir(),
               dmlCreateExecutableFromFile, testing::TempDir().c_str(),
               &executable);
  EXPECT_FAILS(DML_ERROR_INVALID_EXECUTABLE,
               "executable '" + std::string(null) + "': has 0 bytes",
               dmlCreateExecutableFromFile, null, &executable);
  // A terminal would obey the name.
  EXPECT_FAILS(DML_ERROR_NOT_FOUND, "cannot open 'net\\u202Exlmd.'",
               dmlCreateExecutableFromFile, "net\xe2\x80\xaexlmd.",
               &executable);
  EXPECT_EQ(executable, nullptr);
}

TEST(Executable, Reflects) {
  DmlExecutable executable = load(*makeArithmetic());
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  EXPECT_EQ(info.functionCount, 2u);
  EXPECT_EQ(info.kernelCount, 2u);
  EXPECT_EQ(info.constantSize, 768u);
  EXPECT_THAT(info.producer, StrEq("dml's unit tests"));
  EXPECT_EQ(info.requiredLimits.maxComputeSharedMemorySize, 256u);

  uint32_t function = 9;
  EXPECT_OK(dmlFindFunction, executable, "main", &function);
  EXPECT_EQ(function, 0u);
  EXPECT_FAILS(DML_ERROR_NOT_FOUND,
               "there is no function 'x'; the executable has 'main', "
               "'add_constant'",
               dmlFindFunction, executable, "x", &function);

  DmlFunctionInfo functionInfo{};
  EXPECT_OK(dmlGetFunctionInfo, executable, 0, &functionInfo);
  EXPECT_EQ(functionInfo.inputCount, 2u);
  EXPECT_EQ(functionInfo.temporarySize, 1024u);
  EXPECT_EQ(functionInfo.featureLevel, 0x5000u);

  DmlTensorInfo tensor{};
  EXPECT_OK(dmlGetOutputInfo, executable, 0, 1, &tensor);
  EXPECT_THAT(tensor.name, StrEq("reversed"));
  EXPECT_EQ(tensor.rank, 2u);
  EXPECT_EQ(tensor.sizes[1], 64u);
  EXPECT_EQ(tensor.elementCount, 128u);
  EXPECT_EQ(tensor.strides[0], 64u);
  EXPECT_EQ(tensor.strides[1], 1u);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "input 2 does not exist",
               dmlGetInputInfo, executable, 0, 2, &tensor);

  DmlStepInfo step{};
  EXPECT_OK(dmlGetStepInfo, executable, 0, 0, 2, &step);
  EXPECT_THAT(step.label, StrEq("test.reverse"));
  EXPECT_EQ(step.workgroupCount[0], 2u);
  EXPECT_EQ(step.workgroupSize[0], 64u);
  EXPECT_EQ(step.boundSize, 1024u);
  EXPECT_EQ(step.kernelIndex, 1u);
  EXPECT_OK(dmlGetStepInfo, executable, 0, 0, 1, &step);
  EXPECT_EQ(step.kind, DML_STEP_KIND_COPY);
  EXPECT_EQ(step.kernelIndex, UINT32_MAX);
  EXPECT_TRUE(step.barrier);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "function 2 does not exist",
               dmlGetStepInfo, executable, 2, 0, 0, &step);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "variant 1 does not exist; there are 1", dmlGetStepInfo,
               executable, 0, 1, 0, &step);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "step 3 does not exist",
               dmlGetStepInfo, executable, 0, 0, 3, &step);
  dmlDestroyExecutable(executable);
}

TEST(Executable, ReflectsVariants) {
  DmlExecutable executable = load(*makeVariants());
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(executable, &info);
  EXPECT_EQ(info.versionMinor, 2);
  EXPECT_EQ(info.requiredFeatures, 0u);
  DmlFunctionInfo function{};
  EXPECT_OK(dmlGetFunctionInfo, executable, 0, &function);
  EXPECT_EQ(function.variantCount, 2u);
  EXPECT_EQ(function.temporarySize, 256u);
  DmlVariantInfo variant{};
  EXPECT_OK(dmlGetVariantInfo, executable, 0, 0, &variant);
  EXPECT_EQ(variant.stepCount, 1u);
  EXPECT_EQ(variant.temporarySize, 0u);
  EXPECT_EQ(variant.requiredFeatures, DML_FEATURE_SHADER_INT64_BIT);
  EXPECT_EQ(variant.requiredLimits.maxPerStageDescriptorStorageBuffers, 2u);
  EXPECT_OK(dmlGetVariantInfo, executable, 0, 1, &variant);
  EXPECT_EQ(variant.stepCount, 2u);
  EXPECT_EQ(variant.requiredFeatures, 0u);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "variant 2 does not exist; there are 2", dmlGetVariantInfo,
               executable, 0, 2, &variant);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "function 1 does not exist",
               dmlGetVariantInfo, executable, 1, 0, &variant);
  DmlStepInfo step{};
  EXPECT_OK(dmlGetStepInfo, executable, 0, 1, 1, &step);
  EXPECT_EQ(step.kind, DML_STEP_KIND_COPY);

  DmlDeviceInfo device{};
  device.apiVersion = VK_API_VERSION_1_2;
  device.features = DML_FEATURE_ALL;
  device.limits = variant.requiredLimits;
  uint32_t chosen = 9;
  EXPECT_OK(dmlChooseVariant, executable, 0, &device, &chosen);
  EXPECT_EQ(chosen, 0u);
  device.features = 0;
  EXPECT_OK(dmlChooseVariant, executable, 0, &device, &chosen);
  EXPECT_EQ(chosen, 1u);
  EXPECT_OK(dmlCheckExecutable, executable, &device);
  device.limits.maxPerStageDescriptorStorageBuffers = 1;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
               "it comes nearest to variant 1: "
               "maxPerStageDescriptorStorageBuffers of 2 is needed, but it has "
               "1",
               dmlChooseVariant, executable, 0, &device, &chosen);
  EXPECT_EQ(chosen, 1u);
  dmlDestroyExecutable(executable);
}

TEST(Executable, IsCheckedAgainstADescription) {
  DmlExecutable executable = load(*makeTwice());
  DmlDeviceInfo device{};
  std::strcpy(device.name, "Toy");
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "device 'Toy' cannot run the executable",
               dmlCheckExecutable, executable, &device);
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "feature shaderInt64 is needed",
               dmlCheckExecutable, executable, &device);
  dmlDestroyExecutable(executable);
}

//===----------------------------------------------------------------------===//
// On a device
//===----------------------------------------------------------------------===//

namespace {

class OnDevice : public testing::Test {
protected:
  void SetUp() override {
    DmlInstanceCreateInfo info{};
    info.enableValidation = dml::test::kHasValidation;
    info.getInstanceProcAddr = getInstanceProcAddr;
    info.messageUserData = &messages;
    info.messageCallback = [](void *data, DmlMessageSeverity,
                              const char *text) {
      static_cast<std::vector<std::string> *>(data)->push_back(text);
    };
    DmlError error = nullptr;
    DmlResult result = dmlCreateInstance(&info, &instance, &error);
    std::string message = dmlGetErrorMessage(error);
    dmlDestroyError(error);
    DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                           dmlGetDeviceCount(instance) != 0)
    ASSERT_EQ(result, DML_SUCCESS) << message;
    DmlDeviceCreateInfo deviceInfo{};
    deviceInfo.robustBufferAccess = true;
    EXPECT_OK(dmlCreateDevice, instance, &deviceInfo, &device);
    EXPECT_OK(dmlCreateExecutable, bytes.data(), bytes.size(), nullptr,
              &executable);
    EXPECT_OK(dmlCreateProgram, device, executable, &program);
  }

  void TearDown() override {
    dmlDestroyProgram(program);
    dmlDestroyExecutable(executable);
    dmlDestroyDevice(device);
    EXPECT_EQ(dmlGetValidationMessageCount(instance), expectedMessages);
    if (expectedMessages == 0)
      EXPECT_THAT(messages, testing::IsEmpty());
    dmlDestroyInstance(instance);
  }

  /// A buffer that TearDown need not know of.
  struct Buffer {
    Buffer(DmlDevice device, uint64_t size,
           DmlMemory memory = DML_MEMORY_DEVICE) {
      EXPECT_OK(dmlCreateBuffer, device, size, memory, &handle);
      DmlBufferInfo info{};
      dmlGetBufferInfo(handle, &info);
      range = {info.buffer, 0, info.size};
    }
    ~Buffer() { dmlDestroyBuffer(handle); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    void write(const std::vector<float> &values) {
      EXPECT_OK(dmlWriteBuffer, handle, 0, values.data(), values.size() * 4);
    }
    std::vector<float> read() {
      std::vector<float> values(range.size / 4);
      EXPECT_OK(dmlReadBuffer, handle, 0, values.data(), values.size() * 4);
      return values;
    }

    DmlBuffer handle = nullptr;
    DmlBufferRange range{};
  };

  DmlBindingTable createTable(bool timestamps = false) {
    DmlBindingTableCreateInfo info{};
    info.timestamps = timestamps;
    DmlBindingTable table = nullptr;
    EXPECT_OK(dmlCreateBindingTable, program, &info, &table);
    return table;
  }

  std::vector<uint8_t> bytes = write(*makeArithmetic());
  std::vector<std::string> messages;
  uint32_t expectedMessages = 0;
  DmlInstance instance = nullptr;
  DmlDevice device = nullptr;
  PFN_vkGetInstanceProcAddr getInstanceProcAddr = nullptr;
  DmlExecutable executable = nullptr;
  DmlProgram program = nullptr;
};

/// The results that main computes of these inputs.
void expectMain(const std::vector<float> &a, const std::vector<float> &b,
                const std::vector<float> &sum,
                const std::vector<float> &reversed) {
  for (size_t i = 0; i < 128; ++i) {
    ASSERT_EQ(sum[i], a[i] + b[i]) << i;
    ASSERT_EQ(reversed[i], sum[i / 64 * 64 + 63 - i % 64]) << i;
  }
}

} // namespace

TEST_F(OnDevice, DescribesItself) {
  DmlDeviceInfo info{}, first{};
  dmlGetDeviceProperties(device, &info);
  uint32_t index = 0;
  EXPECT_OK(dmlFindDevice, instance, nullptr, &index);
  EXPECT_OK(dmlGetDeviceInfo, instance, index, &first);
  EXPECT_THAT(info.name, StrEq(first.name));
  EXPECT_GE(info.apiVersion, VK_API_VERSION_1_2);
  EXPECT_GT(info.limits.maxStorageBufferRange, 0u);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "device 99 does not exist",
               dmlGetDeviceInfo, instance, 99, &info);
  EXPECT_FAILS(DML_ERROR_NOT_FOUND, "no device is called 'none such'",
               dmlFindDevice, instance, "none such", &index);
}

TEST_F(OnDevice, BindsAndReplacesWeights) {
  DmlExecutable scaled = load(*makeWeights());
  DmlExecutableInfo info{};
  dmlGetExecutableInfo(scaled, &info);
  EXPECT_EQ(info.versionMinor, 3);
  EXPECT_EQ(info.functionCount, 1u);
  EXPECT_EQ(info.weightCount, 1u);
  EXPECT_EQ(info.constantSize, 768u);
  EXPECT_TRUE(info.hasInitialization);
  uint32_t weight = 7;
  EXPECT_OK(dmlFindWeight, scaled, "weight", &weight);
  EXPECT_EQ(weight, 0u);
  EXPECT_FAILS(DML_ERROR_NOT_FOUND, "there is no weight 'bias'", dmlFindWeight,
               scaled, "bias", &weight);
  DmlWeightInfo weightInfo{};
  EXPECT_OK(dmlGetWeightInfo, scaled, 0, &weightInfo);
  EXPECT_THAT(weightInfo.tensor.name, StrEq("weight"));
  EXPECT_EQ(weightInfo.tensor.byteSize, 512u);
  EXPECT_EQ(weightInfo.fileOffset, 0u);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "weight 1 does not exist",
               dmlGetWeightInfo, scaled, 1, &weightInfo);

  DmlProgram program = nullptr;
  EXPECT_OK(dmlCreateProgram, device, scaled, &program);
  std::vector<float> a = iota(128, 1000), sum(128), values(128, 5);
  DmlHostTensor in = host(a), out = host(sum);
  const char *unbound = "weight 'weight' has no bytes: 1 of 1 weights";
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, unbound, dmlRunFunction, program, 0,
               &in, 1, &out, 1);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, unbound, dmlInitializeProgram,
               program);
  // The initialization stands behind the functions, and is none that callers
  // run.
  const char *none = "function 1 does not exist; there are 1";
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, none, dmlRunFunction, program, 1,
               nullptr, 0, nullptr, 0);
  DmlBindingTableCreateInfo tableInfo{};
  tableInfo.function = 1;
  DmlBindingTable table = nullptr;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, none, dmlCreateBindingTable, program,
               &tableInfo, &table);
  DmlFunctionInfo functionInfo{};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, none, dmlGetFunctionInfo, scaled, 1,
               &functionInfo);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "weight 'weight' has 508 bytes, but must have 512",
               dmlBindWeight, program, 0, values.data(), 508);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "weight 1 does not exist",
               dmlBindWeight, program, 1, values.data(), 512);
  EXPECT_OK(dmlBindWeight, program, 0, values.data(), 512);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "is to be initialized after",
               dmlRunFunction, program, 0, &in, 1, &out, 1);
  EXPECT_OK(dmlInitializeProgram, program);
  EXPECT_OK(dmlRunFunction, program, 0, &in, 1, &out, 1);
  EXPECT_EQ(sum[0], 1005);
  EXPECT_EQ(sum[100], 1205);

  // Replaced, from a file and from within it.
  std::string path = testing::TempDir() + "dml-weight-test.bin";
  std::vector<float> stored(130, -1);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(stored.data()), 520);
  EXPECT_OK(dmlBindWeightFromFile, program, 0, path.c_str(), 8);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "is to be initialized after",
               dmlRunFunction, program, 0, &in, 1, &out, 1);
  EXPECT_OK(dmlInitializeProgram, program);
  EXPECT_OK(dmlRunFunction, program, 0, &in, 1, &out, 1);
  EXPECT_EQ(sum[100], 1199);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "has fewer than 512 bytes from byte",
               dmlBindWeightFromFile, program, 0, path.c_str(), 12);
  EXPECT_FAILS(DML_ERROR_NOT_FOUND, "cannot open", dmlBindWeightFromFile,
               program, 0, "/nowhere/weights", 0);
  // What failed has changed nothing.
  EXPECT_OK(dmlRunFunction, program, 0, &in, 1, &out, 1);
  std::remove(path.c_str());
  dmlDestroyProgram(program);
  dmlDestroyExecutable(scaled);
}

TEST_F(OnDevice, BindsWeightsFromBuffersAndPieceByPiece) {
  DmlExecutable scaled = load(*makeWeights());
  DmlProgram program = nullptr;
  EXPECT_OK(dmlCreateProgram, device, scaled, &program);
  std::vector<float> a = iota(128, 1000), sum(128), values(128);
  DmlHostTensor in = host(a), out = host(sum);
  auto expectWeight = [&](float weight) {
    EXPECT_OK(dmlInitializeProgram, program);
    EXPECT_OK(dmlRunFunction, program, 0, &in, 1, &out, 1);
    for (size_t i = 0; i < 128; ++i)
      ASSERT_EQ(sum[i], a[i] + static_cast<float>(i) + weight);
  };
  // The bytes may stand anywhere in a buffer that is copied from.
  Buffer large(device, 2048);
  std::vector<float> contents(512, -1);
  std::fill_n(contents.begin() + 33, 128, 5.0f);
  large.write(contents);
  DmlBufferRange source = {large.range.buffer, 132, 512};
  EXPECT_OK(dmlBindWeightFromBuffer, program, 0, &source);
  expectWeight(5);
  source.size = 511;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "the range has 511 bytes, but at least 512 are needed",
               dmlBindWeightFromBuffer, program, 0, &source);
  source.buffer = VK_NULL_HANDLE;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "the buffer is null",
               dmlBindWeightFromBuffer, program, 0, &source);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "weight 1 does not exist",
               dmlBindWeightFromBuffer, program, 1, &source);
  expectWeight(5);

  // Pieces come in order, and nothing is bound before the last.
  std::fill(values.begin(), values.end(), 7.0f);
  EXPECT_OK(dmlWriteWeight, program, 0, 0, values.data(), 100);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'weight' has no bytes",
               dmlInitializeProgram, program);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "4 bytes from byte 104 on are written, but wanted is byte 100 "
               "on, up to the 512 bytes",
               dmlWriteWeight, program, 0, 104, values.data(), 4);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "413 bytes from byte 100 on",
               dmlWriteWeight, program, 0, 100, values.data(), 413);
  EXPECT_OK(dmlWriteWeight, program, 0, 100, values.data() + 25, 412);
  expectWeight(7);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "1 bytes from byte 512 on",
               dmlWriteWeight, program, 0, 512, values.data(), 1);
  dmlDestroyProgram(program);
  dmlDestroyExecutable(scaled);
}

// The weight has more bytes than the runtime has of a file at a time.
TEST_F(OnDevice, ReadsWeightsFromFilesInPieces) {
  constexpr uint64_t kBytes = (uint64_t(5) << 19) + 512;
  auto object = makeWeights();
  object->initialization.reset();
  object->weights[0]->tensor->sizes = {kBytes / 4};
  object->weights[0]->tensor->buffer_size = kBytes;
  object->constant_size = 768 + kBytes;
  auto *dispatch = object->functions[0]->steps[0]->operation.AsDispatch();
  dispatch->bindings[1] =
      fb::BufferRange(fb::BufferKind::Constant, 0, 768 + kBytes - 512, 512);
  DmlExecutable executable = load(*object);
  DmlProgram program = nullptr;
  EXPECT_OK(dmlCreateProgram, device, executable, &program);
  std::vector<float> weight = iota(kBytes / 4, 0);
  std::string path = testing::TempDir() + "dml-large-weight-test.bin";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(weight.data()), kBytes);
  EXPECT_OK(dmlBindWeightFromFile, program, 0, path.c_str(), 0);
  EXPECT_OK(dmlInitializeProgram, program);
  std::vector<float> a = iota(128, 1), sum(128);
  DmlHostTensor in = host(a), out = host(sum);
  EXPECT_OK(dmlRunFunction, program, 0, &in, 1, &out, 1);
  for (size_t i = 0; i < 128; ++i)
    ASSERT_EQ(sum[i], a[i] + weight[weight.size() - 128 + i]);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "has fewer than 2621952 bytes",
               dmlBindWeightFromFile, program, 0, path.c_str(), 1);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "has fewer than 2621952 bytes",
               dmlBindWeightFromFile, program, 0, path.c_str(), UINT64_MAX);
  std::remove(path.c_str());
  dmlDestroyProgram(program);
  dmlDestroyExecutable(executable);
}

/// Writes floats to a file from byte `offset` on, with nothing before.
void writeFrom(const std::string &path, uint64_t offset,
               const std::vector<float> &values) {
  std::ofstream file(std::filesystem::u8path(path), std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(reinterpret_cast<const char *>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  ASSERT_TRUE(file.flush());
}

// A file of 5 GiB, whose name has letters of two, three and four bytes.
TEST_F(OnDevice, ReadsWeightsOfLargeFilesWithNamesInUtf8) {
  auto object = makeWeights();
  DmlExecutable executable = load(*object);
  DmlProgram program = nullptr;
  EXPECT_OK(dmlCreateProgram, device, executable, &program);
  constexpr uint64_t kOffset = uint64_t(5) << 30;
  std::string path = testing::TempDir() +
                     "dml-gr\xc3\xb6\xc3\x9f\x65-\xe6\x97\xa5-"
                     "\xf0\x9f\x98\x80.bin";
  writeFrom(path, kOffset, std::vector<float>(128, 9));
  EXPECT_OK(dmlBindWeightFromFile, program, 0, path.c_str(), kOffset);
  EXPECT_OK(dmlInitializeProgram, program);
  std::vector<float> a = iota(128, 1), sum(128);
  DmlHostTensor in = host(a), out = host(sum);
  EXPECT_OK(dmlRunFunction, program, 0, &in, 1, &out, 1);
  for (size_t i = 0; i < 128; ++i)
    ASSERT_EQ(sum[i], a[i] + static_cast<float>(i) + 9);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "has fewer than 512 bytes from byte 5368709124 on",
               dmlBindWeightFromFile, program, 0, path.c_str(), kOffset + 4);
  std::filesystem::remove(std::filesystem::u8path(path));
  // A name that is no UTF-8 is one that no file has.
  EXPECT_FAILS(DML_ERROR_NOT_FOUND, "cannot open", dmlBindWeightFromFile,
               program, 0, "dml-\xff.bin", 0);
  dmlDestroyProgram(program);
  dmlDestroyExecutable(executable);
}

// A table of steps that read the weight itself follows it to other buffers.
TEST_F(OnDevice, ReadsWeightsInPlace) {
  auto object = makeWeights();
  object->initialization.reset();
  // The function adds the weight alone.
  auto *dispatch = object->functions[0]->steps[0]->operation.AsDispatch();
  dispatch->bindings[1] =
      fb::BufferRange(fb::BufferKind::Constant, 0, 768, 512);
  DmlExecutable executable = load(*object);
  DmlProgram program = nullptr;
  EXPECT_OK(dmlCreateProgram, device, executable, &program);
  Buffer a(device, 512), sum(device, 512), first(device, 1024),
      second(device, 512);
  a.write(iota(128, 1));
  first.write(std::vector<float>(256, 3));
  second.write(std::vector<float>(128, 4));
  DmlBindingTableCreateInfo info{};
  DmlBindingTable table = nullptr;
  EXPECT_OK(dmlCreateBindingTable, program, &info, &table);
  EXPECT_OK(dmlBindInput, table, 0, &a.range);
  EXPECT_OK(dmlBindOutput, table, 0, &sum.range);
  auto expectWeight = [&](float weight) {
    EXPECT_OK(dmlInitializeProgram, program);
    EXPECT_OK(dmlSubmit, table, nullptr);
    EXPECT_OK(dmlWait, table, UINT64_MAX);
    std::vector<float> values = sum.read();
    for (size_t i = 0; i < 128; ++i)
      ASSERT_EQ(values[i], static_cast<float>(i) + 1 + weight);
  };
  DmlBufferRange place = {first.range.buffer, 512, 512};
  DmlMemoryUse before{}, after{};
  EXPECT_OK(dmlGetMemoryUse, device, &before);
  EXPECT_OK(dmlBindWeightInPlace, program, 0, &place);
  // The place of the weight is all that the program reads, and is not its own.
  EXPECT_OK(dmlGetMemoryUse, device, &after);
  EXPECT_EQ(after.peak, before.peak) << "nothing was copied";
  expectWeight(3);
  // Without a copy: what the buffer holds is what is read.
  std::vector<float> sixes(128, 6);
  EXPECT_OK(dmlWriteBuffer, first.handle, 512, sixes.data(), 512);
  expectWeight(6);
  EXPECT_OK(dmlBindWeightInPlace, program, 0, &second.range);
  expectWeight(4);
  // Copied, and in place once more.
  std::vector<float> eights(128, 8);
  EXPECT_OK(dmlBindWeight, program, 0, eights.data(), 512);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "is to be initialized after",
               dmlSubmit, table, nullptr);
  expectWeight(8);
  EXPECT_EQ(second.read(), std::vector<float>(128, 4));
  EXPECT_OK(dmlBindWeightInPlace, program, 0, &place);
  expectWeight(6);

  place.offset = 8;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "weight 'weight': the offset is 8, but must be a multiple of",
               dmlBindWeightInPlace, program, 0, &place);
  place = {first.range.buffer, 0, 500};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "at least 512 are needed",
               dmlBindWeightInPlace, program, 0, &place);
  expectWeight(6);
  dmlDestroyBindingTable(table);
  dmlDestroyProgram(program);
  dmlDestroyExecutable(executable);
}

TEST_F(OnDevice, RefusesWeightsInPlaceThatAreReadWithOthers) {
  Buffer buffer(device, 2048);
  auto refuses = [&](auto spoil, const char *message) {
    auto object = makeWeights();
    spoil(*object);
    DmlExecutable executable = load(*object);
    DmlProgram program = nullptr;
    EXPECT_OK(dmlCreateProgram, device, executable, &program);
    EXPECT_FAILS(DML_ERROR_UNSUPPORTED, message, dmlBindWeightInPlace, program,
                 0, &buffer.range);
    dmlDestroyProgram(program);
    dmlDestroyExecutable(executable);
  };
  // A step reads the stored constants and the weight as one range.
  refuses(
      [](ExecutableObject &object) {
        object.requirements->max_storage_buffer_range = 1024;
        auto *dispatch = object.functions[0]->steps[0]->operation.AsDispatch();
        dispatch->bindings[1] =
            fb::BufferRange(fb::BufferKind::Constant, 0, 256, 1024);
      },
      "steps read bytes 256 to 1280 of the constants together, and the weight "
      "has bytes 768 to 1280");
}

TEST_F(OnDevice, BorrowsExecutables) {
  std::vector<uint8_t> bytes = write(*makeArithmetic());
  std::vector<uint8_t> shifted(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
  DmlExecutableCreateInfo info{};
  info.borrow = true;
  // Data that are not aligned are copied.
  for (const uint8_t *data : {bytes.data(), shifted.data() + 1}) {
    DmlExecutable borrowed = nullptr;
    DmlProgram program = nullptr;
    EXPECT_OK(dmlCreateExecutable, data, bytes.size(), &info, &borrowed);
    EXPECT_OK(dmlCreateProgram, device, borrowed, &program);
    std::vector<float> a = iota(128, 1), sum(128);
    DmlHostTensor in = host(a), out = host(sum);
    EXPECT_OK(dmlRunFunction, program, 1, &in, 1, &out, 1);
    EXPECT_EQ(sum[100], 201);
    dmlDestroyProgram(program);
    dmlDestroyExecutable(borrowed);
  }
  DmlExtension extension{static_cast<DmlStructureType>(9), nullptr};
  info.next = &extension;
  DmlExecutable none = nullptr;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "the chain of DmlExecutableCreateInfo",
               dmlCreateExecutable, bytes.data(), bytes.size(), &info, &none);
}

// The variant for the device is run, with its own temporary buffer and steps;
// kernels of the other, which the device may be unable to make, are left alone.
TEST_F(OnDevice, RunsTheVariantThatFits) {
  DmlExecutable variants = load(*makeVariants());
  for (DmlFeatureFlags disabled :
       {DmlFeatureFlags(0), DmlFeatureFlags(DML_FEATURE_SHADER_INT64_BIT)}) {
    DmlDeviceCreateInfo info{};
    info.disabledFeatures = disabled;
    DmlDevice lesser = nullptr;
    EXPECT_OK(dmlCreateDevice, instance, &info, &lesser);
    DmlDeviceInfo has{};
    dmlGetDeviceProperties(lesser, &has);
    uint32_t variant = 9;
    EXPECT_OK(dmlChooseVariant, variants, 0, &has, &variant);
    bool isFirst = has.features & DML_FEATURE_SHADER_INT64_BIT;
    EXPECT_EQ(variant, isFirst ? 0u : 1u);
    DmlVariantInfo variantInfo{};
    EXPECT_OK(dmlGetVariantInfo, variants, 0, variant, &variantInfo);

    DmlProgram some = nullptr;
    EXPECT_OK(dmlCreateProgram, lesser, variants, &some);
    std::vector<int64_t> in = {1, -3, int64_t(0x123456789abcdef)}, out(3);
    DmlHostTensor input = {in.data(), 24}, output = {out.data(), 24};
    EXPECT_OK(dmlRunFunction, some, 0, &input, 1, &output, 1);
    EXPECT_THAT(out, testing::ElementsAre(2, -6, 0x2468acf13579bde));

    DmlBindingTableCreateInfo tableInfo{};
    tableInfo.timestamps = true;
    DmlBindingTable table = nullptr;
    EXPECT_OK(dmlCreateBindingTable, some, &tableInfo, &table);
    std::vector<DmlStepTime> times(3);
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
                 "3 steps from step 0 on do not exist; function 'twice' has",
                 dmlGetStepTimes, table, 0, 3, times.data());
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "has not been executed",
                 dmlGetStepTimes, table, 0, variantInfo.stepCount,
                 times.data());
    dmlDestroyBindingTable(table);
    dmlDestroyProgram(some);
    dmlDestroyDevice(lesser);
  }
  dmlDestroyExecutable(variants);
}

TEST_F(OnDevice, RunsAFunctionOnHostMemory) {
  std::vector<float> a = iota(128, 1), b = iota(128, 1000);
  std::vector<float> sum(128), reversed(128);
  DmlHostTensor inputs[] = {host(a), host(b)};
  DmlHostTensor outputs[] = {host(sum), host(reversed)};
  EXPECT_OK(dmlRunFunction, program, 0, inputs, 2, outputs, 2);
  expectMain(a, b, sum, reversed);

  EXPECT_OK(dmlRunFunction, program, 1, inputs, 1, outputs, 1);
  for (int i = 0; i < 128; ++i)
    ASSERT_EQ(sum[i], a[i] + static_cast<float>(i));

  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "got 1 inputs, but the function has 2", dmlRunFunction, program,
               0, inputs, 1, outputs, 2);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "function 2 does not exist",
               dmlRunFunction, program, 2, inputs, 1, outputs, 2);
  inputs[1].size = 4;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "input 'b' has 4 bytes, but must have 512", dmlRunFunction,
               program, 0, inputs, 2, outputs, 2);
}

TEST_F(OnDevice, RunsFromManyThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      std::vector<float> a = iota(128, static_cast<float>(thread));
      std::vector<float> b = iota(128, 5), sum(128), reversed(128);
      DmlHostTensor inputs[] = {host(a), host(b)};
      DmlHostTensor outputs[] = {host(sum), host(reversed)};
      for (int round = 0; round < 3; ++round)
        EXPECT_OK(dmlRunFunction, program, 0, inputs, 2, outputs, 2);
      expectMain(a, b, sum, reversed);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(OnDevice, SubmitsABindingTableAgainAndAgain) {
  DmlBindingTable table = createTable(/*timestamps=*/true);
  Buffer a(device, 512), b(device, 512), sum(device, 512),
      reversed(device, 512), otherSum(device, 1024);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "input 'a' has no buffer bound",
               dmlSubmit, table, nullptr);
  EXPECT_OK(dmlBindInput, table, 0, &a.range);
  EXPECT_OK(dmlBindInput, table, 1, &b.range);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "output 'sum' has no buffer bound",
               dmlSubmit, table, nullptr);
  EXPECT_OK(dmlBindOutput, table, 0, &sum.range);
  EXPECT_OK(dmlBindOutput, table, 1, &reversed.range);
  DmlStepTime times[3];
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "has not been executed",
               dmlGetStepTimes, table, 0, 3, times);
  EXPECT_OK(dmlWait, table, 0);
  for (int round = 0; round < 5; ++round) {
    std::vector<float> aValues = iota(128, static_cast<float>(round));
    std::vector<float> bValues = iota(128, 7);
    a.write(aValues);
    b.write(bValues);
    EXPECT_OK(dmlSubmit, table, nullptr);
    EXPECT_OK(dmlWait, table, UINT64_MAX);
    expectMain(aValues, bValues, sum.read(), reversed.read());
  }
  EXPECT_OK(dmlGetStepTimes, table, 0, 3, times);
  EXPECT_EQ(times[0].begin, 0u);
  for (int i = 0; i < 3; ++i)
    EXPECT_LE(times[i].begin, times[i].end);
  uint64_t time = 0;
  EXPECT_OK(dmlGetRunTime, table, &time);
  EXPECT_EQ(time, times[2].end);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "2 steps from step 2 on do not exist; function 'main' has 3",
               dmlGetStepTimes, table, 2, 2, times);

  // Bound anew, part of a larger buffer.
  DmlBufferRange part = {otherSum.range.buffer, 512, 512};
  EXPECT_OK(dmlBindOutput, table, 0, &part);
  EXPECT_OK(dmlSubmit, table, nullptr);
  EXPECT_OK(dmlSubmit, table, nullptr);
  EXPECT_OK(dmlWait, table, UINT64_MAX);
  std::vector<float> both = otherSum.read();
  EXPECT_EQ(std::vector<float>(both.begin() + 128, both.end()), sum.read());
  dmlDestroyBindingTable(table);
}

TEST_F(OnDevice, MeasuresARunWithoutItsSteps) {
  Buffer a(device, 512), b(device, 512), sum(device, 512),
      reversed(device, 512);
  uint64_t time = 0;
  DmlStepTime times[3];
  for (bool isTimed : {false, true}) {
    DmlBindingTableCreateInfo info{};
    info.runTimestamps = isTimed;
    DmlBindingTable table = nullptr;
    EXPECT_OK(dmlCreateBindingTable, program, &info, &table);
    EXPECT_OK(dmlBindInput, table, 0, &a.range);
    EXPECT_OK(dmlBindInput, table, 1, &b.range);
    EXPECT_OK(dmlBindOutput, table, 0, &sum.range);
    EXPECT_OK(dmlBindOutput, table, 1, &reversed.range);
    if (isTimed)
      EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
                   "function 'main' has not been executed yet", dmlGetRunTime,
                   table, &time);
    for (int round = 0; round < 2; ++round) {
      EXPECT_OK(dmlSubmit, table, nullptr);
      EXPECT_OK(dmlWait, table, UINT64_MAX);
    }
    if (isTimed) {
      EXPECT_OK(dmlGetRunTime, table, &time);
      EXPECT_NE(time, 0u);
    } else {
      EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
                   "the binding table was made without timestamps",
                   dmlGetRunTime, table, &time);
    }
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "without timestamps of steps",
                 dmlGetStepTimes, table, 0, 3, times);
    dmlDestroyBindingTable(table);
  }
}

TEST_F(OnDevice, WaitsForSemaphoresAndSignalsThem) {
  DmlVulkanDevice vulkan{};
  dmlGetVulkanDevice(device, &vulkan);
  auto find = [&](auto type, const char *name) {
    return reinterpret_cast<decltype(type)>(
        vulkan.getInstanceProcAddr(vulkan.instance, name));
  };
#define DML_FIND(name) find(PFN_##name(nullptr), #name)
  VkSemaphoreTypeCreateInfo typeInfo{
      VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  typeInfo.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphoreInfo{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                      &typeInfo};
  VkSemaphore timeline = VK_NULL_HANDLE, binary = VK_NULL_HANDLE;
  auto create = DML_FIND(vkCreateSemaphore);
  ASSERT_EQ(create(vulkan.device, &semaphoreInfo, nullptr, &timeline),
            VK_SUCCESS);
  semaphoreInfo.pNext = nullptr;
  ASSERT_EQ(create(vulkan.device, &semaphoreInfo, nullptr, &binary),
            VK_SUCCESS);

  DmlBindingTable table = createTable();
  Buffer a(device, 512), b(device, 512), sum(device, 512),
      reversed(device, 512);
  a.write(iota(128, 1));
  b.write(iota(128, 2));
  EXPECT_OK(dmlBindInput, table, 0, &a.range);
  EXPECT_OK(dmlBindInput, table, 1, &b.range);
  EXPECT_OK(dmlBindOutput, table, 0, &sum.range);
  EXPECT_OK(dmlBindOutput, table, 1, &reversed.range);
  DmlSemaphoreValue begin{timeline, 1}, handOver{timeline, 2}, end{timeline, 3},
      plain{binary, 0};
  DmlSubmitInfo first{}, second{}, wrong{};
  wrong.signalSemaphoreCount = 1;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "signalSemaphores is NULL, but signalSemaphoreCount is 1",
               dmlSubmit, table, &wrong);
  DmlSemaphoreValue none{};
  wrong = {};
  wrong.waitSemaphores = &none;
  wrong.waitSemaphoreCount = 1;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "semaphore 0 of waitSemaphores is VK_NULL_HANDLE", dmlSubmit,
               table, &wrong);
  DmlExtension extension{static_cast<DmlStructureType>(5), nullptr};
  wrong = {};
  wrong.next = &extension;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
               "the chain of DmlSubmitInfo has a structure of type 5",
               dmlSubmit, table, &wrong);

  // Three submissions are in flight, and none begins before the host says so.
  first.waitSemaphores = &begin;
  first.signalSemaphores = &handOver;
  second.waitSemaphores = &handOver;
  second.signalSemaphores = &end;
  first.waitSemaphoreCount = first.signalSemaphoreCount = 1;
  second.waitSemaphoreCount = second.signalSemaphoreCount = 1;
  EXPECT_OK(dmlSubmit, table, &first);
  EXPECT_OK(dmlSubmit, table, &second);
  EXPECT_OK(dmlSubmit, table, nullptr);
  EXPECT_FAILS(DML_ERROR_TIMEOUT, "has not finished within 1000000 ns", dmlWait,
               table, 1'000'000);
  VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  signal.semaphore = timeline;
  signal.value = 1;
  ASSERT_EQ(DML_FIND(vkSignalSemaphore)(vulkan.device, &signal), VK_SUCCESS);
  EXPECT_OK(dmlWait, table, UINT64_MAX);
  uint64_t value = 0;
  ASSERT_EQ(
      DML_FIND(vkGetSemaphoreCounterValue)(vulkan.device, timeline, &value),
      VK_SUCCESS);
  EXPECT_EQ(value, 3u);
  // Binary semaphores have no value.
  first = second = {};
  first.signalSemaphores = second.waitSemaphores = &plain;
  first.signalSemaphoreCount = second.waitSemaphoreCount = 1;
  EXPECT_OK(dmlSubmit, table, &first);
  EXPECT_OK(dmlSubmit, table, &second);
  EXPECT_OK(dmlWait, table, UINT64_MAX);
  expectMain(iota(128, 1), iota(128, 2), sum.read(), reversed.read());
  dmlDestroyBindingTable(table);
  auto destroy = DML_FIND(vkDestroySemaphore);
  destroy(vulkan.device, timeline, nullptr);
  destroy(vulkan.device, binary, nullptr);
#undef DML_FIND
}

TEST_F(OnDevice, RefusesWrongBindings) {
  DmlBindingTable table = createTable();
  Buffer buffer(device, 4096);
  VkBuffer vk = buffer.range.buffer;
  auto expectBindError = [&](DmlBufferRange range, const char *message) {
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, message, dmlBindInput, table, 0,
                 &range);
  };
  expectBindError({VK_NULL_HANDLE, 0, 512}, "input 'a': the buffer is null");
  expectBindError({vk, 8, 512}, "the offset is 8, but must be a multiple of");
  expectBindError({vk, 0, 511},
                  "the range has 511 bytes, but at least 512 are needed");
  expectBindError({vk, UINT64_MAX - 4095, UINT64_MAX}, "overflow");
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "input 2 does not exist",
               dmlBindInput, table, 2, &buffer.range);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "output 2 does not exist",
               dmlBindOutput, table, 2, &buffer.range);
  DmlBufferRange tooSmall = {vk, 0, 1023};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "at least 1024 are needed",
               dmlBindTemporary, table, &tooSmall);

  DmlBufferRange ranges[] = {
      {vk, 0, 512}, {vk, 0, 512}, {vk, 256, 512}, {vk, 1024, 512}};
  EXPECT_OK(dmlBindInput, table, 0, &ranges[0]);
  EXPECT_OK(dmlBindInput, table, 1, &ranges[1]);
  EXPECT_OK(dmlBindOutput, table, 0, &ranges[2]);
  EXPECT_OK(dmlBindOutput, table, 1, &ranges[3]);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "output 'sum' and input 'a' are bound to ranges that overlap",
               dmlSubmit, table, nullptr);
  // A mistake leaves the table usable.
  ranges[2].offset = 512;
  EXPECT_OK(dmlBindOutput, table, 0, &ranges[2]);
  DmlBufferRange temporary = {vk, 2048, 1024};
  EXPECT_OK(dmlBindTemporary, table, &temporary);
  EXPECT_OK(dmlSubmit, table, nullptr);
  // Waits for the submission.
  dmlDestroyBindingTable(table);
}

TEST_F(OnDevice, WritesOutputsInThePlaceOfInputs) {
  std::vector<uint8_t> file = write(*makeInPlace());
  DmlExecutable inPlace = nullptr;
  EXPECT_OK(dmlCreateExecutable, file.data(), file.size(), nullptr, &inPlace);
  uint32_t input = 7;
  EXPECT_OK(dmlGetInPlaceInput, inPlace, 0, 1, &input);
  EXPECT_EQ(input, UINT32_MAX);
  EXPECT_OK(dmlGetInPlaceInput, inPlace, 1, 0, &input);
  EXPECT_EQ(input, 0u);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "output 1 does not exist",
               dmlGetInPlaceInput, inPlace, 1, 1, &input);
  DmlProgram adding = nullptr;
  EXPECT_OK(dmlCreateProgram, device, inPlace, &adding);
  DmlBindingTableCreateInfo info{};
  info.function = 1;
  DmlBindingTable table = nullptr;
  EXPECT_OK(dmlCreateBindingTable, adding, &info, &table);
  Buffer state(device, 1024), other(device, 512);
  state.write(iota(128, 5));
  DmlBufferRange temporary = {state.range.buffer, 512, 512};
  EXPECT_OK(dmlBindTemporary, table, &temporary);
  EXPECT_OK(dmlBindInput, table, 0, &state.range);
  const char *different =
      "output 'sum' is in the place of input 'a', but the two are bound to "
      "different ranges";
  EXPECT_OK(dmlBindOutput, table, 0, &other.range);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, different, dmlSubmit, table,
               nullptr);
  DmlBufferRange shifted = {state.range.buffer, 256, 768};
  EXPECT_OK(dmlBindOutput, table, 0, &shifted);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, different, dmlSubmit, table,
               nullptr);
  EXPECT_OK(dmlBindOutput, table, 0, &state.range);
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(dmlSubmit, table, nullptr);
    EXPECT_OK(dmlWait, table, UINT64_MAX);
  }
  std::vector<float> result = state.read();
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(result[i], static_cast<float>(5 + i + 2 * i));
  // Other ranges still may not overlap with what is written.
  temporary.offset = 256;
  EXPECT_OK(dmlBindTemporary, table, &temporary);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "the temporary buffer and output 'sum' are bound to ranges that "
               "overlap",
               dmlSubmit, table, nullptr);
  dmlDestroyBindingTable(table);
  // Host tensors stay apart.
  std::vector<float> a = iota(128, 1), sum(128);
  DmlHostTensor in = {a.data(), 512}, out = {sum.data(), 512};
  EXPECT_OK(dmlRunFunction, adding, 1, &in, 1, &out, 1);
  EXPECT_EQ(sum[3], 1 + 3 + 3);
  EXPECT_EQ(a[3], 1 + 3);
  dmlDestroyProgram(adding);
  dmlDestroyExecutable(inPlace);
}

TEST_F(OnDevice, RecordsIntoTheCallersCommandBuffer) {
  // The device here stands for a caller's own.
  DmlVulkanDevice vulkan{};
  dmlGetVulkanDevice(device, &vulkan);
  vulkan.lockQueue = vulkan.unlockQueue = nullptr;
  DmlDevice adopted = nullptr;
  EXPECT_OK(dmlAdoptDevice, &vulkan, &adopted);
  DmlProgram adoptedProgram = nullptr;
  EXPECT_OK(dmlCreateProgram, adopted, executable, &adoptedProgram);
  DmlBindingTableCreateInfo tableInfo{};
  tableInfo.timestamps = true;
  DmlBindingTable table = nullptr;
  EXPECT_OK(dmlCreateBindingTable, adoptedProgram, &tableInfo, &table);
  Buffer a(adopted, 512, DML_MEMORY_UPLOAD), b(adopted, 512), sum(adopted, 512),
      reversed(adopted, 512, DML_MEMORY_READBACK);
  a.write(iota(128, 3));
  b.write(iota(128, 4));
  EXPECT_OK(dmlBindInput, table, 0, &a.range);
  EXPECT_OK(dmlBindInput, table, 1, &b.range);
  EXPECT_OK(dmlBindOutput, table, 0, &sum.range);
  EXPECT_OK(dmlBindOutput, table, 1, &reversed.range);

  auto vkFunction = [&](auto type, const char *name) {
    return reinterpret_cast<decltype(type)>(
        vulkan.getInstanceProcAddr(vulkan.instance, name));
  };
#define DML_VK(name) vkFunction(PFN_##name(nullptr), #name)
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = vulkan.queueFamilyIndex;
  VkCommandPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(
      DML_VK(vkCreateCommandPool)(vulkan.device, &poolInfo, nullptr, &pool),
      VK_SUCCESS);
  VkCommandBufferAllocateInfo allocateInfo{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocateInfo.commandPool = pool;
  allocateInfo.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  ASSERT_EQ(
      DML_VK(vkAllocateCommandBuffers)(vulkan.device, &allocateInfo, &commands),
      VK_SUCCESS);
  VkCommandBufferBeginInfo beginInfo{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  DML_VK(vkBeginCommandBuffer)(commands, &beginInfo);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "the temporary buffer of function 'main' has no memory bound, "
               "but must have 1024 bytes",
               dmlRecordFunction, table, commands);
  EXPECT_OK(dmlBindTemporary, table, nullptr);
  EXPECT_OK(dmlRecordFunction, table, commands);
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                          VK_ACCESS_SHADER_WRITE_BIT |
                              VK_ACCESS_TRANSFER_WRITE_BIT,
                          VK_ACCESS_HOST_READ_BIT};
  DML_VK(vkCmdPipelineBarrier)
  (commands,
   VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
   VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  DML_VK(vkEndCommandBuffer)(commands);
  VkSubmitInfo submitInfo{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submitInfo.commandBufferCount = 1;
  submitInfo.pCommandBuffers = &commands;
  ASSERT_EQ(DML_VK(vkQueueSubmit)(vulkan.queue, 1, &submitInfo, VK_NULL_HANDLE),
            VK_SUCCESS);
  DML_VK(vkQueueWaitIdle)(vulkan.queue);
  expectMain(iota(128, 3), iota(128, 4), sum.read(), reversed.read());
  DmlStepTime times[3];
  EXPECT_OK(dmlGetStepTimes, table, 0, 3, times);
  DML_VK(vkDestroyCommandPool)(vulkan.device, pool, nullptr);
  // Objects are destroyed in any order, since each keeps the device that it was
  // made from.
  dmlDestroyDevice(adopted);
  dmlDestroyProgram(adoptedProgram);
  dmlDestroyBindingTable(table);
}

TEST_F(OnDevice, AdoptsOnlyWhatFits) {
  DmlVulkanDevice good{};
  dmlGetVulkanDevice(device, &good);
  DmlDevice adopted = nullptr;
  auto expectAdoptError = [&](auto spoil, const char *message) {
    DmlVulkanDevice info = good;
    spoil(info);
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, message, dmlAdoptDevice, &info,
                 &adopted);
  };
  expectAdoptError([](auto &i) { i.device = VK_NULL_HANDLE; },
                   "one is VK_NULL_HANDLE");
  expectAdoptError([](auto &i) { i.apiVersion = VK_API_VERSION_1_1; },
                   "apiVersion 1.1, but Vulkan 1.2 is needed");
  expectAdoptError([](auto &i) { i.queueFamilyIndex = 77; },
                   "queueFamilyIndex is 77");
  expectAdoptError([](auto &i) { i.unlockQueue = nullptr; }, "both or neither");
  expectAdoptError([](auto &i) { i.enabledFeatures = 0x800; },
                   "enabledFeatures has 0x800");

  // Created here without the feature that a program needs.
  DmlDeviceCreateInfo lessInfo{};
  lessInfo.disabledFeatures = DML_FEATURE_SHADER_INT64_BIT;
  DmlDevice less = nullptr;
  EXPECT_OK(dmlCreateDevice, instance, &lessInfo, &less);
  DmlDeviceInfo lessProperties{};
  dmlGetDeviceProperties(less, &lessProperties);
  EXPECT_EQ(lessProperties.features,
            good.enabledFeatures & ~DML_FEATURE_SHADER_INT64_BIT);
  DmlExecutable wide = load(*makeTwice());
  DmlProgram wideProgram = nullptr;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "feature shaderInt64 is needed",
               dmlCreateProgram, less, wide, &wideProgram);
  dmlDestroyExecutable(wide);
  dmlDestroyDevice(less);
  lessInfo.disabledFeatures = 0x800;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "disabledFeatures has 0x800",
               dmlCreateDevice, instance, &lessInfo, &less);

  // The device lacks the feature that a program needs, and then a queue.
  DmlVulkanDevice poor = good;
  poor.enabledFeatures &= ~DML_FEATURE_SHADER_INT64_BIT;
  poor.queue = VK_NULL_HANDLE;
  EXPECT_OK(dmlAdoptDevice, &poor, &adopted);
  DmlExecutable twice = load(*makeTwice());
  DmlProgram twiceProgram = nullptr;
  if (good.enabledFeatures & DML_FEATURE_SHADER_INT64_BIT)
    EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
                 "feature shaderInt64 is needed, but the VkDevice was created "
                 "without it",
                 dmlCreateProgram, adopted, twice, &twiceProgram);
  dmlDestroyExecutable(twice);
  DmlExecutable copies = load(*makeCopies());
  DmlProgram copyProgram = nullptr;
  EXPECT_OK(dmlCreateProgram, adopted, copies, &copyProgram);
  float from[6] = {}, to[6];
  DmlHostTensor input = {from, 24}, output = {to, 24};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "adopted without a queue",
               dmlRunFunction, copyProgram, 0, &input, 1, &output, 1);
  dmlDestroyProgram(copyProgram);
  dmlDestroyExecutable(copies);
  dmlDestroyDevice(adopted);
}

// A VkDevice that is made as the requirements say is as good as one that
// dmlCreateDevice makes.
TEST_F(OnDevice, AdoptsADeviceMadeAsRequired) {
  DmlVulkanDevice vulkan{};
  dmlGetVulkanDevice(device, &vulkan);
  DmlDevice own = nullptr;
  EXPECT_OK(dmlCreateDevice, instance, nullptr, &own);
  DmlDeviceInfo wanted{};
  dmlGetDeviceProperties(own, &wanted);
  dmlDestroyDevice(own);
  auto find = [&](auto type, const char *name) {
    return reinterpret_cast<decltype(type)>(
        vulkan.getInstanceProcAddr(vulkan.instance, name));
  };
#define DML_FIND(name) find(PFN_##name(nullptr), #name)
  auto adopt = [&](VkPhysicalDeviceFeatures2 *features) {
    DmlDeviceRequest request{};
    request.getInstanceProcAddr = vulkan.getInstanceProcAddr;
    request.instance = vulkan.instance;
    request.physicalDevice = vulkan.physicalDevice;
    request.apiVersion = VK_API_VERSION_1_3;
    request.debugUtilsEnabled = true;
    request.features = features;
    DmlDeviceRequirements requirements = nullptr;
    EXPECT_OK(dmlGetDeviceRequirements, &request, &requirements);
    DmlDeviceRequirementsInfo info{};
    dmlDescribeDeviceRequirements(requirements, &info);
    if (features)
      EXPECT_EQ(info.features, features);
    float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = info.queueFamilyIndex;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo createInfo{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  info.features};
    createInfo.queueCreateInfoCount = 1;
    createInfo.pQueueCreateInfos = &queue;
    createInfo.enabledExtensionCount = info.extensionCount;
    createInfo.ppEnabledExtensionNames = info.extensions;
    DmlVulkanDevice made = info.device;
    ASSERT_EQ(DML_FIND(vkCreateDevice)(vulkan.physicalDevice, &createInfo,
                                       nullptr, &made.device),
              VK_SUCCESS);
    DML_FIND(vkGetDeviceQueue)
    (made.device, info.queueFamilyIndex, 0, &made.queue);
    dmlDestroyDeviceRequirements(requirements);

    DmlDevice adopted = nullptr;
    EXPECT_OK(dmlAdoptDevice, &made, &adopted);
    DmlDeviceInfo has{};
    dmlGetDeviceProperties(adopted, &has);
    EXPECT_EQ(has.features, wanted.features);
    EXPECT_EQ(has.limits.maxSubgroupSize, wanted.limits.maxSubgroupSize);
    EXPECT_EQ(has.limits.matrixShapeCount, wanted.limits.matrixShapeCount);
    EXPECT_EQ(has.limits.maxComputeWorkgroupSubgroups,
              wanted.limits.maxComputeWorkgroupSubgroups);
    DmlProgram adoptedProgram = nullptr;
    EXPECT_OK(dmlCreateProgram, adopted, executable, &adoptedProgram);
    std::vector<float> a = iota(128, 1), sum(128);
    DmlHostTensor in = host(a), out = host(sum);
    EXPECT_OK(dmlRunFunction, adoptedProgram, 1, &in, 1, &out, 1);
    dmlDestroyProgram(adoptedProgram);
    dmlDestroyDevice(adopted);
    DML_FIND(vkDestroyDevice)(made.device, nullptr);
  };
  adopt(nullptr);
  // The caller's own features stand in structures of versions, or of single
  // features.
  VkPhysicalDeviceVulkan13Features vulkan13{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceVulkan12Features vulkan12{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &vulkan13};
  vulkan12.hostQueryReset = VK_TRUE;
  VkPhysicalDeviceFeatures2 features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vulkan12};
  adopt(&features);
  EXPECT_TRUE(vulkan12.hostQueryReset);
  EXPECT_TRUE(vulkan12.timelineSemaphore);
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &timeline};
  adopt(&features);
  EXPECT_TRUE(timeline.timelineSemaphore);

  DmlDeviceRequest request{};
  DmlDeviceRequirements none = nullptr;
  features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  request.features = &features;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "one is VK_NULL_HANDLE",
               dmlGetDeviceRequirements, &request, &none);
  request.instance = vulkan.instance;
  request.physicalDevice = vulkan.physicalDevice;
  request.apiVersion = VK_API_VERSION_1_1;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "apiVersion 1.1, but Vulkan 1.2",
               dmlGetDeviceRequirements, &request, &none);
  request.apiVersion = VK_API_VERSION_1_2;
  request.disabledFeatures = 0x800;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "disabledFeatures has 0x800",
               dmlGetDeviceRequirements, &request, &none);
  // What failed has left the features alone.
  EXPECT_EQ(features.pNext, nullptr);
  EXPECT_FALSE(features.features.shaderInt64);
  DmlExtension extension{static_cast<DmlStructureType>(3), nullptr};
  request.next = &extension;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "the chain of DmlDeviceRequest",
               dmlGetDeviceRequirements, &request, &none);
  dmlDestroyDeviceRequirements(nullptr);
#undef DML_FIND
}

TEST_F(OnDevice, LocksTheCallersQueue) {
  DmlVulkanDevice info{};
  dmlGetVulkanDevice(device, &info);
  struct Counter {
    int locks = 0, unlocks = 0;
  } counter;
  info.lockQueue = [](void *data) { ++static_cast<Counter *>(data)->locks; };
  info.unlockQueue = [](void *data) {
    ++static_cast<Counter *>(data)->unlocks;
  };
  info.queueUserData = &counter;
  DmlDevice adopted = nullptr;
  EXPECT_OK(dmlAdoptDevice, &info, &adopted);
  DmlExecutable copies = load(*makeCopies());
  DmlProgram copyProgram = nullptr;
  EXPECT_OK(dmlCreateProgram, adopted, copies, &copyProgram);
  float from[6] = {1, 2, 3, 4, 5, 6}, to[6];
  DmlHostTensor input = {from, 24}, output = {to, 24};
  EXPECT_OK(dmlRunFunction, copyProgram, 0, &input, 1, &output, 1);
  EXPECT_EQ(to[5], 6);
  EXPECT_GE(counter.locks, 1);
  EXPECT_EQ(counter.locks, counter.unlocks);
  dmlDestroyProgram(copyProgram);
  dmlDestroyExecutable(copies);
  dmlDestroyDevice(adopted);
}

TEST_F(OnDevice, RefusesWhatTheDeviceLacks) {
  auto object = makeArithmetic();
  object->requirements->max_storage_buffer_range = uint64_t(1) << 40;
  object->requirements->max_compute_shared_memory_size = 1u << 31;
  DmlExecutable greedy = load(*object);
  DmlProgram none = nullptr;
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
               "maxStorageBufferRange of 1099511627776 is needed, but it has",
               dmlCreateProgram, device, greedy, &none);
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
               "; maxComputeSharedMemorySize of 2147483648 is needed",
               dmlCreateProgram, device, greedy, &none);
  dmlDestroyExecutable(greedy);
}

TEST_F(OnDevice, ReportsMemoryThatCannotBeHad) {
  DmlBuffer buffer = nullptr;
  EXPECT_FAILS(DML_ERROR_OUT_OF_MEMORY,
               "bytes are needed, but maxMemoryAllocationSize", dmlCreateBuffer,
               device, UINT64_MAX, DML_MEMORY_DEVICE, &buffer);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "a buffer of 0 bytes",
               dmlCreateBuffer, device, 0, DML_MEMORY_DEVICE, &buffer);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "which is no DmlMemory",
               dmlCreateBuffer, device, 16, DmlMemory(3), &buffer);

  auto object = makeArithmetic();
  object->functions[0]->temporary_size = uint64_t(1) << 62;
  DmlExecutable greedy = load(*object);
  DmlProgram greedyProgram = nullptr;
  EXPECT_OK(dmlCreateProgram, device, greedy, &greedyProgram);
  std::vector<float> a(128), b(128), c(128), d(128);
  DmlHostTensor inputs[] = {host(a), host(b)}, outputs[] = {host(c), host(d)};
  EXPECT_FAILS(DML_ERROR_OUT_OF_MEMORY,
               "temporary buffer: 4611686018427387136 bytes are needed",
               dmlRunFunction, greedyProgram, 0, inputs, 2, outputs, 2);
  dmlDestroyProgram(greedyProgram);
  dmlDestroyExecutable(greedy);
}

TEST_F(OnDevice, ReadsAndWritesPartsOfBuffers) {
  for (DmlMemory memory :
       {DML_MEMORY_DEVICE, DML_MEMORY_UPLOAD, DML_MEMORY_READBACK}) {
    Buffer buffer(device, 64, memory);
    buffer.write(std::vector<float>(16, 1));
    float two = 2;
    EXPECT_OK(dmlWriteBuffer, buffer.handle, 60, &two, 4);
    std::vector<float> values = buffer.read();
    EXPECT_EQ(values[14], 1);
    EXPECT_EQ(values[15], 2);
    EXPECT_OK(dmlWriteBuffer, buffer.handle, 64, nullptr, 0);
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
                 "offset 61 and size 4 reach beyond the buffer's 64 bytes",
                 dmlWriteBuffer, buffer.handle, 61, &two, 4);
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "reach beyond", dmlReadBuffer,
                 buffer.handle, UINT64_MAX, &two, 4);
  }
}

TEST_F(OnDevice, BuffersBeginAsZeros) {
  // Freed memory is what comes back first.
  std::vector<uint8_t> bytes(4099, 0xa5), read(bytes.size());
  for (DmlMemory memory :
       {DML_MEMORY_DEVICE, DML_MEMORY_UPLOAD, DML_MEMORY_READBACK})
    for (int round = 0; round < 3; ++round) {
      DmlBuffer buffer = nullptr;
      EXPECT_OK(dmlCreateBuffer, device, bytes.size(), memory, &buffer);
      EXPECT_OK(dmlReadBuffer, buffer, 0, read.data(), read.size());
      EXPECT_THAT(read, Each(0));
      EXPECT_OK(dmlWriteBuffer, buffer, 0, bytes.data(), bytes.size());
      dmlDestroyBuffer(buffer);
    }
}

/// A device whose waits end when the test says so: how long a kernel takes
/// depends on the machine.
class OnDeviceThatTakesLong : public OnDevice {
protected:
  OnDeviceThatTakesLong() { getInstanceProcAddr = faultyGetInstanceProcAddr; }
};

// Work that goes on after a wait has ended keeps what it uses, whatever is
// destroyed, and everything is given back when the work ends.
TEST_F(OnDeviceThatTakesLong, WaitsNoLongerThanTheLimit) {
  auto object = makeTwice();
  object->shader_modules[0]->code = loadKernel("slow");
  object->requirements->features.clear();
  // A driver may end the loop early: nobody looks at the result.
  object->requirements->max_loop_iterations = 1;
  DmlExecutable slow = load(*object);
  DmlProgram slowProgram = nullptr;
  EXPECT_OK(dmlCreateProgram, device, slow, &slowProgram);
  std::vector<int64_t> in(3), out(3);
  DmlHostTensor input{in.data(), 24}, output{out.data(), 24};
  dmlSetWaitLimit(device, 1);
  VulkanFault fault;
  fault.function = "vkWaitForFences";
  fault.result = VK_TIMEOUT;
  fault.lasting = true;
  fault.hidesStatus = true;
  setVulkanFault(fault);
  EXPECT_FAILS(DML_ERROR_TIMEOUT, "has not finished within 1 ns",
               dmlRunFunction, slowProgram, 0, &input, 1, &output, 1);
  DmlVulkanDevice vulkan{};
  dmlGetVulkanDevice(device, &vulkan);
  // Two calls were made, each with a table and two buffers.
  EXPECT_EQ(dmlGetLateWorkCount(vulkan.device), 6u);
  EXPECT_EQ(dmlGetLateWorkCount(VK_NULL_HANDLE), 6u);
  dmlDestroyProgram(slowProgram);
  dmlDestroyExecutable(slow);
  TearDown();
  program = nullptr;
  executable = nullptr;
  device = nullptr;
  instance = nullptr;
  EXPECT_GE(dmlGetLateWorkCount(vulkan.device), 6u);
  EXPECT_THAT(listLiveObjects(), testing::Not(testing::IsEmpty()));
  endVulkanFault();
  while (dmlGetLateWorkCount(vulkan.device) != 0)
    std::this_thread::yield();
  // The device that the fixture made before the fault is destroyed as well.
  EXPECT_THAT(listLiveObjects(), testing::IsEmpty());
  EXPECT_THAT(messages, testing::IsEmpty());
}

// Work that goes on keeps the buffers that are destroyed meanwhile.
TEST_F(OnDevice, KeepsBuffersThatWorkUses) {
  DmlVulkanDevice vulkan{};
  dmlGetVulkanDevice(device, &vulkan);
  DmlBindingTable table = createTable();
  auto bind = [&](auto &&call, Buffer &buffer, uint32_t index) {
    EXPECT_OK(call, table, index, &buffer.range);
  };
  {
    Buffer a(device, 512), b(device, 512), sum(device, 512),
        reversed(device, 512);
    bind(dmlBindInput, a, 0);
    bind(dmlBindInput, b, 1);
    bind(dmlBindOutput, sum, 0);
    bind(dmlBindOutput, reversed, 1);
    // Two submissions use the buffers.
    EXPECT_OK(dmlSubmit, table, nullptr);
    EXPECT_OK(dmlSubmit, table, nullptr);
  }
  EXPECT_EQ(dmlGetLateWorkCount(vulkan.device), 4u);
  EXPECT_OK(dmlWait, table, UINT64_MAX);
  Buffer other(device, 512);
  EXPECT_EQ(dmlGetLateWorkCount(vulkan.device), 0u);
  // The end of a table is the end of its work.
  {
    Buffer a(device, 512), b(device, 512), sum(device, 512),
        reversed(device, 512);
    bind(dmlBindInput, a, 0);
    bind(dmlBindInput, b, 1);
    bind(dmlBindOutput, sum, 0);
    bind(dmlBindOutput, reversed, 1);
    EXPECT_OK(dmlSubmit, table, nullptr);
  }
  EXPECT_EQ(dmlGetLateWorkCount(vulkan.device), 4u);
  dmlDestroyBindingTable(table);
  EXPECT_EQ(dmlGetLateWorkCount(vulkan.device), 0u);
}

// A thread that does not poll learns of the end all the same.
TEST_F(OnDevice, WaitsWithoutPolling) {
  dmlSetSpinTime(device, 0);
  std::vector<float> a = iota(128, 1), b = iota(128, 1000);
  std::vector<float> sum(128), reversed(128);
  DmlHostTensor inputs[] = {host(a), host(b)};
  DmlHostTensor outputs[] = {host(sum), host(reversed)};
  EXPECT_OK(dmlRunFunction, program, 0, inputs, 2, outputs, 2);
  expectMain(a, b, sum, reversed);
}

TEST_F(OnDevice, KeepsItsPipelineCache) {
  size_t size = 0;
  EXPECT_OK(dmlGetPipelineCacheData, device, &size, nullptr);
  std::vector<uint8_t> data(size);
  size_t tooSmall = 3;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "there is room for 3 bytes",
               dmlGetPipelineCacheData, device, &tooSmall, data.data());
  EXPECT_OK(dmlGetPipelineCacheData, device, &size, data.data());
  EXPECT_OK(dmlSetPipelineCacheData, device, data.data(), data.size());

  // Nothing damaged reaches the driver.
  for (size_t length = 0; length < data.size(); ++length)
    EXPECT_NE(dmlSetPipelineCacheData(device, data.data(), length, nullptr),
              DML_SUCCESS);
  for (size_t at = 0; at < data.size(); ++at) {
    std::vector<uint8_t> spoiled = data;
    spoiled[at] ^= 1;
    EXPECT_EQ(dmlSetPipelineCacheData(device, spoiled.data(), spoiled.size(),
                                      nullptr),
              DML_ERROR_INVALID_ARGUMENT);
  }
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "pipeline cache data have 2 bytes",
               dmlSetPipelineCacheData, device, data.data(), 2);

  // Data that were spoiled on purpose, with the checksum that fits, do not
  // reach it either: Vulkan's own header stands behind the runtime's of 24
  // bytes.
  auto expectRefused = [&](size_t at, const char *message) {
    std::vector<uint8_t> spoiled = data;
    spoiled[24 + at] ^= 0x80;
    uint64_t checksum = 0xcbf29ce484222325u;
    for (size_t i = 24; i < spoiled.size(); ++i)
      checksum = (checksum ^ spoiled[i]) * 0x100000001b3u;
    std::memcpy(&spoiled[16], &checksum, sizeof(checksum));
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, message, dmlSetPipelineCacheData,
                 device, spoiled.data(), spoiled.size());
  };
  for (size_t at : {3, 4})
    expectRefused(at, "have a header of Vulkan's of version");
  for (size_t at : {8, 12, 16, 31})
    expectRefused(at, "are for another device or driver");
}

#ifndef _WIN32
TEST_F(OnDevice, HearsTheValidationLayer) {
  DmlVulkanDevice vulkan{};
  dmlGetVulkanDevice(device, &vulkan);
  auto createBuffer = reinterpret_cast<PFN_vkCreateBuffer>(
      vulkan.getInstanceProcAddr(vulkan.instance, "vkCreateBuffer"));
  auto destroyBuffer = reinterpret_cast<PFN_vkDestroyBuffer>(
      vulkan.getInstanceProcAddr(vulkan.instance, "vkDestroyBuffer"));
  // No usage is not allowed; drivers do not mind.
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = 16;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (createBuffer(vulkan.device, &info, nullptr, &buffer) == VK_SUCCESS)
    destroyBuffer(vulkan.device, buffer, nullptr);
  EXPECT_GE(messages.size(), 1u);
  expectedMessages = static_cast<uint32_t>(messages.size());
}
#endif

/// Damage that the reader lets pass runs, or ends with an error: it harms
/// nobody. Damage within SPIR-V is left out: drivers trust it.
TEST_F(OnDevice, SurvivesDamagedSchedules) {
  int ran = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::vector<uint8_t> spoiled = bytes;
    spoiled[at] ^= static_cast<uint8_t>(1 << at % 8);
    DmlExecutable damaged = nullptr;
    if (dmlCreateExecutable(spoiled.data(), spoiled.size(), nullptr, &damaged,
                            nullptr) != DML_SUCCESS)
      continue;
    std::unique_ptr<ExecutableObject> object(
        fb::GetExecutable(spoiled.data())->UnPack());
    bool sameCode = true;
    for (const auto &module : object->shader_modules)
      sameCode = sameCode && (module->code == loadKernel("add") ||
                              module->code == loadKernel("reverse"));
    DmlProgram damagedProgram = nullptr;
    DmlFunctionInfo info{};
    if (sameCode && at % 3 == 0 &&
        dmlGetFunctionInfo(damaged, 0, &info, nullptr) == DML_SUCCESS &&
        dmlCreateProgram(device, damaged, &damagedProgram, nullptr) ==
            DML_SUCCESS) {
      std::vector<std::vector<uint8_t>> memory;
      std::vector<DmlHostTensor> tensors;
      auto add = [&](auto getInfo, uint32_t index) {
        DmlTensorInfo tensor{};
        EXPECT_OK(getInfo, damaged, 0, index, &tensor);
        memory.emplace_back(tensor.byteSize);
        tensors.push_back({memory.back().data(), memory.back().size()});
      };
      for (uint32_t i = 0; i < info.inputCount; ++i)
        add(dmlGetInputInfo, i);
      for (uint32_t i = 0; i < info.outputCount; ++i)
        add(dmlGetOutputInfo, i);
      (void)dmlRunFunction(damagedProgram, 0, tensors.data(), info.inputCount,
                           tensors.data() + info.inputCount, info.outputCount,
                           nullptr);
      ++ran;
    }
    dmlDestroyProgram(damagedProgram);
    dmlDestroyExecutable(damaged);
  }
  EXPECT_GT(ran, 0);
}
