// What random generators reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.random_generator (C1)
func.func @words(%a: tensor<1x5xui32>) {
  // expected-error @below {{'dml.random_generator' op input_state has size 5 in dimension 1, but wants 6}}
  %0 = dml.random_generator %a {type = #dml.random_generator_type<philox_4x32_10>} : (tensor<1x5xui32>) -> tensor<2xui32>
  return
}

// -----

// dml.random_generator (C1)
func.func @states(%a: tensor<2x6xui32>) {
  // expected-error @below {{'dml.random_generator' op input_state has size 2 in dimension 0, but wants 1}}
  %0 = dml.random_generator %a {type = #dml.random_generator_type<philox_4x32_10>} : (tensor<2x6xui32>) -> tensor<2xui32>
  return
}

// -----

// dml.random_generator (C2)
func.func @next(%a: tensor<1x6xui32>) {
  // expected-error @below {{'dml.random_generator' op output_state has size 5 in dimension 1, but input_state has 6 there (the operator does not broadcast)}}
  %0, %1 = dml.random_generator %a {type = #dml.random_generator_type<philox_4x32_10>} : (tensor<1x6xui32>) -> (tensor<2xui32>, tensor<1x5xui32>)
  return
}

// SPDX-License-Identifier: Apache-2.0
