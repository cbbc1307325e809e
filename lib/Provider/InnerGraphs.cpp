//===- InnerGraphs.cpp - Nodes with graphs within them --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "InnerGraphs.h"
#include "Measurer.h"
#include <algorithm>
#include <cstdio>

using namespace dml;
using namespace dml::provider;

namespace {
/// Checks a node with graphs within it.
class Checker {
public:
  Checker(Graph &graph, Node &node, const Options &options,
          const Speeds &speeds)
      : graph(graph), node(node), options(options), speeds(speeds) {}

  /// Returns why the node stays with ONNX Runtime, or "".
  std::string run();
  /// Enters the shapes of the tensors that keep their sizes.
  void enterShapes();

private:
  using Sizes = std::vector<int64_t>;

  bool isType(const char *type) const {
    return node.domain.empty() && node.type == type;
  }
  std::string findInputProblem() const;
  std::string checkGraph(const Graph &inner);
  std::optional<Sizes> findFormalSizes(size_t index) const;
  Sizes getSizesWithoutAxis(size_t input, size_t scanned) const;
  size_t countScanned() const;
  std::string checkCarried(const Graph &inner, const Survey &survey) const;
  std::string checkWork() const;

  Graph &graph;
  Node &node;
  const Options &options;
  const Speeds &speeds;
};
} // namespace

/// Finds out why a value cannot be an input of a session, if it cannot.
static std::string findValueProblem(const Value &value) {
  if (!value.isTensor)
    return "'" + value.name + "' has a type that no DirectML tensor has";
  bool isKnown = value.hasShape;
  for (size_t i = 0; i < value.sizes.size(); ++i)
    isKnown &= value.sizes[i] >= 0 || !value.symbols[i].empty();
  if (!isKnown)
    return "the shape of '" + value.name +
           "', which it reads, is known only when the model runs";
  return "";
}

std::string Checker::findInputProblem() const {
  for (const auto *values : {&node.inputs, &node.implicitInputs})
    for (ValueIndex value : *values)
      if (value != noValue)
        if (std::string problem = findValueProblem(graph.values[value]);
            !problem.empty())
          return problem;
  return "";
}

//===----------------------------------------------------------------------===//
// The sizes of the graph's inputs
//===----------------------------------------------------------------------===//

