// What gathers accept, in text and in bytecode. A comment names the constraint whose
// limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.gather (C1), (C2), (C3), (C4), (C5), (C6): all dimensions of indices count.
// CHECK-LABEL: func @f0(
// CHECK: dml.gather
func.func @f0(%0: tensor<1x3x2xf32>, %1: tensor<1x2x2xui32>) {
  %r = dml.gather %0, %1 {axis = 1 : i64, index_dimensions = 2 : i64}
      : (tensor<1x3x2xf32>, tensor<1x2x2xui32>) -> tensor<2x2x2xf32>
  return
}

// dml.gather (C3): no dimension of indices counts.
// CHECK-LABEL: func @f1(
// CHECK: dml.gather
func.func @f1(%0: tensor<3x2xf64>, %1: tensor<1x1xi64>) {
  %r = dml.gather %0, %1 {axis = 0 : i64, index_dimensions = 0 : i64}
      : (tensor<3x2xf64>, tensor<1x1xi64>) -> tensor<1x2xf64>
  return
}

// dml.gather_elements (C1), (C2), (C3)
// CHECK-LABEL: func @f2(
// CHECK: dml.gather_elements
func.func @f2(%0: tensor<2x2xi8>, %1: tensor<5x2xi32>) {
  %r = dml.gather_elements %0, %1 {axis = 0 : i64}
      : (tensor<2x2xi8>, tensor<5x2xi32>) -> tensor<5x2xi8>
  return
}

// dml.gather_nd (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f3(
// CHECK: dml.gather_nd
func.func @f3(%0: tensor<1x2x3xf32>, %1: tensor<1x4x2xui64>) {
  %r = dml.gather_nd %0, %1 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64}
      : (tensor<1x2x3xf32>, tensor<1x4x2xui64>) -> tensor<1x1x4xf32>
  return
}

// dml.gather_nd1 (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @f4(
// CHECK: dml.gather_nd1
func.func @f4(%0: tensor<3x2x2xf32>, %1: tensor<3x2x1xui32>) {
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 3 : i64, input_dimension_count = 3 : i64, batch_dimension_count = 1 : i64}
      : (tensor<3x2x2xf32>, tensor<3x2x1xui32>) -> tensor<3x2x2xf32>
  return
}

// dml.one_hot (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f5(
// CHECK: dml.one_hot
func.func @f5(%0: tensor<2x1xui32>, %1: tensor<2x1xf16>) {
  %r = dml.one_hot %0, %1 {axis = 1 : i64}
      : (tensor<2x1xui32>, tensor<2x1xf16>) -> tensor<2x7xf16>
  return
}

// SPDX-License-Identifier: Apache-2.0
