// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// Each element of the result is a sum of its own, over the elements up to the same column.

// CHECK-LABEL: func @cumulate
// CHECK:       linalg.generic
// CHECK:         %[[LAST:.*]] = linalg.index 1
// CHECK:         scf.for %[[COLUMN:.*]] = %{{.*}} iter_args(%[[SUM:.*]] =
// CHECK:           %[[COUNTS:.*]] = arith.cmpi ule, %[[COLUMN]], %[[LAST]]
// CHECK:           %[[X:.*]] = tensor.extract %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK:           %[[TERM:.*]] = arith.select %[[COUNTS]], %[[X]]
// CHECK:           arith.addf %[[SUM]], %[[TERM]]
// CHECK:         {dml.any_order}
func.func @cumulate(%input: tensor<2x64xf32>) -> tensor<2x64xf32> {
  %0 = dml.cumulative_summation %input {axis = 1 : i64, axis_direction = #dml.axis_direction<increasing>,
      has_exclusive_sum = false} : (tensor<2x64xf32>) -> tensor<2x64xf32>
  return %0 : tensor<2x64xf32>
}

// SPDX-License-Identifier: Apache-2.0
