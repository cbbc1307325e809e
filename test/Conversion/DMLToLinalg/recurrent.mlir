// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// The products of the input are computed for all steps at once. Each step is an operation of
// its own, which reads the state of the step before and its row of these products.

// CHECK-LABEL: func @rnn
// CHECK:       %[[INPUTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3x1x2x64xf32>)
// CHECK:         scf.for
// CHECK:           math.fma
// CHECK:       %[[FIRST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x2x64xf32>)
// CHECK:         scf.for
// CHECK:           math.fma
// CHECK:         tensor.extract %[[INPUTS]]
// CHECK:         arith.maxnumf
// CHECK:       %[[SECOND:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x2x64xf32>)
// CHECK:         scf.for
// CHECK:           tensor.extract %[[FIRST]]
// CHECK:           math.fma
// CHECK:         tensor.extract %[[INPUTS]]
// CHECK:       %[[THIRD:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x2x64xf32>)
// CHECK:         scf.for
// CHECK:           tensor.extract %[[SECOND]]
// CHECK:       tensor.insert_slice %[[FIRST]] into %{{.*}}[0, 0, 0, 0]
// CHECK:       tensor.insert_slice %[[SECOND]] into %{{.*}}[1, 0, 0, 0]
// CHECK:       tensor.insert_slice %[[THIRD]] into %{{.*}}[2, 0, 0, 0]
func.func @rnn(%input: tensor<1x3x2x64xf32>, %weight: tensor<1x1x64x64xf32>, %recurrence: tensor<1x1x64x64xf32>) -> tensor<3x1x2x64xf32> {
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>], direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x64xf32>, tensor<1x1x64x64xf32>, tensor<1x1x64x64xf32>) -> output_sequence(tensor<3x1x2x64xf32>)
  return %0 : tensor<3x1x2x64xf32>
}

// SPDX-License-Identifier: Apache-2.0
