//===- NodeReader.cpp - What a node states --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Reader/NodeReader.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

void NodeReader::setInputs(ArrayRef<const Tensor *> tensors) {
  inputs.assign(tensors.begin(), tensors.end());
  // Trailing inputs may be omitted by empty names.
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();
  readInputs.resize(inputs.size());
  wantedElements.resize(inputs.size());
}

const std::optional<Constant> &NodeReader::wantElements(unsigned index) const {
  if (index < wantedElements.size())
    wantedElements.set(index);
  return getInput(index).constant;
}

void NodeReader::forgetReads() {
  readInputs.reset();
  readAttributes.reset();
}

std::string NodeReader::getName() const {
  if (!node.name.empty())
    return node.name.str();
  return (node.opType + "#" + Twine(nodeNumber)).str();
}

LogicalResult NodeReader::reject(const Twine &text) {
  // Later reasons are consequences of the first one.
  if (reason.empty())
    reason = text.str();
  return failure();
}

bool NodeReader::isFoldable() const {
  return llvm::all_of(inputs, [](const Tensor *input) {
    return !input || (input->constant && input->constant->isFoldable());
  });
}

const Constant *NodeReader::getSizes(unsigned index) const {
  const std::optional<Constant> &constant = getInput(index).constant;
  if (!constant || !constant->isFoldable())
    return nullptr;
  bool isInteger = constant->getType() == DataType::INT64 ||
                   constant->getType() == DataType::INT32;
  return isInteger || !constant->isResource() ? &*constant : nullptr;
}

LogicalResult NodeReader::wantInputs(unsigned minimum, unsigned maximum) {
  unsigned count = inputs.size();
  bool complete = true;
  for (unsigned index = 0; index < std::min(minimum, count); ++index)
    complete &= hasInput(index);
  if (count >= minimum && count <= maximum && complete)
    return success();
  return reject("it has " + Twine(count) + " inputs" +
                (complete ? "" : ", some of them left out") +
                ", but wanted are " + Twine(minimum) +
                (minimum == maximum ? "" : " to " + Twine(maximum).str()));
}

FailureOr<Shape> NodeReader::getIntegers(unsigned index, StringRef what) {
  const std::optional<Constant> &constant = wantElements(index);
  if (!constant)
    return reject(what + " are computed when the model runs, but DirectML "
                         "wants them when it is built");
  if (!constant->isFoldable() || constant->isFloat())
    return reject(what + " are no list of integers");
  return Shape(constant->getIntegers());
}

FailureOr<double> NodeReader::getNumber(unsigned index, StringRef what) {
  const std::optional<Constant> &constant = wantElements(index);
  if (!constant)
    return reject(what + " is computed when the model runs, but DirectML "
                         "wants it when it is built");
  if (constant->getNumElements() != 1)
    return reject(what + " has the shape " +
                  describeShape(constant->getShape()) +
                  ", but wanted is one number");
  return constant->getFloats()[0];
}

const AttributeProto *NodeReader::getAttribute(StringRef name) const {
  for (auto [index, attribute] : llvm::enumerate(node.attributes))
    if (attribute.name == name) {
      readAttributes.set(index);
      return &attribute;
    }
  return nullptr;
}

void NodeReader::ignoreAttributes(
    std::initializer_list<StringRef> names) const {
  for (StringRef name : names)
    (void)getAttribute(name);
}

const Tensor &NodeReader::peek(unsigned index) const {
  if (hasInput(index))
    return *inputs[index];
  if (reason.empty())
    reason =
        ("its input " + Twine(index) + " is left out, but wanted is one").str();
  static const Tensor zero = [] {
    Tensor tensor;
    tensor.constant = Constant::get(DataType::FLOAT32, {}, ArrayRef(0.0));
    tensor.isKnown = true;
    return tensor;
  }();
  return zero;
}

