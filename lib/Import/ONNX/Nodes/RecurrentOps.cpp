//===- RecurrentOps.cpp - Recurrent networks ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Nodes/Families.h"
#include "Nodes/NodeUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// An ONNX activation function, and its name in DirectML.
struct Function {
  StringLiteral onnxName, name;
  /// DirectML's names of ONNX's alpha and beta, or "".
  StringLiteral alpha, beta;
  float defaultAlpha, defaultBeta;
};

/// The tensors and functions of an operator.
struct Network {
  StringLiteral mnemonic;
  /// The number of gates, each of which has one matrix.
  int64_t gates;
  /// The default functions of a direction.
  ArrayRef<StringLiteral> functions;
};
} // namespace

static constexpr Function functions[] = {
    {"Affine", "linear", "alpha", "beta", 1, 0},
    {"Elu", "elu", "alpha", "", 1, 0},
    {"HardSigmoid", "hard_sigmoid", "alpha", "beta", 0.2f, 0.5f},
    {"LeakyRelu", "leaky_relu", "alpha", "", 0.01f, 0},
    {"Relu", "relu", "", "", 0, 0},
    {"ScaledTanh", "scaled_tanh", "alpha", "beta", 1, 1},
    {"Sigmoid", "sigmoid", "", "", 0, 0},
    {"Softplus", "softplus", "", "", 0, 0},
    {"Softsign", "softsign", "", "", 0, 0},
    {"Tanh", "tanh", "", "", 0, 0},
    {"ThresholdedRelu", "thresholded_relu", "alpha", "", 1, 0},
};

/// Takes the next float from a list. Only functions with a parameter take one.
static float takeFloat(ArrayRef<float> &values, float otherwise) {
  if (values.empty())
    return otherwise;
  float value = values.front();
  values = values.drop_front();
  return value;
}

/// Returns the activation functions of a node with `directions`.
static FailureOr<Attribute>
getActivations(NodeImporter &node, const Network &network, int64_t directions) {
  SmallVector<StringRef> names(node.getStrings("activations"));
  for (int64_t d = 0; !node.hasAttribute("activations") && d < directions; ++d)
    names.append(network.functions.begin(), network.functions.end());
  size_t wanted = network.functions.size() * directions;
  if (names.size() != wanted)
    return node.reject("its attribute activations has " + Twine(names.size()) +
                       " functions, but wanted are " + Twine(wanted));
  ArrayRef<float> alphas = node.getFloats("activation_alpha"),
                  betas = node.getFloats("activation_beta");
  Builder builder(node.getBuilder().getContext());
  SmallVector<Attribute> activations;
  for (StringRef name : names) {
    const Function *function =
        llvm::find_if(functions, [&](const Function &function) {
          return name.equals_insensitive(function.onnxName);
        });
    if (function == std::end(functions))
      return node.reject("it has the activation '" + name +
                         "', which ONNX does not describe");
    NamedAttrList parameters;
    if (!function->alpha.empty())
      parameters.set(function->alpha, builder.getF32FloatAttr(takeFloat(
                                          alphas, function->defaultAlpha)));
    if (!function->beta.empty())
      parameters.set(function->beta, builder.getF32FloatAttr(takeFloat(
                                         betas, function->defaultBeta)));
    if (function->name == "softplus")
      parameters.set("steepness", builder.getF32FloatAttr(1));
    activations.push_back(ActivationAttr::get(
        builder.getContext(), *symbolizeActivationFunction(function->name),
        parameters.getDictionary(builder.getContext())));
  }
  return Attribute(builder.getArrayAttr(activations));
}

