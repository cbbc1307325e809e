// What the poolings accept, but for max pooling's gradient, in text and in bytecode. A comment names the
// constraint whose limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// CHECK-LABEL: func @max_pooling2
func.func @max_pooling2(
    %plane: tensor<1x2x3x4xui8>, %volume: tensor<1x2x3x4x5xf16>,
    %wide: tensor<1x1x1x6xi64>) {
  // dml.max_pooling2 (C1), (C3), (C5): two spatial dimensions, with indices.
  // CHECK: dml.max_pooling2 %{{.*}} {dilations = array<i64: 1, 1>, end_padding = array<i64: 0, 0>, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>} : (tensor<1x2x3x4xui8>) -> (tensor<1x2x2x3xui8>, tensor<1x2x2x3xui64>)
  %0:2 = dml.max_pooling2 %plane {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x2x3x4xui8>) -> (tensor<1x2x2x3xui8>, tensor<1x2x2x3xui64>)
  // Three, without indices; a window larger than the padded tensor gives one
  // element.
  // dml.max_pooling2 (C4)
  // CHECK: (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x1x1xf16>
  %1 = dml.max_pooling2 %volume {
      strides = array<i64: 3, 3, 3>, window_size = array<i64: 9, 9, 9>,
      start_padding = array<i64: 1, 0, 1>, end_padding = array<i64: 0, 1, 1>,
      dilations = array<i64: 1, 2, 1>}
      : (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x1x1xf16>
  // (C4): the size rounded down, and rounded up.
  // dml.max_pooling2 (C2): 1 and 0, the lowest values.
  // CHECK: (tensor<1x1x1x6xi64>) -> tensor<1x1x1x2xi64>
  %2 = dml.max_pooling2 %wide {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x6xi64>) -> tensor<1x1x1x2xi64>
  // CHECK: (tensor<1x1x1x6xi64>) -> tensor<1x1x1x3xi64>
  %3 = dml.max_pooling2 %wide {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x6xi64>) -> tensor<1x1x1x3xi64>
  return
}

// CHECK-LABEL: func @average_pooling
func.func @average_pooling(
    %plane: tensor<1x2x3x4xf32>, %volume: tensor<1x2x3x4x5xf16>) {
  // dml.average_pooling (C1), (C2), (C3): two spatial dimensions; 1 and 0, the
  // lowest values.
  // CHECK: dml.average_pooling %{{.*}} {end_padding = array<i64: 0, 0>, include_padding = true, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  %0 = dml.average_pooling %plane {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  // dml.average_pooling (C4): rounded up in the last dimension.
  // CHECK: (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  %1 = dml.average_pooling %volume {
      strides = array<i64: 3, 1, 2>, window_size = array<i64: 9, 2, 2>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      include_padding = false}
      : (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  return
}

// CHECK-LABEL: func @max_pooling
func.func @max_pooling(
    %plane: tensor<1x2x3x4xf32>, %volume: tensor<1x2x3x4x5xf16>) {
  // dml.max_pooling (C1), (C2), (C3): two spatial dimensions; 1 and 0, the lowest
  // values.
  // CHECK: dml.max_pooling %{{.*}} {end_padding = array<i64: 0, 0>, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  %0 = dml.max_pooling %plane {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  // dml.max_pooling (C4): rounded up in the last dimension.
  // CHECK: (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  %1 = dml.max_pooling %volume {
      strides = array<i64: 3, 1, 2>, window_size = array<i64: 9, 2, 2>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 0, 0, 0>}
      : (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  return
}

// CHECK-LABEL: func @max_pooling1
func.func @max_pooling1(
    %plane: tensor<1x2x3x4xf32>, %volume: tensor<1x2x3x4x5xf16>) {
  // dml.max_pooling1 (C1), (C2), (C3): two spatial dimensions; 1 and 0, the lowest
  // values.
  // CHECK: dml.max_pooling1 %{{.*}} {end_padding = array<i64: 0, 0>, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  %0 = dml.max_pooling1 %plane {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  // dml.max_pooling1 (C4): rounded up in the last dimension.
  // CHECK: (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  %1 = dml.max_pooling1 %volume {
      strides = array<i64: 3, 1, 2>, window_size = array<i64: 9, 2, 2>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 0, 0, 0>}
      : (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  // dml.max_pooling1 (C5): with indices.
  // CHECK: (tensor<1x2x3x4xf32>) -> (tensor<1x2x2x3xf32>, tensor<1x2x2x3xui32>)
  %2:2 = dml.max_pooling1 %plane {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x2x3x4xf32>) -> (tensor<1x2x2x3xf32>, tensor<1x2x2x3xui32>)
  return
}

// CHECK-LABEL: func @average_pooling1
func.func @average_pooling1(
    %plane: tensor<1x2x3x4xf32>, %volume: tensor<1x2x3x4x5xf16>) {
  // dml.average_pooling1 (C1), (C2), (C3): two spatial dimensions; 1 and 0, the lowest
  // values.
  // CHECK: dml.average_pooling1 %{{.*}} {dilations = array<i64: 1, 1>, end_padding = array<i64: 0, 0>, include_padding = true, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  %0 = dml.average_pooling1 %plane {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = true}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  // dml.average_pooling1 (C4): rounded up in the last dimension.
  // CHECK: (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  %1 = dml.average_pooling1 %volume {
      strides = array<i64: 3, 1, 2>, window_size = array<i64: 9, 2, 2>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      dilations = array<i64: 1, 1, 1>, include_padding = false}
      : (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  return
}

// CHECK-LABEL: func @lp_pooling
func.func @lp_pooling(
    %plane: tensor<1x2x3x4xf32>, %volume: tensor<1x2x3x4x5xf16>) {
  // dml.lp_pooling (C1), (C2), (C3): two spatial dimensions; 1 and 0, the lowest
  // values.
  // CHECK: dml.lp_pooling %{{.*}} {end_padding = array<i64: 0, 0>, p = 1 : i64, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  %0 = dml.lp_pooling %plane {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 1}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  // dml.lp_pooling (C4): rounded up in the last dimension.
  // CHECK: (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  %1 = dml.lp_pooling %volume {
      strides = array<i64: 3, 1, 2>, window_size = array<i64: 9, 2, 2>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      p = 2}
      : (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  // dml.lp_pooling (C5): 1, the lowest value; and a large one.
  // CHECK: p = 4294967295 : i64
  %2 = dml.lp_pooling %plane {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 4294967295}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x2x3xf32>
  return
}

// CHECK-LABEL: func @lp_pooling1
func.func @lp_pooling1(
    %plane: tensor<1x2x3x4xf32>, %volume: tensor<1x2x3x4x5xf16>) {
  // dml.lp_pooling1 (C1), (C2), (C3): two spatial dimensions; 1 and 0, the lowest
  // values.
  // CHECK: dml.lp_pooling1 %{{.*}} {dilations = array<i64: 1, 1>, end_padding = array<i64: 0, 0>, p = 1 : i64, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  %0 = dml.lp_pooling1 %plane {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 1}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  // dml.lp_pooling1 (C4): rounded up in the last dimension.
  // CHECK: (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  %1 = dml.lp_pooling1 %volume {
      strides = array<i64: 3, 1, 2>, window_size = array<i64: 9, 2, 2>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      dilations = array<i64: 1, 1, 1>, p = 2}
      : (tensor<1x2x3x4x5xf16>) -> tensor<1x2x1x3x3xf16>
  // dml.lp_pooling1 (C5): 1, the lowest value; and a large one.
  // CHECK: p = 4294967295 : i64
  %2 = dml.lp_pooling1 %plane {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 4294967295}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x2x3xf32>
  return
}

