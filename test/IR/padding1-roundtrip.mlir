// What operators accept, in text and in bytecode. A comment names the constraint whose
// limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.padding1 (C1), (C2), (C3), (C4)
// CHECK-LABEL: func @f0(
// CHECK: dml.padding1
func.func @f0(%0: tensor<1x3xui8>) {
  %r = dml.padding1 %0 {end_padding = array<i64: 0, 1>, mode = #dml.padding_mode<constant>, padding_value = 255 : ui8, start_padding = array<i64: 0, 2>}
      : (tensor<1x3xui8>) -> tensor<1x6xui8>
  return
}

// SPDX-License-Identifier: Apache-2.0
