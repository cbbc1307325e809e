//===- Arguments.cpp - The inputs and outputs of a command line -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Arguments.h"

#include "support/ByteSource.h"
#include "support/Classes.h"
#include "support/Npy.h"
#include "support/Npz.h"
#include "support/Plural.h"
#include "support/TensorFile.h"
#include "support/TensorLiteral.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>

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

/// A type that no tensor has, so that no elements of NumPy's files are read.
const std::string kNoType = "none";

/// Whether `tensor` is there and has no elements.
bool isEmpty(const std::optional<HostTensor> &tensor) {
  return tensor && std::find(tensor->sizes.begin(), tensor->sizes.end(), 0u) !=
                       tensor->sizes.end();
}

/// Whether `value` is a file with a tensor without elements. A model may have
/// inputs without elements, such as the past of a decoder's first step. The
/// program that is compiled from the model has no such inputs.
bool isEmptyFile(const std::string &value) {
  if (value.size() < 2 || value[0] != '@')
    return false;
  std::string error;
  return isEmpty(readNpy(value.substr(1), error, kNoType));
}

/// `what` is "input" or "output", of which `option` is about all or some.
/// `absent` are the indices of parameters that need no value.
std::optional<Assignment>
assign(const std::string &what, const std::string &option,
       const std::vector<std::string> &options, const std::string &function,
       const std::vector<Parameter> &parameters, std::string &error,
       const std::set<size_t> &absent = {}) {
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
                "'; a type is sizes and f16, f32, f64, bool, i4 to i64 or ui4 "
                "to ui64, as in 4x4xf32";
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
  // Values without names skip absent inputs, unless there are as many values as
  // inputs.
  bool isForAll = options.size() == parameters.size();
  auto isNext = [&](const std::optional<std::string> &value) {
    bool isAbsent = absent.count(&value - values.data()) != 0;
    return !value && (isForAll || !isAbsent);
  };
  auto next = values.begin();
  for (const std::string &value : unnamed) {
    next = std::find_if(next, values.end(), isNext);
    if (next == values.end()) {
      error = std::string("there ") + (options.size() == 1 ? "is " : "are ") +
              printCount(options.size(), "--" + option) + ", but function '" +
              function + "' has " +
              printCount(parameters.size() - absent.size(), what);
      return std::nullopt;
    }
    *next = value;
  }
  return values;
}

/// Whether the members of `archive` have the names that NumPy gives to arrays
/// without one: arr_0, arr_1 and so on.
bool isUnnamed(const NpzFile &archive) {
  size_t index = 0;
  for (const NpzFile::Member &member : archive.getMembers())
    if (member.name != "arr_" + std::to_string(index++))
      return false;
  return true;
}

/// Replaces each .npz file among `options` that has no name by an option for
/// each of its members.
std::optional<std::vector<std::string>>
expandArchives(const std::string &option,
               const std::vector<std::string> &options,
               const std::vector<Parameter> &parameters, std::string &error) {
  std::vector<std::string> expanded;
  for (const std::string &text : options) {
    if (text[0] != '@' || getSuffix(text) != ".npz") {
      expanded.push_back(text);
      continue;
    }
    NpzFile archive;
    if (!archive.open(text.substr(1), error)) {
      error = "--" + option + "=" + text + ": " + error;
      return std::nullopt;
    }
    bool isOrdered = isUnnamed(archive);
    for (const NpzFile::Member &member : archive.getMembers()) {
      std::string value = text + ":" + member.name;
      bool isKnown = std::any_of(parameters.begin(), parameters.end(),
                                 [&](const Parameter &parameter) {
                                   return parameter.name == member.name;
                                 });
      if (std::string ignored; option == "input" && !isOrdered && !isKnown &&
                               isEmpty(archive.read(member, kNoType, ignored)))
        continue;
      if (!isOrdered && !isKnown && archive.getMembers().size() > 1) {
        error = "--" + option + "=" + text + ": it has " + archive.listNames() +
                ", but the function has " + listNames(parameters);
        return std::nullopt;
      }
      expanded.push_back(isKnown ? member.name + "=" + value : value);
    }
  }
  return expanded;
}

