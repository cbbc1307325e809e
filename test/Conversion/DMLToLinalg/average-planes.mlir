// The average of whole planes is a sum over rows, whose loop threads share; that of windows
// which do not cover a plane, or something besides it, is none.
//
// RUN: dml-opt %s --split-input-file --dml-to-linalg | FileCheck %s

// CHECK-LABEL: func @planes
// CHECK:       scf.for
// CHECK:       {dml.any_order}
// CHECK:       arith.mulf %{{.*}}, %cst
func.func @planes(%input: tensor<1x240x14x14xf16>) -> tensor<1x240x1x1xf16> {
  %0 = dml.average_pooling %input {strides = array<i64: 1, 1>, window_size = array<i64: 14, 14>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false} : (tensor<1x240x14x14xf16>) -> tensor<1x240x1x1xf16>
  return %0 : tensor<1x240x1x1xf16>
}

// -----

// CHECK-LABEL: func @windows
// CHECK-NOT:   dml.any_order
func.func @windows(%input: tensor<1x240x14x14xf16>) -> tensor<1x240x2x1xf16> {
  %0 = dml.average_pooling %input {strides = array<i64: 1, 1>, window_size = array<i64: 13, 14>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false} : (tensor<1x240x14x14xf16>) -> tensor<1x240x2x1xf16>
  return %0 : tensor<1x240x2x1xf16>
}

// -----

// CHECK-LABEL: func @padded
// CHECK-NOT:   dml.any_order
func.func @padded(%input: tensor<1x240x13x14xf16>) -> tensor<1x240x1x1xf16> {
  %0 = dml.average_pooling %input {strides = array<i64: 1, 1>, window_size = array<i64: 14, 14>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true} : (tensor<1x240x13x14xf16>) -> tensor<1x240x1x1xf16>
  return %0 : tensor<1x240x1x1xf16>
}

// SPDX-License-Identifier: Apache-2.0
