// An index of workgroup memory that a buffer says, which the runtime would refuse: the
// compiler writes a minimum with the last index before it. Here all threads write -1 to
// element -1, which becomes the last one; the others stay 0. Indices that are proven, as
// the thread's number is, stay as they are.
//
// REQUIRES: vulkan
// RUN: dml-compile %s -o %t.dmlx
// RUN: dml-run %t.dmlx --validate --input=64xi32=-1 --print-all | FileCheck %s
// RUN: dml-run %t.dmlx --validate --input=64xi32=40 --print-all | FileCheck %s --check-prefix=WITHIN
// CHECK:       result: 64xi32
// CHECK-NEXT:  {{^\[(0 +){63}-1\]$}}
// WITHIN:      result: 64xi32
// WITHIN-NEXT: {{^\[(0 +){40}40( +0){23}\]$}}
module attributes {gpu.container_module} {
  func.func @main(%indices: memref<64xi32> {dml.name = "indices"},
                  %result: memref<64xi32> {bufferize.result, dml.name = "result"}) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @scatter::@scatter blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1)
        args(%indices : memref<64xi32>, %result : memref<64xi32>)
    return
  }
  gpu.module @scatter {
    gpu.func @scatter(%indices: memref<64xi32>, %result: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>,
                    known_grid_size = array<i32: 1, 1, 1>} {
      %memory = memref.alloc() : memref<64xi32, #gpu.address_space<workgroup>>
      %thread = gpu.thread_id x
      %c0_i32 = arith.constant 0 : i32
      memref.store %c0_i32, %memory[%thread] : memref<64xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %loaded = memref.load %indices[%thread] : memref<64xi32>
      %index = arith.index_cast %loaded : i32 to index
      memref.store %loaded, %memory[%index] : memref<64xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %value = memref.load %memory[%thread] : memref<64xi32, #gpu.address_space<workgroup>>
      memref.store %value, %result[%thread] : memref<64xi32>
      gpu.return
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