/// The tensor that VALUE is of an option about `parameters[index]`.
std::optional<HostTensor>
readTensor(const std::string &what, const std::string &value,
           const std::string &function,
           const std::vector<Parameter> &parameters, size_t index,
           const PictureOptions &pictures, std::string &error) {
  const Parameter &parameter = parameters[index];
  std::optional<HostTensor> tensor =
      value[0] == '@' ? readTensorFile(value.substr(1), parameter.name,
                                       parameter.type, pictures, error)
                      : parseLiteral(value, error);
  if (tensor && !hasType(*tensor, parameter.type)) {
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
  else if (describeType(*tensor) != parameter.type)
    tensor->sizes = {1};
  return tensor;
}

template <typename T> T readElement(const HostTensor &tensor) {
  T value;
  std::memcpy(&value, tensor.data.data(), sizeof(T));
  return value;
}

/// The element of a tensor of one integer. Nothing for another tensor, for
/// integers of 4 bits, and for those above the range of int64_t.
std::optional<int64_t> getInteger(const HostTensor &tensor) {
  switch (tensor.dataType) {
  case DML_DATA_TYPE_INT8:
    return readElement<int8_t>(tensor);
  case DML_DATA_TYPE_INT16:
    return readElement<int16_t>(tensor);
  case DML_DATA_TYPE_INT32:
    return readElement<int32_t>(tensor);
  case DML_DATA_TYPE_INT64:
    return readElement<int64_t>(tensor);
  case DML_DATA_TYPE_UINT8:
    return readElement<uint8_t>(tensor);
  case DML_DATA_TYPE_UINT16:
    return readElement<uint16_t>(tensor);
  case DML_DATA_TYPE_UINT32:
    return readElement<uint32_t>(tensor);
  default:
    return std::nullopt;
  }
}

/// Whether an absent input, which `tensor` is given to, was compiled with the
/// element of that tensor.
bool isStatedValue(const AbsentInput &input, const HostTensor &tensor,
                   std::string &error) {
  // A tensor without elements has the right type, and there is no more to it.
  if (!input.value || getInteger(tensor) == input.value)
    return true;
  error = "input '" + input.parameter.name + "' has the value " +
          printElement(tensor, 0) + ", but the model is compiled for " +
          std::to_string(*input.value);
  return false;
}

} // namespace

std::optional<std::vector<HostTensor>>
dml::tools::readInputs(const std::vector<std::string> &options,
                       const FunctionSignature &function,
                       const PictureOptions &pictures, std::string &error) {
  // All inputs of the model.
  std::vector<Parameter> inputs = function.inputs;
  std::map<size_t, const AbsentInput *> absent;
  std::set<size_t> absentIndices;
  for (const AbsentInput &input : function.absent) {
    size_t index = std::min<size_t>(input.position, inputs.size());
    inputs.insert(inputs.begin() + static_cast<std::ptrdiff_t>(index),
                  input.parameter);
    absent[index] = &input;
    absentIndices.insert(index);
  }
  auto expanded = expandArchives("input", options, inputs, error);
  if (!expanded)
    return std::nullopt;
  std::optional<Assignment> values = assign(
      "input", "input", *expanded, function.name, inputs, error, absentIndices);
  if (!values)
    return std::nullopt;
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < values->size(); ++i) {
    auto found = absent.find(i);
    if (!(*values)[i] && found != absent.end())
      continue;
    const Parameter &input = inputs[i];
    if (!(*values)[i]) {
      error = "input '" + input.name + "' (" + input.type +
              ") is missing: function '" + function.name + "' has " +
              printCount(function.inputs.size(), "input") + ", but there " +
              (options.size() == 1 ? "is " : "are ") +
              printCount(options.size(), "--input");
      return std::nullopt;
    }
    std::optional<HostTensor> tensor = readTensor(
        "input", *(*values)[i], function.name, inputs, i, pictures, error);
    if (!tensor)
      return std::nullopt;
    if (found == absent.end())
      tensors.push_back(std::move(*tensor));
    else if (!isStatedValue(*found->second, *tensor, error))
      return std::nullopt;
  }
  return tensors;
}

std::optional<std::vector<std::string>>
dml::tools::describeShapes(const std::vector<std::string> &options,
                           std::string &error) {
  std::vector<std::string> shapes;
  // `read` reads a tensor of a type with its elements.
  using Read = std::function<std::optional<HostTensor>(const std::string &)>;
  auto add = [&](const std::string &name,
                 const std::optional<HostTensor> &tensor,
                 const Read &read = nullptr) {
    std::string text = name + ":";
    for (size_t i = 0; tensor && i < tensor->sizes.size(); ++i)
      text += (i ? "x" : "") + std::to_string(tensor->sizes[i]);
    shapes.push_back(tensor ? text : text + "?");
    if (!tensor || countElements(tensor->dataType, tensor->sizes) != 1)
      return true;
    std::optional<HostTensor> whole = read(describeType(*tensor));
    if (std::optional<int64_t> value =
            whole ? getInteger(*whole) : std::nullopt)
      shapes.back() += "=" + std::to_string(*value);
    return whole.has_value();
  };
  for (const std::string &text : options) {
    Argument argument = splitArgument(text);
    const std::string &value = argument.value;
    std::string name = argument.name.value_or("");
    if (value.empty() || value[0] != '@') {
      HostTensor literal;
      bool isType =
          parseType(std::string_view(value).substr(0, value.find('=')),
                    literal.dataType, literal.sizes);
      auto read = [&](const std::string &) {
        return parseLiteral(value, error);
      };
      if (!add(name, isType ? std::optional(literal) : std::nullopt, read)) {
        error = "--input=" + text + ": " + error;
        return std::nullopt;
      }
      continue;
    }
    std::string path = value.substr(1), suffix = getSuffix(path);
    if (suffix == ".npz" && !argument.name) {
      NpzFile archive;
      if (!archive.open(path, error))
        return std::nullopt;
      bool isOrdered = isUnnamed(archive);
      for (const NpzFile::Member &member : archive.getMembers()) {
        auto read = [&](const std::string &type) {
          return archive.read(member, type, error);
        };
        auto tensor = read(kNoType);
        if (!tensor || !add(isOrdered ? "" : member.name, tensor, read))
          return std::nullopt;
      }
      continue;
    }
    if (!hasOwnShape(path)) {
      add(name, std::nullopt);
      continue;
    }
    auto read = [&](const std::string &type) {
      return readTensorFile(path, name, type, PictureOptions(), error);
    };
    auto tensor = read(kNoType);
    if (!tensor || !add(name, tensor, read))
      return std::nullopt;
  }
  return shapes;
}

