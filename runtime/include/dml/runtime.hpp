//===- dml/runtime.hpp - The runtime for C++ --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// dml/runtime.h for C++17: handles that destroy themselves. A handle converts
// to that of C, so that every function of dml/runtime.h takes it.
//
//   auto instance = dml::Instance::create();
//   auto device = dml::Device::create(instance);
//   auto executable = dml::Executable::open("padding.dmlx");
//   auto program = dml::Program::create(device, executable);
//   std::vector<float> in(16, 1.5f), out(80);
//   program.run(0, {dml::host(in)}, {dml::host(out)});
//
// These functions throw dml::Error. Where the compiler has exceptions turned
// off, they are missing, and the functions of C fill handles and errors:
//
//   dml::Executable executable;
//   dml::ErrorHandle failure;
//   if (dmlCreateExecutableFromFile(path, executable.out(), failure.out()))
//     std::puts(failure.message());
//
// Ownership and threads are as dml/runtime.h says: an object keeps alive what
// it was made from, so that handles may be destroyed in any order.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_HPP
#define DML_RUNTIME_HPP

#include "dml/runtime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

namespace dml {

//===----------------------------------------------------------------------===//
// Handles and errors
//===----------------------------------------------------------------------===//

/// Owns a handle of C, or none.
template <typename Raw, void (*destroy)(Raw)> class Handle {
public:
  Handle() = default;
  /// Takes a handle over.
  explicit Handle(Raw taken) : handle(taken) {}
  ~Handle() { destroy(handle); }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  Handle(Handle &&other) noexcept : handle(other.release()) {}
  /// The other object receives the handle that this object owned, and destroys
  /// it in its turn.
  Handle &operator=(Handle &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }

  Raw get() const { return handle; }
  operator Raw() const { return handle; }
  explicit operator bool() const { return handle != nullptr; }

  /// The place for a handle that a function creates. What was owned before is
  /// destroyed.
  Raw *out() {
    destroy(release());
    return &handle;
  }
  /// Hands the handle over to the caller, who destroys it.
  Raw release() { return std::exchange(handle, nullptr); }

private:
  Raw handle = nullptr;
};

/// The error of a call of C, or none.
class ErrorHandle : public Handle<DmlError, dmlDestroyError> {
public:
  DmlResult result() const {
    return get() ? dmlGetErrorResult(get()) : DML_SUCCESS;
  }
  /// One line without a newline at its end, or "".
  const char *message() const { return dmlGetErrorMessage(get()); }
};

#ifdef __cpp_exceptions
/// The exception that a call throws when it fails.
class Error : public std::runtime_error {
public:
  Error(DmlResult result, const std::string &message)
      : std::runtime_error(message), code(result) {}
  DmlResult result() const { return code; }

private:
  DmlResult code;
};

namespace detail {
/// Calls a function of C with `args` and an error, and throws what the call
/// fails with.
template <typename Fn, typename... Args> void check(Fn function, Args... args) {
  ErrorHandle failure;
  DmlResult result = function(args..., failure.out());
  if (result != DML_SUCCESS)
    throw Error(result, failure.message());
}
} // namespace detail
#endif

//===----------------------------------------------------------------------===//
// Tensors on the host
//===----------------------------------------------------------------------===//

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

/// The elements of a vector, which the call reads or writes.
template <typename T> DmlHostTensor host(std::vector<T> &elements) {
  return {elements.data(), elements.size() * sizeof(T)};
}
/// The same for an input, which no call writes.
template <typename T> DmlHostTensor host(const std::vector<T> &elements) {
  return {const_cast<T *>(elements.data()), elements.size() * sizeof(T)};
}

//===----------------------------------------------------------------------===//
// The runtime's objects
//===----------------------------------------------------------------------===//

/// The Vulkan loader and the physical devices that it finds.
class Instance : public Handle<DmlInstance, dmlDestroyInstance> {
public:
  using Handle::Handle;
  uint32_t deviceCount() const { return dmlGetDeviceCount(get()); }

#ifdef __cpp_exceptions
  static Instance create(const DmlInstanceCreateInfo &info = {}) {
    Instance instance;
    detail::check(dmlCreateInstance, &info, instance.out());
    return instance;
  }
  DmlDeviceInfo deviceInfo(uint32_t index) const {
    DmlDeviceInfo info{};
    detail::check(dmlGetDeviceInfo, get(), index, &info);
    return info;
  }
  uint32_t findDevice(const std::string &selector) const {
    uint32_t index = 0;
    detail::check(dmlFindDevice, get(), selector.c_str(), &index);
    return index;
  }
#endif
};

/// A VkDevice and a queue.
class Device : public Handle<DmlDevice, dmlDestroyDevice> {
public:
  using Handle::Handle;
  DmlDeviceInfo info() const {
    DmlDeviceInfo info{};
    dmlGetDeviceProperties(get(), &info);
    return info;
  }
  DmlVulkanDevice vulkan() const {
    DmlVulkanDevice info{};
    dmlGetVulkanDevice(get(), &info);
    return info;
  }

#ifdef __cpp_exceptions
  static Device create(DmlInstance instance,
                       const DmlDeviceCreateInfo &info = {}) {
    Device device;
    detail::check(dmlCreateDevice, instance, &info, device.out());
    return device;
  }
  /// A device of an engine, which must outlive everything made from it.
  static Device adopt(const DmlVulkanDevice &info) {
    Device device;
    detail::check(dmlAdoptDevice, &info, device.out());
    return device;
  }
  std::vector<uint8_t> pipelineCache() const {
    size_t size = 0;
    detail::check(dmlGetPipelineCacheData, get(), &size,
                  static_cast<void *>(nullptr));
    std::vector<uint8_t> bytes(size);
    detail::check(dmlGetPipelineCacheData, get(), &size,
                  static_cast<void *>(bytes.data()));
    bytes.resize(size);
    return bytes;
  }
  void setPipelineCache(const std::vector<uint8_t> &bytes) const {
    detail::check(dmlSetPipelineCacheData, get(),
                  static_cast<const void *>(bytes.data()), bytes.size());
  }
#endif
};

/// What a VkDevice needs that dml is to use.
class DeviceRequirements
    : public Handle<DmlDeviceRequirements, dmlDestroyDeviceRequirements> {
public:
  using Handle::Handle;
  DmlDeviceRequirementsInfo info() const {
    DmlDeviceRequirementsInfo info{};
    dmlDescribeDeviceRequirements(get(), &info);
    return info;
  }

#ifdef __cpp_exceptions
  static DeviceRequirements create(const DmlDeviceRequest &request) {
    DeviceRequirements requirements;
    detail::check(dmlGetDeviceRequirements, &request, requirements.out());
    return requirements;
  }
#endif
};

/// The verified contents of a file. Strings and sizes in the structures that it
/// returns live as long as the executable.
class Executable : public Handle<DmlExecutable, dmlDestroyExecutable> {
public:
  using Handle::Handle;
  DmlExecutableInfo info() const {
    DmlExecutableInfo info{};
    dmlGetExecutableInfo(get(), &info);
    return info;
  }

#ifdef __cpp_exceptions
  static Executable open(const std::string &path) {
    Executable executable;
    detail::check(dmlCreateExecutableFromFile, path.c_str(), executable.out());
    return executable;
  }
  static Executable read(const void *data, size_t size,
                         const DmlExecutableCreateInfo &info = {}) {
    Executable executable;
    detail::check(dmlCreateExecutable, data, size, &info, executable.out());
    return executable;
  }
  uint32_t findFunction(const std::string &name) const {
    uint32_t function = 0;
    detail::check(dmlFindFunction, get(), name.c_str(), &function);
    return function;
  }
  uint32_t findWeight(const std::string &name) const {
    uint32_t weight = 0;
    detail::check(dmlFindWeight, get(), name.c_str(), &weight);
    return weight;
  }
  DmlFunctionInfo function(uint32_t function) const {
    DmlFunctionInfo info{};
    detail::check(dmlGetFunctionInfo, get(), function, &info);
    return info;
  }
  std::vector<DmlTensorInfo> inputs(uint32_t index) const {
    return describe(dmlGetInputInfo, index, function(index).inputCount);
  }
  std::vector<DmlTensorInfo> outputs(uint32_t index) const {
    return describe(dmlGetOutputInfo, index, function(index).outputCount);
  }
  std::vector<DmlWeightInfo> weights() const {
    std::vector<DmlWeightInfo> weights(info().weightCount);
    for (uint32_t i = 0; i < weights.size(); ++i)
      detail::check(dmlGetWeightInfo, get(), i, &weights[i]);
    return weights;
  }

private:
  template <typename Fn>
  std::vector<DmlTensorInfo> describe(Fn getTensor, uint32_t function,
                                      uint32_t count) const {
    std::vector<DmlTensorInfo> tensors(count);
    for (uint32_t i = 0; i < count; ++i)
      detail::check(getTensor, get(), function, i, &tensors[i]);
    return tensors;
  }
#endif
};

/// An executable on a device: pipelines, constants and weights.
class Program : public Handle<DmlProgram, dmlDestroyProgram> {
public:
  using Handle::Handle;

#ifdef __cpp_exceptions
  static Program create(DmlDevice device, DmlExecutable executable) {
    Program program;
    detail::check(dmlCreateProgram, device, executable, program.out());
    return program;
  }
  void bindWeight(uint32_t weight, const DmlHostTensor &tensor) const {
    detail::check(dmlBindWeight, get(), weight,
                  static_cast<const void *>(tensor.data), tensor.size);
  }
  void bindWeight(uint32_t weight, const std::string &path,
                  uint64_t offset) const {
    detail::check(dmlBindWeightFromFile, get(), weight, path.c_str(), offset);
  }
  /// Is called when all weights are bound, and again when some are replaced.
  void initialize() const { detail::check(dmlInitializeProgram, get()); }
  /// Runs a function on host memory, and waits for it.
  void run(uint32_t function, const std::vector<DmlHostTensor> &inputs,
           const std::vector<DmlHostTensor> &outputs) const {
    detail::check(dmlRunFunction, get(), function, inputs.data(),
                  static_cast<uint32_t>(inputs.size()), outputs.data(),
                  static_cast<uint32_t>(outputs.size()));
  }
#endif
};

/// A buffer with memory of its own.
class Buffer : public Handle<DmlBuffer, dmlDestroyBuffer> {
public:
  using Handle::Handle;
  DmlBufferInfo info() const {
    DmlBufferInfo info{};
    dmlGetBufferInfo(get(), &info);
    return info;
  }
  /// The whole buffer.
  DmlBufferRange range() const {
    DmlBufferInfo buffer = info();
    return {buffer.buffer, 0, buffer.size};
  }

#ifdef __cpp_exceptions
  static Buffer create(DmlDevice device, uint64_t size,
                       DmlMemory memory = DML_MEMORY_DEVICE) {
    Buffer buffer;
    detail::check(dmlCreateBuffer, device, size, memory, buffer.out());
    return buffer;
  }
  void write(const DmlHostTensor &tensor, uint64_t offset = 0) const {
    detail::check(dmlWriteBuffer, get(), offset,
                  static_cast<const void *>(tensor.data), tensor.size);
  }
  void read(const DmlHostTensor &tensor, uint64_t offset = 0) const {
    detail::check(dmlReadBuffer, get(), offset, tensor.data, tensor.size);
  }
#endif
};

/// A function with its buffers, to be recorded or submitted.
class BindingTable : public Handle<DmlBindingTable, dmlDestroyBindingTable> {
public:
  using Handle::Handle;

#ifdef __cpp_exceptions
  static BindingTable create(DmlProgram program, uint32_t function,
                             bool timestamps = false) {
    DmlBindingTableCreateInfo info{};
    info.function = function;
    info.timestamps = timestamps;
    BindingTable table;
    detail::check(dmlCreateBindingTable, program,
                  static_cast<const DmlBindingTableCreateInfo *>(&info),
                  table.out());
    return table;
  }
  void bindInput(uint32_t input, const DmlBufferRange &range) const {
    detail::check(dmlBindInput, get(), input, &range);
  }
  void bindOutput(uint32_t output, const DmlBufferRange &range) const {
    detail::check(dmlBindOutput, get(), output, &range);
  }
  void bindTemporary(const DmlBufferRange &range) const {
    detail::check(dmlBindTemporary, get(), &range);
  }
  /// Makes temporary memory of the table's own.
  void bindTemporary() const {
    detail::check(dmlBindTemporary, get(),
                  static_cast<const DmlBufferRange *>(nullptr));
  }
  void record(VkCommandBuffer commandBuffer) const {
    detail::check(dmlRecordFunction, get(), commandBuffer);
  }
  void record(VkCommandBuffer commandBuffer, uint32_t firstStep,
              uint32_t stepCount) const {
    detail::check(dmlRecordSteps, get(), commandBuffer, firstStep, stepCount);
  }
  void submit(const DmlSubmitInfo &info = {}) const {
    detail::check(dmlSubmit, get(), &info);
  }
  void wait(uint64_t timeoutNanoseconds = UINT64_MAX) const {
    detail::check(dmlWait, get(), timeoutNanoseconds);
  }
#endif
};

} // namespace dml

#endif // DML_RUNTIME_HPP
