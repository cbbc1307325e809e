//===- Provider.cpp - The provider of a session ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Provider.h"
#include "Capability.h"
#include "Context.h"
#include "InnerGraphs.h"
#include <algorithm>

using namespace dml;
using namespace dml::provider;

Provider::Provider(Options options, const Speeds &speeds,
                   std::shared_ptr<DmlDeviceImpl> device,
                   const DeviceMemory &memory, const OrtKernelRegistry *kernels,
                   const OrtLogger *logger)
    : OrtEp{}, kernels(kernels) {
  auto shared = std::make_shared<Context>();
  shared->options = std::move(options);
  shared->speeds = speeds;
  shared->log = Log(logger);
  shared->device = std::move(device);
  shared->memory = &memory;
  context = std::move(shared);
  ort_version_supported = getApi().version;
  GetName = [](const OrtEp *) noexcept { return providerName; };
  GetCapability = [](OrtEp *self, const OrtGraph *graph,
                     OrtEpGraphSupportInfo *support) noexcept {
    return guard(
        [&] { static_cast<Provider *>(self)->findNodes(graph, support); });
  };
  Compile = [](OrtEp *self, const OrtGraph **graphs, const OrtNode **nodes,
               size_t count, OrtNodeComputeInfo **computations,
               OrtNode **contexts) noexcept {
    return guard([&] {
      static_cast<Provider *>(self)->compile(graphs, nodes, count, computations,
                                             contexts);
    });
  };
  ReleaseNodeComputeInfos = [](OrtEp *, OrtNodeComputeInfo **computations,
                               size_t count) noexcept {
    for (size_t i = 0; i < count; ++i)
      delete static_cast<Computation *>(computations[i]);
  };
  GetPreferredDataLayout = [](OrtEp *,
                              OrtEpDataLayout *layout) noexcept -> OrtStatus * {
    *layout = OrtEpDataLayout_NCHW;
    return nullptr;
  };
  GetKernelRegistry =
      [](OrtEp *self,
         const OrtKernelRegistry **registry) noexcept -> OrtStatus * {
    *registry = static_cast<Provider *>(self)->kernels;
    return nullptr;
  };
  IsConcurrentRunSupported = [](OrtEp *,
                                bool *supported) noexcept -> OrtStatus * {
    *supported = true;
    return nullptr;
  };
}

void Provider::logNodes(const Graph &graph,
                        const Capability &capability) const {
  size_t taken = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node &node = graph.nodes[i];
    const std::string &problem = capability.problems[i];
    taken += problem.empty();
    if (!problem.empty())
      context->log.info("node '" + node.name + "' (" +
                        (node.domain.empty() ? "" : node.domain + ".") +
                        node.type + ") stays with ONNX Runtime: " + problem);
  }
  context->log.info(
      "takes " + std::to_string(taken) + " of " +
      std::to_string(graph.nodes.size()) + " nodes of graph '" + graph.name +
      "' in " + std::to_string(capability.partitions.size()) + " partitions");
}

/// Takes the partitions of a model that was compiled ahead. Returns whether the
/// graph is of such a model.
bool Provider::addContexts(const Graph &graph,
                           OrtEpGraphSupportInfo *support) const {
  bool isAny = false;
  for (const Node &node : graph.nodes) {
    if (!isContext(node))
      continue;
    isAny = true;
    check(ep().EpGraphSupportInfo_AddNodesToFuse(support, &node.handle, 1,
                                                 nullptr));
  }
  return isAny;
}

/// The name of a node's first output, which no other node of the model has.
static std::string getFirstOutput(const Graph &graph, const Node &node) {
  for (ValueIndex output : node.outputs)
    if (output != noValue)
      return graph.values[output].name;
  return "";
}

