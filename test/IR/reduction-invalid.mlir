// What the reductions reject, with the whole message.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.reduce (C1)
func.func @axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.reduce' op axes[0] is 2, but wants a value from 0 to 1}}
  %0 = dml.reduce %a {function = #dml.reduce_function<sum>, axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.reduce (C1)
func.func @axis_twice(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.reduce' op axes[1] is 1, but the dimension is listed before it}}
  %0 = dml.reduce %a {function = #dml.reduce_function<sum>, axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

// dml.reduce (C2)
func.func @reduced(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.reduce' op output has size 3 in dimension 1, but wants 1, since axes lists it}}
  %0 = dml.reduce %a {function = #dml.reduce_function<sum>, axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.reduce (C2)
func.func @kept(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.reduce' op output has size 1 in dimension 0, but wants 2, as input has}}
  %0 = dml.reduce %a {function = #dml.reduce_function<sum>, axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

// dml.reduce (C2)
func.func @rank(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.reduce' op output has rank 1, but input has rank 2}}
  %0 = dml.reduce %a {function = #dml.reduce_function<sum>, axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

// dml.reduce (C3)
func.func @element_type(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.reduce' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.reduce %a {function = #dml.reduce_function<sum>, axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x1xf16>
  return
}

// -----

// dml.argmax (C1)
func.func @argmax_axis(%a: tensor<2xf32>) {
  // expected-error @below {{'dml.argmax' op axes[0] is 1, but wants a value from 0 to 0}}
  %0 = dml.argmax %a {axes = array<i64: 1>, axis_direction = #dml.axis_direction<increasing>} : (tensor<2xf32>) -> tensor<1xui32>
  return
}

// -----

// dml.argmax (C2)
func.func @argmax_size(%a: tensor<2xf32>) {
  // expected-error @below {{'dml.argmax' op output has size 2 in dimension 0, but wants 1, since axes lists it}}
  %0 = dml.argmax %a {axes = array<i64: 0>, axis_direction = #dml.axis_direction<increasing>} : (tensor<2xf32>) -> tensor<2xui32>
  return
}

// -----

// dml.argmin (C1)
func.func @argmin_axis(%a: tensor<2xf32>) {
  // expected-error @below {{'dml.argmin' op axes[0] is 1, but wants a value from 0 to 0}}
  %0 = dml.argmin %a {axes = array<i64: 1>, axis_direction = #dml.axis_direction<increasing>} : (tensor<2xf32>) -> tensor<1xui32>
  return
}

// -----

// dml.argmin (C2)
func.func @argmin_size(%a: tensor<2xf32>) {
  // expected-error @below {{'dml.argmin' op output has size 2 in dimension 0, but wants 1, since axes lists it}}
  %0 = dml.argmin %a {axes = array<i64: 0>, axis_direction = #dml.axis_direction<increasing>} : (tensor<2xf32>) -> tensor<2xui32>
  return
}

// SPDX-License-Identifier: Apache-2.0
