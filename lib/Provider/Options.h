//===- Options.h - The provider's options -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_OPTIONS_H
#define DML_LIB_PROVIDER_OPTIONS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dml::provider {

/// The name of the provider in ONNX Runtime. Its options are the entries
/// "ep.dmlvulkan.NAME" of a session's configuration.
constexpr char providerName[] = "DmlVulkan";

/// Which nodes the provider takes.
enum class Partitioning {
  /// All that dml can compute, in partitions that are worth their copies.
  Automatic,
  /// All that dml can compute.
  All,
  /// What ONNX Runtime's provider for DirectML takes and dml can compute.
  DirectML,
};

struct Options {
  /// A selector as for dmlFindDevice. "": the device that the session was
  /// created for.
  std::string device;
  std::string cacheDirectory;
  /// The device profile of executables in a compiled model. "": that of the
  /// device.
  std::string deviceProfile;
  /// The feature level that nodes must fit. "": any.
  std::string featureLevel;
  /// The most bytes of buffers on the device. 0: no limit.
  uint64_t maxMemory = 0;
  /// A folder that receives each partition as an ONNX model.
  std::string dumpDirectory;
  Partitioning partitioning = Partitioning::Automatic;

  /// Whether a compiled model is to be made (ep.context_enable), whether it
  /// contains its executables (ep.context_embed_mode), and its path.
  bool makesContext = false, embedsContext = false;
  std::string contextPath;
};

/// Reads the options of the provider among the entries of a session's
/// configuration. An option that does not exist, or a value that it cannot
/// have, is a Failure that names the option, the value, and what is wanted.
Options
readOptions(const std::vector<std::pair<std::string, std::string>> &entries);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_OPTIONS_H
