//===- Options.h - The command line of dml-run ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLRUN_OPTIONS_H
#define DML_TOOLS_DMLRUN_OPTIONS_H

#include "support/Arguments.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dml::tools {

struct Options {
  std::string file;
  /// The inputs as written, in order.
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  std::vector<std::string> lower;
  std::vector<std::string> upper;
  Tolerance tolerance;
  /// How pictures become tensors, and the options that say so, as written.
  PictureOptions pictures;
  std::vector<std::string> pictureArguments;
  /// How results are printed, and the file with the names of classes.
  PrintOptions print;
  std::string labels;
  bool compareReference = false;
  /// The model that the reference runs; empty: the file itself.
  std::string reference;
  std::string function;
  std::string outputFolder;
  std::string device;
  std::string pipelineCache;
  std::vector<std::string> compileArguments;
  /// The file that has all weights which `weight` does not name.
  std::string weights;
  /// The file with a module's weights, if they exceed the size of its
  /// executable.
  std::string spilledWeights;
  /// NAME=VALUE, as written.
  std::vector<std::string> weight;
  DmlFeatureFlags disabledFeatures = 0;
  uint32_t repeat = 1;
  /// The limit in seconds; 0 stands for none.
  uint32_t timeout = 0;
  bool help = false;
  bool version = false;
  bool listDevices = false;
  bool json = false;
  bool validate = false;
  bool robust = false;
  bool printSignature = false;
  bool time = false;
  /// The file for the steps' times; empty: none.
  std::string trace;
};

/// Whether results are compared with anything.
inline bool compares(const Options &options) {
  return !options.expected.empty() || !options.lower.empty() ||
         !options.upper.empty() || options.compareReference;
}

extern const char *const kHelp;

/// Reads the command line. Returns false, with `error` set, if it is invalid.
bool parseOptions(int argc, char **argv, Options &options, std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_DMLRUN_OPTIONS_H
