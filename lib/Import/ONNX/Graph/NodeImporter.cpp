//===- NodeImporter.cpp - From a node to operators ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/NodeImporter.h"
#include "Folding/Evaluator.h"
#include "Graph/Registry.h"
#include "Reader/Shapes.h"
#include "dml/IR/Layout.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

NodeImporter::NodeImporter(GraphState &graph, const NodeProto &node,
                           int64_t opset, unsigned number)
    : NodeReader(node, opset, number, graph.read), graph(graph),
      loc(NameLoc::get(graph.builder.getStringAttr(getName()))) {}

static const NodeProto &getNoNode() {
  static const NodeProto node;
  return node;
}

NodeImporter::NodeImporter(GraphState &graph)
    : NodeImporter(graph, getNoNode(), /*opset=*/0, /*number=*/0) {}

llvm::Expected<Constant> NodeImporter::readTensor(const TensorProto &tensor) {
  return graph.constants.read(tensor);
}

/// Returns the approximate number of steps to compute one element of a node's
/// result.
static int64_t countSteps(const NodeImporter &node) {
  StringRef type = node.getNode().opType;
  if (type != "MatMul" && type != "Gemm" && type != "MatMulInteger")
    return node.getNumInputs();
  // The length of the rows of the first factor, which may be transposed.
  int64_t depth = 1;
  for (int64_t size : node.getShape(0))
    depth = std::max(depth, size);
  return depth;
}

std::optional<SmallVector<Constant>> NodeImporter::fold() {
  auto count = [&](const Constant &constant) {
    graph.foldingBytes +=
        constant.getNumElements() * getByteWidth(constant.getType());
  };
  for (const Tensor *input : inputs)
    if (input)
      count(*input->constant);
  std::optional<SmallVector<Constant>> folded = foldNode(*this);
  if (!folded)
    return folded;
  llvm::for_each(*folded, count);
  // A step counts like a byte, so that the time is bounded as well.
  if (!folded->empty())
    graph.foldingBytes += folded->front().getNumElements() * countSteps(*this);
  return folded;
}

LogicalResult NodeImporter::import(const Operator &info) {
  forgetReads();
  LogicalResult result = success();
  std::optional<SmallVector<Constant>> folded;
  bool mayFold = graph.foldingBytes < graph.maxFoldingBytes;
  if (isFoldable() && mayFold)
    folded = fold();
  if (folded) {
    for (auto [index, constant] : llvm::enumerate(*folded))
      if (failed(set(index, std::move(constant))))
        return failure();
  } else {
    forgetReads();
    result = info.import(*this);
    if (failed(result) && isFoldable() && !mayFold)
      reason = ("it has to be computed when the model is read, but the nodes "
                "before it that are computed so have read and written " +
                Twine(graph.foldingBytes) + " bytes, and wanted are " +
                Twine(graph.maxFoldingBytes) + " at most for such a file")
                   .str();
  }
  if (failed(result) || !reason.empty())
    return result;
  return wantAllRead();
}

bool NodeImporter::givesBools(unsigned index) const {
  StringRef type = node.opType;
  auto isInput = [&](unsigned index) {
    return hasInput(index) && inputs[index]->isBool;
  };
  auto findAttribute = [&](StringRef name) {
    return llvm::find_if(node.attributes, [&](const AttributeProto &attribute) {
      return attribute.name == name;
    });
  };
  if (type == "Cast" || type == "BitCast") {
    auto to = findAttribute("to");
    return to != node.attributes.end() &&
           isBoolType(to->type == AttributeProto::String ? findONNXType(to->s)
                                                         : to->i);
  }
  if (type == "EyeLike")
    if (auto given = findAttribute("dtype"); given != node.attributes.end())
      return isBoolType(given->i);
  if (type == "Constant" || type == "ConstantOfShape") {
    auto value = findAttribute("value");
    return value != node.attributes.end() && value->t &&
           isBoolType(value->t->dataType);
  }
  if (type == "CastLike" || type == "Where")
    return isInput(1);
  if (type == "OneHot")
    return isInput(2);
  if (type == "Dropout" && index == 1)
    return true;
  static const llvm::StringSet<> predicates = {
      "And",   "Equal", "Greater", "GreaterOrEqual",
      "IsInf", "IsNaN", "Less",    "LessOrEqual",
      "Not",   "Or",    "Xor"};
  // All other operators on bools return the type of their input.
  return predicates.contains(type) || isInput(0);
}

void NodeImporter::enter(unsigned index, Tensor tensor) {
  tensor.isKnown = true;
  tensor.isBool = tensor.type == DataType::UINT8 && givesBools(index);
  if (index < node.outputs.size() && !node.outputs[index].empty())
    graph.tensors[node.outputs[index]] = std::move(tensor);
}

LogicalResult NodeImporter::set(unsigned index, Value value, Shape shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (static_cast<int64_t>(shape.size()) > maxRank)
    return reject("its output has " + Twine(shape.size()) +
                  " dimensions, but DirectML's tensors have at most " +
                  Twine(maxRank));
  if (std::optional<int64_t> count = countElements(shape);
      !count || *count == 0)
    return reject("its output has the shape " + describeShape(shape) +
                  ", but wanted are 1 to 2^32 - 1 elements");
  Tensor tensor;
  tensor.type = *getDataType(type.getElementType());
  // A node such as Reshape changes the shape of another node's value.
  if (auto origin = graph.origins.find(value.getDefiningOp());
      origin != graph.origins.end() && index == 0 &&
      origin->first->getLoc() == loc)
    origin->second.output = shape;
  tensor.value = reshape(value, toPhysical(shape));
  tensor.shape = std::move(shape);
  enter(index, std::move(tensor));
  return success();
}

LogicalResult NodeImporter::set(unsigned index, FailureOr<Value> value,
                                Shape shape) {
  return failed(value) ? failure() : set(index, *value, std::move(shape));
}

LogicalResult NodeImporter::set(unsigned index, Constant constant) {
  if (static_cast<int64_t>(constant.getShape().size()) > maxRank)
    return reject("its output has " + Twine(constant.getShape().size()) +
                  " dimensions, but DirectML's tensors have at most " +
                  Twine(maxRank));
  if (!countElements(constant.getShape()))
    return reject("its output has the shape " +
                  describeShape(constant.getShape()) +
                  ", but wanted are at most 2^32 - 1 elements");
  Tensor tensor;
  tensor.type = constant.getType();
  tensor.shape = Shape(constant.getShape());
  tensor.constant = std::move(constant);
  enter(index, std::move(tensor));
  return success();
}

LogicalResult NodeImporter::setView(unsigned index, unsigned input,
                                    Shape shape) {
  if (countElements(shape) != countElements(getShape(input)))
    return reject("it shows " + describeShape(getShape(input)) + " as " +
                  describeShape(shape) + ", which has not as many elements");
  const Tensor &tensor = getInput(input);
  if (tensor.constant)
    return set(index, tensor.constant->reshape(std::move(shape)));
  return set(index, tensor.value, std::move(shape));
}
