// Functions whose SPIR-V instructions promise less than the operators do: NaN is
// kept, and the logarithm of what is no normal number is chosen without the
// instruction.
//
// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @exponential
// CHECK:         %[[EXP:.*]] = math.exp %[[X:.*]] : f32
// CHECK:         %[[IS_NUMBER:.*]] = arith.cmpf oeq, %[[X]], %[[X]] : f32
// CHECK:         arith.select %[[IS_NUMBER]], %[[EXP]], %[[X]] : f32
func.func @exponential(%input: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dml.element_wise_exp %input : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @logarithm
// CHECK-DAG:     %[[LEAST:.*]] = arith.constant 1.17549435E-38 : f32
// CHECK-DAG:     %[[NONE:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[MAGNITUDE:.*]] = math.absf %[[X:.*]] : f32
// CHECK:         %[[IS_ZERO:.*]] = arith.cmpf olt, %[[MAGNITUDE]], %[[LEAST]] : f32
// CHECK:         %[[OTHER:.*]] = arith.select %[[IS_ZERO]], %[[NONE]], %{{.*}} : f32
// CHECK:         %[[LOG:.*]] = math.log
// CHECK:         %[[IS_NORMAL:.*]] = arith.cmpf ole, %[[LEAST]], %[[X]] : f32
// CHECK:         arith.select %[[IS_NORMAL]], %[[LOG]], %[[OTHER]] : f32
func.func @logarithm(%input: tensor<4xf32>) -> tensor<4xf32> {
  %0 = dml.element_wise_log %input : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// SPDX-License-Identifier: Apache-2.0