// CHECK-LABEL: func @average_pooling_grad
func.func @average_pooling_grad(
    %plane: tensor<1x2x3x1xf32>, %volume: tensor<1x2x1x3x3xf16>) {
  // dml.average_pooling_grad (C1), (C2), (C3): two spatial dimensions; 1 and 0, the lowest
  // values.
  // CHECK: dml.average_pooling_grad %{{.*}} {end_padding = array<i64: 0, 0>, include_padding = true, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>} : (tensor<1x2x3x1xf32>) -> tensor<1x2x3x4xf32>
  %0 = dml.average_pooling_grad %plane {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x2x3x1xf32>) -> tensor<1x2x3x4xf32>
  // dml.average_pooling_grad (C4): rounded up in the last dimension.
  // CHECK: (tensor<1x2x1x3x3xf16>) -> tensor<1x2x3x4x5xf16>
  %1 = dml.average_pooling_grad %volume {
      strides = array<i64: 3, 1, 2>, window_size = array<i64: 9, 2, 2>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      include_padding = false}
      : (tensor<1x2x1x3x3xf16>) -> tensor<1x2x3x4x5xf16>
  return
}

// CHECK-LABEL: func @max_unpooling
func.func @max_unpooling(
    %input: tensor<1x2x2x2xui8>, %wide: tensor<1x2x2x2xui64>,
    %narrow: tensor<1x2x2x2xui32>) {
  // dml.max_unpooling (C1), (C2): other sizes, those of the batch included.
  // CHECK: dml.max_unpooling %{{.*}}, %{{.*}} : (tensor<1x2x2x2xui8>, tensor<1x2x2x2xui64>) -> tensor<1x2x4x4xui8>
  %0 = dml.max_unpooling %input, %wide
      : (tensor<1x2x2x2xui8>, tensor<1x2x2x2xui64>) -> tensor<1x2x4x4xui8>
  // CHECK: dml.max_unpooling %{{.*}}, %{{.*}} : (tensor<1x2x2x2xui8>, tensor<1x2x2x2xui32>) -> tensor<3x1x1x1xui8>
  %1 = dml.max_unpooling %input, %narrow
      : (tensor<1x2x2x2xui8>, tensor<1x2x2x2xui32>) -> tensor<3x1x1x1xui8>
  return
}

