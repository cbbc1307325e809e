//===- ActivationOps.cpp - Activation functions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operators/ElementWiseRows.h"
#include <cmath>

namespace dml::reference {

/// 1 / (1 + e^-x)
static Interval sigmoid(Interval x) {
  return Interval(1) / (Interval(1) + exp(-x));
}

/// Computes 0.5 * x * (1 + erf(x / sqrt(2))), which is 0 for -infinity.
///
/// A kernel may instead compute max(x, 0) - |x| * q, where q is the probability
/// that a normally distributed number exceeds |x|. The kernel computes q as the
/// exponential of a number p, which is at most -ln 2. Vulkan allows a relative
/// error of (3 + 2 |p|) * 2^-23 for the exponential. The resulting absolute
/// error is largest at p = -ln 2: 0.5 * 4.4 = 2.2 units of 2^-23. The error of
/// p, less than 2 units in its last place, adds 0.4 units, and the polynomial
/// for p adds 0.3. The total error of q is thus less than 4 * 2^-23. For |x|
/// above 5.5, q is negligible.
static Interval gelu(Interval x) {
  Interval result = select(
      x < Interval(-20), Interval(0),
      Interval(0.5) * x * (Interval(1) + erf(x * Interval(std::sqrt(0.5)))));
  result = result + min(abs(x), Interval(5.5)) *
                        Interval::around(0, -0x1p-21, 0x1p-21, 0);
  // Alternatively, a kernel may subtract a number of about x / 2 from x. For x
  // near the smallest normal number, a device may flush this number to 0.
  Interval flushed = Interval::around(0, -smallestNormal, smallestNormal, 0);
  return select(abs(x) < Interval(0x1p-100), result + flushed, result);
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
    floatRow("activation_celu",
             [](auto &x) {
               return out(max(x[0](0), x[0]) +
                          min(x[0](0),
                              x["alpha"] * (exp(x[0] / x["alpha"]) - x[0](1))));
             }),
    floatRow(
        "activation_parametric_softplus",
        [](auto &x) { return out(x["alpha"] * softplus(x["beta"] * x[0])); }),
    floatRow("activation_softplus",
             [](auto &x) {
               return out(softplus(x["steepness"] * x[0]) / x["steepness"]);
             }),
    row("activation_parameterized_relu",
        [](auto &x) {
          return out(select(x[0] >= x[0](0), x[0], x[1] * x[0]));
        }),
    row("activation_relu_grad",
        [](auto &x) { return out(select(x[0] > x[0](0), x[1], x[1](0))); }),
    row("activation_shrink",
        [](auto &x) {
          return out(select(x[0] > x.getBound("threshold"),
                            x[0] - x.getBound("bias"),
                            select(x[0] < x.getBound("threshold", true),
                                   x[0] + x.getBound("bias"), x[0](0))));
        }),
    floatRow("activation_gelu", [](auto &x) { return out(gelu(x[0])); }),
};

llvm::ArrayRef<ElementWiseRow> getActivationRows() { return rows; }

void addActivationEvaluators(Evaluators &evaluators) {
  addElementWise(evaluators, rows);
}

} // namespace dml::reference
