// Quantized weights are unpacked where they are multiplied if a matrix kernel has all rows in
// its tile: each weight is then unpacked once, and its factor never goes through memory. A
// device without matrices, or more rows than a tile has, unpacks in a kernel of its own,
// since each tile of rows would unpack all weights again.
//
// RUN: dml-opt %s --dml-attach-device=profile=full,+cooperativeMatrix --dml-to-linalg --dml-fuse-producers | FileCheck %s --check-prefixes=CHECK,MATRICES
// RUN: dml-opt %s --dml-to-linalg --dml-fuse-producers | FileCheck %s --check-prefixes=CHECK,NONE
//
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL:   func @all_rows(
// MATRICES:      linalg.generic {{.*}}dml.label = "dml.dequantize+dml.gemm"
// NONE:          linalg.generic {{.*}}dml.label = "dml.dequantize"}
// NONE:          linalg.generic {{.*}}dml.label = "dml.gemm"
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @all_rows(%x: tensor<1x1x128x256xf16>, %w: tensor<1x1x96x256xui4>,
    %s: tensor<1x1x96x8xf16>, %z: tensor<1x1x96x8xui4>) -> tensor<1x1x128x96xf16> {
  %0 = dml.dequantize %w, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<1x1x96x256xui4>, tensor<1x1x96x8xf16>, tensor<1x1x96x8xui4>) -> tensor<1x1x96x256xf16>
  %1 = dml.gemm %x, %0 {beta = 0.0 : f32, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<transpose>}
      : (tensor<1x1x128x256xf16>, tensor<1x1x96x256xf16>) -> tensor<1x1x128x96xf16>
  return %1 : tensor<1x1x128x96xf16>
}

// CHECK-LABEL:   func @more_rows(
// CHECK:         linalg.generic {{.*}}dml.label = "dml.dequantize"}
// CHECK:         linalg.generic {{.*}}dml.label = "dml.gemm"
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @more_rows(%x: tensor<1x1x144x256xf16>, %w: tensor<1x1x96x256xui4>,
    %s: tensor<1x1x96x8xf16>, %z: tensor<1x1x96x8xui4>) -> tensor<1x1x144x96xf16> {
  %0 = dml.dequantize %w, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<1x1x96x256xui4>, tensor<1x1x96x8xf16>, tensor<1x1x96x8xui4>) -> tensor<1x1x96x256xf16>
  %1 = dml.gemm %x, %0 {beta = 0.0 : f32, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<transpose>}
      : (tensor<1x1x144x256xf16>, tensor<1x1x96x256xf16>) -> tensor<1x1x144x96xf16>
  return %1 : tensor<1x1x144x96xf16>
}

// Matrices multiply no factors of f32.

// CHECK-LABEL:   func @singles(
// CHECK:         linalg.generic {{.*}}dml.label = "dml.dequantize"}
// CHECK:         linalg.generic {{.*}}dml.label = "dml.gemm"
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @singles(%x: tensor<1x1x128x256xf32>, %w: tensor<1x1x96x256xui4>,
    %s: tensor<1x1x96x8xf32>, %z: tensor<1x1x96x8xui4>) -> tensor<1x1x128x96xf32> {
  %0 = dml.dequantize %w, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<1x1x96x256xui4>, tensor<1x1x96x8xf32>, tensor<1x1x96x8xui4>) -> tensor<1x1x96x256xf32>
  %1 = dml.gemm %x, %0 {beta = 0.0 : f32, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<transpose>}
      : (tensor<1x1x128x256xf32>, tensor<1x1x96x256xf32>) -> tensor<1x1x128x96xf32>
  return %1 : tensor<1x1x128x96xf32>
}
