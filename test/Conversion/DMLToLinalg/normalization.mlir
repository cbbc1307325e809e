// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// The sum and the sum of squared distances from the mean are tensors with an element for each
// row; sums may be taken in any order.

// CHECK-LABEL: func @normalize
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1xf32>)
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK:         {dml.any_order}
// CHECK:       %[[SQUARES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1xf32>)
// CHECK:         scf.for
// CHECK:           tensor.extract %[[SUM]]
// CHECK:           %[[DISTANCE:.*]] = arith.subf
// CHECK:           arith.mulf %[[DISTANCE]], %[[DISTANCE]]
// CHECK:         {dml.any_order}
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4xf32>)
// CHECK:         tensor.extract %[[SUM]]
// CHECK:         %[[CENTERED:.*]] = arith.subf
// CHECK:         tensor.extract %[[SQUARES]]
// CHECK:         %[[EPSILON:.*]] = arith.constant 5.000000e-01
// CHECK:         %[[VARIANCE:.*]] = arith.addf %{{.*}}, %[[EPSILON]]
// CHECK:         %[[DEVIATION:.*]] = math.sqrt %[[VARIANCE]]
// CHECK:         arith.divf %[[CENTERED]], %[[DEVIATION]]
func.func @normalize(%input: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = dml.mean_variance_normalization1 %input {axes = array<i64: 1>,
      normalize_variance = true, epsilon = 0.5 : f32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Operands of size 1 are broadcast: they are read at 0.

// CHECK-LABEL: func @batch
// CHECK:       %[[ROW:.*]] = linalg.index 0
// CHECK:       %[[COLUMN:.*]] = linalg.index 1
// CHECK:       %[[MEAN_ZERO:.*]] = arith.constant 0 : index
// CHECK:       tensor.extract %{{.*}}[%[[ROW]], %[[MEAN_ZERO]]] : tensor<2x1xf32>
// CHECK:       tensor.extract %{{.*}}[%{{.*}}, %[[COLUMN]]] : tensor<1x3xf32>
func.func @batch(%input: tensor<2x3xf32>, %mean: tensor<2x1xf32>, %variance: tensor<1x1xf32>, %scale: tensor<1x3xf32>, %bias: tensor<1x1xf32>) -> tensor<2x3xf32> {
  %0 = dml.batch_normalization %input, %mean, %variance, %scale, %bias {spatial = true, epsilon = 0.0 : f32}
      : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<1x1xf32>, tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// SPDX-License-Identifier: Apache-2.0
