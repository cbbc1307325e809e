// RUN: dml-opt %s --dml-to-linalg | FileCheck %s
// RUN: dml-opt %s --dml-to-linalg=fuse=false | FileCheck %s --check-prefix=APART
// RUN: dml-opt %s --dml-to-linalg=device-profile=full,maxStorageBufferRange=2000 | FileCheck %s --check-prefix=SMALL

// Two products of one tensor are one, whose weights are put behind each other once. So are
// the sums with their biases. Who reads one of these reads its place in the tensor of both.

// CHECK-LABEL: func.func @initialize(
// CHECK-SAME:    -> (tensor<2x192xf32>, tensor<2x1x3xf32>,
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [1, 64, 3] [1, 1, 1]
// CHECK:         %[[WEIGHTS:.*]] = tensor.insert_slice %{{.*}} into %[[FIRST]][1, 0, 0] [1, 64, 3] [1, 1, 1]

// CHECK-LABEL: func.func @products(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<5x64xf32>,
// CHECK:         %[[PRODUCTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x5x3xf32>) {{.*}}dml.label = "dml.gemm"
// CHECK-NOT:     dml.label = "dml.gemm"
// CHECK:         %[[SUMS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x5x3xf32>) {{.*}}dml.label = "dml.element_wise_add"
// CHECK:           tensor.extract %[[PRODUCTS]][%{{.*}}, %{{.*}}, %{{.*}}] : tensor<2x5x3xf32>
// CHECK-NOT:     dml.label = "dml.element_wise_add"
// CHECK:         tensor.extract %[[SUMS]][%c0, %{{.*}}, %{{.*}}] : tensor<2x5x3xf32>
// CHECK:         tensor.extract %[[SUMS]][%c1, %{{.*}}, %{{.*}}] : tensor<2x5x3xf32>
// CHECK:         dml.label = "dml.element_wise_multiply"

// APART-NOT:   func.func @initialize
// APART-LABEL: func.func @products(
// APART-NOT:     tensor<2x5x3xf32>

// The 384 factors of two weights have 1536 bytes, which fit a range of 2000, and the 576 of
// three have 2304, which do not.

// SMALL-LABEL: func.func @products(
// SMALL:         tensor<2x5x3xf32>
// SMALL-LABEL: func.func @three(
// SMALL-NOT:     tensor<3x5x3xf32>
// SMALL:         return
func.func @products(%x: tensor<5x64xf32>,
                    %w0: tensor<64x3xf32> {dml.name = "w0", dml.owned_by_dml},
                    %w1: tensor<64x3xf32> {dml.name = "w1", dml.owned_by_dml},
                    %b0: tensor<1x3xf32> {dml.name = "b0", dml.owned_by_dml},
                    %b1: tensor<1x3xf32> {dml.name = "b1", dml.owned_by_dml}) -> tensor<5x3xf32> {
  %0 = dml.gemm %x, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %1 = dml.gemm %x, %w1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %2 = dml.view %b0 {strides = array<i64: 0, 1>} : (tensor<1x3xf32>) -> tensor<5x3xf32>
  %3 = dml.view %b1 {strides = array<i64: 0, 1>} : (tensor<1x3xf32>) -> tensor<5x3xf32>
  %4 = dml.element_wise_add %0, %2 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %5 = dml.element_wise_add %1, %3 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %6 = dml.element_wise_multiply %4, %5 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %6 : tensor<5x3xf32>
}

// Products that the caller wants would have to be copied to where he wants them.

// CHECK-LABEL: func.func @returned(
// CHECK-NOT:     tensor<2x5x3xf32>
// CHECK:         return
func.func @returned(%x: tensor<5x64xf32>,
                    %w0: tensor<64x3xf32> {dml.name = "w0", dml.owned_by_dml},
                    %w1: tensor<64x3xf32> {dml.name = "w1", dml.owned_by_dml}) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %0 = dml.gemm %x, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %1 = dml.gemm %x, %w1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  return %0, %1 : tensor<5x3xf32>, tensor<5x3xf32>
}

