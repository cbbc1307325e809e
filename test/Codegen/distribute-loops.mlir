// Elements of a thread share their loops.
//
// RUN: dml-opt %s --split-input-file --dml-select-map-tiles | FileCheck %s --check-prefix=CHOICE
// RUN: dml-opt %s --split-input-file --dml-select-map-tiles --dml-distribute-to-workgroups | FileCheck %s

// A matrix product: a thread has 8 rows of 4 columns. An iteration of its one loop
// loads a factor for each row and a vector of them for all columns, for 32 products.

// CHOICE-LABEL: func @product
// CHOICE:       dml.kernel = {map_tile = {block = array<i64: 8>, vector_bytes = 16 : i64}}
// CHECK-LABEL: func @product
// CHECK-COUNT-1: scf.for
// CHECK-SAME:    -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK-COUNT-9: memref.load
// CHECK-NOT:     memref.load
// CHECK:         scf.yield
// CHECK-NOT:     scf.for
// CHECK-COUNT-8: memref.store
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%lhs: memref<2048x64xf32>, %rhs: memref<64x2048xf32>, %output: memref<2048x2048xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<2048x2048xf32>) {
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
      %product = arith.mulf %x, %y : f32
      %next = arith.addf %carried, %product : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Sums of triangles' rows: as many terms as the row's number. The bounds of the
// loops differ between elements, which keep loops of their own.

// CHOICE-LABEL: func @triangles
// CHOICE:       dml.kernel = {map_tile = {block = array<i64>, vector_bytes = 16 : i64}}
// CHECK-LABEL: func @triangles
// CHECK-COUNT-4: scf.for
// CHECK-NOT:     scf.for
#identity = affine_map<(d0) -> (d0)>
func.func @triangles(%input: memref<262144xf32>, %output: memref<262144xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<262144xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %sum = scf.for %k = %c0 to %row step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%k] : memref<262144xf32>
      %next = arith.addf %carried, %x : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Two nested loops, of which the inner begins with what the outer carries, and an
// element that was loaded before them: it is loaded once.

// CHOICE-LABEL: func @nested
// CHOICE:       dml.kernel = {map_tile = {block = array<i64>, vector_bytes = 16 : i64}}
// CHECK-LABEL: func @nested
// CHECK:         memref.load
// CHECK-COUNT-2: scf.for
// CHECK:         memref.load
// CHECK-NOT:     memref.load
// CHECK:         memref.store
#identity = affine_map<(d0) -> (d0)>
func.func @nested(%input: memref<4x8x4096xf32>, %scales: memref<1xf32>, %output: memref<4096xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<4096xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %column = linalg.index 0 : index
    %scale = memref.load %scales[%c0] : memref<1xf32>
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%outer = %zero) -> f32 {
      %part = scf.for %j = %c0 to %c8 step %c1 iter_args(%inner = %outer) -> f32 {
        %x = memref.load %input[%i, %j, %column] : memref<4x8x4096xf32>
        %scaled = arith.mulf %x, %scale : f32
        %next = arith.addf %inner, %scaled : f32
        scf.yield %next : f32
      }
      scf.yield %part : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
