//===- Commands.cpp - What dml-compile tells, and commands ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "commands_generated.h"
#include "support/Escape.h"
#include "support/File.h"
#include "support/Half.h"
#include "support/Npy.h"
#include "support/Plural.h"
#include "support/Runtime.h"
#include "support/TensorLiteral.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace dml::tools;
namespace fb = dml::commands_format;

static bool endsWithNpy(const std::string &path) {
  std::string end = path.substr(path.size() - std::min<size_t>(path.size(), 4));
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return end == ".npy";
}

/// Fills `data` with a sequence of elements: the first element is the first of
/// `values`, and each further element is larger than the element before by the
/// second.
template <typename T>
static void fillSequence(const uint8_t *values, std::vector<uint8_t> &data) {
  T value, delta;
  std::memcpy(&value, values, sizeof(T));
  std::memcpy(&delta, values + sizeof(T), sizeof(T));
  for (size_t at = 0; at < data.size(); at += sizeof(T)) {
    std::memcpy(&data[at], &value, sizeof(T));
    value = static_cast<T>(value + delta);
  }
}

static void fillSequenceOfHalves(const uint8_t *values,
                                 std::vector<uint8_t> &data) {
  uint16_t value, delta;
  std::memcpy(&value, values, 2);
  std::memcpy(&delta, values + 2, 2);
  for (size_t at = 0; at < data.size(); at += 2) {
    std::memcpy(&data[at], &value, 2);
    // The sum of two halves is exact in double.
    value = toHalf(fromHalf(value) + fromHalf(delta));
  }
}

static void fillSequence(DmlDataType type, const uint8_t *values,
                         std::vector<uint8_t> &data) {
  switch (type) {
  case DML_DATA_TYPE_FLOAT16:
    return fillSequenceOfHalves(values, data);
  case DML_DATA_TYPE_FLOAT32:
    return fillSequence<float>(values, data);
  case DML_DATA_TYPE_FLOAT64:
    return fillSequence<double>(values, data);
  // Integers wrap around, and so are the same with and without sign.
  case DML_DATA_TYPE_UINT8:
  case DML_DATA_TYPE_INT8:
    return fillSequence<uint8_t>(values, data);
  case DML_DATA_TYPE_UINT16:
  case DML_DATA_TYPE_INT16:
    return fillSequence<uint16_t>(values, data);
  case DML_DATA_TYPE_UINT32:
  case DML_DATA_TYPE_INT32:
    return fillSequence<uint32_t>(values, data);
  case DML_DATA_TYPE_UINT64:
  case DML_DATA_TYPE_INT64:
    return fillSequence<uint64_t>(values, data);
  default:
    fail("a sequence has a type that dml-run does not know: dml-compile is of "
         "another version");
  }
}

/// Whether the bytes are those of a `Table`.
template <typename Table>
static bool isIntact(const std::vector<uint8_t> &bytes) {
  // The verifier wants a size that FlatBuffers can have.
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return false;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  return verifier.VerifyBuffer<Table>();
}

std::vector<FunctionSignature>
dml::tools::readFunctions(const std::vector<uint8_t> &bytes) {
  if (!isIntact<fb::Functions>(bytes))
    fail("what dml-compile tells of the module's functions is damaged: it is "
         "of another version");
  auto convert = [](const fb::Parameter &parameter) {
    return Parameter{parameter.name()->str(), parameter.type()->str()};
  };
  std::vector<FunctionSignature> functions;
  for (const fb::Function *told :
       *flatbuffers::GetRoot<fb::Functions>(bytes.data())->functions()) {
    FunctionSignature &function = functions.emplace_back();
    function.name = told->name()->str();
    for (const fb::Parameter *input : *told->inputs())
      function.inputs.push_back(convert(*input));
    for (const fb::Parameter *output : *told->outputs())
      function.outputs.push_back(convert(*output));
    for (const fb::AbsentInput *input : *told->absent()) {
      function.absent.push_back(
          {convert(*input->parameter()), input->position(), std::nullopt});
      if (input->is_stated())
        function.absent.back().value = input->value();
    }
  }
  return functions;
}

Commands::Commands(std::vector<uint8_t> read) : bytes(std::move(read)) {
  if (!isIntact<fb::Commands>(bytes))
    fail("the commands of the model are damaged: dml-compile is of another "
         "version");
  commands = fb::GetCommands(bytes.data());
  for (uint32_t i = 0; i < commands->resources()->size(); ++i)
    resources.push_back(createResource(i));
}

