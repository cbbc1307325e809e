// SPDX-License-Identifier: Apache-2.0
// RUN: dml-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(dml-merge-equal-ops))" | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Generics with equal bodies are one, those whose bodies differ stay, and what
// reads equal tensors is equal, too. In a body, additions become one; what
// nothing uses goes.

// CHECK-LABEL: func @main
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK-NOT:     tensor.empty
// CHECK:         %[[OF_A:.*]] = linalg.generic {{.*}} outs(%[[E]] :
// CHECK:           tensor.extract %[[A]]
// CHECK-NEXT:      %[[S:.*]] = arith.addf
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[S]], %[[S]]
// CHECK-NEXT:      linalg.yield %[[P]]
// CHECK:         %[[OF_B:.*]] = linalg.generic {{.*}} outs(%[[E]] :
// CHECK:           tensor.extract %[[B]]
// CHECK:         %[[THEN:.*]] = linalg.generic
// CHECK:           tensor.extract %[[OF_A]]
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[OF_B]], %[[THEN]], %[[THEN]]
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e0 = tensor.empty() : tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%e0 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %a[%i] : tensor<8xf32>
    %s = arith.addf %x, %x : f32
    %t = arith.addf %x, %x : f32
    %p = arith.mulf %s, %t : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%e1 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %a[%i] : tensor<8xf32>
    %s = arith.addf %x, %x : f32
    %p = arith.mulf %s, %s : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%e1 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %b[%i] : tensor<8xf32>
    %s = arith.addf %x, %x : f32
    %p = arith.mulf %s, %s : f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  %dead = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%e1 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %b[%i] : tensor<8xf32>
    linalg.yield %x : f32
  } -> tensor<8xf32>
  %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%e0 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %0[%i] : tensor<8xf32>
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %4 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%e0 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %1[%i] : tensor<8xf32>
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
