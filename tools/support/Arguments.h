//===- Arguments.h - The inputs and outputs of a command line -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_ARGUMENTS_H
#define DML_TOOLS_SUPPORT_ARGUMENTS_H

#include "support/Compare.h"

namespace dml::tools {

/// An input or output of a function, with its type as describeType has it.
struct Parameter {
  std::string name;
  std::string type;
};

/// The function that a command line runs.
struct FunctionSignature {
  std::string name;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
};

/// Reads the tensors for the inputs of `function` from --input options,
/// [NAME=]VALUE. Values with a name belong to the input with this name, and the
/// other values to the remaining inputs, in order. VALUE is a literal or
/// @FILE.npy. Returns nothing, with `error` set, if the options do not give
/// each input one tensor of its type.
std::optional<std::vector<HostTensor>>
readInputs(const std::vector<std::string> &options,
           const FunctionSignature &function, std::string &error);

/// Reads the files for the outputs of `function` from the options with the name
/// `option`, [NAME=]@FILE.npy. Outputs without a file have an empty name.
std::optional<std::vector<std::string>>
readOutputs(const std::string &option, const std::vector<std::string> &options,
            const FunctionSignature &function, std::string &error);

/// A tensor for each output, or nothing.
using OutputTensors = std::vector<std::optional<HostTensor>>;

/// Reads tensors for outputs of `function` from the options with the name
/// `option`, [NAME=]VALUE.
std::optional<OutputTensors>
readOutputTensors(const std::string &option,
                  const std::vector<std::string> &options,
                  const FunctionSignature &function, std::string &error);

/// The tensors with which outputs are compared: expected values, with a
/// tolerance, and bounds.
struct Expectation {
  OutputTensors values;
  Tolerance tolerance;
  OutputTensors lower;
  OutputTensors upper;

  bool isAbout(size_t output) const {
    return values[output] || lower[output] || upper[output];
  }
};

/// Compares the outputs with the expectation. Returns a description of the
/// differences, or "".
std::string compareOutputs(const Expectation &expected,
                           const FunctionSignature &function,
                           const std::vector<HostTensor> &tensors);

/// Returns a text that lists the outputs without an element that could be
/// judged, since the bounds of all elements admit any value, or "". Appends
/// outputs with some such elements to `partly`.
std::string describeUnjudged(const Expectation &expected,
                             const FunctionSignature &function,
                             std::string &partly);

/// Writes each output to its file, or prints it. Prints all elements if
/// `printAll` is set or if there are few. Outputs that are compared are not
/// printed.
bool writeOutputs(const std::vector<std::string> &files,
                  const Expectation &expected,
                  const FunctionSignature &function,
                  const std::vector<HostTensor> &tensors, bool printAll,
                  std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_ARGUMENTS_H
