//===- dml/session.hpp - Sessions for C++ -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// dml/session.h for C++17: handles that destroy themselves, vectors, and
// exceptions. Nothing but this header and libdml is needed.
//
//   dml::Session session("model.onnx");
//   std::vector<float> pixels(3 * 224 * 224);
//   auto results = session.run({{"image", {1, 3, 224, 224}, pixels}});
//   std::vector<float> scores = results[0].copy<float>();
//
//===----------------------------------------------------------------------===//

#ifndef DML_SESSION_HPP
#define DML_SESSION_HPP

#include "dml/session.h"

#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dml {

/// What a call of a session fails with.
class Error : public std::runtime_error {
public:
  Error(DmlResult result, const std::string &message)
      : std::runtime_error(message), code(result) {}
  DmlResult result() const { return code; }

private:
  DmlResult code;
};

/// The data type of elements of the C++ type `T`.
template <typename T> constexpr DmlDataType getDataType() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, long double>,
                "no tensor has elements of this type");
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? DML_DATA_TYPE_FLOAT32 : DML_DATA_TYPE_FLOAT64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? DML_DATA_TYPE_INT8
           : sizeof(T) == 2 ? DML_DATA_TYPE_INT16
           : sizeof(T) == 4 ? DML_DATA_TYPE_INT32
                            : DML_DATA_TYPE_INT64;
  else
    return sizeof(T) == 1   ? DML_DATA_TYPE_UINT8
           : sizeof(T) == 2 ? DML_DATA_TYPE_UINT16
           : sizeof(T) == 4 ? DML_DATA_TYPE_UINT32
                            : DML_DATA_TYPE_UINT64;
}

/// An input of a run. The elements stay the caller's until the run ends.
struct Input {
  template <typename T>
  Input(std::string name, std::vector<int64_t> sizes,
        const std::vector<T> &elements)
      : Input(std::move(name), getDataType<T>(), std::move(sizes),
              elements.data(), elements.size() * sizeof(T)) {}
  /// Elements of a type that C++ has none for, such as halves.
  Input(std::string name, DmlDataType dataType, std::vector<int64_t> sizes,
        const void *data, size_t byteSize)
      : name(std::move(name)), dataType(dataType), sizes(std::move(sizes)),
        data(data), byteSize(byteSize) {}
  /// Elements in a buffer of the session's device.
  Input(std::string name, DmlDataType dataType, std::vector<int64_t> sizes,
        const DmlBufferRange &buffer)
      : name(std::move(name)), dataType(dataType), sizes(std::move(sizes)),
        buffer(buffer) {}

  std::string name;
  DmlDataType dataType;
  std::vector<int64_t> sizes;
  const void *data = nullptr;
  size_t byteSize = 0;
  DmlBufferRange buffer{};
};

/// An output of a run, with memory of its own.
class Output {
public:
  explicit Output(const DmlSessionTensor &tensor) : tensor(tensor) {}
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
  /// Whether the model says how many dimensions there are.
  bool hasRank = true;
  /// -1 for a size that the model leaves open, which `dimensionNames` names.
  std::vector<int64_t> sizes;
  std::vector<std::string> dimensionNames;
};

/// What DmlSessionCreateInfo has beside the model.
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
  void *userData = nullptr;
};

/// A model, ready to run. May be used from many threads at once.
class Session {
public:
  explicit Session(const std::string &path, const SessionOptions &options = {})
      : Session(
            open([&](DmlSessionCreateInfo &info) { info.path = path.c_str(); },
                 options)) {}
  /// Bytes that must live as long as the session.
  Session(const void *bytes, size_t size, const SessionOptions &options = {})
      : Session(open(
            [&](DmlSessionCreateInfo &info) {
              info.bytes = bytes;
              info.byteSize = size;
            },
            options)) {}
  /// Whatever else DmlSessionCreateInfo can say.
  explicit Session(const DmlSessionCreateInfo &info) {
    DmlSession session = nullptr;
    check(dmlCreateSession, &info, &session);
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
    check(dmlGetSessionInfo, handle.get(), &info);
    return info;
  }

  /// Runs the model; the results are in the order of the model's outputs. An
  /// input whose name is "" is the one of its place.
  std::vector<Output> run(const std::vector<Input> &inputs) const {
    std::vector<DmlSessionTensor> tensors = convert(inputs);
    std::vector<DmlSessionTensor> results(info().outputCount);
    check(dmlRunSession, handle.get(), tensors.data(),
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
    check(dmlPrepareSession, handle.get(), tensors.data(),
          static_cast<uint32_t>(tensors.size()), nullptr, 0u);
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
    info.userData = options.userData;
    return Session(info);
  }

  template <typename Fn, typename... Args>
  static void check(Fn function, Args... args) {
    DmlError error = nullptr;
    DmlResult result = function(args..., &error);
    if (result == DML_SUCCESS)
      return;
    std::string message = dmlGetErrorMessage(error);
    dmlDestroyError(error);
    throw Error(result, message);
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
      check(getTensor, handle.get(), i, &info);
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

  struct Destroy {
    void operator()(DmlSessionImpl *session) const {
      dmlDestroySession(session);
    }
  };
  std::unique_ptr<DmlSessionImpl, Destroy> handle;
};

} // namespace dml

#endif // DML_SESSION_HPP
