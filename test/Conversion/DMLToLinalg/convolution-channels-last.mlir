// What becomes of convolutions whose channels are to be last.
//
// RUN: dml-opt %s --split-input-file --dml-to-linalg | FileCheck %s

// The input has its channels last, and the filter has, for each of 16 channels of the
// output, two blocks of 32 channels with all 9 taps, whose order the mode reverses. An
// iteration adds 8 channels of a tap: 4 iterations are a block of one tap, and 72 all terms.

// CHECK-LABEL: func @last
// CHECK:       %[[MOVED:.*]] = linalg.generic {{.*}} outs({{.*}}tensor<2x7x6x64xf16>) attrs = {dml.label = "dml.convolution", dml.layout = "channels_last"}
// CHECK-DAG:     %[[N:.*]] = linalg.index 0
// CHECK-DAG:     %[[Y:.*]] = linalg.index 1
// CHECK-DAG:     %[[X:.*]] = linalg.index 2
// CHECK-DAG:     %[[C:.*]] = linalg.index 3
// CHECK:         tensor.extract %{{.*}}[%[[N]], %[[C]], %[[Y]], %[[X]]]
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<16x2x9x32xf16>) attrs = {dml.label = "dml.convolution", dml.layout = "channels_last"}
// CHECK-DAG:     %[[M:.*]] = linalg.index 0
// CHECK-DAG:     %[[COLUMN:.*]] = arith.remui %{{.*}}, %c3
// CHECK-DAG:     %[[ROW:.*]] = arith.divui %{{.*}}, %c3
// CHECK-DAG:     %[[LAST_ROW:.*]] = arith.subi %c2, %[[ROW]]
// CHECK-DAG:     %[[LAST_COLUMN:.*]] = arith.subi %c2, %[[COLUMN]]
// CHECK:         tensor.extract %{{.*}}[%[[M]], %{{.*}}, %[[LAST_ROW]], %[[LAST_COLUMN]]]
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<2x16x7x6xf16>) attrs = {dml.label = "dml.convolution"}
// CHECK:         scf.for %{{.*}} = %c0 to %c72
// CHECK-COUNT-8:   math.fma
// CHECK-NOT:       math.fma
func.func @last(%x: tensor<2x64x7x6xf16>, %filter: tensor<16x64x3x3xf16>) -> tensor<2x16x7x6xf16> {
  %0 = dml.convolution %x, %filter {dml.layout = "channels_last",
      mode = #dml.convolution_mode<convolution>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<2x64x7x6xf16>, tensor<16x64x3x3xf16>) -> tensor<2x16x7x6xf16>
  return %0 : tensor<2x16x7x6xf16>
}

// -----

// The filter has the same order where the input stays as it is. The channels of an iteration
// are then planes of 42 elements apart.

// CHECK-LABEL: func @ordered
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<16x2x9x32xf16>) attrs = {dml.label = "dml.convolution", dml.layout = "channels_last"}
// CHECK-NOT:   dml.layout
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<2x16x7x6xf16>) attrs = {dml.label = "dml.convolution"}
// CHECK:         scf.for %{{.*}} = %c0 to %c72
// CHECK:           arith.muli %{{.*}}, %c42
// CHECK-COUNT-8:   math.fma
// CHECK-NOT:       math.fma
func.func @ordered(%x: tensor<2x64x7x6xf16>, %filter: tensor<16x64x3x3xf16>) -> tensor<2x16x7x6xf16> {
  %0 = dml.convolution %x, %filter {dml.layout = "ordered_filter",
      mode = #dml.convolution_mode<convolution>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<2x64x7x6xf16>, tensor<16x64x3x3xf16>) -> tensor<2x16x7x6xf16>
  return %0 : tensor<2x16x7x6xf16>
}

// -----

// What windows cover includes the padding, as zeros, and so no tap has a condition.

// CHECK-LABEL: func @covered
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<2x9x9x64xf16>) attrs = {dml.label = "dml.convolution", dml.layout = "channels_last_covered"}
// CHECK:         %[[ELEMENT:.*]] = tensor.extract
// CHECK:         %[[CHOSEN:.*]] = arith.select %{{.*}}, %[[ELEMENT]], %cst
// CHECK:         linalg.yield %[[CHOSEN]]
// CHECK:       scf.for
// CHECK-NOT:     arith.select
// CHECK:         scf.yield
func.func @covered(%x: tensor<2x64x7x6xf16>, %filter: tensor<16x64x3x3xf16>) -> tensor<2x16x7x7xf16> {
  %0 = dml.convolution %x, %filter {dml.layout = "channels_last_covered",
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 2>, output_padding = array<i64: 0, 0>}
      : (tensor<2x64x7x6xf16>, tensor<16x64x3x3xf16>) -> tensor<2x16x7x7xf16>
  return %0 : tensor<2x16x7x7xf16>
}

