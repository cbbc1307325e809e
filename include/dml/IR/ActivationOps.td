//===- ActivationOps.td - Activation functions ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_ACTIVATIONOPS_TD
#define DML_IR_ACTIVATIONOPS_TD

include "dml/IR/ElementWiseOpBase.td"

def DML_ActivationReluOp : DML_UnaryOp<"activation_relu", "ACTIVATION_RELU",
    "Rectifies elements", "max(0, x)",
    "A NaN becomes 0, as in HLSL."> {
  let support = [
    DML_SameSupport<FL_5_1, 1, 8, DML_FloatsAndSigned>,
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationLeakyReluOp : DML_UnaryOp<"activation_leaky_relu", "ACTIVATION_LEAKY_RELU",
    "Scales negative elements", "x where x >= 0, else alpha * x"> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationSigmoidOp : DML_UnaryOp<"activation_sigmoid", "ACTIVATION_SIGMOID",
    "Computes the logistic function", "1 / (1 + e^-x)"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationTanhOp : DML_UnaryOp<"activation_tanh", "ACTIVATION_TANH",
    "Computes hyperbolic tangents", "tanh(x)"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationEluOp : DML_UnaryOp<"activation_elu", "ACTIVATION_ELU",
    "Computes exponential linear units", "x where x >= 0, else alpha * (e^x - 1)"> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationHardSigmoidOp : DML_UnaryOp<"activation_hard_sigmoid", "ACTIVATION_HARD_SIGMOID",
    "Computes a line between 0 and 1", "max(0, min(alpha * x + beta, 1))"> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha, DML_F32Attr:$beta);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationIdentityOp : DML_UnaryOp<"activation_identity", "ACTIVATION_IDENTITY",
    "Copies elements", "x"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationLinearOp : DML_UnaryOp<"activation_linear", "ACTIVATION_LINEAR",
    "Computes a line", "alpha * x + beta"> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha, DML_F32Attr:$beta);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationScaledEluOp : DML_UnaryOp<"activation_scaled_elu", "ACTIVATION_SCALED_ELU",
    "Computes scaled exponential linear units", "gamma * x where x > 0, else gamma * alpha * (e^x - 1)"> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha, DML_F32Attr:$gamma);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationScaledTanhOp : DML_UnaryOp<"activation_scaled_tanh", "ACTIVATION_SCALED_TANH",
    "Computes scaled hyperbolic tangents", "alpha * tanh(beta * x)"> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha, DML_F32Attr:$beta);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationSoftsignOp : DML_UnaryOp<"activation_softsign", "ACTIVATION_SOFTSIGN",
    "Computes soft signs", "x / (1 + |x|)",
    "The largest finite numbers give 1 or -1; an infinity divided by an infinity is "
    "NaN."> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationThresholdedReluOp : DML_UnaryOp<"activation_thresholded_relu", "ACTIVATION_THRESHOLDED_RELU",
    "Keeps elements above a threshold", "x where x > alpha, else 0"> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationHardSwishOp : DML_UnaryOp<"activation_hard_swish", "ACTIVATION_HARD_SWISH",
    "Multiplies elements by a line between 0 and 1", "x * max(0, min(alpha * x + beta, 1))",
    "Where the line is 0 the result is a zero of either sign, and NaN for an infinite "
    "x, as the formula has it."> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha, DML_F32Attr:$beta);
  let support = [
    DML_SameSupport<FL_6_2, 1, 8, DML_Float32And16>,
  ];
}

def DML_ActivationSwishOp : DML_UnaryOp<"activation_swish", "ACTIVATION_SWISH",
    "Multiplies elements by the logistic function", "x / (1 + e^(-sigmoid_input_scale * x))",
    "Of negative infinity it is NaN with a positive `sigmoid_input_scale`: infinity is "
    "divided by infinity."> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$sigmoid_input_scale);
  let support = [
    DML_SameSupport<FL_6_2, 1, 8, DML_Float32And16>,
  ];
}

