// RUN: dml-opt %s --dml-to-linalg --dml-fuse-producers | FileCheck %s

// What is computed of long sums, where it is computed, and what they are computed of.

// x * (1 + erf(x / 2)) is computed where x is added up, though x has two readers at
// first: the quotient, and the product. In f32 that are some 95 operations.

// CHECK-LABEL: func @gelu(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @gelu(%a: tensor<64x128xf32>, %b: tensor<128x64xf32>, %two: tensor<64x64xf32>,
                %one: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %x = dml.gemm %a, %b {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %0 = dml.element_wise_divide %x, %two : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = dml.element_wise_erf %0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = dml.element_wise_add %1, %one : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = dml.element_wise_multiply %x, %2 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// In f16 the sum and the product are computed in f16. Only x and the quotient are rounded
// and widened again.

// CHECK-LABEL:  func @halves(
// CHECK-COUNT-1:  linalg.generic
// CHECK:          %[[X:.*]] = arith.truncf
// CHECK:          %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK:          %[[QUOTIENT:.*]] = arith.divf %[[WIDE]], {{.*}} : f32
// CHECK:          %[[ROUNDED:.*]] = arith.truncf %[[QUOTIENT]]
// CHECK:          arith.extf %[[ROUNDED]]
// CHECK:          %[[SUM:.*]] = arith.addf {{.*}} : f16
// CHECK:          arith.mulf {{.*}}, %[[SUM]] : f16
// CHECK-NOT:      linalg.generic
// CHECK:          return
func.func @halves(%a: tensor<64x128xf16>, %b: tensor<128x64xf16>, %two: tensor<64x64xf16>,
                  %one: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %x = dml.gemm %a, %b {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<64x128xf16>, tensor<128x64xf16>) -> tensor<64x64xf16>
  %0 = dml.element_wise_divide %x, %two : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = dml.element_wise_erf %0 : (tensor<64x64xf16>) -> tensor<64x64xf16>
  %2 = dml.element_wise_add %1, %one : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %3 = dml.element_wise_multiply %x, %2 : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  return %3 : tensor<64x64xf16>
}

// Halves of a product that are multiplied with each other are no reason to add up one half
// in each of two loops.

// CHECK-LABEL: func @split(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<64x64xf32>) {{.*}}dml.label = "dml.gemm"
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<64x32xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @split(%a: tensor<64x128xf32>, %b: tensor<128x64xf32>) -> tensor<64x32xf32> {
  %x = dml.gemm %a, %b {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %0:2 = dml.split %x {axis = 1 : i64} : (tensor<64x64xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>)
  %1 = dml.element_wise_multiply %0#0, %0#1 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %1 : tensor<64x32xf32>
}

// Nor are readers of different halves.

// CHECK-LABEL: func @readers(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<64x64xf32>) {{.*}}dml.label = "dml.gemm"
// CHECK-COUNT-2: linalg.generic {{.*}} outs(%{{.*}} : tensor<64x32xf32>)
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @readers(%a: tensor<64x128xf32>, %b: tensor<128x64xf32>)
    -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %x = dml.gemm %a, %b {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %0:2 = dml.split %x {axis = 1 : i64} : (tensor<64x64xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>)
  %1 = dml.element_wise_exp %0#0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = dml.element_wise_negate %0#1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %1, %2 : tensor<64x32xf32>, tensor<64x32xf32>
}

// A product reads the heads of an attention, and their transposes, where they are: what
// neighbours are in a row or in a column, neighbours are there as well.

// CHECK-LABEL: func @heads(
// CHECK:         linalg.generic {{.*}}dml.label = "dml.view+dml.gemm"
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @heads(%x: tensor<1x1x960x128xf32>) -> tensor<1x2x960x960xf32> {
  %q = dml.view %x {strides = array<i64: 0, 64, 128, 1>} : (tensor<1x1x960x128xf32>) -> tensor<1x2x960x64xf32>
  %k = dml.view %x {strides = array<i64: 0, 64, 1, 128>} : (tensor<1x1x960x128xf32>) -> tensor<1x2x64x960xf32>
  %0 = dml.gemm %q, %k {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<1x2x960x64xf32>, tensor<1x2x64x960xf32>) -> tensor<1x2x960x960xf32>
  return %0 : tensor<1x2x960x960xf32>
}

// Every other column is moved first.

// CHECK-LABEL: func @scattered(
// CHECK:         linalg.generic {{.*}}dml.label = "dml.view"
// CHECK:         linalg.generic {{.*}}dml.label = "dml.gemm"
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @scattered(%x: tensor<960x128xf32>, %y: tensor<64x960xf32>) -> tensor<960x960xf32> {
  %0 = dml.view %x {strides = array<i64: 128, 2>} : (tensor<960x128xf32>) -> tensor<960x64xf32>
  %1 = dml.gemm %0, %y {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<960x64xf32>, tensor<64x960xf32>) -> tensor<960x960xf32>
  return %1 : tensor<960x960xf32>
}

// SPDX-License-Identifier: Apache-2.0
