// What the scans reject, with the whole message.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.cumulative_summation (C1)
func.func @summation_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.cumulative_summation' op axis is 2, but wants a value from 0 to 1}}
  %0 = dml.cumulative_summation %a {axis = 2 : i64, axis_direction = #dml.axis_direction<increasing>, has_exclusive_sum = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.cumulative_summation (C2)
func.func @summation_size(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.cumulative_summation' op output has size 2 in dimension 1, but input has 3 there (the operator does not broadcast)}}
  %0 = dml.cumulative_summation %a {axis = 1 : i64, axis_direction = #dml.axis_direction<increasing>, has_exclusive_sum = false} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.cumulative_summation (C2)
func.func @summation_type(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.cumulative_summation' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.cumulative_summation %a {axis = 1 : i64, axis_direction = #dml.axis_direction<increasing>, has_exclusive_sum = false} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

// dml.cumulative_product (C1)
func.func @product_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.cumulative_product' op axis is 2, but wants a value from 0 to 1}}
  %0 = dml.cumulative_product %a {axis = 2 : i64, axis_direction = #dml.axis_direction<increasing>, has_exclusive_product = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.cumulative_product (C2)
func.func @product_size(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.cumulative_product' op output has size 2 in dimension 1, but input has 3 there (the operator does not broadcast)}}
  %0 = dml.cumulative_product %a {axis = 1 : i64, axis_direction = #dml.axis_direction<increasing>, has_exclusive_product = false} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.cumulative_product (C2)
func.func @product_type(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.cumulative_product' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.cumulative_product %a {axis = 1 : i64, axis_direction = #dml.axis_direction<increasing>, has_exclusive_product = false} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// SPDX-License-Identifier: Apache-2.0