def DML_ActivationCeluOp
    : DML_UnaryOp<"activation_celu", "ACTIVATION_CELU",
    "Computes continuously differentiable exponential linear units",
    "max(0, x) + min(0, alpha * (e^(x / alpha) - 1))",
    "`alpha` is not 0: elements are divided by it. A negative `alpha` is taken as the "
    "formula has it."> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha);
  let hasVerifier = 1;
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
  ];
}

def DML_ActivationParametricSoftplusOp
    : DML_UnaryOp<"activation_parametric_softplus", "ACTIVATION_PARAMETRIC_SOFTPLUS",
    "Computes parametric soft rectifiers",
    "alpha * ln(1 + e^(beta * x))",
    "It does not overflow: ln(1 + e^z) is computed as max(z, 0) + ln(1 + "
    "e^-|z|)."> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$alpha, DML_F32Attr:$beta);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationSoftplusOp
    : DML_UnaryOp<"activation_softplus", "ACTIVATION_SOFTPLUS",
    "Computes soft rectifiers",
    "ln(1 + e^(steepness * x)) / steepness",
    "It does not overflow: ln(1 + e^z) is computed as max(z, 0) + ln(1 + "
    "e^-|z|). `steepness` is above 0, and before feature level 6_4 at least "
    "1."> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$steepness);
  let hasVerifier = 1;
  let enumSupport = [DML_SteepnessSupport<>];
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationParameterizedReluOp
    : DML_ElementWiseOp<"activation_parameterized_relu", "ACTIVATION_PARAMETERIZED_RELU",
    "Scales negative elements by slopes",
    "x where x >= 0, else slope * x",
    "Integers wrap around.",
    "* (C1) `input`, `slope` and `output` have the same element type and "
    "sizes.\n"> {
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$slope);
  let results = (outs DML_Tensor:$output);
  let sameElementTypes = [["input", "slope", "output"]];
  let sameShapes = [["input", "slope", "output"]];
  let support = [
    DML_SameSupport<FL_5_1, 1, 8, DML_FloatsAndSigned>,
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationReluGradOp
    : DML_GradientOp<"activation_relu_grad", "ACTIVATION_RELU_GRAD",
    "Computes gradients of a rectifier",
    "g where x > 0, else 0",
    "The gradient where x is NaN is 0: the comparison is false. The page's table has "
    "ranks from 1 to 8 at 3_0 already, the feature level history from 3_1 or 4_0 on; "
    "the table is followed."> {
  let support = [
    DML_SameSupport<FL_5_1, 1, 8, DML_FloatsAndSigned>,
    DML_SameSupport<FL_4_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
  ];
}

def DML_ActivationShrinkOp
    : DML_UnaryOp<"activation_shrink", "ACTIVATION_SHRINK",
    "Moves elements towards zero",
    "x - bias where x > threshold, x + bias where x < -threshold, else 0",
    "In an integer tensor `bias`, `threshold` and its negative are rounded "
    "towards zero and limited to the numbers of the type, and results wrap "
    "around. The page's table has integers from 5_1 on, the feature level history from "
    "2_1; the table is followed."> {
  let arguments = (ins DML_Tensor:$input, DML_F32Attr:$bias, DML_F32Attr:$threshold);
  let support = [
    DML_SameSupport<FL_5_1, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
  ];
}

def DML_ActivationGeluOp
    : DML_UnaryOp<"activation_gelu", "ACTIVATION_GELU",
    "Computes Gaussian error linear units",
    "0.5 * x * (1 + erf(x / sqrt(2)))",
    "It is the exact form, with the error function of "
    "`dml.element_wise_erf`."> {
  let support = [
    DML_SameSupport<FL_5_1, 1, 8, DML_Float32And16>,
  ];
}

#endif // DML_IR_ACTIVATIONOPS_TD
