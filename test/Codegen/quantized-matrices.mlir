// Matrix kernels hold the words of quantized weights as they are loaded, and unpack them when
// they are stored in workgroup memory. Of each of two stages that are loaded ahead, each of 64
// threads has a vector of the rows and an item of the columns: four words, a scale and a zero
// point, instead of 32 numbers of f16. No operation of an iteration waits for a load of the same
// iteration.
//
// RUN: dml-opt %s --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups --canonicalize --cse | FileCheck %s
//
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: func @product
// CHECK-NOT:     arith.subf
// CHECK:         scf.for
// CHECK-SAME:      "COp">, vector<4xi32>, i32, f16, i32, i32, i32, i32, vector<4xi32>, i32, f16, i32, i32, i32, i32) {
// CHECK-COUNT-16: arith.subf {{.*}} : vector<2xf16>
// CHECK-COUNT-5: memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK-NOT:     arith.subf
// CHECK-COUNT-4: gpu.subgroup_mma_compute
// CHECK:         gpu.barrier
// CHECK-COUNT-16: arith.subf {{.*}} : vector<2xf16>
// CHECK-COUNT-5: memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK-NOT:     arith.subf
// CHECK-COUNT-4: gpu.subgroup_mma_compute
// CHECK:         scf.yield
// Two stages are left, which are loaded already.
// CHECK-NOT:     memref.load
// CHECK-COUNT-8: gpu.subgroup_mma_compute
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%x: memref<16x256xf16>, %w: memref<2048xi32>, %s: memref<64x8xf16>, %z: memref<64xi32>, %output: memref<16x64xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<16x64xf32>)
      attrs = {dml.kernel = {matrix_tile = {ahead = 2 : i64, shape = "16x16x16xf16xf32", stages = 1 : i64, subgroup = array<i64: 16, 32>, workgroup = array<i64: 16, 64, 32>}}} {
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
      %half = memref.load %x[%row, %k] : memref<16x256xf16>
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
