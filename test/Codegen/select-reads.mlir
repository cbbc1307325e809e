// A row times columns of 4-bit numbers is little more than a read of these columns, between
// steps that wait for each other. 132 multiprocessors get 512 workgroups of 8 columns for
// 4096 sums. For 128256 sums, there are enough workgroups of 16 columns, whose threads
// multiply each factor of the row by 4 others. Rows of f32 and of f16 get the same tiles,
// since the row is widened once, when a workgroup stages it: 14336 terms of f32 get
// workgroups of 8 columns, and not 2048 workgroups of 2, each of which would load the row.
//
// RUN: dml-opt %s --mlir-disable-threading --dml-to-gpu=device-profile=full,subgroupSize=32,multiprocessors=132 --mlir-print-ir-after=dml-select-kernels -o %t 2>&1 | FileCheck %s
//
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: func @few(
// CHECK:       dml.kernel = {slice_tile = array<i64: 1, 2, 32, 32, 1, 4>}
func.func @few(%x: tensor<1x1x1x4096xf16>, %w: tensor<1x1x4096x4096xui4>,
    %s: tensor<1x1x4096x128xf16>, %z: tensor<1x1x4096x128xui4>) -> tensor<1x1x1x4096xf16> {
  %0 = dml.dequantize %w, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<1x1x4096x4096xui4>, tensor<1x1x4096x128xf16>, tensor<1x1x4096x128xui4>) -> tensor<1x1x4096x4096xf16>
  %1 = dml.gemm %x, %0 {beta = 0.0 : f32, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<transpose>}
      : (tensor<1x1x1x4096xf16>, tensor<1x1x4096x4096xf16>) -> tensor<1x1x1x4096xf16>
  return %1 : tensor<1x1x1x4096xf16>
}

// CHECK-LABEL: func @many(
// CHECK:       dml.kernel = {slice_tile = array<i64: 1, 4, 32, 32, 1, 4>}
func.func @many(%x: tensor<1x1x1x4096xf16>, %w: tensor<1x1x128256x4096xui4>,
    %s: tensor<1x1x128256x128xf16>, %z: tensor<1x1x128256x128xui4>) -> tensor<1x1x1x128256xf16> {
  %0 = dml.dequantize %w, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<1x1x128256x4096xui4>, tensor<1x1x128256x128xf16>, tensor<1x1x128256x128xui4>) -> tensor<1x1x128256x4096xf16>
  %1 = dml.gemm %x, %0 {beta = 0.0 : f32, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<transpose>}
      : (tensor<1x1x1x4096xf16>, tensor<1x1x128256x4096xf16>) -> tensor<1x1x1x128256xf16>
  return %1 : tensor<1x1x1x128256xf16>
}

// CHECK-LABEL: func @wide(
// CHECK:       dml.kernel = {slice_tile = array<i64: 1, 4, 64, 32, 1, 4>}
func.func @wide(%x: tensor<1x1x1x14336xf32>, %w: tensor<1x1x4096x14336xui4>,
    %s: tensor<1x1x4096x448xf32>, %z: tensor<1x1x4096x448xui4>) -> tensor<1x1x1x4096xf32> {
  %0 = dml.dequantize %w, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<1x1x4096x14336xui4>, tensor<1x1x4096x448xf32>, tensor<1x1x4096x448xui4>) -> tensor<1x1x4096x14336xf32>
  %1 = dml.gemm %x, %0 {beta = 0.0 : f32, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<transpose>}
      : (tensor<1x1x1x14336xf32>, tensor<1x1x4096x14336xf32>) -> tensor<1x1x1x4096xf32>
  return %1 : tensor<1x1x1x4096xf32>
}
