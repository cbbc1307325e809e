//===- Capability.cpp - Which nodes the provider takes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Capability.h"
#include "Measurer.h"
#include <algorithm>
#include <cstdio>
#include <set>

using namespace dml;
using namespace dml::provider;

namespace {
/// Finds out what the provider takes of a graph.
class Finder {
public:
  Finder(const Graph &graph, const Options &options, const Speeds &speeds)
      : graph(graph), options(options), speeds(speeds),
        survey(surveyAtBest(graph, getWhole(graph), options.featureLevel)),
        problems(graph.nodes.size()) {}

  Capability run();

private:
  void chooseNodes();
  bool isTaken(uint32_t node) const { return problems[node].empty(); }
  std::vector<Part> makeParts() const;
  Part makePart(std::vector<uint32_t> nodes) const;
  bool giveBackRefused(const Part &part);
  bool giveBackFolded(const Part &part);
  bool giveBackSmall(const Part &part);
  bool giveBackEmpty(const Part &part);
  Work measure(const Part &part) const;

  const Graph &graph;
  const Options &options;
  const Speeds &speeds;
  Survey survey;
  std::vector<std::string> problems;
};
} // namespace

void Finder::chooseNodes() {
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Survey::NodeResult &result = survey.getNode(i);
    problems[i] = result.problem;
    if (problems[i].empty() && options.partitioning == Partitioning::DirectML)
      problems[i] = result.notTaken;
  }
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

/// For each node, the nodes whose results it and the graphs within it read.
static Edges getEdges(const Graph &graph) {
  Edges edges(graph.nodes.size());
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &node = graph.nodes[i];
    for (const auto *values : {&node.inputs, &node.implicitInputs})
      for (ValueIndex value : *values)
        if (value != noValue && graph.producers[value])
          edges[i].push_back(*graph.producers[value]);
  }
  return edges;
}

Part Finder::makePart(std::vector<uint32_t> nodes) const {
  Part part = getPart(graph, std::move(nodes));
  for (ValueIndex input : part.inputs) {
    const Survey::TensorResult *tensor = survey.findTensor(input);
    if (!tensor || graph.values[input].weight)
      continue;
    part.shapes[input] = tensor->sizes;
    // The survey has computed the elements from shapes. A run computes them
    // from its own.
    if (tensor->isConstant && tensor->elements)
      part.constants[input] = *tensor->elements;
  }
  for (ValueIndex output : part.outputs)
    if (const Survey::TensorResult *tensor = survey.findTensor(output);
        tensor && tensor->sizes.empty())
      part.scalars.push_back(output);
  return part;
}

std::vector<Part> Finder::makeParts() const {
  std::vector<bool> taken;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i)
    taken.push_back(isTaken(i));
  std::vector<Part> parts;
  for (std::vector<uint32_t> &nodes : findPartitions(getEdges(graph), taken))
    parts.push_back(makePart(std::move(nodes)));
  return parts;
}

/// Reads a part by itself, and gives the nodes back that are refused.
bool Finder::giveBackRefused(const Part &part) {
  try {
    Survey own(graph, part, 1, options.featureLevel);
    bool isChanged = false;
    for (uint32_t node : part.nodes)
      if (!own.getNode(node).problem.empty()) {
        problems[node] = own.getNode(node).problem;
        isChanged = true;
      }
    return isChanged;
  } catch (const dml::Error &error) {
    for (uint32_t node : part.nodes)
      problems[node] = error.what();
    return true;
  }
}

/// Gives back the nodes whose results are known when a program is compiled, and
/// that no other node of the part reads.
bool Finder::giveBackFolded(const Part &part) {
  std::set<uint32_t> inside(part.nodes.begin(), part.nodes.end());
  bool isChanged = false;
  for (auto node = part.nodes.rbegin(); node != part.nodes.rend(); ++node) {
    if (!survey.getNode(*node).isFolded)
      continue;
    bool isRead = false;
    for (ValueIndex output : graph.nodes[*node].outputs)
      if (output != noValue)
        for (uint32_t reader : graph.readers[output])
          isRead |= inside.count(reader) != 0;
    if (isRead)
      continue;
    problems[*node] = "it computes with shapes for nodes that are not in its "
                      "partition, which the CPU does";
    inside.erase(*node);
    isChanged = true;
  }
  return isChanged;
}

/// Gives back nodes that would hand over a tensor without elements.
bool Finder::giveBackEmpty(const Part &part) {
  bool isChanged = false;
  for (ValueIndex output : part.outputs) {
    const Survey::TensorResult *tensor = survey.findTensor(output);
    if (!tensor || std::find(tensor->sizes.begin(), tensor->sizes.end(), 0) ==
                       tensor->sizes.end())
      continue;
    problems[*graph.producers[output]] =
        "its output '" + graph.values[output].name + "' has no elements";
    isChanged = true;
  }
  return isChanged;
}

//===----------------------------------------------------------------------===//
// The work of a partition
//===----------------------------------------------------------------------===//

Work Finder::measure(const Part &part) const {
  Measurer measurer(graph, survey);
  Work work = measurer.measureNodes(part.nodes);
  for (ValueIndex input : part.inputs)
    if (!graph.values[input].weight)
      work.copiedBytes += measurer.countBytes(input);
  for (ValueIndex output : part.outputs)
    work.copiedBytes += measurer.countBytes(output);
  return work;
}

bool Finder::giveBackSmall(const Part &part) {
  Work work = measure(part);
  if (isWorthwhile(work, speeds))
    return false;
  char text[160];
  std::snprintf(text, sizeof(text),
                "its partition of %zu nodes takes the CPU about %.0f us, but "
                "copies and submission %.0f us",
                part.nodes.size(), estimateCpuTime(work, speeds) * 1e6,
                estimateTransferTime(work, speeds) * 1e6);
  for (uint32_t node : part.nodes)
    problems[node] = text;
  return true;
}

Capability Finder::run() {
  chooseNodes();
  using Rule = bool (Finder::*)(const Part &);
  std::vector<Rule> rules = {&Finder::giveBackFolded, &Finder::giveBackRefused,
                             &Finder::giveBackEmpty};
  if (options.partitioning == Partitioning::Automatic)
    rules.push_back(&Finder::giveBackSmall);
  std::vector<Part> parts = makeParts();
  // Each round gives back one node at least, so that the rounds end. A graph
  // that takes more than a few is not worth the time.
  constexpr unsigned mostRounds = 32;
  unsigned rounds = 0;
  for (size_t rule = 0; rule < rules.size();) {
    if (++rounds > mostRounds) {
      for (const Part &part : parts)
        for (uint32_t node : part.nodes)
          problems[node] = "its graph falls into too many parts";
      return {{}, std::move(problems)};
    }
    bool isChanged = false;
    for (const Part &part : parts)
      isChanged |= (this->*rules[rule])(part);
    if (isChanged)
      parts = makeParts();
    rule = isChanged ? 0 : rule + 1;
  }
  return {std::move(parts), std::move(problems)};
}

Capability provider::findCapability(const Graph &graph, const Options &options,
                                    const Speeds &speeds) {
  return Finder(graph, options, speeds).run();
}
