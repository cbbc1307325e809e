// RUN: dml-opt %s --pass-pipeline="builtin.module(dml-convert-kernels-to-spirv,spirv.module(spirv-lower-abi-attrs,spirv-update-vce,dml-finalize-spirv))" | FileCheck %s

module attributes {gpu.container_module} {
  // The SPIR-V stands beside the kernel. Floating-point arithmetic is not to be
  // contracted or regrouped: a driver that may compute (x / y) / z as x / (y * z)
  // gives infinity where y * z is too small for a normal number, such as
  // 0.5 * 2^-126. The version is one whose entry points list their buffers.

  // CHECK:      spirv.module @__spv__kernels Logical GLSL450 requires #spirv.vce<v1.5, [Shader, Matrix, SignedZeroInfNanPreserve], [SPV_KHR_storage_buffer_storage_class]>
  // CHECK-DAG:    spirv.GlobalVariable @[[IN:.*]] bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<64 x f32, stride=4> [0])>, StorageBuffer>
  // CHECK-DAG:    spirv.GlobalVariable @[[OUT:.*]] bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.array<64 x f32, stride=4> [0])>, StorageBuffer>
  // CHECK:        spirv.FMul {{.*}} {no_contraction}
  // CHECK:        spirv.FAdd {{.*}} {no_contraction}
  // CHECK:        spirv.FDiv {{.*}} {no_contraction}
  // CHECK:        spirv.EntryPoint "GLCompute" @scale, @[[IN]], @[[OUT]]
  // CHECK:        spirv.ExecutionMode @scale "LocalSize", 64, 1, 1
  // CHECK:      gpu.module @kernels
  gpu.module @kernels {
    gpu.func @scale(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<64xf32>
      %square = arith.mulf %x, %x : f32
      %sum = arith.addf %square, %x : f32
      %quotient = arith.divf %sum, %x : f32
      memref.store %quotient, %out[%i] : memref<64xf32>
      gpu.return
    }
  }

  // A workgroup's memory is a variable of the module, which the entry point lists.

  // CHECK:      spirv.module @__spv__staged
  // CHECK:        spirv.GlobalVariable @[[STAGING:.*]] : !spirv.ptr<!spirv.struct<(!spirv.array<64 x vector<4xf32>>)>, Workgroup>
  // CHECK:        spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
  // CHECK:        spirv.EntryPoint "GLCompute" @reverse, {{.*}}@[[STAGING]]
  gpu.module @staged {
    gpu.func @reverse(%in: memref<64xvector<4xf32>>, %out: memref<64xvector<4xf32>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %last = arith.constant 63 : index
      %staging = memref.alloc() : memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<64xvector<4xf32>>
      memref.store %x, %staging[%i] : memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
      gpu.barrier
      %j = arith.subi %last, %i : index
      %y = memref.load %staging[%j] : memref<64xvector<4xf32>, #gpu.address_space<workgroup>>
      memref.store %y, %out[%i] : memref<64xvector<4xf32>>
      gpu.return
    }
  }

  // A number that two elements select and truncate is truncated once, before they select.

  // CHECK:      spirv.module @__spv__selected
  // CHECK:        %[[SUM:.*]] = spirv.FMul
  // CHECK:        %[[HALF:.*]] = spirv.FConvert %[[SUM]] : f32 to f16
  // CHECK-NOT:    spirv.FConvert
  // CHECK:        spirv.Select %{{.*}}, %[[HALF]], %{{.*}} : i1, f16
  // CHECK:        spirv.Select %{{.*}}, %[[HALF]], %{{.*}} : i1, f16
  gpu.module @selected {
    gpu.func @take(%in: memref<64xf32>, %out: memref<2x64xf16>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<64xf32>
      %square = arith.mulf %x, %x : f32
      %isFirst = arith.cmpi eq, %i, %c0 : index
      %isSecond = arith.cmpi eq, %i, %c1 : index
      %first = arith.select %isFirst, %square, %zero : f32
      %second = arith.select %isSecond, %square, %zero : f32
      %f = arith.truncf %first : f32 to f16
      %s = arith.truncf %second : f32 to f16
      memref.store %f, %out[%c0, %i] : memref<2x64xf16>
      memref.store %s, %out[%c1, %i] : memref<2x64xf16>
      gpu.return
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
