//===- Provider.h - The provider's objects ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_PROVIDER_H
#define DML_LIB_PROVIDER_PROVIDER_H

#include "Computation.h"
#include "Devices.h"
#include "Memory.h"
#include "Speeds.h"

namespace dml::provider {

struct Capability;

/// The provider of one session. ONNX Runtime calls its functions from one
/// thread at a time, and runs of partitions from many.
class Provider : public OrtEp {
public:
  /// `memory` and `kernels`, which may be null, are the factory's.
  Provider(Options options, const Speeds &speeds,
           std::shared_ptr<DmlDeviceImpl> device, const DeviceMemory &memory,
           const OrtKernelRegistry *kernels, const OrtLogger *logger);

private:
  void findNodes(const OrtGraph *graph, OrtEpGraphSupportInfo *support);
  void logNodes(const Graph &graph, const Capability &capability) const;
  void compile(const OrtGraph **graphs, const OrtNode **nodes, size_t count,
               OrtNodeComputeInfo **computations, OrtNode **contexts);
  bool isMistaken(const OrtGraph *handle, const Graph &graph) const;
  bool isTakenAround(const OrtGraph *handle, const Graph &graph);
  bool addContexts(const Graph &graph, OrtEpGraphSupportInfo *support) const;

  std::shared_ptr<const Context> context;
  const OrtKernelRegistry *kernels;
  /// Why nodes with graphs within them stay with ONNX Runtime, by their first
  /// outputs. ONNX Runtime asks for the graphs first, and what the provider
  /// takes of them hides the reason.
  std::map<std::string, std::string> innerProblems;
  bool hasPartitions = false;
  /// What is known of the values of the partitions.
  Facts facts;
};

/// What makes providers. ONNX Runtime calls its functions from many threads.
class Factory : public OrtEpFactory {
public:
  explicit Factory(const OrtLogger *logger);

private:
  void listDevices(const OrtHardwareDevice *const *hardware, size_t count,
                   OrtEpDevice **devices, size_t most, size_t *found);
  OrtEp *createProvider(const OrtKeyValuePairs *const *metadata, size_t count,
                        const OrtSessionOptions *options,
                        const OrtLogger *logger);

  void setMemoryFunctions();
  OrtAllocator *createAllocator(const OrtMemoryInfo *info);
  const OrtKernelRegistry *getKernels();
  uint32_t findNumber(const OrtEpDevice *device) const;

  Log log;
  std::mutex mutex;
  Devices devices;
  DeviceMemory memory{devices};
  MeasuredSpeeds speeds;
  /// The kernels that copy tensors, or null before version 24.
  std::unique_ptr<OrtKernelRegistry, Releaser> kernels;
};

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_PROVIDER_H
