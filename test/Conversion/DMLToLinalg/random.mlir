// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// Philox: each element has a counter of its own, ten rounds of products of 32 bits with
// their high halves, and one of the four words that come out. The state counts blocks of
// four elements, with carries.

// CHECK-LABEL: func @random
// CHECK:       %[[VALUES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4xi32>)
// CHECK:         %[[ELEMENT:.*]] = linalg.index 0
// CHECK:         %[[WORDS:.*]] = arith.constant 4 : index
// CHECK:         arith.divui %[[ELEMENT]]
// CHECK-COUNT-20:   arith.mului_extended
// CHECK-NOT:      arith.mului_extended
// CHECK:         arith.remui %[[ELEMENT]]
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<6xi32>)
// CHECK:         %[[LOW:.*]] = arith.addi
// CHECK:         %[[CARRY:.*]] = arith.cmpi ult, %[[LOW]]
// CHECK:         %[[NEXT:.*]] = arith.extui %[[CARRY]]
// CHECK:         arith.addi %{{.*}}, %[[NEXT]]
func.func @random(%state: tensor<6xui32>) -> (tensor<4xui32>, tensor<6xui32>) {
  %0, %1 = dml.random_generator %state {type = #dml.random_generator_type<philox_4x32_10>}
      : (tensor<6xui32>) -> (tensor<4xui32>, tensor<6xui32>)
  return %0, %1 : tensor<4xui32>, tensor<6xui32>
}

// SPDX-License-Identifier: Apache-2.0