// -----

// Windows of one position with strides of 2 cover every other position of each row, and
// their filter has that order already.

// CHECK-LABEL: func @gathered
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<2x4x3x64xf16>) attrs = {dml.label = "dml.convolution", dml.layout = "channels_last_covered"}
// CHECK-DAG:     %[[Y:.*]] = linalg.index 1
// CHECK-DAG:     %[[X:.*]] = linalg.index 2
// CHECK-DAG:     %[[ROW:.*]] = arith.muli %[[Y]], %c2
// CHECK-DAG:     %[[COLUMN:.*]] = arith.muli %[[X]], %c2
// CHECK:         tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %[[ROW]], %[[COLUMN]]]
// CHECK-NOT:   dml.layout
func.func @gathered(%x: tensor<2x64x7x6xf16>, %filter: tensor<16x64x1x1xf16>) -> tensor<2x16x4x3xf16> {
  %0 = dml.convolution %x, %filter {dml.layout = "channels_last_covered",
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<2x64x7x6xf16>, tensor<16x64x1x1xf16>) -> tensor<2x16x4x3xf16>
  return %0 : tensor<2x16x4x3xf16>
}

// -----

// The padding of bytes is their zero point, which is subtracted later.

// CHECK-LABEL: func @bytes
// CHECK-SAME:    %[[ZERO:[a-z0-9]*]]: tensor<1x1x1x1xi8>
// CHECK:       linalg.generic {{.*}} outs({{.*}}tensor<1x5x5x16xi8>) attrs = {dml.label = "dml.convolution_integer", dml.layout = "channels_last_covered"}
// CHECK:         %[[OTHERWISE:.*]] = tensor.extract %[[ZERO]]
// CHECK:         arith.select %{{.*}}, %{{.*}}, %[[OTHERWISE]]
func.func @bytes(%x: tensor<1x16x3x3xui8>, %zero: tensor<1x1x1x1xui8>, %filter: tensor<16x16x3x3xi8>) -> tensor<1x16x3x3xi32> {
  %0 = dml.convolution_integer %x input_zero_point(%zero), %filter {dml.layout = "channels_last_covered",
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>}
      : (tensor<1x16x3x3xui8>, tensor<1x1x1x1xui8>, tensor<16x16x3x3xi8>) -> tensor<1x16x3x3xi32>
  return %0 : tensor<1x16x3x3xi32>
}

// -----

// CHECK-LABEL: func @weight
// The order of equal elements is none.
// CHECK-COUNT-1: dml.layout
// CHECK-NOT:   dml.layout
func.func @weight(%x: tensor<1x32x3x3xf16>) -> tensor<1x8x3x3xf16> {
  %filter = arith.constant dense<0.5> : tensor<8x32x3x3xf16>
  %0 = dml.convolution %x, %filter {dml.layout = "channels_last",
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x32x3x3xf16>, tensor<8x32x3x3xf16>) -> tensor<1x8x3x3xf16>
  return %0 : tensor<1x8x3x3xf16>
}

// SPDX-License-Identifier: Apache-2.0
