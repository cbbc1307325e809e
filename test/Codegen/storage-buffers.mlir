// A kernel that binds more than the profile's storage buffers is refused, under the
// operator's name.
//
// RUN: not dml-opt %s --dml-attach-device=profile=minimal --dml-convert-kernels-to-spirv 2>&1 | FileCheck %s
// RUN: dml-opt %s --dml-attach-device=profile=minimal,maxStorageBuffers=5 --dml-convert-kernels-to-spirv | FileCheck %s --check-prefix=FIVE
// CHECK: error: 'dml.sum' binds 5 storage buffers, but the device profile 'minimal' has 4
// FIVE: spirv.module

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @dml.sum(%a: memref<1xf32>, %b: memref<1xf32>, %c: memref<1xf32>,
                      %d: memref<1xf32>, %e: memref<1xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @main(%a: memref<1xf32>, %b: memref<1xf32>, %c: memref<1xf32>,
                  %d: memref<1xf32>, %e: memref<1xf32>) {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@dml.sum blocks in (%one, %one, %one)
        threads in (%one, %one, %one)
        args(%a : memref<1xf32>, %b : memref<1xf32>, %c : memref<1xf32>,
             %d : memref<1xf32>, %e : memref<1xf32>)
    return
  }
}

// SPDX-License-Identifier: Apache-2.0
