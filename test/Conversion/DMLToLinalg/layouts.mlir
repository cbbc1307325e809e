// RUN: dml-opt %s --dml-to-linalg --split-input-file | FileCheck %s
// RUN: dml-opt %s --dml-to-linalg --dml-apply-layouts --split-input-file | FileCheck %s
// RUN: dml-opt %s --dml-to-gpu --split-input-file | FileCheck %s --check-prefix=GPU

// Elements are read and written where the caller's strides say: by one kernel.

// CHECK-LABEL: func @padded
// CHECK-SAME:    %[[INPUT:[^:]*]]: tensor<7xf32> {dml.strides = array<i64: 4, 1>, dml.type = tensor<2x3xf32>}
// CHECK-SAME:    -> (tensor<8xf32> {dml.strides = array<i64: 5, 1>, dml.type = tensor<2x3xf32>})
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[INPUT]][%{{.*}}] : tensor<7xf32>
// CHECK:         linalg.generic
// CHECK:           arith.divui
// CHECK:           arith.remui
// CHECK:           arith.cmpi ult
// CHECK:           arith.select

// GPU-LABEL:     func @padded
// GPU-COUNT-1:     gpu.launch_func
// GPU-NOT:         gpu.launch_func
// GPU-NOT:         memref.copy
// GPU:             return
func.func @padded(%input: tensor<2x3xf32> {dml.strides = array<i64: 4, 1>})
    -> (tensor<2x3xf32> {dml.strides = array<i64: 5, 1>}) {
  %0 = dml.element_wise_exp %input : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Strides of packed tensors change nothing.

// CHECK-LABEL: func @packed(
// CHECK-SAME:    tensor<2x1x3xf32>
// CHECK-SAME:    -> (tensor<2x1x3xf32>
func.func @packed(%input: tensor<2x1x3xf32> {dml.strides = array<i64: 3, 0, 1>})
    -> (tensor<2x1x3xf32> {dml.strides = array<i64: 3, 77, 1>}) {
  %0 = dml.element_wise_exp %input : (tensor<2x1x3xf32>) -> tensor<2x1x3xf32>
  return %0 : tensor<2x1x3xf32>
}

// -----

// An argument that is returned, or reshaped, is read all the same.

// CHECK-LABEL: func @moved
// CHECK-SAME:    tensor<7xi8> {dml.strides = array<i64: 4, 1>, dml.type = tensor<2x3xui8>}
// CHECK:         linalg.generic {{.*}}dml.label = "dml.view"
// GPU-LABEL:     func @moved
// GPU:             gpu.launch_func
func.func @moved(%input: tensor<2x3xui8> {dml.strides = array<i64: 4, 1>})
    -> (tensor<6xui8>, tensor<2x3xui8> {dml.strides = array<i64: 1, 2>}) {
  %0 = tensor.collapse_shape %input [[0, 1]] : tensor<2x3xui8> into tensor<6xui8>
  return %0, %input : tensor<6xui8>, tensor<2x3xui8>
}

// -----

// A transposed matrix without gaps has no zeros to write.

// CHECK-LABEL: func @transposed
// CHECK-NOT:     arith.select
// CHECK:         return
func.func @transposed(%input: tensor<2x3xf32>)
    -> (tensor<2x3xf32> {dml.strides = array<i64: 1, 2>}) {
  %0 = dml.element_wise_sqrt %input : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// SPDX-License-Identifier: Apache-2.0
