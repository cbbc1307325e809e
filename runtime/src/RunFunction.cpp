//===- RunFunction.cpp - Run a function on host memory --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "BindingTable.h"

using namespace dml::runtime;

static Status checkTensors(const char *what, const std::vector<Tensor> &wanted,
                           const DmlHostTensor *tensors, uint32_t count) {
  if (count != wanted.size())
    return makeError(DML_ERROR_INVALID_ARGUMENT, "got ", count, " ", what,
                     "s, but the function has ", wanted.size());
  for (uint32_t i = 0; i < count; ++i) {
    if (!tensors[i].data)
      return makeError(DML_ERROR_INVALID_ARGUMENT, what, " '", wanted[i].name,
                       "': data is NULL");
    if (tensors[i].size != wanted[i].byteSize)
      return makeError(DML_ERROR_INVALID_ARGUMENT, what, " '", wanted[i].name,
                       "' has ", tensors[i].size, " bytes, but must have ",
                       wanted[i].byteSize);
  }
  return Status();
}

Status dml::runtime::runFunction(const std::shared_ptr<Program> &program,
                                 uint32_t functionIndex,
                                 const DmlHostTensor *inputs,
                                 uint32_t inputCount,
                                 const DmlHostTensor *outputs,
                                 uint32_t outputCount) {
  // Destroyed after the table, which waits for the work that uses them.
  std::vector<Owned<Buffer>> inputBuffers, outputBuffers;
  DmlBindingTableCreateInfo info{};
  info.function = functionIndex;
  Expected<Owned<BindingTable>> table = BindingTable::create(program, info);
  if (!table)
    return table.status();
  const Function &function = program->executable().functions[functionIndex];
  DML_TRY(checkTensors("input", function.inputs, inputs, inputCount));
  DML_TRY(checkTensors("output", function.outputs, outputs, outputCount));

  auto createBuffer = [&](const Tensor &tensor,
                          std::vector<Owned<Buffer>> &buffers) {
    Expected<Owned<Buffer>> buffer = Buffer::create(
        program->device(), tensor.bufferSize, DML_MEMORY_DEVICE, tensor.name);
    if (buffer)
      buffers.push_back(std::move(*buffer));
    return buffer.status();
  };
  for (uint32_t i = 0; i < inputCount; ++i) {
    DML_TRY(createBuffer(function.inputs[i], inputBuffers));
    DML_TRY(inputBuffers[i]->write(0, inputs[i].data, inputs[i].size));
    DML_TRY((*table)->bindInput(i, inputBuffers[i]->range()));
  }
  std::vector<Buffer *> bound;
  for (uint32_t i = 0; i < outputCount; ++i) {
    if (std::optional<uint32_t> input = function.inPlace[i]) {
      bound.push_back(inputBuffers[*input].get());
    } else {
      DML_TRY(createBuffer(function.outputs[i], outputBuffers));
      bound.push_back(outputBuffers.back().get());
    }
    DML_TRY((*table)->bindOutput(i, bound[i]->range()));
  }
  DML_TRY((*table)->submit(nullptr));
  DML_TRY((*table)->wait(program->device()->waitLimit()));
  for (uint32_t i = 0; i < outputCount; ++i)
    DML_TRY(bound[i]->read(0, outputs[i].data, outputs[i].size));
  return Status();
}
