// Which kernels contractions become, and what keeps a choice.
//
// RUN: dml-opt %s --split-input-file --dml-select-kernels | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-select-kernels=contraction-tile=none | FileCheck %s --check-prefix=NONE
// RUN: dml-opt %s --split-input-file --dml-select-kernels=contraction-tile=64x64 | FileCheck %s --check-prefix=GIVEN
// RUN: not dml-opt %s --split-input-file --dml-select-kernels=contraction-tile=48x64 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: contraction-tile is '48x64', but wants to be 'auto', 'none', rows and columns that 128 threads can share, such as '64x64', or a 'dml.kernel' of a contraction

// A large product: the tile that loads least, and eight iterations of two terms, whose
// products are all written out.

// CHECK-LABEL: func @product
// CHECK:       dml.kernel = {ahead, contraction_tile = array<i64: 64, 128, 16>, written_out = 18 : i64}
// NONE-LABEL:  func @product
// NONE-NOT:    dml.kernel
// NONE:        return
// GIVEN-LABEL: func @product
// GIVEN:       dml.kernel = {contraction_tile = array<i64: 64, 64, 16>}
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%lhs: memref<4096x64xf32>, %rhs: memref<64x4096xf32>, %output: memref<4096x4096xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4096x4096xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %k0 = arith.muli %i, %c2 : index
      %k1 = arith.addi %k0, %c1 : index
      %x0 = memref.load %lhs[%row, %k0] : memref<4096x64xf32>
      %y0 = memref.load %rhs[%k0, %column] : memref<64x4096xf32>
      %next = math.fma %x0, %y0, %carried : f32
      %x1 = memref.load %lhs[%row, %k1] : memref<4096x64xf32>
      %y1 = memref.load %rhs[%k1, %column] : memref<64x4096xf32>
      %last = math.fma %x1, %y1, %next : f32
      scf.yield %last : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// A smaller one has smaller tiles, so that a device has enough of them, and threads of
// several slices, which then have as many sums.

// CHECK-LABEL: func @smaller
// CHECK:       dml.kernel = {ahead, contraction_tile = array<i64: 32, 64, 32>, slices = 4 : i64, written_out = 18 : i64}
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @smaller(%lhs: memref<512x64xf32>, %rhs: memref<64x1024xf32>, %output: memref<512x1024xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<512x1024xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<512x64xf32>
      %y = memref.load %rhs[%k, %column] : memref<64x1024xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Tiles whose waits other workgroups hide: 512 of 32 by 64 sums in four slices, of which a
// multiprocessor has registers for three, and not 256 of 64 by 64, which are all there at once.

// CHECK-LABEL: func @turns
// CHECK:       dml.kernel = {ahead, contraction_tile = array<i64: 32, 64, 16>, slices = 4 : i64, written_out = 18 : i64}
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @turns(%lhs: memref<1024x1024xf32>, %rhs: memref<1024x1024xf32>, %output: memref<1024x1024xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1024x1024xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c1024 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<1024x1024xf32>
      %y = memref.load %rhs[%k, %column] : memref<1024x1024xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Few rows: most of a tile would be computed in vain, and threads share out terms.

// CHECK-LABEL: func @rows
// CHECK:       dml.kernel = {slice_tile = array<i64: 8, 4, 2, 4, 4>}
// GIVEN-LABEL: func @rows
// GIVEN:       dml.kernel = {contraction_tile = array<i64: 64, 64, 16>}
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%lhs: memref<8x64xf32>, %rhs: memref<64x65536xf32>, %output: memref<8x65536xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<8x65536xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<8x64xf32>
      %y = memref.load %rhs[%k, %column] : memref<64x65536xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Both factors depend on the row, as those of a depthwise convolution do: each row is a
// product of its own with one row, which has no factors in common with others.

// CHECK-LABEL: func @depthwise
// CHECK-NOT:   dml.kernel
// CHECK:       return
// GIVEN-LABEL: func @depthwise
// GIVEN:       dml.kernel = {contraction_tile = array<i64: 64, 64, 16>}
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @depthwise(%lhs: memref<4096x64xf32>, %rhs: memref<4096x4160xf32>, %output: memref<4096x4096xf32>) {
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
      %place = arith.addi %column, %k : index
      %x = memref.load %lhs[%row, %k] : memref<4096x64xf32>
      %y = memref.load %rhs[%row, %place] : memref<4096x4160xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// What is there already is kept.

// CHECK-LABEL: func @chosen
// CHECK:       dml.kernel = "map"
// CHECK:       dml.kernel = {contraction_tile = array<i64: 32, 64, 8>}
// GIVEN-LABEL: func @chosen
// GIVEN:       dml.kernel = "map"
// GIVEN:       dml.kernel = {contraction_tile = array<i64: 32, 64, 8>}
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @chosen(%lhs: memref<4096x64xf32>, %rhs: memref<64x4096xf32>, %output: memref<4096x4096xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4096x4096xf32>) attrs = {dml.kernel = "map"} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<4096x64xf32>
      %y = memref.load %rhs[%k, %column] : memref<64x4096xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4096x4096xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 32, 64, 8>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<4096x64xf32>
      %y = memref.load %rhs[%k, %column] : memref<64x4096xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
