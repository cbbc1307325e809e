//===- ActivationOps.cpp - Activation functions to linalg -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ElementWiseRows.h"

using namespace mlir;
using namespace dml;

using X = const Elements &;

static Number sigmoid(Number x) { return x(1) / (x(1) + exp(-x)); }

/// Computes ln(1 + e^x) without overflow.
static Number softplus(Number x) { return max(x, x(0)) + log1p(exp(-abs(x))); }

/// Computes x - bias or x + bias if x is beyond the threshold.
static Number shrink(X x) {
  Number bias = x.getBound("bias");
  return select(x[0] > x.getBound("threshold"), x[0] - bias,
                select(x[0] < x.getBound("threshold", /*isNegated=*/true),
                       x[0] + bias, x[0](0)));
}

/// Computes x * P(X < x) for a standard normally distributed number X. The
/// polynomials are minimax approximations.
static Number gelu(Number x) {
  // The probability that X exceeds a positive number a is 2^power / 2. From a =
  // 5.5 on, it is negligible, and a is replaced by 0, also for NaN and
  // infinities.
  Number a = abs(x);
  a = select(a <= x(5.5), a, x(0));
  Number power =
      evaluateFused(a, {-2.83524491e-6, 3.93811133e-5, -1.8619404e-4,
                        -1.36908639e-4, 7.06339069e-3, -5.24961613e-2,
                        -4.5920819e-1, -1.15110517}) *
      a;
  // The sum contains the integer nearest to the power in its last bits. The
  // power is at least -25, so that 2^n is a normal number.
  Number sum = power + x(0x1.8p23);
  Number r = power - (sum - x(0x1.8p23));
  // Computes 2^r / 2.
  Number share =
      evaluateFused(r, {7.67668025e-5, 6.69943751e-4, 4.80921846e-3,
                        2.77516618e-2, 1.20113239e-1, 3.46573591e-1, 0.5});
  Number bits = toBits(sum);
  share = fromBits(toBits(share) + (bits << bits(23)));
  return fma(-a, share, select(x < x(0), x(0), x));
}

/// Computes gelu(x) with an exponential, for which devices have special units.
/// This takes fewer operations than gelu(), but the error of several units in
/// the last place is visible in an f32. The polynomial is that of gelu() times
/// ln 2, minus ln 2.
static Number geluOfFewOps(Number x) {
  Number a = abs(x);
  a = select(a <= x(5.5), a, x(0));
  Number share =
      exp(evaluateFused(a, {-1.96524202e-6, 2.72969077e-5, -1.29059874e-4,
                            -9.48978371e-5, 4.89596934e-3, -3.63875662e-2,
                            -3.18298862e-1, -7.97885303e-1, -6.93147181e-1}));
  return fma(-a, share, select(x < x(0), x(0), x));
}

/// Computes alpha * x + beta, clamped to the range from 0 to 1.
static Number hardSigmoid(X x) {
  Number line = x["alpha"] * x[0] + x["beta"];
  return max(min(line, x[0](1)), x[0](0));
}

static constexpr ElementWiseRow activationRows[] = {
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
    {"activation_gelu",
     [](X x) {
       return x.getResultType().isF16() ? geluOfFewOps(x[0]) : gelu(x[0]);
     }},
};

ArrayRef<ElementWiseRow> dml::getActivationRows() { return activationRows; }

void dml::populateActivationPatterns(const TypeConverter &typeConverter,
                                     RewritePatternSet &patterns) {
  populateElementWise(typeConverter, patterns, activationRows);
}
