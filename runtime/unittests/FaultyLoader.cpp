//===- FaultyLoader.cpp - A libvulkan.so.1 whose calls fail ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A libvulkan.so.1 for programs, which use it if LD_LIBRARY_PATH names its
// folder. The environment states which call fails:
//   DML_FAULT=vkCreateBuffer:2:-1  call number 2 of vkCreateBuffer, with -1;
//                                  "...:lasting" all later ones too
//   DML_FAULT_LOG=FILE             when the program ends, FILE has a line
//                                  "calls NAME COUNT" for each function that
//                                  can fail, "failed" where something has, and
//                                  "left ..." or "misused ..." for each object
//                                  that was not handled well.
//
//===----------------------------------------------------------------------===//

#include "FaultyVulkan.h"

#include <cstdio>
#include <cstdlib>

using namespace dml::test;

namespace {

/// A session of the loader, which is created before the program's first call
/// and destroyed after main has returned.
struct Session {
  Session() {
    const char *text = std::getenv("DML_FAULT");
    char function[64] = "", lasting[16] = "";
    int result = 0;
    VulkanFault fault;
    if (text && std::sscanf(text, "%63[^:]:%u:%d:%15s", function, &fault.call,
                            &result, lasting) < 3) {
      std::fprintf(stderr, "DML_FAULT is '%s'\n", text);
      std::abort();
    }
    fault.function = function;
    fault.result = static_cast<VkResult>(result);
    fault.lasting = lasting[0] != '\0';
    setVulkanFault(fault);
  }
  ~Session() {
    const char *path = std::getenv("DML_FAULT_LOG");
    FILE *log = path ? std::fopen(path, "w") : nullptr;
    if (!log)
      return;
    for (const auto &[function, count] : countVulkanCalls())
      std::fprintf(log, "calls %s %u\n", function.c_str(), count);
    if (hasVulkanFailed())
      std::fprintf(log, "failed\n");
    for (const std::string &object : listLiveObjects())
      std::fprintf(log, "left %s\n", object.c_str());
    for (const std::string &misuse : listVulkanMisuses())
      std::fprintf(log, "misused %s\n", misuse.c_str());
    std::fclose(log);
  }
} session;

} // namespace

extern "C" VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char *name) {
  return faultyGetInstanceProcAddr(instance, name);
}
