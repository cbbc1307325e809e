//===- Arguments.cpp - The inputs and outputs of a command line -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Arguments.h"

#include "support/Npy.h"
#include "support/Plural.h"
#include "support/TensorLiteral.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace dml::tools;

namespace {

/// A value for each parameter that an option is about.
using Assignment = std::vector<std::optional<std::string>>;

std::string listNames(const std::vector<Parameter> &parameters) {
  std::string names;
  for (const Parameter &parameter : parameters)
    names += (names.empty() ? "'" : ", '") + parameter.name + "'";
  return names.empty() ? "none" : names;
}

/// An option's value, its name split off.
struct Argument {
  std::optional<std::string> name;
  std::string value;
};

Argument splitArgument(const std::string &text) {
  size_t equals = text.find('=');
  DmlDataType dataType;
  std::vector<uint32_t> sizes;
  // "4xf32=1" is a value. A tensor called "f32" needs its position.
  if (text[0] == '@' || equals == std::string::npos ||
      parseType(std::string_view(text).substr(0, equals), dataType, sizes))
    return {std::nullopt, text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Whether `value` is a file with a tensor without elements. A model may have
/// inputs without elements, such as the past of a decoder's first step. The
/// program that is compiled from the model has no such inputs.
bool isEmptyFile(const std::string &value) {
  if (value.size() < 2 || value[0] != '@')
    return false;
  std::string error;
  std::optional<HostTensor> tensor = readNpy(value.substr(1), error);
  return tensor && std::find(tensor->sizes.begin(), tensor->sizes.end(), 0u) !=
                       tensor->sizes.end();
}

/// `what` is "input" or "output", of which `option` is about all or some.
std::optional<Assignment>
assign(const std::string &what, const std::string &option,
       const std::vector<std::string> &options, const std::string &function,
       const std::vector<Parameter> &parameters, std::string &error) {
  Assignment values(parameters.size());
  std::vector<std::string> unnamed;
  for (const std::string &text : options) {
    Argument argument = splitArgument(text);
    if (!argument.name) {
      unnamed.push_back(argument.value);
      continue;
    }
    auto it = std::find_if(parameters.begin(), parameters.end(),
                           [&](const Parameter &parameter) {
                             return parameter.name == *argument.name;
                           });
    if (it == parameters.end() && option == "input" &&
        isEmptyFile(argument.value))
      continue;
    if (it == parameters.end()) {
      // "4x4xfloat=1" is meant for a type, whatever a tensor may be called.
      bool isType =
          std::isdigit(static_cast<unsigned char>((*argument.name)[0]));
      if (isType && option != "output") {
        error = "--" + option + "=" + text + ": '" + *argument.name +
                "' is no type, and no " + what + " of function '" + function +
                "'; a type is sizes and f16, f32, f64, i4 to i64 or ui4 to "
                "ui64, as in 4x4xf32";
        return std::nullopt;
      }
      error = "--" + option + "=" + text + ": function '" + function +
              "' has no " + what + " '" + *argument.name + "'; it has " +
              listNames(parameters);
      return std::nullopt;
    }
    std::optional<std::string> &value = values[it - parameters.begin()];
    if (value) {
      error = option + " '" + it->name + "' is given twice";
      return std::nullopt;
    }
    value = argument.value;
  }
  auto next = values.begin();
  for (const std::string &value : unnamed) {
    next = std::find(next, values.end(), std::nullopt);
    if (next == values.end()) {
      error = std::string("there ") + (options.size() == 1 ? "is " : "are ") +
              printCount(options.size(), "--" + option) + ", but function '" +
              function + "' has " + printCount(parameters.size(), what);
      return std::nullopt;
    }
    *next = value;
  }
  return values;
}

/// The tensor that VALUE is of an option about `parameters[index]`.
std::optional<HostTensor> readTensor(const std::string &what,
                                     const std::string &value,
                                     const std::string &function,
                                     const std::vector<Parameter> &parameters,
                                     size_t index, std::string &error) {
  const Parameter &parameter = parameters[index];
  std::optional<HostTensor> tensor = value[0] == '@'
                                         ? readNpy(value.substr(1), error)
                                         : parseLiteral(value, error);
  if (tensor && describeType(*tensor) != parameter.type) {
    error = "type is " + describeType(*tensor) + ", but function '" + function +
            (what == "input" ? "' wants " : "' has ") + parameter.type;
    auto other = std::find_if(parameters.begin(), parameters.end(),
                              [&](const Parameter &each) {
                                return each.type == describeType(*tensor);
                              });
    if (other != parameters.end())
      error += "; '" + other->name +
               "' has the type that is given: are they in another order?";
    tensor.reset();
  }
  if (!tensor)
    error = what + " '" + parameter.name + "': " + error;
  return tensor;
}

} // namespace

std::optional<std::vector<HostTensor>>
dml::tools::readInputs(const std::vector<std::string> &options,
                       const FunctionSignature &function, std::string &error) {
  std::optional<Assignment> values =
      assign("input", "input", options, function.name, function.inputs, error);
  if (!values)
    return std::nullopt;
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < values->size(); ++i) {
    const Parameter &input = function.inputs[i];
    if (!(*values)[i]) {
      error = "input '" + input.name + "' (" + input.type +
              ") is missing: function '" + function.name + "' has " +
              printCount(values->size(), "input") + ", but there " +
              (options.size() == 1 ? "is " : "are ") +
              printCount(options.size(), "--input");
      return std::nullopt;
    }
    std::optional<HostTensor> tensor = readTensor(
        "input", *(*values)[i], function.name, function.inputs, i, error);
    if (!tensor)
      return std::nullopt;
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

std::optional<OutputTensors> dml::tools::readOutputTensors(
    const std::string &option, const std::vector<std::string> &options,
    const FunctionSignature &function, std::string &error) {
  std::optional<Assignment> values =
      assign("output", option, options, function.name, function.outputs, error);
  if (!values)
    return std::nullopt;
  OutputTensors tensors(values->size());
  for (size_t i = 0; i < values->size(); ++i) {
    if (!(*values)[i])
      continue;
    tensors[i] = readTensor(option, *(*values)[i], function.name,
                            function.outputs, i, error);
    if (!tensors[i])
      return std::nullopt;
  }
  return tensors;
}

std::optional<std::vector<std::string>>
dml::tools::readOutputs(const std::string &option,
                        const std::vector<std::string> &options,
                        const FunctionSignature &function, std::string &error) {
  std::optional<Assignment> values =
      assign("output", option, options, function.name, function.outputs, error);
  if (!values)
    return std::nullopt;
  std::vector<std::string> files;
  for (const std::optional<std::string> &value : *values) {
    if (value && (value->size() < 2 || value->front() != '@')) {
      error = "--" + option + "=" + *value + ": wanted is @FILE.npy";
      return std::nullopt;
    }
    files.push_back(value ? value->substr(1) : "");
  }
  return files;
}

std::string dml::tools::compareOutputs(const Expectation &expected,
                                       const FunctionSignature &function,
                                       const std::vector<HostTensor> &tensors) {
  std::string text;
  auto add = [&](size_t i, const std::string &what,
                 const std::string &difference) {
    if (!difference.empty())
      text += std::string(text.empty() ? "" : "; ") + "output '" +
              function.outputs[i].name + "' " + what + difference;
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (expected.values[i])
      add(i, "is not what is expected: ",
          describeDifference(tensors[i], *expected.values[i],
                             expected.tolerance));
    if (expected.lower[i] || expected.upper[i])
      add(i, "is out of bounds: ",
          describeOutside(tensors[i],
                          expected.lower[i] ? &*expected.lower[i] : nullptr,
                          expected.upper[i] ? &*expected.upper[i] : nullptr));
  }
  return text;
}

std::string dml::tools::describeUnjudged(const Expectation &expected,
                                         const FunctionSignature &function,
                                         std::string &partly) {
  std::string entirely;
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    const std::optional<HostTensor> &lower = expected.lower[i],
                                    &upper = expected.upper[i];
    // A result that is compared with a tensor as well is judged by that.
    if (expected.values[i] || (!lower && !upper))
      continue;
    Unjudged unjudged =
        countUnjudged(lower ? &*lower : nullptr, upper ? &*upper : nullptr);
    if (unjudged.count == 0)
      continue;
    std::string &text = unjudged.isEverything() ? entirely : partly;
    text += (text.empty() ? "" : "; ") + std::to_string(unjudged.count) +
            " of " + printCount(unjudged.total, "element") + " of '" +
            function.outputs[i].name +
            "' could not be judged: their bounds admit any number";
  }
  return entirely;
}

bool dml::tools::writeOutputs(const std::vector<std::string> &files,
                              const Expectation &expected,
                              const FunctionSignature &function,
                              const std::vector<HostTensor> &tensors,
                              bool printAll, std::string &error) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].empty()) {
      if (!writeNpy(files[i], tensors[i], error))
        return false;
      continue;
    }
    if (expected.isAbout(i))
      continue;
    std::string text = "%" + function.outputs[i].name + ": " +
                       describeType(tensors[i]) + "\n" +
                       printElements(tensors[i], printAll) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  // A write that failed earlier is still known to the stream.
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  error = std::string("cannot write the results: ") + std::strerror(errno);
  return false;
}
