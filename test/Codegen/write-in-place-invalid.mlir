// Outputs that may not be in the buffer of an input.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --dml-to-gpu

// The kernel of a softmax reads whole rows of what it writes.
func.func @rows(%past: tensor<16x8xf32> {dml.in_place = 0, dml.name = "past"})
    -> (tensor<16x8xf32> {dml.in_place = 0, dml.name = "present"}) {
  // expected-error @below {{output 'present' cannot be in the place of input 'past': 'dml.activation_softmax1' reads elements of the input that other invocations of its kernel write}}
  %0 = dml.activation_softmax %past : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// Each row moves to the row before it.
func.func @shift(%past: tensor<16x8xf32> {dml.in_place = 0}, %x: tensor<1x8xf32>)
    -> (tensor<16x8xf32> {dml.in_place = 0}) {
  // expected-error @below {{argument 2 cannot be in the place of argument 0: 'dml.slice' reads elements of the input that other invocations of its kernel write}}
  %a = dml.slice %past {offsets = array<i64: 1, 0>, sizes = array<i64: 15, 8>, strides = array<i64: 1, 1>}
     : (tensor<16x8xf32>) -> tensor<15x8xf32>
  %0 = dml.join %a, %x {axis = 0} : (tensor<15x8xf32>, tensor<1x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// The product needs the old state and the new one.
func.func @both(%past: tensor<4x4xf32> {dml.in_place = 0, dml.name = "past"}, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32> {dml.in_place = 0, dml.name = "present"}, tensor<4x4xf32>) {
  %0 = dml.element_wise_add %past, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{output 'present' cannot be in the place of input 'past': 'dml.gemm' reads the input after 'dml.element_wise_add' has written the output}}
  %1 = dml.gemm %past, %0 {alpha = 1.0 : f32, beta = 1.0 : f32, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
     : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// expected-error @below {{attribute 'dml.in_place' on argument 0 is 0 : i64, but wants one argument and one result with this number}}
func.func @alone(%past: tensor<4xf32> {dml.in_place = 0}) -> tensor<4xf32> {
  return %past : tensor<4xf32>
}

// -----

// expected-error @below {{attribute 'dml.in_place' on argument 0 is 0 : i64, but wants one attribute 'dml.strides' for argument 0 and result 0}}
func.func @strided(%past: tensor<4xf32> {dml.in_place = 0, dml.strides = array<i64: 2>})
    -> (tensor<4xf32> {dml.in_place = 0}) {
  return %past : tensor<4xf32>
}

// -----

// expected-error @below {{attribute 'dml.in_place' on argument 0 is 0 : i64, but wants one static shape and one element type for argument 0 and result 0}}
func.func @shapes(%past: tensor<4xf32> {dml.in_place = 0}, %x: tensor<5xf32>) -> (tensor<5xf32> {dml.in_place = 0}) {
  return %x : tensor<5xf32>
}

// -----

// expected-error @below {{attribute 'dml.in_place' on argument 0 is "past", but wants the number of a pair, as an i64}}
func.func @name(%past: tensor<4xf32> {dml.in_place = "past"}) -> (tensor<4xf32> {dml.in_place = "past"}) {
  return %past : tensor<4xf32>
}

// SPDX-License-Identifier: Apache-2.0
