// What dml.multihead_attention and dml.multihead_attention1 accept, in text and in
// bytecode. A comment names the constraint whose limit a case stands on
// (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// CHECK-LABEL: func @multihead_attention_all
func.func @multihead_attention_all(%query: tensor<3x4x10xf16>, %key: tensor<3x6x10xf16>, %value: tensor<3x6x14xf16>, %bias: tensor<34xf16>, %mask: tensor<3x2x4x8xi32>, %relative_position_bias: tensor<1x3x2x4x8xf16>, %past_key: tensor<3x2x2x5xf16>, %past_value: tensor<1x3x2x2x7xf16>) {
  // dml.multihead_attention (C1), (C2), (C3), (C4), (C5), (C6), (C7), (C8)
  // CHECK: dml.multihead_attention query(%{{[a-z0-9]+}}) key(%{{[a-z0-9]+}}) value(%{{[a-z0-9]+}}) bias(%{{[a-z0-9]+}}) mask(%{{[a-z0-9]+}}) relative_position_bias(%{{[a-z0-9]+}}) past_key(%{{[a-z0-9]+}}) past_value(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<1x3x4x14xf16> output_present_key(tensor<3x2x8x5xf16>) output_present_value(tensor<3x2x8x7xf16>){{$}}
  %0, %1, %2 = dml.multihead_attention query(%query) key(%key) value(%value) bias(%bias) mask(%mask) relative_position_bias(%relative_position_bias) past_key(%past_key) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<boolean>}
      : (tensor<3x4x10xf16>, tensor<3x6x10xf16>, tensor<3x6x14xf16>, tensor<34xf16>, tensor<3x2x4x8xi32>, tensor<1x3x2x4x8xf16>, tensor<3x2x2x5xf16>, tensor<1x3x2x2x7xf16>)
      -> tensor<1x3x4x14xf16> output_present_key(tensor<3x2x8x5xf16>) output_present_value(tensor<3x2x8x7xf16>)
  return
}

// CHECK-LABEL: func @multihead_attention_stacked
func.func @multihead_attention_stacked(%stacked_query_key_value: tensor<1x4x2x3x5xf32>, %mask: tensor<1x5xi32>) {
  // dml.multihead_attention (C2), (C3): all in one tensor, and a mask of 3 * 1 + 2 numbers
  // CHECK: dml.multihead_attention stacked_query_key_value(%{{[a-z0-9]+}}) mask(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<1x4x10xf32>{{$}}
  %0 = dml.multihead_attention stacked_query_key_value(%stacked_query_key_value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_query_sequence_length_start_end>}
      : (tensor<1x4x2x3x5xf32>, tensor<1x5xi32>)
      -> tensor<1x4x10xf32>
  return
}

// CHECK-LABEL: func @multihead_attention_stacked_query_key
func.func @multihead_attention_stacked_query_key(%value: tensor<3x4x14xf32>, %stacked_query_key: tensor<3x4x2x2x5xf32>, %mask: tensor<2x3xi32>) {
  // dml.multihead_attention (C2), (C3)
  // CHECK: dml.multihead_attention value(%{{[a-z0-9]+}}) stacked_query_key(%{{[a-z0-9]+}}) mask(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<3x4x14xf32>{{$}}
  %0 = dml.multihead_attention value(%value) stacked_query_key(%stacked_query_key) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_sequence_end_start>}
      : (tensor<3x4x14xf32>, tensor<3x4x2x2x5xf32>, tensor<2x3xi32>)
      -> tensor<3x4x14xf32>
  return
}

// CHECK-LABEL: func @multihead_attention_stacked_key_value
func.func @multihead_attention_stacked_key_value(%query: tensor<3x4x10xf32>, %stacked_key_value: tensor<3x6x2x2x5xf32>, %mask: tensor<1x1x3xi32>) {
  // dml.multihead_attention (C2), (C3)
  // CHECK: dml.multihead_attention query(%{{[a-z0-9]+}}) stacked_key_value(%{{[a-z0-9]+}}) mask(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<3x4x10xf32>{{$}}
  %0 = dml.multihead_attention query(%query) stacked_key_value(%stacked_key_value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_sequence_length>}
      : (tensor<3x4x10xf32>, tensor<3x6x2x2x5xf32>, tensor<1x1x3xi32>)
      -> tensor<3x4x10xf32>
  return
}

// CHECK-LABEL: func @multihead_attention_past
func.func @multihead_attention_past(%query: tensor<3x4x10xf32>, %past_key: tensor<3x2x6x5xf32>, %past_value: tensor<3x2x6x7xf32>) {
  // dml.multihead_attention (C2), (C5): no new keys
  // CHECK: dml.multihead_attention query(%{{[a-z0-9]+}}) past_key(%{{[a-z0-9]+}}) past_value(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<3x4x14xf32>{{$}}
  %0 = dml.multihead_attention query(%query) past_key(%past_key) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x2x6x5xf32>, tensor<3x2x6x7xf32>)
      -> tensor<3x4x14xf32>
  return
}

