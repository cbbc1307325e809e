// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// Integers have no sign in linalg; each operation has that of the operator.

// CHECK-LABEL: func @add
// CHECK:       %[[A:.*]] = tensor.extract %{{.*}} : tensor<2x3xi32>
// CHECK:       %[[B:.*]] = tensor.extract %{{.*}} : tensor<2x3xi32>
// CHECK:       arith.addi %[[A]], %[[B]] : i32
func.func @add(%a: tensor<2x3xui32>, %b: tensor<2x3xui32>) -> tensor<2x3xui32> {
  %0 = dml.element_wise_add %a, %b : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
  return %0 : tensor<2x3xui32>
}

// A truth value is a byte, 0 or 1.

// CHECK-LABEL: func @less
// CHECK:       %[[LESS:.*]] = arith.cmpi ult
// CHECK:       %[[WIDE:.*]] = arith.extui %[[LESS]] : i1 to i32
// CHECK:       arith.trunci %[[WIDE]] : i32 to i8
func.func @less(%a: tensor<2x3xui32>, %b: tensor<2x3xui32>) -> tensor<2x3xui8> {
  %0 = dml.element_wise_logical_less_than %a, %b : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

// SPDX-License-Identifier: Apache-2.0
