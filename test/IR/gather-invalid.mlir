// What gathers reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.gather (C1)
func.func @f0(%0: tensor<3x2xf32>, %1: tensor<2xui32>) {
  // expected-error @below {{'dml.gather' op indices has rank 1, but input has rank 2}}
  %r = dml.gather %0, %1 {axis = 0 : i64, index_dimensions = 1 : i64}
      : (tensor<3x2xf32>, tensor<2xui32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.gather (C2)
func.func @f1(%0: tensor<3x2xf32>, %1: tensor<1x2xui32>) {
  // expected-error @below {{'dml.gather' op axis is 2, but wants a value from 0 to 1}}
  %r = dml.gather %0, %1 {axis = 2 : i64, index_dimensions = 1 : i64}
      : (tensor<3x2xf32>, tensor<1x2xui32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.gather (C3)
func.func @f2(%0: tensor<3x2xf32>, %1: tensor<1x2xui32>) {
  // expected-error @below {{'dml.gather' op index_dimensions is 2, but only 1 find a place before the dimensions after axis 0}}
  %r = dml.gather %0, %1 {axis = 0 : i64, index_dimensions = 2 : i64}
      : (tensor<3x2xf32>, tensor<1x2xui32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.gather (C4)
func.func @f3(%0: tensor<3x2xf32>, %1: tensor<2x2xui32>) {
  // expected-error @below {{'dml.gather' op indices has size 2 in dimension 0, but wants 1 before its last 1 dimensions}}
  %r = dml.gather %0, %1 {axis = 0 : i64, index_dimensions = 1 : i64}
      : (tensor<3x2xf32>, tensor<2x2xui32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.gather (C5)
func.func @f4(%0: tensor<3x2xf32>, %1: tensor<2x2xui32>) {
  // expected-error @below {{'dml.gather' op input has size 3 in dimension 0, which finds no place in output}}
  %r = dml.gather %0, %1 {axis = 1 : i64, index_dimensions = 2 : i64}
      : (tensor<3x2xf32>, tensor<2x2xui32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.gather (C6)
func.func @f5(%0: tensor<3x2xf32>, %1: tensor<1x4xui32>) {
  // expected-error @below {{'dml.gather' op output has type 'tensor<2x2xf32>', but wants 'tensor<4x2xf32>'}}
  %r = dml.gather %0, %1 {axis = 0 : i64, index_dimensions = 1 : i64}
      : (tensor<3x2xf32>, tensor<1x4xui32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.gather_elements (C1)
func.func @f6(%0: tensor<2x2xf32>, %1: tensor<1x2xui32>) {
  // expected-error @below {{'dml.gather_elements' op axis is -1, but wants a value from 0 to 1}}
  %r = dml.gather_elements %0, %1 {axis = -1 : i64}
      : (tensor<2x2xf32>, tensor<1x2xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_elements (C2)
func.func @f7(%0: tensor<2x2xf32>, %1: tensor<2xui32>) {
  // expected-error @below {{'dml.gather_elements' op indices has rank 1, but input has rank 2}}
  %r = dml.gather_elements %0, %1 {axis = 0 : i64}
      : (tensor<2x2xf32>, tensor<2xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_elements (C2)
func.func @f8(%0: tensor<2x2xf32>, %1: tensor<1x1xui32>) {
  // expected-error @below {{'dml.gather_elements' op indices has size 1 in dimension 1, but input has 2 there}}
  %r = dml.gather_elements %0, %1 {axis = 0 : i64}
      : (tensor<2x2xf32>, tensor<1x1xui32>) -> tensor<1x1xf32>
  return
}

// -----

// dml.gather_elements (C3)
func.func @f9(%0: tensor<2x2xf32>, %1: tensor<1x2xui32>) {
  // expected-error @below {{'dml.gather_elements' op output has type 'tensor<2x2xf32>', but wants 'tensor<1x2xf32>'}}
  %r = dml.gather_elements %0, %1 {axis = 0 : i64}
      : (tensor<2x2xf32>, tensor<1x2xui32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.gather_nd (C1)
func.func @f10(%0: tensor<2x2xf32>, %1: tensor<2xui32>) {
  // expected-error @below {{'dml.gather_nd' op indices has rank 1, but input has rank 2}}
  %r = dml.gather_nd %0, %1 {indices_dimension_count = 1 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<2xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd (C2)
func.func @f11(%0: tensor<2x2xf32>, %1: tensor<2x2xui32>) {
  // expected-error @below {{'dml.gather_nd' op input_dimension_count is 3, but input has rank 2}}
  %r = dml.gather_nd %0, %1 {indices_dimension_count = 2 : i64, input_dimension_count = 3 : i64}
      : (tensor<2x2xf32>, tensor<2x2xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd (C2)
func.func @f12(%0: tensor<2x2xf32>, %1: tensor<2x2xui32>) {
  // expected-error @below {{'dml.gather_nd' op indices has size 2 in dimension 0, but wants 1 before its last 1 dimensions}}
  %r = dml.gather_nd %0, %1 {indices_dimension_count = 1 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<2x2xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd (C3)
func.func @f13(%0: tensor<2x2xf32>, %1: tensor<2x3xui32>) {
  // expected-error @below {{'dml.gather_nd' op indices has tuples of 3, but input has 2 dimensions for them}}
  %r = dml.gather_nd %0, %1 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<2x3xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd (C4)
func.func @f14(%0: tensor<2x2x2xf32>, %1: tensor<2x2x1xui32>) {
  // expected-error @below {{'dml.gather_nd' op output would have rank 4, but input has rank 3}}
  %r = dml.gather_nd %0, %1 {indices_dimension_count = 3 : i64, input_dimension_count = 3 : i64}
      : (tensor<2x2x2xf32>, tensor<2x2x1xui32>) -> tensor<2x2x2xf32>
  return
}

// -----

// dml.gather_nd (C4)
func.func @f15(%0: tensor<2x2xf32>, %1: tensor<3x2xui32>) {
  // expected-error @below {{'dml.gather_nd' op output has type 'tensor<3x1xf32>', but wants 'tensor<1x3xf32>'}}
  %r = dml.gather_nd %0, %1 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<3x2xui32>) -> tensor<3x1xf32>
  return
}

// -----

// dml.gather_nd1 (C1)
func.func @f16(%0: tensor<2x2xf32>, %1: tensor<2xui32>) {
  // expected-error @below {{'dml.gather_nd1' op indices has rank 1, but input has rank 2}}
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 1 : i64, input_dimension_count = 2 : i64, batch_dimension_count = 0 : i64}
      : (tensor<2x2xf32>, tensor<2xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd1 (C2)
func.func @f17(%0: tensor<2x2xf32>, %1: tensor<2x2xui32>) {
  // expected-error @below {{'dml.gather_nd1' op input_dimension_count is 3, but input has rank 2}}
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 2 : i64, input_dimension_count = 3 : i64, batch_dimension_count = 0 : i64}
      : (tensor<2x2xf32>, tensor<2x2xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd1 (C2)
func.func @f18(%0: tensor<2x2xf32>, %1: tensor<2x2xui32>) {
  // expected-error @below {{'dml.gather_nd1' op indices has size 2 in dimension 0, but wants 1 before its last 1 dimensions}}
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 1 : i64, input_dimension_count = 2 : i64, batch_dimension_count = 0 : i64}
      : (tensor<2x2xf32>, tensor<2x2xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd1 (C3)
func.func @f19(%0: tensor<2x2xf32>, %1: tensor<2x3xui32>) {
  // expected-error @below {{'dml.gather_nd1' op indices has tuples of 3, but input has 2 dimensions for them}}
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64, batch_dimension_count = 0 : i64}
      : (tensor<2x2xf32>, tensor<2x3xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd1 (C4)
func.func @f20(%0: tensor<2x2x2xf32>, %1: tensor<2x2x1xui32>) {
  // expected-error @below {{'dml.gather_nd1' op output would have rank 4, but input has rank 3}}
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 3 : i64, input_dimension_count = 3 : i64, batch_dimension_count = 0 : i64}
      : (tensor<2x2x2xf32>, tensor<2x2x1xui32>) -> tensor<2x2x2xf32>
  return
}

// -----

// dml.gather_nd1 (C4)
func.func @f21(%0: tensor<2x2xf32>, %1: tensor<3x2xui32>) {
  // expected-error @below {{'dml.gather_nd1' op output has type 'tensor<3x1xf32>', but wants 'tensor<1x3xf32>'}}
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64, batch_dimension_count = 0 : i64}
      : (tensor<2x2xf32>, tensor<3x2xui32>) -> tensor<3x1xf32>
  return
}

// -----

// dml.gather_nd1 (C5)
func.func @f22(%0: tensor<2x2xf32>, %1: tensor<1x1xui32>) {
  // expected-error @below {{'dml.gather_nd1' op batch_dimension_count is 1, but wants less than indices_dimension_count, 1}}
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 1 : i64, input_dimension_count = 2 : i64, batch_dimension_count = 1 : i64}
      : (tensor<2x2xf32>, tensor<1x1xui32>) -> tensor<1x2xf32>
  return
}

// -----

// dml.gather_nd1 (C5)
func.func @f23(%0: tensor<2x2xf32>, %1: tensor<3x1xui32>) {
  // expected-error @below {{'dml.gather_nd1' op indices has size 3 in dimension 0 of the batch, but input has 2}}
  %r = dml.gather_nd1 %0, %1 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64, batch_dimension_count = 1 : i64}
      : (tensor<2x2xf32>, tensor<3x1xui32>) -> tensor<1x3xf32>
  return
}

// -----

// dml.one_hot (C1)
func.func @f24(%0: tensor<2x1xui32>, %1: tensor<1x2xf32>) {
  // expected-error @below {{'dml.one_hot' op axis is 2, but wants a value from 0 to 1}}
  %r = dml.one_hot %0, %1 {axis = 2 : i64}
      : (tensor<2x1xui32>, tensor<1x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.one_hot (C2)
func.func @f25(%0: tensor<2x1xui32>, %1: tensor<2xf32>) {
  // expected-error @below {{'dml.one_hot' op values has rank 1, but indices has rank 2}}
  %r = dml.one_hot %0, %1 {axis = 1 : i64}
      : (tensor<2x1xui32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.one_hot (C2)
func.func @f26(%0: tensor<2x1xui32>, %1: tensor<1x1xf32>) {
  // expected-error @below {{'dml.one_hot' op values has 1 element, but wants at least 2}}
  %r = dml.one_hot %0, %1 {axis = 1 : i64}
      : (tensor<2x1xui32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.one_hot (C3)
func.func @f27(%0: tensor<2x2xui32>, %1: tensor<1x2xf32>) {
  // expected-error @below {{'dml.one_hot' op indices has size 2 in dimension 1, but wants 1 along axis}}
  %r = dml.one_hot %0, %1 {axis = 1 : i64}
      : (tensor<2x2xui32>, tensor<1x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.one_hot (C4)
func.func @f28(%0: tensor<2x1xui32>, %1: tensor<1x2xf32>) {
  // expected-error @below {{'dml.one_hot' op output has size 3 in dimension 0, but indices has 2 there}}
  %r = dml.one_hot %0, %1 {axis = 1 : i64}
      : (tensor<2x1xui32>, tensor<1x2xf32>) -> tensor<3x3xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
