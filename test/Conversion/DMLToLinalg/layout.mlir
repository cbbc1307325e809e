// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// Inputs that are joined are inserted one after the other.

// CHECK-LABEL: func @join
// CHECK:       %[[EMPTY:.*]] = tensor.empty() : tensor<2x5xf32>
// CHECK:       %[[FIRST:.*]] = tensor.insert_slice %{{.*}} into %[[EMPTY]][0, 0] [2, 2] [1, 1]
// CHECK:       tensor.insert_slice %{{.*}} into %[[FIRST]][0, 2] [2, 3] [1, 1]
func.func @join(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %0 = dml.join %a, %b {axis = 1} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// The block of an element is its coordinate divided by the block's size; the place within
// the block, the remainder, becomes a part of the channel.

// CHECK-LABEL: func @depth_to_space
// CHECK:       %[[CHANNEL:.*]] = linalg.index 1
// CHECK:       %[[ROW:.*]] = linalg.index 2
// CHECK:       %[[COLUMN:.*]] = linalg.index 3
// CHECK:       %[[INNER_ROW:.*]] = arith.remui %[[ROW]]
// CHECK:       %[[INNER_COLUMN:.*]] = arith.remui %[[COLUMN]]
// CHECK:       %[[DEPTH:.*]] = arith.addi %{{.*}}, %[[CHANNEL]]
// CHECK:       %[[OUTER_ROW:.*]] = arith.divui %[[ROW]]
// CHECK:       %[[OUTER_COLUMN:.*]] = arith.divui %[[COLUMN]]
// CHECK:       tensor.extract %{{.*}}[%{{.*}}, %[[DEPTH]], %[[OUTER_ROW]], %[[OUTER_COLUMN]]]
func.func @depth_to_space(%input: tensor<1x12x2x3xf32>) -> tensor<1x3x4x6xf32> {
  %0 = dml.depth_to_space %input {block_size = 2} : (tensor<1x12x2x3xf32>) -> tensor<1x3x4x6xf32>
  return %0 : tensor<1x3x4x6xf32>
}

// SPDX-License-Identifier: Apache-2.0
