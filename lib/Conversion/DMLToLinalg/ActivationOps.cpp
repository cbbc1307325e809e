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

/// ln(1 + e^x) without overflow.
static Number softplus(Number x) { return max(x, x(0)) + log1p(exp(-abs(x))); }

/// x - bias or x + bias where x is beyond the threshold.
static Number shrink(X x) {
  Number bias = x.getBound("bias");
  return select(x[0] > x.getBound("threshold"), x[0] - bias,
                select(x[0] < x.getBound("threshold", /*isNegated=*/true),
                       x[0] + bias, x[0](0)));
}

static Number gelu(Number x) {
  // An infinity would be multiplied with a zero.
  Number result = x(0.5) * x * (x(1) + erf(x * x(0.70710678118654752)));
  return select(x < x(-20), x(0), result);
}

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
    {"activation_celu",
     [](X x) {
       Number exponential = exp(x[0] / x["alpha"]);
       return max(x[0], x[0](0)) +
              min(x["alpha"] * (exponential - x[0](1)), x[0](0));
     }},
    {"activation_parametric_softplus",
     [](X x) { return x["alpha"] * softplus(x["beta"] * x[0]); }},
    {"activation_softplus",
     [](X x) { return softplus(x["steepness"] * x[0]) / x["steepness"]; }},
    {"activation_parameterized_relu",
     [](X x) { return select(x[0] >= x[0](0), x[0], x[1] * x[0]); }},
    {"activation_relu_grad",
     [](X x) { return select(x[0] > x[0](0), x[1], x[1](0)); }},
    {"activation_shrink", shrink},
    {"activation_gelu", [](X x) { return gelu(x[0]); }},
};

ArrayRef<ElementWiseRow> dml::getActivationRows() { return rows; }

void dml::populateActivationPatterns(const TypeConverter &typeConverter,
                                     RewritePatternSet &patterns) {
  populateElementWise(typeConverter, patterns, rows);
}
