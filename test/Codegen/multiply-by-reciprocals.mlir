// Divisions by constants: powers of two, and quotients that are rounded to f16.
//
// SPDX-License-Identifier: Apache-2.0
//
// RUN: dml-opt %s --dml-multiply-by-reciprocals | FileCheck %s
// RUN: dml-opt %s --dml-to-linalg | FileCheck %s --check-prefix=LOWERED
// RUN: dml-opt %s --dml-to-linalg --dml-fuse-producers | FileCheck %s --check-prefix=FUSED

// CHECK-LABEL: @power
// CHECK:         %[[EIGHTH:.*]] = arith.constant 1.250000e-01 : f32
// CHECK:         arith.mulf %{{.*}}, %[[EIGHTH]] : f32
func.func @power(%a: f32) -> f32 {
  %c = arith.constant 8.0 : f32
  %0 = arith.divf %a, %c : f32
  return %0 : f32
}

// The product would be another number than the quotient.
// CHECK-LABEL: @inexact
// CHECK:         arith.divf
func.func @inexact(%a: f32) -> f32 {
  %c = arith.constant 3.0 : f32
  %0 = arith.divf %a, %c : f32
  return %0 : f32
}

// CHECK-LABEL: @rounded
// CHECK:         %[[THIRD:.*]] = arith.constant 0.333333343 : f32
// CHECK:         %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %[[THIRD]] : f32
// CHECK:         arith.truncf %[[PRODUCT]] : f32 to f16
func.func @rounded(%a: f32) -> f16 {
  %c = arith.constant 3.0 : f32
  %0 = arith.divf %a, %c : f32
  %1 = arith.truncf %0 : f32 to f16
  return %1 : f16
}

// One user takes the quotient as f32.
// CHECK-LABEL: @both
// CHECK:         arith.divf
func.func @both(%a: f32) -> (f32, f16) {
  %c = arith.constant 3.0 : f32
  %0 = arith.divf %a, %c : f32
  %1 = arith.truncf %0 : f32 to f16
  return %0, %1 : f32, f16
}

// The reciprocals of 2^127 and of 0 are no normal numbers, and that of a denormal is an
// infinity.
// CHECK-LABEL: @limits
// CHECK-COUNT-4: arith.divf
func.func @limits(%a: f32) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0x7F000000 : f32
  %0 = arith.divf %a, %c0 : f32
  %c1 = arith.constant 0.0 : f32
  %1 = arith.divf %a, %c1 : f32
  %c2 = arith.constant 0x00000001 : f32
  %2 = arith.divf %a, %c2 : f32
  %c3 = arith.constant 0x7F800000 : f32
  %3 = arith.divf %a, %c3 : f32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// The divisor of the first tensor is rounded to f16: 6.32421875.
// LOWERED-LABEL: @tensor
// LOWERED:         %[[RECIPROCAL:.*]] = arith.constant 0.158122301 : f32
// LOWERED:         arith.mulf %{{.*}}, %[[RECIPROCAL]] : f32
// LOWERED:         arith.divf
func.func @tensor(%a: tensor<4xf16>, %b: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
  %c = arith.constant dense<6.324> : tensor<4xf16>
  %0 = dml.element_wise_divide %a, %c : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %d = arith.constant dense<6.324> : tensor<4xf32>
  %1 = dml.element_wise_divide %b, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf16>, tensor<4xf32>
}

// Where a product is rounded to f16 and widened again, it is computed in f16 if both factors
// are f16. The reciprocal 2^-14 is a normal number there, and 2^-15 is a denormal, which a
// device may flush to 0.
// FUSED-LABEL: @halves
// FUSED:         %[[SMALL:.*]] = arith.constant 6.103520e-05 : f16
// FUSED:         arith.mulf %{{.*}}, %[[SMALL]] : f16
// FUSED:         %[[TINY:.*]] = arith.constant 3.05175781E-5 : f32
// FUSED:         arith.mulf %{{.*}}, %[[TINY]] : f32
func.func @halves(%a: tensor<4xf16>, %w: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %c = arith.constant dense<16384.0> : tensor<4xf16>
  %0 = dml.element_wise_divide %a, %c : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %1 = dml.element_wise_add %0, %w : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %d = arith.constant dense<32768.0> : tensor<4xf16>
  %2 = dml.element_wise_divide %a, %d : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %3 = dml.element_wise_subtract %2, %w : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %1, %3 : tensor<4xf16>, tensor<4xf16>
}
