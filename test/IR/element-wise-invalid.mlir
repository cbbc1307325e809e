// RUN: dml-opt %s --split-input-file --verify-diagnostics

// DML_UnaryOp (C1)
func.func @main(%x: tensor<2x3xi8>) {
  // expected-error@+1 {{output has element type 'i16', but input has 'i8'}}
  %0 = dml.element_wise_negate %x : (tensor<2x3xi8>) -> tensor<2x3xi16>
  return
}

// -----

// DML_ScaledUnaryOp (C1)
func.func @main(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{output has size 4 in dimension 1, but input has 3 there}}
  %0 = dml.element_wise_sin %x : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

// DML_ScaledUnaryOp (C2)
func.func @main(%x: tensor<2x3xf64>) {
  // expected-error@+1 {{has a scale_bias, but input has element type 'f64'; wants f32 or f16}}
  %0 = dml.element_wise_identity %x {scale_bias = #dml.scale_bias<scale = 2.0 : f32, bias = 1.0 : f32>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// -----

// DML_BinaryOp (C1)
func.func @main(%a: tensor<4xui32>, %b: tensor<4xi32>) {
  // expected-error@+1 {{b has element type 'i32', but a has 'ui32'}}
  %0 = dml.element_wise_mean %a, %b : (tensor<4xui32>, tensor<4xi32>) -> tensor<4xui32>
  return
}

// -----

// DML_ComparisonOp (C1)
func.func @main(%a: tensor<4xi64>, %b: tensor<4xi64>) {
  // expected-error@+1 {{output has size 5 in dimension 0, but a has 4 there}}
  %0 = dml.element_wise_logical_equals %a, %b : (tensor<4xi64>, tensor<4xi64>) -> tensor<5xui8>
  return
}

// -----

// DML_ComparisonOp (C2)
func.func @main(%a: tensor<4xi64>, %b: tensor<4xi32>) {
  // expected-error@+1 {{b has element type 'i32', but a has 'i64'}}
  %0 = dml.element_wise_logical_equals %a, %b : (tensor<4xi64>, tensor<4xi32>) -> tensor<4xui8>
  return
}

// -----

// DML_RetypingOp (C1)
func.func @main(%x: tensor<2x3xf64>) {
  // expected-error@+1 {{output has size 3 in dimension 0, but input has 2 there}}
  %0 = dml.cast %x : (tensor<2x3xf64>) -> tensor<3x3xui8>
  return
}

// -----

// DML_GradientOp (C1)
func.func @main(%x: tensor<4xi8>, %g: tensor<4xi16>) {
  // expected-error@+1 {{input_gradient has element type 'i16', but input has 'i8'}}
  %0 = dml.activation_relu_grad %x, %g : (tensor<4xi8>, tensor<4xi16>) -> tensor<4xi8>
  return
}

// -----

// dml.element_wise_add1 (C1)
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf32>) {
  // expected-error@+1 {{b has element type 'f32', but a has 'f16'}}
  %0 = dml.element_wise_add1 %a, %b : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// dml.element_wise_add1 (C2)
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error@+1 {{fused_activation is clip, but the operator fuses linear, sigmoid,}}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// An activation has its parameters.
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error@+1 {{elu has no alpha, but wants an f32}}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<elu>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// A misspelt parameter, near to one and not.
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error@+1 {{leaky_relu has no attribute 'aplha'; did you mean 'alpha'?}}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<leaky_relu, {aplha = 0.5 : f32}>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error@+1 {{leaky_relu has no attribute 'alfa'; it has alpha}}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<leaky_relu, {alfa = 0.5 : f32}>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// Another parameter.
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error@+1 {{elu has the alpha 1 : i32, but wants an f32}}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<elu, {alpha = 1 : i32}>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// Another parameter.
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error@+1 {{relu has no attribute 'alpha'; it has none}}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<relu, {alpha = 1.0 : f32}>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// Another parameter.
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error@+1 {{steepness is 0.000000e+00, but wants a number above 0}}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<softplus, {steepness = 0.0 : f32}>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// Another parameter.
func.func @main(%a: tensor<4xf16>, %b: tensor<4xf16>) {
  // expected-error@+1 {{alpha is 0, but wants another number}}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<celu, {alpha = 0.0 : f32}>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

// dml.element_wise_clip1 (C1)
func.func @main(%x: tensor<4xi8>) {
  // expected-error@+1 {{output has element type 'i16', but input has 'i8'}}
  %0 = dml.element_wise_clip1 %x {min = -1 : i8, max = 1 : i8} : (tensor<4xi8>) -> tensor<4xi16>
  return
}

// -----

// dml.element_wise_clip1 (C2)
func.func @main(%x: tensor<4xi8>) {
  // expected-error@+1 {{has a scale_bias, but input has element type 'i8'; wants f32 or f16}}
  %0 = dml.element_wise_clip1 %x {min = -1 : i8, max = 1 : i8, scale_bias = #dml.scale_bias<scale = 2.0 : f32, bias = 1.0 : f32>} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// dml.element_wise_clip1 (C3)
func.func @main(%x: tensor<4xi8>) {
  // expected-error@+1 {{max is 1.000000e+00 : f32, but wants a number of input's element type 'i8'}}
  %0 = dml.element_wise_clip1 %x {min = -1 : i8, max = 1.0 : f32} : (tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// The bounds of the gradient, too.
func.func @main(%x: tensor<4xi8>, %g: tensor<4xi8>) {
  // expected-error@+1 {{min is -1 : i16, but wants a number of input's element type 'i8'}}
  %0 = dml.element_wise_clip_grad1 %x, %g {min = -1 : i16, max = 1 : i8} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

// dml.element_wise_if (C1)
func.func @main(%c: tensor<4xui8>, %a: tensor<5xf64>, %b: tensor<5xf64>) {
  // expected-error@+1 {{a has size 5 in dimension 0, but condition has 4 there}}
  %0 = dml.element_wise_if %c, %a, %b : (tensor<4xui8>, tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  return
}

// -----

// dml.element_wise_if (C2)
func.func @main(%c: tensor<4xui8>, %a: tensor<4xf64>, %b: tensor<4xf32>) {
  // expected-error@+1 {{b has element type 'f32', but a has 'f64'}}
  %0 = dml.element_wise_if %c, %a, %b : (tensor<4xui8>, tensor<4xf64>, tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// dml.element_wise_pow (C1)
func.func @main(%x: tensor<4xf16>, %e: tensor<5xui8>) {
  // expected-error@+1 {{exponent has size 5 in dimension 0, but input has 4 there}}
  %0 = dml.element_wise_pow %x, %e : (tensor<4xf16>, tensor<5xui8>) -> tensor<4xf16>
  return
}

// -----

// dml.element_wise_pow (C2)
func.func @main(%x: tensor<4xf16>, %e: tensor<4xui8>) {
  // expected-error @below {{output has element type 'ui8', but input has 'f16'}}
  // expected-remark @below {{the types fit if input and exponent change places}}
  %0 = dml.element_wise_pow %x, %e : (tensor<4xf16>, tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

// dml.element_wise_pow (C3)
func.func @main(%x: tensor<4xi16>, %e: tensor<4xui8>) {
  // expected-error@+1 {{has a scale_bias, but input has element type 'i16'; wants f32 or f16}}
  %0 = dml.element_wise_pow %x, %e {scale_bias = #dml.scale_bias<scale = 2.0 : f32, bias = 1.0 : f32>} : (tensor<4xi16>, tensor<4xui8>) -> tensor<4xi16>
  return
}

// -----

// dml.element_wise_quantize_linear (C1)
func.func @main(%x: tensor<4xf32>, %s: tensor<5xf32>) {
  // expected-error@+1 {{scale has size 5 in dimension 0, but input has 4 there}}
  %0 = dml.element_wise_quantize_linear %x, %s : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xi8>
  return
}

// -----

// dml.element_wise_quantize_linear (C2)
func.func @main(%x: tensor<4xf32>, %s: tensor<4xf32>, %z: tensor<4xui8>) {
  // expected-error@+1 {{output has element type 'i8', but zero_point has 'ui8'}}
  %0 = dml.element_wise_quantize_linear %x, %s zero_point(%z) : (tensor<4xf32>, tensor<4xf32>, tensor<4xui8>) -> tensor<4xi8>
  return
}

// -----

// dml.element_wise_quantize_linear (C3)
func.func @main(%x: tensor<4xf16>, %s: tensor<4xf32>) {
  // expected-error@+1 {{scale has element type 'f32', but wants 'f16' where input has 'f16'}}
  %0 = dml.element_wise_quantize_linear %x, %s : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

// dml.element_wise_quantize_linear (C4)
module attributes {dml.target = #dml.target<feature_level = fl_6_1>} {
  func.func @main(%x: tensor<4xui8>, %f: tensor<4xf32>) {
    // expected-error@+2 {{zero_point is absent, but feature level 6_1 supports present (absent needs 6_2)}}
    // expected-note@+1 {{according to}}
    %0 = dml.element_wise_quantize_linear %f, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xui8>
    return
  }
}

// -----

// dml.element_wise_dequantize_linear (C1)
func.func @main(%x: tensor<4xi32>, %s: tensor<5xf16>) {
  // expected-error@+1 {{scale has size 5 in dimension 0, but input has 4 there}}
  %0 = dml.element_wise_dequantize_linear %x, %s : (tensor<4xi32>, tensor<5xf16>) -> tensor<4xf16>
  return
}

// -----

// dml.element_wise_dequantize_linear (C2)
func.func @main(%x: tensor<4xi32>, %s: tensor<4xf16>, %z: tensor<4xi8>) {
  // expected-error@+1 {{zero_point has element type 'i8', but input has 'i32'}}
  %0 = dml.element_wise_dequantize_linear %x, %s zero_point(%z) : (tensor<4xi32>, tensor<4xf16>, tensor<4xi8>) -> tensor<4xf16>
  return
}

// -----

// dml.element_wise_dequantize_linear (C3)
func.func @main(%x: tensor<4xi32>, %s: tensor<4xf16>) {
  // expected-error@+1 {{output has element type 'f32', but scale has 'f16'}}
  %0 = dml.element_wise_dequantize_linear %x, %s : (tensor<4xi32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

// dml.element_wise_dequantize_linear (C4)
module attributes {dml.target = #dml.target<feature_level = fl_6_1>} {
  func.func @main(%x: tensor<4xui8>, %f: tensor<4xf32>) {
    // expected-error@+2 {{zero_point is absent, but feature level 6_1 supports present (absent needs 6_2)}}
    // expected-note@+1 {{according to}}
    %0 = dml.element_wise_dequantize_linear %x, %f : (tensor<4xui8>, tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

// dml.element_wise_quantized_linear_add (C1)
func.func @main(%a: tensor<2x4xi8>, %as: tensor<1x1xf32>, %az: tensor<1x1xi8>, %b: tensor<2x5xui8>, %bs: tensor<1x1xf32>, %os: tensor<1x1xf32>) {
  // expected-error@+1 {{b has size 5 in dimension 1, but a has 4 there}}
  %0 = dml.element_wise_quantized_linear_add %a, %as a_zero_point(%az), %b, %bs, %os : (tensor<2x4xi8>, tensor<1x1xf32>, tensor<1x1xi8>, tensor<2x5xui8>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<2x4xui8>
  return
}

// -----

// dml.element_wise_quantized_linear_add (C2)
func.func @main(%a: tensor<2x4xi8>, %as: tensor<1x4xf32>, %az: tensor<1x4xi8>, %b: tensor<2x4xui8>, %bs: tensor<1x4xf32>, %os: tensor<1x4xf32>) {
  // expected-error@+1 {{a_scale has 4 elements, but wants 1}}
  %0 = dml.element_wise_quantized_linear_add %a, %as a_zero_point(%az), %b, %bs, %os : (tensor<2x4xi8>, tensor<1x4xf32>, tensor<1x4xi8>, tensor<2x4xui8>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xui8>
  return
}

// -----

// dml.element_wise_quantized_linear_add (C3)
func.func @main(%a: tensor<2x4xi8>, %as: tensor<1x1xf32>, %az: tensor<1x1xui8>, %b: tensor<2x4xui8>, %bs: tensor<1x1xf32>, %os: tensor<1x1xf32>) {
  // expected-error @below {{a_zero_point has element type 'ui8', but a has 'i8'}}
  // expected-remark @below {{the types fit if a and b change places}}
  %0 = dml.element_wise_quantized_linear_add %a, %as a_zero_point(%az), %b, %bs, %os : (tensor<2x4xi8>, tensor<1x1xf32>, tensor<1x1xui8>, tensor<2x4xui8>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<2x4xui8>
  return
}

// -----

// dml.activation_parameterized_relu (C1)
func.func @main(%x: tensor<4xi8>, %s: tensor<4xi16>) {
  // expected-error@+1 {{slope has element type 'i16', but input has 'i8'}}
  %0 = dml.activation_parameterized_relu %x, %s : (tensor<4xi8>, tensor<4xi16>) -> tensor<4xi8>
  return
}

// -----

// The steepness of the activation itself.
func.func @main(%x: tensor<4xf32>) {
  // expected-error@+1 {{steepness is -1.000000e+00, but wants a number above 0}}
  %0 = dml.activation_softplus %x {steepness = -1.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
