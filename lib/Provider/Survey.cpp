//===- Survey.cpp - What dml says of a graph's nodes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Survey.h"
#include <algorithm>

using namespace dml;
using namespace dml::provider;

namespace {
struct SurveyDestroyer {
  void operator()(DmlSurvey survey) const { dmlDestroySurvey(survey); }
};
} // namespace

/// The number of elements of a tensor whose sizes are known.
static int64_t countElements(const DmlSurveyTensor &tensor) {
  int64_t count = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i)
    count *= tensor.sizes[i];
  return count;
}

/// Why nothing is known of an input of a node that is refused, or `problem`.
/// The model has a type of no operator for a tensor without a shape.
static std::string describeProblem(const Graph &graph, const Part &part,
                                   const Node &node, std::string problem) {
  if (problem.empty())
    return problem;
  for (ValueIndex input : node.inputs) {
    bool isInput = input != noValue &&
                   std::find(part.inputs.begin(), part.inputs.end(), input) !=
                       part.inputs.end();
    if (isInput && graph.values[input].isTensor &&
        !graph.values[input].hasShape && !part.shapes.count(input))
      return "the shape of '" + graph.values[input].name +
             "', which it reads, is known only when the model runs";
  }
  return problem;
}

Survey::Survey(const Graph &graph, const Part &part, int64_t openSize,
               const std::string &featureLevel)
    : openSize(openSize) {
  dml::Model model = buildModel(graph, part, ModelKind::Survey);
  DmlSurveyInfo info{};
  info.model = model.get();
  info.openSize = openSize;
  info.level = featureLevel.empty() ? nullptr : featureLevel.c_str();
  DmlSurvey handle = nullptr;
  dml::detail::check(dmlSurveyModel, &info, &handle);
  std::unique_ptr<DmlSurveyImpl, SurveyDestroyer> owned(handle);
  for (uint32_t i = 0; i < part.nodes.size(); ++i) {
    const Node &node = graph.nodes[part.nodes[i]];
    DmlSurveyNode found{};
    dml::detail::check(dmlGetSurveyNode, handle, i, &found);
    bool isSurveyed = node.problem.empty() && node.graphs.empty();
    nodes[part.nodes[i]] = {
        isSurveyed ? describeProblem(graph, part, node, found.problem)
                   : node.problem,
        found.notTaken, found.isFolded};
  }
  for (ValueIndex value = 0; value < graph.values.size(); ++value) {
    DmlSurveyTensor found{};
    if (dmlGetSurveyTensor(handle, graph.values[value].name.c_str(), &found,
                           nullptr) != DML_SUCCESS)
      continue;
    TensorResult &tensor = tensors[value];
    tensor.sizes.assign(found.sizes, found.sizes + found.rank);
    tensor.isConstant = found.isConstant;
    if (found.elements)
      tensor.elements.emplace(found.elements,
                              found.elements + countElements(found));
  }
}

uint32_t Survey::countProblems() const {
  uint32_t count = 0;
  for (const auto &[index, node] : nodes)
    count += !node.problem.empty();
  return count;
}

const Survey::TensorResult *Survey::findTensor(ValueIndex value) const {
  auto found = tensors.find(value);
  return found == tensors.end() ? nullptr : &found->second;
}

/// Whether the model of a part has an input with an open size.
static bool hasOpenSizes(const Graph &graph, const Part &part) {
  return std::any_of(
      part.inputs.begin(), part.inputs.end(), [&](ValueIndex input) {
        auto given = part.shapes.find(input);
        const std::vector<int64_t> &sizes = given == part.shapes.end()
                                                ? graph.values[input].sizes
                                                : given->second;
        return std::any_of(sizes.begin(), sizes.end(),
                           [](int64_t size) { return size < 0; });
      });
}

Survey provider::surveyAtBest(const Graph &graph, const Part &part,
                              const std::string &featureLevel) {
  Survey best(graph, part, 64, featureLevel);
  if (!hasOpenSizes(graph, part))
    return best;
  for (int64_t size : {1, 4096}) {
    if (best.countProblems() == 0)
      break;
    Survey other(graph, part, size, featureLevel);
    if (other.countProblems() < best.countProblems())
      best = std::move(other);
  }
  return best;
}
