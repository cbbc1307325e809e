// An output in the buffer of an input: what operations become.
//
// RUN: dml-opt %s --split-input-file --dml-write-in-place | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-write-in-place --dml-distribute-to-workgroups | FileCheck %s --check-prefix=KERNEL

// The kernel reads the element that it computes, and stores where the element is new.

// CHECK-LABEL: func @where
// CHECK-SAME:    %[[PAST:[a-z0-9]+]]: memref<4x8xf32>
// CHECK-SAME:    %[[PRESENT:[a-z0-9]+]]: memref<4x8xf32> {bufferize.result
// CHECK:       linalg.generic {{.*}} outs(%[[PRESENT]] : memref<4x8xf32>)
// CHECK-NEXT:  ^bb0(%[[OLD:.*]]: f32):
// CHECK-NOT:     memref.load %[[PAST]]
// CHECK:         arith.select %{{.*}}, %{{.*}}, %[[OLD]]

// KERNEL-LABEL: func @where
// KERNEL:       gpu.launch
// KERNEL:         %[[NEW:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}}
// KERNEL:         scf.if %[[NEW]] {
// KERNEL-NOT:       memref.load %{{.*}} : memref<8xvector<4xf32>>
// KERNEL:           memref.store %{{.*}}, %[[OUT:.*]][%{{.*}}] : memref<8xvector<4xf32>>
// KERNEL:         }
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @where(%past: memref<4x8xf32> {dml.in_place = 0, dml.name = "past"}, %at: memref<1xi32>, %new: memref<1x8xf32>,
                 %present: memref<4x8xf32> {bufferize.result, dml.in_place = 0, dml.name = "present"}) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%present : memref<4x8xf32>) {
  ^bb0(%unread: f32):
    %c0 = arith.constant 0 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %position = memref.load %at[%c0] : memref<1xi32>
    %row = arith.index_castui %position : i32 to index
    %isNew = arith.cmpi eq, %row, %i : index
    %element = memref.load %new[%c0, %j] : memref<1x8xf32>
    %old = memref.load %past[%i, %j] : memref<4x8xf32>
    %0 = arith.select %isNew, %element, %old : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Stores of elements onto themselves are removed: a copy, and a kernel that moves a part.

// CHECK-LABEL: func @parts
// CHECK-NOT:     memref.copy
// CHECK-NOT:     linalg.generic
// CHECK:         return
// KERNEL-LABEL: func @parts
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @parts(%past: memref<8x4xf32> {dml.in_place = 0}, %other: memref<4xf32> {dml.in_place = 3},
                 %present: memref<8x4xf32> {bufferize.result, dml.in_place = 0}, %same: memref<4xf32> {bufferize.result, dml.in_place = 3}) {
  memref.copy %other, %same : memref<4xf32> to memref<4xf32>
  %part = memref.subview %present[2, 0] [4, 4] [1, 1] : memref<8x4xf32> to memref<4x4xf32, strided<[4, 1], offset: 8>>
  %packed = dml_buffer.view %part : memref<4x4xf32, strided<[4, 1], offset: 8>> to memref<4x4xf32>
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%packed : memref<4x4xf32>) {
  ^bb0(%unread: f32):
    %c2 = arith.constant 2 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.addi %i, %c2 : index
    %old = memref.load %past[%row, %j] : memref<8x4xf32>
    linalg.yield %old : f32
  }
  return
}

// -----

// A read of old elements goes in front of the write, with what it depends on.

