//===- Section.cpp - Nodes that are still to be computed ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Division/Section.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace dml;
using namespace dml::onnx;

char UnexpressedNodes::ID;

int64_t PresentTensor::getNumElements() const {
  return countElements(shape).value_or(0);
}

uint64_t PresentTensor::getNumBytes() const {
  return static_cast<uint64_t>(getNumElements()) * getByteWidth(type);
}

llvm::ArrayRef<std::string> dml::onnx::getReadNames(const Section &section) {
  return section.readNames;
}

llvm::StringRef dml::onnx::getKey(const Section &section) {
  return section.key;
}

static std::string makeKey(const Section &section) {
  KeyMaker key;
  auto addAll = [&](const auto &names) {
    key.add(std::to_string(names.size()));
    for (llvm::StringRef name : names)
      key.add(name);
  };
  for (const SectionNode &node : section.nodes) {
    const NodeProto &proto = node.placed.node;
    key.add(proto.opType);
    addAll(proto.inputs);
    addAll(proto.outputs);
    // The axis of a Gather may stand for that of a Slice.
    for (const AttributeProto &attribute : proto.attributes)
      if (attribute.type == AttributeProto::Int)
        key.add(attribute.name).add(std::to_string(attribute.i));
  }
  addAll(section.outputs);
  return key.finish();
}

llvm::Expected<SectionPointer>
Section::create(std::vector<SectionNode> nodes,
                std::vector<std::string> outputs,
                llvm::StringMap<const TensorProto *> initializers,
                std::vector<std::shared_ptr<const NameStore>> stores) {
  auto section = std::make_shared<Section>();
  llvm::StringSet<> defined;
  for (const SectionNode &node : nodes) {
    if (llvm::Error error =
            collectReads(node.placed.node, node.scope.get(), section->read))
      return error;
    for (llvm::StringRef output : node.placed.node.outputs)
      defined.insert(output);
  }
  for (const std::string &output : outputs)
    section->read.insert(output);
  section->read.erase("");
  for (llvm::StringRef name : section->read.keys())
    if (!defined.contains(name) && !initializers.contains(name))
      section->readNames.push_back(name.str());
  llvm::sort(section->readNames);
  section->nodes = std::move(nodes);
  section->outputs = std::move(outputs);
  section->initializers = std::move(initializers);
  section->stores = std::move(stores);
  section->key = makeKey(*section);
  return section;
}

Constant dml::onnx::toConstant(const PresentTensor &tensor) {
  return Constant(tensor.type, Shape(tensor.shape), tensor.elements,
                  tensor.owner);
}

PresentTensor dml::onnx::toPresent(const Constant &constant, bool isBool) {
  PresentTensor tensor;
  tensor.type = constant.getType();
  tensor.isBool = isBool;
  tensor.shape.assign(constant.getShape().begin(), constant.getShape().end());
  tensor.isOnHost = true;
  size_t width = getByteWidth(constant.getType());
  auto bytes = std::make_shared<std::vector<char>>(tensor.getNumBytes());
  if (!bytes->empty()) {
    const char *data = constant.getData();
    bool isSplat = constant.isSplat();
    for (size_t offset = 0; isSplat && offset < bytes->size(); offset += width)
      std::memcpy(bytes->data() + offset, data, width);
    if (!isSplat)
      std::memcpy(bytes->data(), data, bytes->size());
  }
  tensor.elements = *bytes;
  tensor.owner = bytes;
  return tensor;
}

KeyMaker &KeyMaker::add(llvm::StringRef piece) {
  text += std::to_string(piece.size());
  text += ':';
  text += piece;
  return *this;
}

KeyMaker &KeyMaker::add(llvm::StringRef name, const PresentTensor &tensor) {
  add(name);
  text += std::to_string(static_cast<int>(tensor.type));
  text += tensor.isBool ? 'b' : '-';
  text += tensor.isOnHost ? 'h' : '-';
  for (int64_t size : tensor.shape)
    text += "x" + std::to_string(size);
  text += ';';
  if (tensor.isConstant)
    add(llvm::StringRef(tensor.elements.data(), tensor.elements.size()));
  return *this;
}

std::string KeyMaker::finish() const {
  return llvm::toHex(llvm::SHA256::hash(llvm::ArrayRef(
      reinterpret_cast<const uint8_t *>(text.data()), text.size())));
}
