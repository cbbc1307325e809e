// Results that are arguments, constants, views or the same value twice; and
// functions that call. Copies and constants become steps of the executable.
//
// REQUIRES: vulkan, every-vulkan-feature
// RUN: dml-compile %s -o %t.dmlx
// RUN: dml-run %t.dmlx --function=same --validate --input=1xi8=5 "--input=2xf32=1 2" | FileCheck %s --check-prefix=SAME
// RUN: dml-run %t.dmlx --function=constants --validate | FileCheck %s --check-prefix=CONSTANTS
// RUN: dml-run %t.dmlx --function=calls --validate "--input=2xf32=1 2" "--input=2xf32=3 4" | FileCheck %s --check-prefix=CALLS

// SAME:      output0: 2xi8
// SAME-NEXT: [5 5]
// SAME-NEXT: output1: 2xi8
// SAME-NEXT: [5 5]
// SAME-NEXT: output2: 1xi8
// SAME-NEXT: [5]
// SAME-NEXT: output3: 1xi8
// SAME-NEXT: [5]
// SAME-NEXT: output4: 2xf32
// SAME-NEXT: [1 2]
// SAME-NEXT: output5: 1x2xi8
// SAME-NEXT: [5 5]
func.func @same(%a: tensor<1xi8>, %b: tensor<2xf32>)
    -> (tensor<2xi8>, tensor<2xi8>, tensor<1xi8>, tensor<1xi8>, tensor<2xf32>,
        tensor<1x2xi8>) {
  %0 = dml.tile %a {repeats = array<i64: 2>} : (tensor<1xi8>) -> tensor<2xi8>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [1, 2]
      : tensor<2xi8> into tensor<1x2xi8>
  return %0, %0, %a, %a, %b, %1 : tensor<2xi8>, tensor<2xi8>, tensor<1xi8>,
      tensor<1xi8>, tensor<2xf32>, tensor<1x2xi8>
}

// CONSTANTS:      output0: 3xui16
// CONSTANTS-NEXT: [1 2 65535]
// CONSTANTS-NEXT: output1: 6xui16
// CONSTANTS-NEXT: [1 2 65535 1 2 65535]
// CONSTANTS-NEXT: output2: 4xf16
// CONSTANTS-NEXT: [0.5 0.5 0.5 0.5]
func.func @constants() -> (tensor<3xui16>, tensor<6xui16>, tensor<4xf16>) {
  %0 = arith.constant dense<[1, 2, 65535]> : tensor<3xui16>
  %1 = dml.tile %0 {repeats = array<i64: 2>} : (tensor<3xui16>) -> tensor<6xui16>
  %2 = arith.constant dense<0.5> : tensor<2xf16>
  %3 = dml.tile %2 {repeats = array<i64: 2>} : (tensor<2xf16>) -> tensor<4xf16>
  return %0, %1, %3 : tensor<3xui16>, tensor<6xui16>, tensor<4xf16>
}

// CALLS:      [1 2 1 2]
// CALLS-NEXT: output1
// CALLS-NEXT: [3 4 3 4]
func.func private @twice(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = dml.tile %a {repeats = array<i64: 2>} : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @calls(%a: tensor<2xf32>, %b: tensor<2xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = call @twice(%a) : (tensor<2xf32>) -> tensor<4xf32>
  %1 = call @twice(%b) : (tensor<2xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// SPDX-License-Identifier: Apache-2.0
