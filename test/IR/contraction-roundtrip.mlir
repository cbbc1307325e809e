// What dml.convolution and dml.gemm accept, in text and in bytecode. A comment
// names the constraint whose limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// CHECK-LABEL: func @convolution
func.func @convolution(
    %row: tensor<1x2x3xf32>, %row_filter: tensor<2x2x3xf32>,
    %plane: tensor<2x4x5x6xf16>, %plane_filter: tensor<6x2x3x3xf16>,
    %bias: tensor<1x6x1x1xf16>, %volume: tensor<1x1x2x3x4xf32>,
    %volume_filter: tensor<1x3x2x1x4xf32>) {
  // dml.convolution (C1), (C3): one spatial dimension.
  // dml.convolution (C5): as many filters as input channels.
  // CHECK: dml.convolution %{{.*}}, %{{.*}} {dilations = array<i64: 1>, direction = #dml.convolution_direction<backward>, end_padding = array<i64: 0>, mode = #dml.convolution_mode<cross_correlation>, output_padding = array<i64: 0>, start_padding = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x2x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x5xf32>
  %0 = dml.convolution %row, %row_filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<backward>,
      strides = array<i64: 1>, dilations = array<i64: 1>,
      start_padding = array<i64: 0>, end_padding = array<i64: 0>,
      output_padding = array<i64: 0>}
      : (tensor<1x2x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x5xf32>
  // dml.convolution (C2): 1 and 0, the lowest values.
  // dml.convolution (C4): two groups of two channels and three filters each.
  // dml.convolution (C6), (C7), (C8): floor((5 + 2 - 5) / 2) + 1 rows.
  // CHECK: dml.convolution %{{.*}}, %{{.*}} bias(%{{.*}}) {dilations = array<i64: 2, 1>, direction = #dml.convolution_direction<forward>, end_padding = array<i64: 1, 0>, group_count = 2 : i64, mode = #dml.convolution_mode<convolution>, output_padding = array<i64: 0, 0>, start_padding = array<i64: 1, 0>, strides = array<i64: 2, 1>} : (tensor<2x4x5x6xf16>, tensor<6x2x3x3xf16>, tensor<1x6x1x1xf16>) -> tensor<2x6x2x4xf16>
  %1 = dml.convolution %plane, %plane_filter bias(%bias) {
      mode = #dml.convolution_mode<convolution>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 2, 1>, dilations = array<i64: 2, 1>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 1, 0>,
      output_padding = array<i64: 0, 0>, group_count = 2}
      : (tensor<2x4x5x6xf16>, tensor<6x2x3x3xf16>, tensor<1x6x1x1xf16>)
      -> tensor<2x6x2x4xf16>
  // dml.convolution (C8): three spatial dimensions, cropped to one element and
  // padded.
  // CHECK: (tensor<1x1x2x3x4xf32>, tensor<1x3x2x1x4xf32>) -> tensor<1x3x1x5x9xf32>
  %2 = dml.convolution %volume, %volume_filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<backward>,
      strides = array<i64: 1, 2, 1>, dilations = array<i64: 1, 1, 1>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 1, 0, 0>,
      output_padding = array<i64: 0, 0, 2>}
      : (tensor<1x1x2x3x4xf32>, tensor<1x3x2x1x4xf32>)
      -> tensor<1x3x1x5x9xf32>
  // dml.convolution (C8): a filter as large as the padded input.
  // CHECK: (tensor<1x2x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x1xf32>
  %3 = dml.convolution %row, %row_filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 7>, dilations = array<i64: 2>,
      start_padding = array<i64: 1>, end_padding = array<i64: 1>,
      output_padding = array<i64: 0>}
      : (tensor<1x2x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x1xf32>
  // dml.convolution (C9)
  // CHECK: dml.convolution %{{.*}}, %{{.*}} {dilations = array<i64: 1>, direction = #dml.convolution_direction<forward>, end_padding = array<i64: 0>, fused_activation = #dml.activation<leaky_relu, {alpha = 5.000000e-01 : f32}>, mode = #dml.convolution_mode<cross_correlation>, output_padding = array<i64: 0>, start_padding = array<i64: 0>, strides = array<i64: 1>}
  %4 = dml.convolution %row, %row_filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1>, dilations = array<i64: 1>,
      start_padding = array<i64: 0>, end_padding = array<i64: 0>,
      output_padding = array<i64: 0>,
      fused_activation = #dml.activation<leaky_relu, {alpha = 0.5 : f32}>}
      : (tensor<1x2x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x1xf32>
  return
}

// CHECK-LABEL: func @gemm
func.func @gemm(
    %a: tensor<3x2xf32>, %b: tensor<2x3xf32>, %c: tensor<2x2xf32>,
    %batches: tensor<2x3x4x5xf16>, %others: tensor<2x3x5x1xf16>) {
  // dml.gemm (C1), (C3), (C4), (C5): both are transposed.
  // CHECK: dml.gemm %{{.*}}, %{{.*}} c(%{{.*}}) {alpha = 5.000000e-01 : f32, beta = -1.000000e+00 : f32, trans_a = #dml.matrix_transform<transpose>, trans_b = #dml.matrix_transform<transpose>} : (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = dml.gemm %a, %b c(%c) {
      trans_a = #dml.matrix_transform<transpose>,
      trans_b = #dml.matrix_transform<transpose>,
      alpha = 0.5 : f32, beta = -1.0 : f32}
      : (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // dml.gemm (C2): a product for each of six pairs of matrices.
  // CHECK: dml.gemm %{{.*}}, %{{.*}} {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>} : (tensor<2x3x4x5xf16>, tensor<2x3x5x1xf16>) -> tensor<2x3x4x1xf16>
  %1 = dml.gemm %batches, %others {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<2x3x4x5xf16>, tensor<2x3x5x1xf16>) -> tensor<2x3x4x1xf16>
  // CHECK: dml.gemm %{{.*}}, %{{.*}} {fused_activation = #dml.activation<clip, {max = 6.000000e+00 : f32, min = 0.000000e+00 : f32}>, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
  %2 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      fused_activation = #dml.activation<clip, {min = 0.0 : f32, max = 6.0 : f32}>}
      : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  // dml.gemm (C6): the axes of a softmax, in any order.
  // CHECK: fused_activation = #dml.activation<softmax1, {axes = array<i64: 3, 1>}>
  %3 = dml.gemm %batches, %others {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      fused_activation = #dml.activation<softmax1, {axes = array<i64: 3, 1>}>}
      : (tensor<2x3x4x5xf16>, tensor<2x3x5x1xf16>) -> tensor<2x3x4x1xf16>
  // dml.gemm (C7)
  // CHECK: fused_activation = #dml.activation<softmax>
  %4 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      fused_activation = #dml.activation<softmax>}
      : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
