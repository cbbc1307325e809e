// RUN: dml-opt %s | dml-opt | FileCheck %s
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | FileCheck %s

// DML_UnaryOp (C1)
// CHECK-LABEL: @element_wise_negate
func.func @element_wise_negate(%x: tensor<2x3xi8>) -> tensor<2x3xi8> {
  // CHECK: dml.element_wise_negate 
  %0 = dml.element_wise_negate %x
      : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}

// DML_ScaledUnaryOp (C1), (C2)
// CHECK-LABEL: @element_wise_sin
func.func @element_wise_sin(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  // CHECK: dml.element_wise_sin %{{.*}} {scale_bias = #dml.scale_bias<scale = 2.000000e+00 : f32, bias = 1.000000e+00 : f32>}
  %0 = dml.element_wise_sin %x {scale_bias = #dml.scale_bias<scale = 2.0 : f32, bias = 1.0 : f32>}
      : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// DML_BinaryOp (C1)
// CHECK-LABEL: @element_wise_mean
func.func @element_wise_mean(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  // CHECK: dml.element_wise_mean 
  %0 = dml.element_wise_mean %a, %b
      : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %0 : tensor<4xui32>
}

// DML_ComparisonOp (C1), (C2)
// CHECK-LABEL: @element_wise_logical_equals
func.func @element_wise_logical_equals(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xui8> {
  // CHECK: dml.element_wise_logical_equals 
  %0 = dml.element_wise_logical_equals %a, %b
      : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// DML_RetypingOp (C1)
// CHECK-LABEL: @cast
func.func @cast(%x: tensor<2x3xf64>) -> tensor<2x3xui8> {
  // CHECK: dml.cast 
  %0 = dml.cast %x
      : (tensor<2x3xf64>) -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// DML_GradientOp (C1)
// CHECK-LABEL: @activation_relu_grad
func.func @activation_relu_grad(%x: tensor<4xi8>, %g: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: dml.activation_relu_grad 
  %0 = dml.activation_relu_grad %x, %g
      : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// dml.element_wise_add1 (C1), (C2)
// CHECK-LABEL: @element_wise_add1
func.func @element_wise_add1(%a: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: dml.element_wise_add1 %{{.*}}, %{{.*}} {fused_activation = #dml.activation<elu, {alpha = 2.000000e+00 : f32}>}
  %0 = dml.element_wise_add1 %a, %b {fused_activation = #dml.activation<elu, {alpha = 2.0 : f32}>}
      : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// dml.element_wise_clip1 (C1), (C2), (C3)
// CHECK-LABEL: @element_wise_clip1
func.func @element_wise_clip1(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: dml.element_wise_clip1 
  %0 = dml.element_wise_clip1 %x {min = -1.0 : f16, max = 1.0 : f16, scale_bias = #dml.scale_bias<scale = 2.0 : f32, bias = 1.0 : f32>}
      : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// dml.element_wise_if (C1), (C2)
// CHECK-LABEL: @element_wise_if
func.func @element_wise_if(%c: tensor<4xui8>, %a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: dml.element_wise_if 
  %0 = dml.element_wise_if %c, %a, %b
      : (tensor<4xui8>, tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// dml.element_wise_pow (C1), (C2), (C3)
// CHECK-LABEL: @element_wise_pow
func.func @element_wise_pow(%x: tensor<4xf16>, %e: tensor<4xui8>) -> tensor<4xf16> {
  // CHECK: dml.element_wise_pow 
  %0 = dml.element_wise_pow %x, %e {scale_bias = #dml.scale_bias<scale = 2.0 : f32, bias = 1.0 : f32>}
      : (tensor<4xf16>, tensor<4xui8>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// dml.element_wise_quantize_linear (C1), (C2), (C3), (C4)
// CHECK-LABEL: @element_wise_quantize_linear
func.func @element_wise_quantize_linear(%x: tensor<4xi32>, %s: tensor<4xf32>, %z: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: dml.element_wise_quantize_linear 
  %0 = dml.element_wise_quantize_linear %x, %s zero_point(%z)
      : (tensor<4xi32>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// dml.element_wise_dequantize_linear (C1), (C2), (C3), (C4)
// CHECK-LABEL: @element_wise_dequantize_linear
func.func @element_wise_dequantize_linear(%x: tensor<4xi32>, %s: tensor<4xf16>, %z: tensor<4xi32>) -> tensor<4xf16> {
  // CHECK: dml.element_wise_dequantize_linear %{{.*}}, %{{.*}} zero_point(%{{.*}}) :
  %0 = dml.element_wise_dequantize_linear %x, %s zero_point(%z)
      : (tensor<4xi32>, tensor<4xf16>, tensor<4xi32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// dml.element_wise_quantized_linear_add (C1), (C2), (C3)
// CHECK-LABEL: @element_wise_quantized_linear_add
func.func @element_wise_quantized_linear_add(%a: tensor<2x4xi8>, %as: tensor<1x1xf32>, %az: tensor<1x1xi8>, %b: tensor<2x4xui8>, %bs: tensor<1x1xf32>, %os: tensor<1x1xf32>) -> tensor<2x4xui8> {
  // CHECK: dml.element_wise_quantized_linear_add 
  %0 = dml.element_wise_quantized_linear_add %a, %as a_zero_point(%az), %b, %bs, %os
      : (tensor<2x4xi8>, tensor<1x1xf32>, tensor<1x1xi8>, tensor<2x4xui8>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<2x4xui8>
  return %0 : tensor<2x4xui8>
}

// dml.activation_parameterized_relu (C1)
// CHECK-LABEL: @activation_parameterized_relu
func.func @activation_parameterized_relu(%x: tensor<4xi8>, %s: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: dml.activation_parameterized_relu 
  %0 = dml.activation_parameterized_relu %x, %s
      : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// SPDX-License-Identifier: Apache-2.0