// CHECK-LABEL: func @quantized_linear_average_pooling
func.func @quantized_linear_average_pooling(
    %plane: tensor<1x2x3x4xui8>, %volume: tensor<1x2x3x4x5xi8>,
    %scale: tensor<1xf32>, %scales: tensor<1x2x1x1xf32>,
    %zero: tensor<1x1x1x1xui8>, %zeros: tensor<1x2x1x1x1xi8>) {
  // dml.quantized_linear_average_pooling (C1), (C2), (C3), (C5), (C6): two spatial
  // dimensions; 1 and 0, the lowest values; one scale of another rank.
  // CHECK: dml.quantized_linear_average_pooling %{{.*}}, %{{.*}} input_zero_point(%{{.*}}), %{{.*}} {dilations = array<i64: 1, 1>, end_padding = array<i64: 0, 0>, include_padding = true, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>} : (tensor<1x2x3x4xui8>, tensor<1xf32>, tensor<1x1x1x1xui8>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x1xi8>
  %0 = dml.quantized_linear_average_pooling %plane, %scale
      input_zero_point(%zero), %scales {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = true}
      : (tensor<1x2x3x4xui8>, tensor<1xf32>, tensor<1x1x1x1xui8>,
         tensor<1x2x1x1xf32>) -> tensor<1x2x3x1xi8>
  // dml.quantized_linear_average_pooling (C4): rounded up in the last dimension.
  // CHECK: -> tensor<1x2x1x3x3xi8>
  %1 = dml.quantized_linear_average_pooling %volume, %scale, %scale
      output_zero_point(%zeros) {
      strides = array<i64: 3, 1, 2>, window_size = array<i64: 9, 2, 2>,
      start_padding = array<i64: 1, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      dilations = array<i64: 1, 1, 1>, include_padding = false}
      : (tensor<1x2x3x4x5xi8>, tensor<1xf32>, tensor<1xf32>,
         tensor<1x2x1x1x1xi8>) -> tensor<1x2x1x3x3xi8>
  return
}

// SPDX-License-Identifier: Apache-2.0
