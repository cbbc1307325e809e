//===- Commands.cpp - What dml-run is told --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "commands_generated.h"

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

using namespace dml;
namespace fb = dml::commands_format;

static fb::ResourceKind convert(directml::Commands::Resource::Kind kind) {
  using Kind = directml::Commands::Resource::Kind;
  switch (kind) {
  case Kind::List:
    return fb::ResourceKind::List;
  case Kind::Constant:
    return fb::ResourceKind::Constant;
  case Kind::Sequence:
    return fb::ResourceKind::Sequence;
  case Kind::File:
    return fb::ResourceKind::File;
  }
  llvm_unreachable("unknown kind of resource");
}

static fb::CommandKind convert(directml::Commands::Command::Kind kind) {
  using Kind = directml::Commands::Command::Kind;
  switch (kind) {
  case Kind::Dispatch:
    return fb::CommandKind::Dispatch;
  case Kind::Print:
    return fb::CommandKind::Print;
  case Kind::WriteFile:
    return fb::CommandKind::WriteFile;
  }
  llvm_unreachable("unknown kind of command");
}

std::vector<uint8_t>
dml::tools::serializeCommands(const directml::Commands &commands) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<fb::Resource>> resources;
  for (const directml::Commands::Resource &resource : commands.resources) {
    auto values = builder.CreateVector(
        reinterpret_cast<const uint8_t *>(resource.values.data()),
        resource.values.size());
    auto type = static_cast<uint32_t>(resource.type.value_or(DataType(0)));
    resources.push_back(
        fb::CreateResource(builder, builder.CreateString(resource.name), type,
                           convert(resource.kind), values, resource.count,
                           builder.CreateString(resource.file),
                           resource.sizeInBytes, resource.offset));
  }
  auto createBindings =
      [&](const std::vector<directml::Commands::Binding> &bindings) {
        std::vector<fb::Binding> structs;
        for (const directml::Commands::Binding &binding : bindings)
          structs.emplace_back(binding.elementOffset, binding.elementSize,
                               binding.resource, binding.isInitial);
        return builder.CreateVectorOfStructs(structs);
      };
  std::vector<flatbuffers::Offset<fb::Command>> list;
  for (const directml::Commands::Command &command : commands.commands) {
    auto inputs = createBindings(command.inputs);
    auto outputs = createBindings(command.outputs);
    list.push_back(fb::CreateCommand(
        builder, convert(command.kind), builder.CreateString(command.place),
        builder.CreateString(command.function), inputs, outputs,
        command.resource, command.isVerbose, builder.CreateString(command.file),
        builder.CreateVector(command.sizes)));
  }
  auto resourceVector = builder.CreateVector(resources);
  auto commandVector = builder.CreateVector(list);
  builder.Finish(fb::CreateCommands(builder, resourceVector, commandVector));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

static std::vector<uint8_t>
serializeFunctions(const std::vector<tools::FunctionSignature> &functions) {
  flatbuffers::FlatBufferBuilder builder;
  auto create = [&](const tools::Parameter &parameter) {
    return fb::CreateParameter(builder, builder.CreateString(parameter.name),
                               builder.CreateString(parameter.type));
  };
  auto createAll = [&](const std::vector<tools::Parameter> &parameters) {
    std::vector<flatbuffers::Offset<fb::Parameter>> list;
    for (const tools::Parameter &parameter : parameters)
      list.push_back(create(parameter));
    return builder.CreateVector(list);
  };
  std::vector<flatbuffers::Offset<fb::Function>> list;
  for (const tools::FunctionSignature &function : functions) {
    std::vector<flatbuffers::Offset<fb::AbsentInput>> absent;
    for (const tools::AbsentInput &input : function.absent)
      absent.push_back(fb::CreateAbsentInput(
          builder, create(input.parameter), input.position,
          input.value.has_value(), input.value.value_or(0)));
    auto inputs = createAll(function.inputs);
    auto outputs = createAll(function.outputs);
    list.push_back(
        fb::CreateFunction(builder, builder.CreateString(function.name), inputs,
                           outputs, builder.CreateVector(absent)));
  }
  builder.Finish(fb::CreateFunctions(builder, builder.CreateVector(list)));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

bool dml::tools::consult(int descriptor,
                         const std::vector<FunctionSignature> &functions) {
  std::vector<uint8_t> bytes = serializeFunctions(functions);
  for (size_t done = 0; done < bytes.size();) {
    ssize_t count =
        send(descriptor, &bytes[done], bytes.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR)
      return false;
    done += count > 0 ? static_cast<size_t>(count) : 0;
  }
  // The other side reads to the end.
  shutdown(descriptor, SHUT_WR);
  char answer = 0;
  ssize_t count = 0;
  do
    count = read(descriptor, &answer, 1);
  while (count < 0 && errno == EINTR);
  return count == 1;
}
