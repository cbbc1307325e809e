// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// An index below 0 counts from the end. One outside of the axis is moved into it, so that no
// kernel reads beyond a buffer.

// CHECK-LABEL: func @gather
// CHECK:       %[[COLUMN:.*]] = linalg.index 1
// CHECK:       %[[INDEX:.*]] = tensor.extract %{{.*}} : tensor<1x4xi32>
// CHECK:       %[[NEGATIVE:.*]] = arith.cmpi slt, %[[INDEX]]
// CHECK:       %[[FROM_END:.*]] = arith.addi %[[INDEX]]
// CHECK:       %[[CHOSEN:.*]] = arith.select %[[NEGATIVE]], %{{.*}}, %[[INDEX]]
// CHECK:       %[[LAST:.*]] = arith.constant 2 : i32
// CHECK:       %[[INSIDE:.*]] = arith.minui %[[CHOSEN]], %[[LAST]]
// CHECK:       %[[ROW:.*]] = arith.index_castui %[[INSIDE]]
// CHECK:       tensor.extract %{{.*}}[%[[ROW]], %[[COLUMN]]] : tensor<3x2xf32>
func.func @gather(%input: tensor<3x2xf32>, %indices: tensor<1x4xi32>) -> tensor<4x2xf32> {
  %0 = dml.gather %input, %indices {axis = 0, index_dimensions = 1}
      : (tensor<3x2xf32>, tensor<1x4xi32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// SPDX-License-Identifier: Apache-2.0
