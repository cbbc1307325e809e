// What scatters accept, in text and in bytecode. A comment names the constraint whose
// limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.scatter_elements (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f0(
// CHECK: dml.scatter_elements
func.func @f0(%0: tensor<3x2xf32>, %1: tensor<5x2xi64>, %2: tensor<5x2xf32>) {
  %r = dml.scatter_elements %0, %1, %2 {axis = 0 : i64}
      : (tensor<3x2xf32>, tensor<5x2xi64>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return
}

// dml.scatter_nd (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @f1(
// CHECK: dml.scatter_nd
func.func @f1(%0: tensor<1x2x3xf32>, %1: tensor<1x4x2xui32>, %2: tensor<1x1x4xf32>) {
  %r = dml.scatter_nd %0, %1, %2 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64}
      : (tensor<1x2x3xf32>, tensor<1x4x2xui32>, tensor<1x1x4xf32>) -> tensor<1x2x3xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
