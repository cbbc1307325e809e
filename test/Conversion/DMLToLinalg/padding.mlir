// RUN: dml-opt %s --split-input-file --convert-dml-to-linalg | FileCheck %s

// One select takes the element or the constant; no branch. Coordinates outside
// are made valid before the load. 10.6 becomes 10.

// CHECK-LABEL: func @constant
// CHECK-SAME:  %[[INPUT:.*]]: tensor<2x3xi8> {dml.type = tensor<2x3xui8>}
// CHECK-SAME:  -> (tensor<2x6xi8> {dml.type = tensor<2x6xui8>})
// CHECK:       linalg.generic
// CHECK-SAME:    iterator_types = ["parallel", "parallel"]
// CHECK-SAME:    attrs = {dml.label = "dml.padding"}
// CHECK-DAG:     %[[ROW:.*]] = linalg.index 0
// CHECK-DAG:     %[[COLUMN:.*]] = linalg.index 1
// CHECK:         %[[P:.*]] = arith.addi %[[COLUMN]], %{{.*}}
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[P]], %{{.*}}
// CHECK:         %[[VALID:.*]] = arith.select %[[INSIDE]], %[[P]], %{{.*}}
// CHECK:         %[[ELEMENT:.*]] = tensor.extract %[[INPUT]][%[[ROW]], %[[VALID]]]
// CHECK:         %[[PADDING:.*]] = arith.constant 10 : i8
// CHECK:         %[[RESULT:.*]] = arith.select %[[INSIDE]], %[[ELEMENT]], %[[PADDING]]
// CHECK:         linalg.yield %[[RESULT]]
func.func @constant(%input: tensor<2x3xui8>) -> tensor<2x6xui8> {
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>,
      padding_value = 10.6 : f32,
      start_padding = array<i64: 0, 1>, end_padding = array<i64: 0, 2>}
      : (tensor<2x3xui8>) -> tensor<2x6xui8>
  return %0 : tensor<2x6xui8>
}

// -----

// Values that the type cannot hold saturate; NaN is 0.

// CHECK-LABEL: func @saturated
// CHECK:       arith.constant -128 : i8
// CHECK:       arith.constant 127 : i8
// CHECK:       arith.constant 0 : i8
func.func @saturated(%input: tensor<1xi8>) -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) {
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>,
      padding_value = -1.0e9 : f32,
      start_padding = array<i64: 1>, end_padding = array<i64: 0>}
      : (tensor<1xi8>) -> tensor<2xi8>
  %1 = dml.padding %input {mode = #dml.padding_mode<constant>,
      padding_value = 128.0 : f32,
      start_padding = array<i64: 1>, end_padding = array<i64: 0>}
      : (tensor<1xi8>) -> tensor<2xi8>
  %2 = dml.padding %input {mode = #dml.padding_mode<constant>,
      padding_value = 0x7FC00000 : f32,
      start_padding = array<i64: 1>, end_padding = array<i64: 0>}
      : (tensor<1xi8>) -> tensor<2xi8>
  return %0, %1, %2 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>
}

// -----

// One fold is enough: no division.

// CHECK-LABEL: func @reflection
// CHECK:       linalg.generic
// CHECK-NOT:     arith.remui
// CHECK:         arith.maxsi
// CHECK:         arith.minsi
// CHECK-NOT:     arith.remui
// CHECK:         linalg.yield
func.func @reflection(%input: tensor<4xf32>) -> tensor<10xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<reflection>,
      start_padding = array<i64: 3>, end_padding = array<i64: 3>}
      : (tensor<4xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// Padding larger than the tensor folds periodically, by unsigned remainders.

// CHECK-LABEL: func @folded
// CHECK:       linalg.generic
// CHECK:         %[[LIFT:.*]] = arith.constant 2 : index
// CHECK:         arith.addi %{{.*}}, %[[LIFT]]
// CHECK:         arith.remui
// CHECK:         arith.minui
// CHECK-NOT:     arith.remsi
func.func @folded(%input: tensor<4xf32>) -> tensor<14xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<reflection>,
      start_padding = array<i64: 4>, end_padding = array<i64: 6>}
      : (tensor<4xf32>) -> tensor<14xf32>
  return %0 : tensor<14xf32>
}

// -----

// A dimension of size 1 repeats its element under every mode.

// CHECK-LABEL: func @single
// CHECK:       linalg.generic
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:    tensor.extract %{{.*}}[%[[ZERO]]]
func.func @single(%input: tensor<1xf64>) -> tensor<5xf64> {
  %0 = dml.padding %input {mode = #dml.padding_mode<reflection>,
      start_padding = array<i64: 2>, end_padding = array<i64: 2>}
      : (tensor<1xf64>) -> tensor<5xf64>
  return %0 : tensor<5xf64>
}

// SPDX-License-Identifier: Apache-2.0
