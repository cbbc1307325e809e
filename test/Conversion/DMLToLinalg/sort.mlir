// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// Each element becomes a key of 32 bits, whose order as an unsigned number is the order wanted.
// The rank of an element is the number of elements before it: those with a smaller key, and
// those with the same key and a lower index. The result at a place has the element with that
// rank.

// CHECK-LABEL: func @top
// CHECK:       %[[KEYS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x64xi32>)
// CHECK:         arith.bitcast %{{.*}} : f32 to i32
// CHECK:       %[[RANKS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x64xi32>)
// CHECK:         %[[KEY:.*]] = tensor.extract %[[KEYS]]
// CHECK:         scf.for {{.*}} iter_args(%[[COUNT:.*]] =
// CHECK:           %[[OTHER:.*]] = tensor.extract %[[KEYS]]
// CHECK:           %[[EARLIER:.*]] = arith.cmpi ult
// CHECK:           %[[SAME:.*]] = arith.cmpi eq, %[[OTHER]], %[[KEY]]
// CHECK:           %[[TIE:.*]] = arith.andi %[[SAME]], %[[EARLIER]]
// CHECK:           %[[SMALLER:.*]] = arith.cmpi ult, %[[OTHER]], %[[KEY]]
// CHECK:           %[[BEFORE:.*]] = arith.ori %[[SMALLER]], %[[TIE]]
// CHECK:           %[[ONE:.*]] = arith.extui %[[BEFORE]] : i1 to i32
// CHECK:           arith.addi %[[COUNT]], %[[ONE]]
// CHECK:       %[[PLACES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3xi32>)
// CHECK:         scf.for
// CHECK:           tensor.extract %[[RANKS]]
// CHECK:           arith.cmpi eq
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3xf32>)
// CHECK:         tensor.extract %[[PLACES]]
func.func @top(%input: tensor<2x64xf32>) -> (tensor<2x3xf32>, tensor<2x3xui32>) {
  %0, %1 = dml.top_k %input {axis = 1 : i64, k = 3 : i64} : (tensor<2x64xf32>) -> (tensor<2x3xf32>, tensor<2x3xui32>)
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xui32>
}

// SPDX-License-Identifier: Apache-2.0
