// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// The factor of the step is one number for all elements. Both moments are results, which the
// new weights read.

// CHECK-LABEL: func @adam
// CHECK:       %[[RATE:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1xf32>)
// CHECK:       %[[FIRST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK:         %[[BETA1:.*]] = arith.constant 5.000000e-01
// CHECK:         arith.mulf %{{.*}}, %[[BETA1]]
// CHECK:       %[[SECOND:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK:         %[[BETA2:.*]] = arith.constant 7.500000e-01
// CHECK:         arith.mulf %{{.*}}, %[[BETA2]]
// CHECK:       %[[NEW:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2xf32>)
// CHECK:         %[[M:.*]] = tensor.extract %[[FIRST]]
// CHECK:         %[[V:.*]] = tensor.extract %[[SECOND]]
// CHECK:         %[[STEP:.*]] = tensor.extract %[[RATE]]
// CHECK:         %[[ROOT:.*]] = math.sqrt %[[V]]
// CHECK:         %[[DIVISOR:.*]] = arith.addf %[[ROOT]]
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[STEP]], %[[M]]
// CHECK:         arith.divf %[[SCALED]], %[[DIVISOR]]
// CHECK:       return %[[NEW]], %[[FIRST]], %[[SECOND]]
func.func @adam(%x: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>, %g: tensor<2xf32>, %t: tensor<1xui32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0, %1, %2 = dml.adam_optimizer %x, %m, %v, %g, %t {
      learning_rate = 0.1 : f32, beta1 = 0.5 : f32, beta2 = 0.75 : f32, epsilon = 0.001 : f32}
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xui32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// SPDX-License-Identifier: Apache-2.0
