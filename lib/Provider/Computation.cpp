//===- Computation.cpp - A partition that runs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Computation.h"
#include "Context.h"
#include "Dump.h"
#include <algorithm>
#include <atomic>
#include <cstring>

using namespace dml;
using namespace dml::provider;

/// The type of elements in memory.
static DmlDataType toDataType(DmlElementType type) {
  switch (type) {
  case DML_ELEMENT_TYPE_FLOAT:
    return DML_DATA_TYPE_FLOAT32;
  case DML_ELEMENT_TYPE_FLOAT16:
    return DML_DATA_TYPE_FLOAT16;
  case DML_ELEMENT_TYPE_DOUBLE:
    return DML_DATA_TYPE_FLOAT64;
  case DML_ELEMENT_TYPE_BOOL:
  case DML_ELEMENT_TYPE_UINT8:
    return DML_DATA_TYPE_UINT8;
  case DML_ELEMENT_TYPE_INT8:
    return DML_DATA_TYPE_INT8;
  case DML_ELEMENT_TYPE_UINT16:
    return DML_DATA_TYPE_UINT16;
  case DML_ELEMENT_TYPE_INT16:
    return DML_DATA_TYPE_INT16;
  case DML_ELEMENT_TYPE_UINT32:
    return DML_DATA_TYPE_UINT32;
  case DML_ELEMENT_TYPE_INT32:
    return DML_DATA_TYPE_INT32;
  case DML_ELEMENT_TYPE_UINT64:
    return DML_DATA_TYPE_UINT64;
  case DML_ELEMENT_TYPE_INT64:
    return DML_DATA_TYPE_INT64;
  case DML_ELEMENT_TYPE_UINT4:
    return DML_DATA_TYPE_UINT4;
  case DML_ELEMENT_TYPE_INT4:
    return DML_DATA_TYPE_INT4;
  default:
    return DML_DATA_TYPE_UNKNOWN;
  }
}

/// The most bytes of a tensor that decides about a branch or about a number of
/// iterations.
static constexpr size_t mostDecidingBytes = 8;

static std::vector<uint32_t> getAllNodes(const Graph &graph) {
  std::vector<uint32_t> nodes(graph.nodes.size());
  for (uint32_t i = 0; i < nodes.size(); ++i)
    nodes[i] = i;
  return nodes;
}

//===----------------------------------------------------------------------===//
// Making the partition
//===----------------------------------------------------------------------===//

Computation::Computation(std::shared_ptr<const Context> given,
                         const OrtGraph *handle, const OrtNode *fused,
                         const Facts &facts)
    : OrtNodeComputeInfo{}, context(std::move(given)),
      graph(readGraph(handle)) {
  static std::atomic<uint64_t> next = 0;
  // With a cache on disk, the bytes of the weights are read to find programs:
  // an identifier would have to tell them from those of all models ever.
  if (context->options.cacheDirectory.empty())
    identifier = "onnxruntime/" + std::to_string(next++);
  ort_version_supported = getApi().version;
  CreateState = [](OrtNodeComputeInfo *self, OrtNodeComputeContext *,
                   void **state) noexcept -> OrtStatus * {
    *state = self;
    return nullptr;
  };
  Compute = [](OrtNodeComputeInfo *self, void *,
               OrtKernelContext *kernel) noexcept -> OrtStatus * {
    return guard([&] { static_cast<Computation *>(self)->compute(kernel); });
  };
  ReleaseState = [](OrtNodeComputeInfo *, void *) noexcept {};
  if (graph.nodes.size() == 1 && isContext(graph.nodes.front())) {
    compiled = readContext(graph, graph.nodes.front());
    isReady = true;
  }
  keepWeights(graph, {});
  for (const Node &node : graph.nodes)
    hasInnerGraphs |= !node.graphs.empty();
  nameInputs(fused, facts);
  dump(fused);
  if (context->options.makesContext && compiled.executable.empty())
    compileExecutable();
  // An executable for another device is for the model's file alone.
  if (context->options.deviceProfile.empty())
    compileAhead();
}

