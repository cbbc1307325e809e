//===- Arguments.h - The inputs and outputs of a command line -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_ARGUMENTS_H
#define DML_TOOLS_SUPPORT_ARGUMENTS_H

#include "support/Compare.h"
#include "support/Picture.h"

namespace dml::tools {

/// An input or output of a function, with its type as describeType has it.
struct Parameter {
  std::string name;
  std::string type;
};

/// An input of an ONNX model that its function lacks: one whose value is
/// stated, or one that a size of 0 leaves without elements.
struct AbsentInput {
  Parameter parameter;
  /// The place among all inputs of the model.
  uint32_t position = 0;
  /// The stated value, or nothing for an input without elements.
  std::optional<int64_t> value;
};

/// The function that a command line runs.
struct FunctionSignature {
  std::string name;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  /// The inputs that the model has besides, in the order of their positions.
  std::vector<AbsentInput> absent;
};

/// Reads the tensors for the inputs of `function` from --input options,
/// [NAME=]VALUE. Values with a name belong to the input with this name, and the
/// other values to the remaining inputs, in order. VALUE is a literal or @FILE
/// (TensorFile.h). A .npz file without a name gives a value to each input that
/// is called like a member; or to the next inputs, in order, if its members are
/// called arr_0, arr_1 and so on. `pictures` says how pictures become tensors.
/// An absent input may be given, too, by its name, or in order where there are
/// as many options as inputs of the model; its tensor must be what the model
/// was compiled for. Returns nothing, with `error` set, if the options do not
/// give each input one tensor of its type.
std::optional<std::vector<HostTensor>>
readInputs(const std::vector<std::string> &options,
           const FunctionSignature &function, const PictureOptions &pictures,
           std::string &error);

/// Describes the shapes of the tensors that --input options give, in their
/// order: "x:1x3x224x224", or ":1x3x224x224" where no name is given. The shape
/// of a file that has none, such as a picture, is "?". A tensor of one integer
/// or bool is described with its value: "n:1=5". Only the beginning of most
/// files is read. Returns nothing, with `error` set, if a file cannot be read.
std::optional<std::vector<std::string>>
describeShapes(const std::vector<std::string> &options, std::string &error);

/// Reads the files for the outputs of `function` from the options with the name
/// `option`, [NAME=]@FILE.npy or .npz. Outputs without a file have an empty
/// name. A .npz file without a name is the file of all outputs that have no
/// other.
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

/// How results are printed.
struct PrintOptions {
  /// Whether all elements are printed, if there are many.
  bool printsAll = false;
  /// If not 0, the number of classes with the largest elements of each row that
  /// are printed instead of the elements.
  uint32_t top = 0;
  /// The names of the classes, or nothing.
  std::vector<std::string> labels;
};

/// Reads the file of --labels, a name in each line, into `options`. Returns
/// false, with `error` set, if this fails, or if no output of `function` has as
/// many classes.
bool readLabels(const std::string &path, const FunctionSignature &function,
                PrintOptions &options, std::string &error);

/// Writes each output to its file, or prints it. Outputs that are compared are
/// not printed.
bool writeOutputs(const std::vector<std::string> &files,
                  const Expectation &expected,
                  const FunctionSignature &function,
                  const std::vector<HostTensor> &tensors,
                  const PrintOptions &options, std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_ARGUMENTS_H
