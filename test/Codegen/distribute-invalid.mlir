// RUN: dml-opt %s --split-input-file --verify-diagnostics --dml-distribute-to-workgroups

#identity = affine_map<(d0) -> (d0)>
func.func @tensors(%output: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{wants buffers to be distributed to workgroups}}
  %0 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : tensor<4xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#identity = affine_map<(d0) -> (d0)>
func.func @input(%input: memref<4xf32>, %output: memref<4xf32>) {
  // expected-error @below {{wants no inputs and one output under an identity map, with parallel iterators}}
  linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel"]}
      ins(%input : memref<4xf32>) outs(%output : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

#identity = affine_map<(d0) -> (d0)>
func.func @dynamic(%output: memref<?xf32>) {
  // expected-error @below {{wants a packed output of static shape, but it is 'memref<?xf32>'}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<?xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @blocks(%lhs: memref<64x64xf32>, %rhs: memref<64x64xf32>, %output: memref<64x64xf32>) {
  // expected-error @below {{has a contraction_tile that is no 128 blocks of rows and columns that are multiples of 4 and have at most 128 elements}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<64x64xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 48, 64, 16>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %k0 = arith.muli %i, %c2 : index
      %k1 = arith.addi %k0, %c1 : index
      %x0 = memref.load %lhs[%row, %k0] : memref<64x64xf32>
      %y0 = memref.load %rhs[%k0, %column] : memref<64x64xf32>
      %next = math.fma %x0, %y0, %carried : f32
      %x1 = memref.load %lhs[%row, %k1] : memref<64x64xf32>
      %y1 = memref.load %rhs[%k1, %column] : memref<64x64xf32>
      %last = math.fma %x1, %y1, %next : f32
      scf.yield %last : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @sums(%lhs: memref<64x64xf32>, %rhs: memref<64x64xf32>, %output: memref<64x64xf32>) {
  // expected-error @below {{has a contraction_tile that is no 128 blocks}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<64x64xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 256, 128, 8>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %k0 = arith.muli %i, %c2 : index
      %k1 = arith.addi %k0, %c1 : index
      %x0 = memref.load %lhs[%row, %k0] : memref<64x64xf32>
      %y0 = memref.load %rhs[%k0, %column] : memref<64x64xf32>
      %next = math.fma %x0, %y0, %carried : f32
      %x1 = memref.load %lhs[%row, %k1] : memref<64x64xf32>
      %y1 = memref.load %rhs[%k1, %column] : memref<64x64xf32>
      %last = math.fma %x1, %y1, %next : f32
      scf.yield %last : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @threads(%lhs: memref<64x64xf32>, %rhs: memref<64x64xf32>, %output: memref<64x64xf32>) {
  // expected-error @below {{has a contraction_tile that has 256 threads, but the device profile has 128}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<64x64xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 128, 128, 16>, threads = 256 : i64}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %k0 = arith.muli %i, %c2 : index
      %k1 = arith.addi %k0, %c1 : index
      %x0 = memref.load %lhs[%row, %k0] : memref<64x64xf32>
      %y0 = memref.load %rhs[%k0, %column] : memref<64x64xf32>
      %next = math.fma %x0, %y0, %carried : f32
      %x1 = memref.load %lhs[%row, %k1] : memref<64x64xf32>
      %y1 = memref.load %rhs[%k1, %column] : memref<64x64xf32>
      %last = math.fma %x1, %y1, %next : f32
      scf.yield %last : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @terms(%lhs: memref<64x64xf32>, %rhs: memref<64x64xf32>, %output: memref<64x64xf32>) {
  // expected-error @below {{has a contraction_tile that has 15 terms, but a multiple of the 2 of an iteration is wanted}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<64x64xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 64, 64, 15>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %k0 = arith.muli %i, %c2 : index
      %k1 = arith.addi %k0, %c1 : index
      %x0 = memref.load %lhs[%row, %k0] : memref<64x64xf32>
      %y0 = memref.load %rhs[%k0, %column] : memref<64x64xf32>
      %next = math.fma %x0, %y0, %carried : f32
      %x1 = memref.load %lhs[%row, %k1] : memref<64x64xf32>
      %y1 = memref.load %rhs[%k1, %column] : memref<64x64xf32>
      %last = math.fma %x1, %y1, %next : f32
      scf.yield %last : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @memory(%lhs: memref<64x64xf32>, %rhs: memref<64x64xf32>, %output: memref<64x64xf32>) {
  // expected-error @below {{has a contraction_tile that takes 34816 bytes of workgroup memory, but the device profile has 16384}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<64x64xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 64, 64, 64>}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %i = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %k0 = arith.muli %i, %c2 : index
      %k1 = arith.addi %k0, %c1 : index
      %x0 = memref.load %lhs[%row, %k0] : memref<64x64xf32>
      %y0 = memref.load %rhs[%k0, %column] : memref<64x64xf32>
      %next = math.fma %x0, %y0, %carried : f32
      %x1 = memref.load %lhs[%row, %k1] : memref<64x64xf32>
      %y1 = memref.load %rhs[%k1, %column] : memref<64x64xf32>
      %last = math.fma %x1, %y1, %next : f32
      scf.yield %last : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0) -> (d0)>
func.func @no_contraction(%output: memref<4xf32>) {
  // expected-error @below {{has a contraction_tile that stands on no contraction}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<4xf32>)
      attrs = {dml.kernel = {contraction_tile = array<i64: 64, 64, 16>}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0

// -----

#identity = affine_map<(d0) -> (d0)>
func.func @reversed(%output: memref<4xf32>) {
  // expected-error @below {{attribute 'dml.reversed' wants to be a unit attribute}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<4xf32>) attrs = {dml.reversed = 1 : i64} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}