/// Writes the partition to the folder that the options name.
void Computation::dump(const OrtNode *fused) const {
  const std::string &folder = context->options.dumpDirectory;
  if (folder.empty() || isReady)
    return;
  std::string path =
      folder + "/" + get<const char *>(ort().Node_GetName, fused) + ".onnx";
  try {
    dumpPart(graph, part, path);
    context->log.info("wrote a partition to '" + path + "'");
  } catch (const Failure &failure) {
    context->log.warn(failure.what());
  }
}

/// Copies the weights of a graph and of those within its nodes, but for those
/// that the graphs around it have, whose names `around` has.
void Computation::keepWeights(Graph &graph,
                              const std::set<std::string> &around) {
  std::set<std::string> names = around;
  for (Value &value : graph.values) {
    if (!names.insert(value.name).second || !value.weight ||
        !value.weight->path.empty())
      continue;
    size_t size = value.weight->byteSize;
    auto copy = std::make_unique<char[]>(size);
    if (size != 0)
      std::memcpy(copy.get(), value.weight->data, size);
    value.weight->data = copy.get();
    weights.push_back(std::move(copy));
  }
  for (const Node &node : graph.nodes)
    for (const InnerGraph &inner : node.graphs)
      keepWeights(*inner.graph, names);
}

void Computation::nameInputs(const OrtNode *fused, const Facts &facts) {
  std::map<std::string, ValueIndex> indices;
  for (ValueIndex i = 0; i < graph.values.size(); ++i)
    indices[graph.values[i].name] = i;
  auto find = [&](const OrtValueInfo *info) {
    std::string name = get<const char *>(ort().GetValueInfoName, info);
    auto found = indices.find(name);
    if (found == indices.end())
      throw Failure("the partition has no value '" + name +
                    "', which its node has");
    return found->second;
  };
  part = getPart(graph, getAllNodes(graph));
  part.outputs.clear();
  std::vector<ValueIndex> others = std::move(part.inputs);
  part.inputs.clear();
  for (const OrtValueInfo *info : getAll<const OrtValueInfo *>(
           ort().Node_GetNumInputs, ort().Node_GetInputs, fused)) {
    ValueIndex value = find(info);
    inputs.push_back({value, toDataType(graph.values[value].type),
                      facts.constants.count(graph.values[value].name) != 0});
    part.inputs.push_back(value);
  }
  // The model has its inputs in the order of the node's; weights follow.
  for (ValueIndex value : others)
    if (std::find(part.inputs.begin(), part.inputs.end(), value) ==
        part.inputs.end()) {
      if (!graph.values[value].weight)
        throw Failure(
            "the partition reads '" + graph.values[value].name +
            "' in a graph within a node, but ONNX Runtime does not give it");
      part.inputs.push_back(value);
    }
  for (const OrtValueInfo *info : getAll<const OrtValueInfo *>(
           ort().Node_GetNumOutputs, ort().Node_GetOutputs, fused))
    part.outputs.push_back(find(info));
  outputs = part.outputs;
  if (!isReady)
    for (ValueIndex value : outputs)
      compiled.isScalar.push_back(
          facts.scalars.count(graph.values[value].name) != 0);
}

/// The inputs of an executable are told by their order, and a scalar is a
/// tensor of one element.
static void fitExecutable(DmlSessionTensor &tensor) {
  tensor.name = nullptr;
  if (tensor.rank == 0) {
    tensor.rank = 1;
    tensor.sizes[0] = 1;
  }
}

