// RUN: dml-opt %s --split-input-file --convert-dml-to-linalg | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-to-linalg | FileCheck %s

// Four equal operators are lowered in one function, which is not left. Each copy
// has the tensors of its operator, and its constants stand once.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-1: arith.constant 3.000000e+00 : f32
// CHECK-NOT: arith.constant 3.000000e+00 : f32
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: tensor.extract %arg0
// CHECK: %[[B:.*]] = linalg.generic
// CHECK: tensor.extract %arg1
// CHECK: %[[C:.*]] = linalg.generic
// CHECK: tensor.extract %[[B]]
// CHECK: %[[D:.*]] = linalg.generic
// CHECK: tensor.extract %[[C]]
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: tensor.extract %[[A]]
// CHECK: tensor.extract %[[D]]
// CHECK: return %[[E]]
// CHECK-NOT: func.func
func.func @chain(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dml.element_wise_clip %a {min = -3.0 : f32, max = 3.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = dml.element_wise_clip %b {min = -3.0 : f32, max = 3.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = dml.element_wise_clip %1 {min = -3.0 : f32, max = 3.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = dml.element_wise_clip %2 {min = -3.0 : f32, max = 3.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = dml.element_wise_subtract %0, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// Operators that are given one tensor twice are of another kind than those that
// are given two, and types are those that linalg has. The functions that share a
// kind may be several.
// CHECK-LABEL: func.func @pairs(
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: %[[X:.*]] = tensor.extract %arg0
// CHECK: arith.addi %[[X]], %[[X]] : i32
// CHECK: %[[B:.*]] = linalg.generic
// CHECK: %[[X:.*]] = tensor.extract %arg0
// CHECK: %[[Y:.*]] = tensor.extract %arg1
// CHECK: arith.addi %[[X]], %[[Y]] : i32
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-6: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-NOT: func.func
func.func @pairs(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %0 = dml.element_wise_add %a, %a : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %1 = dml.element_wise_add %a, %b : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %2 = dml.element_wise_add %1, %0 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %3 = dml.element_wise_add %2, %2 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %4 = dml.element_wise_add %2, %b : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %5 = dml.element_wise_add %4, %3 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %5 : tensor<4xui32>
}
func.func @others(%a: tensor<4xui32>, %b: tensor<4xui32>) -> tensor<4xui32> {
  %0 = dml.element_wise_add %a, %a : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %1 = dml.element_wise_add %a, %b : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %2 = dml.element_wise_add %1, %0 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %3 = dml.element_wise_add %2, %2 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %4 = dml.element_wise_add %2, %b : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %5 = dml.element_wise_add %4, %3 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %5 : tensor<4xui32>
}

// -----

// What reads a splat is lowered where it stands, so that it is made simpler.
// CHECK-LABEL: func.func @constants(
// CHECK-COUNT-4: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK-NOT: func.func
func.func @constants(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<2.0> : tensor<4xf32>
  %0 = dml.element_wise_multiply %a, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = dml.element_wise_multiply %0, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = dml.element_wise_multiply %1, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = dml.element_wise_multiply %2, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// SPDX-License-Identifier: Apache-2.0
