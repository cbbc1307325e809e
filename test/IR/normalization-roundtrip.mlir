// What the normalizations accept, in text and in bytecode.
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.batch_normalization (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @batch
func.func @batch(%a: tensor<2x3xf16>, %b: tensor<1x3xf16>, %c: tensor<2x1xf16>, %d: tensor<1x1xf16>) {
  // CHECK: dml.batch_normalization %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 5.000000e-01 : f32, spatial = true}
  %0 = dml.batch_normalization %a, %b, %c, %d, %a {spatial = true, epsilon = 0.5 : f32}
      : (tensor<2x3xf16>, tensor<1x3xf16>, tensor<2x1xf16>, tensor<1x1xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  // CHECK: dml.batch_normalization %{{.*}} {epsilon = 5.000000e-01 : f32, fused_activation = #dml.activation<relu>, spatial = true}
  %1 = dml.batch_normalization %a, %b, %c, %d, %a {spatial = true, epsilon = 0.5 : f32,
      fused_activation = #dml.activation<relu>}
      : (tensor<2x3xf16>, tensor<1x3xf16>, tensor<2x1xf16>, tensor<1x1xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// dml.mean_variance_normalization (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @planes
func.func @planes(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x1x1xf32>) {
  // CHECK: dml.mean_variance_normalization %{{.*}} scale(%{{.*}}) bias(%{{.*}}) {cross_channel = true, epsilon = 5.000000e-01 : f32, normalize_variance = false}
  %0 = dml.mean_variance_normalization %a scale(%b) bias(%b) {
      cross_channel = true, normalize_variance = false, epsilon = 0.5 : f32}
      : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  // CHECK: dml.mean_variance_normalization %{{.*}} {cross_channel = true, epsilon = 5.000000e-01 : f32, fused_activation = #dml.activation<elu, {alpha = 2.000000e+00 : f32}>, normalize_variance = false}
  %1 = dml.mean_variance_normalization %a {
      cross_channel = true, normalize_variance = false, epsilon = 0.5 : f32,
      fused_activation = #dml.activation<elu, {alpha = 2.0 : f32}>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// dml.mean_variance_normalization1 (C1), (C2), (C3), (C4), (C5)
// dml.mean_variance_normalization2 (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @axes
func.func @axes(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // CHECK: dml.mean_variance_normalization1 %{{.*}} bias(%{{.*}}) {axes = array<i64: 1, 0>,
  %0 = dml.mean_variance_normalization1 %a bias(%b) {
      axes = array<i64: 1, 0>, normalize_variance = true, epsilon = 0.5 : f32,
      fused_activation = #dml.activation<relu>}
      : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: dml.mean_variance_normalization2 %{{.*}} scale(%{{.*}}) {axes = array<i64: 1>, epsilon = 5.000000e-01 : f32, fused_activation = #dml.activation<sigmoid>, use_mean = false, use_variance = true}
  %1 = dml.mean_variance_normalization2 %a scale(%b) {
      axes = array<i64: 1>, use_mean = false, use_variance = true, epsilon = 0.5 : f32,
      fused_activation = #dml.activation<sigmoid>}
      : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// dml.local_response_normalization (C1), (C2) dml.lp_normalization (C1), (C2), (C3)
// CHECK-LABEL: func @others
func.func @others(%a: tensor<1x2x3x4xf16>) {
  // CHECK: dml.local_response_normalization %{{.*}} local_size = 4294967295 : i64
  %0 = dml.local_response_normalization %a {cross_channel = false,
      local_size = 4294967295 : i64, alpha = 0.5 : f32, beta = 0.75 : f32, bias = 1.0 : f32}
      : (tensor<1x2x3x4xf16>) -> tensor<1x2x3x4xf16>
  // CHECK: dml.lp_normalization %{{.*}} {axis = 3 : i64, epsilon = 5.000000e-01 : f32, p = 2 : i64}
  %1 = dml.lp_normalization %a {axis = 3 : i64, epsilon = 0.5 : f32, p = 2 : i64}
      : (tensor<1x2x3x4xf16>) -> tensor<1x2x3x4xf16>
  return
}

// dml.batch_normalization_training (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @training
func.func @training(%a: tensor<2x3xf16>, %b: tensor<1x3xf16>) {
  // CHECK: dml.batch_normalization_training %{{.*}}, %{{.*}}, %{{.*}} fused_add(%{{.*}}) {epsilon = 5.000000e-01 : f32, fused_activation = #dml.activation<relu>}
  %0:3 = dml.batch_normalization_training %a, %b, %b fused_add(%a) {
      epsilon = 0.5 : f32, fused_activation = #dml.activation<relu>}
      : (tensor<2x3xf16>, tensor<1x3xf16>, tensor<1x3xf16>, tensor<2x3xf16>)
      -> (tensor<2x3xf16>, tensor<1x3xf16>, tensor<1x3xf16>)
  // CHECK: dml.batch_normalization_training %{{.*}}, %{{.*}}, %{{.*}} {epsilon
  %1:3 = dml.batch_normalization_training %a, %b, %b {epsilon = 0.5 : f32}
      : (tensor<2x3xf16>, tensor<1x3xf16>, tensor<1x3xf16>)
      -> (tensor<2x3xf16>, tensor<1x3xf16>, tensor<1x3xf16>)
  return
}

// dml.batch_normalization_grad (C1), (C2), (C3), (C4)
// dml.batch_normalization_training_grad (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @batch_gradients
func.func @batch_gradients(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) {
  // CHECK: dml.batch_normalization_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 5.000000e-01 : f32}
  %0:3 = dml.batch_normalization_grad %a, %a, %b, %b, %b {epsilon = 0.5 : f32}
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
      -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  // CHECK: dml.batch_normalization_training_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 5.000000e-01 : f32}
  %1:3 = dml.batch_normalization_training_grad %a, %a, %b, %b, %b {epsilon = 0.5 : f32}
      : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
      -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// dml.local_response_normalization_grad (C1), (C2)
// CHECK-LABEL: func @local_gradient
func.func @local_gradient(%a: tensor<1x2x3x4xf16>) {
  // CHECK: dml.local_response_normalization_grad %{{.*}}, %{{.*}} {{{.*}} local_size = 1 : i64}
  %0 = dml.local_response_normalization_grad %a, %a {cross_channel = false,
      local_size = 1 : i64, alpha = 0.5 : f32, beta = 0.75 : f32, bias = 1.0 : f32}
      : (tensor<1x2x3x4xf16>, tensor<1x2x3x4xf16>) -> tensor<1x2x3x4xf16>
  return
}

// SPDX-License-Identifier: Apache-2.0