/// Refuses a partition whose sizes are not known before it runs.
void Computation::wantFixedSizes() const {
  for (const Input &input : inputs) {
    const Value &value = graph.values[input.value];
    for (size_t i = 0; i < value.sizes.size(); ++i)
      if (value.sizes[i] < 0)
        throw Failure(
            "input '" + value.name +
            "' of a partition has an open size in dimension " +
            std::to_string(i) +
            (value.symbols[i].empty() ? "" : ", '" + value.symbols[i] + "'") +
            ", but a model that is compiled ahead has fixed sizes; "
            "AddFreeDimensionOverrideByName states one");
    if (input.isConstant)
      throw Failure("a partition needs the elements of '" + value.name +
                    "' to be compiled, which are known only when it runs");
  }
}

void Computation::compileExecutable() {
  wantFixedSizes();
  std::string profile = context->options.deviceProfile;
  if (profile.empty())
    profile = findVariant({})->session.info().deviceProfile;
  variants.clear();
  dml::Model model = buildModel(graph, part, ModelKind::Session, identifier);
  const char *profiles[] = {profile.c_str()};
  DmlCompileInfo info{};
  info.model = model.get();
  info.deviceProfiles = profiles;
  info.deviceProfileCount = 1;
  DmlBytes bytes{};
  dml::detail::check(dmlCompileModel,
                     static_cast<const DmlCompileInfo *>(&info), &bytes);
  compiled.executable.assign(static_cast<const char *>(bytes.data), bytes.size);
  dmlFreeBytes(&bytes);
  isReady = context->options.deviceProfile.empty();
}

OrtNode *Computation::makeContext(const OrtNode *fused) const {
  return provider::makeContext(fused, compiled, context->options, graph.folder);
}

void Computation::compileAhead() {
  std::vector<DmlSessionTensor> tensors;
  for (const Input &input : inputs) {
    const Value &value = graph.values[input.value];
    if (value.weight)
      continue;
    if (input.isConstant || value.sizes.size() > DML_MAX_RANK ||
        std::count_if(value.sizes.begin(), value.sizes.end(),
                      [](int64_t size) { return size < 0; }) ||
        (hasInnerGraphs && countBytes(value) <= mostDecidingBytes))
      return;
    DmlSessionTensor tensor{};
    tensor.name = value.name.c_str();
    tensor.dataType = input.type;
    tensor.rank = static_cast<uint32_t>(value.sizes.size());
    std::copy(value.sizes.begin(), value.sizes.end(), tensor.sizes);
    if (isReady)
      fitExecutable(tensor);
    tensors.push_back(tensor);
  }
  findOutputs(*findVariant({}), tensors);
}

std::shared_ptr<Computation::Variant>
Computation::makeVariant(const Constants &constants) const {
  std::optional<dml::Model> model;
  DmlSessionCreateInfo info{};
  if (isReady) {
    info.bytes = compiled.executable.data();
    info.byteSize = compiled.executable.size();
    info.format = DML_MODEL_FORMAT_EXECUTABLE;
  } else {
    Part variant = part;
    for (const auto &[value, constant] : constants) {
      variant.constants[value] = constant.elements;
      variant.shapes[value] = constant.sizes;
    }
    model = buildModel(graph, variant, ModelKind::Session, identifier);
    info.model = model->get();
  }
  info.device = context->device.get();
  if (!context->options.cacheDirectory.empty())
    info.cacheDirectory = context->options.cacheDirectory.c_str();
  info.messageCallback = [](void *user, DmlMessageSeverity,
                            const char *message) {
    static_cast<const Log *>(user)->warn(message);
  };
  info.userData = const_cast<Log *>(&context->log);
  return std::make_shared<Variant>(dml::Session(info));
}

