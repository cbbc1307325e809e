// Tiles whose threads need more registers than they can have are not proposed. A compiler
// that keeps the order of the program holds all factors that a thread loads in registers,
// which it converts to f32 before it multiplies the first two: 16 + 8 * (4 + 64) + 20 = 580
// for 16 columns and 8 groups of 4 terms, and 8 + 4 * (4 + 32) + 20 = 172 for 8 columns and
// 4 groups.
//
// RUN: dml-opt %s --dml-to-gpu --mlir-print-ir-after=dml-select-kernels -o %t 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: dml-opt %s --dml-to-gpu=device-profile=full,computesInOrder=1 --mlir-print-ir-after=dml-select-kernels -o %t 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: dml-opt %s --dml-to-gpu=device-profile=full,computesInOrder=1,registersOfThread=128 --mlir-print-ir-after=dml-select-kernels -o %t 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: dml-opt %s --dml-to-gpu=device-profile=full,computesInOrder=1,registersOfThread=20 --mlir-print-ir-after=dml-select-kernels -o %t 2>&1 | FileCheck %s --check-prefix=NONE

// FULL:     dml.kernel = {slice_tile = array<i64: 1, 16, 64, 4, 8>}
// ORDER:    dml.kernel = {slice_tile = array<i64: 1, 8, 32, 4, 4>}
// FEW:      dml.kernel = {slice_tile = array<i64: 1, 8, 64, 4, 2>}
// NONE-NOT: dml.kernel
//
// SPDX-License-Identifier: Apache-2.0

func.func @main(%row: tensor<1x5632xf16>, %matrix: tensor<5632x2048xf16>) -> tensor<1x2048xf16> {
  %0 = dml.gemm %row, %matrix {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<1x5632xf16>, tensor<5632x2048xf16>) -> tensor<1x2048xf16>
  return %0 : tensor<1x2048xf16>
}