const Tensor &NodeReader::getInput(unsigned index) const {
  ignoreInput(index);
  return peek(index);
}

void NodeReader::ignoreInput(unsigned index) const {
  if (index < readInputs.size())
    readInputs.set(index);
}

LogicalResult NodeReader::wantAllRead() {
  for (auto [index, attribute] : llvm::enumerate(node.attributes)) {
    // In the first versions of operators, this attribute told frameworks which
    // inputs may be overwritten.
    bool isHint = attribute.name == "consumed_inputs" && opset < 6;
    if (!readAttributes.test(index) && !isHint)
      return reject("it has the attribute '" + attribute.name +
                    "', which the importer does not know for version " +
                    Twine(opset) + " of this operator");
  }
  // Exporters represent missing inputs by empty tensors.
  for (auto [index, input] : llvm::enumerate(inputs))
    if (input && !readInputs.test(index) && countElements(input->shape) != 0)
      return reject("its input " + Twine(index) + ", '" + node.inputs[index] +
                    "', is one that the importer does not read");
  return success();
}

bool NodeReader::hasAttribute(StringRef name) const {
  return getAttribute(name);
}

static StringRef describeAttributeType(int32_t type) {
  switch (type) {
  case AttributeProto::Float:
    return "a float";
  case AttributeProto::Int:
    return "an integer";
  case AttributeProto::String:
    return "a string";
  case AttributeProto::Tensor:
    return "a tensor";
  case AttributeProto::Graph:
    return "a graph";
  case AttributeProto::Floats:
    return "floats";
  case AttributeProto::Ints:
    return "integers";
  case AttributeProto::Strings:
    return "strings";
  default:
    return "of a type that is not known";
  }
}

/// Returns the attribute if it is present and has the type `type`.
static const AttributeProto *getTyped(NodeReader &node, StringRef name,
                                      AttributeProto::Type type) {
  const AttributeProto *attribute = node.getAttribute(name);
  if (!attribute || attribute->type == type)
    return attribute;
  (void)node.reject("its attribute " + name + " is " +
                    describeAttributeType(attribute->type) +
                    ", but wanted is " + describeAttributeType(type));
  return nullptr;
}

int64_t NodeReader::getInt(StringRef name, int64_t otherwise) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Int);
  return attribute ? attribute->i : otherwise;
}

float NodeReader::getFloat(StringRef name, float otherwise) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Float);
  return attribute ? attribute->f : otherwise;
}

StringRef NodeReader::getString(StringRef name, StringRef otherwise) {
  const auto *attribute = getTyped(*this, name, AttributeProto::String);
  return attribute ? attribute->s : otherwise;
}

int32_t NodeReader::getCastType() {
  return opset < 6 ? findONNXType(getString("to", ""))
                   : static_cast<int32_t>(getInt("to", 0));
}

Shape NodeReader::getInts(StringRef name) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Ints);
  return attribute ? Shape(attribute->ints.begin(), attribute->ints.end())
                   : Shape();
}

ArrayRef<float> NodeReader::getFloats(StringRef name) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Floats);
  return attribute ? ArrayRef<float>(attribute->floats) : ArrayRef<float>();
}

ArrayRef<StringRef> NodeReader::getStrings(StringRef name) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Strings);
  return attribute ? ArrayRef<StringRef>(attribute->strings)
                   : ArrayRef<StringRef>();
}

const TensorProto *NodeReader::getTensor(StringRef name) {
  const auto *attribute = getTyped(*this, name, AttributeProto::Tensor);
  return attribute && attribute->t ? &*attribute->t : nullptr;
}

FailureOr<int64_t> NodeReader::normalizeAxis(int64_t axis, int64_t rank) {
  int64_t normal = axis < 0 ? axis + rank : axis;
  if (normal < 0 || normal >= rank)
    return reject("axis " + Twine(axis) + " is none of " + Twine(rank) +
                  " dimensions");
  return normal;
}
