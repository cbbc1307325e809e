//===- FaultyVulkan.cpp - A Vulkan loader whose calls fail ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "FaultyVulkan.h"

#include "DiscreteVulkan.h"
#include "Vulkan.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <tuple>
#include <type_traits>

using namespace dml::test;

namespace {

//===----------------------------------------------------------------------===//
// The functions that the runtime calls
//===----------------------------------------------------------------------===//

enum Function : unsigned {
#define DML_ENUMERATOR(name) k##name,
  DML_VULKAN_GLOBAL_FUNCTIONS(DML_ENUMERATOR)
      DML_VULKAN_INSTANCE_FUNCTIONS(DML_ENUMERATOR)
          DML_VULKAN_DEBUG_FUNCTIONS(DML_ENUMERATOR)
              DML_VULKAN_DEVICE_FUNCTIONS(DML_ENUMERATOR)
#undef DML_ENUMERATOR
                  kGetInstanceProcAddr,
  kFunctionCount
};

constexpr const char *kNames[] = {
#define DML_NAME(name) "vk" #name,
    DML_VULKAN_GLOBAL_FUNCTIONS(DML_NAME)
        DML_VULKAN_INSTANCE_FUNCTIONS(DML_NAME)
            DML_VULKAN_DEBUG_FUNCTIONS(DML_NAME)
                DML_VULKAN_DEVICE_FUNCTIONS(DML_NAME)
#undef DML_NAME
                    "vkGetInstanceProcAddr"};

/// The functions that create and destroy objects. An object that belongs to
/// another object (a set to its pool, or a queue to its device) is destroyed
/// with it.
struct Lifetime {
  Function create, destroy;
  /// Work that runs uses it.
  bool isUsedByWork;
};

constexpr Lifetime kLifetimes[] = {
    {kCreateInstance, kDestroyInstance, true},
    {kCreateDevice, kDestroyDevice, true},
    {kCreateDebugUtilsMessengerEXT, kDestroyDebugUtilsMessengerEXT, false},
    {kAllocateMemory, kFreeMemory, true},
    {kCreateBuffer, kDestroyBuffer, true},
    {kCreateShaderModule, kDestroyShaderModule, false},
    {kCreateDescriptorSetLayout, kDestroyDescriptorSetLayout, false},
    {kCreatePipelineLayout, kDestroyPipelineLayout, false},
    {kCreatePipelineCache, kDestroyPipelineCache, false},
    {kCreateComputePipelines, kDestroyPipeline, true},
    {kCreateDescriptorPool, kDestroyDescriptorPool, true},
    {kCreateCommandPool, kDestroyCommandPool, true},
    {kCreateFence, kDestroyFence, true},
    {kCreateQueryPool, kDestroyQueryPool, true},
};

//===----------------------------------------------------------------------===//
// What is known of the program's doings
//===----------------------------------------------------------------------===//

struct State {
  std::mutex mutex;
  VulkanFault fault;
  bool hasFailed = false;
  bool isLost = false;
  uint32_t calls[kFunctionCount] = {};
  /// An object by what made it, and its handle.
  using Objects = std::set<std::pair<unsigned, uint64_t>>;
  Objects live;
  /// The fences that were submitted, and of which the program does not yet know
  /// that they are signaled. Each has the objects that existed when it was
  /// submitted, since the work may use any of them.
  std::map<uint64_t, Objects> busyFences;
  std::vector<std::string> misuses;
};

/// The state is never destroyed, since destructors of the program may still
/// call functions.
State &state() {
  static auto *state = new State;
  return *state;
}

thread_local int depth = 0;
thread_local bool hasCalled = false;

struct Inside {
  Inside() {
    ++depth;
    hasCalled = true;
  }
  ~Inside() { --depth; }
};

using Lock = std::lock_guard<std::mutex>;

/// Counts a call and says whether it fails.
bool mustFail(Function function) {
  State &s = state();
  Lock lock(s.mutex);
  uint32_t call = s.calls[function]++;
  if (s.fault.function != kNames[function] || call < s.fault.call ||
      (!s.fault.lasting && call - s.fault.call >= s.fault.count))
    return false;
  s.hasFailed = true;
  return true;
}

template <typename Handle> uint64_t number(Handle handle) {
  uint64_t value = 0;
  std::memcpy(&value, &handle, sizeof(handle));
  return value;
}

void addObject(Function function, uint64_t object) {
  State &s = state();
  Lock lock(s.mutex);
  s.live.insert({function, object});
}

void removeObject(Function function, uint64_t object) {
  State &s = state();
  Lock lock(s.mutex);
  for (const Lifetime &lifetime : kLifetimes) {
    if (lifetime.destroy != function || !object)
      continue;
    for (const auto &[fence, used] : s.busyFences)
      if (lifetime.isUsedByWork && used.count({lifetime.create, object}))
        s.misuses.push_back(std::string(kNames[function]) + " while work runs");
    if (!s.live.erase({lifetime.create, object}))
      s.misuses.push_back(std::string(kNames[function]) +
                          " of an object that does not exist");
  }
}

template <unsigned id, typename Pointer> struct Wrapper;

/// The latest device, and the function that finishes all of its work. Before
/// the device is reported as lost, its work is finished, since the work of a
/// lost device has ended in any case.
VkDevice latestDevice = VK_NULL_HANDLE;
PFN_vkDeviceWaitIdle deviceWaitIdle = nullptr;

/// One of Vulkan's functions, as the program calls it.
template <unsigned id, typename R, typename... Args>
struct Wrapper<id, R(VKAPI_PTR *)(Args...)> {
  static inline R(VKAPI_PTR *real)(Args...) = nullptr;

