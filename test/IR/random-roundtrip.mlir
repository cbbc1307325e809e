// What random generators accept, in text and in bytecode. A comment names the
// constraint whose limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.random_generator (C1), (C2): with and without the next state, and an output of
// another rank.
// CHECK-LABEL: func @generators
func.func @generators(%a: tensor<6xui32>, %b: tensor<1x1x1x6xui32>) {
  // CHECK: dml.random_generator %{{.*}} {type = #dml.random_generator_type<philox_4x32_10>} : (tensor<6xui32>) -> tensor<2x3xui32>
  %0 = dml.random_generator %a {type = #dml.random_generator_type<philox_4x32_10>}
      : (tensor<6xui32>) -> tensor<2x3xui32>
  // CHECK: dml.random_generator %{{.*}} : (tensor<1x1x1x6xui32>) -> (tensor<7xui32>, tensor<1x1x1x6xui32>)
  %1, %2 = dml.random_generator %b {type = #dml.random_generator_type<philox_4x32_10>}
      : (tensor<1x1x1x6xui32>) -> (tensor<7xui32>, tensor<1x1x1x6xui32>)
  return
}

// SPDX-License-Identifier: Apache-2.0
