// RUN: dml-opt %s --convert-dml-to-linalg --split-input-file | FileCheck %s

// A transposition reads other coordinates, with no arithmetic at all.

// CHECK-LABEL: func @transpose
// CHECK:       linalg.generic
// CHECK-DAG:   %[[I:.*]] = linalg.index 0
// CHECK-DAG:   %[[J:.*]] = linalg.index 1
// CHECK-NOT:   arith.{{add|mul|div|rem}}
// CHECK:       tensor.extract %arg0[%[[J]], %[[I]]] : tensor<2x3xf32>
func.func @transpose(%input: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = dml.view %input {strides = array<i64: 1, 3>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func @broadcast
// CHECK:       linalg.generic
// CHECK-DAG:   %[[J:.*]] = linalg.index 1
// CHECK-NOT:   arith.{{add|mul|div|rem}}
// CHECK:       tensor.extract %arg0[%{{.*}}, %[[J]]] : tensor<1x3xi8>
func.func @broadcast(%input: tensor<1x3xi8>) -> tensor<5x3xi8> {
  %0 = dml.view %input {strides = array<i64: 0, 1>} : (tensor<1x3xi8>) -> tensor<5x3xi8>
  return %0 : tensor<5x3xi8>
}

// -----

// A part: rows 1 and 3, columns 2 and 3.

// CHECK-LABEL: func @part
// CHECK:       linalg.generic
// CHECK-DAG:   %[[I:.*]] = linalg.index 0
// CHECK-DAG:   %[[J:.*]] = linalg.index 1
// CHECK-NOT:   div
// CHECK-DAG:   %[[TWICE:.*]] = arith.muli %[[I]], %c2
// CHECK-DAG:   %[[ROW:.*]] = arith.addi %[[TWICE]], %c1
// CHECK-DAG:   %[[COLUMN:.*]] = arith.addi %[[J]], %c2{{.*}}
// CHECK:       tensor.extract %arg0[%[[ROW]], %[[COLUMN]]] : tensor<4x5xf32>
func.func @part(%input: tensor<4x5xf32>) -> tensor<2x2xf32> {
  %0 = dml.view %input {strides = array<i64: 10, 1>, offset = 7 : i64}
      : (tensor<4x5xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// Nothing is computed for other sizes of the same elements.

// CHECK-LABEL: func @reshape
// CHECK:       tensor.collapse_shape %arg0
// CHECK:       tensor.expand_shape
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @reshape(%input: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %0 = dml.view %input {strides = array<i64: 4, 1>} : (tensor<2x6xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func @split
// CHECK-NEXT:  %[[SPLIT:.*]] = tensor.expand_shape %arg0 {{\[\[}}0, 1], [2]]
// CHECK-NEXT:  return %[[SPLIT]]
func.func @split(%input: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
  %0 = dml.view %input {strides = array<i64: 12, 4, 1>} : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// Dimensions that coordinates would carry between are one: rows here,

// CHECK-LABEL: func @rows
// CHECK:       %[[ROWS:.*]] = tensor.collapse_shape %arg0 {{.*}} : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK:       linalg.generic
// CHECK-DAG:   %[[I:.*]] = linalg.index 0
// CHECK-DAG:   %[[J:.*]] = linalg.index 1
// CHECK-NOT:   arith.{{add|mul|div|rem}}
// CHECK:       tensor.extract %[[ROWS]][%[[J]], %[[I]]]
func.func @rows(%input: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  %0 = dml.view %input {strides = array<i64: 1, 4>} : (tensor<2x3x4xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// and all elements there.

// CHECK-LABEL: func @windows
// CHECK:       %[[ROW:.*]] = tensor.collapse_shape %arg0 {{.*}} into tensor<6xf32>
// CHECK:       linalg.generic
// CHECK-NOT:   div
// CHECK:       tensor.extract %[[ROW]]
func.func @windows(%input: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = dml.view %input {strides = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// SPDX-License-Identifier: Apache-2.0
