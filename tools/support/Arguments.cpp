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

/// `what` is "input" or "output".
std::optional<Assignment> assign(const std::string &what,
                                 const std::vector<std::string> &options,
                                 const std::string &function,
                                 const std::vector<Parameter> &parameters,
                                 std::string &error) {
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
    if (it == parameters.end()) {
      // "4x4xfloat=1" is meant for a type, whatever a tensor may be called.
      bool isType =
          std::isdigit(static_cast<unsigned char>((*argument.name)[0]));
      if (isType && what == "input") {
        error = "--input=" + text + ": '" + *argument.name +
                "' is no type, and no input of function '" + function +
                "'; a type is sizes and f16, f32, f64, i4 to i64 or ui4 to "
                "ui64, as in 4x4xf32";
        return std::nullopt;
      }
      error = "--" + what + "=" + text + ": function '" + function +
              "' has no " + what + " '" + *argument.name + "'; it has " +
              listNames(parameters);
      return std::nullopt;
    }
    std::optional<std::string> &value = values[it - parameters.begin()];
    if (value) {
      error = what + " '" + it->name + "' is given twice";
      return std::nullopt;
    }
    value = argument.value;
  }
  auto next = values.begin();
  for (const std::string &value : unnamed) {
    next = std::find(next, values.end(), std::nullopt);
    if (next == values.end()) {
      error = std::string("there ") + (options.size() == 1 ? "is " : "are ") +
              printCount(options.size(), "--" + what) + ", but function '" +
              function + "' has " + printCount(parameters.size(), what);
      return std::nullopt;
    }
    *next = value;
  }
  return values;
}

} // namespace

std::optional<std::vector<HostTensor>>
dml::tools::readInputs(const std::vector<std::string> &options,
                       const FunctionSignature &function, std::string &error) {
  std::optional<Assignment> values =
      assign("input", options, function.name, function.inputs, error);
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
    const std::string &value = *(*values)[i];
    std::optional<HostTensor> tensor = value[0] == '@'
                                           ? readNpy(value.substr(1), error)
                                           : parseLiteral(value, error);
    if (tensor && describeType(*tensor) != input.type) {
      error = "type is " + describeType(*tensor) + ", but function '" +
              function.name + "' wants " + input.type;
      tensor.reset();
    }
    if (!tensor) {
      error = "input '" + input.name + "': " + error;
      return std::nullopt;
    }
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

std::optional<std::vector<std::string>>
dml::tools::readOutputs(const std::vector<std::string> &options,
                        const FunctionSignature &function, std::string &error) {
  std::optional<Assignment> values =
      assign("output", options, function.name, function.outputs, error);
  if (!values)
    return std::nullopt;
  std::vector<std::string> files;
  for (const std::optional<std::string> &value : *values) {
    if (value && (value->size() < 2 || value->front() != '@')) {
      error = "--output=" + *value + ": wanted is @FILE.npy";
      return std::nullopt;
    }
    files.push_back(value ? value->substr(1) : "");
  }
  return files;
}

bool dml::tools::writeOutputs(const std::vector<std::string> &files,
                              const FunctionSignature &function,
                              const std::vector<HostTensor> &tensors,
                              std::string &error) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].empty()) {
      if (!writeNpy(files[i], tensors[i], error))
        return false;
      continue;
    }
    std::string text = "%" + function.outputs[i].name + ": " +
                       describeType(tensors[i]) + "\n" +
                       printElements(tensors[i]) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  // An earlier failure to write stays with the stream.
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  error = std::string("cannot write the results: ") + std::strerror(errno);
  return false;
}
