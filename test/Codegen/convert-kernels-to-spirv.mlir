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

  // What is added to round a number that comes of a loop's counter is hidden from the
  // driver, which may know the number; what comes from memory it does not know.

  // CHECK:      spirv.module @__spv__rounding
  // CHECK-DAG:    %[[SHIFT:.*]] = spirv.Constant 0x4B400000 : f32
  // CHECK-DAG:    %[[ZERO:.*]] = spirv.ShiftRightLogical
  // CHECK-DAG:    %[[BITS:.*]] = spirv.BitwiseOr %[[ZERO]]
  // CHECK-DAG:    %[[HIDDEN:.*]] = spirv.Bitcast %[[BITS]] : i32 to f32
  // CHECK:        spirv.FAdd %{{.*}}, %[[HIDDEN]]
  // CHECK:        spirv.FAdd %{{.*}}, %[[SHIFT]]
  gpu.module @rounding {
    gpu.func @round(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %quarter = arith.constant 0.25 : f32
      %shift = arith.constant 0x4B400000 : f32
      %i = gpu.thread_id x
      scf.for %k = %c0 to %c4 step %c1 {
        %word = arith.index_castui %k : index to i32
        %number = arith.uitofp %word : i32 to f32
        %part = arith.mulf %number, %quarter : f32
        %known = arith.addf %part, %shift : f32
        memref.store %known, %out[%k] : memref<64xf32>
      }
      %x = memref.load %in[%i] : memref<64xf32>
      %y = arith.mulf %x, %quarter : f32
      %unknown = arith.addf %y, %shift : f32
      memref.store %unknown, %out[%i] : memref<64xf32>
      gpu.return
    }
  }

  // A narrow integer is subtracted from a zero that drivers do not know, and an i32 from
  // the constant 0.

  // CHECK:      spirv.module @__spv__negation
  // CHECK-DAG:    %[[CST0:.*]] = spirv.Constant 0 : i32
  // CHECK-DAG:    %[[ZERO:.*]] = spirv.ShiftRightLogical
  // CHECK:        %[[WIDE:.*]] = spirv.SConvert %{{.*}} : i8 to i32
  // CHECK:        spirv.ISub %[[ZERO]], %[[WIDE]]
  // CHECK:        spirv.ISub %[[CST0]], %{{.*}}
  gpu.module @negation {
    gpu.func @negate(%in: memref<64xi8>, %words: memref<64xi32>, %out: memref<64xi8>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0 : i32
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<64xi8>
      %wide = arith.extsi %x : i8 to i32
      %negative = arith.subi %zero, %wide : i32
      %narrow = arith.trunci %negative : i32 to i8
      memref.store %narrow, %out[%i] : memref<64xi8>
      %word = memref.load %words[%i] : memref<64xi32>
      %difference = arith.subi %zero, %word : i32
      memref.store %difference, %words[%i] : memref<64xi32>
      gpu.return
    }
  }

  // Where an extended instruction's operands come of constants by way of what a loop
  // carries, one is hidden; counters and what comes from memory make no such operands.

  // CHECK:      spirv.module @__spv__carried
  // CHECK-DAG:    %[[ZERO:.*]] = spirv.ShiftRightLogical %{{.*}} : i32, i32
  // CHECK-DAG:    %[[THREE:.*]] = spirv.Constant 3 : i64
  // CHECK-DAG:    %[[SEVEN:.*]] = spirv.Constant 7.000000e+00 : f32
  // CHECK:        %[[NEXT:.*]] = spirv.IAdd
  // CHECK:        %[[HIDDEN:.*]] = spirv.BitwiseOr %{{.*}}, %[[NEXT]] : i64
  // CHECK:        spirv.GL.UMin %[[HIDDEN]], %[[THREE]]
  // CHECK:        %[[BITS:.*]] = spirv.BitwiseOr %[[ZERO]], %{{.*}} : i32
  // CHECK:        %[[FLOAT:.*]] = spirv.Bitcast %[[BITS]] : i32 to f32
  // CHECK:        spirv.GL.FMax %[[FLOAT]], %[[SEVEN]]
  // CHECK-NOT:    spirv.BitwiseOr
  // CHECK:        spirv.GL.UMin
  // CHECK-NOT:    spirv.BitwiseOr
  // CHECK:        spirv.GL.FMax
  gpu.module @carried {
    gpu.func @carry(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %seven = arith.constant 7.0 : f32
      %least = arith.constant 0xFF800000 : f32
      %position, %greatest, %greatest_of_all = scf.for %k = %c0 to %c4 step %c1
          iter_args(%p = %c0, %carried = %least, %other = %least) -> (index, f32, f32) {
        %after = arith.addi %p, %c1 : index
        %next = arith.minui %after, %c3 : index
        %greater = arith.maxnumf %carried, %seven fastmath<nnan> : f32
        %j = arith.minui %k, %c3 : index
        %x = memref.load %in[%j] : memref<64xf32>
        %greater_of_all = arith.maxnumf %other, %x fastmath<nnan> : f32
        scf.yield %next, %greater, %greater_of_all : index, f32, f32
      }
      memref.store %greatest, %out[%position] : memref<64xf32>
      memref.store %greatest_of_all, %out[%c4] : memref<64xf32>
      gpu.return
    }
  }

  // A carried value is known where both ways through a branch set it to a known one,
  // although the condition is not known.

  // CHECK:      spirv.module @__spv__branch
  // CHECK:        %[[ZERO:.*]] = spirv.ShiftRightLogical %{{.*}} : i32, i32
  // CHECK:        %[[HIDDEN:.*]] = spirv.BitwiseOr %[[ZERO]], %{{.*}} : i32
  // CHECK:        spirv.GL.UMax %[[HIDDEN]]
  gpu.module @branch {
    gpu.func @branch(%in: memref<64xi32>, %out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %zero = arith.constant 0 : i32
      %three = arith.constant 3 : i32
      %i = gpu.thread_id x
      %greatest = scf.for %k = %c0 to %c4 step %c1 iter_args(%carried = %zero) -> i32 {
        %x = memref.load %in[%k] : memref<64xi32>
        %is_zero = arith.cmpi eq, %x, %zero : i32
        %next = scf.if %is_zero -> i32 {
          memref.store %x, %out[%k] : memref<64xi32>
          %greater = arith.maxui %carried, %three : i32
          scf.yield %greater : i32
        } else {
          scf.yield %carried : i32
        }
        scf.yield %next : i32
      }
      memref.store %greatest, %out[%i] : memref<64xi32>
      gpu.return
    }
  }

  // A product with 0 is written out.

  // CHECK:      spirv.module @__spv__zeros
  // CHECK:        spirv.GL.FAbs
  // CHECK:        spirv.FOrdLessThan
  // CHECK:        spirv.Select
  // CHECK-NOT:    spirv.FMul
  // CHECK:        spirv.FOrdNotEqual
  // CHECK:        spirv.Select
  // CHECK-NOT:    spirv.FDiv
  // CHECK:        spirv.GL.FAbs
  // CHECK:        spirv.Select
  // CHECK-NOT:    spirv.GL.Fma
  // CHECK:        spirv.FAdd
  gpu.module @zeros {
    gpu.func @multiply(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0.0 : f32
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<64xf32>
      %product = arith.mulf %x, %zero : f32
      %quotient = arith.divf %zero, %x : f32
      %sum = math.fma %quotient, %zero, %x : f32
      %y = arith.maxnumf %product, %sum : f32
      memref.store %y, %out[%i] : memref<64xf32>
      gpu.return
    }
  }

  // What is added for 0 is a number that drivers do not know.

  // CHECK:      spirv.module @__spv__sums
  // CHECK:        %[[BIT:.*]] = spirv.ShiftRightLogical
  // CHECK:        %[[ZERO:.*]] = spirv.Bitcast %[[BIT]] : i32 to f32
  // CHECK-NOT:    spirv.Bitcast
  // CHECK:        %[[FIRST:.*]] = spirv.FAdd %{{.*}}, %[[ZERO]]
  // CHECK:        %[[SECOND:.*]] = spirv.FAdd %[[ZERO]], %[[FIRST]]
  // CHECK:        spirv.FAdd %[[SECOND]], %{{.*}}
  gpu.module @sums {
    gpu.func @add(%in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<64xf32>
      %first = arith.addf %x, %zero : f32
      %second = arith.addf %zero, %first : f32
      %third = arith.addf %second, %one : f32
      memref.store %third, %out[%i] : memref<64xf32>
      gpu.return
    }
  }

  // A driver finds that the lesser of a number of 16 bits and 2^32 - 1 is the number
  // itself. So the place of the least is always 0, and 0 / x is written out.

  // CHECK:      spirv.module @__spv__place
  // CHECK-NOT:    spirv.FDiv
  // CHECK:        spirv.Select %{{.*}}, %{{.*}}, %{{.*}} : i1, f32
  gpu.module @place {
    gpu.func @divide(%keys: memref<64xi16>, %in: memref<64xf32>, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %none = arith.constant -1 : i32
      %zero = arith.constant 0 : i32
      %i = gpu.thread_id x
      %key = memref.load %keys[%i] : memref<64xi16>
      %wide = arith.extui %key : i16 to i32
      %isLess = arith.cmpi ult, %wide, %none : i32
      %least = arith.select %isLess, %wide, %none : i32
      %isHere = arith.cmpi eq, %wide, %least : i32
      %place = arith.select %isHere, %zero, %none : i32
      %number = arith.sitofp %place : i32 to f32
      %x = memref.load %in[%i] : memref<64xf32>
      %quotient = arith.divf %number, %x : f32
      memref.store %quotient, %out[%i] : memref<64xf32>
      gpu.return
    }
  }

  // A driver that divides the comparison 0 < select(c, 0, NaN) between the choices finds
  // that the number is always 0, and then takes 0 / NaN for 0. The number has the bits of a
  // zero that drivers do not know, but not where it cannot be 0.

  // CHECK:      spirv.module @__spv__found_zeros
  // CHECK:        %[[WORD:.*]] = spirv.ShiftRightLogical %{{.*}}, %{{.*}} : i32, i32
  // CHECK:        spirv.FOrdLessThan
  // CHECK:        %[[NUMBER:.*]] = spirv.Select %{{.*}} : i1, f32
  // CHECK:        %[[BITS:.*]] = spirv.Bitcast %[[NUMBER]] : f32 to i32
  // CHECK:        %[[HIDDEN:.*]] = spirv.BitwiseOr %[[WORD]], %[[BITS]] : i32
  // CHECK:        %[[ZERO:.*]] = spirv.Bitcast %[[HIDDEN]] : i32 to f32
  // CHECK:        spirv.FDiv %[[ZERO]], %{{.*}} : f32
  // CHECK:        %[[POWER:.*]] = spirv.Select %{{.*}} : i1, f32
  // CHECK:        spirv.FMul %[[POWER]], %{{.*}} : f32
  gpu.module @found_zeros {
    gpu.func @divide(%in: memref<64xf32>, %out: memref<2x64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %two = arith.constant 2.0 : f32
      %nan = arith.constant 0x7FC00000 : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %i = gpu.thread_id x
      %x = memref.load %in[%i] : memref<64xf32>
      %isLarge = arith.cmpf ogt, %x, %one : f32
      %unordered = arith.select %isLarge, %zero, %nan : f32
      %isPositive = arith.cmpf olt, %zero, %unordered : f32
      %sign = arith.select %isPositive, %one, %zero : f32
      %quotient = arith.divf %sign, %x : f32
      memref.store %quotient, %out[%c0, %i] : memref<2x64xf32>
      %power = arith.select %isPositive, %one, %two : f32
      %product = arith.mulf %power, %x : f32
      memref.store %product, %out[%c1, %i] : memref<2x64xf32>
      gpu.return
    }
  }

  // What two elements take or leave is converted once, before they select.

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
