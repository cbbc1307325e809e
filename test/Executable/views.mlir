// A kernel that reads or writes a buffer through views of it reads or writes the buffer:
// what comes after it waits.
//
// REQUIRES: vulkan
// RUN: dml-compile %s -o %t.dmlx
// RUN: dml-inspect %t.dmlx | FileCheck %s
// RUN: dml-run %t.dmlx --function=write_cast --validate --input=64xf32=1 | FileCheck %s --check-prefix=VALUES
// RUN: dml-run %t.dmlx --function=write_reinterpreted --validate --input=64xf32=1 | FileCheck %s --check-prefix=VALUES
// RUN: dml-run %t.dmlx --function=read_views --validate --input=64xf32=1 | FileCheck %s --check-prefix=VALUES
// VALUES: [3 3 3
module attributes {gpu.container_module} {
  // CHECK: write_cast
  // CHECK: step 0: {{.*}}cast
  // CHECK: step 1, after a barrier: {{.*}}direct
  func.func @write_cast(%a: memref<64xf32> {dml.name = "a"},
      %result: memref<64xf32> {bufferize.result, dml.name = "result"}) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %between = memref.alloc() : memref<64xf32>
    gpu.launch_func @cast::@cast blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<64xf32>, %between : memref<64xf32>)
    gpu.launch_func @direct::@direct blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%between : memref<64xf32>, %result : memref<64xf32>)
    return
  }

  // CHECK: write_reinterpreted
  // CHECK: step 0: {{.*}}reinterpreted
  // CHECK: step 1, after a barrier: {{.*}}direct
  func.func @write_reinterpreted(%a: memref<64xf32> {dml.name = "a"},
      %result: memref<64xf32> {bufferize.result, dml.name = "result"}) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %between = memref.alloc() : memref<64xf32>
    gpu.launch_func @reinterpreted::@reinterpreted blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<64xf32>, %between : memref<64xf32>)
    gpu.launch_func @direct::@direct blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%between : memref<64xf32>, %result : memref<64xf32>)
    return
  }

  // CHECK: read_views
  // CHECK: step 0: {{.*}}direct
  // CHECK: step 1, after a barrier: {{.*}}viewed
  func.func @read_views(%a: memref<64xf32> {dml.name = "a"},
      %result: memref<64xf32> {bufferize.result, dml.name = "result"}) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %between = memref.alloc() : memref<64xf32>
    gpu.launch_func @direct::@direct blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<64xf32>, %between : memref<64xf32>)
    gpu.launch_func @viewed::@viewed blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%between : memref<64xf32>, %result : memref<64xf32>)
    return
  }

  // What only read one buffer need not wait for one another.

  // CHECK: only_reads
  // CHECK: step 0: {{.*}}viewed
  // CHECK: step 1: {{.*}}direct
  func.func @only_reads(%a: memref<64xf32> {dml.name = "a"},
      %result: memref<64xf32> {bufferize.result, dml.name = "result"}) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %between = memref.alloc() : memref<64xf32>
    gpu.launch_func @viewed::@viewed blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<64xf32>, %between : memref<64xf32>)
    gpu.launch_func @direct::@direct blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%a : memref<64xf32>, %result : memref<64xf32>)
    return
  }

  gpu.module @direct {
    gpu.func @direct(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>,
                    known_grid_size = array<i32: 1, 1, 1>} {
      %thread = gpu.thread_id x
      %c63 = arith.constant 63 : index
      %one = arith.constant 1.0 : f32
      %other = arith.subi %c63, %thread : index
      %value = memref.load %in[%other] : memref<64xf32>
      %sum = arith.addf %value, %one : f32
      memref.store %sum, %out[%thread] : memref<64xf32>
      gpu.return
    }
  }

  gpu.module @cast {
    gpu.func @cast(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>,
                    known_grid_size = array<i32: 1, 1, 1>} {
      %thread = gpu.thread_id x
      %c63 = arith.constant 63 : index
      %one = arith.constant 1.0 : f32
      %other = arith.subi %c63, %thread : index
      %view = memref.cast %out : memref<64xf32> to memref<64xf32, strided<[1], offset: 0>>
      %value = memref.load %in[%other] : memref<64xf32>
      %sum = arith.addf %value, %one : f32
      memref.store %sum, %view[%thread] : memref<64xf32, strided<[1], offset: 0>>
      gpu.return
    }
  }

  gpu.module @reinterpreted {
    gpu.func @reinterpreted(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>,
                    known_grid_size = array<i32: 1, 1, 1>} {
      %thread = gpu.thread_id x
      %c63 = arith.constant 63 : index
      %one = arith.constant 1.0 : f32
      %other = arith.subi %c63, %thread : index
      %view = memref.reinterpret_cast %out to offset: [0], sizes: [64], strides: [1]
          : memref<64xf32> to memref<64xf32>
      %value = memref.load %in[%other] : memref<64xf32>
      %sum = arith.addf %value, %one : f32
      memref.store %sum, %view[%thread] : memref<64xf32>
      gpu.return
    }
  }

  gpu.module @viewed {
    gpu.func @viewed(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>,
                    known_grid_size = array<i32: 1, 1, 1>} {
      %thread = gpu.thread_id x
      %c63 = arith.constant 63 : index
      %one = arith.constant 1.0 : f32
      %other = arith.subi %c63, %thread : index
      %view = memref.reinterpret_cast %in to offset: [0], sizes: [64], strides: [1]
          : memref<64xf32> to memref<64xf32>
      %same = memref.cast %view : memref<64xf32> to memref<64xf32, strided<[1], offset: 0>>
      %value = memref.load %same[%other] : memref<64xf32, strided<[1], offset: 0>>
      %sum = arith.addf %value, %one : f32
      memref.store %sum, %out[%thread] : memref<64xf32>
      gpu.return
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
