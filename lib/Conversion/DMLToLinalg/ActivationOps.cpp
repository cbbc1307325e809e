//===- ActivationOps.cpp - Activation functions to linalg -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWise.h"

using namespace mlir;
using namespace dml;

using X = const Elements &;

static Number sigmoid(Number x) { return x(1) / (x(1) + exp(-x)); }

/// alpha * x + beta, kept between 0 and 1.
static Number hardSigmoid(X x) {
  Number line = x["alpha"] * x[0] + x["beta"];
  return max(min(line, x[0](1)), x[0](0));
}

static constexpr ElementWiseRow rows[] = {
    {"activation_elu",
     [](X x) {
       return select(x[0] >= x[0](0), x[0], x["alpha"] * (exp(x[0]) - x[0](1)));
     }},
    {"activation_hard_sigmoid", hardSigmoid},
    {"activation_hard_swish", [](X x) { return x[0] * hardSigmoid(x); }},
    {"activation_identity", [](X x) { return x[0]; }},
    {"activation_leaky_relu",
     [](X x) { return select(x[0] >= x[0](0), x[0], x["alpha"] * x[0]); }},
    {"activation_linear", [](X x) { return x["alpha"] * x[0] + x["beta"]; }},
    {"activation_relu", [](X x) { return max(x[0], x[0](0)); }},
    {"activation_scaled_elu",
     [](X x) {
       return x["gamma"] *
              select(x[0] > x[0](0), x[0], x["alpha"] * exp(x[0]) - x["alpha"]);
     }},
    {"activation_scaled_tanh",
     [](X x) { return x["alpha"] * tanh(x["beta"] * x[0]); }},
    {"activation_sigmoid", [](X x) { return sigmoid(x[0]); }},
    {"activation_softsign", [](X x) { return x[0] / (x[0](1) + abs(x[0])); }},
    {"activation_swish",
     [](X x) { return x[0] * sigmoid(x["sigmoid_input_scale"] * x[0]); }},
    {"activation_tanh", [](X x) { return tanh(x[0]); }},
    {"activation_thresholded_relu",
     [](X x) { return select(x[0] > x["alpha"], x[0], x[0](0)); }},
};

ArrayRef<ElementWiseRow> dml::getActivationRows() { return rows; }

void dml::populateActivationPatterns(const TypeConverter &typeConverter,
                                     RewritePatternSet &patterns) {
  populateElementWise(typeConverter, patterns, rows);
}