// Sums of products, one of which is wanted as well, stay apart; the products do not.

// CHECK-LABEL: func.func @reader(
// CHECK:         outs(%{{.*}} : tensor<2x5x3xf32>) {{.*}}dml.label = "dml.gemm"
// CHECK-NOT:     outs(%{{.*}} : tensor<2x5x3xf32>)
// CHECK:         return
func.func @reader(%x: tensor<5x64xf32>, %y: tensor<5x3xf32>,
                  %w0: tensor<64x3xf32> {dml.name = "w0", dml.owned_by_dml},
                  %w1: tensor<64x3xf32> {dml.name = "w1", dml.owned_by_dml}) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %0 = dml.gemm %x, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %1 = dml.gemm %x, %w1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %2 = dml.element_wise_add %0, %y : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %3 = dml.element_wise_add %1, %y : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %2, %3 : tensor<5x3xf32>, tensor<5x3xf32>
}

// Products of different tensors stay apart, though they have the same weights.

// CHECK-LABEL: func.func @unlike(
// CHECK-NOT:     tensor<2x5x3xf32>
// CHECK:         return
func.func @unlike(%x: tensor<5x64xf32>, %y: tensor<5x64xf32>,
                  %w0: tensor<64x3xf32> {dml.name = "w0", dml.owned_by_dml}) -> tensor<5x3xf32> {
  %0 = dml.gemm %x, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %1 = dml.gemm %y, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %2 = dml.element_wise_add %0, %1 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// So do products that fill a device alone: 1,048,576 sums each.

// CHECK-LABEL: func.func @many(
// CHECK-NOT:     tensor<2x1024x1024xf32>
// CHECK:         return
func.func @many(%x: tensor<1024x64xf32>,
                %v0: tensor<64x1024xf32> {dml.name = "v0", dml.owned_by_dml},
                %v1: tensor<64x1024xf32> {dml.name = "v1", dml.owned_by_dml}) -> tensor<1024x1024xf32> {
  %0 = dml.gemm %x, %v0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<1024x64xf32>, tensor<64x1024xf32>) -> tensor<1024x1024xf32>
  %1 = dml.gemm %x, %v1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<1024x64xf32>, tensor<64x1024xf32>) -> tensor<1024x1024xf32>
  %2 = dml.element_wise_add %0, %1 : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %2 : tensor<1024x1024xf32>
}

// Those of weights that the caller gives anew each time would have to be put together each
// time.

// CHECK-LABEL: func.func @given(
// CHECK-NOT:     tensor<2x5x3xf32>
// CHECK:         return
func.func @given(%x: tensor<5x64xf32>, %w0: tensor<64x3xf32>,
                 %w1: tensor<64x3xf32>) -> tensor<5x3xf32> {
  %0 = dml.gemm %x, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %1 = dml.gemm %x, %w1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %2 = dml.element_wise_add %0, %1 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// Three are one, too.

// CHECK-LABEL: func.func @three(
// CHECK:         tensor<3x5x3xf32>
func.func @three(%x: tensor<5x64xf32>,
                 %w0: tensor<64x3xf32> {dml.name = "w0", dml.owned_by_dml},
                 %w1: tensor<64x3xf32> {dml.name = "w1", dml.owned_by_dml},
                 %w2: tensor<64x3xf32> {dml.name = "w2", dml.owned_by_dml}) -> tensor<5x3xf32> {
  %0 = dml.gemm %x, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %1 = dml.gemm %x, %w1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %2 = dml.gemm %x, %w2 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5x64xf32>, tensor<64x3xf32>) -> tensor<5x3xf32>
  %3 = dml.element_wise_add %0, %1 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %4 = dml.element_wise_add %3, %2 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %4 : tensor<5x3xf32>
}

// SPDX-License-Identifier: Apache-2.0