std::optional<OutputTensors> dml::tools::readOutputTensors(
    const std::string &option, const std::vector<std::string> &options,
    const FunctionSignature &function, std::string &error) {
  auto expanded = expandArchives(option, options, function.outputs, error);
  if (!expanded)
    return std::nullopt;
  std::optional<Assignment> values = assign(
      "output", option, *expanded, function.name, function.outputs, error);
  if (!values)
    return std::nullopt;
  OutputTensors tensors(values->size());
  for (size_t i = 0; i < values->size(); ++i) {
    if (!(*values)[i])
      continue;
    tensors[i] = readTensor(option, *(*values)[i], function.name,
                            function.outputs, i, PictureOptions(), error);
    if (!tensors[i])
      return std::nullopt;
  }
  return tensors;
}

std::optional<std::vector<std::string>>
dml::tools::readOutputs(const std::string &option,
                        const std::vector<std::string> &options,
                        const FunctionSignature &function, std::string &error) {
  auto fail = [&](const std::string &value, const std::string &message) {
    error = "--" + option + "=" + value + ": " + message;
    return std::nullopt;
  };
  std::vector<std::string> others;
  std::string archive;
  for (const std::string &text : options) {
    if (text[0] != '@' || getSuffix(text) != ".npz")
      others.push_back(text);
    else if (archive.empty())
      archive = text.substr(1);
    else
      return fail(text, "there are two .npz files for all outputs");
  }
  std::optional<Assignment> values =
      assign("output", option, others, function.name, function.outputs, error);
  if (!values)
    return std::nullopt;
  std::vector<std::string> files;
  for (const std::optional<std::string> &value : *values) {
    if (value && (value->size() < 2 || value->front() != '@'))
      return fail(*value, "wanted is @FILE.npy or @FILE.npz");
    std::string path = value ? value->substr(1) : archive;
    if (std::string suffix = getSuffix(path); !isWritten(suffix))
      return fail("@" + path,
                  "the suffix is '" + suffix + "', but wanted is .npy or .npz");
    files.push_back(path);
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

bool dml::tools::readLabels(const std::string &path,
                            const FunctionSignature &function,
                            PrintOptions &options, std::string &error) {
  constexpr uint64_t kMaxSize = uint64_t(64) << 20;
  auto bytes = readBytes(path, kMaxSize, error);
  if (!bytes)
    return false;
  std::string line;
  for (uint8_t byte : *bytes) {
    if (byte != '\n') {
      line += static_cast<char>(byte);
      continue;
    }
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    options.labels.push_back(std::move(line));
    line.clear();
  }
  if (!line.empty())
    options.labels.push_back(std::move(line));
  size_t count = options.labels.size();
  bool fits = std::any_of(function.outputs.begin(), function.outputs.end(),
                          [&](const Parameter &output) {
                            HostTensor tensor;
                            return parseType(output.type, tensor.dataType,
                                             tensor.sizes) &&
                                   countClasses(tensor.sizes) == count;
                          });
  if (!fits)
    error = "'" + path + "' has " + printCount(count, "label") +
            ", but no result has so many classes";
  return fits;
}

/// Prints an output as `options` say.
static void printOutput(const Parameter &output, const HostTensor &tensor,
                        const PrintOptions &options) {
  std::string text = "%" + output.name + ": " + describeType(tensor);
  if (options.top == 0)
    text += "\n" + printElements(tensor, options.printsAll) + "\n";
  else
    printClasses(tensor, options.top, options.labels, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

bool dml::tools::writeOutputs(const std::vector<std::string> &files,
                              const Expectation &expected,
                              const FunctionSignature &function,
                              const std::vector<HostTensor> &tensors,
                              const PrintOptions &options, std::string &error) {
  // The outputs of each archive.
  std::map<std::string, std::vector<std::pair<std::string, const HostTensor *>>>
      archives;
  for (size_t i = 0; i < files.size(); ++i) {
    const Parameter &output = function.outputs[i];
    if (getSuffix(files[i]) == ".npz")
      archives[files[i]].emplace_back(output.name, &tensors[i]);
    else if (!files[i].empty() && !writeNpy(files[i], tensors[i], error))
      return false;
    else if (files[i].empty() && !expected.isAbout(i))
      printOutput(output, tensors[i], options);
  }
  for (const auto &[path, members] : archives)
    if (!writeNpz(path, members, error))
      return false;
  // A write that failed earlier is still known to the stream.
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  error = std::string("cannot write the results: ") + std::strerror(errno);
  return false;
}
