// Fusion gives no kernel more buffers than the profile binds, where constants count as
// one: they are put side by side.
//
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-attach-device=profile=minimal --dml-fuse-producers | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-attach-device=profile=full,maxStorageBuffers=5 --dml-fuse-producers | FileCheck %s --check-prefixes=CHECK,FIVE
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers | FileCheck %s --check-prefixes=CHECK,FIVE

// CHECK-LABEL:  func @buffers
// FOUR-COUNT-2: linalg.generic {{.*}}dml.label = "dml.element_wise_add"
// FIVE:         linalg.generic {{.*}}dml.label = "dml.element_wise_add"
// CHECK-NOT:    linalg.generic
// CHECK:        return
func.func @buffers(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>,
                   %d: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dml.element_wise_add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = dml.element_wise_add %c, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = dml.element_wise_add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A convolution, its normalization, the addition of a residual and the activation: two
// inputs, one output, and constants.

// CHECK-LABEL: func @residual
// CHECK:       linalg.generic {{.*}}dml.label = "dml.convolution+dml.batch_normalization+dml.element_wise_add+dml.activation_relu"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @residual(%x: tensor<1x2x32x32xf32>, %y: tensor<1x2x32x32xf32>)
    -> tensor<1x2x32x32xf32> {
  %filter = arith.constant dense<[[[[0.5]], [[1.0]]], [[[-2.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>
  %mean = arith.constant dense<[[[[0.5]], [[1.0]]]]> : tensor<1x2x1x1xf32>
  %variance = arith.constant dense<[[[[0.5]], [[0.25]]]]> : tensor<1x2x1x1xf32>
  %scale = arith.constant dense<[[[[1.5]], [[-1.0]]]]> : tensor<1x2x1x1xf32>
  %bias = arith.constant dense<[[[[0.25]], [[4.0]]]]> : tensor<1x2x1x1xf32>
  %0 = dml.convolution %x, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x2x32x32xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x32x32xf32>
  %1 = dml.batch_normalization %0, %mean, %variance, %scale, %bias {
      spatial = true, epsilon = 1.0e-5 : f32}
      : (tensor<1x2x32x32xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
         tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x32x32xf32>
  %2 = dml.element_wise_add %1, %y
      : (tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  %3 = dml.activation_relu %2 : (tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
  return %3 : tensor<1x2x32x32xf32>
}

// SPDX-License-Identifier: Apache-2.0
