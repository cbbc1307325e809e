// RUN: dml-opt %s --split-input-file --dml-split-sums=sum-parts=4 | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-split-sums=sum-parts=none | FileCheck %s --check-prefix=NONE
// RUN: not dml-opt %s --split-input-file --dml-split-sums=sum-parts=17 2>&1 | FileCheck %s --check-prefix=MANY

// Each of four parts has the terms of 16 iterations, in f32. What is computed of the
// sum is computed of the sum of the parts.

// CHECK-LABEL: func @product
// CHECK-SAME:    %[[A:[^:]*]]: memref<8x64xf32>, %[[B:[^:]*]]: memref<64x8xf32>, %[[C:[^:]*]]: memref<8x8xf16>
// CHECK:       %[[PARTS:.*]] = memref.alloc() : memref<4x8x8xf32>
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[PARTS]] : memref<4x8x8xf32>) attrs = {dml.label = "dml.gemm"}
// CHECK:         %[[PART:.*]] = linalg.index 0
// CHECK:         %[[FIRST:.*]] = arith.muli %[[PART]], %[[TRIPS:.*]] : index
// CHECK:         %[[ROW:.*]] = linalg.index 1
// CHECK:         %[[COLUMN:.*]] = linalg.index 2
// CHECK:         %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           %[[K:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK:           memref.load %[[A]][%[[ROW]], %[[K]]]
// CHECK:           memref.load %[[B]][%[[K]], %[[COLUMN]]]
// CHECK:         linalg.yield %[[SUM]] : f32
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[C]] : memref<8x8xf16>) attrs = {dml.label = "dml.gemm"}
// CHECK-NOT:     scf.for
// CHECK-COUNT-4: memref.load %[[PARTS]]
// CHECK-NEXT:    %[[TOTAL:.*]] = arith.addf
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.truncf %[[TOTAL]]
// CHECK:         linalg.yield %[[ROUNDED]] : f16

// NONE-LABEL: func @product
// NONE-NOT:   memref.alloc
// NONE:       scf.for

// MANY: error: sum-parts is '17', but wants to be 'auto', 'none' or a number from 2 to 16
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%a: memref<8x64xf32>, %b: memref<64x8xf32>, %c: memref<8x8xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<8x8xf16>) attrs = {dml.label = "dml.gemm"} {
  ^bb0(%out: f16):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<8x64xf32>
      %y = memref.load %b[%k, %column] : memref<64x8xf32>
      %next = math.fma %x, %y, %before : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %sum : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

// -----

// Sums whose iterations do not fall into equal parts stay whole, and so do those for
// which a kernel was chosen.

// CHECK-LABEL: func @unequal
// CHECK-NOT:   memref.alloc
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @unequal(%a: memref<8x63xi32>, %b: memref<63x8xi32>, %c: memref<8x8xi32>,
                   %d: memref<8x64xf32>, %e: memref<64x8xf32>, %f: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<8x8xi32>) {
  ^bb0(%out: i32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %zero = arith.constant 0 : i32
    %sum = scf.for %k = %c0 to %c63 step %c1 iter_args(%before = %zero) -> i32 {
      %x = memref.load %a[%row, %k] : memref<8x63xi32>
      %y = memref.load %b[%k, %column] : memref<63x8xi32>
      %product = arith.muli %x, %y : i32
      %next = arith.addi %before, %product : i32
      scf.yield %next : i32
    }
    linalg.yield %sum : i32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%f : memref<8x8xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 64, 64, 16>}} {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %d[%row, %k] : memref<8x64xf32>
      %y = memref.load %e[%k, %column] : memref<64x8xf32>
      %next = math.fma %x, %y, %before : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
