// RUN: dml-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @fold_padding
// CHECK-SAME: (%[[INPUT:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[INPUT]]
func.func @fold_padding(%input: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<wrap>,
      start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func @merge_edge
// CHECK: dml.padding %arg0 {end_padding = array<i64: 5>, mode = #dml.padding_mode<edge>, start_padding = array<i64: 3>} : (tensor<2xf32>) -> tensor<10xf32>
// CHECK-NEXT: return
func.func @merge_edge(%input: tensor<2xf32>) -> tensor<10xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 1>, end_padding = array<i64: 2>}
      : (tensor<2xf32>) -> tensor<5xf32>
  %1 = dml.padding %0 {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 2>, end_padding = array<i64: 3>}
      : (tensor<5xf32>) -> tensor<10xf32>
  return %1 : tensor<10xf32>
}

// CHECK-LABEL: func @merge_constant
// CHECK: dml.padding %arg0 {end_padding = array<i64: 5>, mode = #dml.padding_mode<constant>, padding_value = 7.000000e+00 : f32, start_padding = array<i64: 3>}
// CHECK-NEXT: return
func.func @merge_constant(%input: tensor<2xf32>) -> tensor<10xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>, padding_value = 7.0 : f32,
      start_padding = array<i64: 1>, end_padding = array<i64: 2>}
      : (tensor<2xf32>) -> tensor<5xf32>
  %1 = dml.padding %0 {mode = #dml.padding_mode<constant>, padding_value = 7.0 : f32,
      start_padding = array<i64: 2>, end_padding = array<i64: 3>}
      : (tensor<5xf32>) -> tensor<10xf32>
  return %1 : tensor<10xf32>
}

