// Matrix kernels store what neighbouring threads load at once in different banks of
// workgroup memory: lines of 4 vectors begin 5 vectors apart, and follow each other as 0,
// 4, 1, 5, 2, 6, 3, 7. With l = t / 4, thread t has a vector of the line
// 8 (l / 8) + 4 (l mod 2) + l mod 8 / 2.
//
// RUN: dml-opt %s --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups --canonicalize | FileCheck %s
//
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: func @product
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG:     %[[C20:.*]] = arith.constant 20 : index
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : index
// CHECK:         %[[VECTOR:.*]] = arith.remui %[[THREAD:.*]], %[[C4]]
// CHECK:         %[[NUMBER:.*]] = arith.divui %[[THREAD]], %[[C4]]
// CHECK:         %[[IN_BLOCK:.*]] = arith.remui %[[NUMBER]], %[[C8]]
// CHECK:         %[[TURN:.*]] = arith.divui %[[IN_BLOCK]], %[[C2]]
// CHECK:         %[[OF_TURN:.*]] = arith.remui %[[IN_BLOCK]], %[[C2]]
// The lines of the buffer have 8 vectors.
// CHECK:         arith.muli %[[OF_TURN]], %[[C32]]
// CHECK:         memref.load
// Those of workgroup memory have 5.
// CHECK:         %[[FIRST:.*]] = arith.muli %[[OF_TURN]], %[[C20]]
// CHECK-NEXT:    %[[PLACE:.*]] = arith.addi %{{.*}}, %[[FIRST]]
// CHECK-NEXT:    memref.store %{{.*}}, %{{.*}}[%[[PLACE]]]
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%lhs: memref<64x64xf16>, %rhs: memref<64x64xf16>, %output: memref<64x64xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<64x64xf16>)
      attrs = {dml.kernel = {matrix_tile = {shape = "16x16x16xf16xf32", stages = 1 : i64, subgroup = array<i64: 32, 32>, workgroup = array<i64: 64, 64, 32>}}} {
  ^bb0(%out: f16):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<64x64xf16>
      %y = memref.load %rhs[%column, %k] : memref<64x64xf16>
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
