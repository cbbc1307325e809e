// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s
// RUN: dml-opt %s --convert-dml-to-linalg --dml-outline-loop-bodies | FileCheck %s --check-prefix=OUTLINED

// The products of the input are computed for all steps at once. Each step of a short
// sequence is an operation of its own, which reads the state of the step before and its row
// of these products.

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

// A longer sequence is a loop, which carries the state and collects the sequence. Backward, the
// last row is the first one.

// CHECK-LABEL: func @loop
// CHECK:       %[[ROWS:.*]] = tensor.collapse_shape %{{.*}} : tensor<1024x1x2x10xf32> into tensor<1024x20xf32>
// CHECK:       %[[INIT:.*]] = linalg.generic
// CHECK:       %[[EMPTY:.*]] = tensor.empty() : tensor<1024x20xf32>
// CHECK:       %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[STATE:.*]] = %[[INIT]], %[[ALL:.*]] = %[[EMPTY]])
// CHECK:         %[[T:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK:         tensor.extract_slice %[[ROWS]][%[[T]], 0] [1, 20] [1, 1]
// CHECK:         %[[NEXT:.*]] = linalg.generic
// CHECK:           tensor.extract %[[STATE]]
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[NEXT]]
// CHECK:         %[[WRITTEN:.*]] = tensor.insert_slice %[[ROW]] into %[[ALL]][%[[T]], 0] [1, 20] [1, 1]
// CHECK:         scf.yield %[[NEXT]], %[[WRITTEN]]
// CHECK:       tensor.expand_shape %[[LOOP]]#1

// OUTLINED-LABEL: func @loop
// OUTLINED:       scf.for
// OUTLINED-NOT:     linalg.generic
// OUTLINED:         %[[STATE:.*]] = func.call @loop_body(%{{.*}}) {no_inline} : (tensor<1x1x2x10xf32>, tensor<1x1x10x10xf32>, tensor<1x1x2x10xf32>) -> tensor<1x1x2x10xf32>
// OUTLINED:         tensor.collapse_shape %[[STATE]]
// OUTLINED:         scf.yield
// OUTLINED-LABEL: func private @loop_body
// OUTLINED-SAME:      attributes {no_inline}
// OUTLINED:         linalg.generic
func.func @loop(%input: tensor<1x1024x2x7xf32>, %weight: tensor<1x1x10x7xf32>, %recurrence: tensor<1x1x10x10xf32>) -> tensor<1024x1x2x10xf32> {
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>], direction = #dml.recurrent_network_direction<backward>}
      : (tensor<1x1024x2x7xf32>, tensor<1x1x10x7xf32>, tensor<1x1x10x10xf32>) -> output_sequence(tensor<1024x1x2x10xf32>)
  return %0 : tensor<1024x1x2x10xf32>
}

// Both directions are one loop. They take turns in the body, so that both wait at one barrier.

// OUTLINED-LABEL: func @directions
// OUTLINED:       %[[LOOP:.*]]:4 = scf.for
// OUTLINED:         func.call @loop_body
// OUTLINED-NOT:   scf.for
// OUTLINED-LABEL: func private @loop_body
// OUTLINED-SAME:      (%[[A:.*]]: tensor<1x1x2x10xf32>, %{{.*}}, %[[B:.*]]: tensor<1x1x2x10xf32>
func.func @directions(%input: tensor<1x1024x2x7xf32>, %weight: tensor<1x2x30x7xf32>, %recurrence: tensor<1x2x30x10xf32>) -> tensor<1024x2x2x10xf32> {
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<sigmoid>, #dml.activation<tanh>, #dml.activation<sigmoid>, #dml.activation<tanh>],
      direction = #dml.recurrent_network_direction<bidirectional>, linear_before_reset = false}
      : (tensor<1x1024x2x7xf32>, tensor<1x2x30x7xf32>, tensor<1x2x30x10xf32>) -> output_sequence(tensor<1024x2x2x10xf32>)
  return %0 : tensor<1024x2x2x10xf32>
}

// SPDX-License-Identifier: Apache-2.0
