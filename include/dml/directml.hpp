//===- dml/directml.hpp - DirectML without Direct3D -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// dml/directml.h for C++17. Two parts:
//
// dml::directml::Dispatch runs a model as DirectML dispatches an operator or a
// graph: it takes inputs and outputs by DirectML's numbers, those that DirectML
// owns once.
//
// Where Microsoft's DirectML.h is included before, dml::directml::createDevice
// makes an IDMLDevice1 whose CreateOperator, CompileOperator and CompileGraph
// are the functions of dml/directml.h, so that code that builds graphs by an
// IDMLDevice, such as DirectMLX.h, works as it is:
//
//   ComPtr<IDMLDevice1> device;
//   device.Attach(dml::directml::createDevice());
//   dml::Graph graph(device.Get());                     // of DirectMLX
//   auto x = dml::InputTensor(graph, 0, {DML_TENSOR_DATA_TYPE_FLOAT32, {4}});
//   auto compiled = graph.Compile(DML_EXECUTION_FLAG_NONE, {dml::Sqrt(x)});
//   dml::directml::Dispatch dispatch(dml::directml::getModel(compiled.Get()));
//   dispatch.run({input.data()}, {output.data()});
//
// There is no Direct3D: what DirectML binds to command lists and descriptor
// heaps (IDMLCommandRecorder, IDMLBindingTable, IDMLOperatorInitializer) is
// missing, and its functions return E_NOTIMPL.
//
// This header stands behind DirectML.h and before DirectMLX.h. For Linux,
// github.com/microsoft/DirectX-Headers has Microsoft's header, with what it
// needs of Windows. DirectMLX.h is in github.com/microsoft/DirectML; Clang
// compiles it, and GCC 12 does not.
//
//===----------------------------------------------------------------------===//

#ifndef DML_DIRECTML_HPP
#define DML_DIRECTML_HPP

#include "dml/directml.h"
#include "dml/runtime.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifdef __cpp_exceptions

namespace dml::directml {

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Runs a model of DirectML's structures. Functions throw dml::Error. Used by
/// one thread at a time.
class Dispatch {
public:
  /// Creates the session. `initial` has host memory for each input that
  /// DirectML owns (DML_TENSOR_FLAG_OWNED_BY_DML), by the number of the input,
  /// as DirectML's operator initializer takes it, and null or nothing for the
  /// others. The memory must remain valid as long as this object. `info` has
  /// further options; its model and its weights are set here. The model may be
  /// destroyed afterwards.
  explicit Dispatch(DmlModel model,
                    const std::vector<const void *> &initial = {},
                    DmlSessionCreateInfo info = {}) {
    DmlDescribedModelInfo counts{};
    dml::detail::check(dmlGetDescribedModelInfo, model, &counts);
    std::vector<DmlNamedBytes> weights;
    for (uint32_t i = 0; i < counts.inputCount; ++i) {
      DmlBindPoint point{};
      dml::detail::check(dmlGetInputBindPoint, model, i, &point);
      inputs.push_back(point);
      if (point.kind != DML_BIND_POINT_KIND_WEIGHT)
        continue;
      want(i < initial.size() && initial[i], "input", i,
           "is owned by DirectML, but has no memory among the initial inputs");
      weights.push_back(
          {point.name, initial[i], static_cast<size_t>(point.byteSize)});
    }
    for (uint32_t i = 0; i < counts.outputCount; ++i) {
      DmlBindPoint point{};
      dml::detail::check(dmlGetOutputBindPoint, model, i, &point);
      outputs.push_back(point);
    }
    info.model = model;
    info.weights = weights.data();
    info.weightCount = static_cast<uint32_t>(weights.size());
    DmlSession created = nullptr;
    dml::detail::check(dmlCreateSession,
                       static_cast<const DmlSessionCreateInfo *>(&info),
                       &created);
    session.reset(created);
  }

  /// What is bound to each input and output. The names are not valid any more.
  const std::vector<DmlBindPoint> &getInputs() const { return inputs; }
  const std::vector<DmlBindPoint> &getOutputs() const { return outputs; }
  DmlSession getSession() const { return session.get(); }

