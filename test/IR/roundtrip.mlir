// RUN: dml-opt %s | dml-opt | FileCheck %s

// CHECK-LABEL: func @tile
func.func @tile(%input: tensor<2x2xf32>) -> tensor<2x4xf32> {
  // CHECK: dml.tile %{{.*}} {repeats = array<i64: 1, 2>} : (tensor<2x2xf32>) -> tensor<2x4xf32>
  %output = dml.tile %input {repeats = array<i64: 1, 2>}
      : (tensor<2x2xf32>) -> tensor<2x4xf32>
  return %output : tensor<2x4xf32>
}
