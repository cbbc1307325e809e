// RUN: dml-opt %s --dml-own-constants --dml-to-linalg | FileCheck %s

// A tensor of which constants are a part is no result of the initialization, which nothing
// may write to later: the constant part is.

// CHECK-LABEL: func.func @joined(
// CHECK-SAME:    %[[X:.*]]: tensor<4x3xf32>, %[[PART:.*]]: tensor<4x3xf32> {dml.persistent = 0 : i64})
// CHECK:         tensor.insert_slice %[[PART]] into
// CHECK:         tensor.insert_slice %[[PART]] into
// CHECK:         tensor.insert_slice %[[X]] into
func.func @joined(%x: tensor<4x3xf32>) -> tensor<12x3xf32> {
  %0 = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 0.0, 1.0]]> : tensor<4x3xf32>
  %1 = dml.element_wise_add %0, %0 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = dml.join %1, %1, %x {axis = 0 : i64}
      : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<12x3xf32>
  return %2 : tensor<12x3xf32>
}

// SPDX-License-Identifier: Apache-2.0
