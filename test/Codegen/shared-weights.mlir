// Programs for few and for many sums read the same weights.
//
// RUN: dml-opt %s --split-input-file '--dml-to-linalg=device-profile=full,multiprocessors=1 shared-weights=true' | FileCheck %s
// RUN: dml-opt %s --split-input-file '--dml-to-linalg=device-profile=full shared-weights=true' | FileCheck %s --check-prefix=FEW
// RUN: dml-opt %s --split-input-file '--dml-to-linalg=device-profile=full,multiprocessors=1' | FileCheck %s --check-prefix=ALONE

// 15,000 sums occupy a device of 1 multiprocessor, and the products stay apart. Each reads
// its weights and biases from stacks nevertheless, since a device with more multiprocessors,
// or a program for fewer rows, has one product of both.

// CHECK-LABEL: func.func @initialize(
// CHECK-SAME:    -> (tensor<2x192xf32>, tensor<2x1x3xf32>)
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[WEIGHTS:arg[0-9]+]]: tensor<2x192xf32> {dml.persistent = 0 : i64}
// CHECK-SAME:    %[[BIASES:arg[0-9]+]]: tensor<2x1x3xf32> {dml.persistent = 1 : i64}
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<5000x3xf32>) attrs = {dml.label = "dml.gemm"}
// CHECK:           tensor.extract %[[WEIGHTS]][%c0, %{{.*}}] : tensor<2x192xf32>
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<5000x3xf32>) attrs = {dml.label = "dml.gemm"}
// CHECK:           tensor.extract %[[WEIGHTS]][%c1, %{{.*}}] : tensor<2x192xf32>
// CHECK:           tensor.extract %[[BIASES]][

// FEW-LABEL: func.func @initialize(
// FEW-SAME:    -> (tensor<2x192xf32>,
// FEW-LABEL: func.func @main(
// FEW:         tensor<2x5000x3xf32>

// ALONE-NOT: func.func @initialize(
// ALONE-NOT: tensor<2x
func.func @main(%x: tensor<5000x64xf32>,
                %w0: tensor<64x3xf32> {dml.name = "w0", dml.owned_by_dml},
                %w1: tensor<64x3xf32> {dml.name = "w1", dml.owned_by_dml},
                %b0: tensor<1x3xf32> {dml.name = "b0", dml.owned_by_dml},
                %b1: tensor<1x3xf32> {dml.name = "b1", dml.owned_by_dml}) -> tensor<5000x3xf32> {
  %0 = dml.gemm %x, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5000x64xf32>, tensor<64x3xf32>) -> tensor<5000x3xf32>
  %1 = dml.gemm %x, %w1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5000x64xf32>, tensor<64x3xf32>) -> tensor<5000x3xf32>
  %2 = dml.view %b0 {strides = array<i64: 0, 1>} : (tensor<1x3xf32>) -> tensor<5000x3xf32>
  %3 = dml.view %b1 {strides = array<i64: 0, 1>} : (tensor<1x3xf32>) -> tensor<5000x3xf32>
  %4 = dml.element_wise_add %0, %2 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  %5 = dml.element_wise_add %1, %3 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  %6 = dml.element_wise_multiply %4, %5 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  return %6 : tensor<5000x3xf32>
}

// -----

// Products of two inputs have the same weights. The biases of the first two products are read
// after those of the last two, and each stack stands in front of its readers.

// CHECK-LABEL: func.func @main(
// CHECK:         tensor.extract %{{.*}}[%c0, %{{.*}}] : tensor<2x192xf32>
// CHECK:         tensor.extract %{{.*}}[%c1, %{{.*}}] : tensor<2x192xf32>
func.func @main(%x: tensor<5000x64xf32>, %y: tensor<5000x64xf32>,
                %w0: tensor<64x3xf32> {dml.name = "w0", dml.owned_by_dml},
                %w1: tensor<64x3xf32> {dml.name = "w1", dml.owned_by_dml},
                %b0: tensor<5000x3xf32> {dml.name = "b0", dml.owned_by_dml},
                %b1: tensor<5000x3xf32> {dml.name = "b1", dml.owned_by_dml}) -> (tensor<5000x3xf32>, tensor<5000x3xf32>) {
  %0 = dml.gemm %x, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5000x64xf32>, tensor<64x3xf32>) -> tensor<5000x3xf32>
  %1 = dml.gemm %x, %w1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5000x64xf32>, tensor<64x3xf32>) -> tensor<5000x3xf32>
  %2 = dml.gemm %y, %w0 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5000x64xf32>, tensor<64x3xf32>) -> tensor<5000x3xf32>
  %3 = dml.gemm %y, %w1 {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<5000x64xf32>, tensor<64x3xf32>) -> tensor<5000x3xf32>
  %4 = dml.element_wise_add %2, %b0 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  %5 = dml.element_wise_add %3, %b1 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  %6 = dml.element_wise_add %0, %b0 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  %7 = dml.element_wise_add %1, %b1 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  %8 = dml.element_wise_multiply %4, %5 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  %9 = dml.element_wise_multiply %6, %7 : (tensor<5000x3xf32>, tensor<5000x3xf32>) -> tensor<5000x3xf32>
  return %8, %9 : tensor<5000x3xf32>, tensor<5000x3xf32>
}

// SPDX-License-Identifier: Apache-2.0
