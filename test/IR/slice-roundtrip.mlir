// What slices accept, in text and in bytecode. A comment names the constraint whose
// limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.slice (C1), (C2), (C3), (C4): the last element is the last one of input.
// CHECK-LABEL: func @f0(
// CHECK: dml.slice
func.func @f0(%0: tensor<2x4xf32>) {
  %r = dml.slice %0 {offsets = array<i64: 1, 0>, sizes = array<i64: 1, 2>, strides = array<i64: 1, 3>}
      : (tensor<2x4xf32>) -> tensor<1x2xf32>
  return
}

// dml.slice1 (C1), (C2), (C3), (C4), (C5): windows that end where input does.
// CHECK-LABEL: func @f1(
// CHECK: dml.slice1
func.func @f1(%0: tensor<2x4xui8>) {
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0, 1>, input_window_sizes = array<i64: 2, 3>, input_window_strides = array<i64: 1, -2>}
      : (tensor<2x4xui8>) -> tensor<2x2xui8>
  return
}

// dml.slice1 (C3), (C5): fewer elements than the steps reach, the largest stride.
// CHECK-LABEL: func @f2(
// CHECK: dml.slice1
func.func @f2(%0: tensor<4xf64>) {
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0>, input_window_sizes = array<i64: 4>, input_window_strides = array<i64: -2147483648>}
      : (tensor<4xf64>) -> tensor<1xf64>
  return
}

// dml.slice_grad (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @f3(
// CHECK: dml.slice_grad
func.func @f3(%0: tensor<1x2xi64>) {
  %r = dml.slice_grad %0 {input_window_offsets = array<i64: 0, 1>, input_window_sizes = array<i64: 1, 3>, input_window_strides = array<i64: 1, -2>}
      : (tensor<1x2xi64>) -> tensor<1x4xi64>
  return
}

// SPDX-License-Identifier: Apache-2.0
