//===- Validate.cpp - What SPIRV-Tools says of shaders --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Validate.h"
#include "Inspect.h"
#include "SPIRVTable.h"
#include "support/Runtime.h"

using namespace dml::tools;
using namespace dml::runtime;

#ifdef DML_SPIRV_TOOLS

#include <spirv-tools/libspirv.hpp>

/// The name of a capability that SPIRV-Tools does not know, or nothing.
static std::string findUnknownCapability(const std::string &message) {
  // Its words for the number of an enum that it has no row for.
  constexpr std::string_view kWords = "Invalid capability operand: ";
  size_t at = message.find(kWords);
  if (at == std::string::npos)
    return "";
  std::string number = message.substr(at + kWords.size());
  number.resize(number.find_first_not_of("0123456789") == std::string::npos
                    ? number.size()
                    : number.find_first_not_of("0123456789"));
  const spirv::Capability *known =
      spirv::findCapability(static_cast<uint32_t>(std::stoul("0" + number)));
  return known ? std::string(known->name) + " (" + number + ")" : number;
}

void dml::tools::validateShaders(const dml::runtime::Executable &executable) {
  for (size_t i = 0; i < executable.shaderModules.size(); ++i) {
    const dml::runtime::View<uint32_t> &code = executable.shaderModules[i].code;
    // The rules are Vulkan's for modules of this version.
    constexpr uint32_t kVersion16 = 0x00010600;
    spvtools::SpirvTools tools(
        code.data()[1] < kVersion16 ? SPV_ENV_VULKAN_1_2 : SPV_ENV_VULKAN_1_3);
    std::string message;
    // Places are lines of what spirv-dis prints.
    tools.SetMessageConsumer([&](spv_message_level_t level, const char *,
                                 const spv_position_t &position,
                                 const char *text) {
      if (level <= SPV_MSG_ERROR && message.empty())
        message = "line " + std::to_string(position.index) + ": " + text;
    });
    if (tools.Validate(code.data(), code.size()))
      continue;
    std::string module = "shader module " + describeModule(executable, i);
    std::string unknown = findUnknownCapability(message);
    if (!unknown.empty())
      fail(module +
               " cannot be checked: SPIRV-Tools does not know its "
               "capability " +
               unknown,
           kExitNo);
    // Some of its messages quote an instruction in lines of its own.
    while (!message.empty() &&
           (message.back() == '\n' || message.back() == ' '))
      message.pop_back();
    for (char &c : message)
      if (static_cast<unsigned char>(c) < 0x20)
        c = ' ';
    fail(module + " is refused by SPIRV-Tools: " + message, kExitNo);
  }
}

#else

void dml::tools::validateShaders(
    const dml::runtime::Executable & /*executable*/) {
  fail("this dml-inspect has no validator: it was built without SPIRV-Tools "
       "(cmake -DDML_SPIRV_TOOLS=ON)");
}

#endif
