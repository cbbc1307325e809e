// What poolings of regions accept, in text and in bytecode. A comment names the
// constraint whose limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.roi_pooling (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @f0(
// CHECK: dml.roi_pooling
func.func @f0(%0: tensor<2x3x4x5xf16>, %1: tensor<1x1x7x5xf16>) {
  %r = dml.roi_pooling %0, %1 {pooled_size = array<i64: 1, 1>, spatial_scale = 1.0 : f32}
      : (tensor<2x3x4x5xf16>, tensor<1x1x7x5xf16>) -> tensor<7x3x1x1xf16>
  return
}

// dml.roi_align (C1), (C2), (C3), (C4), (C5), (C6)
// CHECK-LABEL: func @f1(
// CHECK: dml.roi_align
func.func @f1(%0: tensor<2x3x4x5xf16>, %1: tensor<1x1x7x4xf16>, %2: tensor<1x1x1x7xui64>) {
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 4294967295 : i64, minimum_samples_per_output = 0 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<max>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf16>, tensor<1x1x7x4xf16>, tensor<1x1x1x7xui64>) -> tensor<7x3x9x1xf16>
  return
}

// dml.roi_align (C3)
// CHECK-LABEL: func @f2(
// CHECK: dml.roi_align
func.func @f2(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  %r = dml.roi_align %0, %1, %2 {interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// dml.roi_align1 (C1), (C2), (C3), (C4), (C5), (C6)
// CHECK-LABEL: func @f3(
// CHECK: dml.roi_align1
func.func @f3(%0: tensor<2x3x4x5xf16>, %1: tensor<1x1x7x4xf16>, %2: tensor<1x1x1x7xui64>) {
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 4294967295 : i64, minimum_samples_per_output = 0 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<max>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf16>, tensor<1x1x7x4xf16>, tensor<1x1x1x7xui64>) -> tensor<7x3x9x1xf16>
  return
}

// dml.roi_align1 (C3)
// CHECK-LABEL: func @f4(
// CHECK: dml.roi_align1
func.func @f4(%0: tensor<2x3x4x5xf32>, %1: tensor<7x4xf32>, %2: tensor<7xui32>) {
  %r = dml.roi_align1 %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, out_of_bounds_input_value = 0.0 : f32, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x3x1x2xf32>
  return
}

// dml.roi_align_grad (C1), (C2), (C3), (C4), (C5), (C6)
// CHECK-LABEL: func @f5(
// CHECK: dml.roi_align_grad
func.func @f5(%0: tensor<7x3x1x2xf16>, %1: tensor<1x1x7x4xf16>, %2: tensor<1x1x1x7xui32>) {
  %r = dml.roi_align_grad %0, %1, %2 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 4294967295 : i64, minimum_samples_per_output = 0 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 1, 0>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<7x3x1x2xf16>, tensor<1x1x7x4xf16>, tensor<1x1x1x7xui32>) -> tensor<2x3x4x5xf16>
  return
}

// dml.roi_align_grad (C7), (C8), (C9)
// CHECK-LABEL: func @f6(
// CHECK: dml.roi_align_grad
func.func @f6(%0: tensor<2x3x4x5xf32>, %1: tensor<7x3x1x2xf32>, %2: tensor<7x4xf32>, %3: tensor<7xui32>) {
  %r:2 = dml.roi_align_grad input(%0) %1, %2, %3 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<max>, resultSegmentSizes = array<i32: 1, 1>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> (tensor<2x3x4x5xf32>, tensor<7x4xf32>)
  return
}

// dml.roi_align_grad (C7), (C8)
// CHECK-LABEL: func @f7(
// CHECK: dml.roi_align_grad
func.func @f7(%0: tensor<2x3x4x5xf32>, %1: tensor<7x3x1x2xf32>, %2: tensor<7x4xf32>, %3: tensor<7xui32>) {
  %r = dml.roi_align_grad input(%0) %1, %2, %3 {align_regions_to_corners = false, input_pixel_offset = 0.5 : f32, interpolation_mode = #dml.interpolation_mode<linear>, maximum_samples_per_output = 1 : i64, minimum_samples_per_output = 1 : i64, output_pixel_offset = -0.5 : f32, reduction_function = #dml.reduce_function<average>, resultSegmentSizes = array<i32: 0, 1>, spatial_scale_x = 1.0 : f32, spatial_scale_y = 1.0 : f32}
      : (tensor<2x3x4x5xf32>, tensor<7x3x1x2xf32>, tensor<7x4xf32>, tensor<7xui32>) -> tensor<7x4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
