// RUN: dml-opt %s --split-input-file --dml-place-parts | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// The temporary that is copied into a range is that range. What is copied and no
// temporary is moved by a kernel.

// CHECK-LABEL: func @parts
// CHECK-SAME:    %[[INPUT:.*]]: memref<4xf32>, %[[OUTPUT:.*]]: memref<8xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         %[[PART:.*]] = memref.subview %[[OUTPUT]][0] [4] [1]
// CHECK:         %[[PLACED:.*]] = dml_buffer.view %[[PART]] : {{.*}} to memref<4xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[PLACED]] : memref<4xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         %[[REST:.*]] = memref.subview %[[OUTPUT]][4] [4] [1]
// CHECK:         %[[MOVED:.*]] = dml_buffer.view %[[REST]]
// CHECK:         linalg.generic {{.*}} outs(%[[MOVED]] : memref<4xf32>) attrs = {dml.label = "dml.join"}
// CHECK:           memref.load %[[INPUT]]
// CHECK-NOT:     memref.copy
func.func @parts(%input: memref<4xf32>, %output: memref<8xf32>) {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%a : memref<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  }
  %0 = memref.subview %output[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %0 : memref<4xf32> to memref<4xf32, strided<[1]>>
  %1 = memref.subview %output[4] [4] [1]
      : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %input, %1 : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  return
}

// -----

#map = affine_map<(d0) -> (d0)>

// The range is read before it is copied to, so that the temporary stays.

// CHECK-LABEL: func @readBefore
// CHECK:         %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[A]]
// CHECK:         memref.copy
// CHECK:         linalg.generic {{.*}}dml.label = "dml.join"
// CHECK:           memref.load %[[A]]
func.func @readBefore(%output: memref<8xf32>, %other: memref<8xf32>) {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%a : memref<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  }
  memref.copy %output, %other : memref<8xf32> to memref<8xf32>
  %0 = memref.subview %output[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %0 : memref<4xf32> to memref<4xf32, strided<[1]>>
  return
}

// -----

#map = affine_map<(d0) -> (d0)>

// The temporary is written again after its first copy, which keeps what it was. It
// can be where it is copied to last.

// CHECK-LABEL: func @writtenAfter
// CHECK-SAME:    %[[OUTPUT:.*]]: memref<4xf32>, %[[OTHER:.*]]: memref<4xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}} outs(%[[OTHER]]
// CHECK:         memref.copy %[[OTHER]], %[[OUTPUT]]
// CHECK:         linalg.generic {{.*}} outs(%[[OTHER]]
// CHECK-NOT:     memref.copy
func.func @writtenAfter(%output: memref<4xf32>, %other: memref<4xf32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%a : memref<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  }
  memref.copy %a, %output : memref<4xf32> to memref<4xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%a : memref<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %two : f32
  }
  memref.copy %a, %other : memref<4xf32> to memref<4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
