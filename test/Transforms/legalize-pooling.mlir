// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=3_0 | FileCheck %s

// N and C become one, and the depth, which no window spans, takes the place of C.
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2], [3], [4]] : tensor<1x2x3x4x5xf32> into tensor<2x3x4x5xf32>
// CHECK: tensor.collapse_shape %arg1 {{\[\[}}0, 1], [2], [3], [4]] : tensor<1x2x3x3x4xf32> into tensor<2x3x3x4xf32>
// CHECK: dml.max_pooling_grad %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, end_padding = array<i64: 0, 0>, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>} : (tensor<2x3x4x5xf32>, tensor<2x3x3x4xf32>) -> tensor<2x3x4x5xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3], [4]] output_shape [1, 2, 3, 4, 5]
func.func @depth(%input: tensor<1x2x3x4x5xf32>, %gradient: tensor<1x2x3x3x4xf32>)
    -> tensor<1x2x3x4x5xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1, 1>, window_size = array<i64: 1, 2, 2>,
      start_padding = array<i64: 0, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      dilations = array<i64: 1, 1, 1>}
      : (tensor<1x2x3x4x5xf32>, tensor<1x2x3x3x4xf32>) -> tensor<1x2x3x4x5xf32>
  return %0 : tensor<1x2x3x4x5xf32>
}

// Where the windows span the depth, it is no channel: what has size 1 joins the
// dimension before.
// CHECK-LABEL: func @last
// CHECK: {{\[\[}}0], [1], [2], [3, 4]] : tensor<1x2x3x4x1xf32> into tensor<1x2x3x4xf32>
func.func @last(%input: tensor<1x2x3x4x1xf32>, %gradient: tensor<1x2x2x3x1xf32>)
    -> tensor<1x2x3x4x1xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1, 1>, window_size = array<i64: 2, 2, 1>,
      start_padding = array<i64: 0, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      dilations = array<i64: 1, 1, 1>}
      : (tensor<1x2x3x4x1xf32>, tensor<1x2x2x3x1xf32>) -> tensor<1x2x3x4x1xf32>
  return %0 : tensor<1x2x3x4x1xf32>
}

// SPDX-License-Identifier: Apache-2.0
