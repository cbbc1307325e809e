// The scale and the bias of a normalization are loaded before the threads of a row exchange
// their sums, so that the threads wait for memory once.
//
// RUN: dml-opt %s --dml-to-gpu=device-profile=full,subgroupSize=32 | FileCheck %s
// RUN: dml-opt %s --dml-to-gpu=device-profile=full | FileCheck %s --check-prefix=MEMORY
//
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: gpu.func @dml.mean_variance_normalization2(
// CHECK-SAME:    %[[X:.*]]: memref<{{[^)]*}}>, %[[SCALE:.*]]: memref<{{[^)]*}}>, %[[BIAS:.*]]: memref<{{[^)]*}}>, %[[OUT:.*]]: memref<
// CHECK-NOT:     gpu.shuffle
// CHECK:         memref.load %[[SCALE]]
// CHECK-NOT:     gpu.shuffle
// CHECK:         memref.load %[[BIAS]]
// CHECK:         gpu.shuffle
// CHECK-NOT:     memref.load %[[SCALE]]
// CHECK-NOT:     memref.load %[[BIAS]]
// CHECK:         memref.store %{{.*}}, %[[OUT]]

// MEMORY-LABEL: gpu.func @dml.mean_variance_normalization2(
// MEMORY-SAME:    %[[X:.*]]: memref<{{[^)]*}}>, %[[SCALE:.*]]: memref<{{[^)]*}}>, %[[BIAS:.*]]: memref<{{[^)]*}}>, %[[OUT:.*]]: memref<
// MEMORY:         memref.load %[[SCALE]]
// MEMORY:         memref.load %[[BIAS]]
// MEMORY:         gpu.barrier
// MEMORY-NOT:     memref.load %[[SCALE]]
// MEMORY-NOT:     memref.load %[[BIAS]]
// MEMORY:         memref.store %{{.*}}, %[[OUT]]
func.func @rows(%x: tensor<1x1x64x512xf32>, %s: tensor<1x1x64x512xf32>, %b: tensor<1x1x64x512xf32>)
    -> tensor<1x1x64x512xf32> {
  %0 = dml.mean_variance_normalization2 %x scale(%s) bias(%b) {axes = array<i64: 3>, epsilon = 1.0E-5 : f32, use_mean = true, use_variance = true}
      : (tensor<1x1x64x512xf32>, tensor<1x1x64x512xf32>, tensor<1x1x64x512xf32>) -> tensor<1x1x64x512xf32>
  return %0 : tensor<1x1x64x512xf32>
}
