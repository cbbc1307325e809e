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

// SPDX-License-Identifier: Apache-2.0
