// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// A window is a loop over its rows, in which the columns are unrolled. Without padding each
// window has the same number of elements.

// CHECK-LABEL: func @average
// CHECK:       linalg.generic
// CHECK:         %[[ROW:.*]] = linalg.index 2
// CHECK:         %[[SUM:.*]] = scf.for %[[WINDOW_ROW:.*]] = %{{.*}} to
// CHECK:           arith.addi %[[ROW]], %[[WINDOW_ROW]]
// CHECK-COUNT-11:     arith.addf
// CHECK:           scf.yield
// CHECK:         %[[COUNT:.*]] = arith.constant 1.210000e+02
// CHECK:         arith.divf %[[SUM]], %[[COUNT]]
func.func @average(%input: tensor<1x1x12x12xf32>) -> tensor<1x1x2x2xf32> {
  %0 = dml.average_pooling %input {strides = array<i64: 1, 1>, window_size = array<i64: 11, 11>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, include_padding = false}
      : (tensor<1x1x12x12xf32>) -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

// The index of the largest element is found first, among bits that are ordered as the
// numbers are, with NaN the largest; the element is read at that index.

// CHECK-LABEL: func @max
// CHECK:       %[[INDICES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x2x2xi32>)
// CHECK:         %[[BEST:.*]]:2 = scf.for
// CHECK:           arith.bitcast %{{.*}} : f32 to i32
// CHECK:           arith.cmpi sgt
// CHECK:         linalg.yield %[[BEST]]#1
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x2x2xf32>)
// CHECK:         %[[INDEX:.*]] = tensor.extract %[[INDICES]]
// CHECK:         arith.index_castui %[[INDEX]]
func.func @max(%input: tensor<1x1x2x65xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xui32>) {
  %0, %1 = dml.max_pooling1 %input {strides = array<i64: 1, 1>, window_size = array<i64: 1, 64>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x2x65xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xui32>)
  return %0, %1 : tensor<1x1x2x2xf32>, tensor<1x1x2x2xui32>
}

// SPDX-License-Identifier: Apache-2.0
