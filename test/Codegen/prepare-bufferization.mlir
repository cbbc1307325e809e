// SPDX-License-Identifier: Apache-2.0
// RUN: dml-opt %s --dml-prepare-bufferization | FileCheck %s

// Elements are loaded from the buffers of tensors and of their reshapes, if
// nothing else uses them: %b is returned.

// CHECK-LABEL: func @reads
// CHECK-SAME:  %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<2xf32>, %[[I:.*]]: index
// CHECK-DAG:   %[[BUFFER:.*]] = bufferization.to_buffer %[[A]] read_only : tensor<2x3xf32> to memref<2x3xf32>
// CHECK-DAG:   %[[FLAT:.*]] = tensor.collapse_shape %[[A]]
// CHECK-DAG:   %[[ROW:.*]] = bufferization.to_buffer %[[FLAT]] read_only
// CHECK-DAG:   memref.load %[[BUFFER]][%[[I]], %[[I]]]
// CHECK-DAG:   memref.load %[[ROW]][%[[I]]]
// CHECK-DAG:   tensor.extract %[[B]][%[[I]]]
// CHECK:       return
func.func @reads(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %i: index)
    -> (f32, f32, f32, tensor<2xf32>) {
  %0 = tensor.extract %a[%i, %i] : tensor<2x3xf32>
  %flat = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %1 = tensor.extract %flat[%i] : tensor<6xf32>
  %2 = tensor.extract %b[%i] : tensor<2xf32>
  return %0, %1, %2, %b : f32, f32, f32, tensor<2xf32>
}

// Slices of a new tensor are copied to their places, in their order; what is
// joined may be read, too.

// CHECK-LABEL: func @slices
// CHECK-SAME:  %[[A:.*]]: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>, %[[I:.*]]: index
// CHECK-NOT:   tensor.empty
// CHECK:       %[[WHOLE:.*]] = memref.alloc() : memref<5xf32>
// CHECK:       %[[FIRST:.*]] = memref.subview %[[WHOLE]][0] [2] [1]
// CHECK:       %[[OF_A:.*]] = bufferization.to_buffer %[[A]] read_only
// CHECK:       memref.copy %[[OF_A]], %[[FIRST]]
// CHECK:       %[[SECOND:.*]] = memref.subview %[[WHOLE]][2] [3] [1]
// CHECK:       %[[OF_B:.*]] = bufferization.to_buffer %[[B]] read_only
// CHECK:       memref.copy %[[OF_B]], %[[SECOND]]
// CHECK:       %[[RESULT:.*]] = bufferization.to_tensor %[[WHOLE]] restrict writable
// CHECK:       memref.load %{{.*}}[%[[I]]] : memref<2xf32>
// CHECK:       return %[[RESULT]]
func.func @slices(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: index)
    -> (tensor<5xf32>, f32) {
  %empty = tensor.empty() : tensor<5xf32>
  %0 = tensor.insert_slice %a into %empty[0] [2] [1] : tensor<2xf32> into tensor<5xf32>
  %1 = tensor.insert_slice %b into %0[2] [3] [1] : tensor<3xf32> into tensor<5xf32>
  %2 = tensor.extract %a[%i] : tensor<2xf32>
  return %1, %2 : tensor<5xf32>, f32
}

// What is written in between, and an argument, is left to the analysis.

// CHECK-LABEL: func @seen
// CHECK-COUNT-3: tensor.insert_slice
// CHECK-NOT:   bufferization
// CHECK:       return
func.func @seen(%a: tensor<2xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = tensor.insert_slice %a into %empty[0] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = tensor.insert_slice %a into %0[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %2 = tensor.insert_slice %a into %b[2] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// So are slices of what is a reshape of a new tensor, as emulated types leave it.

// CHECK-LABEL: func @reshaped
// CHECK-SAME:  %[[A:.*]]: tensor<2x1xi32>, %[[B:.*]]: tensor<2x2xi32>
// CHECK-NOT:   tensor.empty
// CHECK-NOT:   tensor.expand_shape
// CHECK:       %[[WHOLE:.*]] = memref.alloc() : memref<2x3xi32>
// CHECK:       %[[FIRST:.*]] = memref.subview %[[WHOLE]][0, 0] [2, 1] [1, 1]
// CHECK:       memref.copy %{{.*}}, %[[FIRST]]
// CHECK:       %[[SECOND:.*]] = memref.subview %[[WHOLE]][0, 1] [2, 2] [1, 1]
// CHECK:       memref.copy %{{.*}}, %[[SECOND]]
// CHECK:       %[[RESULT:.*]] = bufferization.to_tensor %[[WHOLE]] restrict writable
// CHECK:       return %[[RESULT]]
func.func @reshaped(%a: tensor<2x1xi32>, %b: tensor<2x2xi32>) -> tensor<2x3xi32> {
  %empty = tensor.empty() : tensor<6xi32>
  %0 = tensor.expand_shape %empty [[0, 1]] output_shape [2, 3] : tensor<6xi32> into tensor<2x3xi32>
  %1 = tensor.insert_slice %a into %0[0, 0] [2, 1] [1, 1] : tensor<2x1xi32> into tensor<2x3xi32>
  %2 = tensor.insert_slice %b into %1[0, 1] [2, 2] [1, 1] : tensor<2x2xi32> into tensor<2x3xi32>
  return %2 : tensor<2x3xi32>
}
