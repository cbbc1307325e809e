// What poolings of regions reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.roi_pooling (C1)
func.func @f0(%0: tensor<2x3x4x5xf32>, %1: tensor<1x1x7x5xf32>) {
  // expected-error @below {{'dml.roi_pooling' op pooled_size has 1 value, but wants 2}}
  %r = dml.roi_pooling %0, %1 {pooled_size = array<i64: 1>, spatial_scale = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<1x1x7x5xf32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_pooling (C1)
func.func @f1(%0: tensor<2x3x4x5xf32>, %1: tensor<1x1x7x5xf32>) {
  // expected-error @below {{'dml.roi_pooling' op pooled_size[0] is 0, but wants a value from 1 to 4294967295}}
  %r = dml.roi_pooling %0, %1 {pooled_size = array<i64: 0, 2>, spatial_scale = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<1x1x7x5xf32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_pooling (C2)
func.func @f2(%0: tensor<3x4x5xf32>, %1: tensor<1x1x7x5xf32>) {
  // expected-error @below {{'dml.roi_pooling' op input has rank 3, but wants rank 4}}
  %r = dml.roi_pooling %0, %1 {pooled_size = array<i64: 1, 2>, spatial_scale = 1.0 : f32}
      : (tensor<3x4x5xf32>, tensor<1x1x7x5xf32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_pooling (C3)
func.func @f3(%0: tensor<2x3x4x5xf32>, %1: tensor<1x1x7x4xf32>) {
  // expected-error @below {{'dml.roi_pooling' op roi has type 'tensor<1x1x7x4xf32>', but wants the sizes 1x1xRx5}}
  %r = dml.roi_pooling %0, %1 {pooled_size = array<i64: 1, 2>, spatial_scale = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<1x1x7x4xf32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_pooling (C4)
func.func @f4(%0: tensor<2x3x4x5xf32>, %1: tensor<1x1x7x5xf16>) {
  // expected-error @below {{'dml.roi_pooling' op roi has element type 'f16', but input has 'f32'}}
  %r = dml.roi_pooling %0, %1 {pooled_size = array<i64: 1, 2>, spatial_scale = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<1x1x7x5xf16>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_pooling (C5)
func.func @f5(%0: tensor<2x3x4x5xf32>, %1: tensor<1x1x7x5xf32>) {
  // expected-error @below {{'dml.roi_pooling' op output has type 'tensor<7x3x2x2xf32>', but wants 'tensor<7x3x1x2xf32>'}}
  %r = dml.roi_pooling %0, %1 {pooled_size = array<i64: 1, 2>, spatial_scale = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<1x1x7x5xf32>) -> tensor<7x3x2x2xf32>
  return
}

// -----

// dml.roi_align (C1)
func.func @f6(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align' op reduction_function is sum, but wants average or max}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<sum>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align (C2)
func.func @f7(%0: tensor<3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align' op input has rank 3, but feature level 6_4 supports rank 4 (no feature level supports rank 3)}}
  // expected-note @below {{according to DML_ROI_ALIGN_OPERATOR_DESC}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align (C2)
func.func @f8(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align' op output has rank 3, but feature level 6_4 supports rank 4 (no feature level supports rank 3)}}
  // expected-note @below {{according to DML_ROI_ALIGN_OPERATOR_DESC}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x2xf32>
  return
}

// -----

// dml.roi_align (C3)
func.func @f9(%0: tensor<2x3x4x5xf32>, %1: tensor<7x5xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align' op roi has type 'tensor<7x5xf32>', but wants the sizes 7x4 with leading 1s}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x5xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align (C3)
func.func @f10(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<2x7xui32>) {
  // expected-error @below {{'dml.roi_align' op batch_indices has type 'tensor<2x7xui32>', but wants the sizes 7 with leading 1s}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<2x7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align (C4)
func.func @f11(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align' op output has 4 channels, but input has 3}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x4x1x2xf32>
  return
}

// -----

// dml.roi_align (C5)
func.func @f12(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf16>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align' op roi has element type 'f16', but input has 'f32'}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf16>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align (C6)
func.func @f13(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align' op minimum_samples_per_output is 2, but maximum_samples_per_output is 1}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 2 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align (C6)
func.func @f14(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align' op maximum_samples_per_output is 4294967296, but wants a value from 0 to 4294967295}}
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 4294967296 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align1 (C1)
func.func @f15(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align1' op reduction_function is sum, but wants average or max}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<sum>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align1 (C2)
func.func @f16(%0: tensor<3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align1' op input has rank 3, but feature level 6_4 supports rank 4 (no feature level supports rank 3)}}
  // expected-note @below {{according to DML_ROI_ALIGN1_OPERATOR_DESC}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align1 (C2)
func.func @f17(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align1' op output has rank 3, but feature level 6_4 supports rank 4 (no feature level supports rank 3)}}
  // expected-note @below {{according to DML_ROI_ALIGN1_OPERATOR_DESC}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x2xf32>
  return
}

// -----

// dml.roi_align1 (C3)
func.func @f18(%0: tensor<2x3x4x5xf32>, %1: tensor<7x5xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align1' op roi has type 'tensor<7x5xf32>', but wants the sizes 7x4 with leading 1s}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x5xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align1 (C3)
func.func @f19(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<2x7xui32>) {
  // expected-error @below {{'dml.roi_align1' op batch_indices has type 'tensor<2x7xui32>', but wants the sizes 7 with leading 1s}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<2x7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align1 (C4)
func.func @f20(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align1' op output has 4 channels, but input has 3}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x4x1x2xf32>
  return
}

// -----

// dml.roi_align1 (C5)
func.func @f21(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf16>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align1' op roi has element type 'f16', but input has 'f32'}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf16>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align1 (C6)
func.func @f22(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align1' op minimum_samples_per_output is 2, but maximum_samples_per_output is 1}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 2 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align1 (C6)
func.func @f23(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align1' op maximum_samples_per_output is 4294967296, but wants a value from 0 to 4294967295}}
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 4294967296 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// -----

// dml.roi_align_grad (C1)
func.func @f24(%0: tensor<7x3x1x2xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op reduction_function is sum, but wants average or max}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<sum>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<2x3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C2)
func.func @f25(%0: tensor<7x3x1x2xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op output_gradient has rank 3, but feature level 6_4 supports rank 4 (no feature level supports rank 3)}}
  // expected-note @below {{according to DML_ROI_ALIGN_GRAD_OPERATOR_DESC}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C2)
func.func @f26(%0: tensor<7x3x2xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op input_gradient has rank 3, but feature level 6_4 supports rank 4 (no feature level supports rank 3)}}
  // expected-note @below {{according to DML_ROI_ALIGN_GRAD_OPERATOR_DESC}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<2x3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C3)
func.func @f27(%0: tensor<7x3x1x2xf32>, %1: tensor<7x5xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op roi has type 'tensor<7x5xf32>', but wants the sizes 7x4 with leading 1s}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf32>, tensor<7x5xf32>, tensor<7xui32>) -> tensor<2x3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C3)
func.func @f28(%0: tensor<7x3x1x2xf32>, %1: tensor<7x4xf32>, %2: tensor<2x7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op batch_indices has type 'tensor<2x7xui32>', but wants the sizes 7 with leading 1s}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<2x7xui32>) -> tensor<2x3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C4)
func.func @f29(%0: tensor<7x4x1x2xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op input_gradient has 4 channels, but output_gradient has 3}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x4x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<2x3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C5)
func.func @f30(%0: tensor<7x3x1x2xf32>, %1: tensor<7x4xf16>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op roi has element type 'f16', but input_gradient has 'f32'}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf32>, tensor<7x4xf16>, tensor<7xui32>) -> tensor<2x3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C6)
func.func @f31(%0: tensor<7x3x1x2xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op minimum_samples_per_output is 2, but maximum_samples_per_output is 1}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 2 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<2x3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C7)
func.func @f32(%0: tensor<2x3x4x5xf32>, %1: tensor<7x3x1x2xf32>, %2: tensor<7x4xf32>, %3: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op has no results, but wants output_gradient or output_roi_gradient}}
  dml.roi_align_grad input(%0) %1, %2, %3 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 0, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> ()
  return
}

// -----

// dml.roi_align_grad (C8)
func.func @f33(%0: tensor<7x3x1x2xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op has no input, but wants one where reduction_function is max}}
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<max>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<2x3x4x5xf32>
  return
}

// -----

// dml.roi_align_grad (C8)
func.func @f34(%0: tensor<7x3x1x2xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op has no input, but wants one where there is an output_roi_gradient}}
  %r:2 = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 1>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> (tensor<2x3x4x5xf32>, tensor<7x4xf32>)
  return
}

// -----

// dml.roi_align_grad (C9)
func.func @f35(%0: tensor<2x3x4x5xf32>, %1: tensor<7x3x1x2xf32>, %2: tensor<7x4xf32>, %3: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op output_gradient has size 6 in dimension 3, but input has 5 there (the operator does not broadcast)}}
  %r = dml.roi_align_grad input(%0) %1, %2, %3 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<2x3x4x6xf32>
  return
}

// -----

// dml.roi_align_grad (C9)
func.func @f36(%0: tensor<2x3x4x5xf32>, %1: tensor<7x3x1x2xf32>, %2: tensor<7x4xf32>, %3: tensor<7xui32>) {
  // expected-error @below {{'dml.roi_align_grad' op output_roi_gradient has rank 3, but roi has rank 2}}
  %r = dml.roi_align_grad input(%0) %1, %2, %3 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 0, 1>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<1x7x4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
