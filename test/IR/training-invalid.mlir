// What optimizers reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.adam_optimizer (C1)
func.func @size(%a: tensor<2xf32>, %g: tensor<3xf32>, %t: tensor<1xui32>) {
  // expected-error @below {{'dml.adam_optimizer' op gradient has size 3 in dimension 0, but input_parameters has 2 there (the operator does not broadcast)}}
  %0, %1, %2 = dml.adam_optimizer %a, %a, %a, %g, %t {learning_rate = 0.1 : f32, beta1 = 0.9 : f32, beta2 = 0.999 : f32, epsilon = 0.0 : f32} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<1xui32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// dml.adam_optimizer (C1)
func.func @type(%a: tensor<2xf32>, %t: tensor<1xui32>) {
  // expected-error @below {{'dml.adam_optimizer' op output_second_moment has element type 'f16', but input_parameters has 'f32'}}
  %0, %1, %2 = dml.adam_optimizer %a, %a, %a, %a, %t {learning_rate = 0.1 : f32, beta1 = 0.9 : f32, beta2 = 0.999 : f32, epsilon = 0.0 : f32} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xui32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf16>)
  return
}

// -----

// dml.adam_optimizer (C2)
func.func @steps(%a: tensor<2xf32>, %t: tensor<2xui32>) {
  // expected-error @below {{'dml.adam_optimizer' op training_step has size 2 in dimension 0, but wants 1}}
  %0, %1, %2 = dml.adam_optimizer %a, %a, %a, %a, %t {learning_rate = 0.1 : f32, beta1 = 0.9 : f32, beta2 = 0.999 : f32, epsilon = 0.0 : f32} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xui32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// dml.adam_optimizer (C3)
func.func @beta1(%a: tensor<2xf32>, %t: tensor<1xui32>) {
  // expected-error @below {{'dml.adam_optimizer' op beta1 is -5.000000e-01, but wants a value from 0 to 1}}
  %0, %1, %2 = dml.adam_optimizer %a, %a, %a, %a, %t {learning_rate = 0.1 : f32, beta1 = -0.5 : f32, beta2 = 0.999 : f32, epsilon = 0.0 : f32} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xui32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// dml.adam_optimizer (C3)
func.func @beta2(%a: tensor<2xf32>, %t: tensor<1xui32>) {
  // expected-error @below {{'dml.adam_optimizer' op beta2 is nan, but wants a value from 0 to 1}}
  %0, %1, %2 = dml.adam_optimizer %a, %a, %a, %a, %t {learning_rate = 0.1 : f32, beta1 = 0.5 : f32, beta2 = 0x7FC00000 : f32, epsilon = 0.0 : f32} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xui32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// SPDX-License-Identifier: Apache-2.0
