//===- Commands.cpp - A JSON model's commands for dml-run -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "commands_generated.h"

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
