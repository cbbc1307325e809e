// What softmax and its relatives reject, with the whole message.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// DML_SoftmaxOp (C2)
func.func @hardmax1_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_hardmax1' op axes[0] is 2, but wants a value from 0 to 1}}
  %0 = dml.activation_hardmax1 %a {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// DML_SoftmaxBase (C1)
func.func @hardmax1_size(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_hardmax1' op output has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0 = dml.activation_hardmax1 %a {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @hardmax_type(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_hardmax' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.activation_hardmax %a : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

// DML_MatrixSoftmaxOp (C2)
func.func @hardmax_matrix(%a: tensor<1x2x1x3xf32>) {
  // expected-error @below {{'dml.activation_hardmax' op input has type 'tensor<1x2x1x3xf32>', of 3 dimensions without the leading sizes of 1, but wants at most 2}}
  %0 = dml.activation_hardmax %a : (tensor<1x2x1x3xf32>) -> tensor<1x2x1x3xf32>
  return
}

// -----

func.func @log_softmax1_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_log_softmax1' op axes[0] is 2, but wants a value from 0 to 1}}
  %0 = dml.activation_log_softmax1 %a {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax1_size(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_log_softmax1' op output has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0 = dml.activation_log_softmax1 %a {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @log_softmax_type(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_log_softmax' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.activation_log_softmax %a : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

func.func @log_softmax_matrix(%a: tensor<1x2x1x3xf32>) {
  // expected-error @below {{'dml.activation_log_softmax' op input has type 'tensor<1x2x1x3xf32>', of 3 dimensions without the leading sizes of 1, but wants at most 2}}
  %0 = dml.activation_log_softmax %a : (tensor<1x2x1x3xf32>) -> tensor<1x2x1x3xf32>
  return
}

// -----

func.func @softmax1_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_softmax1' op axes[0] is 2, but wants a value from 0 to 1}}
  %0 = dml.activation_softmax1 %a {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax1_size(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_softmax1' op output has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0 = dml.activation_softmax1 %a {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @softmax_type(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.activation_softmax' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.activation_softmax %a : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

func.func @softmax_matrix(%a: tensor<1x2x1x3xf32>) {
  // expected-error @below {{'dml.activation_softmax' op input has type 'tensor<1x2x1x3xf32>', of 3 dimensions without the leading sizes of 1, but wants at most 2}}
  %0 = dml.activation_softmax %a : (tensor<1x2x1x3xf32>) -> tensor<1x2x1x3xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
