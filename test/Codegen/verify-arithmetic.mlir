// Arithmetic that is undefined on devices is an error of the compiler, at what became a
// kernel, and never a wrong answer.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(dml-convert-kernels-to-spirv)"

module attributes {gpu.container_module} {
  gpu.module @constant {
    gpu.func @constant(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %out[%i] : memref<64xi32>
      %width = arith.constant 32 : i32
      // expected-error @+1 {{internal error of the compiler: a kernel shifts integers of 32 bits by 32 or more, but wanted is a shift by less than their width}}
      %y = arith.shrui %x, %width : i32
      memref.store %y, %out[%i] : memref<64xi32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @narrow {
    gpu.func @narrow(%out: memref<64xi8>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %out[%i] : memref<64xi8>
      %nine = arith.constant 9 : i8
      // expected-error @+1 {{a kernel shifts integers of 8 bits by 9 or more}}
      %y = arith.shli %x, %nine : i8
      memref.store %y, %out[%i] : memref<64xi8>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @vector {
    gpu.func @vector(%out: memref<64xvector<2xi32>>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %out[%i] : memref<64xvector<2xi32>>
      %amounts = arith.constant dense<[31, 40]> : vector<2xi32>
      // expected-error @+1 {{a kernel shifts integers of 32 bits by 40 or more}}
      %y = arith.shrsi %x, %amounts : vector<2xi32>
      memref.store %y, %out[%i] : memref<64xvector<2xi32>>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @computed {
    gpu.func @computed(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %out[%i] : memref<64xi32>
      %least = arith.constant 33 : i32
      %amount = arith.maxui %x, %least : i32
      // expected-error @+1 {{a kernel shifts integers of 32 bits by 33 or more}}
      %y = arith.shli %x, %amount : i32
      memref.store %y, %out[%i] : memref<64xi32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @zero {
    gpu.func @zero(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %out[%i] : memref<64xi32>
      %zero = arith.constant 0 : i32
      // expected-error @+1 {{a kernel divides integers of 32 bits by 0, but wanted is another divisor}}
      %y = arith.remui %x, %zero : i32
      memref.store %y, %out[%i] : memref<64xi32>
      gpu.return
    }
  }
}

// -----

// SPIR-V has this one as a remainder by the magnitude of the divisor, which is no constant.

module attributes {gpu.container_module} {
  gpu.module @signed {
    gpu.func @signed(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %zero = arith.constant 0 : index
      // expected-error @+1 {{a kernel divides integers of 64 bits by 0}}
      %rest = arith.remsi %i, %zero : index
      %value = arith.index_cast %rest : index to i32
      memref.store %value, %out[%i] : memref<64xi32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @masked {
    gpu.func @masked(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %out[%i] : memref<64xi32>
      %high = arith.constant 24 : i32
      %byte = arith.constant 255 : i32
      %rest = arith.andi %x, %byte : i32
      %none = arith.shrui %rest, %high : i32
      // expected-error @+1 {{a kernel divides integers of 32 bits by 0}}
      %y = arith.divsi %x, %none : i32
      memref.store %y, %out[%i] : memref<64xi32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @lowest {
    gpu.func @lowest(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %lowest = arith.constant -2147483648 : i32
      %one = arith.constant -1 : i32
      // expected-error @+1 {{a kernel divides the lowest integer of 32 bits by -1, but wanted is a quotient that fits}}
      %y = arith.divsi %lowest, %one : i32
      memref.store %y, %out[%i] : memref<64xi32>
      gpu.return
    }
  }
}

// -----

// Shifts that may be too far, and divisors that may be 0, are for what made them to rule
// out, as selections do here.

module attributes {gpu.container_module} {
  gpu.module @selected {
    gpu.func @selected(%out: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %out[%i] : memref<64xi32>
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %most = arith.constant 31 : i32
      %isZero = arith.cmpi eq, %x, %zero : i32
      %divisor = arith.select %isZero, %one, %x : i32
      %y = arith.divui %most, %divisor : i32
      %amount = arith.minui %x, %most : i32
      %z = arith.shli %y, %amount : i32
      memref.store %z, %out[%i] : memref<64xi32>
      gpu.return
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
