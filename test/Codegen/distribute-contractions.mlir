// Contraction kernels: a workgroup has a tile of the sums.
//
// RUN: dml-opt %s --split-input-file --dml-distribute-to-workgroups --canonicalize | FileCheck %s

// Sizes that are multiples of the tile: nothing is guarded. Workgroup memory has a
// row of vectors for each of 16 terms, with one to spare. Rows of the right matrix
// are loaded as vectors; a thread has 8 rows of 4 columns.

// CHECK-LABEL: func @product
// CHECK:       %[[ROWS:.*]] = memref.alloc() : memref<272xvector<4xf32>, #gpu.address_space<workgroup>>
// CHECK:       %[[COLUMNS:.*]] = memref.alloc() : memref<272xvector<4xf32>, #gpu.address_space<workgroup>>
// CHECK-NOT:   scf.if
// CHECK:       scf.for
// CHECK-SAME:    -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK-NOT:   scf.if
// CHECK-COUNT-4: memref.load %{{.*}} : memref<16384xf32>
// CHECK:       memref.store %{{.*}}, %[[ROWS]]
// CHECK-NOT:   memref.load %{{.*}} : memref<8192xf32>
// CHECK:       memref.load %{{.*}} : memref<2048xvector<4xf32>>
// CHECK:       memref.store %{{.*}}, %[[COLUMNS]]
// CHECK-NOT:   scf.if
// CHECK:       gpu.barrier
// CHECK:       scf.for
// CHECK:       memref.load %[[COLUMNS]]
// CHECK-COUNT-2: memref.load %[[ROWS]]
// CHECK-COUNT-8: math.fma {{.*}} : vector<4xf32>
// CHECK:       scf.yield
// CHECK:       gpu.barrier
// CHECK:       scf.yield
// CHECK-NOT:   scf.if
// CHECK-COUNT-8: memref.store %{{.*}} : memref<8192xvector<4xf32>>
// CHECK-NOT:   memref.store
// CHECK:       return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%lhs: memref<256x64xf32>, %rhs: memref<64x128xf32>, %output: memref<256x128xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x128xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 64, 64, 16>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<256x64xf32>
      %y = memref.load %rhs[%k, %column] : memref<64x128xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Other sizes: terms beyond the last one are 0, and positions beyond the last one
// are not stored. What is done with a sum is done once for each element.

// CHECK-LABEL: func @odd
// CHECK:       scf.for
// CHECK:         arith.cmpi ult, %{{.*}}, %c40
// CHECK:         memref.load
// CHECK:         arith.select %{{.*}}, %{{.*}}, %cst
// CHECK:       gpu.barrier
// CHECK:       scf.for
// CHECK-NOT:   math.absf
// CHECK:       gpu.barrier
// CHECK-COUNT-32: math.absf
// CHECK-NOT:   math.absf
// CHECK:       return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @odd(%lhs: memref<70x40xf32>, %rhs: memref<40x67xf32>, %output: memref<70x67xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<70x67xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 64, 64, 16>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<70x40xf32>
      %y = memref.load %rhs[%k, %column] : memref<40x67xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    %abs = math.absf %sum : f32
    linalg.yield %abs : f32
  }
  return
}

// -----

// Two slices: each adds up 8 of the 16 terms, with blocks of 8 by 8 sums of a thread.
// A thread loads four terms of a row as one vector. What the slices have added up meets
// in the memory that the factors were in, and each stores half of the rows.

// CHECK-LABEL: func @slices
// CHECK:       %[[MEMORY:.*]] = memref.alloc() : memref<544xvector<4xf32>, #gpu.address_space<workgroup>>
// CHECK-NOT:   memref.alloc()
// CHECK:       scf.for
// CHECK-COUNT-4: memref.load %{{.*}} : memref<4096xvector<4xf32>>
// CHECK-COUNT-4: memref.store %{{.*}}, %[[MEMORY]]
// CHECK:       gpu.barrier
// CHECK:       scf.yield
// CHECK:       gpu.barrier
// CHECK-COUNT-4: memref.store %{{.*}}, %[[MEMORY]]
// CHECK:       gpu.barrier
// CHECK:       memref.load %[[MEMORY]]
// CHECK:       memref.load %[[MEMORY]]
// CHECK:       arith.addf
// CHECK-NOT:   math.fma
// CHECK-COUNT-8: memref.store %{{.*}} : memref<8192xvector<4xf32>>
// CHECK-NOT:   memref.store
// CHECK:       return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @slices(%lhs: memref<256x64xf32>, %rhs: memref<64x128xf32>, %output: memref<256x128xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x128xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 64, 64, 16>, slices = 2 : i64, together = 4 : i64}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<256x64xf32>
      %y = memref.load %rhs[%k, %column] : memref<64x128xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
