// What softmax and its relatives accept, in text and in bytecode.
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// DML_SoftmaxBase (C1), DML_SoftmaxOp (C2)
// CHECK-LABEL: func @sets
func.func @sets(%a: tensor<2x3x4xf16>) {
  // CHECK: dml.activation_hardmax1 %{{.*}} {axes = array<i64: 2, 0>}
  %hardmax = dml.activation_hardmax1 %a {axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  // CHECK: dml.activation_log_softmax1 %{{.*}} {axes = array<i64: 2, 0>}
  %log_softmax = dml.activation_log_softmax1 %a {axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  // CHECK: dml.activation_softmax1 %{{.*}} {axes = array<i64: 2, 0>}
  %softmax = dml.activation_softmax1 %a {axes = array<i64: 2, 0>}
      : (tensor<2x3x4xf16>) -> tensor<2x3x4xf16>
  return
}

// DML_MatrixSoftmaxOp (C2): a matrix has leading sizes of 1.
// CHECK-LABEL: func @matrices
func.func @matrices(%a: tensor<1x1x2x3xf32>, %b: tensor<5xf32>) {
  // CHECK: dml.activation_hardmax %
  %hardmax = dml.activation_hardmax %a : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %hardmax_row = dml.activation_hardmax %b : (tensor<5xf32>) -> tensor<5xf32>
  // CHECK: dml.activation_log_softmax %
  %log_softmax = dml.activation_log_softmax %a : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %log_softmax_row = dml.activation_log_softmax %b : (tensor<5xf32>) -> tensor<5xf32>
  // CHECK: dml.activation_softmax %
  %softmax = dml.activation_softmax %a : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %softmax_row = dml.activation_softmax %b : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
