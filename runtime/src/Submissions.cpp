//===- Submissions.cpp - What was submitted and may not have finished -----===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Submissions.h"

using namespace dml::runtime;

Submissions::~Submissions() {
  finish(running.size());
  for (const std::vector<VkFence> *fences : {&running, &idle})
    for (VkFence fence : *fences)
      device.functions().DestroyFence(device.handle(), fence, nullptr);
}

void Submissions::finish(size_t count) noexcept {
  for (size_t i = 0; i < count; ++i)
    for (const std::shared_ptr<UseCount> &uses : *usesOfRunning[i])
      --*uses;
  usesOfRunning.erase(usesOfRunning.begin(), usesOfRunning.begin() + count);
  idle.insert(idle.end(), running.begin(), running.begin() + count);
  running.erase(running.begin(), running.begin() + count);
}

/// Provides an idle fence: a fence of a submission that has finished, or a new
/// one.
Status Submissions::provideIdleFence() {
  if (!idle.empty())
    return Status();
  const DeviceFunctions &vk = device.functions();
  // Fences move between the two lists without an allocation.
  running.reserve(DML_MAX_SUBMISSIONS);
  usesOfRunning.reserve(DML_MAX_SUBMISSIONS);
  idle.reserve(DML_MAX_SUBMISSIONS);
  if (!running.empty()) {
    uint64_t limit = device.waitLimit();
    VkResult result = running.size() == DML_MAX_SUBMISSIONS
                          ? device.waitFor(running.data(), 1, limit)
                          : vk.GetFenceStatus(device.handle(), running[0]);
    if (result != VK_NOT_READY) {
      DML_TRY(Device::checkWait(result, limit));
      finish(1);
      return Status();
    }
  }
  VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  DML_TRY(checkVk(vk.CreateFence(device.handle(), &info, nullptr, &fence),
                  "vkCreateFence"));
  idle.push_back(fence);
  return Status();
}

Status Submissions::submit(const std::vector<VkCommandBuffer> &commands,
                           const DmlSubmitInfo *info,
                           std::shared_ptr<const Uses> uses) {
  DML_TRY(provideIdleFence());
  DML_TRY(
      checkVk(device.functions().ResetFences(device.handle(), 1, &idle.back()),
              "vkResetFences"));
  DML_TRY(device.submit(commands, idle.back(), info));
  for (const std::shared_ptr<UseCount> &count : *uses)
    ++*count;
  usesOfRunning.push_back(std::move(uses));
  running.push_back(idle.back());
  idle.pop_back();
  submitted = Clock::now();
  return Status();
}

VkResult Submissions::wait(uint64_t timeout) noexcept {
  if (running.empty())
    return VK_SUCCESS;
  auto getTime = [&]() -> uint64_t {
    return std::chrono::nanoseconds(Clock::now() - submitted).count();
  };
  uint64_t passed = getTime();
  VkResult result =
      device.waitFor(running.data(), static_cast<uint32_t>(running.size()),
                     timeout, expected > passed ? expected - passed : 0);
  if (result == VK_SUCCESS) {
    finish(running.size());
    // The expectation follows shorter times at once, and longer ones slowly:
    // work that ends before the thread polls is noticed late, so that its time
    // is at most the one that was measured.
    uint64_t time = getTime();
    bool isFirst = expected == 0;
    expected =
        isFirst || time < expected ? time : expected + (time - expected) / 4;
  }
  return result;
}