  /// Runs the model, and waits for it. There is host memory for each input and
  /// output by its number, of DmlBindPoint::byteSize bytes at least: null for
  /// an input to which nothing is bound, or that DirectML owns, and for an
  /// output that is not wanted.
  void run(const std::vector<const void *> &from,
           const std::vector<void *> &to) {
    std::vector<DmlSessionTensor> read, written;
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      const void *data = i < from.size() ? from[i] : nullptr;
      bool isRead = inputs[i].kind == DML_BIND_POINT_KIND_RUN;
      want(!isRead || data, "input", i, "has no memory");
      want(isRead || !data, "input", i,
           "has memory, but nothing is bound to it in a run");
      if (isRead)
        read.push_back(describe(inputs[i], const_cast<void *>(data)));
    }
    want(from.size() <= inputs.size(), "input",
         static_cast<uint32_t>(inputs.size()), "does not exist");
    want(to.size() <= outputs.size(), "output",
         static_cast<uint32_t>(outputs.size()), "does not exist");
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      want(outputs[i].kind == DML_BIND_POINT_KIND_RUN || i >= to.size() ||
               !to[i],
           "output", i, "has memory, but nothing is bound to it");
      if (outputs[i].kind == DML_BIND_POINT_KIND_RUN)
        written.push_back(
            describe(outputs[i], i < to.size() ? to[i] : nullptr));
    }
    dml::detail::check(dmlRunSession, session.get(),
                       static_cast<const DmlSessionTensor *>(read.data()),
                       static_cast<uint32_t>(read.size()), written.data(),
                       static_cast<uint32_t>(written.size()));
    // The session has allocated the outputs that have no memory.
    size_t next = 0;
    for (uint32_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].kind == DML_BIND_POINT_KIND_RUN) {
        DmlSessionTensor &tensor = written[next++];
        if (i >= to.size() || !to[i])
          dmlFreeTensor(&tensor);
      }
  }

private:
  struct Destroy {
    void operator()(DmlSession owned) const { dmlDestroySession(owned); }
  };

  static void want(bool holds, const char *kind, uint32_t index,
                   const char *problem) {
    if (!holds)
      throw Error(DML_ERROR_INVALID_ARGUMENT, std::string(kind) + " " +
                                                  std::to_string(index) + " " +
                                                  problem);
  }

  static DmlSessionTensor describe(const DmlBindPoint &point, void *data) {
    DmlSessionTensor tensor{};
    tensor.dataType = point.dataType;
    tensor.rank = point.rank;
    for (uint32_t dim = 0; dim < point.rank; ++dim)
      tensor.sizes[dim] = point.sizes[dim];
    tensor.data = data;
    tensor.byteSize = data ? static_cast<size_t>(point.byteSize) : 0;
    return tensor;
  }

  std::vector<DmlBindPoint> inputs, outputs;
  std::unique_ptr<DmlSessionImpl, Destroy> session;
};

} // namespace dml::directml

#endif // __cpp_exceptions

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

// DirectML.h's own guard, and the version that has graphs.
#if defined(DIRECTML_H) && defined(DML_TARGET_VERSION) &&                      \
    DML_TARGET_VERSION >= 0x2100

// On Linux, Microsoft's headers leave the identifiers of DirectML's interfaces
// to the program, which may define them itself.
#if defined(__CRT_UUID_DECL) && !defined(DML_NO_INTERFACE_IDENTIFIERS)
__CRT_UUID_DECL(IDMLObject, 0xc8263aac, 0x9e0c, 0x4a2d, 0x9b, 0x8e, 0x00, 0x75,
                0x21, 0xa3, 0x31, 0x7c)
__CRT_UUID_DECL(IDMLDevice, 0x6dbd6437, 0x96fd, 0x423f, 0xa9, 0x8c, 0xae, 0x5e,
                0x7c, 0x2a, 0x57, 0x3f)
__CRT_UUID_DECL(IDMLDevice1, 0xa0884f9a, 0xd2be, 0x4355, 0xaa, 0x5d, 0x59, 0x01,
                0x28, 0x1a, 0xd1, 0xd2)
__CRT_UUID_DECL(IDMLDeviceChild, 0x27e83142, 0x8165, 0x49e3, 0x97, 0x4e, 0x2f,
                0xd6, 0x6e, 0x4c, 0xb6, 0x9d)
__CRT_UUID_DECL(IDMLPageable, 0xb1ab0825, 0x4542, 0x4a4b, 0x86, 0x17, 0x6d,
                0xde, 0x6e, 0x8f, 0x62, 0x01)
__CRT_UUID_DECL(IDMLOperator, 0x26caae7a, 0x3081, 0x4633, 0x95, 0x81, 0x22,
                0x6f, 0xbe, 0x57, 0x69, 0x5d)
