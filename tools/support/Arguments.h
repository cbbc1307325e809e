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

/// The tensors that --input options, [NAME=]VALUE, give the inputs of
/// `function`: those with a name to the input of that name, the others in order
/// to those left. VALUE is a literal or @FILE.npy. Nothing, with `error` set,
/// where they are not one tensor of the right type for each.
std::optional<std::vector<HostTensor>>
readInputs(const std::vector<std::string> &options,
           const FunctionSignature &function, std::string &error);

/// The files that options called `option`, [NAME=]@FILE.npy, give the outputs
/// of `function`; empty for those without one.
std::optional<std::vector<std::string>>
readOutputs(const std::string &option, const std::vector<std::string> &options,
            const FunctionSignature &function, std::string &error);

/// A tensor for each output, or nothing.
using OutputTensors = std::vector<std::optional<HostTensor>>;

/// The tensors that options called `option`, [NAME=]VALUE, give for outputs of
/// `function`.
std::optional<OutputTensors>
readOutputTensors(const std::string &option,
                  const std::vector<std::string> &options,
                  const FunctionSignature &function, std::string &error);

/// What outputs are compared with: a tensor, within a tolerance, and bounds.
struct Expectation {
  OutputTensors values;
  Tolerance tolerance;
  OutputTensors lower;
  OutputTensors upper;

  bool isAbout(size_t output) const {
    return values[output] || lower[output] || upper[output];
  }
};

/// Compares the outputs with what is expected. Empty, or what differs.
std::string compareOutputs(const Expectation &expected,
                           const FunctionSignature &function,
                           const std::vector<HostTensor> &tensors);

/// Says of which outputs no element could be judged, because their bounds admit
/// anything; empty where there is none. Outputs of which some could not are
/// added to `partly`, in the same words.
std::string describeUnjudged(const Expectation &expected,
                             const FunctionSignature &function,
                             std::string &partly);

/// Writes each output into its file or prints it, all of its elements where
/// `printAll` is set or they are few. What is compared is not printed.
bool writeOutputs(const std::vector<std::string> &files,
                  const Expectation &expected,
                  const FunctionSignature &function,
                  const std::vector<HostTensor> &tensors, bool printAll,
                  std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_ARGUMENTS_H
