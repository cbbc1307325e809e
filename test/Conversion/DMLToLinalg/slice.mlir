// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// A window that is walked backwards begins at its last element.

// CHECK-LABEL: func @backward
// CHECK:       %[[ROW:.*]] = linalg.index 0
// CHECK:       %[[COLUMN:.*]] = linalg.index 1
// CHECK:       %[[LAST:.*]] = arith.constant 3 : index
// CHECK:       %[[STRIDE:.*]] = arith.constant 2 : index
// CHECK:       %[[STEPS:.*]] = arith.muli %[[COLUMN]], %[[STRIDE]]
// CHECK:       %[[FROM:.*]] = arith.subi %[[LAST]], %[[STEPS]]
// CHECK:       tensor.extract %{{.*}}[%[[ROW]], %[[FROM]]]
func.func @backward(%input: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %0 = dml.slice1 %input {input_window_offsets = array<i64: 0, 1>, input_window_sizes = array<i64: 2, 3>,
      input_window_strides = array<i64: 1, -2>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// The gradient of a slice reads an element where the stride meets one, and is 0 elsewhere.

// CHECK-LABEL: func @gradient
// CHECK:       %[[DISTANCE:.*]] = arith.subi
// CHECK:       %[[REMAINDER:.*]] = arith.remui
// CHECK:       %[[HIT:.*]] = arith.cmpi eq, %[[REMAINDER]]
// CHECK:       %[[TAKEN:.*]] = arith.andi %{{.*}}, %[[HIT]]
// CHECK:       %[[ELEMENT:.*]] = tensor.extract %{{.*}} : tensor<1x2xf32>
// CHECK:       %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK:       arith.select %[[TAKEN]], %[[ELEMENT]], %[[ZERO]]
func.func @gradient(%gradient: tensor<1x2xf32>) -> tensor<1x4xf32> {
  %0 = dml.slice_grad %gradient {input_window_offsets = array<i64: 0, 1>, input_window_sizes = array<i64: 1, 3>,
      input_window_strides = array<i64: 1, -2>} : (tensor<1x2xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// SPDX-License-Identifier: Apache-2.0
