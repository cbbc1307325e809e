//===- Options.cpp - The provider's options -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Api.h"
#include <algorithm>
#include <charconv>
#include <sys/stat.h>

using namespace dml;
using namespace dml::provider;

[[noreturn]] static void refuse(const std::string &name,
                                const std::string &value,
                                const std::string &wanted) {
  throw Failure("the provider option '" + name + "' has the value '" + value +
                    "', but wanted is " + wanted,
                ORT_INVALID_ARGUMENT);
}

static uint64_t readBytes(const std::string &name, const std::string &value) {
  uint64_t bytes = 0;
  const char *end = value.data() + value.size();
  auto [stop, error] = std::from_chars(value.data(), end, bytes);
  if (error != std::errc() || stop != end)
    refuse(name, value, "a number of bytes, such as 1073741824");
  return bytes;
}

static Partitioning readPartitioning(const std::string &name,
                                     const std::string &value) {
  if (value == "auto")
    return Partitioning::Automatic;
  if (value == "all")
    return Partitioning::All;
  if (value == "directml")
    return Partitioning::DirectML;
  refuse(name, value, "auto, all or directml");
}

static std::string readFolder(const std::string &name,
                              const std::string &value) {
  struct stat info;
  if (stat(value.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    refuse(name, value, "a folder that exists");
  return value;
}

/// Refuses a level that does not exist. The survey of a model of one node says
/// so.
static std::string readLevel(const std::string &name,
                             const std::string &value) {
  dml::Model model({{"", 17}});
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {1});
  model.node("Identity", {"x"}, {"y"});
  model.output("y");
  DmlSurveyInfo info{};
  info.model = model.get();
  info.openSize = 1;
  info.level = value.c_str();
  DmlSurvey survey = nullptr;
  try {
    dml::detail::check(dmlSurveyModel, &info, &survey);
  } catch (const dml::Error &error) {
    throw Failure("the provider option '" + name + "': " + error.what(),
                  ORT_INVALID_ARGUMENT);
  }
  dmlDestroySurvey(survey);
  return value;
}

static void readOption(const std::string &name, const std::string &value,
                       Options &options) {
  if (name == "device")
    options.device = value;
  else if (name == "cache_dir")
    options.cacheDirectory = value;
  else if (name == "device_profile")
    options.deviceProfile = value;
  else if (name == "feature_level")
    options.featureLevel = readLevel(name, value);
  else if (name == "max_memory")
    options.maxMemory = readBytes(name, value);
  else if (name == "dump_dir")
    options.dumpDirectory = readFolder(name, value);
  else if (name == "partitioning")
    options.partitioning = readPartitioning(name, value);
  else
    throw Failure("there is no provider option '" + name +
                      "'; there are device, cache_dir, device_profile, "
                      "feature_level, max_memory, dump_dir and partitioning",
                  ORT_INVALID_ARGUMENT);
}

/// The beginning of the names of the provider's entries.
static std::string getPrefix() {
  std::string prefix = std::string("ep.") + providerName + ".";
  std::transform(prefix.begin(), prefix.end(), prefix.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return prefix;
}

Options provider::readOptions(
    const std::vector<std::pair<std::string, std::string>> &entries) {
  Options options;
  std::string prefix = getPrefix();
  for (const auto &[name, value] : entries) {
    if (name.rfind(prefix, 0) == 0)
      readOption(name.substr(prefix.size()), value, options);
    else if (name == "ep.context_enable")
      options.makesContext = value == "1";
    else if (name == "ep.context_embed_mode")
      options.embedsContext = value == "1";
    else if (name == "ep.context_file_path")
      options.contextPath = value;
  }
  if (!options.deviceProfile.empty() && !options.makesContext)
    throw Failure("the provider option 'device_profile' is for models that are "
                  "compiled ahead, but the session's 'ep.context_enable' is "
                  "not 1",
                  ORT_INVALID_ARGUMENT);
  return options;
}
