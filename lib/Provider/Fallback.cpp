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
    : memory(memory) {
  std::string model = encodePart(graph, part, mostCopiedBytes);
  // The environment is that of the process, with one more owner.
  env.reset(get<OrtEnv *>(ort().CreateEnv, ORT_LOGGING_LEVEL_WARNING, "dml"));
  hostMemory.reset(get<OrtMemoryInfo *>(ort().CreateCpuMemoryInfo,
                                        OrtArenaAllocator, OrtMemTypeDefault));
  Owned<OrtSessionOptions> settings(
      get<OrtSessionOptions *>(ort().CreateSessionOptions));
  session.reset(get<OrtSession *>(
      ort().CreateSessionFromArray, static_cast<const OrtEnv *>(env.get()),
      static_cast<const void *>(model.data()), model.size(),
      static_cast<const OrtSessionOptions *>(settings.get())));
  for (size_t i = 0; i < part.inputs.size(); ++i) {
    const Value &value = graph.values[part.inputs[i]];
    if (!value.weight)
      inputs.push_back({i, value.name});
    else if (value.weight->byteSize > mostCopiedBytes)
      addWeight(value);
  }
  for (ValueIndex output : part.outputs)
    outputs.push_back(graph.values[output].name);
}

Fallback::~Fallback() = default;

void Fallback::addWeight(const Value &value) {
  void *data = const_cast<void *>(value.weight->data);
  if (!value.weight->path.empty())
    data = elements.emplace_back(readElements(*value.weight)).data();
  weightNames.push_back(value.name);
  weights.emplace_back(get<OrtValue *>(
      ort().CreateTensorWithDataAsOrtValue,
      static_cast<const OrtMemoryInfo *>(hostMemory.get()), data,
      static_cast<size_t>(value.weight->byteSize),
      static_cast<const int64_t *>(value.sizes.data()), value.sizes.size(),
      static_cast<ONNXTensorElementDataType>(value.type)));
}

Owned<OrtValue> Fallback::toHost(const OrtValue *value,
                                 std::string &copy) const {
  Owned<OrtTensorTypeAndShapeInfo> info(
      get<OrtTensorTypeAndShapeInfo *>(ort().GetTensorTypeAndShape, value));
  std::vector<int64_t> sizes = getSizes(info.get());
  auto size = get<size_t>(ort().GetTensorSizeInBytes, value);
  void *data =
      const_cast<void *>(get<const void *>(ort().GetTensorData, value));
  if (size != 0 && memory.find(data)) {
    copy.resize(size);
    memory.copy(copy.data(), data, size);
    data = copy.data();
  }
  return Owned<OrtValue>(get<OrtValue *>(
      ort().CreateTensorWithDataAsOrtValue,
      static_cast<const OrtMemoryInfo *>(hostMemory.get()), data, size,
      static_cast<const int64_t *>(sizes.data()), sizes.size(),
      get<ONNXTensorElementDataType>(ort().GetTensorElementType, info.get())));
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
  std::vector<const char *> names, wanted;
  std::vector<const OrtValue *> given;
  std::vector<Owned<OrtValue>> made;
  std::vector<std::string> copies(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    made.push_back(toHost(get<const OrtValue *>(ort().KernelContext_GetInput,
                                                kernel, inputs[i].place),
                          copies[i]));
    names.push_back(inputs[i].name.c_str());
    given.push_back(made.back().get());
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    names.push_back(weightNames[i].c_str());
    given.push_back(weights[i].get());
  }
  for (const std::string &output : outputs)
    wanted.push_back(output.c_str());
  std::vector<OrtValue *> results(outputs.size());
  OrtStatus *status =
      ort().Run(session.get(), nullptr, names.data(), given.data(),
                given.size(), wanted.data(), wanted.size(), results.data());
  std::vector<Owned<OrtValue>> owned(results.begin(), results.end());
  check(status);
  for (size_t i = 0; i < owned.size(); ++i)
    giveOutput(kernel, i, owned[i].get());
}
