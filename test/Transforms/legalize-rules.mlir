// What older levels do not take beside types, ranks and cases is rewritten, too. The
// values stay the same bit for bit (test/EndToEnd/legalized.test).
//
// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=2_1 | FileCheck %s
// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=2_1 | dml-explain - --level=2_1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: fits feature level 2_1

// A scale without a bias gets one that changes no number, -0.
// CHECK-LABEL: func.func @scale
// CHECK: %[[BIAS:.*]] = arith.constant dense<-0.000000e+00> : tensor<1x2x1x1xf32>
// CHECK: dml.mean_variance_normalization %{{.*}} scale(%{{.*}}) bias(%[[BIAS]])
func.func @scale(%input: tensor<1x2x3x4xf32>, %scale: tensor<1x2x1x1xf32>)
    -> tensor<1x2x3x4xf32> {
  %0 = dml.mean_variance_normalization %input scale(%scale) {
      cross_channel = false, normalize_variance = true, epsilon = 0.5 : f32}
      : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// A bias without a scale gets ones; both get the input's channels.
// CHECK-LABEL: func.func @bias
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<1x1x3x1xf32>
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<1x1x3x1xf32>
// CHECK: %[[SCALE:.*]] = dml.tile %[[ONE]] {repeats = array<i64: 1, 2, 1, 1>}
// CHECK: %[[TILED:.*]] = dml.tile %[[BIAS]] {repeats = array<i64: 1, 2, 1, 1>}
// CHECK: dml.mean_variance_normalization1 %{{.*}} scale(%[[SCALE]]) bias(%[[TILED]])
func.func @bias(%input: tensor<1x2x3x4xf32>, %bias: tensor<1x1x3x1xf32>)
    -> tensor<1x2x3x4xf32> {
  %0 = dml.mean_variance_normalization1 %input bias(%bias) {
      axes = array<i64: 2, 3>, normalize_variance = true, epsilon = 0.5 : f32}
      : (tensor<1x2x3x4xf32>, tensor<1x1x3x1xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @spatial
// CHECK: dml.batch_normalization {{.*}}spatial = true
func.func @spatial(%input: tensor<1x2x3x4xf32>, %mean: tensor<1x2x1x1xf32>)
    -> tensor<1x2x3x4xf32> {
  %0 = dml.batch_normalization %input, %mean, %mean, %mean, %mean {
      spatial = false, epsilon = 0.5 : f32}
      : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
         tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK: %[[SUMS:.*]] = dml.gemm %{{.*}}, %{{.*}} {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
// CHECK: dml.activation_softmax %[[SUMS]]
func.func @softmax(%a: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %0 = dml.gemm %a, %a {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      fused_activation = #dml.activation<softmax>}
      : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

// Products of matrices get leading dimensions of size 1, with their addend.
// CHECK-LABEL: func.func @matrices
// CHECK-SAME: %[[A:[^:]*]]: tensor<2x3xf32>, %[[B:[^:]*]]: tensor<4x3xf32>, %[[C:[^:]*]]: tensor<2x4xf32>
// CHECK-DAG: %[[A4:.*]] = tensor.expand_shape %[[A]] {{.*}} into tensor<1x1x2x3xf32>
// CHECK-DAG: %[[B4:.*]] = tensor.expand_shape %[[B]] {{.*}} into tensor<1x1x4x3xf32>
// CHECK-DAG: %[[C4:.*]] = tensor.expand_shape %[[C]] {{.*}} into tensor<1x1x2x4xf32>
// CHECK: %[[PRODUCT:.*]] = dml.gemm %[[A4]], %[[B4]] c(%[[C4]]) {alpha = 3.000000e-01 : f32, beta = -1.500000e+00 : f32, fused_activation = #dml.activation<relu>
// CHECK-SAME: -> tensor<1x1x2x4xf32>
// CHECK: %[[RESULT:.*]] = tensor.collapse_shape %[[PRODUCT]] {{.*}} into tensor<2x4xf32>
// CHECK: return %[[RESULT]]
func.func @matrices(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = dml.gemm %a, %b c(%c) {
      trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<transpose>,
      alpha = 0.3 : f32, beta = -1.5 : f32, fused_activation = #dml.activation<relu>}
      : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @batch_of_matrices
// CHECK: dml.gemm {{.*}} : (tensor<1x5x2x3xf32>, tensor<1x5x3x4xf32>) -> tensor<1x5x2x4xf32>
func.func @batch_of_matrices(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

// SPDX-License-Identifier: Apache-2.0
