// Which sums of products have parts, by the times that are estimated.
//
// RUN: dml-opt %s --split-input-file --dml-split-sums | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-attach-device=profile=full,multiprocessors=8 --dml-split-sums | FileCheck %s --check-prefix=SMALL

// Sums of 3,072 terms in 48 tiles of 64 by 32 have parts, and those of 64 terms have none:
// the launch of another kernel takes longer than they do.

// CHECK-LABEL: func @few
// Eight multiprocessors have work enough.
// SMALL-LABEL: func @few
// SMALL-NOT:   memref.alloc
// CHECK:       memref.alloc() : memref<{{[0-9]+}}x128x768xf32>
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @few(%a: memref<128x3072xf32>, %b: memref<3072x768xf32>, %c: memref<128x768xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<128x768xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3072 = arith.constant 3072 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c3072 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<128x3072xf32>
      %y = memref.load %b[%k, %column] : memref<3072x768xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// CHECK-LABEL: func @short
// CHECK-NOT:   memref.alloc
// CHECK:       return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @short(%a: memref<128x64xf32>, %b: memref<64x768xf32>, %c: memref<128x768xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<128x768xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<128x64xf32>
      %y = memref.load %b[%k, %column] : memref<64x768xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