// Another constant, another mode, and modes that do not compose stay.
// CHECK-LABEL: func @keep_padding
// CHECK-COUNT-6: dml.padding
func.func @keep_padding(%input: tensor<2xf32>)
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>, padding_value = 1.0 : f32,
      start_padding = array<i64: 1>, end_padding = array<i64: 1>}
      : (tensor<2xf32>) -> tensor<4xf32>
  %1 = dml.padding %0 {mode = #dml.padding_mode<constant>,
      start_padding = array<i64: 1>, end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<6xf32>
  %2 = dml.padding %input {mode = #dml.padding_mode<reflection>,
      start_padding = array<i64: 1>, end_padding = array<i64: 1>}
      : (tensor<2xf32>) -> tensor<4xf32>
  %3 = dml.padding %2 {mode = #dml.padding_mode<reflection>,
      start_padding = array<i64: 1>, end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<6xf32>
  %4 = dml.padding %input {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 1>, end_padding = array<i64: 1>}
      : (tensor<2xf32>) -> tensor<4xf32>
  %5 = dml.padding %4 {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 1>, end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<6xf32>
  return %1, %3, %5 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// CHECK-LABEL: func @fold_and_merge_tile
// CHECK-SAME: (%[[INPUT:.*]]: tensor<2x1xf32>)
// CHECK-NEXT: %[[TILE:.*]] = dml.tile %[[INPUT]] {repeats = array<i64: 6, 5>} : (tensor<2x1xf32>) -> tensor<12x5xf32>
// CHECK-NEXT: return %[[TILE]]
func.func @fold_and_merge_tile(%input: tensor<2x1xf32>) -> tensor<12x5xf32> {
  %0 = dml.tile %input {repeats = array<i64: 1, 1>} : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %1 = dml.tile %0 {repeats = array<i64: 2, 1>} : (tensor<2x1xf32>) -> tensor<4x1xf32>
  %2 = dml.tile %1 {repeats = array<i64: 3, 5>} : (tensor<4x1xf32>) -> tensor<12x5xf32>
  return %2 : tensor<12x5xf32>
}

// CHECK-LABEL: func @fold_resample
// CHECK-SAME: (%[[INPUT:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[INPUT]]
func.func @fold_resample(%input: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The same size, but another scale: not a copy.
// CHECK-LABEL: func @keep_resample
// CHECK: dml.resample
func.func @keep_resample(%input: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 2.0>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// What nothing uses goes away.
// CHECK-LABEL: func @unused
// CHECK-NEXT: return
func.func @unused(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// Older versions of poolings become the newest.
// CHECK-LABEL: func @newest_pooling
// CHECK: dml.max_pooling2 %arg0 {dilations = array<i64: 1, 1>, end_padding = array<i64: 0, 1>, start_padding = array<i64: 1, 0>, strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>} : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
// CHECK: dml.max_pooling2 %arg0 {{.*}} -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xui32>)
// CHECK: dml.average_pooling1 %arg0 {dilations = array<i64: 1, 1>, {{.*}}include_padding = true
// CHECK: dml.lp_pooling1 %arg0 {dilations = array<i64: 1, 1>, {{.*}}p = 3 : i64
func.func @newest_pooling(%input: tensor<1x1x3x4xf32>)
    -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xui32>,
        tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) {
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>}
      : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
  %1:2 = dml.max_pooling1 %input {
      strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>}
      : (tensor<1x1x3x4xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xui32>)
  %2 = dml.average_pooling %input {
      strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>,
      include_padding = true}
      : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
  %3 = dml.lp_pooling %input {
      strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>, p = 3}
      : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
  return %0, %1#0, %1#1, %2, %3 : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>,
      tensor<1x1x3x2xui32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>
}

// -----

// A level that lacks the newest versions keeps the older ones.
module attributes {dml.target = #dml.target<feature_level = fl_2_0>} {
  // CHECK-LABEL: func @older_pooling
  // CHECK: dml.max_pooling %
  // CHECK: dml.average_pooling %
  // CHECK: dml.lp_pooling %
  func.func @older_pooling(%input: tensor<1x1x3x4xf32>)
      -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) {
    %0 = dml.max_pooling %input {
        strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
        start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>}
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
    %1 = dml.average_pooling %input {
        strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
        start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>,
        include_padding = true}
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
    %2 = dml.lp_pooling %input {
        strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
        start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>, p = 3}
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
    return %0, %1, %2 : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>,
        tensor<1x1x3x2xf32>
  }
}

// -----

// A level between them has the newest version of one operator.
module attributes {dml.target = #dml.target<feature_level = fl_2_1>} {
  // CHECK-LABEL: func @some_newer_pooling
  // CHECK: dml.max_pooling2 %
  // CHECK: dml.lp_pooling %
  func.func @some_newer_pooling(%input: tensor<1x1x3x4xf32>)
      -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) {
    %0 = dml.max_pooling %input {
        strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
        start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>}
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
    %1 = dml.lp_pooling %input {
        strides = array<i64: 1, 2>, window_size = array<i64: 2, 3>,
        start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 1>, p = 3}
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
    return %0, %1 : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>
  }
}

// -----

// Older versions become the newest ones of their families.
module {
  // CHECK-LABEL: func @newest_versions
  // CHECK: dml.activation_softmax1 %arg0 {axes = array<i64: 3>}
  // CHECK: dml.activation_log_softmax1 %arg0 {axes = array<i64: 3>}
  // CHECK: dml.activation_hardmax1 %arg0 {axes = array<i64: 3>}
  // CHECK: dml.depth_to_space1 %arg1 {block_size = 2 : i64, order = #dml.depth_space_order<depth_column_row>}
  // CHECK: dml.space_to_depth1 %arg1 {block_size = 2 : i64, order = #dml.depth_space_order<depth_column_row>}
  // CHECK: dml.top_k1 %arg0 {axis = 3 : i64, axis_direction = #dml.axis_direction<decreasing>, k = 2 : i64}
  // CHECK: dml.gather_nd1 %arg0, %arg2 {batch_dimension_count = 0 : i64
  // CHECK: dml.roi_align1 %arg1, %arg3, %arg4 {align_regions_to_corners = false, input_pixel_offset = 5.000000e-01 : f32
  // CHECK: dml.mean_variance_normalization2 %arg1 {axes = array<i64: 1, 2, 3>, epsilon = 5.000000e-01 : f32, use_mean = true, use_variance = true}
  func.func @newest_versions(%matrix: tensor<1x1x3x4xf32>, %image: tensor<1x8x4x4xf32>,
      %indices: tensor<1x1x2x2xui32>, %roi: tensor<1x1x2x4xf32>,
      %batches: tensor<1x1x1x2xui32>) {
    %0 = dml.activation_softmax %matrix
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
    %1 = dml.activation_log_softmax %matrix
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
    %2 = dml.activation_hardmax %matrix
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
    %3 = dml.depth_to_space %image {block_size = 2 : i64}
        : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
    %4 = dml.space_to_depth %image {block_size = 2 : i64}
        : (tensor<1x8x4x4xf32>) -> tensor<1x32x2x2xf32>
    %5, %6 = dml.top_k %matrix {axis = 3 : i64, k = 2 : i64}
        : (tensor<1x1x3x4xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xui32>)
    %7 = dml.gather_nd %matrix, %indices {
        input_dimension_count = 2 : i64, indices_dimension_count = 2 : i64}
        : (tensor<1x1x3x4xf32>, tensor<1x1x2x2xui32>) -> tensor<1x1x1x2xf32>
    %8 = dml.roi_align %image, %roi, %batches {
        reduction_function = #dml.reduce_function<average>,
        interpolation_mode = #dml.interpolation_mode<linear>,
        spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32,
        out_of_bounds_input_value = 0.0 : f32,
        minimum_samples_per_output = 1 : i64,
        maximum_samples_per_output = 4 : i64}
        : (tensor<1x8x4x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x1x2xui32>)
        -> tensor<2x8x2x2xf32>
    %9 = dml.mean_variance_normalization %image {cross_channel = true,
        normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    call @use(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9)
        : (tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>,
           tensor<1x2x8x8xf32>, tensor<1x32x2x2xf32>, tensor<1x1x3x2xf32>,
           tensor<1x1x3x2xui32>, tensor<1x1x1x2xf32>, tensor<2x8x2x2xf32>,
           tensor<1x8x4x4xf32>) -> ()
    return
  }
  func.func private @use(
      tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>,
      tensor<1x2x8x8xf32>, tensor<1x32x2x2xf32>, tensor<1x1x3x2xf32>,
      tensor<1x1x3x2xui32>, tensor<1x1x1x2xf32>, tensor<2x8x2x2xf32>,
      tensor<1x8x4x4xf32>)
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_3_0>} {
  // CHECK-LABEL: func @versions_of_a_level
  // CHECK: dml.activation_softmax %
  // CHECK: dml.activation_log_softmax %
  // CHECK: dml.activation_hardmax %
  // CHECK: dml.depth_to_space1 %
  // CHECK: dml.space_to_depth1 %
  // CHECK: dml.top_k1 %
  // CHECK: dml.gather_nd1 %
  // CHECK: dml.roi_align %
  // CHECK: dml.mean_variance_normalization1 %
  func.func @versions_of_a_level(%matrix: tensor<1x1x3x4xf32>, %image: tensor<1x8x4x4xf32>,
      %indices: tensor<1x1x2x2xui32>, %roi: tensor<1x1x2x4xf32>,
      %batches: tensor<1x1x1x2xui32>) {
    %0 = dml.activation_softmax %matrix
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
    %1 = dml.activation_log_softmax %matrix
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
    %2 = dml.activation_hardmax %matrix
        : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x4xf32>
    %3 = dml.depth_to_space %image {block_size = 2 : i64}
        : (tensor<1x8x4x4xf32>) -> tensor<1x2x8x8xf32>
    %4 = dml.space_to_depth %image {block_size = 2 : i64}
        : (tensor<1x8x4x4xf32>) -> tensor<1x32x2x2xf32>
    %5, %6 = dml.top_k %matrix {axis = 3 : i64, k = 2 : i64}
        : (tensor<1x1x3x4xf32>) -> (tensor<1x1x3x2xf32>, tensor<1x1x3x2xui32>)
    %7 = dml.gather_nd %matrix, %indices {
        input_dimension_count = 2 : i64, indices_dimension_count = 2 : i64}
        : (tensor<1x1x3x4xf32>, tensor<1x1x2x2xui32>) -> tensor<1x1x1x2xf32>
    %8 = dml.roi_align %image, %roi, %batches {
        reduction_function = #dml.reduce_function<average>,
        interpolation_mode = #dml.interpolation_mode<linear>,
        spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32,
        out_of_bounds_input_value = 0.0 : f32,
        minimum_samples_per_output = 1 : i64,
        maximum_samples_per_output = 4 : i64}
        : (tensor<1x8x4x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x1x2xui32>)
        -> tensor<2x8x2x2xf32>
    %9 = dml.mean_variance_normalization %image {cross_channel = true,
        normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    call @use(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9)
        : (tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>,
           tensor<1x2x8x8xf32>, tensor<1x32x2x2xf32>, tensor<1x1x3x2xf32>,
           tensor<1x1x3x2xui32>, tensor<1x1x1x2xf32>, tensor<2x8x2x2xf32>,
           tensor<1x8x4x4xf32>) -> ()
    return
  }
  func.func private @use(
      tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>,
      tensor<1x2x8x8xf32>, tensor<1x32x2x2xf32>, tensor<1x1x3x2xf32>,
      tensor<1x1x3x2xui32>, tensor<1x1x1x2xf32>, tensor<2x8x2x2xf32>,
      tensor<1x8x4x4xf32>)
}

// SPDX-License-Identifier: Apache-2.0
// -----

// Attention's newer version counts heads twice, and its lengths of the past are absent.
// Results stay who they are.
module {
  // CHECK-LABEL: func @attention(
  // CHECK:       %[[OUTPUT:.*]], %[[KEYS:.*]] = dml.multihead_attention1
  // CHECK-SAME:    query(%arg0) key(%arg1) value(%arg2) past_key(%arg3) past_value(%arg3)
  // CHECK-SAME:    key_value_head_count = 2 : i64
  // CHECK-SAME:    query_head_count = 2 : i64
  // CHECK:       return %[[OUTPUT]], %[[KEYS]]
  func.func @attention(%query: tensor<1x3x8xf32>, %key: tensor<1x5x8xf32>,
                       %value: tensor<1x5x8xf32>, %past: tensor<1x2x4x4xf32>)
      -> (tensor<1x3x8xf32>, tensor<1x2x9x4xf32>) {
    %0, %1 = dml.multihead_attention query(%query) key(%key) value(%value)
        past_key(%past) past_value(%past) {
        scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
        head_count = 2 : i64, mask_type = #dml.multihead_attention_mask_type<none>}
        : (tensor<1x3x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>,
           tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>)
        -> tensor<1x3x8xf32> output_present_key(tensor<1x2x9x4xf32>)
    return %0, %1 : tensor<1x3x8xf32>, tensor<1x2x9x4xf32>
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_6_2>} {
  // CHECK-LABEL: func @attention_of_a_level
  // CHECK:       dml.multihead_attention query
  func.func @attention_of_a_level(%query: tensor<1x3x8xf32>, %key: tensor<1x5x8xf32>)
      -> tensor<1x3x8xf32> {
    %0 = dml.multihead_attention query(%query) key(%key) value(%key) {
        scale = 0.5 : f32, mask_filter_value = -10000.0 : f32,
        head_count = 2 : i64, mask_type = #dml.multihead_attention_mask_type<none>}
        : (tensor<1x3x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>)
        -> tensor<1x3x8xf32>
    return %0 : tensor<1x3x8xf32>
  }
}

// -----

// The newer version is there at this level, but wants a scale of the channels there.
module attributes {dml.target = #dml.target<feature_level = fl_2_1>} {
  // CHECK-LABEL: func @newer_with_other_rules
  // CHECK:       dml.mean_variance_normalization %
  func.func @newer_with_other_rules(%image: tensor<1x2x1x3xf16>, %row: tensor<1x1x1x3xf16>)
      -> tensor<1x2x1x3xf16> {
    %0 = dml.mean_variance_normalization %image scale(%row) bias(%row) {
        cross_channel = false, normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<1x2x1x3xf16>, tensor<1x1x1x3xf16>, tensor<1x1x1x3xf16>) -> tensor<1x2x1x3xf16>
    return %0 : tensor<1x2x1x3xf16>
  }
}
