// What optimizers accept, in text and in bytecode. A comment names the constraint whose
// limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.adam_optimizer (C1), (C2), (C3): a step of another rank, and the ends of the range
// of beta1 and beta2.
// CHECK-LABEL: func @adam
func.func @adam(%a: tensor<2x3xf16>, %t: tensor<1xui32>) {
  // CHECK: dml.adam_optimizer %{{.*}} {beta1 = 0.000000e+00 : f32, beta2 = 1.000000e+00 : f32, epsilon = 0.000000e+00 : f32, learning_rate = -1.000000e+00 : f32}
  %0, %1, %2 = dml.adam_optimizer %a, %a, %a, %a, %t {learning_rate = -1.0 : f32,
      beta1 = 0.0 : f32, beta2 = 1.0 : f32, epsilon = 0.0 : f32}
      : (tensor<2x3xf16>, tensor<2x3xf16>, tensor<2x3xf16>, tensor<2x3xf16>, tensor<1xui32>)
      -> (tensor<2x3xf16>, tensor<2x3xf16>, tensor<2x3xf16>)
  return
}

// SPDX-License-Identifier: Apache-2.0
