// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// The largest element of a row, the sum of exponentials of the distances from it, and their
// quotients. The largest is kept finite in the sum, so that a row of negative infinities has no
// NaN of infinity minus infinity there.

// CHECK-LABEL: func @softmax
// CHECK:       %[[LARGEST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1xf32>)
// CHECK:         scf.for
// CHECK:           arith.maxnumf
// CHECK:         {dml.any_order}
// CHECK:       %[[SUM:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x1xf32>)
// CHECK:         scf.for
// CHECK:           tensor.extract %[[LARGEST]]
// CHECK:           %[[LOWEST:.*]] = arith.constant -3.40282347E+38
// CHECK:           arith.select %{{.*}}, %[[LOWEST]]
// CHECK:           math.exp
// CHECK:         {dml.any_order}
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<2x8xf32>)
// CHECK:         tensor.extract %[[LARGEST]]
// CHECK:         %[[DIVISOR:.*]] = tensor.extract %[[SUM]]
// CHECK:         math.exp
// CHECK:         arith.divf %{{.*}}, %[[DIVISOR]]
func.func @softmax(%input: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = dml.activation_softmax1 %input {axes = array<i64: 1>} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// SPDX-License-Identifier: Apache-2.0
