// Outputs with too few elements to occupy a device with the longest vectors and the
// largest tiles, and sums that wait for each other in one workgroup.
//
// SPDX-License-Identifier: Apache-2.0
//
// RUN: split-file %s %t
// RUN: dml-compile %t/depthwise.mlir --emit=gpu | FileCheck %s --check-prefix=DEPTHWISE
// RUN: dml-compile %t/depthwise.mlir --emit=gpu --device-profile=full,multiprocessors=4 | \
// RUN:     FileCheck %s --check-prefix=FOUR
// RUN: dml-opt %t/transpose.mlir --dml-select-map-tiles | \
// RUN:     FileCheck %s --check-prefix=TRANSPOSE
// RUN: dml-opt %t/transpose.mlir --dml-attach-device=profile=full,multiprocessors=4 \
// RUN:     --dml-select-map-tiles | FileCheck %s --check-prefix=LARGE
// RUN: dml-compile %t/average.mlir --emit=gpu | FileCheck %s --check-prefix=AVERAGE

// 56,448 elements: one for each thread of 441 workgroups, or 8 for each of 56.
//
// DEPTHWISE: gpu.launch_func {{.*}} blocks in (%c441,
// FOUR:      gpu.launch_func {{.*}} blocks in (%c56,
//--- depthwise.mlir
func.func @main(%input: tensor<1x1152x7x7xf16>, %filter: tensor<1152x1x5x5xf16>)
    -> tensor<1x1152x7x7xf16> {
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>, group_count = 1152,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 2, 2>, end_padding = array<i64: 2, 2>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x1152x7x7xf16>, tensor<1152x1x5x5xf16>) -> tensor<1x1152x7x7xf16>
  return %0 : tensor<1x1152x7x7xf16>
}

// 40 tiles of 64x64, or 140 of 32x32.
//
// TRANSPOSE: crosswise = array<i64: 0, 32, 32>
// LARGE:     crosswise = array<i64: 0, 64, 64>
//--- transpose.mlir
func.func @transpose(%input: memref<640x196xf16>, %output: memref<196x640xf16>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<196x640xf16>) {
  ^bb0(%out: f16):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %element = memref.load %input[%column, %row] : memref<640x196xf16>
    linalg.yield %element : f16
  }
  return
}

// Averages of 16 channels are 16 workgroups, and not 16 sums of one workgroup.
//
// AVERAGE: gpu.launch_func {{.*}}average_pooling{{.*}} blocks in (%c16,
// AVERAGE: gpu.launch_func {{.*}}convolution
//--- average.mlir
func.func @main(%input: tensor<1x16x56x56xf16>, %filter: tensor<4x16x1x1xf16>)
    -> tensor<1x4x1x1xf16> {
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 56, 56>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x16x56x56xf16>) -> tensor<1x16x1x1xf16>
  %1 = dml.convolution %0, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x16x1x1xf16>, tensor<4x16x1x1xf16>) -> tensor<1x4x1x1xf16>
  return %1 : tensor<1x4x1x1xf16>
}
