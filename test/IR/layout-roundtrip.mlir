// What operators that rearrange and fill accept, in text and in bytecode. A comment names the constraint whose
// limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.join (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f0(
// CHECK: dml.join
func.func @f0(%0: tensor<1x2xf32>, %1: tensor<1x1xf32>) {
  %r = dml.join %0, %1 {axis = 1 : i64}
      : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
  return
}

// dml.join (C1): one input.
// CHECK-LABEL: func @f1(
// CHECK: dml.join
func.func @f1(%0: tensor<2xi8>) {
  %r = dml.join %0 {axis = 0 : i64}
      : (tensor<2xi8>) -> tensor<2xi8>
  return
}

// dml.split (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f2(
// CHECK: dml.split
func.func @f2(%0: tensor<1x3xf32>) {
  %r:2 = dml.split %0 {axis = 1 : i64}
      : (tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x1xf32>)
  return
}

// dml.space_to_depth (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f3(
// CHECK: dml.space_to_depth
func.func @f3(%0: tensor<1x1x2x4xf16>) {
  %r = dml.space_to_depth %0 {block_size = 2 : i64}
      : (tensor<1x1x2x4xf16>) -> tensor<1x4x1x2xf16>
  return
}

// dml.space_to_depth1 (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f4(
// CHECK: dml.space_to_depth1
func.func @f4(%0: tensor<1x1x2x4xf64>) {
  %r = dml.space_to_depth1 %0 {block_size = 1 : i64, order = #dml.depth_space_order<column_row_depth>}
      : (tensor<1x1x2x4xf64>) -> tensor<1x1x2x4xf64>
  return
}

// dml.depth_to_space (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f5(
// CHECK: dml.depth_to_space
func.func @f5(%0: tensor<1x8x1x2xi64>) {
  %r = dml.depth_to_space %0 {block_size = 2 : i64}
      : (tensor<1x8x1x2xi64>) -> tensor<1x2x2x4xi64>
  return
}

// dml.depth_to_space1 (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f6(
// CHECK: dml.depth_to_space1
func.func @f6(%0: tensor<1x4x1x2xui8>) {
  %r = dml.depth_to_space1 %0 {block_size = 2 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x4x1x2xui8>) -> tensor<1x1x2x4xui8>
  return
}

// dml.reverse_subsequences (C1), (C2), (C3)
// CHECK-LABEL: func @f7(
// CHECK: dml.reverse_subsequences
func.func @f7(%0: tensor<2x3xf32>, %1: tensor<2x1xui64>) {
  %r = dml.reverse_subsequences %0, %1 {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<2x1xui64>) -> tensor<2x3xf32>
  return
}

// dml.fold (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @f8(
// CHECK: dml.fold
func.func @f8(%0: tensor<1x2x2xf32>) {
  %r = dml.fold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x2xf32>) -> tensor<1x1x1x3xf32>
  return
}

// dml.unfold (C1), (C2), (C3), (C4), (C5): a window as large as the padded plane.
// CHECK-LABEL: func @f9(
// CHECK: dml.unfold
func.func @f9(%0: tensor<1x2x3x2xf16>) {
  %r = dml.unfold %0 {window_sizes = array<i64: 2, 3>, strides = array<i64: 1, 4>, dilations = array<i64: 3, 1>, start_padding = array<i64: 0, 1>, end_padding = array<i64: 1, 0>}
      : (tensor<1x2x3x2xf16>) -> tensor<1x12x1xf16>
  return
}

// dml.value_scale_2d (C1), (C2)
// CHECK-LABEL: func @f10(
// CHECK: dml.value_scale_2d
func.func @f10(%0: tensor<2x3x1x2xf32>) {
  %r = dml.value_scale_2d %0 {bias = array<f32: 1.0, 2.0, 3.0>, scale = 2.0 : f32}
      : (tensor<2x3x1x2xf32>) -> tensor<2x3x1x2xf32>
  return
}

// dml.fill_value_constant (C1)
// CHECK-LABEL: func @f11(
// CHECK: dml.fill_value_constant
func.func @f11() {
  %r = dml.fill_value_constant {value = -1 : i8}
      : () -> tensor<2xi8>
  return
}

// dml.fill_value_sequence (C1)
// CHECK-LABEL: func @f12(
// CHECK: dml.fill_value_sequence
func.func @f12() {
  %r = dml.fill_value_sequence {value_delta = 254 : ui8, value_start = 10 : ui8}
      : () -> tensor<4xui8>
  return
}

// dml.diagonal_matrix (C1)
// CHECK-LABEL: func @f13(
// CHECK: dml.diagonal_matrix
func.func @f13() {
  %r = dml.diagonal_matrix {offset = -2147483648 : i64, value = 2.5 : f32}
      : () -> tensor<2x3xf64>
  return
}

// dml.diagonal_matrix1 (C1), (C2), (C3)
// CHECK-LABEL: func @f14(
// CHECK: dml.diagonal_matrix1
func.func @f14(%0: tensor<2x3xf16>) {
  %r = dml.diagonal_matrix1 input(%0) {diagonal_fill_begin = -2147483648 : i64, diagonal_fill_end = 2147483647 : i64, value = 1.0 : f16}
      : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return
}

// dml.diagonal_matrix1 (C2): no input.
// CHECK-LABEL: func @f15(
// CHECK: dml.diagonal_matrix1
func.func @f15() {
  %r = dml.diagonal_matrix1 {diagonal_fill_begin = 0 : i64, diagonal_fill_end = 1 : i64, value = 1 : ui32}
      : () -> tensor<2x3xui32>
  return
}

// SPDX-License-Identifier: Apache-2.0
