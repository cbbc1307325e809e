//===- Fallback.h - A partition on the CPU ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_FALLBACK_H
#define DML_LIB_PROVIDER_FALLBACK_H

#include "CpuSession.h"
#include "Memory.h"
#include "Model.h"
#include <deque>

namespace dml::provider {

/// A session of ONNX Runtime's CPU provider for a partition. It runs the
/// partition at sizes that dml refuses, since a partition cannot be given back
/// once the model runs. May be used from many threads at once.
class Fallback {
public:
  /// Creates the session. The weights of `graph` must exist as long.
  Fallback(const Graph &graph, const Part &part, const DeviceMemory &memory);
  Fallback(const Fallback &) = delete;
  Fallback &operator=(const Fallback &) = delete;

  /// Runs the partition. The kernel has the inputs and outputs of the part, in
  /// their order, but for weights behind its own inputs.
  void run(OrtKernelContext *kernel) const;

private:
  void addWeight(const Value &value);
  /// Returns the tensor in host memory. `copy` receives one of a device.
  Owned<OrtValue> toHost(const OrtValue *value, std::string &copy) const;
  void giveOutput(OrtKernelContext *kernel, size_t index,
                  const OrtValue *result) const;

  const DeviceMemory &memory;
  CpuSession session;
  /// The places of the inputs that are no weights among those of the kernel.
  std::vector<size_t> places;
  /// The names of the session's inputs, which end with large weights, and of
  /// its outputs.
  std::vector<std::string> inputs, outputs;
  /// Large weights, and the elements of those that are in files.
  std::vector<Owned<OrtValue>> weights;
  std::deque<std::string> elements;
};

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_FALLBACK_H
