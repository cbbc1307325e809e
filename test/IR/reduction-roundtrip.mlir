// What the reductions accept, in text and in bytecode.
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.reduce (C1), (C2), (C3)
// CHECK-LABEL: func @functions
func.func @functions(%input: tensor<2x3x4xf16>) {
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<argmax>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xui32>
  %argmax = dml.reduce %input {function = #dml.reduce_function<argmax>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xui32>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<argmin>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xui32>
  %argmin = dml.reduce %input {function = #dml.reduce_function<argmin>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xui32>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<average>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %average = dml.reduce %input {function = #dml.reduce_function<average>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<l1>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %l1 = dml.reduce %input {function = #dml.reduce_function<l1>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<l2>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %l2 = dml.reduce %input {function = #dml.reduce_function<l2>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<log_sum>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %log_sum = dml.reduce %input {function = #dml.reduce_function<log_sum>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<log_sum_exp>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %log_sum_exp = dml.reduce %input {function = #dml.reduce_function<log_sum_exp>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<max>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %max = dml.reduce %input {function = #dml.reduce_function<max>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<min>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %min = dml.reduce %input {function = #dml.reduce_function<min>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<multiply>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %multiply = dml.reduce %input {function = #dml.reduce_function<multiply>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<sum>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %sum = dml.reduce %input {function = #dml.reduce_function<sum>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: dml.reduce %{{.*}} {axes = array<i64: 2, 0>, function = #dml.reduce_function<sum_square>} : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %sum_square = dml.reduce %input {function = #dml.reduce_function<sum_square>, axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  return
}

// CHECK-LABEL: func @types
func.func @types(%bytes: tensor<5xui8>, %longs: tensor<5xi64>, %shorts: tensor<2x1x1x1x1x1x1x3xi16>) {
  // CHECK: axes = array<i64>, function = #dml.reduce_function<max>
  %0 = dml.reduce %bytes {function = #dml.reduce_function<max>, axes = array<i64>}
      : (tensor<5xui8>) -> tensor<5xui8>
  %1 = dml.reduce %longs {function = #dml.reduce_function<sum_square>, axes = array<i64: 0>}
      : (tensor<5xi64>) -> tensor<1xi64>
  %2 = dml.reduce %shorts {function = #dml.reduce_function<argmin>, axes = array<i64: 7, 0>}
      : (tensor<2x1x1x1x1x1x1x3xi16>) -> tensor<1x1x1x1x1x1x1x1xui64>
  return
}

// dml.argmax (C1), (C2) dml.argmin (C1), (C2)
// CHECK-LABEL: func @places
func.func @places(%input: tensor<2x3xf32>) {
  // CHECK: dml.argmax %{{.*}} {axes = array<i64: 1>, axis_direction = #dml.axis_direction<increasing>}
  %0 = dml.argmax %input {axes = array<i64: 1>, axis_direction = #dml.axis_direction<increasing>}
      : (tensor<2x3xf32>) -> tensor<2x1xi64>
  // CHECK: dml.argmin %{{.*}} {axes = array<i64: 0, 1>, axis_direction = #dml.axis_direction<decreasing>}
  %1 = dml.argmin %input {axes = array<i64: 0, 1>, axis_direction = #dml.axis_direction<decreasing>}
      : (tensor<2x3xf32>) -> tensor<1x1xui32>
  return
}

// SPDX-License-Identifier: Apache-2.0