std::shared_ptr<Computation::Variant>
Computation::findVariant(const Constants &constants) {
  // Programs for sizes that alternate stay; a size that never comes back does
  // not fill the memory.
  constexpr size_t mostVariants = 16;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = variants.find(constants);
  if (found != variants.end())
    return found->second;
  if (variants.size() >= mostVariants)
    variants.clear();
  return variants[constants] = makeVariant(constants);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// What the shapes of outputs depend on: the sizes of the inputs, and the
/// elements of those that the host may decide by.
std::string
Computation::getKey(const std::vector<DmlSessionTensor> &tensors) const {
  std::string key;
  for (const DmlSessionTensor &tensor : tensors) {
    key.append(reinterpret_cast<const char *>(tensor.sizes),
               tensor.rank * sizeof(int64_t));
    if (hasInnerGraphs && tensor.data && tensor.byteSize <= mostDecidingBytes)
      key.append(static_cast<const char *>(tensor.data), tensor.byteSize);
    key += ';';
  }
  return key;
}

std::string Computation::getKey(const Constants &constants) const {
  std::string key;
  for (const auto &[value, constant] : constants) {
    for (const auto *list : {&constant.sizes, &constant.elements})
      key.append(reinterpret_cast<const char *>(list->data()),
                 list->size() * sizeof(int64_t));
    key += ';';
  }
  return key;
}

std::vector<Computation::Shape>
Computation::findOutputs(Variant &variant,
                         const std::vector<DmlSessionTensor> &tensors) {
  constexpr size_t mostShapes = 1024;
  std::string key = getKey(tensors);
  {
    std::lock_guard<std::mutex> lock(variant.mutex);
    auto found = variant.outputs.find(key);
    if (found != variant.outputs.end())
      return found->second;
  }
  std::vector<DmlSessionTensor> results(outputs.size());
  dml::detail::check(dmlPrepareSession, variant.session.get(), tensors.data(),
                     static_cast<uint32_t>(tensors.size()), results.data(),
                     static_cast<uint32_t>(results.size()));
  std::vector<Shape> shapes;
  for (size_t i = 0; i < results.size(); ++i) {
    const int64_t *sizes = results[i].sizes;
    uint32_t rank = compiled.isScalar[i] ? 0 : results[i].rank;
    bool isKnown = rank != DML_UNKNOWN_RANK &&
                   std::none_of(sizes, sizes + rank,
                                [](int64_t size) { return size < 0; });
    Shape &shape = shapes.emplace_back();
    if (isKnown)
      shape.emplace(sizes, sizes + rank);
  }
  std::lock_guard<std::mutex> lock(variant.mutex);
  if (variant.outputs.size() >= mostShapes)
    variant.outputs.clear();
  variant.outputs[key] = shapes;
  return shapes;
}

/// The tensor of a run for a value of ONNX Runtime.
static DmlSessionTensor readTensor(const OrtValue *value, const Value &declared,
                                   DmlDataType type) {
  DmlSessionTensor tensor{};
  const char *name = declared.name.c_str();
  tensor.name = name;
  tensor.dataType = type;
  Owned<OrtTensorTypeAndShapeInfo> info(
      get<OrtTensorTypeAndShapeInfo *>(ort().GetTensorTypeAndShape, value));
  size_t rank = get<size_t>(ort().GetDimensionsCount, info.get());
  if (rank > DML_MAX_RANK)
    throw Failure("input '" + std::string(name) + "' has " +
                  std::to_string(rank) +
                  " dimensions, but wanted are at most " +
                  std::to_string(int(DML_MAX_RANK)));
  tensor.rank = static_cast<uint32_t>(rank);
  if (rank != 0)
    check(ort().GetDimensions(info.get(), tensor.sizes, rank));
  // ONNX Runtime takes a tensor of one element for a scalar, and the other way
  // round.
  if (declared.hasShape && declared.sizes.size() <= 1 && rank <= 1 &&
      get<size_t>(ort().GetTensorShapeElementCount, info.get()) == 1) {
    tensor.rank = static_cast<uint32_t>(declared.sizes.size());
    tensor.sizes[0] = 1;
  }
  tensor.data =
      const_cast<void *>(get<const void *>(ort().GetTensorData, value));
  tensor.byteSize = get<size_t>(ort().GetTensorSizeInBytes, value);
  return tensor;
}

/// Lets a tensor in device memory be a range of its buffer. Memory of another
/// device than the session's is copied to the host.
void Computation::place(DmlSessionTensor &tensor,
                        std::vector<char> &copy) const {
  std::optional<DevicePlace> found = context->memory->find(tensor.data);
  if (!found)
    return;
  if (found->device == context->device.get()) {
    // Kernels may touch the rest of the last 16 bytes, which belongs to the
    // tensor, too: allocations and tensors in them begin at multiples of more.
    uint64_t size = (uint64_t(tensor.byteSize) + 15) / 16 * 16;
    tensor.data = nullptr;
    tensor.buffer = {found->vulkanBuffer, found->offset,
                     std::min(size, found->size)};
    return;
  }
  copy.resize(tensor.byteSize);
  tensor.data = copy.data();
}

/// The elements of a tensor of integers.
static Elements readElements(const DeviceMemory &memory,
                             const DmlSessionTensor &tensor) {
  std::vector<char> bytes(tensor.byteSize);
  memory.copy(bytes.data(), tensor.data, bytes.size());
  size_t width = dmlGetDataTypeSize(tensor.dataType);
  Elements elements;
  for (size_t at = 0; width != 0 && at + width <= bytes.size(); at += width) {
    int64_t element = 0;
    // The low bytes are all that a model takes of an element.
    std::memcpy(&element, bytes.data() + at, width);
    elements.push_back(element);
  }
  return elements;
}

/// Reads the inputs of a run: the tensors, and the constants of the program.
void Computation::readInputs(OrtKernelContext *kernel, Constants &constants,
                             Tensors &tensors) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value &value = graph.values[inputs[i].value];
    if (value.weight)
      continue;
    DmlSessionTensor tensor = readTensor(
        get<const OrtValue *>(ort().KernelContext_GetInput, kernel, i), value,
        inputs[i].type);
    if (inputs[i].isConstant) {
      constants[inputs[i].value] = {{tensor.sizes, tensor.sizes + tensor.rank},
                                    readElements(*context->memory, tensor)};
      continue;
    }
    if (isReady)
      fitExecutable(tensor);
    const void *address = tensor.data;
    std::vector<char> &copy = tensors.copies.emplace_back();
    // The host decides by conditions and numbers of iterations.
    if (hasInnerGraphs && tensor.byteSize <= mostDecidingBytes) {
      copy.resize(tensor.byteSize);
      tensor.data = copy.data();
    } else {
      place(tensor, copy);
    }
    if (!copy.empty())
      context->memory->copy(copy.data(), address, copy.size());
    tensors.all.push_back(tensor);
  }
}

