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
  let arguments = (ins DML_Tensor:$input, F32Attr:$alpha);
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
  let arguments = (ins DML_Tensor:$input, F32Attr:$alpha);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationHardSigmoidOp : DML_UnaryOp<"activation_hard_sigmoid", "ACTIVATION_HARD_SIGMOID",
    "Computes a line between 0 and 1", "max(0, min(alpha * x + beta, 1))"> {
  let arguments = (ins DML_Tensor:$input, F32Attr:$alpha, F32Attr:$beta);
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
  let arguments = (ins DML_Tensor:$input, F32Attr:$alpha, F32Attr:$beta);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationScaledEluOp : DML_UnaryOp<"activation_scaled_elu", "ACTIVATION_SCALED_ELU",
    "Computes scaled exponential linear units", "gamma * x where x > 0, else gamma * alpha * (e^x - 1)"> {
  let arguments = (ins DML_Tensor:$input, F32Attr:$alpha, F32Attr:$gamma);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationScaledTanhOp : DML_UnaryOp<"activation_scaled_tanh", "ACTIVATION_SCALED_TANH",
    "Computes scaled hyperbolic tangents", "alpha * tanh(beta * x)"> {
  let arguments = (ins DML_Tensor:$input, F32Attr:$alpha, F32Attr:$beta);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationSoftsignOp : DML_UnaryOp<"activation_softsign", "ACTIVATION_SOFTSIGN",
    "Computes soft signs", "x / (1 + |x|)"> {
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationThresholdedReluOp : DML_UnaryOp<"activation_thresholded_relu", "ACTIVATION_THRESHOLDED_RELU",
    "Keeps elements above a threshold", "x where x > alpha, else 0"> {
  let arguments = (ins DML_Tensor:$input, F32Attr:$alpha);
  let support = [
    DML_SameSupport<FL_3_0, 1, 8, DML_Float32And16>,
    DML_SameSupport<FL_2_0, 4, 5, DML_Float32And16>,
    DML_SameSupport<FL_1_0, 4, 4, DML_Float32And16>,
  ];
}

def DML_ActivationHardSwishOp : DML_UnaryOp<"activation_hard_swish", "ACTIVATION_HARD_SWISH",
    "Multiplies elements by a line between 0 and 1", "x * max(0, min(alpha * x + beta, 1))"> {
  let arguments = (ins DML_Tensor:$input, F32Attr:$alpha, F32Attr:$beta);
  let support = [
    DML_SameSupport<FL_6_2, 1, 8, DML_Float32And16>,
  ];
}

def DML_ActivationSwishOp : DML_UnaryOp<"activation_swish", "ACTIVATION_SWISH",
    "Multiplies elements by the logistic function", "x / (1 + e^(-sigmoid_input_scale * x))"> {
  let arguments = (ins DML_Tensor:$input, F32Attr:$sigmoid_input_scale);
  let support = [
    DML_SameSupport<FL_6_2, 1, 8, DML_Float32And16>,
  ];
}

#endif // DML_IR_ACTIVATIONOPS_TD
