// What resamplings reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.resample1 (C1)
func.func @f0(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample1' op input_pixel_offsets has 1 value, but wants 2, one for each dimension of input}}
  %r = dml.resample1 %0 {input_pixel_offsets = array<f32: 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample1 (C2)
func.func @f1(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample1' op scales[1] is 0.000000e+00, but wants a finite value greater than 0}}
  %r = dml.resample1 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, scales = array<f32: 1.0, 0.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample1 (C3)
func.func @f2(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample1' op output_pixel_offsets[1] is INF, but wants a finite value}}
  %r = dml.resample1 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: 0.0, 0x7F800000>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample1 (C4)
func.func @f3(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample1' op output has rank 1, but input has rank 2}}
  %r = dml.resample1 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<6xf32>
  return
}

// -----

// dml.resample2 (C1)
func.func @f4(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample2' op input_pixel_offsets has 1 value, but wants 2, one for each dimension of input}}
  %r = dml.resample2 %0 {input_pixel_offsets = array<f32: 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample2 (C2)
func.func @f5(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample2' op scales[1] is 0.000000e+00, but wants a finite value greater than 0}}
  %r = dml.resample2 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 0.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample2 (C3)
func.func @f6(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample2' op output_pixel_offsets[1] is INF, but wants a finite value}}
  %r = dml.resample2 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: 0.0, 0x7F800000>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample2 (C4)
func.func @f7(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample2' op output has rank 1, but input has rank 2}}
  %r = dml.resample2 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<6xf32>
  return
}

// -----

// dml.upsample_2d (C1)
func.func @f8(%0: tensor<1x1x1x2xf32>) {
  // expected-error @below {{'dml.upsample_2d' op scale_size has 1 value, but wants 2}}
  %r = dml.upsample_2d %0 {mode = #dml.interpolation_mode<nearest_neighbor>, scale_size = array<i64: 2>}
      : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x4xf32>
  return
}

// -----

// dml.upsample_2d (C2)
func.func @f9(%0: tensor<1x1x1x2xf32>) {
  // expected-error @below {{'dml.upsample_2d' op scale_size[0] is 0, but wants a value from 1 to 4294967295}}
  %r = dml.upsample_2d %0 {mode = #dml.interpolation_mode<nearest_neighbor>, scale_size = array<i64: 0, 2>}
      : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x4xf32>
  return
}

// -----

// dml.upsample_2d (C3)
func.func @f10(%0: tensor<1x1x2xf32>) {
  // expected-error @below {{'dml.upsample_2d' op input has rank 3, but wants rank 4 or 5}}
  %r = dml.upsample_2d %0 {mode = #dml.interpolation_mode<nearest_neighbor>, scale_size = array<i64: 1, 2>}
      : (tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

// dml.upsample_2d (C4)
func.func @f11(%0: tensor<1x1x1x2xf32>) {
  // expected-error @below {{'dml.upsample_2d' op output has type 'tensor<1x1x1x4xf32>', but wants 'tensor<1x1x2x4xf32>'}}
  %r = dml.upsample_2d %0 {mode = #dml.interpolation_mode<nearest_neighbor>, scale_size = array<i64: 2, 2>}
      : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x4xf32>
  return
}

// -----

// dml.resample3 (C1)
func.func @f12(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample3' op input_pixel_offsets has 1 value, but wants 2, one for each dimension of input}}
  %r = dml.resample3 %0 {antialiased = true, input_pixel_offsets = array<f32: 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample3 (C2)
func.func @f13(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample3' op scales[1] is 0.000000e+00, but wants a finite value greater than 0}}
  %r = dml.resample3 %0 {antialiased = true, input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 0.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample3 (C3)
func.func @f14(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample3' op output_pixel_offsets[1] is INF, but wants a finite value}}
  %r = dml.resample3 %0 {antialiased = true, input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: 0.0, 0x7F800000>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample3 (C4)
func.func @f15(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample3' op output has rank 1, but input has rank 2}}
  %r = dml.resample3 %0 {antialiased = true, input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<6xf32>
  return
}

// -----

// dml.resample_grad (C1)
func.func @f16(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample_grad' op input_pixel_offsets has 1 value, but wants 2, one for each dimension of input_gradient}}
  %r = dml.resample_grad %0 {input_pixel_offsets = array<f32: 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample_grad (C2)
func.func @f17(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample_grad' op scales[1] is 0.000000e+00, but wants a finite value greater than 0}}
  %r = dml.resample_grad %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, scales = array<f32: 1.0, 0.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample_grad (C3)
func.func @f18(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample_grad' op output_pixel_offsets[1] is INF, but wants a finite value}}
  %r = dml.resample_grad %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: 0.0, 0x7F800000>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample_grad (C4)
func.func @f19(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample_grad' op output_gradient has rank 1, but input_gradient has rank 2}}
  %r = dml.resample_grad %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<6xf32>
  return
}

// -----

// dml.resample_grad1 (C1)
func.func @f20(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample_grad1' op input_pixel_offsets has 1 value, but wants 2, one for each dimension of input_gradient}}
  %r = dml.resample_grad1 %0 {input_pixel_offsets = array<f32: 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample_grad1 (C2)
func.func @f21(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample_grad1' op scales[1] is 0.000000e+00, but wants a finite value greater than 0}}
  %r = dml.resample_grad1 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 0.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample_grad1 (C3)
func.func @f22(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample_grad1' op output_pixel_offsets[1] is INF, but wants a finite value}}
  %r = dml.resample_grad1 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: 0.0, 0x7F800000>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.resample_grad1 (C4)
func.func @f23(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.resample_grad1' op output_gradient has rank 1, but input_gradient has rank 2}}
  %r = dml.resample_grad1 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 2.0>}
      : (tensor<1x3xf32>) -> tensor<6xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
