// Each row of the table of driver workarounds rewrites its kernel, and leaves it if the
// row is switched off.
//
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers))" | FileCheck %s
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=integer-ranges}))" | FileCheck %s --check-prefix=NO-INTEGER-RANGES
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=zero-divisors}))" | FileCheck %s --check-prefix=NO-ZERO-DIVISORS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=zero-products}))" | FileCheck %s --check-prefix=NO-ZERO-PRODUCTS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=zero-terms}))" | FileCheck %s --check-prefix=NO-ZERO-TERMS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=narrow-negations}))" | FileCheck %s --check-prefix=NO-NARROW-NEGATIONS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=rounding-sums}))" | FileCheck %s --check-prefix=NO-ROUNDING-SUMS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=found-zeros}))" | FileCheck %s --check-prefix=NO-FOUND-ZEROS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=carried-constants}))" | FileCheck %s --check-prefix=NO-CARRIED-CONSTANTS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=widened-comparisons}))" | FileCheck %s --check-prefix=NO-WIDENED-COMPARISONS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=masked-halves}))" | FileCheck %s --check-prefix=NO-MASKED-HALVES
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=long-divisions}))" | FileCheck %s --check-prefix=NO-LONG-DIVISIONS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=lost-roundings}))" | FileCheck %s --check-prefix=NO-LOST-ROUNDINGS
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=joined-masks}))" | FileCheck %s --check-prefix=NO-JOINED-MASKS
//
// Several rows may be switched off. Without any row, the kernels stay the same.
//
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=zero-terms,zero-divisors}))" | FileCheck %s --check-prefixes=NO-ZERO-TERMS,NO-ZERO-DIVISORS
// RUN: dml-opt %s -o %t.before
// RUN: dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=integer-ranges,zero-divisors,zero-products,zero-terms,narrow-negations,rounding-sums,found-zeros,carried-constants,widened-comparisons,masked-halves,long-divisions,lost-roundings,joined-masks}))" -o %t.after
// RUN: diff %t.before %t.after
//
// A row that does not exist is an error that lists the rows. The documentation has a row
// in its table for each of them, in the same order.
//
// RUN: not dml-opt %s --pass-pipeline="builtin.module(gpu.module(dml-work-around-drivers{disable=zero-sums}))" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: found the row 'zero-sums' of driver workarounds, but wanted one of integer-ranges, zero-divisors, zero-products, zero-terms, narrow-negations, rounding-sums, found-zeros, carried-constants, widened-comparisons, masked-halves, long-divisions, lost-roundings, joined-masks{{$}}
//
// RUN: sed -n 's/^ *| `\([a-z-]*\)` |.*/\1/p' %S/../../include/dml/Codegen/Passes.td > %t.rows
// RUN: echo "integer-ranges, zero-divisors, zero-products, zero-terms, narrow-negations, rounding-sums, found-zeros, carried-constants, widened-comparisons, masked-halves, long-divisions, lost-roundings, joined-masks" | sed 's/, /\n/g' | diff %t.rows -

// The lesser of a number of 16 bits and 2^32 - 1 is the number itself. So the place of the
// least is always 0, and the quotient 0 / x is a selection, as zero-products has it.

