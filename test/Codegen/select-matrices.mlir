// Which contractions become matrix kernels: those of factors that f16 has, on devices
// with cooperative matrices of f16.
//
// DEFINE: %{dml-opt} = dml-opt %s --split-input-file
// RUN: %{dml-opt} --dml-attach-device=profile=full,+cooperativeMatrix --dml-select-kernels | FileCheck %s
// RUN: %{dml-opt} --dml-attach-device=profile=full --dml-select-kernels | FileCheck %s --check-prefix=NONE
// RUN: %{dml-opt} --dml-attach-device=profile=full,+cooperativeMatrix --dml-select-kernels=matrix-tile=none | FileCheck %s --check-prefix=NONE
// RUN: %{dml-opt} --dml-attach-device=profile=full,cooperativeMatrix=64x8x16xf16xf32,cooperativeMatrix=16x8x16xf16xf32 --dml-select-kernels=matrix-tile=64x32x32x32x16 | FileCheck %s --check-prefix=GIVEN
// RUN: %{dml-opt} --dml-attach-device=profile=full,cooperativeMatrix=16x16x32xi8xi32 --dml-select-kernels | FileCheck %s --check-prefix=NONE
// RUN: not %{dml-opt} --dml-attach-device=profile=full,+cooperativeMatrix --dml-select-kernels=matrix-tile=64x64x32 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: matrix-tile is '64x64x32', but wants to be 'auto', 'none', rows, columns and terms of a workgroup and rows and columns of its subgroups, such as '128x128x32x64x64', or a 'dml.kernel' with a matrix_tile
// NONE-NOT: matrix_tile

// CHECK-LABEL: func @product
// CHECK:       dml.kernel = {matrix_tile = {shape = "16x16x16xf16xf32", stages = 1 : i64, subgroup = array<i64: 64, 64>, workgroup = array<i64: 128, 128, 32>}}
// GIVEN-LABEL: func @product
// GIVEN:       dml.kernel = {matrix_tile = {shape = "16x8x16xf16xf32", subgroup = array<i64: 32, 16>, workgroup = array<i64: 64, 32, 32>}}
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%lhs: memref<4096x64xf16>, %rhs: memref<64x4096xf16>, %output: memref<4096x4096xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4096x4096xf16>) {
  ^bb0(%out: f16):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<4096x64xf16>
      %y = memref.load %rhs[%k, %column] : memref<64x4096xf16>
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

// -----

// Tiles of 128 times 96 sums are 132 workgroups, one for each multiprocessor. Of the
// eight subgroups, each adds up half of the terms of larger tiles, for which it loads
// fewer matrices. That saves more time than it takes to exchange sums.

// CHECK-LABEL: func @one_for_each
// CHECK:       slices = 2 : i64{{.*}}subgroup = array<i64: 64, 48>, workgroup = array<i64: 128, 96, 64>
// GIVEN-LABEL: func @one_for_each
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @one_for_each(%lhs: memref<256x2304xf16>, %rhs: memref<2304x6272xf16>, %output: memref<256x6272xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x6272xf16>) {
  ^bb0(%out: f16):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2304 = arith.constant 2304 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c2304 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<256x2304xf16>
      %y = memref.load %rhs[%k, %column] : memref<2304x6272xf16>
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

// -----

// With few terms it does not.

// CHECK-LABEL: func @few_terms
// CHECK-NOT:   slices
// CHECK:       workgroup = array<i64: 128, 96, 64>
// GIVEN-LABEL: func @few_terms
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @few_terms(%lhs: memref<256x640xf16>, %rhs: memref<640x6272xf16>, %output: memref<256x6272xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x6272xf16>) {
  ^bb0(%out: f16):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c640 = arith.constant 640 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c640 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<256x640xf16>
      %y = memref.load %rhs[%k, %column] : memref<640x6272xf16>
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

// -----

// A factor may be padding, or a number that was rounded to f16 before. A factor for which
// padding is looked for stays in registers until the iteration that stores it.

// CHECK-LABEL: func @padded
// CHECK:       dml.kernel = {matrix_tile = {ahead = 1 : i64,
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @padded(%lhs: memref<4096x64xf16>, %rhs: memref<64x4000xf16>, %output: memref<4096x4096xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4096x4096xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c4000 = arith.constant 4000 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %inside = arith.cmpi ult, %column, %c4000 : index
    %clamped = arith.select %inside, %column, %c0 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<4096x64xf16>
      %y = memref.load %rhs[%k, %clamped] : memref<64x4000xf16>
      %wide_x = arith.extf %x : f16 to f32
      %root = math.sqrt %wide_x : f32
      %narrow = arith.truncf %root : f32 to f16
      %rounded = arith.extf %narrow : f16 to f32
      %wide_y = arith.extf %y : f16 to f32
      %chosen = arith.select %inside, %wide_y, %zero : f32
      %next = math.fma %rounded, %chosen, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// A factor of f32 has digits that f16 has not.

// CHECK-LABEL: func @wide
// CHECK-NOT:   matrix_tile
// CHECK:       return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @wide(%lhs: memref<4096x64xf16>, %rhs: memref<64x4096xf32>, %output: memref<4096x4096xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4096x4096xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<4096x64xf16>
      %y = memref.load %rhs[%k, %column] : memref<64x4096xf32>
      %wide_x = arith.extf %x : f16 to f32
      %next = math.fma %wide_x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// 512 times 512 sums are 16 tiles of 128 times 128, and a device has more
// multiprocessors: it takes 128 tiles of 32 times 64. Each is alone on a multiprocessor:
// it has many terms in a stage, and loads the factors of three stages ahead.

// CHECK-LABEL: func @small
// CHECK:       dml.kernel = {matrix_tile = {ahead = 3 : i64, {{.*}}workgroup = array<i64: 32, 64, 128>
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @small(%lhs: memref<512x512xf16>, %rhs: memref<512x512xf16>, %output: memref<512x512xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<512x512xf16>) {
  ^bb0(%out: f16):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<512x512xf16>
      %y = memref.load %rhs[%k, %column] : memref<512x512xf16>
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
