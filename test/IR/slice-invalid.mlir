// What slices reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.slice (C1)
func.func @f0(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice' op offsets has 1 value, but wants 2, one for each dimension of input}}
  %r = dml.slice %0 {offsets = array<i64: 1>, sizes = array<i64: 1, 2>, strides = array<i64: 1, 3>}
      : (tensor<2x4xf32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.slice (C2)
func.func @f1(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice' op sizes[1] is 0, but wants a value from 1 to 4294967295}}
  %r = dml.slice %0 {offsets = array<i64: 0, 0>, sizes = array<i64: 1, 0>, strides = array<i64: 1, 1>}
      : (tensor<2x4xf32>) -> tensor<1x1xf32>
  return
}

// -----

// dml.slice (C2)
func.func @f2(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %r = dml.slice %0 {offsets = array<i64: 0, 0>, sizes = array<i64: 1, 1>, strides = array<i64: 1, 0>}
      : (tensor<2x4xf32>) -> tensor<1x1xf32>
  return
}

// -----

// dml.slice (C3)
func.func @f3(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice' op reads coordinate 4 of dimension 1, but input has size 4 there}}
  %r = dml.slice %0 {offsets = array<i64: 1, 1>, sizes = array<i64: 1, 2>, strides = array<i64: 1, 3>}
      : (tensor<2x4xf32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.slice (C4)
func.func @f4(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice' op output has type 'tensor<1x3xf32>', but wants 'tensor<1x2xf32>'}}
  %r = dml.slice %0 {offsets = array<i64: 0, 0>, sizes = array<i64: 1, 2>, strides = array<i64: 1, 3>}
      : (tensor<2x4xf32>) -> tensor<1x3xf32>
  return
}

// -----

// dml.slice1 (C1)
func.func @f5(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice1' op input_window_strides has 1 value, but wants 2, one for each dimension of input}}
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0, 0>, input_window_sizes = array<i64: 2, 2>, input_window_strides = array<i64: 1>}
      : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.slice1 (C2)
func.func @f6(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice1' op input_window_sizes[1] is 0, but wants a value from 1 to 4294967295}}
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0, 0>, input_window_sizes = array<i64: 2, 0>, input_window_strides = array<i64: 1, 1>}
      : (tensor<2x4xf32>) -> tensor<2x1xf32>
  return
}

// -----

// dml.slice1 (C2)
func.func @f7(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice1' op its window in dimension 1 ends at 5, but input has size 4 there}}
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0, 3>, input_window_sizes = array<i64: 2, 2>, input_window_strides = array<i64: 1, 1>}
      : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.slice1 (C3)
func.func @f8(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice1' op input_window_strides[1] is 0, but wants another value}}
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0, 0>, input_window_sizes = array<i64: 2, 2>, input_window_strides = array<i64: 1, 0>}
      : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.slice1 (C3)
func.func @f9(%0: tensor<4xf32>) {
  // expected-error @below {{'dml.slice1' op input_window_strides[0] is -2147483649, but wants a value from -2147483648 to 2147483647}}
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0>, input_window_sizes = array<i64: 2>, input_window_strides = array<i64: -2147483649>}
      : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

// dml.slice1 (C4)
func.func @f10(%0: tensor<2x4xf32>) {
  // expected-error @below {{'dml.slice1' op output has rank 1, but input has rank 2}}
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0, 0>, input_window_sizes = array<i64: 2, 2>, input_window_strides = array<i64: 1, 1>}
      : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

// dml.slice1 (C4)
func.func @f11(%0: tensor<4xf32>) {
  // expected-error @below {{'dml.slice1' op output has element type 'f16', but input has 'f32'}}
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0>, input_window_sizes = array<i64: 2>, input_window_strides = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<2xf16>
  return
}

// -----

// dml.slice1 (C5)
func.func @f12(%0: tensor<4xf32>) {
  // expected-error @below {{'dml.slice1' op output has size 3 in dimension 0, but a window of 4 elements has 2 at a stride of -3}}
  %r = dml.slice1 %0 {input_window_offsets = array<i64: 0>, input_window_sizes = array<i64: 4>, input_window_strides = array<i64: -3>}
      : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// dml.slice_grad (C1)
func.func @f13(%0: tensor<2xf32>) {
  // expected-error @below {{'dml.slice_grad' op input_window_offsets has 2 values, but wants 1, one for each dimension of input_gradient}}
  %r = dml.slice_grad %0 {input_window_offsets = array<i64: 0, 0>, input_window_sizes = array<i64: 2>, input_window_strides = array<i64: 1>}
      : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// dml.slice_grad (C2)
func.func @f14(%0: tensor<2xf32>) {
  // expected-error @below {{'dml.slice_grad' op its window in dimension 0 ends at 5, but output_gradient has size 4 there}}
  %r = dml.slice_grad %0 {input_window_offsets = array<i64: 3>, input_window_sizes = array<i64: 2>, input_window_strides = array<i64: 1>}
      : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// dml.slice_grad (C3)
func.func @f15(%0: tensor<2xf32>) {
  // expected-error @below {{'dml.slice_grad' op input_window_strides[0] is 0, but wants another value}}
  %r = dml.slice_grad %0 {input_window_offsets = array<i64: 0>, input_window_sizes = array<i64: 2>, input_window_strides = array<i64: 0>}
      : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// dml.slice_grad (C4)
func.func @f16(%0: tensor<2xf32>) {
  // expected-error @below {{'dml.slice_grad' op output_gradient has rank 2, but input_gradient has rank 1}}
  %r = dml.slice_grad %0 {input_window_offsets = array<i64: 0>, input_window_sizes = array<i64: 2>, input_window_strides = array<i64: 1>}
      : (tensor<2xf32>) -> tensor<4x1xf32>
  return
}

// -----

// dml.slice_grad (C5)
func.func @f17(%0: tensor<2xf32>) {
  // expected-error @below {{'dml.slice_grad' op input_gradient has size 2 in dimension 0, but a window of 2 elements has 1 at a stride of 2}}
  %r = dml.slice_grad %0 {input_window_offsets = array<i64: 0>, input_window_sizes = array<i64: 2>, input_window_strides = array<i64: 2>}
      : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
