// Views of buffers keep bytes: what they round up to and what folds.
//
// RUN: dml-opt %s | dml-opt | FileCheck %s
// RUN: dml-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func @views
// CHECK:       dml_buffer.view %{{.*}} : memref<3x7xi8> to memref<2xvector<4xi32>>
// CHECK:       %[[PART:.*]] = dml_buffer.view %{{.*}} : memref<2x2xf32, strided<[6, 1], offset: 2>> to memref<4xf32>
// CHECK:       dml_buffer.view %[[PART]] whole : memref<4xf32> to memref<12xf32>
func.func @views(%bytes: memref<3x7xi8>, %rows: memref<2x6xf32>)
    -> (memref<2xvector<4xi32>>, memref<12xf32>) {
  %vectors = dml_buffer.view %bytes : memref<3x7xi8> to memref<2xvector<4xi32>>
  %range = memref.subview %rows[0, 2] [2, 2] [1, 1]
      : memref<2x6xf32> to memref<2x2xf32, strided<[6, 1], offset: 2>>
  %part = dml_buffer.view %range : memref<2x2xf32, strided<[6, 1], offset: 2>> to memref<4xf32>
  %all = dml_buffer.view %part whole : memref<4xf32> to memref<12xf32>
  return %vectors, %all : memref<2xvector<4xi32>>, memref<12xf32>
}

// FOLD-LABEL: func @same
// FOLD-NEXT:  return %arg0
func.func @same(%buffer: memref<4xf32>) -> memref<4xf32> {
  %same = dml_buffer.view %buffer : memref<4xf32> to memref<4xf32>
  return %same : memref<4xf32>
}

// SPDX-License-Identifier: Apache-2.0
