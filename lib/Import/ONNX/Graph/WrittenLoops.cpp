//===- WrittenLoops.cpp - Loops whose iterations are written out ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/LoopImporter.h"
#include "Reader/Shapes.h"
#include "dml/IR/Origin.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

StringRef GraphImporter::LoopImporter::addName() {
  StringRef name =
      graph.strings->save(scope->prefix + "~" + Twine(++graph.numIterations));
  state.read.insert(name);
  return name;
}

StringRef GraphImporter::LoopImporter::addList(ArrayRef<int64_t> list) {
  StringRef name = addName();
  Tensor tensor = makeIntegers({static_cast<int64_t>(list.size())}, list);
  tensor.isKnown = true;
  state.tensors[name] = std::move(tensor);
  return name;
}

/// Imports a node that belongs to an iteration.
llvm::Error GraphImporter::LoopImporter::importPart(
    StringRef type, ArrayRef<StringRef> inputs, StringRef output,
    std::optional<int64_t> axis) {
  static const OperatorSets sets = [] {
    OperatorSets sets;
    sets[""] = 13;
    return sets;
  }();
  PlacedNode part =
      PlacedNode::makePart(placed.node.name, sets, type, inputs, output, axis);
  OpBuilder &builder = state.builder;
  Block::iterator end = builder.getInsertionPoint();
  Block &block = *builder.getInsertionBlock();
  Operation *before = end == block.begin() ? nullptr : &*std::prev(end);
  if (llvm::Error error = graph.importNode(part, index, scope))
    return error;
  for (Operation &op : llvm::make_range(
           before ? std::next(before->getIterator()) : block.begin(), end))
    if (isa<FeatureLevelOpInterface>(op))
      op.setAttr(notTakenAttrName, builder.getStringAttr(writtenOnHost));
  return llvm::Error::success();
}

/// Returns `tensor` with another shape of equally many elements.
static Tensor view(NodeImporter &importer, Tensor tensor, Shape shape) {
  if (tensor.constant)
    tensor.constant = tensor.constant->reshape(shape);
  else
    tensor.value = importer.reshape(tensor.value, toPhysical(shape));
  tensor.shape = std::move(shape);
  return tensor;
}

llvm::Error GraphImporter::LoopImporter::sliceScanned(int64_t number) {
  for (const LoopForm::Scanned &scanned : form.scanned) {
    int64_t row = scanned.isReversed ? *count - 1 - number : number;
    StringRef slice = addName();
    if (llvm::Error error =
            importPart("Slice",
                       {placed.node.inputs[scanned.input], addList(row),
                        addList(row + 1), addList(scanned.axis)},
                       slice))
      return error;
    const Tensor &tensor = state.tensors[slice];
    if (!tensor.isKnown)
      continue;
    Shape shape = tensor.shape;
    shape.erase(shape.begin() + scanned.axis);
    enter(scanned.bodyInput, view(importer, tensor, std::move(shape)));
  }
  return llvm::Error::success();
}

llvm::Expected<std::string>
GraphImporter::LoopImporter::writeIteration(int64_t number) {
  if (llvm::Error error = openIteration())
    return std::move(error);
  for (auto [each, tensor] : llvm::zip_equal(form.carried, carried))
    enter(each.bodyInput, tensor);
  if (!form.isScan()) {
    enter(form.iteration, makeIntegers({}, number));
    enter(form.conditionInput, makeTrue());
  }
  if (llvm::Error error = sliceScanned(number))
    return std::move(error);
  Outcome outcome = importBody();
  if (!outcome || !outcome->empty() || !graph.problems.empty() ||
      graph.problems.getNumBehind() != 0)
    return outcome;
  for (auto [each, tensor] : llvm::zip_equal(form.carried, carried)) {
    if (isPassedThrough(each))
      continue;
    std::string problem;
    llvm::Expected<const Tensor *> found = findOutput(each.bodyOutput, problem);
    if (!found)
      return found.takeError();
    if (!*found)
      return problem;
    tensor = **found;
  }
  for (auto [each, all] : llvm::zip_equal(form.collected, rows)) {
    if (!isRead(each))
      continue;
    std::string problem;
    llvm::Expected<const Tensor *> found =
        findOutput(each.bodyOutput->name, problem);
    if (!found)
      return found.takeError();
    if (!*found)
      return problem;
    all.push_back(**found);
  }
  return "";
}