  static VKAPI_ATTR R VKAPI_CALL call(Args... args) {
    Inside inside;
    if constexpr (std::is_same_v<R, VkResult>) {
      VkResult result = fail(args...);
      if (result == VK_SUCCESS) {
        result = real(args...);
        if (result >= VK_SUCCESS)
          follow(result, args...);
      }
      return result;
    } else if constexpr (std::is_void_v<R>) {
      if constexpr (isDestruction())
        destroy(args...);
      real(args...);
    } else {
      return real(args...);
    }
  }

private:
  static constexpr bool isDestruction() {
    for (const Lifetime &lifetime : kLifetimes)
      if (lifetime.destroy == id)
        return true;
    return false;
  }
  static constexpr bool isCreation() {
    for (const Lifetime &lifetime : kLifetimes)
      if (lifetime.create == id)
        return true;
    return false;
  }

  static VkResult fail(Args... args) {
    State &s = state();
    if (id == kGetFenceStatus && s.fault.hidesStatus && !s.isLost)
      return VK_NOT_READY;
    bool fails = mustFail(static_cast<Function>(id));
    constexpr bool isOfDevice = id == kQueueSubmit || id == kWaitForFences ||
                                id == kGetFenceStatus ||
                                id == kGetQueryPoolResults;
    if constexpr (isOfDevice)
      if (s.isLost)
        return VK_ERROR_DEVICE_LOST;
    if (!fails)
      return VK_SUCCESS;
    if (isOfDevice && s.fault.result == VK_ERROR_DEVICE_LOST) {
      deviceWaitIdle(latestDevice);
      Lock lock(s.mutex);
      s.isLost = true;
      s.busyFences.clear();
    }
    return s.fault.result;
  }

  static void follow(VkResult result, Args... args) {
    std::tuple<Args...> all(args...);
    State &s = state();
    if constexpr (id == kCreateComputePipelines) {
      for (uint32_t i = 0; i < std::get<2>(all); ++i)
        addObject(kCreateComputePipelines, number(std::get<5>(all)[i]));
    } else if constexpr (isCreation()) {
      addObject(static_cast<Function>(id),
                number(*std::get<sizeof...(Args) - 1>(all)));
    } else if constexpr (id == kQueueSubmit) {
      Lock lock(s.mutex);
      s.busyFences[number(std::get<3>(all))] = s.live;
    } else if constexpr (id == kGetFenceStatus) {
      Lock lock(s.mutex);
      if (result == VK_SUCCESS)
        s.busyFences.erase(number(std::get<1>(all)));
    } else if constexpr (id == kWaitForFences) {
      Lock lock(s.mutex);
      if (result == VK_SUCCESS)
        for (uint32_t i = 0; i < std::get<1>(all); ++i)
          s.busyFences.erase(number(std::get<2>(all)[i]));
    }
  }

