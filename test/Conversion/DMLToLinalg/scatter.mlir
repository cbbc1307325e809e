// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// No kernel writes to an address that an index gives. Each element of the result looks for
// the last update with its index: updates are numbered from 1 on, and the greatest number
// counts. The element is that update's, or the input's where no update has its index.

// CHECK-LABEL: func @scatter
// CHECK:       %[[LAST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<3xi32>)
// CHECK:         %[[ELEMENT:.*]] = linalg.index 0
// CHECK:         scf.for
// CHECK:           %[[NAMED:.*]] = arith.cmpi eq, %{{.*}}, %[[ELEMENT]]
// CHECK:           arith.maxui
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<3xf32>)
// CHECK:         %[[NUMBER:.*]] = tensor.extract %[[LAST]]
// CHECK:         %[[ANY:.*]] = arith.cmpi ne, %[[NUMBER]]
// CHECK:         %[[UPDATE:.*]] = tensor.extract %{{.*}} : tensor<64xf32>
// CHECK:         %[[INPUT:.*]] = tensor.extract %{{.*}} : tensor<3xf32>
// CHECK:         arith.select %[[ANY]], %[[UPDATE]], %[[INPUT]]
func.func @scatter(%input: tensor<3xf32>, %indices: tensor<64xui32>, %updates: tensor<64xf32>) -> tensor<3xf32> {
  %0 = dml.scatter_elements %input, %indices, %updates {axis = 0}
      : (tensor<3xf32>, tensor<64xui32>, tensor<64xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// SPDX-License-Identifier: Apache-2.0