// CHECK-LABEL: gpu.module @integer_ranges
// CHECK-NOT: arith.divf
// CHECK: arith.cmpf one
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NOT: arith.divf
// NO-INTEGER-RANGES-LABEL: gpu.module @integer_ranges
// NO-INTEGER-RANGES: arith.sitofp
// NO-INTEGER-RANGES: arith.divf
// NO-INTEGER-RANGES: gpu.return
gpu.module @integer_ranges {
  gpu.func @kernel(%keys: memref<64xi16>, %in: memref<64xf32>, %out: memref<64xf32>) kernel {
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

// A quotient by a constant 0 is a product with infinity, whose sign is that of the 0.

// CHECK-LABEL: gpu.module @zero_divisors
// CHECK-NOT: arith.divf
// CHECK: %[[INFINITY:.*]] = arith.constant 0x7F800000 : f32
// CHECK: arith.mulf %{{.*}}, %[[INFINITY]]
// CHECK: %[[MINUS_INFINITY:.*]] = arith.constant 0xFF800000 : f32
// CHECK: arith.mulf %{{.*}}, %[[MINUS_INFINITY]]
// CHECK-NOT: arith.divf
// NO-ZERO-DIVISORS-LABEL: gpu.module @zero_divisors
// NO-ZERO-DIVISORS-NOT: arith.mulf
// NO-ZERO-DIVISORS: arith.divf
// NO-ZERO-DIVISORS: arith.divf
// NO-ZERO-DIVISORS: gpu.return
gpu.module @zero_divisors {
  gpu.func @kernel(%in: memref<64xf32>, %out: memref<64xf32>) kernel {
    %zero = arith.constant 0.0 : f32
    %minusZero = arith.constant -0.0 : f32
    %i = gpu.thread_id x
    %x = memref.load %in[%i] : memref<64xf32>
    %quotient = arith.divf %x, %zero : f32
    memref.store %quotient, %out[%i] : memref<64xf32>
    %other = arith.divf %x, %minusZero : f32
    memref.store %other, %out[%i] : memref<64xf32>
    gpu.return
  }
}

// A product with a constant 0, and a quotient of 0, is a selection between 0 and NaN. A
// fused product is split first; the constant 0 that it adds is then an opaque zero, since
// zero-terms comes later.

// CHECK-LABEL: gpu.module @zero_products
// CHECK: %[[ABS:.*]] = math.absf
// CHECK: %[[IS_FINITE:.*]] = arith.cmpf olt, %[[ABS]]
// CHECK: arith.select %[[IS_FINITE]]
// CHECK-NOT: arith.mulf
// CHECK: arith.cmpf one
// CHECK: arith.select
// CHECK-NOT: arith.divf
// CHECK: math.absf
// CHECK: %[[PRODUCT:.*]] = arith.select
// CHECK-NOT: math.fma
// CHECK: arith.addf %[[PRODUCT]], %{{.*}}
// NO-ZERO-PRODUCTS-LABEL: gpu.module @zero_products
// NO-ZERO-PRODUCTS: arith.mulf
// NO-ZERO-PRODUCTS: arith.divf
// NO-ZERO-PRODUCTS: math.fma
// NO-ZERO-PRODUCTS-NOT: arith.addf
// NO-ZERO-PRODUCTS: gpu.return
gpu.module @zero_products {
  gpu.func @kernel(%in: memref<64xf32>, %out: memref<64xf32>) kernel {
    %zero = arith.constant 0.0 : f32
    %i = gpu.thread_id x
    %x = memref.load %in[%i] : memref<64xf32>
    %product = arith.mulf %x, %zero : f32
    memref.store %product, %out[%i] : memref<64xf32>
    %quotient = arith.divf %zero, %x : f32
    memref.store %quotient, %out[%i] : memref<64xf32>
    %sum = math.fma %x, %zero, %zero : f32
    memref.store %sum, %out[%i] : memref<64xf32>
    gpu.return
  }
}

// A constant 0 that is added is an opaque zero: bit 0 of s & (s >> 2), where s is the
// square of the workgroup's number. The kernel computes the zero once for f32, where the
// kernel begins. A term that is not 0 stays.

// CHECK-LABEL: gpu.module @zero_terms
// CHECK: %[[ID:.*]] = gpu.block_id x
// CHECK: %[[GROUP:.*]] = arith.index_castui %[[ID]] : index to i32
// CHECK: %[[SQUARE:.*]] = arith.muli %[[GROUP]], %[[GROUP]] : i32
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[SQUARE]], %[[TWO]] : i32
// CHECK: %[[BOTH:.*]] = arith.andi %[[SQUARE]], %[[SHIFTED]] : i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[BIT:.*]] = arith.andi %[[BOTH]], %[[ONE]] : i32
// CHECK: %[[ZERO:.*]] = arith.bitcast %[[BIT]] : i32 to f32
// CHECK-NOT: arith.bitcast
// CHECK: %[[FIRST:.*]] = arith.addf %{{.*}}, %[[ZERO]]
// CHECK: %[[SECOND:.*]] = arith.addf %[[ZERO]], %[[FIRST]]
// CHECK: arith.addf %[[SECOND]], %cst
// NO-ZERO-TERMS-LABEL: gpu.module @zero_terms
// NO-ZERO-TERMS-NOT: gpu.block_id
// NO-ZERO-TERMS: arith.addf %{{.*}}, %[[ZERO:cst.*]] : f32
// NO-ZERO-TERMS: arith.addf %[[ZERO]], %{{.*}} : f32
// NO-ZERO-TERMS: gpu.return
gpu.module @zero_terms {
  gpu.func @kernel(%in: memref<64xf32>, %out: memref<64xf32>) kernel {
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

// A narrow integer is subtracted from an opaque zero, and an i32 from the constant 0.

// CHECK-LABEL: gpu.module @narrow_negations
// CHECK: %[[ZERO:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[WIDE:.*]] = arith.extsi
// CHECK: arith.subi %[[ZERO]], %[[WIDE]]
// CHECK: arith.subi %c0_i32, %{{.*}}
// NO-NARROW-NEGATIONS-LABEL: gpu.module @narrow_negations
// NO-NARROW-NEGATIONS-NOT: gpu.block_id
// NO-NARROW-NEGATIONS: arith.subi %c0_i32, %{{.*}}
// NO-NARROW-NEGATIONS: arith.trunci
// NO-NARROW-NEGATIONS: arith.subi %c0_i32, %{{.*}}
// NO-NARROW-NEGATIONS: gpu.return
gpu.module @narrow_negations {
  gpu.func @kernel(%in: memref<64xi8>, %words: memref<64xi32>, %out: memref<64xi8>) kernel {
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

// The number 1.5 * 2^23, added to round a number that follows from a loop's counter, is
// hidden from the driver, which may know the counter. A number from memory the driver does
// not know.

// CHECK-LABEL: gpu.module @rounding_sums
// CHECK: %[[ZERO:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[BITS:.*]] = arith.xori %[[ZERO]]
// CHECK: %[[HIDDEN:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: scf.for
// CHECK: arith.addf %{{.*}}, %[[HIDDEN]]
// CHECK: arith.addf %{{.*}}, %cst{{.*}} : f32
// NO-ROUNDING-SUMS-LABEL: gpu.module @rounding_sums
// NO-ROUNDING-SUMS-NOT: arith.xori
// NO-ROUNDING-SUMS: scf.for
// NO-ROUNDING-SUMS: arith.addf %{{.*}}, %cst{{.*}} : f32
// NO-ROUNDING-SUMS: gpu.return
gpu.module @rounding_sums {
  gpu.func @kernel(%in: memref<64xf32>, %out: memref<64xf32>) kernel {
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

// A driver that divides the comparison 0 < select(c, 0, NaN) between the two choices finds
// that the comparison never holds, so that the dividend is 0. The dividend is hidden. The
// factor 1 or 2, which cannot be 0, is not.

// CHECK-LABEL: gpu.module @found_zeros
// CHECK: %[[WORD:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[NUMBER:.*]] = arith.select
// CHECK: %[[SIGN:.*]] = arith.select
// CHECK: %[[BITS:.*]] = arith.bitcast %[[SIGN]] : f32 to i32
// CHECK: %[[HIDDEN:.*]] = arith.xori %[[WORD]], %[[BITS]] : i32
// CHECK: %[[ZERO:.*]] = arith.bitcast %[[HIDDEN]] : i32 to f32
// CHECK: arith.divf %[[ZERO]], %{{.*}} : f32
// CHECK: %[[POWER:.*]] = arith.select
// CHECK: arith.mulf %[[POWER]], %{{.*}} : f32
// NO-FOUND-ZEROS-LABEL: gpu.module @found_zeros
// NO-FOUND-ZEROS: arith.select
// NO-FOUND-ZEROS: %[[SIGN:.*]] = arith.select
// NO-FOUND-ZEROS: arith.divf %[[SIGN]], %{{.*}} : f32
// NO-FOUND-ZEROS: gpu.return
gpu.module @found_zeros {
  gpu.func @kernel(%in: memref<64xf32>, %out: memref<2x64xf32>) kernel {
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

// One operand of a minimum or maximum is hidden if all operands follow from constants by
// way of the values that a loop carries, through both ways of a branch too, although the
// condition is not known. A counter, and a number from memory, are not known.

// CHECK-LABEL: gpu.module @carried_constants
// CHECK: %[[ZERO:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: scf.for
// CHECK: %[[NEXT:.*]] = arith.addi
// CHECK: %[[INDEX:.*]] = arith.index_castui %[[ZERO]] : i32 to index
// CHECK: %[[HIDDEN:.*]] = arith.xori %[[INDEX]], %[[NEXT]] : index
// CHECK: arith.minui %[[HIDDEN]], %{{.*}}
// CHECK: %[[BITS:.*]] = arith.xori %[[ZERO]], %{{.*}} : i32
// CHECK: %[[FLOAT:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: arith.maxnumf %[[FLOAT]], %{{.*}}
// CHECK-NOT: arith.xori
// CHECK: arith.minui
// CHECK: arith.maxnumf
// CHECK: scf.if
// CHECK: %[[WORD:.*]] = arith.xori %[[ZERO]], %{{.*}} : i32
// CHECK: arith.maxui %[[WORD]], %{{.*}}
// NO-CARRIED-CONSTANTS-LABEL: gpu.module @carried_constants
// NO-CARRIED-CONSTANTS-NOT: arith.xori
// NO-CARRIED-CONSTANTS: arith.maxui
// NO-CARRIED-CONSTANTS-NOT: arith.xori
// NO-CARRIED-CONSTANTS: gpu.return
gpu.module @carried_constants {
  gpu.func @kernel(%in: memref<64xf32>, %words: memref<64xi32>, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %three = arith.constant 3 : i32
    %seven = arith.constant 7.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %position, %greatest, %greatestOfAll, %count = scf.for %k = %c0 to %c4 step %c1
        iter_args(%p = %c0, %carried = %least, %other = %least, %n = %zero)
        -> (index, f32, f32, i32) {
      %after = arith.addi %p, %c1 : index
      %next = arith.minui %after, %c3 : index
      %greater = arith.maxnumf %carried, %seven fastmath<nnan> : f32
      %j = arith.minui %k, %c3 : index
      %x = memref.load %in[%j] : memref<64xf32>
      %greaterOfAll = arith.maxnumf %other, %x fastmath<nnan> : f32
      %y = memref.load %words[%k] : memref<64xi32>
      %isZero = arith.cmpi eq, %y, %zero : i32
      %more = scf.if %isZero -> i32 {
        memref.store %y, %words[%k] : memref<64xi32>
        %atLeast = arith.maxui %n, %three : i32
        scf.yield %atLeast : i32
      } else {
        scf.yield %n : i32
      }
      scf.yield %next, %greater, %greaterOfAll, %more : index, f32, f32, i32
    }
    memref.store %greatest, %out[%position] : memref<64xf32>
    memref.store %greatestOfAll, %out[%c4] : memref<64xf32>
    memref.store %count, %words[%c0] : memref<64xi32>
    gpu.return
  }
}

// An i32 is compared before it is widened, if i32 has the constant.

// CHECK-LABEL: gpu.module @widened_comparisons
// CHECK: arith.cmpi slt, %[[X:.*]], %{{.*}} : i32
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// NO-WIDENED-COMPARISONS-LABEL: gpu.module @widened_comparisons
// NO-WIDENED-COMPARISONS-NOT: arith.cmpi slt, %{{.*}} : i32
// NO-WIDENED-COMPARISONS: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// NO-WIDENED-COMPARISONS: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// NO-WIDENED-COMPARISONS: gpu.return
gpu.module @widened_comparisons {
  gpu.func @kernel(%in: memref<64xi32>, %out: memref<2x64xi1>) kernel {
    %zero = arith.constant 0 : i64
    %large = arith.constant 4294967296 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = gpu.thread_id x
    %x = memref.load %in[%i] : memref<64xi32>
    %wide = arith.extsi %x : i32 to i64
    %isNegative = arith.cmpi slt, %wide, %zero : i64
    memref.store %isNegative, %out[%c0, %i] : memref<2x64xi1>
    %isSmall = arith.cmpi slt, %wide, %large : i64
    memref.store %isSmall, %out[%c1, %i] : memref<2x64xi1>
    gpu.return
  }
}

// A constant that is combined with the bits of an f16, or with what bitwise operations
// compute from such bits, is hidden. The mask of an i16 from memory stays a constant.

// CHECK-LABEL: gpu.module @masked_halves
// CHECK: %[[ZERO:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: arith.trunci %[[ZERO]] : i32 to i16
// CHECK: %[[SEVEN:.*]] = arith.xori %{{.*}}, %c7_i16 : i16
// CHECK: %[[MASK:.*]] = arith.xori %{{.*}}, %c255_i16 : i16
// CHECK: %[[MORE:.*]] = arith.ori %{{.*}}, %[[MASK]] : i16
// CHECK: arith.andi %[[MORE]], %[[SEVEN]] : i16
// CHECK: arith.andi %{{.*}}, %c255_i16{{.*}} : i16
// NO-MASKED-HALVES-LABEL: gpu.module @masked_halves
// NO-MASKED-HALVES-NOT: arith.xori
// NO-MASKED-HALVES: gpu.return
gpu.module @masked_halves {
  gpu.func @kernel(%in: memref<64xf32>, %integers: memref<64xi16>, %out: memref<64xf16>) kernel {
    %mask = arith.constant 255 : i16
    %seven = arith.constant 7 : i16
    %i = gpu.thread_id x
    %x = memref.load %in[%i] : memref<64xf32>
    %half = arith.truncf %x : f32 to f16
    %bits = arith.bitcast %half : f16 to i16
    %more = arith.ori %bits, %mask : i16
    %fewer = arith.andi %more, %seven : i16
    %masked = arith.bitcast %fewer : i16 to f16
    memref.store %masked, %out[%i] : memref<64xf16>
    %integer = memref.load %integers[%i] : memref<64xi16>
    %low = arith.andi %integer, %mask : i16
    memref.store %low, %integers[%i] : memref<64xi16>
    gpu.return
  }
}

// A quotient of 64 bits whose numbers fit in 32 bits has 32 bits. (narrow-integers.mlir
// shows what is narrowed.)

// CHECK-LABEL: gpu.module @long_divisions
// CHECK-NOT: arith.divui %{{.*}} : i64
// CHECK: arith.divui %{{.*}} : i32
// NO-LONG-DIVISIONS-LABEL: gpu.module @long_divisions
// NO-LONG-DIVISIONS-NOT: arith.divui %{{.*}} : i32
// NO-LONG-DIVISIONS: arith.divui %{{.*}} : i64
// NO-LONG-DIVISIONS: gpu.return
gpu.module @long_divisions {
  gpu.func @kernel(%in: memref<64xi8>, %out: memref<64xi64>) kernel {
    %i = gpu.thread_id x
    %three = arith.constant 3 : i64
    %loaded = memref.load %in[%i] : memref<64xi8>
    %x = arith.extui %loaded : i8 to i64
    %small = arith.divui %x, %three : i64
    memref.store %small, %out[%i] : memref<64xi64>
    gpu.return
  }
}

// SPDX-License-Identifier: Apache-2.0

// A quotient is rounded to f16 and widened again. The f16 lies in a word, beside a 0, whose
// bits are joined with an opaque zero. An f16 that is only stored stays.

// CHECK-LABEL: gpu.module @lost_roundings
// CHECK: %[[ZERO:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[ROUNDED:.*]] = arith.truncf
// CHECK: %[[PAIR:.*]] = vector.from_elements %[[ROUNDED]], %{{.*}} : vector<2xf16>
// CHECK: %[[BITS:.*]] = vector.bitcast %[[PAIR]] : vector<2xf16> to vector<1xi32>
// CHECK: %[[WORD:.*]] = vector.extract %[[BITS]][0]
// CHECK: arith.xori %[[ZERO]], %[[WORD]]
// CHECK: %[[HIDDEN:.*]] = vector.extract %{{.*}}[0] : f16 from vector<2xf16>
// CHECK: arith.extf %[[HIDDEN]]
// CHECK: %[[STORED:.*]] = arith.truncf
// CHECK: memref.store %[[STORED]]
// NO-LOST-ROUNDINGS-LABEL: gpu.module @lost_roundings
// NO-LOST-ROUNDINGS: %[[ROUNDED:.*]] = arith.truncf
// NO-LOST-ROUNDINGS: arith.extf %[[ROUNDED]]
// NO-LOST-ROUNDINGS: gpu.return
gpu.module @lost_roundings {
  gpu.func @kernel(%in: memref<64xf32>, %out: memref<64xf16>) kernel {
    %i = gpu.thread_id x
    %three = arith.constant 3.0 : f32
    %x = memref.load %in[%i] : memref<64xf32>
    %quotient = arith.divf %x, %three : f32
    %rounded = arith.truncf %quotient : f32 to f16
    %wide = arith.extf %rounded : f16 to f32
    %power = math.exp %wide : f32
    %stored = arith.truncf %power : f32 to f16
    memref.store %stored, %out[%i] : memref<64xf16>
    gpu.return
  }
}

// SPDX-License-Identifier: Apache-2.0

// A number of 4 bits becomes a float by a mask and an `or`, which a GPU may have as one
// instruction, if the mask lies in a register. Two numbers share the mask. A mask that is
// no constant stays.

// CHECK-LABEL: gpu.module @joined_masks
// CHECK: %[[ZERO:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[MASK:.*]] = arith.addi %[[ZERO]], %c15_i32
// CHECK: %[[WORD:.*]] = memref.load
// CHECK: arith.andi %[[WORD]], %[[MASK]]
// CHECK: arith.andi %{{.*}}, %[[MASK]]
// CHECK: %[[OTHER:.*]] = arith.andi %[[WORD]], %{{.*}}
// CHECK: arith.ori %[[OTHER]], %c1258291200_i32
// CHECK: gpu.return
// NO-JOINED-MASKS-LABEL: gpu.module @joined_masks
// NO-JOINED-MASKS-NOT: arith.addi
// NO-JOINED-MASKS: gpu.return
gpu.module @joined_masks {
  gpu.func @kernel(%in: memref<64xi32>, %out: memref<64xi32>) kernel {
    %mask = arith.constant 15 : i32
    %four = arith.constant 4 : i32
    %bits = arith.constant 1258291200 : i32
    %i = gpu.thread_id x
    %word = memref.load %in[%i] : memref<64xi32>
    %low = arith.andi %word, %mask : i32
    %first = arith.ori %low, %bits : i32
    %shifted = arith.shrui %word, %four : i32
    %high = arith.andi %shifted, %mask : i32
    %second = arith.ori %high, %bits : i32
    %both = arith.andi %word, %shifted : i32
    %third = arith.ori %both, %bits : i32
    %sum = arith.xori %first, %second : i32
    %all = arith.xori %sum, %third : i32
    memref.store %all, %out[%i] : memref<64xi32>
    gpu.return
  }
}
