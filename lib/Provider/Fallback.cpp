//===- Fallback.cpp - A partition on the CPU ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Fallback.h"
#include "Dump.h"

using namespace dml;
using namespace dml::provider;

/// The most bytes of a weight that is copied into the model. ONNX Runtime wants
/// small ones, such as sizes and scales, as constants.
static constexpr uint64_t mostCopiedBytes = 1024;

/// The sizes of a tensor.
static std::vector<int64_t> getSizes(const OrtTensorTypeAndShapeInfo *info) {
  std::vector<int64_t> sizes(get<size_t>(ort().GetDimensionsCount, info));
  if (!sizes.empty())
    check(ort().GetDimensions(info, sizes.data(), sizes.size()));
  return sizes;
}

Fallback::Fallback(const Graph &graph, const Part &part,
                   const DeviceMemory &memory)
    : memory(memory), session(encodePart(graph, part, mostCopiedBytes)) {
  for (size_t i = 0; i < part.inputs.size(); ++i) {
    const Value &value = graph.values[part.inputs[i]];
    if (value.weight)
      continue;
    places.push_back(i);
    inputs.push_back(value.name);
  }
  for (ValueIndex input : part.inputs)
    if (const Value &value = graph.values[input];
        value.weight && value.weight->byteSize > mostCopiedBytes)
      addWeight(value);
  for (ValueIndex output : part.outputs)
    outputs.push_back(graph.values[output].name);
}

void Fallback::addWeight(const Value &value) {
  void *data = const_cast<void *>(value.weight->data);
  if (!value.weight->path.empty())
    data = elements.emplace_back(readElements(*value.weight)).data();
  inputs.push_back(value.name);
  weights.push_back(
      session.makeTensor(data, value.weight->byteSize, value.sizes,
                         static_cast<ONNXTensorElementDataType>(value.type)));
}

Owned<OrtValue> Fallback::toHost(const OrtValue *value,
                                 std::string &copy) const {
  Owned<OrtTensorTypeAndShapeInfo> info(
      get<OrtTensorTypeAndShapeInfo *>(ort().GetTensorTypeAndShape, value));
  auto size = get<size_t>(ort().GetTensorSizeInBytes, value);
  void *data =
      const_cast<void *>(get<const void *>(ort().GetTensorData, value));
  if (size != 0 && memory.find(data)) {
    copy.resize(size);
    memory.copy(copy.data(), data, size);
    data = copy.data();
  }
  return session.makeTensor(
      data, size, getSizes(info.get()),
      get<ONNXTensorElementDataType>(
          ort().GetTensorElementType,
          static_cast<const OrtTensorTypeAndShapeInfo *>(info.get())));
}

void Fallback::giveOutput(OrtKernelContext *kernel, size_t index,
                          const OrtValue *result) const {
  Owned<OrtTensorTypeAndShapeInfo> info(
      get<OrtTensorTypeAndShapeInfo *>(ort().GetTensorTypeAndShape, result));
  std::vector<int64_t> sizes = getSizes(info.get());
  auto *output =
      get<OrtValue *>(ort().KernelContext_GetOutput, kernel, index,
                      static_cast<const int64_t *>(sizes.data()), sizes.size());
  void *data = nullptr;
  check(ort().GetTensorMutableData(output, &data));
  memory.copy(data, get<const void *>(ort().GetTensorData, result),
              get<size_t>(ort().GetTensorSizeInBytes, result));
}

void Fallback::run(OrtKernelContext *kernel) const {
  std::vector<const OrtValue *> given;
  std::vector<Owned<OrtValue>> made;
  std::vector<std::string> copies(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    made.push_back(toHost(
        get<const OrtValue *>(ort().KernelContext_GetInput, kernel, places[i]),
        copies[i]));
    given.push_back(made.back().get());
  }
  for (const Owned<OrtValue> &weight : weights)
    given.push_back(weight.get());
  std::vector<Owned<OrtValue>> results = session.run(inputs, given, outputs);
  for (size_t i = 0; i < results.size(); ++i)
    giveOutput(kernel, i, results[i].get());
}
