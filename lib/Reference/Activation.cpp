//===- Activation.cpp - Activation functions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWiseRows.h"

namespace dml::reference {

/// 1 / (1 + e^-x)
static Interval sigmoid(Interval x) {
  return Interval(1) / (Interval(1) + exp(-x));
}

/// max(0, min(alpha * x + beta, 1))
static Interval hardSigmoid(const Elements<Interval> &x) {
  return max(Interval(0), min(x["alpha"] * x[0] + x["beta"], Interval(1)));
}

static const ElementWiseRow rows[] = {
    floatRow("activation_elu",
             [](auto &x) {
               return out(select(x[0] >= x[0](0), x[0],
                                 x["alpha"] * (exp(x[0]) - x[0](1))));
             }),
    floatRow("activation_hard_sigmoid",
             [](auto &x) { return out(hardSigmoid(x)); }),
    floatRow("activation_hard_swish",
             [](auto &x) { return out(x[0] * hardSigmoid(x)); }),
    floatRow("activation_identity", [](auto &x) { return out(x[0]); }),
    floatRow("activation_leaky_relu",
             [](auto &x) {
               return out(select(x[0] >= x[0](0), x[0], x["alpha"] * x[0]));
             }),
    floatRow("activation_linear",
             [](auto &x) { return out(x["alpha"] * x[0] + x["beta"]); }),
    row("activation_relu", [](auto &x) { return out(max(x[0], x[0](0))); }),
    floatRow("activation_scaled_elu",
             [](auto &x) {
               return out(x["gamma"] *
                          select(x[0] > x[0](0), x[0],
                                 x["alpha"] * exp(x[0]) - x["alpha"]));
             }),
    floatRow("activation_scaled_tanh",
             [](auto &x) { return out(x["alpha"] * tanh(x["beta"] * x[0])); }),
    floatRow("activation_sigmoid", [](auto &x) { return out(sigmoid(x[0])); }),
    floatRow("activation_softsign",
             [](auto &x) { return out(x[0] / (x[0](1) + abs(x[0]))); }),
    floatRow("activation_swish",
             [](auto &x) {
               return out(x[0] * sigmoid(x["sigmoid_input_scale"] * x[0]));
             }),
    floatRow("activation_tanh", [](auto &x) { return out(tanh(x[0])); }),
    floatRow(
        "activation_thresholded_relu",
        [](auto &x) { return out(select(x[0] > x["alpha"], x[0], x[0](0))); }),
};

llvm::ArrayRef<ElementWiseRow> getActivationRows() { return rows; }

void addActivationEvaluators(Evaluators &evaluators) {
  addElementWise(evaluators, rows);
}

} // namespace dml::reference
