// RUN: dml-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @identity
// CHECK-NEXT: return %arg0
func.func @identity(%input: tensor<2x1x3xf32>) -> tensor<2x1x3xf32> {
  %0 = dml.view %input {strides = array<i64: 3, 99, 1>}
      : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  return %0 : tensor<2x1x3xf32>
}

// The same sizes, other elements.
// CHECK-LABEL: func @no_identity
// CHECK-COUNT-2: dml.view
func.func @no_identity(%input: tensor<2x2xf32>, %part: tensor<4xf32>)
    -> (tensor<2x2xf32>, tensor<2xf32>) {
  %0 = dml.view %input {strides = array<i64: 1, 2>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = dml.view %part {strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2xf32>
}

// A transposition there and back.
// CHECK-LABEL: func @twice
// CHECK-NEXT: return %arg0
func.func @twice(%input: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dml.view %input {strides = array<i64: 1, 3>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = dml.view %0 {strides = array<i64: 1, 2>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// A part of a broadcast of a part: elements (1 + j) of row 2.
// CHECK-LABEL: func @parts
// CHECK-NEXT: dml.view %arg0 {offset = 9 : i64, strides = array<i64: 0, 1>} : (tensor<4x4xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return
func.func @parts(%input: tensor<4x4xf32>) -> tensor<2x2xf32> {
  %0 = dml.view %input {strides = array<i64: 0, 1>, offset = 8 : i64}
      : (tensor<4x4xf32>) -> tensor<5x4xf32>
  %1 = dml.view %0 {strides = array<i64: 8, 1>, offset = 5 : i64}
      : (tensor<5x4xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// Inner dimensions that step alike are one, and so need not be kept apart.
// CHECK-LABEL: func @merged
// CHECK-NEXT: dml.view %arg0 {strides = array<i64: 6, 1>} : (tensor<24xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: return
func.func @merged(%input: tensor<24xf32>) -> tensor<4x6xf32> {
  %0 = dml.view %input {strides = array<i64: 12, 4, 1>} : (tensor<24xf32>) -> tensor<2x3x4xf32>
  %1 = dml.view %0 {strides = array<i64: 6, 1>} : (tensor<2x3x4xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Coordinates that carry have no strides.
// CHECK-LABEL: func @carrying
// CHECK-COUNT-2: dml.view
func.func @carrying(%input: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = dml.view %input {strides = array<i64: 1, 3>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = dml.view %0 {strides = array<i64: 1>} : (tensor<3x2xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// CHECK-LABEL: func @reshaped
// CHECK-NEXT: dml.view %arg0 {strides = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK-NEXT: return
func.func @reshaped(%input: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = tensor.collapse_shape %input [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %1 = dml.view %0 {strides = array<i64: 2>} : (tensor<6xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// CHECK-LABEL: func @splat
// CHECK-NEXT: arith.constant dense<7.000000e+00> : tensor<4x5xf32>
// CHECK-NEXT: return
func.func @splat() -> tensor<4x5xf32> {
  %0 = arith.constant dense<7.0> : tensor<3xf32>
  %1 = dml.view %0 {strides = array<i64: 0, 0>} : (tensor<3xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// One element for all.
// CHECK-LABEL: func @single
// CHECK-NEXT: dml.view %arg0 {offset = 4 : i64, strides = array<i64: 0, 0>} : (tensor<6xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: return
func.func @single(%input: tensor<6xf32>) -> tensor<3x5xf32> {
  %0 = dml.view %input {strides = array<i64: 1>, offset = 4 : i64} : (tensor<6xf32>) -> tensor<1xf32>
  %1 = dml.view %0 {strides = array<i64: 0, 0>} : (tensor<1xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// SPDX-License-Identifier: Apache-2.0
