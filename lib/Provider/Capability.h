//===- Capability.h - Which nodes the provider takes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_CAPABILITY_H
#define DML_LIB_PROVIDER_CAPABILITY_H

#include "Model.h"
#include "Options.h"

namespace dml::provider {

/// What the provider takes of a graph.
struct Capability {
  /// The partitions. Part::constants are the inputs that each needs when a
  /// program is compiled.
  std::vector<Part> partitions;
  /// For each node that stays with ONNX Runtime, why; "" for other nodes.
  std::vector<std::string> problems;
};

/// Decides which nodes of a graph the provider takes:
///
/// 1. A node is taken if the importer can read it, and, with
///    `partitioning=directml`, if ONNX Runtime's provider for DirectML takes
///    it.
/// 2. Neighbouring nodes become a partition, which is read once more by itself.
///    What it needs as a constant and another partition or ONNX Runtime
///    computes is given to it when it runs (Part::constants); a node that is
///    refused nevertheless is given back.
/// 3. Nodes that a partition computes when it is compiled, as it does with
///    shapes, and that none of its other nodes reads, are given back.
/// 4. With `partitioning=auto`, a partition that is not worth its copies
///    (isWorthwhile) is given back.
Capability findCapability(const Graph &graph, const Options &options,
                          const Speeds &speeds);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_CAPABILITY_H
