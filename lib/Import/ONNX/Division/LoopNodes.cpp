//===- LoopNodes.cpp - Loop and Scan --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Division/Cutter.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

struct Cutter::Body {
  const PlacedNode &placed;
  unsigned index;
  std::shared_ptr<const GraphProto> graph;
  std::shared_ptr<Scope> scope;
  LoopNode loop;
  std::vector<SectionNode> nodes;
};

StringRef Cutter::getResult(const NodeImporter &importer, size_t index) const {
  const std::vector<StringRef> &outputs = importer.getNode().outputs;
  return index < outputs.size() && state.read.contains(outputs[index])
             ? outputs[index]
             : StringRef();
}

/// Returns the sizes that a declaration states, with 0 for others.
static SmallVector<int64_t> getDeclaredSizes(const ValueInfo &info) {
  SmallVector<int64_t> sizes;
  for (const Dimension &dimension : info.dimensions)
    sizes.push_back(std::max<int64_t>(dimension.size.value_or(0), 0));
  return sizes;
}

std::string Cutter::addCollected(const NodeImporter &importer, Body &body,
                                 size_t first, size_t firstResult) {
  const std::vector<ValueInfo> &outputs = body.graph->outputs;
  for (size_t number = first; number < outputs.size(); ++number) {
    LoopNode::Collected collected;
    collected.output = resolve(body.scope.get(), outputs[number].name).str();
    collected.result = getResult(importer, firstResult + number - first).str();
    std::optional<DataType> type = toDataType(outputs[number].elementType);
    if (type ? isFourBits(*type) : outputs[number].elementType != 0)
      return "output " + std::to_string(number) +
             " of its body is declared as " +
             describeONNXType(outputs[number].elementType) +
             ", which iterations cannot collect";
    collected.type = type;
    collected.isBool = isBoolType(outputs[number].elementType);
    collected.shape = getDeclaredSizes(outputs[number]);
    body.loop.collected.push_back(std::move(collected));
  }
  return "";
}

std::string Cutter::describeLoop(NodeImporter &importer, Body &body) {
  const NodeProto &node = importer.getNode();
  const GraphProto &graph = *body.graph;
  size_t count = std::max<size_t>(node.inputs.size(), 2) - 2;
  auto describe = [](StringRef what, size_t found, size_t wanted) {
    return ("its body has " + Twine(found) + " " + what + ", but wanted are " +
            Twine(wanted))
        .str();
  };
  if (graph.inputs.size() != count + 2)
    return describe("inputs", graph.inputs.size(), count + 2);
  size_t wanted = 1 + std::max(count, node.outputs.size());
  if (graph.outputs.size() < wanted)
    return describe("outputs", graph.outputs.size(), wanted);
  LoopNode &loop = body.loop;
  auto getInput = [&](size_t index) {
    return index < node.inputs.size() ? node.inputs[index].str() : "";
  };
  loop.tripCount = getInput(0);
  loop.condition = getInput(1);
  loop.iteration = define(*body.scope, graph.inputs[0].name).str();
  loop.conditionInput = define(*body.scope, graph.inputs[1].name).str();
  loop.conditionOutput = resolve(body.scope.get(), graph.outputs[0].name).str();
  for (size_t number = 0; number < count; ++number) {
    if (node.inputs[number + 2].empty())
      return "the tensor before its first iteration is left out for input " +
             std::to_string(number + 2);
    loop.carried.push_back(
        {node.inputs[number + 2].str(),
         define(*body.scope, graph.inputs[number + 2].name).str(),
         resolve(body.scope.get(), graph.outputs[number + 1].name).str(),
         getResult(importer, number).str()});
  }
  return addCollected(importer, body, count + 1, count);
}

/// Returns `list`, or as many zeros as are wanted if it is empty. Fails if the
/// list has another number of elements.
static std::optional<Shape> getList(NodeImporter &importer, StringRef name,
                                    size_t count) {
  Shape list = importer.getInts(name);
  if (list.empty())
    list.assign(count, 0);
  if (list.size() != count)
    return std::nullopt;
  return list;
}

std::string Cutter::addScanned(const NodeImporter &importer, Body &body,
                               size_t input, int64_t axis, bool isReversed) {
  if (!importer.hasInput(input))
    return "its input " + std::to_string(input) + " is left out";
  ArrayRef<int64_t> shape = importer.getShape(input);
  auto rank = static_cast<int64_t>(shape.size());
  int64_t normal = axis < 0 ? axis + rank : axis;
  if (normal < 0 || normal >= rank)
    return "its input " + std::to_string(input) + " has no axis " +
           std::to_string(axis);
  LoopNode &loop = body.loop;
  if (loop.numSteps && *loop.numSteps != shape[normal])
    return "its inputs have " + std::to_string(*loop.numSteps) + " and " +
           std::to_string(shape[normal]) + " steps, but wanted are as many";
  loop.numSteps = shape[normal];
  // An iteration reads its elements by Gather.
  SectionNode &gather = body.nodes.emplace_back();
  gather.placed = {{}, body.placed.sets, {}};
  gather.number = body.index;
  gather.scope = body.scope;
  NodeProto &node = gather.placed.node;
  node.name = importer.getNode().name;
  node.opType = "Gather";
  node.inputs = {
      importer.getNode().inputs[input],
      strings->save(isReversed ? loop.reversedIteration : loop.iteration)};
  node.outputs = {define(*body.scope, body.graph->inputs[input].name)};
  AttributeProto &attribute = node.attributes.emplace_back();
  attribute.name = "axis";
  attribute.type = AttributeProto::Int;
  attribute.i = normal;
  return "";
}

