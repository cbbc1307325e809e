// What selections reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.top_k (C1)
func.func @axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k' op axis is 2, but wants a value from 0 to 1}}
  %0, %1 = dml.top_k %a {axis = 2 : i64, k = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xui32>)
  return
}

// -----

// dml.top_k (C2)
func.func @too_many(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k' op k is 4, but input has 3 elements along axis 1}}
  %0, %1 = dml.top_k %a {axis = 1 : i64, k = 4 : i64} : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xui32>)
  return
}

// -----

// dml.top_k (C2)
func.func @none(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k' op k is 0, but wants a value from 1 to 4294967295}}
  %0, %1 = dml.top_k %a {axis = 1 : i64, k = 0 : i64} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xui32>)
  return
}

// -----

// dml.top_k (C3)
func.func @type(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k' op output_value has element type 'f16', but input has 'f32'}}
  %0, %1 = dml.top_k %a {axis = 1 : i64, k = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x1xf16>, tensor<2x1xui32>)
  return
}

// -----

// dml.top_k (C4)
func.func @rank(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k' op output_value has rank 1, but input has rank 2}}
  %0, %1 = dml.top_k %a {axis = 1 : i64, k = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xui32>)
  return
}

// -----

// dml.top_k (C4)
func.func @size_along_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k' op output_value has size 3 in dimension 1, but wants 2, which is k}}
  %0, %1 = dml.top_k %a {axis = 1 : i64, k = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xui32>)
  return
}

// -----

// dml.top_k (C4)
func.func @size(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k' op output_value has size 1 in dimension 0, but wants 2, as input has}}
  %0, %1 = dml.top_k %a {axis = 1 : i64, k = 2 : i64} : (tensor<2x3xf32>) -> (tensor<1x2xf32>, tensor<1x2xui32>)
  return
}

// -----

// dml.top_k (C5)
func.func @index_size(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k' op output_index has size 1 in dimension 1, but output_value has 2 there (the operator does not broadcast)}}
  %0, %1 = dml.top_k %a {axis = 1 : i64, k = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x1xui32>)
  return
}

// -----

// dml.top_k1 (C1)
func.func @axis1(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k1' op axis is -1, but wants a value from 0 to 1}}
  %0, %1 = dml.top_k1 %a {axis = -1 : i64, k = 1 : i64, axis_direction = #dml.axis_direction<increasing>} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xui32>)
  return
}

// -----

// dml.top_k1 (C2)
func.func @too_many1(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k1' op k is 3, but input has 2 elements along axis 0}}
  %0, %1 = dml.top_k1 %a {axis = 0 : i64, k = 3 : i64, axis_direction = #dml.axis_direction<increasing>} : (tensor<2x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xui32>)
  return
}

// -----

// dml.top_k1 (C3)
func.func @type1(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k1' op output_value has element type 'i32', but input has 'f32'}}
  %0, %1 = dml.top_k1 %a {axis = 1 : i64, k = 1 : i64, axis_direction = #dml.axis_direction<increasing>} : (tensor<2x3xf32>) -> (tensor<2x1xi32>, tensor<2x1xui32>)
  return
}

// -----

// dml.top_k1 (C4)
func.func @size1(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k1' op output_value has size 3 in dimension 1, but wants 1, which is k}}
  %0, %1 = dml.top_k1 %a {axis = 1 : i64, k = 1 : i64, axis_direction = #dml.axis_direction<increasing>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xui32>)
  return
}

// -----

// dml.top_k1 (C5)
func.func @index_rank1(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.top_k1' op output_index has rank 1, but output_value has rank 2}}
  %0, %1 = dml.top_k1 %a {axis = 1 : i64, k = 1 : i64, axis_direction = #dml.axis_direction<increasing>} : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2xui32>)
  return
}

// -----

// dml.nonzero_coordinates (C1)
func.func @count(%a: tensor<1x2x3xf32>) {
  // expected-error @below {{'dml.nonzero_coordinates' op output_count has size 2 in dimension 1, but wants 1}}
  %0, %1 = dml.nonzero_coordinates %a : (tensor<1x2x3xf32>) -> (tensor<1x2xui32>, tensor<6x2xui32>)
  return
}

// -----

// dml.nonzero_coordinates (C2)
func.func @rows(%a: tensor<1x2x3xf32>) {
  // expected-error @below {{'dml.nonzero_coordinates' op output_coordinates has size 5 in dimension 0, but wants 6, the number of input's elements}}
  %0, %1 = dml.nonzero_coordinates %a : (tensor<1x2x3xf32>) -> (tensor<1xui32>, tensor<5x2xui32>)
  return
}

// -----

// dml.nonzero_coordinates (C2)
func.func @leading(%a: tensor<1x2x3xf32>) {
  // expected-error @below {{'dml.nonzero_coordinates' op output_coordinates has size 6 in dimension 0, but wants 1 before its last 2 dimensions}}
  %0, %1 = dml.nonzero_coordinates %a : (tensor<1x2x3xf32>) -> (tensor<1xui32>, tensor<6x6x2xui32>)
  return
}

// -----

// dml.nonzero_coordinates (C3)
func.func @short(%a: tensor<1x2x3xf32>) {
  // expected-error @below {{'dml.nonzero_coordinates' op output_coordinates has rows of 1 coordinates, but wants from 2 to 3}}
  %0, %1 = dml.nonzero_coordinates %a : (tensor<1x2x3xf32>) -> (tensor<1xui32>, tensor<6x1xui32>)
  return
}

// -----

// dml.nonzero_coordinates (C3)
func.func @long(%a: tensor<1x1xf32>) {
  // expected-error @below {{'dml.nonzero_coordinates' op output_coordinates has rows of 3 coordinates, but wants from 1 to 2}}
  %0, %1 = dml.nonzero_coordinates %a : (tensor<1x1xf32>) -> (tensor<1xui32>, tensor<1x3xui32>)
  return
}

// -----

func.func @rank_of_rows(%a: tensor<1x1xf32>) {
  // expected-error @below {{'dml.nonzero_coordinates' op output_coordinates has rank 1, but feature level 6_4 supports rank 2 to 8 (no feature level supports rank 1)}}
  // expected-note @below {{according to}}
  %0, %1 = dml.nonzero_coordinates %a : (tensor<1x1xf32>) -> (tensor<1xui32>, tensor<1xui32>)
  return
}

// SPDX-License-Identifier: Apache-2.0
