//===- Partitions.h - Which nodes become one --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Nodes and values are numbers here, so that the rules can be tested without
// ONNX Runtime.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_PARTITIONS_H
#define DML_LIB_PROVIDER_PARTITIONS_H

#include <cstdint>
#include <vector>

namespace dml::provider {

/// For each node, in an order in which each stands behind those that it reads,
/// the nodes that it reads.
using Edges = std::vector<std::vector<uint32_t>>;

/// Divides the nodes that `isTaken` marks into partitions, each in ascending
/// order. Nodes that are connected by nodes that are taken are in one
/// partition, unless a node that is not taken stands between them: of a chain
/// A, B, C without B, A and C are two partitions, since one that had both
/// would have to run before B and behind B.
std::vector<std::vector<uint32_t>>
findPartitions(const Edges &reads, const std::vector<bool> &isTaken);

/// What the nodes of a partition do for one run.
struct Work {
  /// Additions and multiplications, each counted.
  double operations = 0;
  /// Bytes that the nodes read and write, weights included.
  double bytes = 0;
  /// The number of nodes that are not computed when a program is compiled.
  uint32_t nodes = 0;
  /// Bytes of the tensors that come from ONNX Runtime or go to it.
  double copiedBytes = 0;
  /// The number of submissions beyond the first one: for each If one, and for
  /// each Loop one for each iteration, of which one is counted.
  uint32_t moreSubmissions = 0;

  Work &operator+=(const Work &other);
};

/// What the estimates are made of. The numbers here are round figures of a
/// desktop's processor with eight cores and of PCI Express 4.0, for where
/// nothing was measured (Speeds.h).
struct Speeds {
  /// Of ONNX Runtime's CPU provider.
  double cpuOperationsPerSecond = 200e9;
  double cpuBytesPerSecond = 20e9;
  double cpuSecondsPerNode = 2e-6;
  /// Of copies between host and device, and of a submission and the wait for
  /// its end.
  double copiedBytesPerSecond = 10e9;
  double secondsPerSubmission = 50e-6;
};

/// The time in seconds that the CPU needs for the work, and the time of the
/// partition's copies and submissions. A partition of which the first is below
/// the second stays on the CPU.
double estimateCpuTime(const Work &work, const Speeds &speeds);
double estimateTransferTime(const Work &work, const Speeds &speeds);
inline bool isWorthwhile(const Work &work, const Speeds &speeds) {
  return estimateCpuTime(work, speeds) >= estimateTransferTime(work, speeds);
}

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_PARTITIONS_H
