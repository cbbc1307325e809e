// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=3_0 --verify-diagnostics --mlir-print-op-on-diagnostic=false

func.func @depth(%input: tensor<1x2x3x4x5xf32>, %gradient: tensor<1x2x2x3x4xf32>) {
  // expected-error @below {{'dml.max_pooling_grad' op input has rank 5, but feature level 3_0 supports rank 4 (rank 5 needs 4_0)}}
  // expected-note @below {{according to}}
  // expected-note @below {{cannot be legalized: too few neighbouring dimensions can be merged: the op works on 3 of 5}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      dilations = array<i64: 1, 1, 1>}
      : (tensor<1x2x3x4x5xf32>, tensor<1x2x2x3x4xf32>) -> tensor<1x2x3x4x5xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