/// Makes an output of ONNX Runtime's, as a tensor in host memory or in that of
/// a device.
DmlSessionTensor
Computation::makeOutput(OrtKernelContext *kernel, size_t index,
                        const std::vector<int64_t> &sizes) const {
  auto *value =
      get<OrtValue *>(ort().KernelContext_GetOutput, kernel, index,
                      static_cast<const int64_t *>(sizes.data()), sizes.size());
  DmlSessionTensor result{};
  check(ort().GetTensorMutableData(value, &result.data));
  result.byteSize = get<size_t>(ort().GetTensorSizeInBytes, value);
  return result;
}

/// Gives ONNX Runtime an output whose sizes the run has told.
void Computation::giveOutput(OrtKernelContext *kernel, size_t index,
                             const DmlSessionTensor &result) const {
  uint32_t rank = compiled.isScalar[index] ? 0 : result.rank;
  DmlSessionTensor made =
      makeOutput(kernel, index, {result.sizes, result.sizes + rank});
  if (made.byteSize != result.byteSize)
    throw Failure("output '" + graph.values[outputs[index]].name + "' has " +
                  std::to_string(result.byteSize) +
                  " bytes, but ONNX Runtime wants " +
                  std::to_string(made.byteSize));
  if (made.byteSize != 0)
    context->memory->copy(made.data, result.data, made.byteSize);
}