Commands::Resource Commands::createResource(uint32_t index) {
  const fb::Resource &source = *commands->resources()->Get(index);
  Resource resource;
  resource.name = source.name()->str();
  resource.type = static_cast<DmlDataType>(source.type());
  size_t width = dmlGetDataTypeSize(resource.type);
  std::vector<uint8_t> values;
  if (source.values())
    values.assign(source.values()->begin(), source.values()->end());
  std::string file = source.file() ? source.file()->str() : "";
  auto place = "resources." + resource.name;
  switch (source.kind()) {
  case fb::ResourceKind::List:
    break;
  case fb::ResourceKind::Constant: {
    std::vector<uint8_t> element = values;
    values.resize(source.count() * element.size());
    for (size_t at = 0; at < values.size(); at += element.size())
      std::copy(element.begin(), element.end(), values.begin() + at);
    break;
  }
  case fb::ResourceKind::Sequence: {
    std::vector<uint8_t> data(source.count() * width);
    if (values.size() == 2 * width)
      fillSequence(resource.type, values.data(), data);
    values = std::move(data);
    break;
  }
  case fb::ResourceKind::File:
    if (endsWithNpy(file)) {
      std::string error;
      auto tensor = readNpy(file, error);
      if (!tensor)
        fail(place + ".initialValues.sourcePath: " + error);
      if (resource.type != DML_DATA_TYPE_UNKNOWN &&
          resource.type != tensor->dataType)
        fail(place + ".initialValuesDataType: found " +
             describeType(resource.type, {}) + ", wanted " +
             describeType(tensor->dataType, {}) + ", which '" + file + "' has");
      resource.type = tensor->dataType;
      values = std::move(tensor->data);
    } else {
      std::ifstream stream(file, std::ios::binary | std::ios::ate);
      auto size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
      if (size >= 0) {
        values.resize(static_cast<size_t>(size));
        stream.seekg(0);
        stream.read(reinterpret_cast<char *>(values.data()), size);
      }
      if (size < 0 || !stream)
        fail(place + ".initialValues.sourcePath: cannot read '" + file + "'");
    }
  }
  resource.valueSize = values.size();
  // DirectML's buffers have a multiple of 4 bytes, unless their size is stated.
  uint64_t size = source.size_in_bytes()
                      ? source.size_in_bytes()
                      : (source.offset() + values.size() + 3) / 4 * 4;
  if (source.offset() + values.size() > size)
    fail(place + ".sizeInBytes: found " + std::to_string(size) +
         ", wanted at least " +
         std::to_string(source.offset() + values.size()) +
         ", the bytes of the elements and those before them");
  resource.initial.resize(size);
  std::copy(values.begin(), values.end(),
            resource.initial.begin() + source.offset());
  resource.current = resource.initial;
  return resource;
}

uint64_t Commands::getOffset(const fb::Binding &binding) const {
  uint64_t width = binding.element_size();
  if (width == 0)
    width = dmlGetDataTypeSize(resources[binding.resource()].type);
  // Both factors are numbers of 32 bits.
  return binding.element_offset() * width;
}

void Commands::checkBinding(const fb::Binding &binding,
                            const DmlTensorInfo &tensor,
                            const std::string &place) const {
  const Resource &resource = resources.at(binding.resource());
  if (binding.element_offset() != 0 && binding.element_size() == 0 &&
      resource.type == DML_DATA_TYPE_UNKNOWN)
    fail(place + ".bindings." + tensor.name +
         ": found an offset in elements of '" + resource.name +
         "', which have no one size, wanted elementSizeInBytes with it");
  uint64_t offset = getOffset(binding);
  uint64_t size = resource.current.size();
  if (offset > size || size - offset < tensor.byteSize)
    fail(place + ".bindings." + tensor.name + ": found the resource '" +
         resource.name + "' of " + printCount(size, "byte") + ", from byte " +
         std::to_string(offset) + " on, wanted " +
         printCount(tensor.byteSize, "byte"));
}

void Commands::check(
    const std::function<FunctionTensors(const std::string &)> &find,
    const std::string &outputFolder) {
  folder = outputFolder;
  for (const fb::Command *command : *commands->commands()) {
    FunctionTensors &function = tensors.emplace_back();
    std::string place = command->place()->str();
    if (command->kind() == fb::CommandKind::Dispatch) {
      function = find(command->function()->str());
      auto checkAll =
          [&](const flatbuffers::Vector<const fb::Binding *> *bindings,
              const std::vector<DmlTensorInfo> &infos) {
            if (!bindings || bindings->size() != infos.size())
              fail(place +
                   ": its tensors are not those of the compiled function: "
                   "dml-compile is of another version");
            for (uint32_t i = 0; i < infos.size(); ++i)
              checkBinding(*bindings->Get(i), infos[i], place);
          };
      checkAll(command->inputs(), function.inputs);
      checkAll(command->outputs(), function.outputs);
      continue;
    }
    const Resource &resource = resources.at(command->resource());
    if (command->kind() == fb::CommandKind::Print)
      continue;
    if (folder.empty())
      fail(place + ": the model writes the file '" + command->file()->str() +
           "': name the folder for it with --output-dir");
    std::string error;
    if (!checkOutput(folder + "/" + command->file()->str(), error))
      fail(place + ".targetPath: " + error, kExitNotWritten);
    std::vector<uint32_t> sizes(command->sizes()->begin(),
                                command->sizes()->end());
    auto count = countElements(resource.type, sizes);
    size_t width = dmlGetDataTypeSize(resource.type);
    if (endsWithNpy(command->file()->str()) &&
        (width == 0 || resource.current.size() % width != 0))
      fail(place + ".resource: found '" + resource.name +
           "', whose elements have no one type, wanted elements of one for a "
           ".npy file");
    if (!sizes.empty() && (!count || *count * width > resource.current.size()))
      fail(place + ".dimensions: found a tensor of more bytes than the " +
           std::to_string(resource.current.size()) + " of '" + resource.name +
           "', wanted at most as many");
  }
}