__CRT_UUID_DECL(IDMLDispatchable, 0xdcb821a8, 0x1039, 0x441e, 0x9f, 0x1c, 0xb1,
                0x75, 0x9c, 0x2f, 0x3c, 0xec)
__CRT_UUID_DECL(IDMLCompiledOperator, 0x6b15e56a, 0xbf5c, 0x4902, 0x92, 0xd8,
                0xda, 0x3a, 0x65, 0x0a, 0xfe, 0xa4)
#endif

#include <atomic>
#include <cstring>
#include <functional>

namespace dml::directml {

/// Receives the message of each call of a device that has failed, as DirectML's
/// debug layer prints one. It may be called from many threads at once.
using MessageFunction = std::function<void(const std::string &message)>;

namespace detail {

inline bool isEqual(const GUID &a, const GUID &b) {
  return std::memcmp(&a, &b, sizeof(GUID)) == 0;
}

/// Identifiers by which objects of this file know each other.
inline constexpr GUID operatorId = {
    0x3f0c6c1e,
    0x6a54,
    0x4b8e,
    {0x9d, 0x2a, 0x5e, 0x1b, 0x70, 0xc4, 0x88, 0x31}};
inline constexpr GUID modelId = {
    0x8e2d51a7,
    0x1c39,
    0x47f2,
    {0xa6, 0x0b, 0x93, 0xd8, 0x2f, 0x5c, 0x11, 0x6e}};

/// Whether `id` is that of one of the interfaces `Is`.
template <typename... Is> bool isOneOf(const GUID &id) {
  return (isEqual(id, __uuidof(Is)) || ...);
}

/// An object of DirectML that counts its references, and has no private data.
/// The object implements `Interface`, which extends the interfaces `Bases`.
template <typename Interface, typename... Bases>
class Object : public Interface {
public:
  virtual ~Object() = default;

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **result) override {
    if (!result)
      return E_POINTER;
    *result = nullptr;
    if (!isOneOf<Interface, Bases..., IDMLObject, IUnknown>(id))
      return E_NOINTERFACE;
    *result = static_cast<Interface *>(this);
    AddRef();
    return S_OK;
  }
  ULONG STDMETHODCALLTYPE AddRef() override { return ++references; }
  ULONG STDMETHODCALLTYPE Release() override {
    ULONG left = --references;
    if (left == 0)
      delete this;
    return left;
  }
  HRESULT STDMETHODCALLTYPE GetPrivateData(REFGUID, UINT *, void *) override {
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE SetPrivateData(REFGUID, UINT,
                                           const void *) override {
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE SetPrivateDataInterface(REFGUID,
                                                    IUnknown *) override {
    return E_NOTIMPL;
  }
  HRESULT STDMETHODCALLTYPE SetName(PCWSTR) override { return S_OK; }

private:
  std::atomic<ULONG> references = 1;
};

/// An object of a device, which it keeps.
template <typename Interface, typename... Bases>
class Child : public Object<Interface, Bases..., IDMLDeviceChild> {
public:
  explicit Child(IDMLDevice *device) : device(device) { device->AddRef(); }
  ~Child() override { device->Release(); }

  HRESULT STDMETHODCALLTYPE GetDevice(REFIID id, void **result) override {
    return device->QueryInterface(id, result);
  }

private:
  IDMLDevice *device;
};

class Operator : public Child<IDMLOperator> {
public:
  Operator(IDMLDevice *device, DmlOperator handle)
      : Child(device), handle(handle) {}
  ~Operator() override { dmlDestroyOperator(handle); }

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **result) override {
    if (!result || !isEqual(id, operatorId))
      return Child::QueryInterface(id, result);
    AddRef();
    *result = this;
    return S_OK;
  }

  const DmlOperator handle;
};

class CompiledOperator
    : public Child<IDMLCompiledOperator, IDMLDispatchable, IDMLPageable> {
public:
  CompiledOperator(IDMLDevice *device, DmlModel model)
      : Child(device), model(model) {}
  ~CompiledOperator() override { dmlDestroyModel(model); }

  HRESULT STDMETHODCALLTYPE QueryInterface(REFIID id, void **result) override {
    if (!result || !isEqual(id, modelId))
      return Child::QueryInterface(id, result);
    AddRef();
    *result = this;
    return S_OK;
  }
  // A session has memory of its own, and no descriptors.
  DML_BINDING_PROPERTIES STDMETHODCALLTYPE GetBindingProperties() override {
    return {};
  }

  const DmlModel model;
};

/// Returns the object of this file behind `object`, without a reference to it,
/// or null.
template <typename T> T *find(IUnknown *object, const GUID &id) {
  void *found = nullptr;
  if (!object || object->QueryInterface(id, &found) != S_OK)
    return nullptr;
  auto *result = static_cast<T *>(found);
  result->Release();
  return result;
}

class Device : public Object<IDMLDevice1, IDMLDevice> {
public:
  explicit Device(MessageFunction function) : report(std::move(function)) {}

