// How kernels for products unpack quantized factors: a word of eight 4-bit
// numbers at a time, and two numbers at a time where products are rounded to
// f16.
//
// RUN: dml-opt %s --split-input-file --dml-distribute-to-workgroups --canonicalize --cse | FileCheck %s

// 64006400 is 1024 in both halves of a word, and 54005400 is 64: a mask places
// a number of each half of the word in the lowest digits of these floats. The
// thread loads its 32 numbers as four words, whose scale and zero point it
// loads once.

// CHECK-LABEL: func @halves
// CHECK-DAG:   %[[LOW:.*]] = arith.constant 983055 : i32
// CHECK-DAG:   %[[HIGH:.*]] = arith.constant 15728880 : i32
// CHECK-DAG:   %[[THOUSAND:.*]] = arith.constant 1677747200 : i32
// CHECK-DAG:   %[[SIXTY:.*]] = arith.constant 1409307648 : i32
// CHECK:       %[[SCALE:.*]] = memref.load {{.*}} memref<512xf16>
// CHECK:       memref.load {{.*}} memref<512xvector<4xi32>>
// CHECK-NOT:   memref.load {{.*}} memref<512x
// CHECK:       %[[SPLAT:.*]] = vector.broadcast %[[SCALE]] : f16 to vector<2xf16>
// CHECK:       arith.ori {{.*}}, %[[THOUSAND]] : i32
// CHECK:       arith.ori {{.*}}, %[[SIXTY]] : i32
// CHECK:       arith.andi %[[WORD:.*]], %[[LOW]] : i32
// CHECK:       arith.ori {{.*}}, %[[THOUSAND]] : i32
// CHECK:       %[[NUMBERS:.*]] = arith.subf {{.*}} : vector<2xf16>
// CHECK:       arith.mulf %[[NUMBERS]], %[[SPLAT]] : vector<2xf16>
// CHECK:       arith.andi %[[WORD]], %[[HIGH]] : i32
// CHECK:       arith.shrui %[[WORD]]
// CHECK-NOT:   arith.sitofp
// CHECK-COUNT-32: math.fma
// CHECK-NOT:   math.fma
// CHECK:       return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @halves(%x: memref<1x256xf16>, %w: memref<2048xi32>, %s: memref<64x8xf16>, %z: memref<64xi32>, %output: memref<1x64xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x64xf32>)
      attrs = {dml.kernel = {slice_tile = array<i64: 1, 1, 8, 32, 1, 4>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %mask = arith.constant 15 : i32
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %first = arith.muli %column, %c256 : index
    %firstBlock = arith.muli %column, %c8 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %half = memref.load %x[%row, %k] : memref<1x256xf16>
      %factor = arith.extf %half : f16 to f32
      %place = arith.addi %first, %k : index
      %word = arith.divui %place, %c8 : index
      %lane = arith.remui %place, %c8 : index
      %bits = arith.muli %lane, %c4 : index
      %shift = arith.index_cast %bits : index to i32
      %loaded = memref.load %w[%word] : memref<2048xi32>
      %shifted = arith.shrui %loaded, %shift : i32
      %number = arith.andi %shifted, %mask : i32
      %block = arith.divui %k, %c32 : index
      %zplace = arith.addi %firstBlock, %block : index
      %zword = arith.divui %zplace, %c8 : index
      %zlane = arith.remui %zplace, %c8 : index
      %zbits = arith.muli %zlane, %c4 : index
      %zshift = arith.index_cast %zbits : index to i32
      %zloaded = memref.load %z[%zword] : memref<64xi32>
      %zshifted = arith.shrui %zloaded, %zshift : i32
      %zpoint = arith.andi %zshifted, %mask : i32
      %difference = arith.subi %number, %zpoint : i32
      %float = arith.sitofp %difference : i32 to f16
      %scale = memref.load %s[%column, %block] : memref<64x8xf16>
      %weight = arith.mulf %float, %scale : f16
      %wide = arith.extf %weight : f16 to f32
      %next = math.fma %factor, %wide, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Of four rounds, the first three are a loop that loads the words of the next round
// before it multiplies those of its own, which it carries with their scale.

// CHECK-LABEL: func @ahead
// CHECK:       memref.load {{.*}} memref<2048xf16>
// CHECK:       memref.load {{.*}} memref<2048xvector<4xi32>>
// CHECK:       scf.for {{.*}} to %c3 step %c1 iter_args({{.*}}) -> (f32, i32, {{.*}}f16
// CHECK:         memref.load {{.*}} memref<2048xf16>
// CHECK:         memref.load {{.*}} memref<2048xvector<4xi32>>
// CHECK:         math.fma
// CHECK-NOT:     memref<2048x
// CHECK:         scf.yield
// CHECK-COUNT-32: math.fma
// CHECK:       return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @ahead(%x: memref<1x1024xf16>, %w: memref<8192xi32>, %s: memref<64x32xf16>, %z: memref<256xi32>, %output: memref<1x64xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x64xf32>)
      attrs = {dml.kernel = {slice_tile = array<i64: 1, 1, 8, 32, 1, 4>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c1024 = arith.constant 1024 : index
    %mask = arith.constant 15 : i32
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %first = arith.muli %column, %c1024 : index
    %firstBlock = arith.muli %column, %c32 : index
    %sum = scf.for %k = %c0 to %c1024 step %c1 iter_args(%carried = %zero) -> f32 {
      %half = memref.load %x[%row, %k] : memref<1x1024xf16>
      %factor = arith.extf %half : f16 to f32
      %place = arith.addi %first, %k : index
      %word = arith.divui %place, %c8 : index
      %lane = arith.remui %place, %c8 : index
      %bits = arith.muli %lane, %c4 : index
      %shift = arith.index_cast %bits : index to i32
      %loaded = memref.load %w[%word] : memref<8192xi32>
      %shifted = arith.shrui %loaded, %shift : i32
      %number = arith.andi %shifted, %mask : i32
      %block = arith.divui %k, %c32 : index
      %zplace = arith.addi %firstBlock, %block : index
      %zword = arith.divui %zplace, %c8 : index
      %zlane = arith.remui %zplace, %c8 : index
      %zbits = arith.muli %zlane, %c4 : index
      %zshift = arith.index_cast %zbits : index to i32
      %zloaded = memref.load %z[%zword] : memref<256xi32>
      %zshifted = arith.shrui %zloaded, %zshift : i32
      %zpoint = arith.andi %zshifted, %mask : i32
      %difference = arith.subi %number, %zpoint : i32
      %float = arith.sitofp %difference : i32 to f16
      %scale = memref.load %s[%column, %block] : memref<64x32xf16>
      %weight = arith.mulf %float, %scale : f16
      %wide = arith.extf %weight : f16 to f32
      %next = math.fma %factor, %wide, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

// Bytes of f32 products: 2^23 is 1258291200, to which the lowest byte is added,
// and 2^15 is 1191182336, to which the next one is. The highest bits of signed
// bytes are flipped, which adds 128, so that 8388736 and 32896 are subtracted.

// CHECK-LABEL: func @singles
// CHECK-DAG:   %[[FLIP:.*]] = arith.constant -2139062144 : i32
// CHECK-DAG:   %[[LOW:.*]] = arith.constant 255 : i32
// CHECK-DAG:   %[[NEXT:.*]] = arith.constant 65280 : i32
// CHECK-DAG:   %[[BIASED:.*]] = arith.constant 1258291200 : i32
// CHECK-DAG:   %[[LESS:.*]] = arith.constant 1191182336 : i32
// CHECK-DAG:   arith.constant 0x4B000080 : f32
// CHECK-DAG:   arith.constant 3.289600e+04 : f32
// CHECK:       %[[WORD:.*]] = arith.xori {{.*}}, %[[FLIP]] : i32
// CHECK:       %[[FIRST:.*]] = arith.andi %[[WORD]], %[[LOW]] : i32
// CHECK:       arith.ori %[[FIRST]], %[[BIASED]] : i32
// CHECK:       %[[SECOND:.*]] = arith.andi %[[WORD]], %[[NEXT]] : i32
// CHECK:       arith.ori %[[SECOND]], %[[LESS]] : i32
// CHECK-NOT:   arith.sitofp
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @singles(%x: memref<1x256xf32>, %w: memref<64x256xi8>, %s: memref<64xf32>, %output: memref<1x64xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x64xf32>)
      attrs = {dml.kernel = {slice_tile = array<i64: 1, 1, 16, 16, 1, 4>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %factor = memref.load %x[%row, %k] : memref<1x256xf32>
      %loaded = memref.load %w[%column, %k] : memref<64x256xi8>
      %number = arith.extsi %loaded : i8 to i32
      %float = arith.sitofp %number : i32 to f32
      %scale = memref.load %s[%column] : memref<64xf32>
      %weight = arith.mulf %float, %scale : f32
      %next = math.fma %factor, %weight, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
