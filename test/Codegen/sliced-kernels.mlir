// How the parts of sums meet that the threads of a workgroup share out.
//
// RUN: dml-opt %s --split-input-file --dml-distribute-to-workgroups --canonicalize --cse | FileCheck %s

// 64 threads have a part of each of 2 columns' sums. 16 threads add up 8 of them each,
// and store what they come to behind the parts; 2 threads add up 8 of these.

// CHECK-LABEL: func @two_steps
// CHECK:       memref.store {{.*}} memref<144xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:  gpu.barrier
// CHECK:       scf.if
// CHECK-COUNT-8: memref.load {{.*}} memref<144xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:   memref.load
// CHECK:       memref.store {{.*}} memref<144xf32, #gpu.address_space<workgroup>>
// CHECK:       gpu.barrier
// CHECK:       scf.if
// CHECK-COUNT-8: memref.load {{.*}} memref<144xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:   memref.load
// CHECK:       memref.store
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @two_steps(%lhs: memref<1x256xf32>, %rhs: memref<1024x256xf32>, %output: memref<1x1024xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x1024xf32>)
      attrs = {dml.kernel = {slice_tile = array<i64: 1, 1, 64, 4, 1>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<1x256xf32>
      %y = memref.load %rhs[%column, %k] : memref<1024x256xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// 2 parts of each sum are added up in one step, by a thread for each 4 columns.

// CHECK-LABEL: func @one_step
// CHECK:       memref.store {{.*}} memref<512xf32, #gpu.address_space<workgroup>>
// CHECK:       gpu.barrier
// CHECK:       scf.if
// CHECK-COUNT-8: memref.load {{.*}} memref<512xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:   memref.load
// CHECK-NOT:   gpu.barrier
// CHECK:       memref.store
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @one_step(%lhs: memref<1x256xf32>, %rhs: memref<256x1024xf32>, %output: memref<1x1024xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x1024xf32>)
      attrs = {dml.kernel = {slice_tile = array<i64: 1, 4, 2, 4, 1>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<1x256xf32>
      %y = memref.load %rhs[%k, %column] : memref<256x1024xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
