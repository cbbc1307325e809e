// Elements of 8 and 16 bits travel in 32-bit words.
//
// RUN: dml-opt %s --split-input-file --dml-select-map-tiles | FileCheck %s --check-prefix=CHOICE
// RUN: dml-opt %s --split-input-file --dml-select-map-tiles --dml-distribute-to-workgroups | FileCheck %s

// Moved by whole words, they are not taken apart.

// CHOICE-LABEL: func @words
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @words
// CHECK:         %[[THREAD:.*]] = arith.minui
// CHECK:         %[[LOW:.*]] = memref.load %[[INPUT:.*]][%[[THREAD]]] : memref<5xvector<4xi32>>
// CHECK-NEXT:    %[[A:.*]] = vector.extract %[[LOW]][1]
// CHECK-NEXT:    %[[B:.*]] = vector.extract %[[LOW]][2]
// CHECK-NEXT:    %[[C:.*]] = vector.extract %[[LOW]][3]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[THREAD]], %c1
// CHECK-NEXT:    %[[HIGH:.*]] = memref.load %[[INPUT]][%[[NEXT]]]
// CHECK-NEXT:    %[[D:.*]] = vector.extract %[[HIGH]][0]
// CHECK-NEXT:    %[[VECTOR:.*]] = vector.from_elements %[[A]], %[[B]], %[[C]], %[[D]] : vector<4xi32>
// CHECK-NEXT:    memref.store %[[VECTOR]], %{{.*}}[%[[THREAD]]] : memref<3xvector<4xi32>>
#identity = affine_map<(d0) -> (d0)>
func.func @words(%input: memref<67xi8>, %output: memref<48xi8>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<48xi8>) {
  ^bb0(%out: i8):
    %four = arith.constant 4 : index
    %i = linalg.index 0 : index
    %shifted = arith.addi %i, %four : index
    %element = memref.load %input[%shifted] : memref<67xi8>
    linalg.yield %element : i8
  }
  return
}
// -----

// Moved by part of a word, each word is made of two: here by 16 bits.

// CHOICE-LABEL: func @misaligned
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @misaligned
// CHECK:         %[[LOW:.*]] = memref.load %{{.*}} : memref<7xvector<4xi32>>
// CHECK-NEXT:    %[[A:.*]] = vector.extract %[[LOW]][0]
// CHECK-NEXT:    %[[B:.*]] = vector.extract %[[LOW]][1]
// CHECK:         %[[SIXTEEN:.*]] = arith.constant 16 : index
// CHECK-NEXT:    %[[SHIFT:.*]] = arith.index_cast %[[SIXTEEN]] : index to i32
// CHECK:         %[[BACK:.*]] = arith.subi %c31_i32, %[[SHIFT]]
// CHECK-NEXT:    %[[RIGHT:.*]] = arith.shrui %[[A]], %[[SHIFT]]
// CHECK-NEXT:    %[[ONCE:.*]] = arith.shli %[[B]], %c1_i32
// CHECK-NEXT:    %[[LEFT:.*]] = arith.shli %[[ONCE]], %[[BACK]]
// CHECK-NEXT:    %[[WORD:.*]] = arith.ori %[[RIGHT]], %[[LEFT]]
// CHECK-COUNT-3: arith.ori
// CHECK:         vector.from_elements %[[WORD]], {{.*}} : vector<4xi32>
#identity = affine_map<(d0) -> (d0)>
func.func @misaligned(%input: memref<49xf16>, %output: memref<48xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<48xf16>) {
  ^bb0(%out: f16):
    %one = arith.constant 1 : index
    %i = linalg.index 0 : index
    %shifted = arith.addi %i, %one : index
    %element = memref.load %input[%shifted] : memref<49xf16>
    linalg.yield %element : f16
  }
  return
}
// -----

// A thread stores as many bytes as 16 bytes of what it reads make. Numbers that were
// computed in words are put together as words.

// CHOICE-LABEL: func @narrow
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 4 : i64}}
// CHECK-LABEL: func @narrow
// CHECK:         %[[LOADED:.*]] = memref.load %{{.*}} : memref<16xvector<4xf32>>
// CHECK:         %[[FIRST:.*]] = arith.fptoui
// CHECK:         %[[LOW:.*]] = arith.andi %[[FIRST]], %c255_i32
// CHECK:         arith.shli %{{.*}}, %c8_i32
// CHECK:         arith.shli %{{.*}}, %c16_i32
// CHECK:         arith.shli %{{.*}}, %c24_i32
// CHECK-NEXT:    %[[WORD:.*]] = arith.ori
// CHECK-NEXT:    memref.store %[[WORD]], %{{.*}} : memref<16xi32>
#identity = affine_map<(d0) -> (d0)>
func.func @narrow(%input: memref<64xf32>, %output: memref<64xi8>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<64xi8>) {
  ^bb0(%out: i8):
    %i = linalg.index 0 : index
    %element = memref.load %input[%i] : memref<64xf32>
    %word = arith.fptoui %element : f32 to i32
    %byte = arith.trunci %word : i32 to i8
    linalg.yield %byte : i8
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
