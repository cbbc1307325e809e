// What scatters reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.scatter_elements (C1)
func.func @f0(%0: tensor<3x2xf32>, %1: tensor<5x2xi64>, %2: tensor<5x2xf32>) {
  // expected-error @below {{'dml.scatter_elements' op axis is 2, but wants a value from 0 to 1}}
  %r = dml.scatter_elements %0, %1, %2 {axis = 2 : i64}
      : (tensor<3x2xf32>, tensor<5x2xi64>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// dml.scatter_elements (C2)
func.func @f1(%0: tensor<3x2xf32>, %1: tensor<5xi64>, %2: tensor<5x2xf32>) {
  // expected-error @below {{'dml.scatter_elements' op indices has rank 1, but input has rank 2}}
  %r = dml.scatter_elements %0, %1, %2 {axis = 0 : i64}
      : (tensor<3x2xf32>, tensor<5xi64>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// dml.scatter_elements (C2)
func.func @f2(%0: tensor<3x2xf32>, %1: tensor<5x1xi64>, %2: tensor<5x2xf32>) {
  // expected-error @below {{'dml.scatter_elements' op indices has size 1 in dimension 1, but input has 2 there}}
  %r = dml.scatter_elements %0, %1, %2 {axis = 0 : i64}
      : (tensor<3x2xf32>, tensor<5x1xi64>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// dml.scatter_elements (C3)
func.func @f3(%0: tensor<3x2xf32>, %1: tensor<5x2xi64>, %2: tensor<4x2xf32>) {
  // expected-error @below {{'dml.scatter_elements' op updates has size 4 in dimension 0, but indices has 5 there (the operator does not broadcast)}}
  %r = dml.scatter_elements %0, %1, %2 {axis = 0 : i64}
      : (tensor<3x2xf32>, tensor<5x2xi64>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// dml.scatter_elements (C3)
func.func @f4(%0: tensor<3x2xf32>, %1: tensor<5x2xi64>, %2: tensor<5x2xf16>) {
  // expected-error @below {{'dml.scatter_elements' op updates has element type 'f16', but input has 'f32'}}
  %r = dml.scatter_elements %0, %1, %2 {axis = 0 : i64}
      : (tensor<3x2xf32>, tensor<5x2xi64>, tensor<5x2xf16>) -> tensor<3x2xf32>
  return
}

// -----

// dml.scatter_elements (C4)
func.func @f5(%0: tensor<3x2xf32>, %1: tensor<5x2xi64>, %2: tensor<5x2xf32>) {
  // expected-error @below {{'dml.scatter_elements' op output has type 'tensor<4x2xf32>', but wants 'tensor<3x2xf32>'}}
  %r = dml.scatter_elements %0, %1, %2 {axis = 0 : i64}
      : (tensor<3x2xf32>, tensor<5x2xi64>, tensor<5x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// dml.scatter_nd (C1)
func.func @f6(%0: tensor<2x2xf32>, %1: tensor<2xui32>, %2: tensor<2x2xf32>) {
  // expected-error @below {{'dml.scatter_nd' op indices has rank 1, but input has rank 2}}
  %r = dml.scatter_nd %0, %1, %2 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<2xui32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.scatter_nd (C2)
func.func @f7(%0: tensor<2x2xf32>, %1: tensor<2x1xui32>, %2: tensor<2x2xf32>) {
  // expected-error @below {{'dml.scatter_nd' op indices_dimension_count is 3, but indices has rank 2}}
  %r = dml.scatter_nd %0, %1, %2 {indices_dimension_count = 3 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<2x1xui32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.scatter_nd (C2)
func.func @f8(%0: tensor<2x2xf32>, %1: tensor<2x1xui32>, %2: tensor<2x2xf32>) {
  // expected-error @below {{'dml.scatter_nd' op input has size 2 in dimension 0, but wants 1 before its last 1 dimensions}}
  %r = dml.scatter_nd %0, %1, %2 {indices_dimension_count = 2 : i64, input_dimension_count = 1 : i64}
      : (tensor<2x2xf32>, tensor<2x1xui32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.scatter_nd (C3)
func.func @f9(%0: tensor<2x2xf32>, %1: tensor<2x3xui32>, %2: tensor<2x2xf32>) {
  // expected-error @below {{'dml.scatter_nd' op indices has tuples of 3, but input has 2 dimensions for them}}
  %r = dml.scatter_nd %0, %1, %2 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<2x3xui32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.scatter_nd (C4)
func.func @f10(%0: tensor<2x2xf32>, %1: tensor<2x1xui32>, %2: tensor<3x2xf32>) {
  // expected-error @below {{'dml.scatter_nd' op updates has size 3 in dimension 0, but wants 2}}
  %r = dml.scatter_nd %0, %1, %2 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<2x1xui32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dml.scatter_nd (C5)
func.func @f11(%0: tensor<2x2xf32>, %1: tensor<2x1xui32>, %2: tensor<2x2xf32>) {
  // expected-error @below {{'dml.scatter_nd' op output has type 'tensor<2x3xf32>', but wants 'tensor<2x2xf32>'}}
  %r = dml.scatter_nd %0, %1, %2 {indices_dimension_count = 2 : i64, input_dimension_count = 2 : i64}
      : (tensor<2x2xf32>, tensor<2x1xui32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
