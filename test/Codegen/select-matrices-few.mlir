// Sixteen rows are one tile of rows. 128 tiles of columns leave two matrices of sums to
// each multiprocessor, and four subgroups share out the terms of each. Factors are loaded
// three stages ahead.

// RUN: dml-opt %s --dml-attach-device=profile=full,+cooperativeMatrix --dml-select-kernels | FileCheck %s
// Without matrices, slices of the terms are tried out with views of the buffers, which
// nothing has made before here.
// RUN: dml-opt %s --dml-select-kernels | FileCheck %s --check-prefix=SLICES
// SLICES: dml.kernel = {slice_tile

// CHECK-LABEL: func @few
// CHECK:       dml.kernel = {matrix_tile = {ahead = 3 : i64, {{.*}}slices = 4 : i64{{.*}}subgroup = array<i64: 16, 16>, workgroup = array<i64: 16, 32, 256>
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @few(%lhs: memref<16x4096xf16>, %rhs: memref<4096x4096xf16>, %output: memref<16x4096xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<16x4096xf16>) {
  ^bb0(%out: f16):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4096 = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c4096 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<16x4096xf16>
      %y = memref.load %rhs[%k, %column] : memref<4096x4096xf16>
      %wide_x = arith.extf %x : f16 to f32
      %wide_y = arith.extf %y : f16 to f32
      %next = math.fma %wide_x, %wide_y, %carried : f32
      scf.yield %next : f32
    }
    %narrow = arith.truncf %sum : f32 to f16
    linalg.yield %narrow : f16
  }
  return
}

// Two tiles of 32 by 32 sums would leave 130 of 132 multiprocessors without a workgroup.
// Tiles of 16 by 16 are eight, and subgroups share out their terms.

// CHECK-LABEL: func @small
// CHECK:       dml.kernel = {matrix_tile = {{{.*}}slices = 8 : i64{{.*}}subgroup = array<i64: 16, 16>, workgroup = array<i64: 16, 16, 256>
func.func @small(%lhs: memref<64x1152xf16>, %rhs: memref<1152x32xf16>, %output: memref<64x32xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<64x32xf16>) {
  ^bb0(%out: f16):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1152 = arith.constant 1152 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c1152 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<64x1152xf16>
      %y = memref.load %rhs[%k, %column] : memref<1152x32xf16>
      %wide_x = arith.extf %x : f16 to f32
      %wide_y = arith.extf %y : f16 to f32
      %next = math.fma %wide_x, %wide_y, %carried : f32
      scf.yield %next : f32
    }
    %narrow = arith.truncf %sum : f32 to f16
    linalg.yield %narrow : f16
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
