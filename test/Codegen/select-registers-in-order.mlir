// Kernels for a compiler that keeps the order of the program. A thread that computes 8
// elements one after the other holds all vectors that it loaded for the first one: 24
// vectors of 4 registers, 24 filters and their addresses do not fit 128 registers, and
// vectors of half the size do. Conditions of padding, of which 9 taps of 8 columns have 72,
// do not fit a subgroup's scalar registers, and those of 4 columns do. A matrix kernel loads
// no more than one stage ahead, and its threads fit their registers.
//
// RUN: split-file %s %t
// RUN: dml-opt %t/map.mlir --dml-to-gpu --mlir-print-ir-before=dml-distribute-to-workgroups -o %t.out 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: dml-opt %t/map.mlir --dml-to-gpu=device-profile=full,computesInOrder=1 --mlir-print-ir-before=dml-distribute-to-workgroups -o %t.out 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: dml-opt %t/map.mlir --dml-to-gpu=device-profile=full,computesInOrder=1,registersOfThread=128 --mlir-print-ir-before=dml-distribute-to-workgroups -o %t.out 2>&1 | FileCheck %s --check-prefix=SHORT
// LONG:  dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// SHORT: dml.kernel = {map_tile = {vector_bytes = 8 : i64}}
//
// RUN: dml-opt %t/padding.mlir --dml-to-gpu=device-profile=full,multiprocessors=64 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: dml-opt %t/padding.mlir --dml-to-gpu=device-profile=full,multiprocessors=64,computesInOrder=1 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=FEW
// MANY: dml.kernel = {slice_tile = array<i64: 2, 8, 64, 9, 2>}
// FEW:  dml.kernel = {slice_tile = array<i64: 2, 4, 32, 9, 2>}
//
// RUN: dml-opt %t/matrix.mlir --dml-to-gpu=device-profile=full,+cooperativeMatrix,multiprocessors=64,registers=98304 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=AHEAD
// RUN: dml-opt %t/matrix.mlir --dml-to-gpu=device-profile=full,+cooperativeMatrix,multiprocessors=64,registers=98304,computesInOrder=1 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: dml-opt %t/matrix.mlir --dml-to-gpu=device-profile=full,+cooperativeMatrix,multiprocessors=64,registers=98304,computesInOrder=1,registersOfThread=60 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=NONE
// AHEAD:    matrix_tile = {ahead = 2
// ORDER:    matrix_tile = {ahead = 1
// NONE-NOT: matrix_tile
//
// SPDX-License-Identifier: Apache-2.0

//--- map.mlir
func.func @main(%image: tensor<1x24x56x56xf16>, %filters: tensor<144x24x1x1xf16>) -> tensor<1x144x56x56xf16> {
  %0 = dml.convolution %image, %filters {dilations = array<i64: 1, 1>, direction = #dml.convolution_direction<forward>, mode = #dml.convolution_mode<cross_correlation>, start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x24x56x56xf16>, tensor<144x24x1x1xf16>) -> tensor<1x144x56x56xf16>
  return %0 : tensor<1x144x56x56xf16>
}

//--- padding.mlir
func.func @main(%image: tensor<1x128x7x7xf16>, %filters: tensor<32x128x3x3xf16>) -> tensor<1x32x7x7xf16> {
  %0 = dml.convolution %image, %filters {dilations = array<i64: 1, 1>, direction = #dml.convolution_direction<forward>, mode = #dml.convolution_mode<cross_correlation>, start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x128x7x7xf16>, tensor<32x128x3x3xf16>) -> tensor<1x32x7x7xf16>
  return %0 : tensor<1x32x7x7xf16>
}

//--- matrix.mlir
func.func @main(%rows: tensor<64x768xf16>, %columns: tensor<768x3072xf16>) -> tensor<64x3072xf16> {
  %0 = dml.gemm %rows, %columns {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<64x768xf16>, tensor<768x3072xf16>) -> tensor<64x3072xf16>
  return %0 : tensor<64x3072xf16>
}