/// Whether a node of the graph reads what the graph does not have: the graph is
/// within a node.
static bool readsFromAround(const Graph &graph) {
  auto isInput = [&](ValueIndex value) {
    return std::find(graph.inputs.begin(), graph.inputs.end(), value) !=
           graph.inputs.end();
  };
  for (ValueIndex value = 0; value < graph.values.size(); ++value)
    if (!graph.readers[value].empty() && !graph.producers[value] &&
        !graph.values[value].weight && !isInput(value))
      return true;
  return false;
}

/// Whether partitions of the graph would be mistaken for others. Before 1.25,
/// ONNX Runtime numbers those of each graph of a model from 0 on, under one
/// name, so that one graph may have some: the main one. Before 1.24, it does
/// not say that a graph is within a node.
bool Provider::isMistaken(const OrtGraph *handle, const Graph &graph) const {
  if (getApi().version >= 25)
    return false;
  if (!get<const OrtNode *>(ort().Graph_GetParentNode, handle) &&
      !readsFromAround(graph) && !hasPartitions)
    return false;
  context->log.info("takes no node of graph '" + graph.name +
                    "': ONNX Runtime before 1.25 mistakes partitions of graphs "
                    "within nodes for others");
  return true;
}

/// Whether a graph within a node is left as it is: the node is taken with it.
/// ONNX Runtime asks for graphs within nodes first, and what was taken of such
/// a graph could not be taken with its node any more.
bool Provider::isTakenAround(const OrtGraph *handle, const Graph &graph) {
  std::optional<Graph> around = readNodeAround(handle);
  if (!around)
    return false;
  checkInnerGraphs(*around, context->options, context->speeds);
  const Node &node = around->nodes.front();
  if (!node.problem.empty()) {
    innerProblems[getFirstOutput(*around, node)] = node.problem;
    return false;
  }
  context->log.info("leaves graph '" + graph.name + "' to node '" + node.name +
                    "' (" + node.type + ") around it");
  return true;
}

void Provider::findNodes(const OrtGraph *handle,
                         OrtEpGraphSupportInfo *support) {
  Graph graph = readGraph(handle);
  if (graph.nodes.empty() || addContexts(graph, support) ||
      isMistaken(handle, graph) || isTakenAround(handle, graph))
    return;
  for (Node &node : graph.nodes)
    if (auto known = innerProblems.find(getFirstOutput(graph, node));
        !node.graphs.empty() && known != innerProblems.end())
      node.problem = known->second;
  checkInnerGraphs(graph, context->options, context->speeds);
  Capability capability;
  try {
    capability = findCapability(graph, context->options, context->speeds);
  } catch (const dml::Error &error) {
    // What dml cannot read, ONNX Runtime runs by itself.
    context->log.warn("takes no node of graph '" + graph.name +
                      "': " + error.what());
    return;
  }
  logNodes(graph, capability);
  hasPartitions |= !capability.partitions.empty();
  OrtNodeFusionOptions fusion{};
  fusion.ort_version_supported = getApi().version;
  fusion.drop_constant_initializers = true;
  for (const Part &part : capability.partitions) {
    std::vector<const OrtNode *> nodes;
    for (uint32_t node : part.nodes)
      nodes.push_back(graph.nodes[node].handle);
    for (const auto &[value, elements] : part.constants)
      facts.constants.insert(graph.values[value].name);
    for (ValueIndex value : part.scalars)
      facts.scalars.insert(graph.values[value].name);
    check(ep().EpGraphSupportInfo_AddNodesToFuse(support, nodes.data(),
                                                 nodes.size(), &fusion));
  }
}

void Provider::compile(const OrtGraph **graphs, const OrtNode **nodes,
                       size_t count, OrtNodeComputeInfo **computations,
                       OrtNode **contexts) {
  std::vector<std::unique_ptr<Computation>> made;
  for (size_t i = 0; i < count; ++i)
    made.push_back(
        std::make_unique<Computation>(context, graphs[i], nodes[i], facts));
  if (context->options.makesContext && contexts)
    for (size_t i = 0; i < count; ++i)
      contexts[i] = made[i]->makeContext(nodes[i]);
  for (size_t i = 0; i < count; ++i)
    computations[i] = made[i].release();
}
