// RUN: dml-opt %s --dml-validate-feature-level=feature-level=2_0 --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false
// RUN: dml-opt %s --dml-validate-feature-level --split-input-file | FileCheck %s
// RUN: dml-opt %s --dml-validate-feature-level=feature-level=6_4 --split-input-file | FileCheck %s
// RUN: %exits 2 dml-opt %s --dml-validate-feature-level=feature-level=x 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Every violation of every op, not only the first.
// UNKNOWN: error: option feature-level of --dml-validate-feature-level: 'x' is no feature level
// CHECK-LABEL: func @all
func.func @all(%input: tensor<2x3xi32>, %other: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // expected-error @below {{'dml.padding' op mode is symmetric, but feature level 2_0 supports constant, edge, reflection (symmetric needs 3_0)}}
  // expected-error @below {{'dml.padding' op input has element type i32, but feature level 2_0 supports f32, f16 (i32 needs 2_1)}}
  // expected-error @below {{'dml.padding' op input has rank 2, but feature level 2_0 supports rank 4 to 5 (rank 2 needs 3_1)}}
  // expected-error @below {{'dml.padding' op output has element type i32, but feature level 2_0 supports f32, f16 (i32 needs 2_1)}}
  // expected-error @below {{'dml.padding' op output has rank 2, but feature level 2_0 supports rank 4 to 5 (rank 2 needs 3_1)}}
  // expected-note @below {{according to DML_PADDING_OPERATOR_DESC}}
  %0 = dml.padding %input {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<2x3xi32>) -> tensor<3x3xi32>
  // expected-error @below {{'dml.max_pooling_grad' op is not in feature level 2_0 (DML_OPERATOR_MAX_POOLING_GRAD needs 3_0)}}
  // expected-note @below {{according to DML_MAX_POOLING_GRAD_OPERATOR_DESC}}
  %1 = dml.max_pooling_grad %other, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  // What the level has is not reported.
  %2 = dml.tile %other {repeats = array<i64: 1, 1, 1, 2>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x6xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