std::string Cutter::describeScan(NodeImporter &importer, Body &body) {
  const NodeProto &node = importer.getNode();
  const GraphProto &graph = *body.graph;
  if (importer.getOpset() < 9)
    return "it is of version 8 of ONNX's operator set, which has a dimension "
           "of batches, but wanted is version 9 or newer";
  int64_t numScanned = importer.getInt("num_scan_inputs", 0);
  size_t count = node.inputs.size();
  if (numScanned < 1 || numScanned > static_cast<int64_t>(count) ||
      graph.inputs.size() != count)
    return "it has " + std::to_string(count) + " inputs, of which it scans " +
           std::to_string(numScanned) + ", and its body has " +
           std::to_string(graph.inputs.size()) + " inputs";
  size_t numStates = count - numScanned;
  if (graph.outputs.size() < std::max(numStates, node.outputs.size()))
    return "its body has " + std::to_string(graph.outputs.size()) +
           " outputs, which are too few";
  size_t numCollected = graph.outputs.size() - numStates;
  auto axes = getList(importer, "scan_input_axes", numScanned),
       directions = getList(importer, "scan_input_directions", numScanned),
       outputAxes = getList(importer, "scan_output_axes", numCollected),
       outputDirections =
           getList(importer, "scan_output_directions", numCollected);
  if (!axes || !directions || !outputAxes || !outputDirections)
    return "it has other numbers of axes or directions than of tensors";
  LoopNode &loop = body.loop;
  loop.iteration = strings->save(body.scope->prefix + "~iteration").str();
  loop.reversedIteration =
      strings->save(body.scope->prefix + "~reversed").str();
  for (size_t number = 0; number < numStates; ++number)
    loop.carried.push_back(
        {node.inputs[number].str(),
         define(*body.scope, graph.inputs[number].name).str(),
         resolve(body.scope.get(), graph.outputs[number].name).str(),
         getResult(importer, number).str()});
  for (int64_t number = 0; number < numScanned; ++number) {
    std::string problem =
        addScanned(importer, body, numStates + number, (*axes)[number],
                   /*isReversed=*/(*directions)[number] != 0);
    if (!problem.empty())
      return problem;
  }
  std::string problem = addCollected(importer, body, numStates, numStates);
  if (!problem.empty())
    return problem;
  for (auto [collected, axis, direction] :
       llvm::zip_equal(loop.collected, *outputAxes, *outputDirections)) {
    collected.axis = axis;
    collected.isReversed = direction != 0;
  }
  return "";
}

llvm::Error Cutter::finishBody(Body &body) {
  for (auto [number, inner] : llvm::enumerate(body.graph->nodes))
    body.nodes.push_back({place(inner, body.placed.sets, *body.scope),
                          static_cast<unsigned>(number), body.scope});
  // Nodes whose results nothing reads are left out.
  llvm::StringSet<> read;
  std::vector<std::string> outputs;
  auto addOutput = [&](StringRef name) {
    if (!name.empty() && read.insert(name).second)
      outputs.push_back(name.str());
  };
  addOutput(body.loop.conditionOutput);
  for (const LoopNode::Carried &carried : body.loop.carried)
    addOutput(carried.output);
  for (const LoopNode::Collected &collected : body.loop.collected)
    if (!collected.result.empty())
      addOutput(collected.output);
  std::vector<SectionNode> needed;
  for (SectionNode &node : llvm::reverse(body.nodes)) {
    if (llvm::none_of(node.placed.node.outputs,
                      [&](StringRef name) { return read.contains(name); }))
      continue;
    if (llvm::Error error =
            collectReads(node.placed.node, node.scope.get(), read))
      return error;
    needed.push_back(std::move(node));
  }
  std::reverse(needed.begin(), needed.end());
  std::vector<std::shared_ptr<const NameStore>> stores = section->stores;
  stores.push_back(store);
  auto created = Section::create(std::move(needed), std::move(outputs),
                                 getInitializers(), std::move(stores));
  if (!created)
    return created.takeError();
  body.loop.body = std::move(*created);
  return llvm::Error::success();
}

llvm::Error Cutter::importLoop(const NodeImporter &importer,
                               const PlacedNode &placed, unsigned index,
                               const ScopePointer &scope) {
  NodeImporter node(importer);
  const AttributeProto *attribute = node.getAttribute("body");
  if (!attribute || attribute->type != AttributeProto::Graph) {
    addProblem(importer, "it has no graph for its body");
    return llvm::Error::success();
  }
  if (scope && scope->depth == maxDepth) {
    addProblem(importer, "it has too many graphs around it");
    return llvm::Error::success();
  }
  llvm::Expected<std::shared_ptr<const GraphProto>> graph =
      getInnerGraph(*attribute);
  if (!graph)
    return graph.takeError();
  branches.push_back(*graph);
  Body body{placed, index, *graph, openScope(placed, "body", scope), {}, {}};
  body.loop.name = importer.getName();
  body.loop.type = placed.node.opType.str();
  if (llvm::Error error = defineNames(**graph, *body.scope, importer))
    return error;
  std::string problem = (*graph)->hasSparseInitializers
                            ? "its body has sparse initializers"
                        : body.loop.type == "Loop" ? describeLoop(node, body)
                                                   : describeScan(node, body);
  if (problem.empty())
    problem = node.takeReason();
  if (!problem.empty()) {
    addProblem(importer, problem);
    return llvm::Error::success();
  }
  if (llvm::Error error = finishBody(body))
    return error;
  cut->loops.push_back(std::move(body.loop));
  return llvm::Error::success();
}
