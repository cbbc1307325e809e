// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// An activation reads one element and yields one; its parameters are constants.

// CHECK-LABEL: func @leaky
// CHECK:       linalg.generic
// CHECK:         %[[X:.*]] = tensor.extract
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[POSITIVE:.*]] = arith.cmpf ole, %[[ZERO]], %[[X]]
// CHECK:         %[[ALPHA:.*]] = arith.constant 1.000000e-01 : f32
// CHECK:         %[[SMALL:.*]] = arith.mulf %[[X]], %[[ALPHA]]
// CHECK:         %[[Y:.*]] = arith.select %[[POSITIVE]], %[[X]], %[[SMALL]]
// CHECK:         linalg.yield %[[Y]]
func.func @leaky(%input: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = dml.activation_leaky_relu %input {alpha = 0.1 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Elements of f16 are computed in f32. A NaN does not pass through the exponential, which
// drivers may turn into a number: it is selected around it.

// CHECK-LABEL: func @sigmoid
// CHECK:       %[[HALF:.*]] = tensor.extract
// CHECK:         %[[X:.*]] = arith.extf %[[HALF]] : f16 to f32
// CHECK:         %[[MINUS:.*]] = arith.negf %[[X]]
// CHECK:         %[[EXP:.*]] = math.exp %[[MINUS]]
// CHECK:         %[[NUMBER:.*]] = arith.cmpf oeq, %[[MINUS]], %[[MINUS]]
// CHECK:         %[[SAFE:.*]] = arith.select %[[NUMBER]], %[[EXP]], %[[MINUS]]
// CHECK:         %[[SUM:.*]] = arith.addf %[[SAFE]]
// CHECK:         %[[Y:.*]] = arith.divf %{{.*}}, %[[SUM]]
// CHECK:         arith.truncf %[[Y]] : f32 to f16
func.func @sigmoid(%input: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = dml.activation_sigmoid %input : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// SPDX-License-Identifier: Apache-2.0
