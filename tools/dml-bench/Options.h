//===- Options.h - The command line of dml-bench --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLBENCH_OPTIONS_H
#define DML_TOOLS_DMLBENCH_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dml::tools {

struct Options {
  std::vector<std::string> files;
  std::string device;
  std::string pipelineCache;
  std::string filter;
  std::string json;
  /// A file that says how many operations cases have.
  std::string operations;
  double minTime = 0.3;
  /// Seconds; without a value, 0.2, or 0 where `repeats` says how often to run.
  std::optional<double> warmUp;
  /// The number of measurements; 0 stands for as many as fit into minTime.
  uint32_t repeats = 0;
  uint32_t rotateMiB = 384;
  bool calibrate = false;
  /// Whether the compiler is to find what --calibrate measures.
  bool save = false;
  bool check = false;
  bool list = false;
  bool help = false;
  bool version = false;
};

extern const char *const kHelp;

/// Reads the command line. Returns false, with `error` set, if it is invalid.
bool parseOptions(int argc, char **argv, Options &options, std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_DMLBENCH_OPTIONS_H
