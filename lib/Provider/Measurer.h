//===- Measurer.h - The work of nodes ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_MEASURER_H
#define DML_LIB_PROVIDER_MEASURER_H

#include "Partitions.h"
#include "Survey.h"

namespace dml::provider {

/// Measures the work of nodes, at the sizes of a survey.
class Measurer {
public:
  Measurer(const Graph &graph, const Survey &survey)
      : graph(graph), survey(survey) {}

  /// The work of nodes, without Work::copiedBytes. The work of a node with
  /// graphs within it is that of one iteration, or of the branch with more.
  Work measureNodes(const std::vector<uint32_t> &nodes) const;
  double countBytes(ValueIndex value) const;

private:
  double countElements(ValueIndex value) const;
  double countOperations(const Node &node) const;

  const Graph &graph;
  const Survey &survey;
};

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_MEASURER_H
