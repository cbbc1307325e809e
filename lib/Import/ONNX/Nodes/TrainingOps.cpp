//===- TrainingOps.cpp - Losses of classes, and Dropout -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//
// ONNX specifies losses as functions composed of other operators. The importer
// builds these operators, since ONNX Runtime's DirectML provider has no
// separate operators for losses.
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

/// Computes the negative logarithms of the probabilities `input`, {N, C, 1, L},
/// of the classes in input 1 of the node, weighted by input 2, and sets the
/// output of ONNX's operator.
static LogicalResult setLoss(NodeImporter &node, Value input) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t batch = type.getDimSize(0), classes = type.getDimSize(1);
  const Shape &target = node.getShape(1);
  Shape one = {batch, 1, 1, type.getDimSize(3)};
  StringRef reduction = node.getString("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return node.reject("its reduction is '" + reduction +
                       "', but wanted is none, sum or mean");
  if (node.hasInput(2) && node.getShape(2) != Shape{classes})
    return node.reject(
        "its weights have the shape " + describeShape(node.getShape(2)) +
        ", but wanted is one for each of " + Twine(classes) + " classes");

  Value label = node.getAs(1, one), ignored;
  DataType labelType = node.getType(1);
  DataType number = node.getType(0);
  if (node.hasAttribute("ignore_index")) {
    // An ignored index need not be a valid class.
    auto splat = [&](int64_t index) {
      return node.getConstant(
          Constant::get(labelType, {1}, ArrayRef<int64_t>(index)).splat(one),
          one);
    };
    ignored = node.combine("element_wise_logical_equals", label,
                           splat(node.getInt("ignore_index", 0)),
                           node.getTensorType(one, DataType::UINT8));
    label = *node.build("element_wise_if",
                        {{"condition", ignored}, {"a", splat(0)}, {"b", label}},
                        {}, label.getType());
  }
  RankedTensorType picked = node.getTensorType(one, number);
  Value loss = node.apply("element_wise_negate",
                          *node.build("gather_elements",
                                      {{"input", input}, {"indices", label}},
                                      node.integer("axis", 1), picked));
  Value weight;
  if (node.hasInput(2))
    weight =
        *node.build("gather_elements",
                    {{"input", node.repeat(node.getAs(2, {1, classes, 1, 1}),
                                           {batch, classes, 1, one[3]})},
                     {"indices", label}},
                    node.integer("axis", 1), picked);
  if (ignored) {
    if (!weight)
      weight = node.getSplat(number, 1, one);
    weight = *node.build("element_wise_if",
                         {{"condition", ignored},
                          {"a", node.getSplat(number, 0, one)},
                          {"b", weight}},
                         {}, picked);
  }
  if (weight)
    loss = node.combine("element_wise_multiply", loss, weight);
  if (reduction == "none")
    return node.set(0, loss, target);

  auto reduce = [&](Value value, StringRef function) {
    return node.apply("reduce", value,
                      {node.enumCase("function", "reduce_function", function),
                       node.ints("axes", {0, 1, 2, 3})},
                      node.getTensorType({1, 1, 1, 1}, number));
  };
  if (reduction == "sum")
    return node.set(0, reduce(loss, "sum"), {});
  if (!weight)
    return node.set(0, reduce(loss, "average"), {});
  return node.set(0,
                  node.combine("element_wise_divide", reduce(loss, "sum"),
                               reduce(weight, "sum")),
                  {});
}

/// Returns the shape {N, C, 1, L} of input 0. Input 1 has one label for each
/// coordinate in the dimensions other than C.
static FailureOr<Shape> getClasses(NodeImporter &node) {
  const Shape &shape = node.getShape(0), &target = node.getShape(1);
  Shape wanted = shape;
  if (shape.size() >= 2)
    wanted.erase(wanted.begin() + 1);
  if (shape.size() < 2 || target != wanted)
    return node.reject("its inputs have the shapes " + describeShape(shape) +
                       " and " + describeShape(target) +
                       ", but wanted are classes in dimension 1, and a label "
                       "for each other coordinate");
  return Shape{shape[0], shape[1], 1,
               *countElements(ArrayRef(shape).drop_front(2))};
}

static LogicalResult importNegativeLogLikelihood(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  FailureOr<Shape> shape = getClasses(node);
  if (failed(shape))
    return failure();
  return setLoss(node, node.getAs(0, *shape));
}

static LogicalResult importSoftmaxCrossEntropy(NodeImporter &node) {
  if (failed(node.wantInputs(2, 3)))
    return failure();
  FailureOr<Shape> shape = getClasses(node);
  if (failed(shape))
    return failure();
  Value logarithms = node.apply("activation_log_softmax1",
                                node.getAs(0, *shape), node.ints("axes", 1));
  if (node.hasOutput(1) && failed(node.set(1, logarithms, node.getShape(0))))
    return failure();
  return setLoss(node, logarithms);
}

static LogicalResult importDropout(NodeImporter &node) {
  if (failed(node.wantInputs(1, 3)))
    return failure();
  bool isTraining = node.getOpset() < 7 && node.getInt("is_test", 0) == 0;
  if (node.hasInput(2)) {
    FailureOr<double> training = node.getNumber(2, "the training mode");
    if (failed(training))
      return failure();
    isTraining = *training != 0;
  }
  // Training without dropout is equal to inference.
  if (isTraining && node.hasInput(1)) {
    FailureOr<double> ratio = node.getNumber(1, "the ratio");
    if (failed(ratio))
      return failure();
    isTraining = *ratio != 0;
  }
  // Inference does not use these attributes and inputs.
  node.ignoreAttributes({"ratio", "seed"});
  node.ignoreInput(1);
  if (isTraining)
    return node.reject("its training mode is on, but wanted is inference");
  const Shape &shape = node.getShape(0);
  if (node.hasOutput(1)) {
    if (node.getOpset() < 12)
      return node.reject("its mask is read, which ONNX leaves open before "
                         "opset 12");
    Constant one = Constant::get(DataType::UINT8, {1}, ArrayRef<int64_t>(1));
    if (failed(node.set(1, one.splat(shape))))
      return failure();
  }
  return node.setView(0, 0, shape);
}

void dml::onnx::addTrainingNodes(Registry &registry) {
  registry.add("NegativeLogLikelihoodLoss",
               "GATHER_ELEMENTS, ELEMENT_WISE_NEGATE, REDUCE and others",
               importNegativeLogLikelihood);
  registry.add("SoftmaxCrossEntropyLoss",
               "ACTIVATION_LOG_SOFTMAX1, GATHER_ELEMENTS, REDUCE and others",
               importSoftmaxCrossEntropy);
  registry.add("Dropout", "a view", importDropout);
}
