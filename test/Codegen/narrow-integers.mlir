// Where the numbers of 64-bit operations fit in 32 bits, the operations have 32 bits, but
// for those that compute something else then, or nothing that is defined.
//
// RUN: dml-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers),dml-convert-kernels-to-spirv)" | FileCheck %s

module attributes {gpu.container_module} {
  // A division makes the kernel one whose integers are narrowed. The high word of a small
  // number is 0; a shift by 32 of 32 bits is nothing. Smaller shifts are narrow.

  // CHECK-LABEL: spirv.module @__spv__shifts
  // CHECK:         spirv.UDiv {{.*}} : i32
  // CHECK:         spirv.ShiftRightLogical {{.*}} : i64, i64
  // CHECK:         spirv.ShiftRightLogical {{.*}} : i32, i32
  // CHECK:         spirv.ShiftRightLogical {{.*}} : i64, i64
  // CHECK:         spirv.ShiftRightLogical {{.*}} : i32, i32
  // CHECK:         spirv.ShiftLeftLogical {{.*}} : i64, i64
  // CHECK:         spirv.ShiftLeftLogical {{.*}} : i32, i32
  gpu.module @shifts {
    gpu.func @shifts(%in: memref<64xi8>, %out: memref<6x64xi64>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %three = arith.constant 3 : i64
      %zero = arith.constant 0 : i64
      %eight = arith.constant 8 : i64
      %width = arith.constant 32 : i64
      %beyond = arith.constant 63 : i64
      %within = arith.constant 15 : i64
      %loaded = memref.load %in[%i] : memref<64xi8>
      %x = arith.extui %loaded : i8 to i64
      %small = arith.divui %x, %three : i64
      %high = arith.shrui %small, %width : i64
      memref.store %high, %out[%c0, %i] : memref<6x64xi64>
      %some = arith.shrui %small, %eight : i64
      memref.store %some, %out[%c1, %i] : memref<6x64xi64>
      %any = arith.andi %small, %beyond : i64
      %shifted = arith.shrui %small, %any : i64
      memref.store %shifted, %out[%c2, %i] : memref<6x64xi64>
      %few = arith.andi %small, %within : i64
      %less = arith.shrui %small, %few : i64
      memref.store %less, %out[%c3, %i] : memref<6x64xi64>
      %none = arith.shli %zero, %any : i64
      memref.store %none, %out[%c4, %i] : memref<6x64xi64>
      %more = arith.shli %small, %few : i64
      memref.store %more, %out[%c5, %i] : memref<6x64xi64>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // The remainder of a negative number, read without its sign, depends on its bits: -1 is
  // 1 modulo 7 with 64 bits, and 3 with 32. The lowest number of 32 bits has no quotient
  // by -1 there, nor a remainder. A shift of 2^31 and more fills with the sign in 32 bits.

  // CHECK-LABEL: spirv.module @__spv__signs
  // CHECK:         spirv.UMod {{.*}} : i64
  // CHECK:         spirv.UMod {{.*}} : i32
  // CHECK:         spirv.GL.SAbs {{.*}} : i64
  // CHECK:         spirv.GL.SAbs {{.*}} : i32
  // CHECK:         spirv.ShiftRightArithmetic {{.*}} : i64, i64
  // CHECK:         spirv.ShiftRightArithmetic {{.*}} : i32, i32
  // CHECK:         spirv.IAdd {{.*}} : i64
  gpu.module @signs {
    gpu.func @signs(%in: memref<64xi32>, %out: memref<7x64xi64>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %seven = arith.constant 7 : i64
      %two = arith.constant 2 : i64
      %loaded = memref.load %in[%i] : memref<64xi32>
      %signed = arith.extsi %loaded : i32 to i64
      %unsigned = arith.extui %loaded : i32 to i64
      %0 = arith.remui %signed, %seven : i64
      memref.store %0, %out[%c0, %i] : memref<7x64xi64>
      %1 = arith.remui %unsigned, %seven : i64
      memref.store %1, %out[%c1, %i] : memref<7x64xi64>
      %2 = arith.remsi %signed, %signed : i64
      memref.store %2, %out[%c2, %i] : memref<7x64xi64>
      %3 = arith.remsi %signed, %seven : i64
      memref.store %3, %out[%c3, %i] : memref<7x64xi64>
      %4 = arith.shrsi %unsigned, %two : i64
      memref.store %4, %out[%c4, %i] : memref<7x64xi64>
      %5 = arith.shrsi %signed, %two : i64
      memref.store %5, %out[%c5, %i] : memref<7x64xi64>
      %half = arith.divui %unsigned, %two : i64
      %6 = arith.addi %half, %half overflow<nsw> : i64
      memref.store %6, %out[%c6, %i] : memref<7x64xi64>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  // All numbers fit in 32 bits, but a shift by 40 is 0 with indices of 64 bits alone.

  // CHECK-LABEL: spirv.module @__spv__amount
  // CHECK-SAME:    Int64
  // CHECK:         spirv.ShiftRightLogical {{.*}} : i64, i64
  gpu.module @amount {
    gpu.func @amount(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %c40 = arith.constant 40 : index
      %high = arith.shrui %i, %c40 : index
      %value = arith.index_cast %high : index to i32
      memref.store %value, %out[%i] : memref<64xi32>
      gpu.return
    }
  }

  // The counter becomes 2^31 before the loop ends, which is negative with 32 bits.

  // CHECK-LABEL: spirv.module @__spv__counter
  // CHECK:         spirv.SLessThan {{.*}} : i64
  gpu.module @counter {
    gpu.func @counter(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %end = arith.constant 2147483647 : index
      %step = arith.constant 1048576 : index
      scf.for %k = %i to %end step %step {
        %value = arith.index_cast %k : index to i32
        memref.store %value, %out[%i] : memref<64xi32>
      }
      gpu.return
    }
  }

  // CHECK-LABEL: spirv.module @__spv__short_counter
  // CHECK:         spirv.SLessThan {{.*}} : i32
  gpu.module @short_counter {
    gpu.func @short_counter(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %end = arith.constant 2146435072 : index
      %step = arith.constant 1048576 : index
      scf.for %k = %i to %end step %step {
        %value = arith.index_cast %k : index to i32
        memref.store %value, %out[%i] : memref<64xi32>
      }
      gpu.return
    }
  }

  // A negative index without its sign is another number with 64 bits.

  // CHECK-LABEL: spirv.module @__spv__sign
  // CHECK:         %[[NEGATIVE:.*]] = spirv.ISub {{.*}} : i32
  // CHECK:         spirv.SConvert %[[NEGATIVE]] : i32 to i64
  gpu.module @sign {
    gpu.func @sign(%out: memref<64xi64>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %negative = arith.subi %c0, %i : index
      %value = arith.index_castui %negative : index to i64
      memref.store %value, %out[%i] : memref<64xi64>
      gpu.return
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
