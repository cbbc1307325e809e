// What cannot be done is named, for every op.
//
// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=2_0 --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

func.func @operator(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // expected-error @below {{'dml.max_pooling_grad' op is not in feature level 2_0 (DML_OPERATOR_MAX_POOLING_GRAD needs 3_0)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: no older operators are known to compute it}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

// Sets that are columns are no rows of any matrix.
func.func @columns(%a: tensor<1x1x4x5xf32>) {
  // expected-error @below {{'dml.activation_softmax1' op is not in feature level 2_0 (DML_OPERATOR_ACTIVATION_SOFTMAX1 needs 5_1)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: no older operators are known to compute it}}
  %0 = dml.activation_softmax1 %a {axes = array<i64: 2>}
      : (tensor<1x1x4x5xf32>) -> tensor<1x1x4x5xf32>
  // expected-error @below {{'dml.average_pooling1' op is not in feature level 2_0 (DML_OPERATOR_AVERAGE_POOLING1 needs 6_2)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: no older operators are known to compute it}}
  %1 = dml.average_pooling1 %a {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 2>, include_padding = false}
      : (tensor<1x1x4x5xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

// Dimension 1 is the channels, and no other rank is tried.
func.func @channels(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization' op input has rank 2, but feature level 2_0 supports rank 4 (rank 2 needs 3_1)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: nothing is known of what the op does in each dimension, so its rank cannot change; write it with rank 4}}
  %0 = dml.batch_normalization %a, %b, %b, %b, %b {spatial = true, epsilon = 0.5 : f32}
      : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @width(%input: tensor<1x1x1x3xi8>, %other: tensor<1x1x1x3xf64>) {
  // expected-error @below {{'dml.tile' op input has element type i8, but feature level 2_0 supports f32, f16 (i8 needs 2_1)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: the level has no data type of 8 bits to move the elements as}}
  %0 = dml.tile %input {repeats = array<i64: 1, 1, 1, 2>}
      : (tensor<1x1x1x3xi8>) -> tensor<1x1x1x6xi8>
  // expected-error @below {{'dml.padding' op input has element type f64, but feature level 2_0 supports f32, f16 (f64 needs 5_0)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: the level has no data type of 64 bits to move the elements as}}
  %1 = dml.padding %other {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 0, 0, 1>, end_padding = array<i64: 0, 0, 0, 0>}
      : (tensor<1x1x1x3xf64>) -> tensor<1x1x1x4xf64>
  return
}

// -----

// -1 is a NaN as a float.
func.func @constant(%input: tensor<1x1x1x3xi32>) {
  // expected-error @below {{'dml.padding' op input has element type i32, but feature level 2_0 supports f32, f16 (i32 needs 2_1)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: the bits of its constant are no value that the op can state for elements of a type that the level has}}
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>, padding_value = -1.0 : f32,
      start_padding = array<i64: 0, 0, 0, 1>, end_padding = array<i64: 0, 0, 0, 0>}
      : (tensor<1x1x1x3xi32>) -> tensor<1x1x1x4xi32>
  return
}

// -----

func.func @computes(%input: tensor<1x1x1x3xi8>) {
  // expected-error @below {{'dml.resample' op input has element type i8, but feature level 2_0 supports f32, f16 (i8 needs 6_2)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: the op computes with its elements, and another data type would give other values}}
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 1.0, 2.0>}
      : (tensor<1x1x1x3xi8>) -> tensor<1x1x1x6xi8>
  return
}

// -----

// The op that fails may be one that a step built.
func.func @origin(%input: tensor<1x1x1x3xi8>) {
  // expected-error @below {{'dml.tile' op input has element type i8, but feature level 2_0 supports f32, f16 (i8 needs 2_1)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: the level has no data type of 8 bits to move the elements as}}
  // expected-note @below {{the op stands in place of a 'dml.padding'}}
  %0 = dml.padding %input {mode = #dml.padding_mode<wrap>,
      start_padding = array<i64: 0, 0, 0, 1>, end_padding = array<i64: 0, 0, 0, 0>}
      : (tensor<1x1x1x3xi8>) -> tensor<1x1x1x4xi8>
  return
}

// -----

// The mirror image does not fit a tensor.
func.func @size(%input: tensor<1x1x1x3000000000xf32>) {
  // expected-error @below {{'dml.padding' op mode is symmetric, but feature level 2_0 supports constant, edge, reflection (symmetric needs 3_0)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: no older operators are known to compute it, or none within the limits of a tensor's size}}
  %0 = dml.padding %input {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 0, 0, 1>, end_padding = array<i64: 0, 0, 0, 0>}
      : (tensor<1x1x1x3000000000xf32>) -> tensor<1x1x1x3000000001xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
