// What dml.multihead_attention and dml.multihead_attention1 reject, with the whole
// message. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

func.func @multihead_attention_c1(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf16>) {
  // dml.multihead_attention (C1)
  // expected-error @below {{'dml.multihead_attention' op value has element type 'f16', but query has 'f32'}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf16>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c2_none(%key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C2)
  // expected-error @below {{'dml.multihead_attention' op has no queries, but wants query, stacked_query_key or stacked_query_key_value}}
  %0 = dml.multihead_attention key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c2_queries(%query: tensor<3x4x10xf32>, %value: tensor<3x6x14xf32>, %stacked_query_key: tensor<3x4x2x2x5xf32>) {
  // dml.multihead_attention (C2)
  // expected-error @below {{'dml.multihead_attention' op has both query and stacked_query_key, but wants the queries once}}
  %0 = dml.multihead_attention query(%query) value(%value) stacked_query_key(%stacked_query_key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x14xf32>, tensor<3x4x2x2x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c2_keys(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %stacked_key_value: tensor<3x6x2x2x5xf32>) {
  // dml.multihead_attention (C2)
  // expected-error @below {{'dml.multihead_attention' op has both key and stacked_key_value, but wants the keys once}}
  %0 = dml.multihead_attention query(%query) key(%key) stacked_key_value(%stacked_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x2x2x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c2_values(%query: tensor<3x4x10xf32>, %value: tensor<3x6x14xf32>, %stacked_key_value: tensor<3x6x2x2x5xf32>) {
  // dml.multihead_attention (C2)
  // expected-error @below {{'dml.multihead_attention' op has both value and stacked_key_value, but wants the values once}}
  %0 = dml.multihead_attention query(%query) value(%value) stacked_key_value(%stacked_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x14xf32>, tensor<3x6x2x2x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c2_no_values(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>) {
  // dml.multihead_attention (C2)
  // expected-error @below {{'dml.multihead_attention' op has new keys, but no new values}}
  %0 = dml.multihead_attention query(%query) key(%key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c2_no_keys(%query: tensor<3x4x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C2)
  // expected-error @below {{'dml.multihead_attention' op has new values, but no new keys}}
  %0 = dml.multihead_attention query(%query) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c2_nothing(%query: tensor<3x4x10xf32>) {
  // dml.multihead_attention (C2)
  // expected-error @below {{'dml.multihead_attention' op has no keys and values, neither new nor past ones}}
  %0 = dml.multihead_attention query(%query) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c3_query(%query: tensor<3x4x9xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C3)
  // expected-error @below {{'dml.multihead_attention' op query has size 9 in its last dimension, but wants a multiple of head_count, which is 2}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x9xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c3_rank(%query: tensor<2x3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C3)
  // expected-error @below {{'dml.multihead_attention' op query has the sizes {2, 3, 4, 10}, but wants {3, 4, 10}, which is {B, S, N * E}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<2x3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c3_key(%query: tensor<3x4x10xf32>, %key: tensor<3x6x8xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C3)
  // expected-error @below {{'dml.multihead_attention' op key has the sizes {3, 6, 8}, but wants {3, 6, 10}, which is {B, L, N * E}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x8xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c3_value(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x5x14xf32>) {
  // dml.multihead_attention (C3)
  // expected-error @below {{'dml.multihead_attention' op value has the sizes {3, 5, 14}, but wants {3, 6, 14}, which is {B, L, N * V}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x5x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c3_value_heads(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x13xf32>) {
  // dml.multihead_attention (C3)
  // expected-error @below {{'dml.multihead_attention' op value has size 13 in its last dimension, but wants a multiple of head_count, which is 2}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x13xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c3_stacked(%stacked_query_key_value: tensor<3x4x2x2x5xf32>) {
  // dml.multihead_attention (C3)
  // expected-error @below {{'dml.multihead_attention' op stacked_query_key_value has the sizes {3, 4, 2, 2, 5}, but wants {3, 4, 2, 3, 5}, which is {B, S, N, 3, E}}}
  %0 = dml.multihead_attention stacked_query_key_value(%stacked_query_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x2x2x5xf32>)
      -> tensor<3x4x10xf32>
  return
}

// -----

func.func @multihead_attention_c3_stacked_keys(%query: tensor<3x4x10xf32>, %stacked_key_value: tensor<3x6x1x2x5xf32>) {
  // dml.multihead_attention (C3)
  // expected-error @below {{'dml.multihead_attention' op stacked_key_value has the sizes {3, 6, 1, 2, 5}, but wants {3, 6, 2, 2, 5}, which is {B, L, N, 2, E}}}
  %0 = dml.multihead_attention query(%query) stacked_key_value(%stacked_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x1x2x5xf32>)
      -> tensor<3x4x10xf32>
  return
}

// -----

func.func @multihead_attention_c3_stacked_queries(%value: tensor<3x4x14xf32>, %stacked_query_key: tensor<3x4x2x3x5xf32>) {
  // dml.multihead_attention (C3)
  // expected-error @below {{'dml.multihead_attention' op stacked_query_key has the sizes {3, 4, 2, 3, 5}, but wants {3, 4, 2, 2, 5}, which is {B, S, N, 2, E}}}
  %0 = dml.multihead_attention value(%value) stacked_query_key(%stacked_query_key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x14xf32>, tensor<3x4x2x3x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c4(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %bias: tensor<33xf32>) {
  // dml.multihead_attention (C4)
  // expected-error @below {{'dml.multihead_attention' op bias has the sizes {33}, but wants {34}, which is {N * E + N * E + N * V}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) bias(%bias) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<33xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c5_key(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_value: tensor<3x2x1x7xf32>) {
  // dml.multihead_attention (C5)
  // expected-error @below {{'dml.multihead_attention' op has past_value, but no past_key}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x1x7xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c5_value(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x2x1x5xf32>) {
  // dml.multihead_attention (C5)
  // expected-error @below {{'dml.multihead_attention' op has past_key, but no past_value}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) past_key(%past_key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x1x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c5_key_sizes(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x1x1x5xf32>, %past_value: tensor<3x2x1x7xf32>) {
  // dml.multihead_attention (C5)
  // expected-error @below {{'dml.multihead_attention' op past_key has the sizes {3, 1, 1, 5}, but wants {3, 2, 1, 5}, which is {B, N, P, E}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) past_key(%past_key) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x1x1x5xf32>, tensor<3x2x1x7xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c5_value_sizes(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x2x1x5xf32>, %past_value: tensor<3x2x2x7xf32>) {
  // dml.multihead_attention (C5)
  // expected-error @below {{'dml.multihead_attention' op past_value has the sizes {3, 2, 2, 7}, but wants {3, 2, 1, 7}, which is {B, N, P, V}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) past_key(%past_key) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x1x5xf32>, tensor<3x2x2x7xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c6_none(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<1x3xi32>) {
  // dml.multihead_attention (C6)
  // expected-error @below {{'dml.multihead_attention' op has a mask, but wants none: mask_type is none}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<1x3xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c6_missing(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C6)
  // expected-error @below {{'dml.multihead_attention' op has no mask, but wants one: mask_type is boolean}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<boolean>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c6_length(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<1x4xi32>) {
  // dml.multihead_attention (C6)
  // expected-error @below {{'dml.multihead_attention' op mask has the sizes {1, 4}, but wants {1, 3}, which is {1, B}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_sequence_length>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<1x4xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c6_end_start(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<3x2xi32>) {
  // dml.multihead_attention (C6)
  // expected-error @below {{'dml.multihead_attention' op mask has the sizes {3, 2}, but wants {2, 3}, which is {2, B}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_sequence_end_start>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c6_packed(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<9xi32>) {
  // dml.multihead_attention (C6)
  // expected-error @below {{'dml.multihead_attention' op mask has the sizes {9}, but wants {11}, which is {3 * B + 2}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_query_sequence_length_start_end>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<9xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c6_boolean(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<3x1x4x6xi32>) {
  // dml.multihead_attention (C6)
  // expected-error @below {{'dml.multihead_attention' op mask has the sizes {3, 1, 4, 6}, but wants {3, 2, 4, 6}, which is {B, N, S, T}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<boolean>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x1x4x6xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c6_relative(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %relative_position_bias: tensor<1x2x4x6xf32>) {
  // dml.multihead_attention (C6)
  // expected-error @below {{'dml.multihead_attention' op relative_position_bias has the sizes {1, 2, 4, 6}, but wants {3, 2, 4, 6}, which is {B, N, S, T}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) relative_position_bias(%relative_position_bias) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<1x2x4x6xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention_c7_output(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C7)
  // expected-error @below {{'dml.multihead_attention' op output has the sizes {3, 4, 10}, but wants {3, 4, 14}, which is {B, S, N * V}}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x10xf32>
  return
}

// -----

func.func @multihead_attention_c7_key(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C7)
  // expected-error @below {{'dml.multihead_attention' op output_present_key has the sizes {3, 2, 5, 5}, but wants {3, 2, 6, 5}, which is {B, N, T, E}}}
  %0, %1 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32> output_present_key(tensor<3x2x5x5xf32>)
  return
}

// -----

func.func @multihead_attention_c7_value(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C7)
  // expected-error @below {{'dml.multihead_attention' op output_present_value has the sizes {3, 2, 6, 5}, but wants {3, 2, 6, 7}, which is {B, N, T, V}}}
  %0, %1 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32> output_present_value(tensor<3x2x6x5xf32>)
  return
}

// -----

func.func @multihead_attention_c8(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention (C8)
  // expected-error @below {{'dml.multihead_attention' op head_count is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.multihead_attention query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      head_count = 0 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c1(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf16>) {
  // dml.multihead_attention1 (C1)
  // expected-error @below {{'dml.multihead_attention1' op value has element type 'f16', but query has 'f32'}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf16>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c2_none(%key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C2)
  // expected-error @below {{'dml.multihead_attention1' op has no queries, but wants query, stacked_query_key or stacked_query_key_value}}
  %0 = dml.multihead_attention1 key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c2_queries(%query: tensor<3x4x10xf32>, %value: tensor<3x6x14xf32>, %stacked_query_key: tensor<3x4x2x2x5xf32>) {
  // dml.multihead_attention1 (C2)
  // expected-error @below {{'dml.multihead_attention1' op has both query and stacked_query_key, but wants the queries once}}
  %0 = dml.multihead_attention1 query(%query) value(%value) stacked_query_key(%stacked_query_key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x14xf32>, tensor<3x4x2x2x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c2_keys(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %stacked_key_value: tensor<3x6x2x2x5xf32>) {
  // dml.multihead_attention1 (C2)
  // expected-error @below {{'dml.multihead_attention1' op has both key and stacked_key_value, but wants the keys once}}
  %0 = dml.multihead_attention1 query(%query) key(%key) stacked_key_value(%stacked_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x2x2x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c2_values(%query: tensor<3x4x10xf32>, %value: tensor<3x6x14xf32>, %stacked_key_value: tensor<3x6x2x2x5xf32>) {
  // dml.multihead_attention1 (C2)
  // expected-error @below {{'dml.multihead_attention1' op has both value and stacked_key_value, but wants the values once}}
  %0 = dml.multihead_attention1 query(%query) value(%value) stacked_key_value(%stacked_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x14xf32>, tensor<3x6x2x2x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c2_no_values(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>) {
  // dml.multihead_attention1 (C2)
  // expected-error @below {{'dml.multihead_attention1' op has new keys, but no new values}}
  %0 = dml.multihead_attention1 query(%query) key(%key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c2_no_keys(%query: tensor<3x4x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C2)
  // expected-error @below {{'dml.multihead_attention1' op has new values, but no new keys}}
  %0 = dml.multihead_attention1 query(%query) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c2_nothing(%query: tensor<3x4x10xf32>) {
  // dml.multihead_attention1 (C2)
  // expected-error @below {{'dml.multihead_attention1' op has no keys and values, neither new nor past ones}}
  %0 = dml.multihead_attention1 query(%query) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c3_query(%query: tensor<3x4x9xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C3)
  // expected-error @below {{'dml.multihead_attention1' op query has size 9 in its last dimension, but wants a multiple of query_head_count, which is 2}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x9xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c3_rank(%query: tensor<2x3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C3)
  // expected-error @below {{'dml.multihead_attention1' op query has the sizes {2, 3, 4, 10}, but wants {3, 4, 10}, which is {B, S, NQ * E}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<2x3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c3_key(%query: tensor<3x4x10xf32>, %key: tensor<3x6x8xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C3)
  // expected-error @below {{'dml.multihead_attention1' op key has the sizes {3, 6, 8}, but wants {3, 6, 10}, which is {B, L, NK * E}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x8xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c3_value(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x5x14xf32>) {
  // dml.multihead_attention1 (C3)
  // expected-error @below {{'dml.multihead_attention1' op value has the sizes {3, 5, 14}, but wants {3, 6, 14}, which is {B, L, NK * V}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x5x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c3_value_heads(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x13xf32>) {
  // dml.multihead_attention1 (C3)
  // expected-error @below {{'dml.multihead_attention1' op value has size 13 in its last dimension, but wants a multiple of key_value_head_count, which is 2}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x13xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c3_stacked(%stacked_query_key_value: tensor<3x4x2x2x5xf32>) {
  // dml.multihead_attention1 (C3)
  // expected-error @below {{'dml.multihead_attention1' op stacked_query_key_value has the sizes {3, 4, 2, 2, 5}, but wants {3, 4, 2, 3, 5}, which is {B, S, NQ, 3, E}}}
  %0 = dml.multihead_attention1 stacked_query_key_value(%stacked_query_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x2x2x5xf32>)
      -> tensor<3x4x10xf32>
  return
}

// -----

func.func @multihead_attention1_c3_stacked_keys(%query: tensor<3x4x10xf32>, %stacked_key_value: tensor<3x6x1x2x5xf32>) {
  // dml.multihead_attention1 (C3)
  // expected-error @below {{'dml.multihead_attention1' op stacked_key_value has the sizes {3, 6, 1, 2, 5}, but wants {3, 6, 2, 2, 5}, which is {B, L, NK, 2, E}}}
  %0 = dml.multihead_attention1 query(%query) stacked_key_value(%stacked_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x1x2x5xf32>)
      -> tensor<3x4x10xf32>
  return
}

// -----

func.func @multihead_attention1_c3_stacked_queries(%value: tensor<3x4x14xf32>, %stacked_query_key: tensor<3x4x2x3x5xf32>) {
  // dml.multihead_attention1 (C3)
  // expected-error @below {{'dml.multihead_attention1' op stacked_query_key has the sizes {3, 4, 2, 3, 5}, but wants {3, 4, 2, 2, 5}, which is {B, S, NQ, 2, E}}}
  %0 = dml.multihead_attention1 value(%value) stacked_query_key(%stacked_query_key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x14xf32>, tensor<3x4x2x3x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c4(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %bias: tensor<33xf32>) {
  // dml.multihead_attention1 (C4)
  // expected-error @below {{'dml.multihead_attention1' op bias has the sizes {33}, but wants {34}, which is {NQ * E + NK * E + NK * V}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) bias(%bias) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<33xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c5_key(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_value: tensor<3x2x1x7xf32>) {
  // dml.multihead_attention1 (C5)
  // expected-error @below {{'dml.multihead_attention1' op has past_value, but no past_key}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x1x7xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c5_value(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x2x1x5xf32>) {
  // dml.multihead_attention1 (C5)
  // expected-error @below {{'dml.multihead_attention1' op has past_key, but no past_value}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_key(%past_key) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x1x5xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c5_key_sizes(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x1x1x5xf32>, %past_value: tensor<3x2x1x7xf32>) {
  // dml.multihead_attention1 (C5)
  // expected-error @below {{'dml.multihead_attention1' op past_key has the sizes {3, 1, 1, 5}, but wants {3, 2, 1, 5}, which is {B, NK, P, E}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_key(%past_key) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x1x1x5xf32>, tensor<3x2x1x7xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c5_value_sizes(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x2x1x5xf32>, %past_value: tensor<3x2x2x7xf32>) {
  // dml.multihead_attention1 (C5)
  // expected-error @below {{'dml.multihead_attention1' op past_value has the sizes {3, 2, 2, 7}, but wants {3, 2, 1, 7}, which is {B, NK, P, V}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_key(%past_key) past_value(%past_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x1x5xf32>, tensor<3x2x2x7xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c6_none(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<1x3xi32>) {
  // dml.multihead_attention1 (C6)
  // expected-error @below {{'dml.multihead_attention1' op has a mask, but wants none: mask_type is none}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<1x3xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c6_missing(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C6)
  // expected-error @below {{'dml.multihead_attention1' op has no mask, but wants one: mask_type is boolean}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<boolean>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c6_length(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<1x4xi32>) {
  // dml.multihead_attention1 (C6)
  // expected-error @below {{'dml.multihead_attention1' op mask has the sizes {1, 4}, but wants {1, 3}, which is {1, B}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_sequence_length>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<1x4xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c6_end_start(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<3x2xi32>) {
  // dml.multihead_attention1 (C6)
  // expected-error @below {{'dml.multihead_attention1' op mask has the sizes {3, 2}, but wants {2, 3}, which is {2, B}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_sequence_end_start>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c6_packed(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<9xi32>) {
  // dml.multihead_attention1 (C6)
  // expected-error @below {{'dml.multihead_attention1' op mask has the sizes {9}, but wants {11}, which is {3 * B + 2}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<key_query_sequence_length_start_end>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<9xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c6_boolean(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %mask: tensor<3x1x4x6xi32>) {
  // dml.multihead_attention1 (C6)
  // expected-error @below {{'dml.multihead_attention1' op mask has the sizes {3, 1, 4, 6}, but wants {3, 2, 4, 6}, which is {B, NQ, S, T}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) mask(%mask) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<boolean>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x1x4x6xi32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c6_relative(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %relative_position_bias: tensor<1x2x4x6xf32>) {
  // dml.multihead_attention1 (C6)
  // expected-error @below {{'dml.multihead_attention1' op relative_position_bias has the sizes {1, 2, 4, 6}, but wants {3, 2, 4, 6}, which is {B, NQ, S, T}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) relative_position_bias(%relative_position_bias) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<1x2x4x6xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c7_output(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C7)
  // expected-error @below {{'dml.multihead_attention1' op output has the sizes {3, 4, 10}, but wants {3, 4, 14}, which is {B, S, NQ * V}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x10xf32>
  return
}

// -----

func.func @multihead_attention1_c7_key(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C7)
  // expected-error @below {{'dml.multihead_attention1' op output_present_key has the sizes {3, 2, 5, 5}, but wants {3, 2, 6, 5}, which is {B, NK, T, E}}}
  %0, %1 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32> output_present_key(tensor<3x2x5x5xf32>)
  return
}

// -----

func.func @multihead_attention1_c7_value(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C7)
  // expected-error @below {{'dml.multihead_attention1' op output_present_value has the sizes {3, 2, 6, 5}, but wants {3, 2, 6, 7}, which is {B, NK, T, V}}}
  %0, %1 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32> output_present_value(tensor<3x2x6x5xf32>)
  return
}

// -----

func.func @multihead_attention1_c8(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C8)
  // expected-error @below {{'dml.multihead_attention1' op query_head_count is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 0 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c8_multiple(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>) {
  // dml.multihead_attention1 (C8)
  // expected-error @below {{'dml.multihead_attention1' op query_head_count is 2, but wants a multiple of key_value_head_count, which is 3}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 3 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c8_stacked(%stacked_query_key_value: tensor<3x4x2x3x5xf32>) {
  // dml.multihead_attention1 (C8)
  // expected-error @below {{'dml.multihead_attention1' op stacked_query_key_value wants as many heads of keys as of queries, but query_head_count is 2 and key_value_head_count is 1}}
  %0 = dml.multihead_attention1 stacked_query_key_value(%stacked_query_key_value) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 1 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x2x3x5xf32>)
      -> tensor<3x4x10xf32>
  return
}

// -----

func.func @multihead_attention1_c9(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x2x1x5xf32>, %past_value: tensor<3x2x1x7xf32>, %past_sequence_lengths: tensor<4xf32>) {
  // dml.multihead_attention1 (C9)
  // expected-error @below {{'dml.multihead_attention1' op past_sequence_lengths has the sizes {4}, but wants {3}, which is {B}}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_key(%past_key) past_value(%past_value) past_sequence_lengths(%past_sequence_lengths) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x1x5xf32>, tensor<3x2x1x7xf32>, tensor<4xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c1_lengths(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x2x1x5xf32>, %past_value: tensor<3x2x1x7xf32>, %past_sequence_lengths: tensor<3xf16>) {
  // dml.multihead_attention1 (C1)
  // expected-error @below {{'dml.multihead_attention1' op past_sequence_lengths has the element type 'f16', but wants i32 or 'f32', which is that of past_key}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_key(%past_key) past_value(%past_value) past_sequence_lengths(%past_sequence_lengths) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x1x5xf32>, tensor<3x2x1x7xf32>, tensor<3xf16>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c10_f16(%query: tensor<3x4x10xf16>, %key: tensor<3x6x10xf16>, %value: tensor<3x6x14xf16>, %past_key: tensor<3x2x2049x5xf16>, %past_value: tensor<3x2x2049x7xf16>, %past_sequence_lengths: tensor<3xf16>) {
  // dml.multihead_attention1 (C10)
  // expected-error @below {{'dml.multihead_attention1' op past_sequence_lengths has the element type 'f16', which counts to 2048, but the past has 2049 positions; i32 counts to all of them}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_key(%past_key) past_value(%past_value) past_sequence_lengths(%past_sequence_lengths) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf16>, tensor<3x6x10xf16>, tensor<3x6x14xf16>, tensor<3x2x2049x5xf16>, tensor<3x2x2049x7xf16>, tensor<3xf16>)
      -> tensor<3x4x14xf16>
  return
}

// -----

func.func @multihead_attention1_c10_f32(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_key: tensor<3x2x16777217x5xf32>, %past_value: tensor<3x2x16777217x7xf32>, %past_sequence_lengths: tensor<3xf32>) {
  // dml.multihead_attention1 (C10)
  // expected-error @below {{'dml.multihead_attention1' op past_sequence_lengths has the element type 'f32', which counts to 16777216, but the past has 16777217 positions; i32 counts to all of them}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_key(%past_key) past_value(%past_value) past_sequence_lengths(%past_sequence_lengths) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3x2x16777217x5xf32>, tensor<3x2x16777217x7xf32>, tensor<3xf32>)
      -> tensor<3x4x14xf32>
  return
}

// -----

func.func @multihead_attention1_c9_past(%query: tensor<3x4x10xf32>, %key: tensor<3x6x10xf32>, %value: tensor<3x6x14xf32>, %past_sequence_lengths: tensor<3xf32>) {
  // dml.multihead_attention1 (C9)
  // expected-error @below {{'dml.multihead_attention1' op has past_sequence_lengths, but no past_key}}
  %0 = dml.multihead_attention1 query(%query) key(%key) value(%value) past_sequence_lengths(%past_sequence_lengths) {
      scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
      query_head_count = 2 : i64, key_value_head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<3x4x10xf32>, tensor<3x6x10xf32>, tensor<3x6x14xf32>, tensor<3xf32>)
      -> tensor<3x4x14xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
