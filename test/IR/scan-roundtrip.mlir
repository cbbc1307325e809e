// What the scans accept, in text and in bytecode.
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.cumulative_summation (C1), (C2) dml.cumulative_product (C1), (C2)
// CHECK-LABEL: func @scans
func.func @scans(%a: tensor<2x3xui64>, %b: tensor<1x1x1x1x1x1x1x3xf16>) {
  // CHECK: dml.cumulative_summation %{{.*}} {axis = 1 : i64, axis_direction = #dml.axis_direction<increasing>, has_exclusive_sum = false}
  %0 = dml.cumulative_summation %a {axis = 1 : i64,
      axis_direction = #dml.axis_direction<increasing>, has_exclusive_sum = false}
      : (tensor<2x3xui64>) -> tensor<2x3xui64>
  // CHECK: dml.cumulative_product %{{.*}} {axis = 7 : i64, axis_direction = #dml.axis_direction<decreasing>, has_exclusive_product = true}
  %1 = dml.cumulative_product %b {axis = 7 : i64,
      axis_direction = #dml.axis_direction<decreasing>, has_exclusive_product = true}
      : (tensor<1x1x1x1x1x1x1x3xf16>) -> tensor<1x1x1x1x1x1x1x3xf16>
  return
}

// SPDX-License-Identifier: Apache-2.0
