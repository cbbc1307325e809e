//===- ThreadTest.cpp - Many threads on one device ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What the header promises of threads: instances, devices, executables and
// programs are used by all at once. ThreadSanitizer watches where the build has
// it (README.md).
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "TestExecutables.h"
#include "dml/runtime.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <functional>
#include <numeric>
#include <thread>

using namespace dml::test;

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 4;
/// The number is enough for the runtime to compile the kernels by threads of
/// its own.
constexpr uint32_t kKernels = 32;

/// Runs `body` with each thread's number, all at once.
void runThreads(const std::function<void(uint32_t)> &body) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (++ready; ready < kThreads;)
        std::this_thread::yield();
      body(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// The result of makeChain's function.
uint32_t compute(uint32_t value) {
  for (uint32_t i = 0; i < kKernels; ++i)
    value = 3 * value + i;
  return value;
}

class Threads : public testing::Test {
protected:
  void SetUp() override {
    DmlResult result = dmlCreateInstance(nullptr, &instance, nullptr);
    DML_END_WITHOUT_DEVICE(result != DML_ERROR_NOT_FOUND &&
                           dmlGetDeviceCount(instance) != 0)
    ASSERT_EQ(result, DML_SUCCESS);
    ASSERT_EQ(dmlCreateDevice(instance, nullptr, &device, nullptr),
              DML_SUCCESS);
    ASSERT_EQ(dmlCreateExecutable(bytes.data(), bytes.size(), nullptr,
                                  &executable, nullptr),
              DML_SUCCESS);
    ASSERT_EQ(dmlCreateProgram(device, executable, &program, nullptr),
              DML_SUCCESS);
  }
  void TearDown() override {
    dmlDestroyProgram(program);
    dmlDestroyExecutable(executable);
    dmlDestroyDevice(device);
    dmlDestroyInstance(instance);
  }

  void run(DmlProgram which, uint32_t first) {
    std::vector<uint32_t> in(32), out(32);
    std::iota(in.begin(), in.end(), first);
    DmlHostTensor input = {in.data(), 128}, output = {out.data(), 128};
    DmlError error = nullptr;
    EXPECT_EQ(dmlRunFunction(which, 0, &input, 1, &output, 1, &error),
              DML_SUCCESS)
        << dmlGetErrorMessage(error);
    dmlDestroyError(error);
    for (uint32_t i = 0; i < 32; ++i)
      ASSERT_EQ(out[i], compute(first + i));
  }

  std::vector<uint8_t> bytes = write(*makeChain(kKernels));
  DmlInstance instance = nullptr;
  DmlDevice device = nullptr;
  DmlExecutable executable = nullptr;
  DmlProgram program = nullptr;
};

} // namespace

TEST_F(Threads, ShareAProgram) {
  runThreads([&](uint32_t thread) {
    for (uint32_t round = 0; round < kRounds; ++round)
      run(program, thread * 100 + round);
  });
}

TEST_F(Threads, LoadRunAndDestroyOnOneDevice) {
  runThreads([&](uint32_t thread) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      DmlExecutable own = nullptr;
      DmlProgram ownProgram = nullptr;
      ASSERT_EQ(dmlCreateExecutable(bytes.data(), bytes.size(), nullptr, &own,
                                    nullptr),
                DML_SUCCESS);
      // Half of them make it of an executable that all share.
      ASSERT_EQ(dmlCreateProgram(device, thread % 2 ? own : executable,
                                 &ownProgram, nullptr),
                DML_SUCCESS);
      dmlDestroyExecutable(own);
      run(ownProgram, thread);
      dmlDestroyProgram(ownProgram);
    }
  });
}

