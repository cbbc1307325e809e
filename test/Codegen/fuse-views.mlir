// A view before an element-wise operator costs no kernel.
//
// RUN: dml-opt %s --dml-to-gpu --split-input-file | FileCheck %s

// CHECK-LABEL:  func @broadcast
// CHECK-COUNT-1:  gpu.launch_func
// CHECK-NOT:      gpu.launch_func
// CHECK:          return
func.func @broadcast(%row: tensor<1x64xf32>, %matrix: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = dml.view %row {strides = array<i64: 0, 1>} : (tensor<1x64xf32>) -> tensor<32x64xf32>
  %1 = dml.element_wise_add %0, %matrix
      : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// -----

// CHECK-LABEL:  func @transpose
// CHECK-COUNT-1:  gpu.launch_func
// CHECK-NOT:      gpu.launch_func
// CHECK:          return
func.func @transpose(%input: tensor<64x32xf32>) -> tensor<32x64xf32> {
  %0 = dml.view %input {strides = array<i64: 1, 32>} : (tensor<64x32xf32>) -> tensor<32x64xf32>
  %1 = dml.element_wise_exp %0 : (tensor<32x64xf32>) -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// -----

// CHECK-LABEL:  func @reshape
// CHECK-COUNT-1:  gpu.launch_func
// CHECK-NOT:      gpu.launch_func
// CHECK:          return
func.func @reshape(%input: tensor<64x32xf32>) -> tensor<16x128xf32> {
  %0 = dml.element_wise_exp %input : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = dml.view %0 {strides = array<i64: 128, 1>} : (tensor<64x32xf32>) -> tensor<16x128xf32>
  %2 = dml.element_wise_sqrt %1 : (tensor<16x128xf32>) -> tensor<16x128xf32>
  return %2 : tensor<16x128xf32>
}

// -----

// CHECK-LABEL:  func @slice
// CHECK-COUNT-1:  gpu.launch_func
// CHECK-NOT:      gpu.launch_func
// CHECK:          return
func.func @slice(%input: tensor<64x32xf32>) -> tensor<16x8xf32> {
  %0 = dml.element_wise_exp %input : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = dml.view %0 {strides = array<i64: 64, 2>, offset = 33 : i64}
      : (tensor<64x32xf32>) -> tensor<16x8xf32>
  %2 = dml.element_wise_sqrt %1 : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// -----

// Rows of a convolution's window, say: elements are read several times.

// CHECK-LABEL:  func @windows
// CHECK-COUNT-1:  gpu.launch_func
// CHECK-NOT:      gpu.launch_func
// CHECK:          return
func.func @windows(%input: tensor<2x64xf32>) -> tensor<126x3xf32> {
  %0 = dml.view %input {strides = array<i64: 1, 1>} : (tensor<2x64xf32>) -> tensor<126x3xf32>
  %1 = dml.element_wise_exp %0 : (tensor<126x3xf32>) -> tensor<126x3xf32>
  return %1 : tensor<126x3xf32>
}

// SPDX-License-Identifier: Apache-2.0
