// What keeps and what gives a map kernel its tile. The choices themselves stand beside
// the kernels that they lead to, in distribute-tiles, distribute-parts and
// distribute-loops.
//
// RUN: dml-opt %s --split-input-file --dml-select-map-tiles | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-select-map-tiles --dml-distribute-to-workgroups | FileCheck %s --check-prefix=BUILT
// RUN: dml-opt %s --split-input-file --dml-distribute-to-workgroups | FileCheck %s --check-prefix=PLAIN

// A tile that is there already stays, and is what the kernel has: four rows of four
// elements, of which the pass would choose none.

// CHECK-LABEL: func @given
// CHECK:       dml.kernel = {map_tile = {rows = 4 : i64, vector_bytes = 8 : i64}}
// BUILT-LABEL: func @given
// BUILT-COUNT-4: memref.store %{{.*}} : memref<128xvector<2xf32>>
// BUILT-NOT:   memref.store
// BUILT:       gpu.terminator
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @given(%input: memref<32x8xf32>, %output: memref<32x8xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<32x8xf32>)
      attrs = {dml.kernel = {map_tile = {vector_bytes = 8 : i64, rows = 4 : i64}}} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %element = memref.load %input[%i, %j] : memref<32x8xf32>
    linalg.yield %element : f32
  }
  return
}

// -----

// Where a map kernel is asked for, its tile is still chosen. Without a choice a thread
// has one vector.

// CHECK-LABEL: func @asked
// CHECK:       dml.kernel = {map_tile = {block = array<i64: 8>, vector_bytes = 16 : i64}}
// BUILT-LABEL: func @asked
// BUILT-COUNT-8: memref.store
// BUILT-NOT:   memref.store
// BUILT:       gpu.terminator
// PLAIN-LABEL: func @asked
// PLAIN:       memref.store
// PLAIN-NOT:   memref.store
// PLAIN:       gpu.terminator
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @asked(%lhs: memref<2048x64xf32>, %rhs: memref<64x2048xf32>, %output: memref<2048x2048xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<2048x2048xf32>) attrs = {dml.kernel = "map"} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<2048x64xf32>
      %y = memref.load %rhs[%k, %column] : memref<64x2048xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Of rows that are no whole vectors, threads for a vector each move 20 bytes where an
// H200 wants 26: each has two, and the loads of both come before the first store.

// CHECK-LABEL: func @steps_of_parts
// CHECK:       dml.kernel = {map_tile = {in_both_rows, split, steps = 2 : i64, vector_bytes = 16 : i64}}
// BUILT-LABEL: func @steps_of_parts
// BUILT:       memref.load
// BUILT:       memref.store
// BUILT-NOT:   memref.load
// BUILT:       memref.store
// BUILT:       else
// BUILT:       memref.load
#identity = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @steps_of_parts(%input: memref<512x255x253xf16>, %output: memref<512x510x506xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%output : memref<512x510x506xf16>) {
  ^bb0(%out: f16):
    %c253 = arith.constant 253 : index
    %c255 = arith.constant 255 : index
    %plane = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %row = arith.remui %i, %c255 : index
    %column = arith.remui %j, %c253 : index
    %element = memref.load %input[%plane, %row, %column] : memref<512x255x253xf16>
    linalg.yield %element : f16
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
