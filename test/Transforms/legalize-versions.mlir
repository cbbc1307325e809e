// Newer versions of operators become older ones where their added attributes have the
// values that the older ones stand for. The values stay the same bit for bit
// (test/EndToEnd/legalized-versions.test).
//
// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=2_1 | FileCheck %s
// RUN: not dml-opt %s --dml-legalize-feature-level=feature-level=1_0 2>&1 | FileCheck %s --check-prefix=OLDEST

// Sets that are rows become rows of a matrix: those along the last dimension, along the
// last two in any order, along a dimension before sizes of 1, and of one element each.
// CHECK-LABEL: func.func @softmax
// CHECK: dml.activation_softmax %{{.*}} : (tensor<1x1x24x5xf32>)
// CHECK: dml.activation_log_softmax %{{.*}} : (tensor<1x1x6x20xf32>)
// CHECK: dml.activation_hardmax %{{.*}} : (tensor<1x1x2x4xf16>)
// CHECK: dml.activation_softmax %{{.*}} : (tensor<1x1x8x1xf16>)
// The older clip makes another bound of a NaN.
// CHECK: %[[SCALED:.*]] = dml.element_wise_identity
// CHECK: %[[MAX:.*]] = arith.constant dense<2.000000e+00>
// CHECK: dml.element_wise_min
// CHECK: %[[MIN:.*]] = arith.constant dense<-1.000000e+00>
// CHECK: dml.element_wise_max

// CHECK-LABEL: func.func @others
// CHECK: dml.mean_variance_normalization1 {{.*}}normalize_variance = true
// CHECK: dml.average_pooling %
// CHECK: dml.max_pooling2
// CHECK: dml.space_to_depth1
// CHECK: dml.top_k1
// OLDEST: error: 'dml.mean_variance_normalization1' op is not in feature level 1_0
// OLDEST: error: 'dml.max_pooling1' op is not in feature level 1_0
// OLDEST-NOT: error:

func.func @softmax(%a: tensor<2x3x4x5xf32>, %b: tensor<2x4x1xf16>, %c: tensor<6x7xf32>) -> (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x4x1xf16>, tensor<2x4x1xf16>, tensor<6x7xf32>) {
  %0 = dml.activation_softmax1 %a {axes = array<i64: 3>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = dml.activation_log_softmax1 %a {axes = array<i64: 3, 2>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %2 = dml.activation_hardmax1 %b {axes = array<i64: 1>} : (tensor<2x4x1xf16>) -> tensor<2x4x1xf16>
  %3 = dml.activation_softmax1 %b {axes = array<i64>} : (tensor<2x4x1xf16>) -> tensor<2x4x1xf16>
  %4 = dml.element_wise_clip1 %c {min = -1.0 : f32, max = 2.0 : f32, scale_bias = #dml.scale_bias<scale = 2.0 : f32, bias = 0.5 : f32>} : (tensor<6x7xf32>) -> tensor<6x7xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>, tensor<2x4x1xf16>, tensor<2x4x1xf16>, tensor<6x7xf32>
}
func.func @others(%x: tensor<1x2x6x6xf32>, %s: tensor<1x2x1x1xf32>) -> (tensor<1x2x6x6xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x3xui32>, tensor<1x8x3x3xf32>, tensor<1x2x6x2xf32>, tensor<1x2x6x2xui32>) {
  %0 = dml.mean_variance_normalization2 %x scale(%s) {axes = array<i64: 2, 3>, use_mean = true, use_variance = true, epsilon = 0.5 : f32} : (tensor<1x2x6x6xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x6x6xf32>
  %1 = dml.average_pooling1 %x {strides = array<i64: 2, 2>, window_size = array<i64: 2, 2>, start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, dilations = array<i64: 1, 1>, include_padding = false} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  %2, %3 = dml.max_pooling2 %x {strides = array<i64: 2, 2>, window_size = array<i64: 2, 2>, start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x6x6xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xui32>)
  %4 = dml.space_to_depth1 %x {block_size = 2, order = #dml.depth_space_order<depth_column_row>} : (tensor<1x2x6x6xf32>) -> tensor<1x8x3x3xf32>
  %5, %6 = dml.top_k1 %x {axis = 3, k = 2, axis_direction = #dml.axis_direction<decreasing>} : (tensor<1x2x6x6xf32>) -> (tensor<1x2x6x2xf32>, tensor<1x2x6x2xui32>)
  return %0, %1, %2, %3, %4, %5, %6 : tensor<1x2x6x6xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>, tensor<1x2x3x3xui32>, tensor<1x8x3x3xf32>, tensor<1x2x6x2xf32>, tensor<1x2x6x2xui32>
}

// SPDX-License-Identifier: Apache-2.0
