// What selections accept, in text and in bytecode. A comment names the constraint whose
// limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.top_k (C1), (C2), (C3), (C4), (C5) dml.top_k1 (C1), (C2), (C3), (C4), (C5): whole
// lines, and one element of each.
// CHECK-LABEL: func @selections
func.func @selections(%a: tensor<2x3xf16>, %b: tensor<1x1x1x1x1x1x1x3xui64>) {
  // CHECK: dml.top_k %{{.*}} {axis = 1 : i64, k = 3 : i64} : (tensor<2x3xf16>) -> (tensor<2x3xf16>, tensor<2x3xui32>)
  %0, %1 = dml.top_k %a {axis = 1 : i64, k = 3 : i64}
      : (tensor<2x3xf16>) -> (tensor<2x3xf16>, tensor<2x3xui32>)
  // CHECK: dml.top_k %{{.*}} {axis = 0 : i64, k = 1 : i64}
  %2, %3 = dml.top_k %a {axis = 0 : i64, k = 1 : i64}
      : (tensor<2x3xf16>) -> (tensor<1x3xf16>, tensor<1x3xui64>)
  // CHECK: dml.top_k1 %{{.*}} {axis = 7 : i64, axis_direction = #dml.axis_direction<increasing>, k = 3 : i64}
  %4, %5 = dml.top_k1 %b {axis = 7 : i64, k = 3 : i64,
      axis_direction = #dml.axis_direction<increasing>}
      : (tensor<1x1x1x1x1x1x1x3xui64>)
      -> (tensor<1x1x1x1x1x1x1x3xui64>, tensor<1x1x1x1x1x1x1x3xui64>)
  // CHECK: dml.top_k1 %{{.*}} {axis = 0 : i64, axis_direction = #dml.axis_direction<decreasing>, k = 1 : i64}
  %6, %7 = dml.top_k1 %a {axis = 0 : i64, k = 1 : i64,
      axis_direction = #dml.axis_direction<decreasing>}
      : (tensor<2x3xf16>) -> (tensor<1x3xf16>, tensor<1x3xui32>)
  return
}

// dml.nonzero_coordinates (C1), (C2), (C3): rows of as few and of as many coordinates as
// there can be, and tensors of three ranks.
// CHECK-LABEL: func @coordinates
func.func @coordinates(%a: tensor<1x2x3xf32>, %b: tensor<1x1xi8>) {
  // CHECK: dml.nonzero_coordinates %{{.*}} : (tensor<1x2x3xf32>) -> (tensor<1xui32>, tensor<6x2xui32>)
  %0, %1 = dml.nonzero_coordinates %a
      : (tensor<1x2x3xf32>) -> (tensor<1xui32>, tensor<6x2xui32>)
  // CHECK: dml.nonzero_coordinates
  %2, %3 = dml.nonzero_coordinates %a
      : (tensor<1x2x3xf32>) -> (tensor<1x1xui32>, tensor<1x1x6x3xui32>)
  // CHECK: dml.nonzero_coordinates
  %4, %5 = dml.nonzero_coordinates %b
      : (tensor<1x1xi8>) -> (tensor<1xui32>, tensor<1x1xui32>)
  return
}

// SPDX-License-Identifier: Apache-2.0
