// Rows of loops begin at multiples of 256 bytes: rows of 10 elements of f32 are taken from rows of
// 64, and are put into them.
//
// RUN: split-file %s %t
// RUN: dml-opt %t/rows.mlir --dml-align-loops | FileCheck %t/rows.mlir
// RUN: dml-opt %t/states.mlir --dml-align-loops | FileCheck %t/states.mlir
// RUN: dml-opt %t/whole.mlir --dml-align-loops | FileCheck %t/whole.mlir

//--- rows.mlir
// CHECK-LABEL: func @main
// CHECK-SAME:      (%[[ROWS:.*]]: tensor<8x10xf32>
// CHECK:         %[[ALL:.*]] = tensor.empty() : tensor<8x128xf16>
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<8x64xf32>
// CHECK:         %[[PADDED:.*]] = tensor.insert_slice %[[ROWS]] into %[[EMPTY]][0, 0] [8, 10] [1, 1]
// CHECK:         %[[LOOP:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %[[ALL]]) -> (tensor<8x128xf16>)
// CHECK:           tensor.extract_slice %[[PADDED]][%[[I]], 0] [1, 10] [1, 1] : tensor<8x64xf32> to tensor<1x10xf32>
// CHECK:           %[[NEXT:.*]] = func.call @body
// CHECK:           %[[FLAT:.*]] = tensor.collapse_shape %[[NEXT]] {{.*}} into tensor<6xf16>
// CHECK:           %[[ROW:.*]] = tensor.expand_shape %[[FLAT]]
// CHECK:           %[[WRITTEN:.*]] = tensor.insert_slice %[[ROW]] into %[[A]][%{{.*}}, 0] [1, 6] [1, 1]
// CHECK:           scf.yield %[[WRITTEN]]
// CHECK:         %[[TAKEN:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x6xf16>)
// CHECK:           tensor.extract %[[LOOP]]
// CHECK:         tensor.expand_shape
func.func private @body(tensor<1x10xf32>) -> tensor<1x2x3xf16>
func.func @main(%rows: tensor<8x10xf32>) -> tensor<8x2x3xf16> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = arith.constant 7 : index
  %count = arith.constant 8 : index
  %empty = tensor.empty() : tensor<8x2x3xf16>
  %0 = scf.for %i = %zero to %count step %one iter_args(%all = %empty) -> (tensor<8x2x3xf16>) {
    %t = arith.subi %last, %i : index
    %row = tensor.extract_slice %rows[%i, 0] [1, 10] [1, 1] : tensor<8x10xf32> to tensor<1x10xf32>
    %next = func.call @body(%row) : (tensor<1x10xf32>) -> tensor<1x2x3xf16>
    %written = tensor.insert_slice %next into %all[%t, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<1x2x3xf16> into tensor<8x2x3xf16>
    scf.yield %written : tensor<8x2x3xf16>
  }
  return %0 : tensor<8x2x3xf16>
}

// A state that is also a row is read from the row of the iteration before: row 0 is the state
// before the first iteration. States that change places are copied.
//--- states.mlir
// CHECK-LABEL: func @main
// CHECK-SAME:      (%[[INIT:.*]]: tensor<1x10xf32>, %[[OTHER:.*]]: tensor<4xf32>)
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<576xf32>
// CHECK:         %[[FIRST:.*]] = tensor.collapse_shape %[[INIT]]
// CHECK:         %[[BEGIN:.*]] = tensor.insert_slice %[[FIRST]] into %[[EMPTY]][0] [10] [1]
// CHECK:         %[[LOOP:.*]]:4 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[S:.*]] = %[[INIT]], %[[ALL:.*]] = %[[BEGIN]], %[[P:.*]] = %[[OTHER]], %[[Q:.*]] = %[[OTHER]])
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK:           %[[FROM:.*]] = arith.muli %[[I]], %{{.*}}
// CHECK:           %[[ROW:.*]] = tensor.extract_slice %[[ALL]][%[[FROM]]] [10] [1]
// CHECK:           %[[STATE:.*]] = tensor.expand_shape %[[ROW]]
// CHECK:           %[[NEW:.*]] = func.call @body(%[[STATE]])
// CHECK:           %[[TO:.*]] = arith.muli %[[NEXT]], %{{.*}}
// CHECK:           %[[WRITTEN:.*]] = tensor.insert_slice %{{.*}} into %[[ALL]][%[[TO]]] [10] [1]
// CHECK:           %[[P1:.*]] = linalg.generic
// CHECK:             tensor.extract %[[Q]]
// CHECK:           %[[Q1:.*]] = linalg.generic
// CHECK:             tensor.extract %[[P]]
// CHECK:           scf.yield %[[S]], %[[WRITTEN]], %[[P1]], %[[Q1]]
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<8x10xf32>)
// CHECK:           tensor.extract %[[LOOP]]#1
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x10xf32>)
// CHECK:           tensor.extract %[[LOOP]]#1
func.func private @body(tensor<1x10xf32>) -> tensor<1x10xf32>
func.func @main(%init: tensor<1x10xf32>, %other: tensor<4xf32>) -> (tensor<8x10xf32>, tensor<1x10xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 8 : index
  %empty = tensor.empty() : tensor<8x10xf32>
  %0:4 = scf.for %i = %zero to %count step %one iter_args(%state = %init, %all = %empty, %p = %other, %q = %other)
      -> (tensor<1x10xf32>, tensor<8x10xf32>, tensor<4xf32>, tensor<4xf32>) {
    %next = func.call @body(%state) : (tensor<1x10xf32>) -> tensor<1x10xf32>
    %written = tensor.insert_slice %next into %all[%i, 0] [1, 10] [1, 1] : tensor<1x10xf32> into tensor<8x10xf32>
    scf.yield %next, %written, %q, %p : tensor<1x10xf32>, tensor<8x10xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#1, %0#0, %0#2 : tensor<8x10xf32>, tensor<1x10xf32>, tensor<4xf32>
}

// Rows of 256 bytes stay where they are.
//--- whole.mlir
// CHECK-LABEL: func @main
// CHECK-SAME:      (%[[ROWS:.*]]: tensor<8x64xf32>
// CHECK-NOT:     insert_slice
// CHECK:         %[[LOOP:.*]] = scf.for
// CHECK:           tensor.extract_slice %[[ROWS]]
// CHECK:           tensor.insert_slice
// CHECK:         return %[[LOOP]]
func.func private @body(tensor<1x64xf32>) -> tensor<1x64xf32>
func.func @main(%rows: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant 8 : index
  %empty = tensor.empty() : tensor<8x64xf32>
  %0 = scf.for %i = %zero to %count step %one iter_args(%all = %empty) -> (tensor<8x64xf32>) {
    %row = tensor.extract_slice %rows[%i, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<1x64xf32>
    %next = func.call @body(%row) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %written = tensor.insert_slice %next into %all[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<8x64xf32>
    scf.yield %written : tensor<8x64xf32>
  }
  return %0 : tensor<8x64xf32>
}

// SPDX-License-Identifier: Apache-2.0