TEST_F(Threads, UseTablesOfOneProgram) {
  runThreads([&](uint32_t thread) {
    DmlBindingTable table = nullptr;
    DmlBindingTableCreateInfo info{};
    DmlBuffer buffers[2] = {};
    ASSERT_EQ(dmlCreateBindingTable(program, &info, &table, nullptr),
              DML_SUCCESS);
    DmlBufferRange ranges[2];
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(
          dmlCreateBuffer(device, 128, DML_MEMORY_DEVICE, &buffers[i], nullptr),
          DML_SUCCESS);
      DmlBufferInfo bufferInfo{};
      dmlGetBufferInfo(buffers[i], &bufferInfo);
      ranges[i] = {bufferInfo.buffer, 0, bufferInfo.size};
    }
    ASSERT_EQ(dmlBindInput(table, 0, &ranges[0], nullptr), DML_SUCCESS);
    ASSERT_EQ(dmlBindOutput(table, 0, &ranges[1], nullptr), DML_SUCCESS);
    for (uint32_t round = 0; round < kRounds; ++round) {
      std::vector<uint32_t> values(32, thread + round);
      ASSERT_EQ(dmlWriteBuffer(buffers[0], 0, values.data(), 128, nullptr),
                DML_SUCCESS);
      ASSERT_EQ(dmlSubmit(table, nullptr, nullptr), DML_SUCCESS);
      ASSERT_EQ(dmlWait(table, UINT64_MAX, nullptr), DML_SUCCESS);
      ASSERT_EQ(dmlReadBuffer(buffers[1], 0, values.data(), 128, nullptr),
                DML_SUCCESS);
      EXPECT_THAT(values, testing::Each(compute(thread + round)));
    }
    dmlDestroyBindingTable(table);
    for (DmlBuffer buffer : buffers)
      dmlDestroyBuffer(buffer);
  });
}

// Waits end before their work does, and what the work uses is given back by
// whichever thread comes along.
TEST_F(Threads, GiveBackWhatLateWorkHasUsed) {
  runThreads([&](uint32_t thread) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      DmlDevice own = nullptr;
      DmlProgram ownProgram = nullptr;
      ASSERT_EQ(dmlCreateDevice(instance, nullptr, &own, nullptr), DML_SUCCESS);
      ASSERT_EQ(dmlCreateProgram(own, executable, &ownProgram, nullptr),
                DML_SUCCESS);
      dmlSetSpinTime(own, 0);
      dmlSetWaitLimit(own, 1);
      std::vector<uint32_t> in(32), out(32);
      DmlHostTensor input = {in.data(), 128}, output = {out.data(), 128};
      DmlResult result =
          dmlRunFunction(ownProgram, 0, &input, 1, &output, 1, nullptr);
      EXPECT_THAT(result, testing::AnyOf(DML_SUCCESS, DML_ERROR_TIMEOUT));
      dmlDestroyProgram(ownProgram);
      dmlDestroyDevice(own);
      run(program, thread);
    }
  });
  while (dmlGetLateWorkCount(VK_NULL_HANDLE) != 0)
    std::this_thread::yield();
}

TEST_F(Threads, AskAndSetWhatOthersUse) {
  runThreads([&](uint32_t thread) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      DmlDeviceInfo info{};
      DmlVulkanDevice vulkan{};
      DmlExecutableInfo executableInfo{};
      DmlError error = nullptr;
      uint32_t index = 0;
      switch (thread) {
      case 0:
        dmlSetWaitLimit(device, UINT64_MAX - round);
        dmlGetDeviceProperties(device, &info);
        break;
      case 1: {
        size_t size = 0;
        ASSERT_EQ(dmlGetPipelineCacheData(device, &size, nullptr, nullptr),
                  DML_SUCCESS);
        // Other threads may add to the cache in between.
        std::vector<uint8_t> data(size + (1 << 20));
        size = data.size();
        ASSERT_EQ(dmlGetPipelineCacheData(device, &size, data.data(), nullptr),
                  DML_SUCCESS);
        ASSERT_EQ(dmlSetPipelineCacheData(device, data.data(), size, nullptr),
                  DML_SUCCESS);
        break;
      }
      case 2: {
        DmlDevice other = nullptr;
        ASSERT_EQ(dmlCreateDevice(instance, nullptr, &other, nullptr),
                  DML_SUCCESS);
        dmlDestroyDevice(other);
        break;
      }
      case 3: {
        dmlGetVulkanDevice(device, &vulkan);
        DmlDevice adopted = nullptr;
        ASSERT_EQ(dmlAdoptDevice(&vulkan, &adopted, nullptr), DML_SUCCESS);
        dmlDestroyDevice(adopted);
        break;
      }
      case 4:
        ASSERT_EQ(dmlFindFunction(executable, "none", &index, &error),
                  DML_ERROR_NOT_FOUND);
        dmlDestroyError(error);
        ASSERT_EQ(dmlGetDeviceInfo(instance, 0, &info, nullptr), DML_SUCCESS);
        dmlGetExecutableInfo(executable, &executableInfo);
        ASSERT_EQ(dmlCheckExecutable(executable, &info, nullptr), DML_SUCCESS);
        break;
      default:
        run(program, thread);
      }
    }
  });
}
