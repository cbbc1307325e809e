// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// Only the dimension that repeats costs a remainder.

// CHECK-LABEL: func @tile
// CHECK:       linalg.generic
// CHECK-DAG:     %[[ROW:.*]] = linalg.index 0
// CHECK-DAG:     %[[COLUMN:.*]] = linalg.index 1
// CHECK:         %[[SIZE:.*]] = arith.constant 3 : index
// CHECK-NEXT:    %[[WRAPPED:.*]] = arith.remui %[[COLUMN]], %[[SIZE]]
// CHECK-NEXT:    tensor.extract %{{.*}}[%[[ROW]], %[[WRAPPED]]]
func.func @tile(%input: tensor<2x3xf16>) -> tensor<2x6xf16> {
  %0 = dml.tile %input {repeats = array<i64: 1, 2>}
      : (tensor<2x3xf16>) -> tensor<2x6xf16>
  return %0 : tensor<2x6xf16>
}

// The operations around it change their types with it; a cast between types that
// differ in their sign alone is gone.

// CHECK-LABEL: func @around
// CHECK-NOT:   tensor.bitcast
// CHECK:       tensor.collapse_shape {{.*}} : tensor<2x3xi32> into tensor<6xi32>
// CHECK:       arith.constant dense<-1> : tensor<6xi32>
func.func @around(%input: tensor<2x3xui32>) -> (tensor<6xi32>, tensor<12xui32>) {
  %0 = tensor.collapse_shape %input [[0, 1]] : tensor<2x3xui32> into tensor<6xui32>
  %1 = tensor.bitcast %0 : tensor<6xui32> to tensor<6xi32>
  %2 = arith.constant dense<4294967295> : tensor<6xui32>
  %3 = dml.tile %2 {repeats = array<i64: 2>} : (tensor<6xui32>) -> tensor<12xui32>
  return %1, %3 : tensor<6xi32>, tensor<12xui32>
}

// SPDX-License-Identifier: Apache-2.0
