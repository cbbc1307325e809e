// What views accept, and the layouts of arguments and results, in text and in
// bytecode. A comment names the constraint whose limit a case stands on
// (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// CHECK-LABEL: func @views
func.func @views(%input: tensor<2x3xf32>, %rank8: tensor<1x1x1x1x1x1x1x2xui4>) {
  // The longest strides that stay inside.
  // dml.view (C2), (C4)
  // CHECK: dml.view %{{.*}} {offset = 1 : i64, strides = array<i64: 4, 1>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %0 = dml.view %input {strides = array<i64: 4, 1>, offset = 1 : i64}
      : (tensor<2x3xf32>) -> tensor<2x1xf32>
  // A stride of 0, the smallest; the largest has no meaning.
  // dml.view (C3)
  // CHECK: dml.view %{{.*}} {strides = array<i64: 0, 4294967295>} : (tensor<2x3xf32>) -> tensor<7x1xf32>
  %1 = dml.view %input {strides = array<i64: 0, 4294967295>}
      : (tensor<2x3xf32>) -> tensor<7x1xf32>
  // dml.view (C1)
  // CHECK: dml.view %{{.*}} : (tensor<1x1x1x1x1x1x1x2xui4>) -> tensor<1xui4>
  %2 = dml.view %rank8 {strides = array<i64: 1>, offset = 1 : i64}
      : (tensor<1x1x1x1x1x1x1x2xui4>) -> tensor<1xui4>
  // CHECK: dml.view %{{.*}} : (tensor<1xui4>) -> tensor<1x1x1x1x1x2x2x3xui4>
  %3 = dml.view %2 {strides = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<1xui4>) -> tensor<1x1x1x1x1x2x2x3xui4>
  return
}

// CHECK-LABEL: func @layouts
// CHECK-SAME: dml.strides = array<i64: 4, 1>, dml.total_size = 32 : i64
// CHECK-SAME: dml.strides = array<i64: 0, 0>, dml.total_size = 4 : i64
// CHECK-SAME: dml.strides = array<i64: 1, 2>, dml.total_size = 12 : i64
func.func @layouts(
    %padded: tensor<2x3xf32> {dml.strides = array<i64: 4, 1>, dml.total_size = 32 : i64},
    %repeated: tensor<2x3xi8> {dml.strides = array<i64: 0, 0>, dml.total_size = 4 : i64},
    %overlapping: tensor<2x3xf32> {dml.strides = array<i64: 1, 1>})
    -> (tensor<2x3xf16> {dml.strides = array<i64: 1, 2>, dml.total_size = 12 : i64},
        tensor<2x3xf16> {dml.strides = array<i64: 3, 1>},
        tensor<1x1xf16> {dml.strides = array<i64: 0, 7>}) {
  %0 = arith.constant dense<0.0> : tensor<2x3xf16>
  %1 = arith.constant dense<0.0> : tensor<1x1xf16>
  return %0, %0, %1 : tensor<2x3xf16>, tensor<2x3xf16>, tensor<1x1xf16>
}

// SPDX-License-Identifier: Apache-2.0
