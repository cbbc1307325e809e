// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// Attention is five loops over tensors: the scores, which are products of queries and keys
// that are scaled; the largest score of each query; the sum of exponentials; the weights;
// and their products with the values. Two query heads share one head of keys.

// CHECK-LABEL: func @attention
// CHECK:       %[[SCORES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x2x3x70xf32>)
// CHECK:         %[[QUERY_HEAD:.*]] = linalg.index 1
// CHECK:         %[[GROUP:.*]] = arith.constant 2 : index
// CHECK:         arith.divui %[[QUERY_HEAD]], %[[GROUP]]
// CHECK:         %[[PRODUCT:.*]] = scf.for
// CHECK:           math.fma
// CHECK:         %[[SCALE:.*]] = arith.constant 5.000000e-01
// CHECK:         arith.mulf %[[PRODUCT]], %[[SCALE]]
// CHECK:       %[[MAXIMUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x2x3x1xf32>)
// CHECK:         scf.for
// CHECK:           %[[SCORE:.*]] = tensor.extract %[[SCORES]]
// CHECK:           arith.maxnumf %{{.*}}, %[[SCORE]]
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x2x3x1xf32>)
// CHECK:         scf.for
// CHECK:           tensor.extract %[[SCORES]]
// CHECK:           tensor.extract %[[MAXIMUM]]
// CHECK:           math.exp
// CHECK:       %[[WEIGHTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x2x3x70xf32>)
// CHECK:         %[[DIVISOR:.*]] = tensor.extract %[[SUM]]
// CHECK:         math.exp
// CHECK:         arith.divf %{{.*}}, %[[DIVISOR]]
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x3x128xf32>)
// CHECK:         scf.for
// CHECK:           tensor.extract %[[WEIGHTS]]
// CHECK:           math.fma
func.func @attention(%query: tensor<1x3x128xf32>, %key: tensor<1x70x64xf32>, %value: tensor<1x70x64xf32>) -> tensor<1x3x128xf32> {
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 1 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<1x3x128xf32>, tensor<1x70x64xf32>, tensor<1x70x64xf32>) -> tensor<1x3x128xf32>
  return %0 : tensor<1x3x128xf32>
}

// SPDX-License-Identifier: Apache-2.0