  HRESULT STDMETHODCALLTYPE CheckFeatureSupport(DML_FEATURE feature, UINT size,
                                                const void *query,
                                                UINT resultSize,
                                                void *result) override;

  HRESULT STDMETHODCALLTYPE CreateOperator(const DML_OPERATOR_DESC *desc,
                                           REFIID id, void **result) override {
    DmlError error = nullptr;
    DmlOperator op = nullptr;
    if (dmlCreateOperator(desc, &op, &error) != DML_SUCCESS)
      return fail(error, result);
    return give(new Operator(this, op), id, result);
  }

  HRESULT STDMETHODCALLTYPE CompileOperator(IDMLOperator *op,
                                            DML_EXECUTION_FLAGS flags,
                                            REFIID id, void **result) override {
    auto *known = find<Operator>(op, operatorId);
    if (!known)
      return fail("CompileOperator: found an operator of another device, "
                  "wanted one of this device",
                  result);
    DmlDescribedModelCreateInfo info{};
    info.executionFlags = static_cast<uint32_t>(flags);
    DmlError error = nullptr;
    DmlModel model = nullptr;
    if (dmlCreateModelOfOperator(known->handle, &info, &model, &error) !=
        DML_SUCCESS)
      return fail(error, result);
    return give(new CompiledOperator(this, model), id, result);
  }

  HRESULT STDMETHODCALLTYPE CompileGraph(const DML_GRAPH_DESC *desc,
                                         DML_EXECUTION_FLAGS flags, REFIID id,
                                         void **result) override;

