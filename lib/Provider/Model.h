//===- Model.h - From a graph of ONNX Runtime to dml's model ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_MODEL_H
#define DML_LIB_PROVIDER_MODEL_H

#include "Graph.h"

namespace dml::provider {

/// The elements of a small tensor of integers that a model has as a constant.
using Elements = std::vector<int64_t>;

/// What becomes a model: nodes of a graph, and the values between them and the
/// rest of the graph.
struct Part {
  std::vector<uint32_t> nodes;
  std::vector<ValueIndex> inputs, outputs;
  /// Inputs whose elements the nodes need when a program is compiled, such as
  /// the sizes of a Reshape, with their elements.
  std::map<ValueIndex, Elements> constants;
  /// Shapes that inputs have instead of those that the graph declares.
  std::map<ValueIndex, std::vector<int64_t>> shapes;
  /// The outputs that are scalars, which a session returns with one dimension.
  std::vector<ValueIndex> scalars;
};

/// How a model is built.
enum class ModelKind {
  /// For a survey: values between nodes are declared, and open sizes keep their
  /// names.
  Survey,
  /// For a session. No size has a name, since ONNX Runtime does not insist that
  /// sizes with one name are equal.
  Session,
};

/// Builds the model of a part. Weights are not copied: they stay where the
/// graph has them. `identifier` identifies the weights of the model, or is "".
dml::Model buildModel(const Graph &graph, const Part &part, ModelKind kind,
                      const std::string &identifier = "");

/// The part that is the whole graph.
Part getWhole(const Graph &graph);

/// The part of `nodes`, which are in ascending order. Constants and shapes are
/// empty.
Part getPart(const Graph &graph, std::vector<uint32_t> nodes);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_MODEL_H
