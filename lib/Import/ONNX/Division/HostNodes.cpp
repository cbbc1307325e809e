//===- HostNodes.cpp - Nodes that the host computes -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Division/Cutter.h"
#include "Folding/Evaluator.h"
#include "Reader/Versions.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// The largest number of steps for a node that only the host can compute, such
/// as NonMaxSuppression of 60,000 boxes that do not overlap.
static constexpr int64_t maxHostSteps = int64_t(1) << 31;
/// The largest number of floating-point numbers of a tensor that the host
/// computes with, such as the scales of a Resize.
static constexpr int64_t maxHostFloats = 8;

llvm::Expected<SmallVector<Constant>>
dml::onnx::computeNode(const PlacedNode &placed, unsigned number, int64_t opset,
                       const llvm::StringSet<> &readNames,
                       ArrayRef<std::optional<Tensor>> inputs) {
  NodeReader reader(placed.node, opset, number, readNames);
  SmallVector<const Tensor *> tensors;
  for (const std::optional<Tensor> &input : inputs)
    tensors.push_back(input ? &*input : nullptr);
  reader.setInputs(tensors);
  if (isRunByHost(normalizeDomain(placed.node.domain), placed.node.opType))
    reader.setMaxSteps(maxHostSteps);
  std::optional<SmallVector<Constant>> results = foldNode(reader);
  if (!results)
    return llvm::createStringError(
        "node '" + reader.getName() + "' (" + placed.node.opType +
        ") cannot be computed on the host: its inputs are not those that ONNX "
        "states, or the work is more than " +
        Twine(reader.getMaxSteps()) + " steps");
  return std::move(*results);
}

namespace {
/// A node with an evaluator.
class FoldedNode final : public HostNode {
public:
  llvm::Expected<std::vector<std::pair<std::string, PresentTensor>>>
  compute(FindTensor find) const override;

  PlacedNode placed;
  unsigned number;
  int64_t opset;
  /// Keep what the node refers to.
  SectionPointer section;
  std::shared_ptr<const NameStore> store;
  std::vector<std::optional<Constant>> known;
  std::vector<bool> isBool;
  llvm::StringSet<> outputs;
};
} // namespace

llvm::Expected<std::vector<std::pair<std::string, PresentTensor>>>
FoldedNode::compute(FindTensor find) const {
  std::vector<std::optional<Tensor>> inputs;
  for (auto [name, constant] : llvm::zip_equal(placed.node.inputs, known)) {
    std::optional<Tensor> &input = inputs.emplace_back();
    if (name.empty())
      continue;
    const PresentTensor *present = constant ? nullptr : find(name);
    assert((constant || (present && present->isOnHost)) &&
           "the inputs of a node on the host are there");
    input.emplace();
    input->constant = constant ? *constant : toConstant(*present);
    input->type = input->constant->getType();
    input->isBool = present && present->isBool;
    input->shape = Shape(input->constant->getShape());
    input->isKnown = true;
  }
  auto results = computeNode(placed, number, opset, outputs, inputs);
  if (!results)
    return results.takeError();
  std::vector<std::pair<std::string, PresentTensor>> made;
  for (auto [index, name] : llvm::enumerate(placed.node.outputs))
    if (!name.empty())
      made.emplace_back(name.str(),
                        toPresent((*results)[index], isBool[index]));
  return made;
}

std::shared_ptr<const HostNode> dml::onnx::makeHostNode(
    const PlacedNode &placed, unsigned number, int64_t opset,
    SectionPointer section, std::shared_ptr<const NameStore> store,
    std::vector<std::optional<Constant>> known, std::vector<bool> isBool) {
  auto node = std::make_shared<FoldedNode>();
  node->placed = placed;
  node->number = number;
  node->opset = opset;
  node->section = std::move(section);
  node->store = std::move(store);
  node->known = std::move(known);
  node->isBool = std::move(isBool);
  for (StringRef output : placed.node.outputs)
    node->outputs.insert(output);
  return node;
}

//===----------------------------------------------------------------------===//
// Nodes of a cut
//===----------------------------------------------------------------------===//

std::optional<Constant> Cutter::findElements(StringRef name) const {
  auto tensor = state.tensors.find(name);
  if (tensor != state.tensors.end() && tensor->second.constant)
    return tensor->second.constant;
  auto found = hostElements.find(name);
  if (found == hostElements.end())
    return std::nullopt;
  return found->second;
}

bool Cutter::isForHost(const NodeImporter &importer) const {
  const NodeProto &node = importer.getNode();
  StringRef domain = normalizeDomain(node.domain);
  bool isComputed = isRunByHost(domain, node.opType), isAlways = isComputed;
  for (StringRef name : node.inputs) {
    if (name.empty())
      continue;
    std::optional<Constant> elements = findElements(name);
    if (!elements || isFourBits(elements->getType()))
      return false;
    isComputed |= !state.tensors.lookup(name).constant;
    int64_t most = elements->isFloat() ? maxHostFloats : Constant::maxFoldable;
    if (!isAlways && elements->getNumElements() > most)
      return false;
  }
  return isComputed && domain.empty() &&
         findVersionError(node, importer.getOpset()).empty();
}

llvm::Error Cutter::enterComputed(const NodeImporter &importer,
                                  std::shared_ptr<const HostNode> node,
                                  MutableArrayRef<Constant> constants) {
  Cut::Computed &computed = cut->computed.emplace_back();
  computed.node = std::move(node);
  for (auto [index, name] : llvm::enumerate(importer.getNode().outputs)) {
    if (name.empty())
      continue;
    PresentTensor tensor = toPresent(
        constants[index], constants[index].getType() == DataType::UINT8 &&
                              importer.givesBools(index));
    computed.results.push_back(
        {name.str(), tensor.type, tensor.isBool, tensor.shape});
    presentNames.insert(name);
    if (llvm::Error error = enterPresent(name, tensor))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<bool> Cutter::computeOnHost(const NodeImporter &importer,
                                           const PlacedNode &placed,
                                           unsigned index) {
  if (!isForHost(importer))
    return false;
  std::vector<std::optional<Tensor>> inputs;
  std::vector<std::optional<Constant>> known;
  for (StringRef name : placed.node.inputs) {
    known.emplace_back();
    inputs.emplace_back();
    if (name.empty())
      continue;
    inputs.back() = state.tensors.lookup(name);
    if (inputs.back()->constant)
      known.back() = inputs.back()->constant;
    else
      inputs.back()->constant = findElements(name);
  }
  // An output that nothing reads counts as read: the elements are there anyway.
  llvm::StringSet<> outputs;
  std::vector<bool> isBool;
  for (auto [number, output] : llvm::enumerate(placed.node.outputs)) {
    outputs.insert(output);
    isBool.push_back(importer.givesBools(number));
  }
  auto results =
      computeNode(placed, index, importer.getOpset(), outputs, inputs);
  if (!results) {
    if (isRunByHost(normalizeDomain(placed.node.domain), placed.node.opType))
      return results.takeError();
    llvm::consumeError(results.takeError());
    return false;
  }
  for (auto [number, constant] : llvm::enumerate(*results))
    if (number < isBool.size())
      isBool[number] = isBool[number] && constant.getType() == DataType::UINT8;
  auto node = makeHostNode(placed, index, importer.getOpset(), section, store,
                           std::move(known), std::move(isBool));
  if (llvm::Error error = enterComputed(importer, std::move(node), *results))
    return error;
  return true;
}