  static void destroy(Args... args) {
    std::tuple<Args...> all(args...);
    // An object of a device is its second argument.
    constexpr unsigned at =
        id == kDestroyInstance || id == kDestroyDevice ? 0 : 1;
    removeObject(static_cast<Function>(id), number(std::get<at>(all)));
  }
};

/// Finds the real function and gives the one that stands before it.
template <unsigned id, typename Pointer>
PFN_vkVoidFunction wrap(PFN_vkVoidFunction found) {
  using W = Wrapper<id, Pointer>;
  W::real = reinterpret_cast<Pointer>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(&W::call);
}

PFN_vkVoidFunction wrapByName(const char *name, PFN_vkVoidFunction found);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
faultyGetDeviceProcAddr(VkDevice device, const char *name) {
  Inside inside;
  if (mustFail(kGetDeviceProcAddr))
    return nullptr;
  auto real = Wrapper<kGetDeviceProcAddr, PFN_vkGetDeviceProcAddr>::real;
  latestDevice = device;
  deviceWaitIdle =
      reinterpret_cast<PFN_vkDeviceWaitIdle>(real(device, "vkDeviceWaitIdle"));
  PFN_vkVoidFunction found = real(device, name);
  return found ? wrapByName(name, found) : nullptr;
}

PFN_vkVoidFunction wrapByName(const char *name, PFN_vkVoidFunction found) {
  if (!std::strcmp(name, "vkGetDeviceProcAddr")) {
    (void)wrap<kGetDeviceProcAddr, PFN_vkGetDeviceProcAddr>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(&faultyGetDeviceProcAddr);
  }
#define DML_WRAP(function)                                                     \
  if (!std::strcmp(name, "vk" #function))                                      \
    return wrap<k##function, PFN_vk##function>(found);
  DML_VULKAN_GLOBAL_FUNCTIONS(DML_WRAP)
  DML_VULKAN_INSTANCE_FUNCTIONS(DML_WRAP)
  DML_VULKAN_DEBUG_FUNCTIONS(DML_WRAP)
  DML_VULKAN_DEVICE_FUNCTIONS(DML_WRAP)
#undef DML_WRAP
  return found;
}

PFN_vkGetInstanceProcAddr nextLoader = nullptr;

} // namespace

void dml::test::setNextLoader(PFN_vkGetInstanceProcAddr getInstanceProcAddr) {
  nextLoader = getInstanceProcAddr;
}

PFN_vkVoidFunction dml::test::faultyGetInstanceProcAddr(VkInstance instance,
                                                        const char *name) {
  Inside inside;
  if (!nextLoader)
    nextLoader = openVulkanLoader();
  // The runtime does without functions that are none of these.
  bool isNeeded =
      std::any_of(std::begin(kNames), std::end(kNames), [&](const char *known) {
        return std::strcmp(known, name) == 0;
      });
  if (isNeeded && mustFail(kGetInstanceProcAddr))
    return nullptr;
  PFN_vkVoidFunction found = nextLoader(instance, name);
  return found ? wrapByName(name, found) : nullptr;
}

void dml::test::setVulkanFault(const VulkanFault &fault) {
  State &s = state();
  Lock lock(s.mutex);
  s.fault = fault;
  s.hasFailed = false;
  s.isLost = false;
  std::fill_n(s.calls, kFunctionCount, 0);
  s.live.clear();
  s.busyFences.clear();
  s.misuses.clear();
}

void dml::test::endVulkanFault() {
  State &s = state();
  Lock lock(s.mutex);
  s.fault = {};
}

bool dml::test::hasVulkanFailed() { return state().hasFailed; }

std::map<std::string, uint32_t> dml::test::countVulkanCalls() {
  State &s = state();
  Lock lock(s.mutex);
  std::map<std::string, uint32_t> counts;
  for (unsigned i = 0; i < kFunctionCount; ++i)
    if (s.calls[i])
      counts[kNames[i]] = s.calls[i];
  return counts;
}

std::vector<std::string> dml::test::listLiveObjects() {
  State &s = state();
  Lock lock(s.mutex);
  std::vector<std::string> objects;
  for (const auto &[function, object] : s.live)
    objects.push_back(std::string("what ") + kNames[function] + " made");
  return objects;
}

std::vector<std::string> dml::test::listVulkanMisuses() {
  State &s = state();
  Lock lock(s.mutex);
  return s.misuses;
}

void dml::test::endVulkanWork() {
  State &s = state();
  Lock lock(s.mutex);
  s.busyFences.clear();
}

bool dml::test::isInsideVulkan() { return depth > 0; }

bool dml::test::hasCalledVulkan() { return hasCalled; }