// CHECK-LABEL: func @multihead_attention1_all
func.func @multihead_attention1_all(%query: tensor<3x4x10xf16>, %key: tensor<3x6x5xf16>, %value: tensor<3x6x7xf16>, %bias: tensor<22xf16>, %mask: tensor<3x2x4x8xi32>, %relative_position_bias: tensor<1x3x2x4x8xf16>, %past_key: tensor<3x1x2x5xf16>, %past_value: tensor<1x3x1x2x7xf16>, %past_sequence_lengths: tensor<1x3xf16>) {
  // dml.multihead_attention1 (C1), (C2), (C3), (C4), (C5), (C6), (C7), (C8), (C9)
  // CHECK: dml.multihead_attention1 query(%{{[a-z0-9]+}}) key(%{{[a-z0-9]+}}) value(%{{[a-z0-9]+}}) bias(%{{[a-z0-9]+}}) mask(%{{[a-z0-9]+}}) relative_position_bias(%{{[a-z0-9]+}}) past_key(%{{[a-z0-9]+}}) past_value(%{{[a-z0-9]+}}) past_sequence_lengths(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<1x3x4x14xf16> output_present_key(tensor<3x1x8x5xf16>) output_present_value(tensor<3x1x8x7xf16>){{$}}
  %0, %1, %2 = dml.multihead_attention1 query(%query) key(%key) value(%value) bias(%bias) mask(%mask) relative_position_bias(%relative_position_bias) past_key(%past_key) past_value(%past_value) past_sequence_lengths(%past_sequence_lengths) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 1 : i64,
      mask_type = #dml.multihead_attention_mask_type<boolean>}
      : (tensor<3x4x10xf16>, tensor<3x6x5xf16>, tensor<3x6x7xf16>, tensor<22xf16>, tensor<3x2x4x8xi32>, tensor<1x3x2x4x8xf16>, tensor<3x1x2x5xf16>, tensor<1x3x1x2x7xf16>, tensor<1x3xf16>)
      -> tensor<1x3x4x14xf16> output_present_key(tensor<3x1x8x5xf16>) output_present_value(tensor<3x1x8x7xf16>)
  return
}

// CHECK-LABEL: func @multihead_attention1_lengths
func.func @multihead_attention1_lengths(%query: tensor<3x1x5xf16>, %key: tensor<3x1x5xf16>, %past: tensor<3x1x2049x5xf16>, %past_sequence_lengths: tensor<3xi32>) {
  // dml.multihead_attention1 (C1), (C10): i32 counts further than f16
  // CHECK: past_sequence_lengths(%{{[a-z0-9]+}})
  // CHECK-SAME: tensor<3xi32>
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%key) past_key(%past) past_value(%past) past_sequence_lengths(%past_sequence_lengths) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 1 : i64, key_value_head_count = 1 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x1x5xf16>, tensor<3x1x5xf16>, tensor<3x1x5xf16>, tensor<3x1x2049x5xf16>, tensor<3x1x2049x5xf16>, tensor<3xi32>)
      -> tensor<3x1x5xf16>
  return
}

// CHECK-LABEL: func @multihead_attention1_stacked
func.func @multihead_attention1_stacked(%stacked_query_key_value: tensor<1x4x2x3x5xf32>, %mask: tensor<1x5xi32>) {
  // dml.multihead_attention1 (C2), (C3): all in one tensor, and a mask of 3 * 1 + 2 numbers
  // CHECK: dml.multihead_attention1 stacked_query_key_value(%{{[a-z0-9]+}}) mask(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<1x4x10xf32>{{$}}
  %0 = dml.multihead_attention1 stacked_query_key_value(%stacked_query_key_value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_query_sequence_length_start_end>}
      : (tensor<1x4x2x3x5xf32>, tensor<1x5xi32>)
      -> tensor<1x4x10xf32>
  return
}

// CHECK-LABEL: func @multihead_attention1_stacked_query_key
func.func @multihead_attention1_stacked_query_key(%value: tensor<3x4x14xf32>, %stacked_query_key: tensor<3x4x2x2x5xf32>, %mask: tensor<2x3xi32>) {
  // dml.multihead_attention1 (C2), (C3)
  // CHECK: dml.multihead_attention1 value(%{{[a-z0-9]+}}) stacked_query_key(%{{[a-z0-9]+}}) mask(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<3x4x14xf32>{{$}}
  %0 = dml.multihead_attention1 value(%value) stacked_query_key(%stacked_query_key) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_sequence_end_start>}
      : (tensor<3x4x14xf32>, tensor<3x4x2x2x5xf32>, tensor<2x3xi32>)
      -> tensor<3x4x14xf32>
  return
}

// CHECK-LABEL: func @multihead_attention1_stacked_key_value
func.func @multihead_attention1_stacked_key_value(%query: tensor<3x4x10xf32>, %stacked_key_value: tensor<3x6x2x2x5xf32>, %mask: tensor<1x1x3xi32>) {
  // dml.multihead_attention1 (C2), (C3)
  // CHECK: dml.multihead_attention1 query(%{{[a-z0-9]+}}) stacked_key_value(%{{[a-z0-9]+}}) mask(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<3x4x10xf32>{{$}}
  %0 = dml.multihead_attention1 query(%query) stacked_key_value(%stacked_key_value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_sequence_length>}
      : (tensor<3x4x10xf32>, tensor<3x6x2x2x5xf32>, tensor<1x1x3xi32>)
      -> tensor<3x4x10xf32>
  return
}

// CHECK-LABEL: func @multihead_attention1_past
func.func @multihead_attention1_past(%query: tensor<3x4x10xf32>, %past_key: tensor<3x2x6x5xf32>, %past_value: tensor<3x2x6x7xf32>) {
  // dml.multihead_attention1 (C2), (C5): no new keys
  // CHECK: dml.multihead_attention1 query(%{{[a-z0-9]+}}) past_key(%{{[a-z0-9]+}}) past_value(%{{[a-z0-9]+}})
  // CHECK-SAME: -> tensor<3x4x14xf32>{{$}}
  %0 = dml.multihead_attention1 query(%query) past_key(%past_key) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x2x6x5xf32>, tensor<3x2x6x7xf32>)
      -> tensor<3x4x14xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
