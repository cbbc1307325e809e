// What the forward poolings accept, in text and in bytecode. A comment names the
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