// CHECK-LABEL: func @order
// CHECK-SAME:    %[[PAST:[a-z0-9]+]]: memref<4xf32> {dml.in_place
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<4xf32>
// CHECK-SAME:    %[[PRESENT:[a-z0-9]+]]: memref<4xf32> {bufferize.result, dml.in_place
// CHECK-SAME:    %[[OLD:[a-z0-9]+]]: memref<4xf32>
// CHECK:         memref.copy %[[PRESENT]], %[[OLD]]
// CHECK-NEXT:    memref.copy %[[X]], %[[PRESENT]]
// KERNEL-LABEL: func @order
func.func @order(%past: memref<4xf32> {dml.in_place = 1}, %x: memref<4xf32>,
                 %present: memref<4xf32> {bufferize.result, dml.in_place = 1}, %old: memref<4xf32> {bufferize.result}) {
  memref.copy %x, %present : memref<4xf32> to memref<4xf32>
  memref.copy %past, %old : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A body with loops writes another buffer.

// CHECK-LABEL: func @sum
// CHECK-SAME:    %[[PRESENT:[a-z0-9]+]]: memref<4xf32> {bufferize.result
// CHECK:         %[[OTHER:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[OTHER]] : memref<4xf32>)
// CHECK:           memref.load %[[PRESENT]]
// CHECK:         memref.copy %[[OTHER]], %[[PRESENT]]
// KERNEL-LABEL: func @sum
#identity1 = affine_map<(d0) -> (d0)>
func.func @sum(%past: memref<4xf32> {dml.in_place = 0}, %x: memref<4x8xf32>,
               %present: memref<4xf32> {bufferize.result, dml.in_place = 0}) {
  linalg.generic {indexing_maps = [#identity1], iterator_types = ["parallel"]}
      outs(%present : memref<4xf32>) {
  ^bb0(%unread: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %i = linalg.index 0 : index
    %old = memref.load %past[%i] : memref<4xf32>
    %0 = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %old) -> f32 {
      %term = memref.load %x[%i, %k] : memref<4x8xf32>
      %1 = arith.addf %sum, %term : f32
      scf.yield %1 : f32
    }
    linalg.yield %0 : f32
  }
  return
}

// -----

// Three rows of each of 2 x 4096 are new: 2 x 3 x 16 vectors have threads, and not 2 x 4096 x 16.

// KERNEL-LABEL: func @rows
// KERNEL:       gpu.launch
// KERNEL:         %[[THREADS:.*]] = arith.constant 96 : index
// KERNEL:         arith.cmpi ult, %{{.*}}, %[[THREADS]]
// KERNEL:         %[[START:.*]] = memref.load %{{.*}} : memref<2xi32>
// KERNEL:         %[[FIRST:.*]] = arith.index_castui %[[START]]
// KERNEL:         arith.minui %[[FIRST]], %{{.*}}
// KERNEL:         memref.store {{.*}} : memref<131072xvector<4xf32>>
#identity3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @rows(%past: memref<2x4096x64xf32> {dml.in_place = 0}, %starts: memref<2xi32>, %new: memref<2x3x64xf32>,
                %present: memref<2x4096x64xf32> {bufferize.result, dml.in_place = 0}) {
  linalg.generic {indexing_maps = [#identity3], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%present : memref<2x4096x64xf32>) {
  ^bb0(%unread: f32):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %start = memref.load %starts[%n] : memref<2xi32>
    %first = arith.index_castui %start : i32 to index
    %end = arith.addi %first, %c3 : index
    %isBehind = arith.cmpi uge, %i, %first : index
    %isBefore = arith.cmpi ult, %i, %end : index
    %isNew = arith.andi %isBehind, %isBefore : i1
    %distance = arith.subi %i, %first : index
    %above = arith.maxsi %distance, %c0 : index
    %row = arith.minsi %above, %c2 : index
    %element = memref.load %new[%n, %row, %j] : memref<2x3x64xf32>
    %old = memref.load %past[%n, %i, %j] : memref<2x4096x64xf32>
    %0 = arith.select %isNew, %element, %old : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Where the first new row depends on the element in the row, all rows have threads.

// KERNEL-LABEL: func @columns
// KERNEL:       gpu.launch
// KERNEL-NOT:     arith.minui
// KERNEL:         arith.cmpi eq
func.func @columns(%past: memref<64x64xf32> {dml.in_place = 0}, %places: memref<64xi32>, %new: memref<64xf32>,
                   %present: memref<64x64xf32> {bufferize.result, dml.in_place = 0}) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%present : memref<64x64xf32>) {
  ^bb0(%unread: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %place = memref.load %places[%j] : memref<64xi32>
    %first = arith.index_castui %place : i32 to index
    %isNew = arith.cmpi eq, %i, %first : index
    %element = memref.load %new[%j] : memref<64xf32>
    %old = memref.load %past[%i, %j] : memref<64x64xf32>
    %0 = arith.select %isNew, %element, %old : f32
    linalg.yield %0 : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
