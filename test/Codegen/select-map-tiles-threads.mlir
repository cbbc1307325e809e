// A device with few multiprocessors is full with few threads, which then share more.
//
// RUN: dml-opt %s --dml-select-map-tiles | FileCheck %s --check-prefix=MANY
// RUN: dml-opt %s --dml-attach-device=profile=full,multiprocessors=2 --dml-select-map-tiles | FileCheck %s --check-prefix=FEW
//
// SPDX-License-Identifier: Apache-2.0

// 131072 sums: 132 multiprocessors want 65536 threads, of few sums each. Two want 993:
// threads of 8 rows of 4 columns are 4096.

// MANY: dml.kernel = {map_tile = {block = array<i64: 2>, vector_bytes = 16 : i64}}
// FEW:  dml.kernel = {map_tile = {block = array<i64: 8>, vector_bytes = 16 : i64}}
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%lhs: memref<128x64xf32>, %rhs: memref<64x1024xf32>, %output: memref<128x1024xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<128x1024xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<128x64xf32>
      %y = memref.load %rhs[%k, %column] : memref<64x1024xf32>
      %product = arith.mulf %x, %y : f32
      %next = arith.addf %carried, %product : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}
