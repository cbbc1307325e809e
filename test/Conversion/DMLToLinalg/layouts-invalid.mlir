// RUN: not dml-opt %s --dml-to-linalg --split-input-file 2>&1 | FileCheck %s

// A caller within the module would have to know of the layout.
// CHECK: error: function 'recurse' has 'dml.strides', so that only the executable's caller can call it, but the module does
func.func @recurse(%input: tensor<2x3xf32> {dml.strides = array<i64: 4, 1>}) -> tensor<2x3xf32> {
  %0 = func.call @recurse(%input) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK: error: function 'types' has 'dml.strides' on argument 0, but 'dml.type' there has other sizes than the tensor
func.func @types(%input: tensor<6xf32> {dml.strides = array<i64: 4, 1>, dml.type = tensor<2x3xf32>})
    -> tensor<6xf32> {
  return %input : tensor<6xf32>
}

// -----

// CHECK: error: function 'results' has 'dml.strides' on result 0, but 'dml.type' there has other sizes than the tensor
func.func @results(%input: tensor<6xf32>)
    -> (tensor<6xf32> {dml.strides = array<i64: 4, 1>, dml.type = tensor<2x3xf32>}) {
  return %input : tensor<6xf32>
}

// SPDX-License-Identifier: Apache-2.0
