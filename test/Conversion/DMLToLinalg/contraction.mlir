// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// A product is one sum for each element of the result; transposed operands are read where
// they stand. Short sums are unrolled, long ones by four.

// CHECK-LABEL: func @gemm
// CHECK:       %[[A:.*]] = tensor.collapse_shape %{{.*}} : tensor<64x2xf32> into tensor<128xf32>
// CHECK:       %[[B:.*]] = tensor.collapse_shape %{{.*}} : tensor<5x64xf32> into tensor<320xf32>
// CHECK:       linalg.generic
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[LAST:.*]] =
// CHECK:           %[[FIRST_A:.*]] = tensor.extract %[[A]]
// CHECK:           %[[FIRST_B:.*]] = tensor.extract %[[B]]
// CHECK:           math.fma %[[FIRST_A]], %[[FIRST_B]], %[[LAST]]
// CHECK-COUNT-3:     math.fma
// CHECK:           scf.yield
// CHECK:         %[[ALPHA:.*]] = arith.constant 5.000000e-01
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[ALPHA]]
// CHECK:         %[[C:.*]] = tensor.extract %{{.*}} : tensor<2x5xf32>
// CHECK:         arith.addf %[[SCALED]], %[[C]]
func.func @gemm(%a: tensor<64x2xf32>, %b: tensor<5x64xf32>, %c: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = dml.gemm %a, %b c(%c) {
      trans_a = #dml.matrix_transform<transpose>, trans_b = #dml.matrix_transform<transpose>,
      alpha = 0.5 : f32, beta = 1.0 : f32}
      : (tensor<64x2xf32>, tensor<5x64xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// A convolution is a loop over the channels of the input, in which the window of 3x3 is
// unrolled. The stride of 2 is part of the column.

// CHECK-LABEL: func @convolution
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4x3x2xf32>)
// CHECK:         %[[COLUMN:.*]] = linalg.index 3
// CHECK:         %[[STRIDE:.*]] = arith.constant 2 : index
// CHECK:         arith.muli %[[COLUMN]], %[[STRIDE]]
// CHECK:         scf.for
// CHECK-COUNT-9:     math.fma
// CHECK:           scf.yield
func.func @convolution(%input: tensor<1x8x5x6xf32>, %filter: tensor<4x8x3x3xf32>) -> tensor<1x4x3x2xf32> {
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, start_padding = array<i64: 0, 0>,
      end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x8x5x6xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x3x2xf32>
  return %0 : tensor<1x4x3x2xf32>
}

// Windows of 2x2 with strides of 2 tile the output of a transposed convolution. The output
// has two dimensions for each spatial one: the input depends on the first of both, and the
// filter on the second.

// CHECK-LABEL: func @tiled
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4x5x2x6x2xf32>)
// CHECK:         %[[WINDOW_ROW:.*]] = linalg.index 2
// CHECK:         %[[ROW:.*]] = linalg.index 3
// CHECK-NOT:     arith.remui
// CHECK:         linalg.yield
// CHECK:       tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3], [4, 5]] : tensor<1x4x5x2x6x2xf32> into tensor<1x4x10x12xf32>
func.func @tiled(%x: tensor<1x8x5x6xf32>, %w: tensor<8x4x2x2xf32>) -> tensor<1x4x10x12xf32> {
  %0 = dml.convolution %x, %w {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<backward>,
      strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x8x5x6xf32>, tensor<8x4x2x2xf32>) -> tensor<1x4x10x12xf32>
  return %0 : tensor<1x4x10x12xf32>
}

// Windows of 3x3 overlap, and a padded output begins within a window.

// CHECK-LABEL: func @overlapping
// CHECK-NOT:   tensor<1x4x5x2x6x2xf32>
// CHECK:       return
func.func @overlapping(%x: tensor<1x8x5x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x4x11x13xf32> {
  %0 = dml.convolution %x, %w {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<backward>,
      strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x8x5x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x11x13xf32>
  return %0 : tensor<1x4x11x13xf32>
}

// CHECK-LABEL: func @cut
// CHECK-NOT:   x2x6x2xf32>
// CHECK:       return
func.func @cut(%x: tensor<1x8x5x6xf32>, %w: tensor<8x4x2x2xf32>) -> tensor<1x4x8x10xf32> {
  %0 = dml.convolution %x, %w {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<backward>,
      strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x8x5x6xf32>, tensor<8x4x2x2xf32>) -> tensor<1x4x8x10xf32>
  return %0 : tensor<1x4x8x10xf32>
}

// SPDX-License-Identifier: Apache-2.0
