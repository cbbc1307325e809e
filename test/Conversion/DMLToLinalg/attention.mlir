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

// A cache of fixed capacity: the length of the past is at most the capacity minus the new
// positions, and the model takes no more than the capacity of the present. The present is
// the past but for the new positions, and the scores read the present.

// CHECK-LABEL: func @capacity
// CHECK-SAME:    %{{.*}}: tensor<1x1x4xf32>, %[[KEY:.*]]: tensor<1x1x4xf32>, %{{.*}}: tensor<1x1x8x4xf32>
// CHECK-NOT:     1x1x9x4
// CHECK:         %[[KEYS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x8x4xf32>) attrs = {{{.*}}dml.update}
// CHECK:         %[[VALUES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x8x4xf32>) attrs = {{{.*}}dml.update}
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x8xf32>)
// CHECK:           tensor.extract %[[KEYS]]
// CHECK:         return %{{.*}}, %[[KEYS]], %[[VALUES]]
func.func @capacity(%query: tensor<1x1x4xf32>, %key: tensor<1x1x4xf32>, %past: tensor<1x1x8x4xf32>, %length: tensor<1xi32>)
    -> (tensor<1x1x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>) {
  %most = arith.constant dense<7> : tensor<1xi32>
  %n = dml.element_wise_min %length, %most : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %y, %keys, %values = dml.multihead_attention1 query(%query) key(%key) value(%key) past_key(%past) past_value(%past) past_sequence_lengths(%n)
      {query_head_count = 1 : i64, key_value_head_count = 1 : i64, scale = 0.5 : f32, mask_filter_value = -1.0e4 : f32, mask_type = #dml.multihead_attention_mask_type<none>}
     : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1xi32>)
     -> tensor<1x1x4xf32> output_present_key(tensor<1x1x9x4xf32>) output_present_value(tensor<1x1x9x4xf32>)
  %0 = dml.slice1 %keys {input_window_offsets = array<i64: 0, 0, 0, 0>, input_window_sizes = array<i64: 1, 1, 8, 4>, input_window_strides = array<i64: 1, 1, 1, 1>}
     : (tensor<1x1x9x4xf32>) -> tensor<1x1x8x4xf32>
  %1 = dml.slice1 %values {input_window_offsets = array<i64: 0, 0, 0, 0>, input_window_sizes = array<i64: 1, 1, 8, 4>, input_window_strides = array<i64: 1, 1, 1, 1>}
     : (tensor<1x1x9x4xf32>) -> tensor<1x1x8x4xf32>
  return %y, %0, %1 : tensor<1x1x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>
}

// One more position may be in use, so that the new key may stand behind the capacity.

// CHECK-LABEL: func @longer
// CHECK-NOT:     dml.update
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x9x4xf32>)
func.func @longer(%query: tensor<1x1x4xf32>, %key: tensor<1x1x4xf32>, %past: tensor<1x1x8x4xf32>, %length: tensor<1xi32>)
    -> (tensor<1x1x4xf32>, tensor<1x1x8x4xf32>) {
  %most = arith.constant dense<8> : tensor<1xi32>
  %n = dml.element_wise_min %length, %most : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %y, %keys, %values = dml.multihead_attention1 query(%query) key(%key) value(%key) past_key(%past) past_value(%past) past_sequence_lengths(%n)
      {query_head_count = 1 : i64, key_value_head_count = 1 : i64, scale = 0.5 : f32, mask_filter_value = -1.0e4 : f32, mask_type = #dml.multihead_attention_mask_type<none>}
     : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1xi32>)
     -> tensor<1x1x4xf32> output_present_key(tensor<1x1x9x4xf32>) output_present_value(tensor<1x1x9x4xf32>)
  %0 = dml.slice1 %keys {input_window_offsets = array<i64: 0, 0, 0, 0>, input_window_sizes = array<i64: 1, 1, 8, 4>, input_window_strides = array<i64: 1, 1, 1, 1>}
     : (tensor<1x1x9x4xf32>) -> tensor<1x1x8x4xf32>
  return %y, %0 : tensor<1x1x4xf32>, tensor<1x1x8x4xf32>
}

// SPDX-License-Identifier: Apache-2.0

// The scores of one query are few, 512 with 128 terms each, and stay whole nevertheless:
// kernels of attention read no scores in parts.

// CHECK-LABEL: func @few_scores
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x4x1x128xf32>)
// CHECK:           math.fma
// CHECK:           arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:         return
func.func @few_scores(%query: tensor<1x1x512xf32>, %key: tensor<1x128x512xf32>) -> tensor<1x1x512xf32> {
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 4 : i64, key_value_head_count = 4 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<1x1x512xf32>, tensor<1x128x512xf32>, tensor<1x128x512xf32>) -> tensor<1x1x512xf32>
  return %0 : tensor<1x1x512xf32>
}
