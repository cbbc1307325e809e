// RUN: dml-opt %s --split-input-file --dml-nest-joins --cse | FileCheck %s

// A concatenation that another begins with is inserted into it, and one of which it
// is the middle. One that ends inside of it is not, and neither is one along another
// dimension.

// CHECK-LABEL: func @nested
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2x3xf32>, %[[B:[a-z0-9]+]]: tensor<2x1xf32>, %[[C:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK:         tensor.insert_slice %[[A]]
// CHECK:         %[[AB:.*]] = tensor.insert_slice %[[B]] {{.*}} into tensor<2x4xf32>
// CHECK:         %[[E1:.*]] = tensor.empty() : tensor<2x8xf32>
// CHECK:         %[[I1:.*]] = tensor.insert_slice %[[AB]] into %[[E1]][0, 0] [2, 4] [1, 1]
// CHECK:         %[[ABC:.*]] = tensor.insert_slice %[[C]] into %[[I1]][0, 4] [2, 4] [1, 1]
// CHECK:         %[[E2:.*]] = tensor.empty() : tensor<2x16xf32>
// CHECK:         %[[I2:.*]] = tensor.insert_slice %[[C]] into %[[E2]][0, 0] [2, 4] [1, 1]
// CHECK:         %[[I3:.*]] = tensor.insert_slice %[[ABC]] into %[[I2]][0, 4] [2, 8] [1, 1]
// CHECK:         %[[LAST:.*]] = tensor.insert_slice %[[C]] into %[[I3]][0, 12] [2, 4] [1, 1]
// CHECK:         return %[[AB]], %[[ABC]], %[[LAST]]
func.func @nested(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>, %c: tensor<2x4xf32>)
    -> (tensor<2x4xf32>, tensor<2x8xf32>, tensor<2x16xf32>) {
  %0 = tensor.empty() : tensor<2x4xf32>
  %1 = tensor.insert_slice %a into %0[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x4xf32>
  %2 = tensor.insert_slice %b into %1[0, 3] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<2x4xf32>
  %3 = tensor.empty() : tensor<2x8xf32>
  %4 = tensor.insert_slice %a into %3[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x8xf32>
  %5 = tensor.insert_slice %b into %4[0, 3] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<2x8xf32>
  %6 = tensor.insert_slice %c into %5[0, 4] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x8xf32>
  %7 = tensor.empty() : tensor<2x16xf32>
  %8 = tensor.insert_slice %c into %7[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x16xf32>
  // The concatenation of the first two and what follows it.
  %9 = tensor.insert_slice %2 into %8[0, 4] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x16xf32>
  %10 = tensor.insert_slice %c into %9[0, 8] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x16xf32>
  %11 = tensor.insert_slice %c into %10[0, 12] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x16xf32>
  return %2, %6, %11 : tensor<2x4xf32>, tensor<2x8xf32>, tensor<2x16xf32>
}

// -----

// Nothing is nested: another order, another dimension, a part that would have to be
// taken apart.

// CHECK-LABEL: func @apart
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4x4xf32>, %[[B:[a-z0-9]+]]: tensor<4x4xf32>, %[[C:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK:         tensor.insert_slice %[[A]] {{.*}}[0, 0]
// CHECK:         tensor.insert_slice %[[B]] {{.*}}[0, 4]
// CHECK:         tensor.insert_slice %[[A]] {{.*}}[0, 0]
// CHECK:         tensor.insert_slice %[[B]] {{.*}}[4, 0]
// CHECK:         tensor.insert_slice %[[B]] {{.*}}[0, 0]
// CHECK:         %[[BC:.*]] = tensor.insert_slice %[[C]] {{.*}}[0, 4]
// CHECK:         tensor.insert_slice %[[A]] {{.*}}[0, 0]
// CHECK:         tensor.insert_slice %[[BC]] {{.*}}[0, 4]
func.func @apart(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>)
    -> (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x12xf32>) {
  %0 = tensor.empty() : tensor<4x8xf32>
  %1 = tensor.insert_slice %a into %0[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
  %2 = tensor.insert_slice %b into %1[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
  %3 = tensor.empty() : tensor<8x4xf32>
  %4 = tensor.insert_slice %a into %3[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
  %5 = tensor.insert_slice %b into %4[4, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
  %6 = tensor.empty() : tensor<4x8xf32>
  %7 = tensor.insert_slice %b into %6[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
  %8 = tensor.insert_slice %c into %7[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
  %9 = tensor.empty() : tensor<4x12xf32>
  %10 = tensor.insert_slice %a into %9[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x12xf32>
  %11 = tensor.insert_slice %8 into %10[0, 4] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x12xf32>
  return %2, %5, %11 : tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x12xf32>
}

// -----

// What is the same is one.

// CHECK-LABEL: func @same
// CHECK:         tensor.insert_slice
// CHECK:         %[[JOINED:.*]] = tensor.insert_slice
// CHECK-NOT:     tensor.insert_slice
// CHECK:         return %[[JOINED]], %[[JOINED]]
func.func @same(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = tensor.insert_slice %a into %0[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %2 = tensor.insert_slice %b into %1[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %3 = tensor.empty() : tensor<8xf32>
  %4 = tensor.insert_slice %a into %3[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %5 = tensor.insert_slice %b into %4[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %2, %5 : tensor<8xf32>, tensor<8xf32>
}

// SPDX-License-Identifier: Apache-2.0
