// What resamplings accept, in text and in bytecode. A comment names the constraint whose
// limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.resample1 (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f0(
// CHECK: dml.resample1
func.func @f0(%0: tensor<1x3xi8>) {
  %r = dml.resample1 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, scales = array<f32: 1.0, 1.0e-45>}
      : (tensor<1x3xi8>) -> tensor<1x6xi8>
  return
}

// dml.resample2 (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f1(
// CHECK: dml.resample2
func.func @f1(%0: tensor<1x3xi8>) {
  %r = dml.resample2 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 1.0e-45>}
      : (tensor<1x3xi8>) -> tensor<1x6xi8>
  return
}

// dml.upsample_2d (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f2(
// CHECK: dml.upsample_2d
func.func @f2(%0: tensor<1x1x1x1x2xf32>) {
  %r = dml.upsample_2d %0 {mode = #dml.interpolation_mode<nearest_neighbor>, scale_size = array<i64: 1, 2>}
      : (tensor<1x1x1x1x2xf32>) -> tensor<1x1x1x1x4xf32>
  return
}

// dml.resample3 (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f3(
// CHECK: dml.resample3
func.func @f3(%0: tensor<1x3xi8>) {
  %r = dml.resample3 %0 {antialiased = true, input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 1.0e-45>}
      : (tensor<1x3xi8>) -> tensor<1x6xi8>
  return
}

// dml.resample_grad (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f4(
// CHECK: dml.resample_grad
func.func @f4(%0: tensor<1x3xf16>) {
  %r = dml.resample_grad %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, scales = array<f32: 1.0, 1.0e-45>}
      : (tensor<1x3xf16>) -> tensor<1x6xf16>
  return
}

// dml.resample_grad1 (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f5(
// CHECK: dml.resample_grad1
func.func @f5(%0: tensor<1x3xf16>) {
  %r = dml.resample_grad1 %0 {input_pixel_offsets = array<f32: 0.5, 0.5>, mode = #dml.interpolation_mode<linear>, output_pixel_offsets = array<f32: -0.5, -0.5>, rounding_direction = #dml.axis_direction<increasing>, scales = array<f32: 1.0, 1.0e-45>}
      : (tensor<1x3xf16>) -> tensor<1x6xf16>
  return
}

// SPDX-License-Identifier: Apache-2.0
