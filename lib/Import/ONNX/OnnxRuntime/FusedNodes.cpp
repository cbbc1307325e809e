//===- FusedNodes.cpp - Nodes with an activation behind them --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime's DirectML provider replaces a Conv and the Relu behind it by
// one DmlFusedConv of its own domain, which becomes one operator with a fused
// activation. A saved optimized model contains such nodes.
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/ContribUtils.h"
#include "dml/IR/DML.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// An ONNX activation, the function that operators fuse, and the default
/// parameters. A parameter that the function does not have is NaN.
struct Row {
  StringLiteral type, function;
  float alpha, beta, gamma;
};

/// The names of the attributes that state an activation.
struct Names {
  StringLiteral type, alpha, beta, gamma;
};
} // namespace

static constexpr float none = std::numeric_limits<float>::quiet_NaN();

static constexpr Row rows[] = {
    {"Elu", "elu", 1, none, none},
    {"HardSigmoid", "hard_sigmoid", 0.2f, 0.5f, none},
    {"LeakyRelu", "leaky_relu", 0.01f, none, none},
    {"ParametricSoftplus", "parametric_softplus", 0, 0, none},
    {"Relu", "relu", none, none, none},
    {"ScaledTanh", "scaled_tanh", 1, 1, none},
    {"Selu", "scaled_elu", 1.67326319217681884765625f, none,
     1.05070102214813232421875f},
    {"Sigmoid", "sigmoid", none, none, none},
    {"Softplus", "softplus", none, none, none},
    {"Softsign", "softsign", none, none, none},
    {"Tanh", "tanh", none, none, none},
    {"ThresholdedRelu", "thresholded_relu", 1, none, none},
};

static constexpr Names fusedNames = {"fused_activation", "fused_alpha",
                                     "fused_beta", "fused_gamma"},
                       productNames = {"activation", "activation_alpha",
                                       "activation_beta", "activation_gamma"};

/// The version of ONNX's operator set as one of which fused nodes are read.
static constexpr int64_t readVersion = 13;

/// Returns the activation softmax1 along the dimension that activation_axis
/// states, of four-dimensional products.
static FailureOr<Attribute> getSoftmax(NodeImporter &node) {
  int64_t rank = std::max(node.getShape(0).size(), node.getShape(1).size());
  if (rank > 4)
    return node.reject("it applies Softmax to " + Twine(rank) +
                       " dimensions, but wanted are 4 at most");
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("activation_axis", -1), rank);
  if (failed(axis))
    return failure();
  Builder &builder = node.getBuilder();
  return Attribute(ActivationAttr::get(
      builder.getContext(), ActivationFunction::softmax1,
      builder.getDictionaryAttr(node.ints("axes", *axis + 4 - rank))));
}

/// Returns the activation of a node whose attributes have the names `names`.
static FailureOr<Attribute> getActivation(NodeImporter &node,
                                          const Names &names) {
  StringRef type = node.getString(names.type, "");
  if (type == "Softmax" && names.type == productNames.type)
    return getSoftmax(node);
  const auto *row =
      llvm::find_if(rows, [&](const Row &row) { return row.type == type; });
  if (row == std::end(rows))
    return node.reject("its attribute " + names.type + " is '" + type +
                       "', which DirectML's operators do not fuse");
  NamedAttrList parameters;
  auto add = [&](StringRef field, StringRef name, float otherwise) {
    if (!std::isnan(otherwise))
      parameters.append(node.number(field, node.getFloat(name, otherwise)));
  };
  add("alpha", names.alpha, row->alpha);
  add("beta", names.beta, row->beta);
  add("gamma", names.gamma, row->gamma);
  if (row->function == "softplus")
    parameters.append(node.number("steepness", 1));
  MLIRContext *context = node.getBuilder().getContext();
  return Attribute(
      ActivationAttr::get(context, *symbolizeActivationFunction(row->function),
                          parameters.getDictionary(context)));
}

/// Imports a node as `base` does, with an activation that is fused.
static LogicalResult importFused(NodeImporter &node, const Names &names,
                                 const ImportFunction &base) {
  FailureOr<Attribute> activation = getActivation(node, names);
  if (failed(activation))
    return failure();
  node.ignoreAttributes({"fused_activation_domain",
                         "fused_activation_since_version", "activation_axis"});
  node.fuse(*activation);
  node.readAs(readVersion);
  if (failed(base(node)))
    return failure();
  if (!node.wasFused())
    return node.reject("no operator that it becomes fuses an activation");
  return success();
}

/// Imports a sum of two tensors.
static LogicalResult importSum(NodeImporter &node) {
  if (failed(node.wantInputs(2, 2)))
    return failure();
  std::optional<Shape> shape =
      broadcastShapes(node.getShape(0), node.getShape(1));
  if (!shape)
    return node.reject(
        "its inputs have the shapes " + describeShape(node.getShape(0)) +
        " and " + describeShape(node.getShape(1)) + ", which do not broadcast");
  Shape physical = toPhysical(*shape);
  return node.set(0,
                  node.build("element_wise_add1",
                             {{"a", node.getBroadcast(0, physical)},
                              {"b", node.getBroadcast(1, physical)}},
                             {}, node.getTensorType(physical, node.getType(0))),
                  *shape);
}

void dml::onnx::addFusedNodes(Registry &registry) {
  auto add = [&](StringRef name, StringRef becomes, ImportFunction base) {
    registry.add(("DmlFused" + name).str(), becomes,
                 [base = std::move(base)](NodeImporter &node) {
                   return importFused(node, fusedNames, base);
                 },
                 fusedDomain);
  };
  for (StringRef name :
       {"BatchNormalization", "Conv", "ConvTranspose", "Gemm",
        "InstanceNormalization", "MatMul", "MeanVarianceNormalization"}) {
    const Operator *base = registry.find("", name);
    assert(base && "a fused node has an operator of ONNX's own");
    add(name, base->becomes, base->import);
  }
  add("Add", "ELEMENT_WISE_ADD1", importSum);
  add("Sum", "ELEMENT_WISE_ADD1", importSum);
  const Operator *product = registry.find(contribDomain, "FusedMatMul");
  assert(product && "FusedMatMul is known");
  addContrib(registry, "FusedMatMulActivation", "GEMM",
             [base = product->import](NodeImporter &node) {
               return importFused(node, productNames, base);
             });
}
