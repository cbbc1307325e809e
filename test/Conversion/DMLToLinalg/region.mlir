// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// The bounds of a region are computed from its numbers, of which NaN counts as 0, and are
// kept within the input; so are the bounds of the loops. A region without elements gives 0.

// CHECK-LABEL: func @roi_pooling
// CHECK:       linalg.generic
// CHECK:         %[[CORNER:.*]] = tensor.extract %{{.*}} : tensor<1x1x1x5xf32>
// CHECK:         %[[NUMBER:.*]] = arith.cmpf oeq, %[[CORNER]], %[[CORNER]]
// CHECK:         arith.select %[[NUMBER]], %[[CORNER]]
// CHECK:         %[[ROWS:.*]] = arith.minui
// CHECK:         %[[COLUMNS:.*]] = arith.minui
// CHECK:         %[[MAXIMUM:.*]] = scf.for %{{.*}} = %{{.*}} to %[[ROWS]]
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[COLUMNS]]
// CHECK:             arith.maxnumf
// CHECK:         %[[EMPTY:.*]] = arith.constant 0.000000e+00
// CHECK:         arith.select %{{.*}}, %[[MAXIMUM]], %[[EMPTY]]
func.func @roi_pooling(%input: tensor<1x1x9x9xf32>, %roi: tensor<1x1x1x5xf32>) -> tensor<1x1x1x2xf32> {
  %0 = dml.roi_pooling %input, %roi {spatial_scale = 1.0 : f32, pooled_size = array<i64: 1, 2>}
      : (tensor<1x1x9x9xf32>, tensor<1x1x1x5xf32>) -> tensor<1x1x1x2xf32>
  return %0 : tensor<1x1x1x2xf32>
}

// SPDX-License-Identifier: Apache-2.0
