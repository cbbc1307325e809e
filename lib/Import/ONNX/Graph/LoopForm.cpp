//===- LoopForm.cpp - What a Loop or a Scan does with tensors -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/LoopForm.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

SmallVector<int64_t> dml::onnx::getDeclaredSizes(const ValueInfo &info) {
  SmallVector<int64_t> sizes;
  for (const Dimension &dimension : info.dimensions)
    sizes.push_back(std::max<int64_t>(dimension.size.value_or(0), 0));
  return sizes;
}

/// Adds the tensors that iterations collect, which are the body's outputs from
/// `first` on.
static std::string addCollected(LoopForm &form, size_t first,
                                size_t firstOutput) {
  const std::vector<ValueInfo> &outputs = form.body->outputs;
  for (size_t number = first; number < outputs.size(); ++number) {
    std::optional<DataType> type = toDataType(outputs[number].elementType);
    if (type ? isFourBits(*type) : outputs[number].elementType != 0)
      return "output " + std::to_string(number) +
             " of its body is declared as " +
             describeONNXType(outputs[number].elementType) +
             ", which iterations cannot collect";
    form.collected.push_back({&outputs[number], firstOutput + number - first});
  }
  return "";
}

static std::string readLoop(const NodeProto &node, LoopForm &form) {
  const GraphProto &graph = *form.body;
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
  form.iteration = graph.inputs[0].name;
  form.conditionInput = graph.inputs[1].name;
  form.conditionOutput = graph.outputs[0].name;
  for (size_t number = 0; number < count; ++number) {
    if (node.inputs[number + 2].empty())
      return "the tensor before its first iteration is left out for input " +
             std::to_string(number + 2);
    form.carried.push_back({number + 2, graph.inputs[number + 2].name,
                            graph.outputs[number + 1].name, number});
  }
  return addCollected(form, count + 1, count);
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

static std::string addScanned(const NodeImporter &importer, LoopForm &form,
                              size_t input, int64_t axis, bool isReversed) {
  if (!importer.hasInput(input))
    return "its input " + std::to_string(input) + " is left out";
  ArrayRef<int64_t> shape = importer.getShape(input);
  auto rank = static_cast<int64_t>(shape.size());
  int64_t normal = axis < 0 ? axis + rank : axis;
  if (normal < 0 || normal >= rank)
    return "its input " + std::to_string(input) + " has no axis " +
           std::to_string(axis);
  if (form.numSteps && *form.numSteps != shape[normal])
    return "its inputs have " + std::to_string(*form.numSteps) + " and " +
           std::to_string(shape[normal]) + " steps, but wanted are as many";
  form.numSteps = shape[normal];
  form.scanned.push_back(
      {input, form.body->inputs[input].name, normal, isReversed});
  return "";
}

static std::string readScan(NodeImporter &importer, LoopForm &form) {
  const NodeProto &node = importer.getNode();
  const GraphProto &graph = *form.body;
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
  for (size_t number = 0; number < numStates; ++number) {
    if (!importer.hasInput(number))
      return "its input " + std::to_string(number) + " is left out";
    form.carried.push_back({number, graph.inputs[number].name,
                            graph.outputs[number].name, number});
  }
  for (int64_t number = 0; number < numScanned; ++number) {
    std::string problem =
        addScanned(importer, form, numStates + number, (*axes)[number],
                   /*isReversed=*/(*directions)[number] != 0);
    if (!problem.empty())
      return problem;
  }
  std::string problem = addCollected(form, numStates, numStates);
  if (!problem.empty())
    return problem;
  for (auto [collected, axis, direction] :
       llvm::zip_equal(form.collected, *outputAxes, *outputDirections)) {
    collected.axis = axis;
    collected.isReversed = direction != 0;
  }
  return "";
}

std::string dml::onnx::readLoopForm(NodeImporter &importer, LoopForm &form) {
  if (form.body->hasSparseInitializers)
    return "its body has sparse initializers";
  std::string problem = importer.getNode().opType == "Loop"
                            ? readLoop(importer.getNode(), form)
                            : readScan(importer, form);
  return problem.empty() ? importer.takeReason() : problem;
}
