// Loops over steps: the body becomes a function, slices become ranges that advance with the
// iteration, and the body writes into the ranges.
//
// RUN: split-file %s %t
// RUN: dml-opt %t/scan.mlir --dml-outline-loop-bodies | FileCheck %t/scan.mlir --check-prefix=OUTLINE
// RUN: dml-opt %t/scan.mlir --dml-outline-loop-bodies --dml-linalg-to-gpu | FileCheck %t/scan.mlir --check-prefix=GPU
// RUN: not dml-opt %t/rows.mlir --dml-bufferize-loops 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: not dml-opt %t/bounds.mlir --dml-bufferize-loops 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not dml-opt %t/unchanged.mlir --dml-bufferize-loops 2>&1 | FileCheck %s --check-prefix=UNCHANGED
// RUN: not dml-opt %t/iteration.mlir --dml-outline-loop-bodies 2>&1 | FileCheck %s --check-prefix=ITERATION

// ALIGNED: error: a loop over steps wants slices of consecutive elements that begin at multiples of 256 bytes of 'tensor<8x32xf32>', by arithmetic on the iteration
// BOUNDS: error: a loop over steps wants to go from 0 to a constant by 1
// UNCHANGED: error: a loop over steps wants each tensor that it carries to be computed, or to have a slice inserted
// ITERATION: error: the body of a loop over steps wants tensors alone, but reads a value of type 'index' from outside of its kernels

// Sums of rows from the last to the first.
//--- scan.mlir
#map = affine_map<(d0, d1) -> (d0, d1)>
// OUTLINE-LABEL: func @main
// OUTLINE:         scf.for
// OUTLINE-NEXT:      arith.subi
// OUTLINE-NEXT:      %[[ROW:.*]] = tensor.extract_slice
// OUTLINE-NEXT:      %[[SUM:.*]] = func.call @loop_body(%[[ROW]], %{{.*}}) {no_inline} : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
// OUTLINE-NEXT:      %[[ALL:.*]] = tensor.insert_slice %[[SUM]] into
// OUTLINE-NEXT:      scf.yield %[[ALL]], %[[SUM]]
// OUTLINE:       func private @loop_body(%[[A:.*]]: tensor<1x64xf32>, %[[B:.*]]: tensor<1x64xf32>) -> tensor<1x64xf32> attributes {no_inline}
// OUTLINE:         linalg.generic
// OUTLINE-DAG:       tensor.extract %[[A]]
// OUTLINE-DAG:       tensor.extract %[[B]]

// The body writes into the result, from which the state is copied.
// GPU-LABEL: func @main
// GPU-SAME:      %[[ROWS:.*]]: memref<16x64xf32>, %{{.*}}: memref<1x64xf32>, %[[SUMS:.*]]: memref<16x64xf32> {bufferize.result}
// GPU:         %[[STATE:.*]] = memref.alloc() : memref<128xf32>
// GPU:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// GPU-DAG:       %[[BEFORE:.*]] = dml_buffer.range %[[STATE]] at 0 by 256 in %[[I]] modulo 2 : memref<128xf32> to memref<1x64xf32>
// GPU-DAG:       %[[ROW:.*]] = dml_buffer.range %[[ROWS]] at 3840 by -256 in %[[I]] : memref<16x64xf32> to memref<1x64xf32>
// GPU-DAG:       %[[SUM:.*]] = dml_buffer.range %[[SUMS]] at 3840 by -256 in %[[I]] : memref<16x64xf32> to memref<1x64xf32>
// GPU-NOT:       memref.alloc
// GPU:           gpu.launch_func
// GPU:           %[[AFTER:.*]] = dml_buffer.range %[[STATE]] at 256 by -256 in %[[I]] modulo 2 : memref<128xf32> to memref<1x64xf32>
// GPU:           memref.copy %[[SUM]], %[[AFTER]]
// GPU:         }
// GPU-NOT:     @loop_body
func.func @main(%rows: tensor<16x64xf32>, %init: tensor<1x64xf32>) -> (tensor<16x64xf32>, tensor<1x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = arith.constant 15 : index
  %count = arith.constant 16 : index
  %empty = tensor.empty() : tensor<16x64xf32>
  %sums:2 = scf.for %i = %zero to %count step %one iter_args(%all = %empty, %sum = %init) -> (tensor<16x64xf32>, tensor<1x64xf32>) {
    %t = arith.subi %last, %i : index
    %row = tensor.extract_slice %rows[%t, 0] [1, 64] [1, 1] : tensor<16x64xf32> to tensor<1x64xf32>
    %new = tensor.empty() : tensor<1x64xf32>
    %next = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%new : tensor<1x64xf32>) attrs = {dml.label = "sum"} {
    ^bb0(%out: f32):
      %0 = linalg.index 0 : index
      %1 = linalg.index 1 : index
      %a = tensor.extract %row[%0, %1] : tensor<1x64xf32>
      %b = tensor.extract %sum[%0, %1] : tensor<1x64xf32>
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<1x64xf32>
    %written = tensor.insert_slice %next into %all[%t, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<16x64xf32>
    scf.yield %written, %next : tensor<16x64xf32>, tensor<1x64xf32>
  }
  return %sums#0, %sums#1 : tensor<16x64xf32>, tensor<1x64xf32>
}

//--- rows.mlir
func.func private @body(tensor<1x32xf32>) -> tensor<1x32xf32>
func.func @main(%rows: tensor<8x32xf32>, %init: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 8 : index
  %0 = scf.for %i = %zero to %count step %one iter_args(%sum = %init) -> (tensor<1x32xf32>) {
    %row = tensor.extract_slice %rows[%i, 0] [1, 32] [1, 1] : tensor<8x32xf32> to tensor<1x32xf32>
    %next = func.call @body(%row) : (tensor<1x32xf32>) -> tensor<1x32xf32>
    scf.yield %next : tensor<1x32xf32>
  }
  return %0 : tensor<1x32xf32>
}

//--- bounds.mlir
func.func private @body(tensor<1x32xf32>) -> tensor<1x32xf32>
func.func @main(%init: tensor<1x32xf32>, %count: index) -> tensor<1x32xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.for %i = %zero to %count step %one iter_args(%sum = %init) -> (tensor<1x32xf32>) {
    %next = func.call @body(%sum) : (tensor<1x32xf32>) -> tensor<1x32xf32>
    scf.yield %next : tensor<1x32xf32>
  }
  return %0 : tensor<1x32xf32>
}

//--- unchanged.mlir
func.func @main(%init: tensor<1x32xf32>, %other: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 8 : index
  %0 = scf.for %i = %zero to %count step %one iter_args(%sum = %init) -> (tensor<1x32xf32>) {
    scf.yield %other : tensor<1x32xf32>
  }
  return %0 : tensor<1x32xf32>
}

//--- iteration.mlir
#map = affine_map<(d0) -> (d0)>
func.func @main(%init: tensor<4xindex>) -> tensor<4xindex> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 8 : index
  %0 = scf.for %i = %zero to %count step %one iter_args(%all = %init) -> (tensor<4xindex>) {
    %new = tensor.empty() : tensor<4xindex>
    %next = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%new : tensor<4xindex>) {
    ^bb0(%out: index):
      linalg.yield %i : index
    } -> tensor<4xindex>
    scf.yield %next : tensor<4xindex>
  }
  return %0 : tensor<4xindex>
}

// SPDX-License-Identifier: Apache-2.0