llvm::Expected<std::string>
GraphImporter::LoopImporter::stack(const LoopForm::Collected &collected,
                                   ArrayRef<Tensor> all) {
  auto rank = static_cast<int64_t>(all.front().shape.size()) + 1;
  int64_t axis = collected.getAxis(rank);
  SmallVector<StringRef> names;
  for (const Tensor &tensor : all) {
    if (tensor.shape != all.front().shape || tensor.type != all.front().type)
      return ("its iterations collect " + describeShape(all.front().shape) +
              " and " + describeShape(tensor.shape) + " for '" +
              collected.bodyOutput->name + "', but wanted are equal shapes")
          .str();
    Shape row = tensor.shape;
    row.insert(row.begin() + axis, 1);
    names.push_back(addName());
    state.tensors[names.back()] = view(importer, tensor, std::move(row));
  }
  if (collected.isReversed)
    std::reverse(names.begin(), names.end());
  StringRef output = addName();
  if (llvm::Error error = importPart("Concat", names, output, axis))
    return std::move(error);
  if (const Tensor &tensor = state.tensors[output]; tensor.isKnown)
    setOutput(collected.output, tensor);
  return "";
}

llvm::Expected<std::string> GraphImporter::LoopImporter::writeOut() {
  carried.clear();
  for (const LoopForm::Carried &each : form.carried)
    carried.push_back(importer.getInput(each.input));
  rows.assign(form.collected.size(), {});
  size_t numNodes = 0;
  for (int64_t number = 0; !count || number < *count; ++number) {
    numNodes += std::max<size_t>(numNeeded, 1);
    size_t all = count ? *count * std::max<size_t>(numNeeded, 1) : numNodes;
    if (std::max(all, numNodes) > graph.maxWrittenOut)
      return "its iterations have more than " +
             std::to_string(graph.maxWrittenOut) +
             " nodes when they are written out";
    Outcome outcome = writeIteration(number);
    if (!outcome || !outcome->empty() || !graph.problems.empty() ||
        graph.problems.getNumBehind() != 0)
      return outcome;
    if (form.isScan())
      continue;
    llvm::Expected<std::optional<bool>> condition = findCondition();
    if (!condition)
      return condition.takeError();
    if (!*condition)
      return computedCondition.str();
    if (!**condition)
      break;
  }
  for (auto [each, tensor] : llvm::zip_equal(form.carried, carried))
    setOutput(each.output, tensor);
  for (auto [each, all] : llvm::zip_equal(form.collected, rows)) {
    if (!isRead(each))
      continue;
    Outcome outcome = stack(each, all);
    if (!outcome || !outcome->empty())
      return outcome;
  }
  return "";
}

llvm::Expected<std::string> GraphImporter::LoopImporter::writeNone() {
  for (const LoopForm::Carried &each : form.carried)
    setOutput(each.output, importer.getInput(each.input));
  for (const LoopForm::Collected &each : form.collected) {
    if (!isRead(each))
      continue;
    std::optional<DataType> type = toDataType(each.bodyOutput->elementType);
    if (!type)
      return ("it has no iterations, but its body does not declare the type "
              "of '" +
              each.bodyOutput->name + "'")
          .str();
    Tensor tensor;
    tensor.type = *type;
    tensor.isBool = isBoolType(each.bodyOutput->elementType);
    tensor.shape = Shape(getDeclaredSizes(*each.bodyOutput));
    auto rank = static_cast<int64_t>(tensor.shape.size()) + 1;
    int64_t axis = each.getAxis(rank);
    tensor.shape.insert(tensor.shape.begin() + axis, 0);
    tensor.constant = Constant(*type, tensor.shape, {}, nullptr);
    setOutput(each.output, std::move(tensor));
  }
  return "";
}
