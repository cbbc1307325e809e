// Windows of one element, and padded windows of several, become contraction kernels,
// which wait at barriers for what they share, and so do transposed convolutions whose
// windows tile the output. Threads load neighbouring weights
// together where a window has several.
//
// RUN: split-file %s %t
// RUN: dml-compile %t/one.mlir --emit=gpu | FileCheck %s --check-prefix=CONTRACTION
// RUN: dml-compile %t/padded.mlir --emit=gpu | FileCheck %s --check-prefix=CONTRACTION
// RUN: dml-opt %t/padded.mlir --dml-to-gpu --mlir-print-ir-after=dml-select-kernels 2>&1 | FileCheck %s --check-prefix=PADDED
// PADDED: dml.kernel = {ahead, contraction_tile = array<i64: 64, 128, 18>, together = 3 : i64, written_out = 18 : i64}
// RUN: dml-compile %t/padded.mlir --contraction-tile=none --emit=gpu | FileCheck %s --check-prefix=MAP
// RUN: dml-compile %t/padded.mlir --contraction-tile=64x64 --emit=gpu | FileCheck %s --check-prefix=CONTRACTION

// RUN: dml-opt %t/tiled.mlir --dml-to-gpu=device-profile=full,+cooperativeMatrix --mlir-print-ir-after=dml-select-kernels 2>&1 | FileCheck %s --check-prefix=TILED
// TILED: dml.kernel = {matrix_tile = {

// CONTRACTION: gpu.barrier
// MAP-NOT: gpu.barrier

//--- one.mlir
func.func @main(%input: tensor<32x256x56x56xf32>, %filter: tensor<64x256x1x1xf32>)
    -> tensor<32x64x56x56xf32> {
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<32x256x56x56xf32>, tensor<64x256x1x1xf32>) -> tensor<32x64x56x56xf32>
  return %0 : tensor<32x64x56x56xf32>
}
//--- tiled.mlir
func.func @main(%x: tensor<1x256x32x32xf16>, %w: tensor<256x128x2x2xf16>)
    -> tensor<1x128x64x64xf16> {
  %0 = dml.convolution %x, %w {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<backward>,
      strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x256x32x32xf16>, tensor<256x128x2x2xf16>) -> tensor<1x128x64x64xf16>
  return %0 : tensor<1x128x64x64xf16>
}
//--- padded.mlir
func.func @main(%input: tensor<32x64x56x56xf32>, %filter: tensor<64x64x3x3xf32>)
    -> tensor<32x64x56x56xf32> {
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>,
      output_padding = array<i64: 0, 0>}
      : (tensor<32x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<32x64x56x56xf32>
  return %0 : tensor<32x64x56x56xf32>
}

// SPDX-License-Identifier: Apache-2.0
