//===- Survey.h - What dml says of a graph's nodes --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_SURVEY_H
#define DML_LIB_PROVIDER_SURVEY_H

#include "Model.h"

namespace dml::provider {

/// What dml says of the nodes of a part.
class Survey {
public:
  /// Surveys a part, with `openSize` in place of each open size. Throws a
  /// dml::Error where the part cannot be read at all.
  Survey(const Graph &graph, const Part &part, int64_t openSize,
         const std::string &featureLevel);

  struct NodeResult {
    std::string problem, notTaken;
    bool isFolded = false;
  };
  /// The node `index` of the graph, which is one of the part.
  const NodeResult &getNode(uint32_t index) const { return nodes.at(index); }
  uint32_t countProblems() const;

  struct TensorResult {
    std::vector<int64_t> sizes;
    bool isConstant = false;
    /// The elements of a small constant of integers.
    std::optional<Elements> elements;
  };
  /// The size that took the place of each open size.
  int64_t getOpenSize() const { return openSize; }
  /// What is known of a tensor, or null.
  const TensorResult *findTensor(ValueIndex value) const;

private:
  int64_t openSize;
  std::map<uint32_t, NodeResult> nodes;
  std::map<ValueIndex, TensorResult> tensors;
};

/// Surveys a part at the size for open dimensions at which the fewest nodes are
/// refused, of 64, 1 and 4,096. 64 fits networks of pictures, whose sizes are
/// halved again and again; at 1, sizes that a decoder adds up, such as those of
/// the past and of the new tokens, are broadcast; 4,096 is longer than windows
/// over sound.
Survey surveyAtBest(const Graph &graph, const Part &part,
                    const std::string &featureLevel);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_SURVEY_H
