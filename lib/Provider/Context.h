//===- Context.h - Partitions that are compiled ahead -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A model that was compiled ahead has a node EPContext of the domain
// com.microsoft in the place of each partition. The node contains the
// partition's executable (.dmlx), or the name of a file beside the model.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_CONTEXT_H
#define DML_LIB_PROVIDER_CONTEXT_H

#include "Graph.h"
#include "Options.h"

namespace dml::provider {

/// Whether a node is a partition that this provider has compiled.
bool isContext(const Node &node);

/// A partition that is compiled.
struct Compiled {
  std::string executable;
  /// Whether each output is a scalar, which the executable returns with one
  /// dimension.
  std::vector<bool> isScalar;
};

/// Reads such a node of `graph`. A file has a name without a folder, and is in
/// the folder of the model.
Compiled readContext(const Graph &graph, const Node &node);

/// Makes the node for the partition that became the node `fused` of a model in
/// the folder `folder`. ONNX Runtime owns the result.
OrtNode *makeContext(const OrtNode *fused, const Compiled &compiled,
                     const Options &options, const std::string &folder);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_CONTEXT_H