  HRESULT STDMETHODCALLTYPE CreateOperatorInitializer(
      UINT, IDMLCompiledOperator *const *, REFIID, void **result) override {
    return lack("CreateOperatorInitializer", result);
  }
  HRESULT STDMETHODCALLTYPE CreateCommandRecorder(REFIID,
                                                  void **result) override {
    return lack("CreateCommandRecorder", result);
  }
  HRESULT STDMETHODCALLTYPE CreateBindingTable(const DML_BINDING_TABLE_DESC *,
                                               REFIID, void **result) override {
    return lack("CreateBindingTable", result);
  }
  HRESULT STDMETHODCALLTYPE Evict(UINT, IDMLPageable *const *) override {
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE MakeResident(UINT, IDMLPageable *const *) override {
    return S_OK;
  }
  HRESULT STDMETHODCALLTYPE GetDeviceRemovedReason() override { return S_OK; }
  HRESULT STDMETHODCALLTYPE GetParentDevice(REFIID, void **result) override {
    return lack("GetParentDevice", result);
  }

private:
  HRESULT fail(const std::string &message, void **result,
               HRESULT code = E_INVALIDARG) {
    if (result)
      *result = nullptr;
    if (report)
      report(message);
    return code;
  }
  HRESULT fail(DmlError error, void **result) {
    std::string message = dmlGetErrorMessage(error);
    dmlDestroyError(error);
    return fail(message, result);
  }
  HRESULT lack(const char *function, void **result) {
    return fail(std::string(function) +
                    ": there is no Direct3D; dml::directml::Dispatch runs a "
                    "compiled operator",
                result, E_NOTIMPL);
  }
  /// Gives an object, which has one reference, to the caller. Without a place
  /// for it, the call was a check.
  template <typename T> HRESULT give(T *object, REFIID id, void **result) {
    HRESULT code = result ? object->QueryInterface(id, result) : HRESULT(S_OK);
    object->Release();
    return code;
  }

  MessageFunction report;
};

inline HRESULT Device::CheckFeatureSupport(DML_FEATURE feature, UINT size,
                                           const void *query, UINT resultSize,
                                           void *result) {
  if (feature == DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT) {
    DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT asked;
    DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT answer;
    if (!query || !result || size != sizeof(asked) ||
        resultSize != sizeof(answer))
      return fail("CheckFeatureSupport: found another size of the query or its "
                  "data, wanted those of the data type's structures",
                  nullptr);
    std::memcpy(&asked, query, sizeof(asked));
    constexpr unsigned lastDataType = DML_DATA_TYPE_INT4;
    unsigned type = static_cast<unsigned>(asked.DataType);
    answer.IsSupported = type >= 1 && type <= lastDataType;
    std::memcpy(result, &answer, sizeof(answer));
    return S_OK;
  }
  if (feature == DML_FEATURE_FEATURE_LEVELS) {
    DML_FEATURE_QUERY_FEATURE_LEVELS asked;
    DML_FEATURE_DATA_FEATURE_LEVELS answer;
    if (!query || !result || size != sizeof(asked) ||
        resultSize != sizeof(answer))
      return fail("CheckFeatureSupport: found another size of the query or its "
                  "data, wanted those of the feature levels' structures",
                  nullptr);
    std::memcpy(&asked, query, sizeof(asked));
    constexpr unsigned newestLevel = 0x6400;
    unsigned best = 0;
    for (UINT i = 0; i < asked.RequestedFeatureLevelCount; ++i) {
      auto level = static_cast<unsigned>(asked.RequestedFeatureLevels[i]);
      if (level <= newestLevel && level > best)
        best = level;
    }
    if (best == 0)
      return fail("CheckFeatureSupport: found no feature level up to 6_4, "
                  "wanted one",
                  nullptr);
    answer.MaxSupportedFeatureLevel = static_cast<DML_FEATURE_LEVEL>(best);
    std::memcpy(result, &answer, sizeof(answer));
    return S_OK;
  }
  return fail("CheckFeatureSupport: found the feature " +
                  std::to_string(static_cast<int>(feature)) +
                  ", wanted one of DML_FEATURE",
              nullptr);
}

inline HRESULT Device::CompileGraph(const DML_GRAPH_DESC *desc,
                                    DML_EXECUTION_FLAGS flags, REFIID id,
                                    void **result) {
  // Nodes refer to objects of this file; the graph that is read has their
  // handles in these places.
  std::vector<DML_GRAPH_NODE_DESC> nodes;
  std::vector<DML_OPERATOR_GRAPH_NODE_DESC> operators;
  DML_GRAPH_DESC graph{};
  if (desc) {
    graph = *desc;
    // The reader refuses more nodes.
    constexpr UINT mostNodes = 1 << 20;
    if (graph.Nodes && graph.NodeCount <= mostNodes) {
      nodes.assign(graph.Nodes, graph.Nodes + graph.NodeCount);
      operators.reserve(nodes.size());
      graph.Nodes = nodes.data();
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].Type != DML_GRAPH_NODE_TYPE_OPERATOR || !nodes[i].Desc)
        continue;
      DML_OPERATOR_GRAPH_NODE_DESC node;
      std::memcpy(&node, nodes[i].Desc, sizeof(node));
      auto *known = find<Operator>(node.Operator, operatorId);
      if (node.Operator && !known)
        return fail("Nodes[" + std::to_string(i) +
                        "].Desc.Operator: found an operator of another device, "
                        "wanted one of this device",
                    result);
      node.Operator =
          known ? reinterpret_cast<IDMLOperator *>(known->handle) : nullptr;
      operators.push_back(node);
      nodes[i].Desc = &operators.back();
    }
  }
  DmlDescribedModelCreateInfo info{};
  info.executionFlags = static_cast<uint32_t>(flags);
  DmlError error = nullptr;
  DmlModel model = nullptr;
  if (dmlCreateModelOfGraph(desc ? &graph : nullptr, &info, &model, &error) !=
      DML_SUCCESS)
    return fail(error, result);
  return give(new CompiledOperator(this, model), id, result);
}

} // namespace detail

/// Creates a device with one reference, which the caller owns (ComPtr::Attach).
/// It needs no GPU: sessions find theirs. Devices and their operators may be
/// used from many threads at once.
inline IDMLDevice1 *createDevice(MessageFunction report = nullptr) {
  return new detail::Device(std::move(report));
}

/// Returns the model behind a compiled operator or graph, which belongs to it,
/// or null if another device has made it.
inline DmlModel getModel(IDMLCompiledOperator *compiled) {
  auto *known =
      detail::find<detail::CompiledOperator>(compiled, detail::modelId);
  return known ? known->model : nullptr;
}

} // namespace dml::directml

#endif // DIRECTML_H

#endif // DML_DIRECTML_HPP
