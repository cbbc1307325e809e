// An output in the buffer of an input whose f16 are words: a body splits the number of an
// element, of 2x2x16, into coordinates, and finds the word of each.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --dml-write-in-place | FileCheck %s

// The second element of word w is element 2 * w + 1, whose word is w again.
// CHECK-LABEL: func @words
// CHECK:         ^bb0(%[[OLD:.*]]: i32):
// CHECK-NOT:     memref.load %arg0
// CHECK:         arith.ori %[[OLD]], %{{.*}} : i32
func.func @words(%past: memref<32xi32> {dml.in_place = 0, dml.name = "past"}, %new: memref<i32>,
                 %present: memref<32xi32> {bufferize.result, dml.in_place = 0, dml.name = "present"}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %two = arith.constant 2 : i32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%present : memref<32xi32>) {
  ^bb0(%unread: i32):
    %word = linalg.index 0 : index
    %first = arith.muli %word, %c2 : index
    %number = arith.addi %first, %c1 : index
    %column = arith.remui %number, %c16 : index
    %line = arith.divui %number, %c16 : index
    %row = arith.remui %line, %c2 : index
    %head = arith.divui %line, %c2 : index
    %0 = arith.muli %head, %c2 : index
    %1 = arith.addi %0, %row : index
    %2 = arith.muli %1, %c16 : index
    %3 = arith.addi %2, %column : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.divui %4, %two : i32
    %6 = arith.index_castui %5 : i32 to index
    %old = memref.load %past[%6] : memref<32xi32>
    %added = memref.load %new[] : memref<i32>
    %7 = arith.ori %old, %added : i32
    linalg.yield %7 : i32
  }
  return
}

// -----

// Element 2 * w + 2 belongs to the next word.
func.func @next(%past: memref<32xi32> {dml.in_place = 0, dml.name = "past"}, %new: memref<i32>,
                 %present: memref<32xi32> {bufferize.result, dml.in_place = 0, dml.name = "present"}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %two = arith.constant 2 : i32
  // expected-error @below {{reads elements of the input that other invocations of its kernel write}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%present : memref<32xi32>) {
  ^bb0(%unread: i32):
    %word = linalg.index 0 : index
    %first = arith.muli %word, %c2 : index
    %number = arith.addi %first, %c2 : index
    %column = arith.remui %number, %c16 : index
    %line = arith.divui %number, %c16 : index
    %row = arith.remui %line, %c2 : index
    %head = arith.divui %line, %c2 : index
    %0 = arith.muli %head, %c2 : index
    %1 = arith.addi %0, %row : index
    %2 = arith.muli %1, %c16 : index
    %3 = arith.addi %2, %column : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.divui %4, %two : i32
    %6 = arith.index_castui %5 : i32 to index
    %old = memref.load %past[%6] : memref<32xi32>
    %added = memref.load %new[] : memref<i32>
    %7 = arith.ori %old, %added : i32
    linalg.yield %7 : i32
  }
  return
}

// -----

// Rows modulo 16 are not the digit that the heads lack.
func.func @digits(%past: memref<32xi32> {dml.in_place = 0, dml.name = "past"}, %new: memref<i32>,
                 %present: memref<32xi32> {bufferize.result, dml.in_place = 0, dml.name = "present"}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %two = arith.constant 2 : i32
  // expected-error @below {{reads elements of the input that other invocations of its kernel write}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%present : memref<32xi32>) {
  ^bb0(%unread: i32):
    %word = linalg.index 0 : index
    %first = arith.muli %word, %c2 : index
    %number = arith.addi %first, %c1 : index
    %column = arith.remui %number, %c16 : index
    %line = arith.divui %number, %c16 : index
    %row = arith.remui %line, %c16 : index
    %head = arith.divui %line, %c2 : index
    %0 = arith.muli %head, %c2 : index
    %1 = arith.addi %0, %row : index
    %2 = arith.muli %1, %c16 : index
    %3 = arith.addi %2, %column : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.divui %4, %two : i32
    %6 = arith.index_castui %5 : i32 to index
    %old = memref.load %past[%6] : memref<32xi32>
    %added = memref.load %new[] : memref<i32>
    %7 = arith.ori %old, %added : i32
    linalg.yield %7 : i32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