HostTensor Commands::readBinding(const fb::Binding &binding,
                                 const DmlTensorInfo &tensor) const {
  const Resource &resource = resources[binding.resource()];
  const std::vector<uint8_t> &data =
      binding.is_initial() ? resource.initial : resource.current;
  auto begin = data.begin() + static_cast<std::ptrdiff_t>(getOffset(binding));
  return {tensor.dataType,
          {tensor.sizes, tensor.sizes + tensor.rank},
          {begin, begin + static_cast<std::ptrdiff_t>(tensor.byteSize)}};
}

std::string Commands::print(const Resource &resource, bool isVerbose) const {
  size_t width = std::max<size_t>(dmlGetDataTypeSize(resource.type), 1);
  HostTensor tensor{
      resource.type,
      {static_cast<uint32_t>(resource.valueSize / width)},
      {resource.current.begin(),
       resource.current.begin() +
           static_cast<std::ptrdiff_t>(resource.valueSize / width * width)}};
  // One row, in brackets and with a space between elements.
  std::string row = printElements(tensor);
  std::string result = "Resource '" + resource.name + "':";
  size_t index = 0, indexWidth = std::to_string(tensor.sizes[0] - 1).size();
  for (size_t at = 1; at < row.size(); ++index) {
    size_t end = std::min(row.find(' ', at), row.size() - 1);
    std::string element = row.substr(at, end - at);
    at = end + 1;
    if (!isVerbose) {
      result += (index == 0 ? " " : ", ") + element;
      continue;
    }
    std::string number = std::to_string(index);
    result += "\n[" + std::string(indexWidth - number.size(), ' ') + number +
              "] " + element + " (0x";
    for (size_t byte = width; byte-- > 0;) {
      char digits[3];
      std::snprintf(digits, sizeof(digits), "%02X",
                    tensor.data[index * width + byte]);
      result += digits;
    }
    result += ")";
  }
  return result + "\n";
}

void Commands::run(
    const std::function<std::vector<HostTensor>(
        const std::string &, const std::vector<HostTensor> &)> &dispatch) {
  for (uint32_t i = 0; i < commands->commands()->size(); ++i) {
    const fb::Command &command = *commands->commands()->Get(i);
    switch (command.kind()) {
    case fb::CommandKind::Dispatch: {
      std::vector<HostTensor> inputs;
      for (uint32_t k = 0; k < tensors[i].inputs.size(); ++k)
        inputs.push_back(
            readBinding(*command.inputs()->Get(k), tensors[i].inputs[k]));
      std::vector<HostTensor> outputs =
          dispatch(command.function()->str(), inputs);
      for (uint32_t k = 0; k < outputs.size(); ++k) {
        const fb::Binding &binding = *command.outputs()->Get(k);
        std::copy(outputs[k].data.begin(), outputs[k].data.end(),
                  resources[binding.resource()].current.begin() +
                      static_cast<std::ptrdiff_t>(getOffset(binding)));
      }
      break;
    }
    case fb::CommandKind::Print:
      text += print(resources[command.resource()], command.is_verbose());
      break;
    case fb::CommandKind::WriteFile: {
      const Resource &resource = resources[command.resource()];
      HostTensor tensor{resource.type,
                        {command.sizes()->begin(), command.sizes()->end()},
                        resource.current};
      size_t width = std::max<size_t>(dmlGetDataTypeSize(resource.type), 1);
      if (tensor.sizes.empty())
        tensor.sizes.push_back(
            static_cast<uint32_t>(tensor.data.size() / width));
      else
        tensor.data.resize(*countElements(tensor.dataType, tensor.sizes) *
                           width);
      std::string path = folder + "/" + command.file()->str();
      text += "Resource '" + resource.name + "' written to '" + path + "'\n";
      files.push_back({std::move(path), std::move(tensor)});
    }
    }
  }
}

void Commands::finish() {
  std::string error;
  for (const File &file : files) {
    bool isWritten =
        endsWithNpy(file.path)
            ? writeNpy(file.path, file.tensor, error)
            : writeFile(file.path,
                        {{file.tensor.data.data(), file.tensor.data.size()}},
                        error);
    if (!isWritten)
      fail(error, kExitNotWritten);
  }
  if (!writeOutput("-", escapeControls(text), error))
    fail(error, kExitNotWritten);
}
