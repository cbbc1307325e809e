// What the runtime would refuse is an error of the compiler, at the kernel.
//
// RUN: not dml-compile %s -o %t.dmlx 2>&1 | FileCheck %s
// CHECK: refused-kernel.mlir:[[@LINE+9]]:{{.*}} error: the runtime refuses the kernel: word {{[0-9]+}}: OpAccessChain: index 64 reaches beyond the 64 elements
module attributes {gpu.container_module} {
  func.func @main(%result: memref<64xi32> {bufferize.result, dml.name = "result"}) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @beyond::@beyond blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%result : memref<64xi32>)
    return
  }
  gpu.module @beyond {
    gpu.func @beyond(%result: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>,
                    known_grid_size = array<i32: 1, 1, 1>} {
      %memory = memref.alloc() : memref<64xi32, #gpu.address_space<workgroup>>
      %thread = gpu.thread_id x
      %c64 = arith.constant 64 : index
      %c0_i32 = arith.constant 0 : i32
      memref.store %c0_i32, %memory[%thread] : memref<64xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %value = memref.load %memory[%c64] : memref<64xi32, #gpu.address_space<workgroup>>
      memref.store %value, %result[%thread] : memref<64xi32>
      gpu.return
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