static const NodeAttribute *findAttribute(const Node &node, const char *name) {
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

/// The number of inputs that a Scan scans.
size_t Checker::countScanned() const {
  const NodeAttribute *attribute = findAttribute(node, "num_scan_inputs");
  int64_t count = attribute ? attribute->integer : 0;
  auto most = static_cast<int64_t>(node.inputs.size());
  return static_cast<size_t>(std::clamp<int64_t>(count, 0, most));
}

/// The sizes of an element of a tensor that a Scan scans.
Checker::Sizes Checker::getSizesWithoutAxis(size_t input,
                                            size_t scanned) const {
  Sizes sizes = graph.values[node.inputs[input]].sizes;
  const NodeAttribute *axes = findAttribute(node, "scan_input_axes");
  int64_t axis =
      axes && scanned < axes->integers.size() ? axes->integers[scanned] : 0;
  auto rank = static_cast<int64_t>(sizes.size());
  if (axis < 0)
    axis += rank;
  if (axis >= 0 && axis < rank)
    sizes.erase(sizes.begin() + axis);
  return sizes;
}

/// The sizes of an input of the graph within the node in its first iteration.
std::optional<Checker::Sizes> Checker::findFormalSizes(size_t index) const {
  auto getOuter = [&](size_t input) -> std::optional<Sizes> {
    if (input >= node.inputs.size() || node.inputs[input] == noValue)
      return std::nullopt;
    return graph.values[node.inputs[input]].sizes;
  };
  if (isType("Loop"))
    return index < 2 ? Sizes() : getOuter(index);
  size_t states = node.inputs.size() - countScanned();
  if (index < states || index >= node.inputs.size())
    return getOuter(index);
  if (node.inputs[index] == noValue)
    return std::nullopt;
  return getSizesWithoutAxis(index, index - states);
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Checks that tensors which an iteration hands to the next one keep their
/// sizes.
std::string Checker::checkCarried(const Graph &inner,
                                  const Survey &survey) const {
  if (isType("If"))
    return "";
  // The body of a Loop has a condition behind the number of the iteration, and
  // the condition is the first of its outputs.
  size_t first = isType("Loop") ? 2 : 0, firstOutput = isType("Loop") ? 1 : 0;
  size_t end =
      isType("Loop") ? node.inputs.size() : node.inputs.size() - countScanned();
  for (size_t i = first; i < end && i < inner.inputs.size(); ++i) {
    size_t output = i - first + firstOutput;
    std::optional<Sizes> before = findFormalSizes(i);
    if (output >= inner.outputs.size() || !before)
      return "its body has too few outputs";
    for (int64_t &size : *before)
      size = size < 0 ? survey.getOpenSize() : size;
    const std::string &name = inner.values[inner.outputs[output]].name;
    const Survey::TensorResult *after =
        survey.findTensor(inner.outputs[output]);
    if (inner.outputs[output] == inner.inputs[i])
      continue;
    if (!after)
      return "the shape of '" + name +
             "', which an iteration hands on, is known only when the model "
             "runs";
    if (after->sizes != *before)
      return "'" + name +
             "', which an iteration hands on, has other sizes than before the "
             "iteration, and each of the sizes would need a program";
  }
  return "";
}

std::string Checker::checkGraph(const Graph &inner) {
  Part whole = getWhole(inner);
  for (size_t i = 0; i < inner.inputs.size(); ++i) {
    if (!inner.values[inner.inputs[i]].isTensor)
      return findValueProblem(inner.values[inner.inputs[i]]);
    if (std::optional<Sizes> sizes = findFormalSizes(i))
      whole.shapes[inner.inputs[i]] = *sizes;
  }
  for (ValueIndex output : inner.outputs)
    if (!inner.values[output].isTensor)
      return findValueProblem(inner.values[output]);
  Survey survey = surveyAtBest(inner, whole, options.featureLevel);
  for (uint32_t i = 0; i < inner.nodes.size(); ++i)
    if (const std::string &problem = survey.getNode(i).problem;
        !problem.empty())
      return "node '" + inner.nodes[i].name + "' (" + inner.nodes[i].type +
             ") within it: " + problem;
  Work work = Measurer(inner, survey).measureNodes(whole.nodes);
  ++work.moreSubmissions;
  if (estimateCpuTime(work, speeds) > estimateCpuTime(node.innerWork, speeds))
    node.innerWork = work;
  return checkCarried(inner, survey);
}

std::string Checker::checkWork() const {
  if (options.partitioning != Partitioning::Automatic)
    return "";
  double cpu = estimateCpuTime(node.innerWork, speeds);
  double submissions =
      node.innerWork.moreSubmissions * speeds.secondsPerSubmission;
  if (cpu >= submissions)
    return "";
  char text[160];
  std::snprintf(text, sizeof(text),
                "%s takes the CPU about %.0f us, but submissions %.0f us",
                isType("If") ? "a branch" : "an iteration", cpu * 1e6,
                submissions * 1e6);
  return text;
}

std::string Checker::run() {
  if (options.partitioning == Partitioning::DirectML)
    return "the provider takes no node with a graph within it";
  if (getApi().version < 27)
    return "ONNX Runtime before 1.27 does not hand over what a graph within a "
           "node reads";
  if (options.makesContext)
    return "a model that is compiled ahead has no branches and no loops";
  if (!isType("If") && !isType("Loop") && !isType("Scan"))
    return "the importer does not know it";
  std::string problem = findInputProblem();
  for (const InnerGraph &inner : node.graphs)
    if (problem.empty())
      problem = checkGraph(*inner.graph);
  return problem.empty() ? checkWork() : problem;
}

void Checker::enterShapes() {
  if (isType("If"))
    return;
  size_t first = isType("Loop") ? 2 : 0;
  size_t end =
      isType("Loop") ? node.inputs.size() : node.inputs.size() - countScanned();
  for (size_t i = first; i < end && i - first < node.outputs.size(); ++i) {
    ValueIndex output = node.outputs[i - first];
    if (output == noValue)
      continue;
    const Value &before = graph.values[node.inputs[i]];
    Value &behind = graph.values[output];
    behind.hasShape = true;
    behind.sizes = before.sizes;
    behind.symbols = before.symbols;
  }
}

void provider::checkInnerGraphs(Graph &graph, const Options &options,
                                const Speeds &speeds) {
  // An iteration of an inner loop counts as one of the loop around it.
  Options inner = options;
  if (inner.partitioning == Partitioning::Automatic)
    inner.partitioning = Partitioning::All;
  for (Node &node : graph.nodes) {
    if (node.graphs.empty() || !node.problem.empty())
      continue;
    for (const InnerGraph &each : node.graphs)
      checkInnerGraphs(*each.graph, inner, speeds);
    try {
      Checker checker(graph, node, options, speeds);
      node.problem = checker.run();
      if (node.problem.empty())
        checker.enterShapes();
    } catch (const dml::Error &error) {
      node.problem = error.what();
    }
  }
}