static LogicalResult importNetwork(NodeImporter &node, const Network &network) {
  bool isLSTM = network.mnemonic == "lstm";
  if (failed(node.wantInputs(3, isLSTM ? 8 : 6)))
    return failure();
  for (unsigned index = 0; index < 3; ++index)
    if (node.getShape(index).size() != 3)
      return node.reject("its input " + Twine(index) + " has the shape " +
                         describeShape(node.getShape(index)) +
                         ", but wanted are three dimensions");
  // Before version 7, this attribute requests outputs that are named anyway.
  node.ignoreAttributes({"output_sequence"});
  int64_t layout = node.getInt("layout", 0);
  if (layout != 0 && layout != 1)
    return node.reject("its layout is " + Twine(layout) +
                       ", but wanted is 0 or 1");
  // In DirectML, only LSTM has a clip, and ONNX Runtime's other providers
  // implement clips differently.
  if (!isLSTM && node.hasAttribute("clip"))
    return node.reject("it has a clip, which DirectML's operator has not");

  StringRef direction = node.getString("direction", "forward");
  if (direction != "forward" && direction != "reverse" &&
      direction != "bidirectional")
    return node.reject("its direction is '" + direction +
                       "', but wanted is forward, reverse or bidirectional");
  int64_t directions = direction == "bidirectional" ? 2 : 1;
  // In layout 1, the batch is the first dimension. In DirectML, it comes after
  // the steps and the directions.
  auto swap = [](ArrayRef<int64_t> shape, size_t i, size_t j) {
    Shape swapped(shape);
    std::swap(swapped[i], swapped[j]);
    return swapped;
  };
  Shape input = node.getShape(0);
  if (layout == 1)
    input = swap(input, 0, 1);
  const Shape &recurrence = node.getShape(2);
  int64_t steps = input[0], batch = input[1], hidden = recurrence[2];
  if (int64_t stated = node.getInt("hidden_size", hidden); stated != hidden)
    return node.reject("its hidden_size is " + Twine(stated) +
                       ", but its recurrence has the shape " +
                       describeShape(recurrence));
  int64_t rows = 0;
  if (llvm::MulOverflow(network.gates, hidden, rows) || steps < 1 ||
      batch < 1 || hidden < 1 ||
      node.getShape(1) != Shape{directions, rows, input[2]} ||
      recurrence != Shape{directions, rows, hidden})
    return node.reject(
        "its input has the shape " + describeShape(node.getShape(0)) +
        ", its weights " + describeShape(node.getShape(1)) +
        " and its recurrence " + describeShape(recurrence) +
        ", which do not fit " + Twine(directions) +
        (directions == 1 ? " direction of " : " directions of ") +
        Twine(network.gates) + (network.gates == 1 ? " gate" : " gates"));
  FailureOr<Attribute> activations = getActivations(node, network, directions);
  if (failed(activations))
    return failure();

  // Returns an input that is present and has as many elements as `shape`.
  LogicalResult fits = success();
  auto get = [&](unsigned index, Shape shape) -> Value {
    if (!node.hasInput(index))
      return Value();
    if (countElements(node.getShape(index)) != countElements(shape)) {
      if (succeeded(fits))
        fits = node.reject("its input " + Twine(index) + " has the shape " +
                           describeShape(node.getShape(index)) +
                           ", but wanted are as many elements as in " +
                           describeShape(shape));
      return Value();
    }
    return node.getAs(index, shape);
  };
  Shape state = {1, directions, batch, hidden};
  auto getState = [&](unsigned index) -> Value {
    if (layout == 0)
      return get(index, state);
    Value value = get(index, swap(state, 1, 2));
    return value ? node.transpose(value, {0, 2, 1, 3}) : value;
  };
  Value x = node.get(0);
  if (layout == 1)
    x = node.transpose(x, {0, 2, 1, 3});
  SmallVector<NodeImporter::Operand> operands = {
      {"input", x},
      {"weight", node.get(1)},
      {"recurrence", node.get(2)},
      {"bias", get(3, {1, 1, directions, 2 * network.gates * hidden})},
      {"hidden_init", getState(5)}};
  // ONNX's lengths are int32 with the same bits.
  Value lengths = get(4, {1, 1, 1, batch});
  if (lengths)
    lengths = node.bitcast(lengths, DataType::UINT32);
  operands.push_back({"sequence_lengths", lengths});
  SmallVector<NamedAttribute> attributes = {
      node.attr("activation_descs", *activations),
      node.enumCase("direction", "recurrent_network_direction",
                    direction == "reverse" ? "backward" : direction)};
  if (isLSTM) {
    operands.push_back({"cell_mem_init", getState(6)});
    operands.push_back({"peephole", get(7, {1, 1, directions, 3 * hidden})});
    attributes.push_back(
        node.number("clip_threshold", node.getFloat("clip", 0)));
    attributes.push_back(
        node.flag("use_clip_threshold", node.hasAttribute("clip")));
    attributes.push_back(
        node.flag("couple_input_forget", node.getInt("input_forget", 0) != 0));
  }
  if (network.mnemonic == "gru")
    attributes.push_back(node.flag("linear_before_reset",
                                   node.getInt("linear_before_reset", 0) != 0));
  if (failed(fits))
    return failure();

  // Results that nothing reads are not computed.
  const Shape shapes[] = {{steps, directions, batch, hidden}, state, state};
  const Shape logical[] = {{steps, directions, batch, hidden},
                           {directions, batch, hidden},
                           {directions, batch, hidden}};
  SmallVector<Type> types;
  SmallVector<unsigned> outputs;
  SmallVector<int32_t> segments;
  for (unsigned index = 0; index < (isLSTM ? 3 : 2); ++index) {
    segments.push_back(node.hasOutput(index));
    if (!segments.back())
      continue;
    outputs.push_back(index);
    types.push_back(node.getTensorType(shapes[index], node.getType(0)));
  }
  if (outputs.empty())
    return success();
  attributes.push_back(node.attr(
      "resultSegmentSizes", node.getBuilder().getDenseI32ArrayAttr(segments)));
  FailureOr<SmallVector<Value>> results =
      node.buildAll(network.mnemonic, operands, attributes, types);
  if (failed(results))
    return failure();
  for (auto [index, result] : llvm::zip_equal(outputs, *results)) {
    Shape shape = logical[index];
    Value value = result;
    if (layout == 1) {
      // The value has the shape {steps, directions, batch, hidden}, or is a
      // state, without steps.
      value = index == 0 ? node.transpose(value, {2, 0, 1, 3})
                         : node.transpose(value, {0, 2, 1, 3});
      shape = index == 0 ? Shape{batch, steps, directions, hidden}
                         : Shape{batch, directions, hidden};
    }
    if (failed(node.set(index, value, shape)))
      return failure();
  }
  return success();
}

void dml::onnx::addRecurrentNodes(Registry &registry) {
  static constexpr StringLiteral usual[] = {"Sigmoid", "Tanh", "Tanh"};
  static const Network rnn{"rnn", 1, ArrayRef(usual).slice(1, 1)};
  static const Network gru{"gru", 3, ArrayRef(usual).take_front(2)};
  static const Network lstm{"lstm", 4, usual};
  auto add = [&](StringRef name, const Network &network) {
    registry.add(name, name, [&network](NodeImporter &node) {
      return importNetwork(node, network);
    });
  };
  add("RNN", rnn);
  add("GRU", gru);
  add("LSTM", lstm);
}
