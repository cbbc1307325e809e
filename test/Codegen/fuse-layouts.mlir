// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers | FileCheck %s

// A convolution stores its output in the order in which the next one wants it: what puts
// its elements there is computed with it, and not where it is read.

// CHECK-LABEL: func @chain
// CHECK:       %[[FIRST:.*]] = linalg.generic {{.*}} outs({{.*}}tensor<1x8x8x32xf16>) attrs = {dml.label = "dml.convolution+dml.activation_relu", dml.layout = "channels_last"}
// CHECK:         math.fma
// CHECK:         linalg.yield
// CHECK:       %[[ROW:.*]] = tensor.collapse_shape %[[FIRST]]
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<1x16x8x8xf16>) attrs = {dml.label = "dml.convolution"}
// CHECK:         tensor.extract %[[ROW]]
// CHECK-NOT:   linalg.generic
func.func @chain(%x: tensor<1x16x8x8xf16>, %first: tensor<32x16x1x1xf16>, %second: tensor<16x32x1x1xf16>)
    -> tensor<1x16x8x8xf16> {
  %0 = dml.convolution %x, %first {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x16x8x8xf16>, tensor<32x16x1x1xf16>) -> tensor<1x32x8x8xf16>
  %1 = dml.activation_relu %0 : (tensor<1x32x8x8xf16>) -> tensor<1x32x8x8xf16>
  %2 = dml.convolution %1, %second {dml.layout = "channels_last",
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x32x8x8xf16>, tensor<16x32x1x1xf16>) -> tensor<1x16x8x8xf16>
  return %2 : tensor<1x16x8x8xf16>
}

// -----

// What is added to the result of a block reads the copy, too, and nothing else is written.

// CHECK-LABEL: func @residual
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}} outs({{.*}}tensor<1x8x8x16xf16>) attrs = {dml.label = "dml.element_wise_add+dml.convolution", dml.layout = "channels_last"}
// CHECK:         arith.addf
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<1x16x8x8xf16>) attrs = {dml.label = "dml.convolution+dml.element_wise_add"}
// CHECK-DAG:     %[[C:.*]] = linalg.index 1
// CHECK-DAG:     %[[Y:.*]] = linalg.index 2
// CHECK-DAG:     %[[X:.*]] = linalg.index 3
// CHECK:         tensor.extract %[[SUM]][%c0, %[[Y]], %[[X]], %[[C]]]
// CHECK-NOT:   linalg.generic
func.func @residual(%x: tensor<1x16x8x8xf16>, %y: tensor<1x16x8x8xf16>, %filter: tensor<16x16x1x1xf16>)
    -> tensor<1x16x8x8xf16> {
  %0 = dml.element_wise_add %x, %y : (tensor<1x16x8x8xf16>, tensor<1x16x8x8xf16>) -> tensor<1x16x8x8xf16>
  %1 = dml.convolution %0, %filter {dml.layout = "channels_last",
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x16x8x8xf16>, tensor<16x16x1x1xf16>) -> tensor<1x16x8x8xf16>
  %2 = dml.element_wise_add %0, %1 : (tensor<1x16x8x8xf16>, tensor<1x16x8x8xf16>) -> tensor<1x16x8x8xf16>
  return %2 : tensor<1x16x8x8xf16>
}

// -----

// A result of the function stays as it is, beside the copy.

// CHECK-LABEL: func @result
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}} outs({{.*}}tensor<1x16x8x8xf16>) attrs = {dml.label = "dml.element_wise_add"}
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<1x8x8x16xf16>) attrs = {dml.label = "dml.convolution", dml.layout = "channels_last"}
// CHECK:         tensor.extract %[[SUM]]
// CHECK:       return %[[SUM]]
func.func @result(%x: tensor<1x16x8x8xf16>, %y: tensor<1x16x8x8xf16>, %filter: tensor<16x16x1x1xf16>)
    -> (tensor<1x16x8x8xf16>, tensor<1x16x8x8xf16>) {
  %0 = dml.element_wise_add %x, %y : (tensor<1x16x8x8xf16>, tensor<1x16x8x8xf16>) -> tensor<1x16x8x8xf16>
  %1 = dml.convolution %0, %filter {dml.layout = "channels_last",
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x16x8x8xf16>, tensor<16x16x1x1xf16>) -> tensor<1x16x8x8xf16>
  return %0, %1 : tensor<1x16x8x8xf16>, tensor<1x16x8x8xf16>
}

// SPDX-License-Identifier: Apache-2.0
