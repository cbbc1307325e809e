// What operators reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.padding1 (C1)
func.func @f0(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.padding1' op start_padding has 1 value, but wants 2, one for each dimension of input}}
  %r = dml.padding1 %0 {end_padding = array<i64: 0, 1>, mode = #dml.padding_mode<constant>, padding_value = 9.0 : f32, start_padding = array<i64: 2>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.padding1 (C2)
func.func @f1(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.padding1' op end_padding[1] is -1, but wants a value from 0 to 4294967295}}
  %r = dml.padding1 %0 {end_padding = array<i64: 0, -1>, mode = #dml.padding_mode<constant>, padding_value = 9.0 : f32, start_padding = array<i64: 0, 2>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.padding1 (C3)
func.func @f2(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.padding1' op padding_value has type 'i32', but wants 'f32', output's element type}}
  %r = dml.padding1 %0 {end_padding = array<i64: 0, 1>, mode = #dml.padding_mode<constant>, padding_value = 9 : i32, start_padding = array<i64: 0, 2>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

// dml.padding1 (C4)
func.func @f3(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.padding1' op output has type 'tensor<1x7xf32>', but wants 'tensor<1x6xf32>'}}
  %r = dml.padding1 %0 {end_padding = array<i64: 0, 1>, mode = #dml.padding_mode<constant>, padding_value = 9.0 : f32, start_padding = array<i64: 0, 2>}
      : (tensor<1x3xf32>) -> tensor<1x7xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
