//===- Measurer.cpp - The work of nodes -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Measurer.h"
#include <algorithm>
#include <cmath>

using namespace dml::provider;

double Measurer::countElements(ValueIndex value) const {
  if (value == noValue)
    return 0;
  const Survey::TensorResult *tensor = survey.findTensor(value);
  double count = 1;
  for (int64_t size : tensor ? tensor->sizes : graph.values[value].sizes)
    count *= static_cast<double>(std::max<int64_t>(size, 1));
  return count;
}

double Measurer::countBytes(ValueIndex value) const {
  if (value == noValue)
    return 0;
  return countElements(value) *
         static_cast<double>(getBits(graph.values[value].type)) / 8;
}

/// The operations of a node: two for each term of a sum of products, and else
/// one for each element of its first output. The sums of products of A (rows x
/// terms) and B (terms x columns) have sqrt(|A| |B| |A B|) terms in total.
double Measurer::countOperations(const Node &node) const {
  auto element = [&](const std::vector<ValueIndex> &values, size_t index) {
    return index < values.size() ? countElements(values[index]) : 0;
  };
  double outputs = element(node.outputs, 0);
  auto contains = [&](const char *text) {
    return node.type.find(text) != std::string::npos;
  };
  if (contains("MatMul") || contains("Gemm") || contains("Attention"))
    return 2 * std::sqrt(element(node.inputs, 0) * outputs *
                         std::max(element(node.inputs, 1), 1.0));
  if (contains("Conv") && node.inputs.size() > 1 && node.inputs[1] != noValue &&
      !graph.values[node.inputs[1]].sizes.empty()) {
    // Each output element is a sum over a filter.
    auto filters = static_cast<double>(
        std::max<int64_t>(graph.values[node.inputs[1]].sizes[0], 1));
    return 2 * outputs * element(node.inputs, 1) / filters;
  }
  return outputs;
}

Work Measurer::measureNodes(const std::vector<uint32_t> &nodes) const {
  Work work;
  for (uint32_t index : nodes) {
    const Node &node = graph.nodes[index];
    if (!node.graphs.empty()) {
      work += node.innerWork;
      continue;
    }
    if (survey.getNode(index).isFolded)
      continue;
    ++work.nodes;
    work.operations += countOperations(node);
    for (const auto *values : {&node.inputs, &node.outputs})
      for (ValueIndex value : *values)
        work.bytes += countBytes(value);
  }
  return work;
}
