// What every operator accepts, in text and in bytecode. A comment names the
// constraint whose limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// CHECK: module attributes {dml.target = #dml.target<feature_level = fl_6_4>}
module attributes {dml.target = #dml.target<feature_level = fl_6_4>} {

// CHECK-LABEL: func @padding_modes
// CHECK-SAME: dml.target = #dml.target<feature_level = fl_5_0>
func.func @padding_modes(%input: tensor<1x3xf32> {dml.name = "in"})
    -> (tensor<1x6xf32> {dml.name = "out"})
    attributes {dml.target = #dml.target<feature_level = fl_5_0>} {
  // CHECK: dml.padding %{{.*}} {end_padding = array<i64: 0, 0>, mode = #dml.padding_mode<constant>, start_padding = array<i64: 0, 3>}
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>,
      start_padding = array<i64: 0, 3>, end_padding = array<i64: 0, 0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  // CHECK: dml.padding %{{.*}} mode = #dml.padding_mode<constant>, padding_value = 1.050000e+01 : f32
  %1 = dml.padding %input {mode = #dml.padding_mode<constant>,
      padding_value = 10.5 : f32,
      start_padding = array<i64: 0, 3>, end_padding = array<i64: 0, 0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  // CHECK: #dml.padding_mode<edge>
  %2 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 3>, end_padding = array<i64: 0, 0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  // CHECK: #dml.padding_mode<reflection>
  %3 = dml.padding %input {mode = #dml.padding_mode<reflection>,
      start_padding = array<i64: 0, 3>, end_padding = array<i64: 0, 0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  // CHECK: #dml.padding_mode<symmetric>
  %4 = dml.padding %input {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 3>, end_padding = array<i64: 0, 0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return %4 : tensor<1x6xf32>
}

// CHECK-LABEL: func @padding_wrap
func.func @padding_wrap(%input: tensor<3xi8>) -> tensor<6xi8> {
  // CHECK: #dml.padding_mode<wrap>
  %0 = dml.padding %input {mode = #dml.padding_mode<wrap>,
      start_padding = array<i64: 2>, end_padding = array<i64: 1>}
      : (tensor<3xi8>) -> tensor<6xi8>
  return %0 : tensor<6xi8>
}

// CHECK-LABEL: func @padding_limits
func.func @padding_limits(%one: tensor<1xui64>,
                          %eight: tensor<1x2x1x2x1x2x1x2xf64>) {
  // dml.padding (C1): one value a dimension, at the lowest and highest rank.
  // dml.padding (C2): no padding at all.
  // CHECK: (tensor<1x2x1x2x1x2x1x2xf64>) -> tensor<1x2x1x2x1x2x1x2xf64>
  %0 = dml.padding %eight {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>,
      end_padding = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<1x2x1x2x1x2x1x2xf64>) -> tensor<1x2x1x2x1x2x1x2xf64>
  // dml.padding (C3): as large as a tensor can be.
  // CHECK: (tensor<1xui64>) -> tensor<4294967295xui64>
  %1 = dml.padding %one {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0>, end_padding = array<i64: 4294967294>}
      : (tensor<1xui64>) -> tensor<4294967295xui64>
  return
}

// CHECK-LABEL: func @tile
func.func @tile(%small: tensor<2x2xf32>, %one: tensor<1xi64>) {
  // dml.tile (C1), dml.tile (C2): one value a dimension, 1 the lowest.
  // CHECK: dml.tile %{{.*}} {repeats = array<i64: 1, 2>} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  %0 = dml.tile %small {repeats = array<i64: 1, 2>}
      : (tensor<2x2xf32>) -> tensor<2x4xf32>
  // dml.tile (C3): as large as a tensor can be.
  // CHECK: (tensor<1xi64>) -> tensor<4294967295xi64>
  %1 = dml.tile %one {repeats = array<i64: 4294967295>}
      : (tensor<1xi64>) -> tensor<4294967295xi64>
  return
}

// CHECK-LABEL: func @max_pooling_grad
func.func @max_pooling_grad(
    %plane: tensor<1x2x3x4xf32>, %gradient: tensor<1x2x2x3xf32>,
    %volume: tensor<1x2x3x4x5xf16>, %one: tensor<1x2x1x1x1xf16>,
    %wide: tensor<1x1x1x6xf32>, %floor: tensor<1x1x1x2xf32>,
    %ceil: tensor<1x1x1x3xf32>) {
  // dml.max_pooling_grad (C1), (C3), (C5): two spatial dimensions.
  // CHECK: dml.max_pooling_grad %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, end_padding = array<i64: 0, 0>, start_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>} : (tensor<1x2x3x4xf32>, tensor<1x2x2x3xf32>) -> tensor<1x2x3x4xf32>
  %0 = dml.max_pooling_grad %plane, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x2x3x4xf32>, tensor<1x2x2x3xf32>) -> tensor<1x2x3x4xf32>
  // Three; and (C4): a window larger than the padded tensor gives one element.
  // dml.max_pooling_grad (C4)
  // CHECK: (tensor<1x2x3x4x5xf16>, tensor<1x2x1x1x1xf16>) -> tensor<1x2x3x4x5xf16>
  %1 = dml.max_pooling_grad %volume, %one {
      strides = array<i64: 3, 3, 3>, window_size = array<i64: 9, 9, 9>,
      start_padding = array<i64: 1, 0, 1>, end_padding = array<i64: 0, 1, 1>,
      dilations = array<i64: 1, 2, 1>}
      : (tensor<1x2x3x4x5xf16>, tensor<1x2x1x1x1xf16>) -> tensor<1x2x3x4x5xf16>
  // (C4): the size rounded down, and rounded up.
  // dml.max_pooling_grad (C2): 1 and 0, the lowest values.
  // CHECK: (tensor<1x1x1x6xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x6xf32>
  %2 = dml.max_pooling_grad %wide, %floor {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x6xf32>, tensor<1x1x1x2xf32>) -> tensor<1x1x1x6xf32>
  // CHECK: (tensor<1x1x1x6xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x6xf32>
  %3 = dml.max_pooling_grad %wide, %ceil {
      strides = array<i64: 1, 3>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x6xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x6xf32>
  return
}

// CHECK-LABEL: func @resample
func.func @resample(%row: tensor<1x2xf32>, %bytes: tensor<2x2x2x2xui8>) {
  // dml.resample (C1), dml.resample (C2): one value a dimension.
  // CHECK: dml.resample %{{.*}} {mode = #dml.interpolation_mode<linear>, scales = array<f32: 1.000000e+00, 2.000000e+00>} : (tensor<1x2xf32>) -> tensor<1x4xf32>
  %0 = dml.resample %row {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 2.0>} : (tensor<1x2xf32>) -> tensor<1x4xf32>
  // dml.resample (C3): sizes have nothing to do with scales.
  // CHECK: #dml.interpolation_mode<nearest_neighbor>
  // CHECK-SAME: tensor<7x1x3x2xui8>
  %1 = dml.resample %bytes {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 1.0e-30, 1.0, 3.4e38, 0.5>}
      : (tensor<2x2x2x2xui8>) -> tensor<7x1x3x2xui8>
  return
}
}

// SPDX-License-Identifier: Apache-2.0
