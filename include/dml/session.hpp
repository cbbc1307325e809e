//===- dml/session.hpp - Sessions for C++ -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// dml/session.h for C++17: handles that destroy themselves, vectors, and
// exceptions, which the compiler must have turned on. Nothing but dml's headers
// and libdml is needed.
//
//   dml::Session session("model.onnx");
//   std::vector<float> pixels(3 * 224 * 224);
//   auto results = session.run({{"image", {1, 3, 224, 224}, pixels}});
//   std::vector<float> scores = results[0].copy<float>();
//
// A model may be built node by node instead:
//
//   dml::Model model;
//   model.input("a", DML_ELEMENT_TYPE_FLOAT, {"batch", 4});
//   model.weight("b", {4}, std::vector<float>{1, 2, 3, 4});
//   model.node("Add", {"a", "b"}, {"c"});
//   model.node("Softmax", {"c"}, {"d"}, {{"axis", 1}});
//   model.output("d");
//   dml::Session session(model);
//
//===----------------------------------------------------------------------===//

#ifndef DML_SESSION_HPP
#define DML_SESSION_HPP

#ifndef __cpp_exceptions
#error "dml/session.hpp wants exceptions; without them, use dml/session.h"
#endif

#include "dml/runtime.hpp"
#include "dml/session.h"

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dml {

namespace detail {
inline std::vector<const char *>
toPointers(const std::vector<std::string> &strings) {
  std::vector<const char *> pointers;
  for (const std::string &string : strings)
    pointers.push_back(string.c_str());
  return pointers;
}

inline std::string takeBytes(DmlBytes &bytes) {
  std::unique_ptr<DmlBytes, decltype(&dmlFreeBytes)> owner(&bytes,
                                                           dmlFreeBytes);
  return {static_cast<const char *>(bytes.data), bytes.size};
}
} // namespace detail

/// The type of a model's elements of the C++ type `T`, of which bool has bytes.
template <typename T> constexpr DmlElementType getElementType() {
  if constexpr (std::is_same_v<T, bool>)
    return DML_ELEMENT_TYPE_BOOL;
  switch (getDataType<T>()) {
  case DML_DATA_TYPE_FLOAT32:
    return DML_ELEMENT_TYPE_FLOAT;
  case DML_DATA_TYPE_FLOAT64:
    return DML_ELEMENT_TYPE_DOUBLE;
  case DML_DATA_TYPE_INT8:
    return DML_ELEMENT_TYPE_INT8;
  case DML_DATA_TYPE_INT16:
    return DML_ELEMENT_TYPE_INT16;
  case DML_DATA_TYPE_INT32:
    return DML_ELEMENT_TYPE_INT32;
  case DML_DATA_TYPE_INT64:
    return DML_ELEMENT_TYPE_INT64;
  case DML_DATA_TYPE_UINT8:
    return DML_ELEMENT_TYPE_UINT8;
  case DML_DATA_TYPE_UINT16:
    return DML_ELEMENT_TYPE_UINT16;
  case DML_DATA_TYPE_UINT32:
    return DML_ELEMENT_TYPE_UINT32;
  default:
    return DML_ELEMENT_TYPE_UINT64;
  }
}

/// A dimension of a tensor that a model declares: a size, or the name of one
/// that is open. "" is open and has no name.
struct Dimension {
  Dimension(int known) : size(known) {}
  Dimension(int64_t known) : size(known) {}
  Dimension(const char *open) : name(open) {}
  Dimension(std::string open) : name(std::move(open)) {}

  int64_t size = -1;
  std::string name;
};

/// A weight of a model. Its elements stand in one of three places.
struct Weight {
  std::string name;
  DmlElementType elementType = DML_ELEMENT_TYPE_UNDEFINED;
  std::vector<int64_t> sizes;
  uint64_t byteSize = 0;
  /// Memory that outlives the sessions of the model.
  const void *data = nullptr;
  /// Writes `size` bytes from `offset` on to `destination`, or throws. Is
  /// called on any thread, on several at once.
  std::function<void(uint64_t offset, size_t size, void *destination)> read;
  std::string path;
  uint64_t offset = 0;
  /// What tells the contents from those of all other weights, or "".
  std::string identifier;
};

class Model;

/// An attribute of a node.
class Attribute {
public:
  Attribute(std::string called, int value)
      : Attribute(std::move(called), int64_t(value)) {}
  Attribute(std::string called, int64_t value)
      : Attribute(std::move(called), DML_ATTRIBUTE_TYPE_INT) {
    attribute.i = value;
  }
  Attribute(std::string called, double value)
      : Attribute(std::move(called), static_cast<float>(value)) {}
  Attribute(std::string called, float value)
      : Attribute(std::move(called), DML_ATTRIBUTE_TYPE_FLOAT) {
    attribute.f = value;
  }
  Attribute(std::string called, const char *value)
      : Attribute(std::move(called), std::string(value)) {}
  Attribute(std::string called, std::string value)
      : Attribute(std::move(called), DML_ATTRIBUTE_TYPE_STRING) {
    strings.push_back(std::move(value));
  }
  Attribute(std::string called, std::vector<int64_t> values)
      : Attribute(std::move(called), DML_ATTRIBUTE_TYPE_INTS) {
    ints = std::move(values);
  }
  Attribute(std::string called, std::vector<float> values)
      : Attribute(std::move(called), DML_ATTRIBUTE_TYPE_FLOATS) {
    floats = std::move(values);
  }
  Attribute(std::string called, std::vector<std::string> values)
      : Attribute(std::move(called), DML_ATTRIBUTE_TYPE_STRINGS) {
    strings = std::move(values);
  }
  Attribute(std::string called, Weight value)
      : Attribute(std::move(called), DML_ATTRIBUTE_TYPE_TENSOR) {
    tensor = std::make_shared<Weight>(std::move(value));
  }
  /// A graph within the node, which does not change any more.
  Attribute(std::string called, const Model &value);

private:
  friend class Model;
  Attribute(std::string called, DmlAttributeType type)
      : name(std::move(called)) {
    attribute.type = type;
  }

  std::string name;
  DmlModelAttribute attribute{};
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> strings;
  std::shared_ptr<Weight> tensor;
  std::shared_ptr<DmlModelImpl> graph;
  /// What the weights of the graph refer to.
  std::shared_ptr<void> kept;
};

/// A model that is built node by node.
class Model {
public:
  /// `operatorSets` are the versions of operators, by domain.
  explicit Model(const std::map<std::string, int64_t> &operatorSets = {{"",
                                                                        21}},
                 const std::string &name = "<model>",
                 const std::string &identifier = "") {
    std::vector<DmlOperatorSet> sets;
    for (const auto &[domain, version] : operatorSets)
      sets.push_back({domain.c_str(), version});
    DmlModelCreateInfo info{};
    info.name = name.c_str();
    info.operatorSets = sets.data();
    info.operatorSetCount = static_cast<uint32_t>(sets.size());
    info.identifier = identifier.empty() ? nullptr : identifier.c_str();
    DmlModel model = nullptr;
    detail::check(dmlCreateModel, &info, &model);
    handle.reset(model, dmlDestroyModel);
  }

  DmlModel get() const { return handle.get(); }

  Model &input(const std::string &name, DmlElementType elementType,
               const std::vector<Dimension> &dimensions) {
    return add(dmlAddModelInput, name, elementType, &dimensions);
  }
  /// An input of any shape, of a graph within a node.
  Model &input(const std::string &name, DmlElementType elementType) {
    return add(dmlAddModelInput, name, elementType, nullptr);
  }
  Model &output(const std::string &name) {
    return add(dmlAddModelOutput, name, DML_ELEMENT_TYPE_UNDEFINED, nullptr);
  }
  Model &output(const std::string &name, DmlElementType elementType,
                const std::vector<Dimension> &dimensions) {
    return add(dmlAddModelOutput, name, elementType, &dimensions);
  }
  /// An output of any shape, of a graph within a node.
  Model &output(const std::string &name, DmlElementType elementType) {
    return add(dmlAddModelOutput, name, elementType, nullptr);
  }
  /// A tensor between nodes.
  Model &value(const std::string &name, DmlElementType elementType,
               const std::vector<Dimension> &dimensions) {
    return add(dmlAddModelValue, name, elementType, &dimensions);
  }

  Model &weight(Weight weight) {
    DmlModelWeight converted = convert(std::move(weight));
    detail::check(dmlAddModelWeight, handle.get(),
                  static_cast<const DmlModelWeight *>(&converted));
    return *this;
  }
  /// Elements that the model keeps.
  template <typename T>
  Model &weight(std::string name, std::vector<int64_t> sizes,
                std::vector<T> elements) {
    auto owned = std::make_shared<std::vector<T>>(std::move(elements));
    keep(owned);
    Weight weight;
    weight.name = std::move(name);
    weight.elementType = getElementType<T>();
    weight.sizes = std::move(sizes);
    weight.byteSize = owned->size() * sizeof(T);
    weight.data = owned->data();
    return this->weight(std::move(weight));
  }

  /// Adds a node. `type` is the operator, "Add", or, of another domain than
  /// ONNX's own, "com.microsoft::Gelu".
  Model &node(const std::string &type, const std::vector<std::string> &inputs,
              const std::vector<std::string> &outputs,
              const std::vector<Attribute> &attributes = {},
              const std::string &name = "") {
    std::vector<const char *> from = detail::toPointers(inputs),
                              to = detail::toPointers(outputs);
    size_t colons = type.rfind("::");
    std::string domain =
        type.substr(0, colons == std::string::npos ? 0 : colons);
    // Tensors keep their addresses.
    std::vector<std::vector<const char *>> strings(attributes.size());
    std::vector<DmlModelWeight> tensors(attributes.size());
    std::vector<DmlModelAttribute> all;
    for (size_t i = 0; i < attributes.size(); ++i)
      all.push_back(convert(attributes[i], strings[i], tensors[i]));
    DmlModelNode node{};
    node.domain = domain.c_str();
    node.type = type.c_str() + (colons == std::string::npos ? 0 : colons + 2);
    node.name = name.c_str();
    node.inputs = from.data();
    node.inputCount = static_cast<uint32_t>(from.size());
    node.outputs = to.data();
    node.outputCount = static_cast<uint32_t>(to.size());
    node.attributes = all.data();
    node.attributeCount = static_cast<uint32_t>(all.size());
    detail::check(dmlAddModelNode, handle.get(),
                  static_cast<const DmlModelNode *>(&node));
    return *this;
  }

private:
  friend class Attribute;
  friend class Session;

  void keep(std::shared_ptr<void> object) {
    kept->push_back(std::move(object));
  }

  template <typename Fn>
  Model &add(Fn function, const std::string &name, DmlElementType elementType,
             const std::vector<Dimension> *dimensions) {
    std::vector<int64_t> sizes;
    std::vector<const char *> names;
    DmlModelTensor tensor{};
    tensor.name = name.c_str();
    tensor.elementType = elementType;
    tensor.rank = UINT32_MAX;
    if (dimensions) {
      for (const Dimension &dimension : *dimensions) {
        sizes.push_back(dimension.size);
        names.push_back(dimension.name.c_str());
      }
      tensor.rank = static_cast<uint32_t>(sizes.size());
      tensor.sizes = sizes.data();
      tensor.dimensionNames = names.data();
    }
    detail::check(function, handle.get(),
                  static_cast<const DmlModelTensor *>(&tensor));
    return *this;
  }

  /// The weight for C, which refers to a weight that the model keeps.
  DmlModelWeight convert(Weight weight) {
    auto owned = std::make_shared<Weight>(std::move(weight));
    keep(owned);
    DmlModelWeight converted{};
    converted.name = owned->name.c_str();
    converted.elementType = owned->elementType;
    converted.rank = static_cast<uint32_t>(owned->sizes.size());
    converted.sizes = owned->sizes.data();
    converted.byteSize = owned->byteSize;
    converted.data = owned->data;
    if (owned->read) {
      converted.read = &read;
      converted.userData = &owned->read;
    }
    if (!owned->path.empty())
      converted.path = owned->path.c_str();
    converted.offset = owned->offset;
    if (!owned->identifier.empty())
      converted.identifier = owned->identifier.c_str();
    return converted;
  }

  DmlModelAttribute convert(const Attribute &given,
                            std::vector<const char *> &strings,
                            DmlModelWeight &tensor) {
    DmlModelAttribute converted = given.attribute;
    strings = detail::toPointers(given.strings);
    converted.name = given.name.c_str();
    converted.s = strings.empty() ? nullptr : strings.front();
    converted.count = static_cast<uint32_t>(
        given.ints.size() + given.floats.size() + strings.size());
    converted.ints = given.ints.data();
    converted.floats = given.floats.data();
    converted.strings = strings.data();
    if (given.tensor) {
      tensor = convert(*given.tensor);
      converted.tensor = &tensor;
    }
    if (given.kept)
      keep(given.kept);
    return converted;
  }

  static const char *read(void *userData, uint64_t offset, size_t size,
                          void *destination) noexcept {
    static thread_local std::string message;
    try {
      (*static_cast<decltype(Weight::read) *>(userData))(offset, size,
                                                         destination);
      return nullptr;
    } catch (const std::exception &error) {
      message = error.what();
    } catch (...) {
      message = "it throws what is no std::exception";
    }
    return message.c_str();
  }

  std::shared_ptr<DmlModelImpl> handle;
  /// What weights refer to.
  std::shared_ptr<std::vector<std::shared_ptr<void>>> kept =
      std::make_shared<std::vector<std::shared_ptr<void>>>();
};

inline Attribute::Attribute(std::string called, const Model &value)
    : Attribute(std::move(called), DML_ATTRIBUTE_TYPE_GRAPH) {
  graph = value.handle;
  attribute.graph = graph.get();
  kept = value.kept;
}

/// An input of a run. Its elements remain the caller's, and must remain valid
/// until the run ends.
struct Input {
  template <typename T>
  Input(std::string givenName, std::vector<int64_t> givenSizes,
        const std::vector<T> &elements)
      : Input(std::move(givenName), getDataType<T>(), std::move(givenSizes),
              elements.data(), elements.size() * sizeof(T)) {}
  /// An input with elements of a type that C++ lacks, such as f16.
  Input(std::string givenName, DmlDataType type,
        std::vector<int64_t> givenSizes, const void *elements, size_t bytes)
      : name(std::move(givenName)), dataType(type),
        sizes(std::move(givenSizes)), data(elements), byteSize(bytes) {}
  /// An input with elements in a buffer of the session's device.
  Input(std::string givenName, DmlDataType type,
        std::vector<int64_t> givenSizes, const DmlBufferRange &range)
      : name(std::move(givenName)), dataType(type),
        sizes(std::move(givenSizes)), buffer(range) {}

  std::string name;
  DmlDataType dataType;
  std::vector<int64_t> sizes;
  const void *data = nullptr;
  size_t byteSize = 0;
  DmlBufferRange buffer{};
};

/// An output that a run writes to a buffer of the session's device. The range
/// of an input is the one of a state that stays in place.
struct BufferOutput {
  std::string name;
  DmlBufferRange buffer;
};

/// An output of a run, with memory of its own.
class Output {
public:
  explicit Output(const DmlSessionTensor &taken) : tensor(taken) {}
  Output(Output &&other) noexcept : tensor(other.tensor) {
    other.tensor.data = nullptr;
  }
  Output &operator=(Output &&other) noexcept {
    std::swap(tensor, other.tensor);
    return *this;
  }
  ~Output() { dmlFreeTensor(&tensor); }

  DmlDataType dataType() const { return tensor.dataType; }
  std::vector<int64_t> sizes() const {
    return {tensor.sizes, tensor.sizes + tensor.rank};
  }
  const void *data() const { return tensor.data; }
  size_t byteSize() const { return tensor.byteSize; }

  /// The elements, which must be of the type `T`.
  template <typename T> std::vector<T> copy() const {
    if (getDataType<T>() != tensor.dataType)
      throw Error(DML_ERROR_INVALID_ARGUMENT,
                  std::string("the output's elements are ") +
                      dmlGetDataTypeName(tensor.dataType) +
                      ", but wanted are " +
                      dmlGetDataTypeName(getDataType<T>()));
    std::vector<T> elements(tensor.byteSize / sizeof(T));
    if (!elements.empty())
      std::memcpy(elements.data(), tensor.data, tensor.byteSize);
    return elements;
  }

private:
  DmlSessionTensor tensor;
};

/// A tensor as the model declares it.
struct TensorInfo {
  std::string name;
  DmlDataType dataType = DML_DATA_TYPE_UNKNOWN;
  /// Whether the model declares the number of dimensions.
  bool hasRank = true;
  /// The sizes, with -1 for a size that the model leaves open. Its name is in
  /// `dimensionNames`.
  std::vector<int64_t> sizes;
  std::vector<std::string> dimensionNames;
};

/// The members of DmlSessionCreateInfo other than the model.
struct SessionOptions {
  std::string device;
  std::string function;
  std::map<std::string, int64_t> dimensions;
  std::map<std::string, std::string> compilerOptions;
  uint64_t programBudget = 0;
  std::string cacheDirectory;
  uint64_t cacheBudget = 0;
  /// In nanoseconds; 0 is none.
  uint64_t waitLimit = 0;
  DmlMessageCallback messageCallback = nullptr;
  DmlProgressCallback progressCallback = nullptr;
  DmlRunTimesCallback runTimesCallback = nullptr;
  std::string tracePath;
  void *userData = nullptr;
};

/// A model, ready to run. May be used from many threads at once.
class Session {
public:
  explicit Session(const std::string &path, const SessionOptions &options = {})
      : Session(
            open([&](DmlSessionCreateInfo &info) { info.path = path.c_str(); },
                 options)) {}
  /// Opens a model in memory, whose bytes must remain valid as long as the
  /// session.
  Session(const void *bytes, size_t size, const SessionOptions &options = {})
      : Session(open(
            [&](DmlSessionCreateInfo &info) {
              info.bytes = bytes;
              info.byteSize = size;
            },
            options)) {}
  /// A model that was built, which the session keeps.
  explicit Session(const Model &model, const SessionOptions &options = {})
      : Session(
            open([&](DmlSessionCreateInfo &info) { info.model = model.get(); },
                 options)) {
    kept = model.kept;
  }
  /// Whatever else DmlSessionCreateInfo can say.
  explicit Session(const DmlSessionCreateInfo &info) {
    DmlSession session = nullptr;
    detail::check(dmlCreateSession, &info, &session);
    handle.reset(session);
  }

  DmlSession get() const { return handle.get(); }

  std::vector<TensorInfo> inputs() const {
    return describe(dmlGetSessionInput, info().inputCount);
  }
  std::vector<TensorInfo> outputs() const {
    return describe(dmlGetSessionOutput, info().outputCount);
  }
  DmlSessionInfo info() const {
    DmlSessionInfo info{};
    detail::check(dmlGetSessionInfo, handle.get(), &info);
    return info;
  }

  /// Runs the model. The results have the order of the model's outputs. An
  /// input without a name ("") is the input of the model with the same place.
  std::vector<Output> run(const std::vector<Input> &inputs) const {
    return run(inputs, {});
  }
  /// The same, but the outputs `bound` are written to buffers: their results
  /// have no data.
  std::vector<Output> run(const std::vector<Input> &inputs,
                          const std::vector<BufferOutput> &bound) const {
    std::vector<DmlSessionTensor> tensors = convert(inputs);
    std::vector<DmlSessionTensor> results(info().outputCount);
    // Outputs without names are those of their places.
    std::vector<TensorInfo> declared;
    if (!bound.empty())
      declared = outputs();
    for (const BufferOutput &output : bound) {
      size_t place = 0;
      while (place < declared.size() && declared[place].name != output.name)
        ++place;
      if (place == declared.size())
        throw Error(DML_ERROR_INVALID_ARGUMENT,
                    "there is no output '" + output.name + "'");
      results[place].buffer = output.buffer;
    }
    detail::check(dmlRunSession, handle.get(), tensors.data(),
                  static_cast<uint32_t>(tensors.size()), results.data(),
                  static_cast<uint32_t>(results.size()));
    std::vector<Output> outputs;
    outputs.reserve(results.size());
    for (const DmlSessionTensor &result : results)
      outputs.emplace_back(result);
    return outputs;
  }

  /// Compiles the program for inputs of these sizes.
  void prepare(const std::vector<Input> &inputs) const {
    std::vector<DmlSessionTensor> tensors = convert(inputs);
    detail::check(dmlPrepareSession, handle.get(), tensors.data(),
                  static_cast<uint32_t>(tensors.size()), nullptr, 0u);
  }

  /// Returns the table of kernels, in JSON: those that a session with the
  /// option tune=true has measured, or those that the session uses.
  std::string getTuning() const {
    DmlBytes table{};
    detail::check(dmlGetSessionTuning, handle.get(), &table);
    return detail::takeBytes(table);
  }

private:
  template <typename SetModel>
  static Session open(SetModel setModel, const SessionOptions &options) {
    std::vector<DmlNamedSize> dimensions;
    for (const auto &[name, size] : options.dimensions)
      dimensions.push_back({name.c_str(), size});
    std::vector<DmlNamedValue> values;
    for (const auto &[name, value] : options.compilerOptions)
      values.push_back({name.c_str(), value.c_str()});
    DmlSessionCreateInfo info{};
    setModel(info);
    if (!options.function.empty())
      info.function = options.function.c_str();
    if (!options.device.empty())
      info.deviceSelector = options.device.c_str();
    info.dimensions = dimensions.data();
    info.dimensionCount = static_cast<uint32_t>(dimensions.size());
    info.options = values.data();
    info.optionCount = static_cast<uint32_t>(values.size());
    info.programBudget = options.programBudget;
    if (!options.cacheDirectory.empty())
      info.cacheDirectory = options.cacheDirectory.c_str();
    info.cacheBudget = options.cacheBudget;
    info.waitLimit = options.waitLimit;
    info.messageCallback = options.messageCallback;
    info.progressCallback = options.progressCallback;
    info.runTimesCallback = options.runTimesCallback;
    if (!options.tracePath.empty())
      info.tracePath = options.tracePath.c_str();
    info.userData = options.userData;
    return Session(info);
  }

  static std::vector<DmlSessionTensor>
  convert(const std::vector<Input> &inputs) {
    std::vector<DmlSessionTensor> tensors;
    for (const Input &input : inputs) {
      DmlSessionTensor tensor{};
      tensor.name = input.name.empty() ? nullptr : input.name.c_str();
      tensor.dataType = input.dataType;
      tensor.rank = static_cast<uint32_t>(input.sizes.size());
      for (size_t i = 0; i < input.sizes.size() && i < DML_MAX_RANK; ++i)
        tensor.sizes[i] = input.sizes[i];
      tensor.data = const_cast<void *>(input.data);
      tensor.byteSize = input.byteSize;
      tensor.buffer = input.buffer;
      tensors.push_back(tensor);
    }
    return tensors;
  }

  template <typename Fn>
  std::vector<TensorInfo> describe(Fn getTensor, uint32_t count) const {
    std::vector<TensorInfo> tensors;
    for (uint32_t i = 0; i < count; ++i) {
      DmlSessionTensorInfo info{};
      detail::check(getTensor, handle.get(), i, &info);
      TensorInfo tensor;
      tensor.name = info.name;
      tensor.dataType = info.dataType;
      tensor.hasRank = info.rank != DML_UNKNOWN_RANK;
      for (uint32_t d = 0; tensor.hasRank && d < info.rank; ++d) {
        tensor.sizes.push_back(info.sizes[d]);
        tensor.dimensionNames.push_back(info.dimensionNames[d]);
      }
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  /// What the weights of a built model refer to, which outlives the session.
  std::shared_ptr<void> kept;
  struct Destroy {
    void operator()(DmlSessionImpl *session) const {
      dmlDestroySession(session);
    }
  };
  std::unique_ptr<DmlSessionImpl, Destroy> handle;
};

//===----------------------------------------------------------------------===//
// Models without a device
//===----------------------------------------------------------------------===//

/// A model by the path of its file, bytes, which are read during calls only, or
/// a model that is built node by node, which must live as long as the source.
struct ModelSource {
  ModelSource(std::string file) : path(std::move(file)) {}
  ModelSource(const char *file) : path(file) {}
  ModelSource(const void *data, size_t byteSize)
      : bytes(data), size(byteSize) {}
  ModelSource(const Model &built) : model(built.get()) {}

  std::string path;
  const void *bytes = nullptr;
  size_t size = 0;
  DmlModel model = nullptr;
};

/// What DmlExplainInfo has beside the model.
struct ExplainOptions {
  /// The feature level, such as "5_0", or "".
  std::string level;
  /// Sizes of the dimensions that an ONNX model leaves open.
  std::map<std::string, int64_t> dimensions;
  bool ortOptimizations = false;
};

/// What DmlCompileInfo has beside the model.
struct CompileOptions {
  std::vector<std::string> deviceProfiles;
  std::map<std::string, int64_t> dimensions;
  std::map<std::string, std::string> compilerOptions;
};

namespace detail {
/// Sets what all calls without a device have in common. `dimensions` keeps the
/// array.
template <typename Info>
void setModel(Info &info, const ModelSource &model,
              const std::map<std::string, int64_t> &sizes,
              std::vector<DmlNamedSize> &dimensions) {
  if (!model.bytes && !model.model)
    info.path = model.path.c_str();
  info.bytes = model.bytes;
  info.byteSize = model.size;
  info.model = model.model;
  for (const auto &[name, size] : sizes)
    dimensions.push_back({name.c_str(), size});
  info.dimensions = dimensions.data();
  info.dimensionCount = static_cast<uint32_t>(dimensions.size());
}

inline void setExplain(DmlExplainInfo &info, const ModelSource &model,
                       const ExplainOptions &options,
                       std::vector<DmlNamedSize> &dimensions) {
  setModel(info, model, options.dimensions, dimensions);
  if (!options.level.empty())
    info.level = options.level.c_str();
  info.ortOptimizations = options.ortOptimizations;
}
} // namespace detail

/// The verdict on a model: the feature level that it needs, and why. The
/// strings of `info` and `problem` live as long as the verdict.
class Verdict {
public:
  explicit Verdict(const ModelSource &model,
                   const ExplainOptions &options = {}) {
    DmlExplainInfo info{};
    std::vector<DmlNamedSize> dimensions;
    detail::setExplain(info, model, options, dimensions);
    DmlVerdict verdict = nullptr;
    detail::check(dmlExplainModel, &info, &verdict);
    handle.reset(verdict);
  }

  DmlVerdictInfo info() const {
    DmlVerdictInfo info{};
    detail::check(dmlGetVerdictInfo, handle.get(), &info);
    return info;
  }
  DmlProblemInfo problem(uint32_t index) const {
    DmlProblemInfo info{};
    detail::check(dmlGetVerdictProblem, handle.get(), index, &info);
    return info;
  }
  std::string text() const { return dmlGetVerdictText(handle.get()); }
  std::string json() const { return dmlGetVerdictJson(handle.get()); }

private:
  struct Destroy {
    void operator()(DmlVerdictImpl *verdict) const {
      dmlDestroyVerdict(verdict);
    }
  };
  std::unique_ptr<DmlVerdictImpl, Destroy> handle;
};

/// Rewrites a model for `options.level`; the module in MLIR, which a session
/// opens.
inline std::string
legalizeModel(const ModelSource &model, const ExplainOptions &options,
              DmlModuleForm form = DML_MODULE_FORM_BYTECODE) {
  DmlExplainInfo info{};
  std::vector<DmlNamedSize> dimensions;
  detail::setExplain(info, model, options, dimensions);
  DmlBytes bytes{};
  detail::check(dmlLegalizeModel, &info, form, &bytes);
  return detail::takeBytes(bytes);
}

/// Compiles a model ahead of time: the bytes of an executable (.dmlx).
inline std::string compileModel(const ModelSource &model,
                                const CompileOptions &options = {}) {
  DmlCompileInfo info{};
  std::vector<DmlNamedSize> dimensions;
  detail::setModel(info, model, options.dimensions, dimensions);
  std::vector<const char *> profiles;
  for (const std::string &profile : options.deviceProfiles)
    profiles.push_back(profile.c_str());
  info.deviceProfiles = profiles.data();
  info.deviceProfileCount = static_cast<uint32_t>(profiles.size());
  std::vector<DmlNamedValue> values;
  for (const auto &[name, value] : options.compilerOptions)
    values.push_back({name.c_str(), value.c_str()});
  info.options = values.data();
  info.optionCount = static_cast<uint32_t>(values.size());
  DmlBytes bytes{};
  detail::check(dmlCompileModel, &info, &bytes);
  return detail::takeBytes(bytes);
}

} // namespace dml

#endif // DML_SESSION_HPP
