// RUN: dml-opt %s --dml-copy-shared-results | FileCheck %s

// The second and the third use of a value become copies; the first stays.

// CHECK-LABEL: func @shared
// CHECK-SAME:  %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<2xf32>
// CHECK:       %[[COPY1:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK:       %[[COPY2:.*]] = bufferization.alloc_tensor() copy(%[[A]])
// CHECK:       return %[[A]], %[[B]], %[[COPY1]], %[[COPY2]]
func.func @shared(%a: tensor<2xf32>, %b: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  return %a, %b, %a, %a : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @distinct
// CHECK-NOT:   alloc_tensor
// CHECK:       return
func.func @distinct(%a: tensor<2xf32>, %b: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>) {
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// Every use of an empty tensor has its own.

// CHECK-LABEL: func @empty
// CHECK-COUNT-2: tensor.empty() : tensor<2xf32>
// CHECK:       tensor.insert %{{.*}} into %[[FIRST:.*]][
// CHECK-NOT:   into %[[FIRST]][
// CHECK:       return
func.func @empty(%a: f32, %i: index) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = tensor.empty() : tensor<2xf32>
  %1 = tensor.insert %a into %0[%i] : tensor<2xf32>
  %2 = tensor.insert %a into %0[%i] : tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}

// SPDX-License-Identifier: Apache-2.0