namespace {
/// Frees the tensors that a session has allocated.
struct ResultsOwner {
  explicit ResultsOwner(size_t count) : isOwned(count), tensors(count) {}
  ~ResultsOwner() {
    for (size_t i = 0; i < tensors.size(); ++i)
      if (isOwned[i])
        dmlFreeTensor(&tensors[i]);
  }
  ResultsOwner(const ResultsOwner &) = delete;
  ResultsOwner &operator=(const ResultsOwner &) = delete;

  std::vector<bool> isOwned;
  std::vector<DmlSessionTensor> tensors;
};
} // namespace

void Computation::runOnDevice(OrtKernelContext *kernel,
                              const Constants &constants,
                              const Tensors &given) {
  std::shared_ptr<Variant> program = findVariant(constants);
  std::vector<Shape> shapes = findOutputs(*program, given.all);
  ResultsOwner results(outputs.size());
  std::vector<void *> addresses(outputs.size());
  std::vector<std::vector<char>> copies(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    results.isOwned[i] = !shapes[i];
    if (!shapes[i])
      continue;
    results.tensors[i] = makeOutput(kernel, i, *shapes[i]);
    addresses[i] = results.tensors[i].data;
    place(results.tensors[i], copies[i]);
  }
  dml::detail::check(dmlRunSession, program->session.get(),
                     static_cast<const DmlSessionTensor *>(given.all.data()),
                     static_cast<uint32_t>(given.all.size()),
                     results.tensors.data(),
                     static_cast<uint32_t>(results.tensors.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!copies[i].empty())
      context->memory->copy(addresses[i], copies[i].data(), copies[i].size());
    if (!shapes[i])
      giveOutput(kernel, i, results.tensors[i]);
  }
}

//===----------------------------------------------------------------------===//
// Sizes that dml refuses
//===----------------------------------------------------------------------===//

bool Computation::isRefused(const std::string &key) {
  std::lock_guard<std::mutex> lock(mutex);
  return refused.count(key) != 0;
}

/// Remembers inputs that dml refuses, so that later runs need not try again,
/// and says so once.
void Computation::noteRefused(const std::string &key, const Tensors &given,
                              const char *reason) {
  constexpr size_t mostRefused = 1024;
  std::string sizes;
  for (const DmlSessionTensor &tensor : given.all) {
    sizes += sizes.empty() ? "'" : ", '";
    sizes += std::string(tensor.name ? tensor.name : "") + "' of [";
    for (uint32_t i = 0; i < tensor.rank; ++i)
      sizes += (i ? ", " : "") + std::to_string(tensor.sizes[i]);
    sizes += "]";
  }
  context->log.warn("a partition runs on the CPU for " + sizes + ": " + reason);
  std::lock_guard<std::mutex> lock(mutex);
  if (refused.size() >= mostRefused)
    refused.clear();
  refused.insert(key);
}

void Computation::runOnCpu(OrtKernelContext *kernel) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!fallback)
      fallback = std::make_unique<Fallback>(graph, part, *context->memory);
  }
  fallback->run(kernel);
}

void Computation::compute(OrtKernelContext *kernel) {
  Constants constants;
  Tensors given;
  readInputs(kernel, constants, given);
  std::string key = getKey(given.all) + getKey(constants);
  if (!isRefused(key)) {
    try {
      return runOnDevice(kernel, constants, given);
    } catch (const dml::Error &error) {
      // An executable has no nodes that the CPU could run.
      bool isRefusal = error.result() == DML_ERROR_UNSUPPORTED ||
                       error.result() == DML_ERROR_INVALID_ARGUMENT;
      if (isReady || !isRefusal)
        throw;
      noteRefused(key, given, error.what());
    }
  }
  runOnCpu(kernel);
}
