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
  const LoopForm &form;
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

void Cutter::addCollected(const NodeImporter &importer, Body &body) {
  for (const LoopForm::Collected &each : body.form.collected) {
    const ValueInfo &output = *each.bodyOutput;
    LoopNode::Collected collected;
    collected.output = resolve(body.scope.get(), output.name).str();
    collected.result = getResult(importer, each.output).str();
    collected.axis = each.axis;
    collected.isReversed = each.isReversed;
    collected.type = toDataType(output.elementType);
    collected.isBool = isBoolType(output.elementType);
    collected.shape = getDeclaredSizes(output);
    body.loop.collected.push_back(std::move(collected));
  }
}

void Cutter::describeLoop(const NodeImporter &importer, Body &body) {
  const NodeProto &node = importer.getNode();
  const LoopForm &form = body.form;
  LoopNode &loop = body.loop;
  auto getInput = [&](size_t index) {
    return index < node.inputs.size() ? node.inputs[index].str() : "";
  };
  if (form.isScan()) {
    loop.numSteps = form.numSteps;
    loop.iteration = strings->save(body.scope->prefix + "~iteration").str();
    loop.reversedIteration =
        strings->save(body.scope->prefix + "~reversed").str();
  } else {
    loop.tripCount = getInput(0);
    loop.condition = getInput(1);
    loop.iteration = define(*body.scope, form.iteration).str();
    loop.conditionInput = define(*body.scope, form.conditionInput).str();
    loop.conditionOutput =
        resolve(body.scope.get(), form.conditionOutput).str();
  }
  for (const LoopForm::Carried &each : form.carried)
    loop.carried.push_back({getInput(each.input),
                            define(*body.scope, each.bodyInput).str(),
                            resolve(body.scope.get(), each.bodyOutput).str(),
                            getResult(importer, each.output).str()});
  for (const LoopForm::Scanned &each : form.scanned)
    addScanned(importer, body, each);
  addCollected(importer, body);
}

/// Adds the node that reads the elements of an iteration.
void Cutter::addScanned(const NodeImporter &importer, Body &body,
                        const LoopForm::Scanned &scanned) {
  const LoopNode &loop = body.loop;
  SectionNode &gather = body.nodes.emplace_back();
  gather.placed = {{}, body.placed.sets, {}};
  gather.number = body.index;
  gather.scope = body.scope;
  NodeProto &node = gather.placed.node;
  node.name = importer.getNode().name;
  node.opType = "Gather";
  node.inputs = {importer.getNode().inputs[scanned.input],
                 strings->save(scanned.isReversed ? loop.reversedIteration
                                                  : loop.iteration)};
  node.outputs = {define(*body.scope, scanned.bodyInput)};
  AttributeProto &attribute = node.attributes.emplace_back();
  attribute.name = "axis";
  attribute.type = AttributeProto::Int;
  attribute.i = scanned.axis;
}

llvm::Error Cutter::finishBody(Body &body) {
  for (auto [number, inner] : llvm::enumerate(body.form.body->nodes))
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

llvm::Expected<bool> Cutter::knowsReads(const PlacedNode &placed,
                                        const ScopePointer &scope) const {
  llvm::StringSet<> names;
  if (llvm::Error error = collectReads(placed.node, scope.get(), names))
    return std::move(error);
  return llvm::none_of(names.keys(), [&](StringRef name) {
    auto found = state.tensors.find(name);
    return found != state.tensors.end() && !found->second.isKnown &&
           !llvm::is_contained(placed.node.outputs, name);
  });
}

llvm::Error Cutter::importLoopNode(NodeImporter &importer,
                                   const PlacedNode &placed, unsigned index,
                                   const ScopePointer &scope) {
  LoopForm form;
  llvm::Expected<std::string> problem = readLoop(importer, scope, form);
  if (!problem)
    return problem.takeError();
  if (!problem->empty()) {
    addProblem(importer, *problem);
    return llvm::Error::success();
  }
  llvm::Expected<bool> isReady = knowsReads(placed, scope);
  if (!isReady)
    return isReady.takeError();
  if (!*isReady) {
    leave(placed, index, scope);
    return llvm::Error::success();
  }
  problem = importLoop(importer, placed, index, scope, form);
  if (!problem)
    return problem.takeError();
  return problem->empty() ? llvm::Error::success()
                          : leaveLoop(importer, placed, index, scope, form);
}

llvm::Error Cutter::leaveLoop(const NodeImporter &importer,
                              const PlacedNode &placed, unsigned index,
                              const ScopePointer &scope, const LoopForm &form) {
  Body body{placed, index, form, openScope(placed, "body", scope), {}, {}};
  body.loop.name = importer.getName();
  body.loop.type = placed.node.opType.str();
  if (llvm::Error error = defineNames(*form.body, *body.scope, importer))
    return error;
  describeLoop(importer, body);
  if (llvm::Error error = finishBody(body))
    return error;
  cut->loops.push_back(std::move(body.loop));
  return llvm::Error::success();
}
