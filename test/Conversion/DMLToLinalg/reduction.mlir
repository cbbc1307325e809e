// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// A reduction is a loop in the body of an element of the result. Its order is free.

// CHECK-LABEL: func @sum
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<3x1xf32>)
// CHECK:         %[[ROW:.*]] = linalg.index 0
// CHECK:         scf.for %[[COLUMN:.*]] = %{{.*}} iter_args(%[[SUM:.*]] =
// CHECK:           %[[X:.*]] = tensor.extract %{{.*}}[%[[ROW]], %[[COLUMN]]]
// CHECK:           arith.addf %[[SUM]], %[[X]]
// CHECK:         {dml.any_order}
func.func @sum(%input: tensor<3x16xf32>) -> tensor<3x1xf32> {
  %0 = dml.reduce %input {function = #dml.reduce_function<sum>, axes = array<i64: 1>} : (tensor<3x16xf32>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// The largest element is found first, then the lowest index with that element, so that the
// order of both loops is free.

// CHECK-LABEL: func @argmax
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<3x1xi32>)
// CHECK:         %[[LARGEST:.*]] = scf.for
// CHECK:           arith.cmpf olt
// CHECK:         {dml.any_order}
// CHECK:         %[[FOUND:.*]] = scf.for
// CHECK:           arith.cmpf oeq, %{{.*}}, %[[LARGEST]]
// CHECK:           arith.minui
// CHECK:         {dml.any_order}
// CHECK:         arith.cmpi ugt, %[[FOUND]]
func.func @argmax(%input: tensor<3x16xf32>) -> tensor<3x1xui32> {
  %0 = dml.argmax %input {axes = array<i64: 1>, axis_direction = #dml.axis_direction<increasing>} : (tensor<3x16xf32>) -> tensor<3x1xui32>
  return %0 : tensor<3x1xui32>
}

// SPDX-License-Identifier: Apache-2.0
