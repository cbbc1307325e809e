// Tiles of map kernels that a generic cannot have.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --dml-distribute-to-workgroups

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @odd_bytes(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has vector_bytes 12, but wants 4, or a power of two from 4 to 16}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 12 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @elements(%output: memref<512x8xf32>) {
  // expected-error @below {{has a map_tile that has more than 256 elements}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<512x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, rows = 128 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @interiors(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has 2 numbers in interior, but wants 1}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, interior = array<i64: 60, 60>}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @block_without_loops(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has a block, which is for a body with loops}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, block = array<i64: 1>}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @loops_without_block(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has no block, which a body with loops wants}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64}}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c9 step %c1 iter_args(%carried = %zero) -> f32 {
      %next = arith.addf %carried, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows_of_loops(%output: memref<4x8xf32>) {
  // expected-error @below {{has a map_tile that has turns, which are for a body without loops}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, turns = 0 : i64, block = array<i64: 1>}}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c9 step %c1 iter_args(%carried = %zero) -> f32 {
      %next = arith.addf %carried, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @block_of_all(%output: memref<4x8xf32>) {
  // expected-error @below {{has a map_tile that has a block of 2 dimensions, but what they leave of the output is no row of whole vectors}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, block = array<i64: 1, 1>}}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c9 step %c1 iter_args(%carried = %zero) -> f32 {
      %next = arith.addf %carried, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @block_divisor(%output: memref<4x8xf32>) {
  // expected-error @below {{has a map_tile that has 3 elements of dimension 0, but wants a divisor of 4}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, block = array<i64: 3>}}} {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c9 step %c1 iter_args(%carried = %zero) -> f32 {
      %next = arith.addf %carried, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @several(%output: memref<4x8xf32>) {
  // expected-error @below {{attribute 'dml.kernel' is {map_tile = {rows = 2 : i64, vector_bytes = 16 : i64, vectors = 2 : i64}}, but wants "map" or one of}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, rows = 2 : i64, vectors = 2 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has 2 rows, but wants a divisor of the 3 rows of a plane, and rows of whole vectors}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, rows = 2 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @vectors(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has 4 vectors, but wants a divisor of the output's 6, with at most 16384 bytes of workgroup memory}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, vectors = 4 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @both_rows(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has in_both_rows, which wants elements that are only moved, and rows of several vectors that are not whole}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, in_both_rows}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @split(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has split, which wants several rows that are not whole vectors, with a vector inside of each}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, split}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @steps(%output: memref<3x8xf32>) {
  // expected-error @below {{attribute 'dml.kernel' is {map_tile = {steps = 2 : i64, vector_bytes = 16 : i64, vectors = 2 : i64}}, but wants "map" or one of}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, steps = 2 : i64, vectors = 2 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @turns(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has turns along dimension 0, but wants an outer one whose elements repeat after whole workgroups}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, turns = 0 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @inside(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that has 2 vectors inside from 0 on, but wants fewer than the 2 of a row of whole vectors}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, inside = array<i64: 0, 2>}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @crosswise_dimension(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that is crosswise along dimension 1, but wants one before the innermost one of several elements}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, crosswise = array<i64: 1, 32, 32>}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @crosswise_size(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that is crosswise with 6 rows and 32 columns, but wants whole vectors of both, and at most 16384 bytes of workgroup memory}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, crosswise = array<i64: 0, 6, 32>}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @crosswise_rows(%output: memref<3x8xf32>) {
  // expected-error @below {{has a map_tile that is crosswise, and has other entries than vector_bytes}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64, crosswise = array<i64: 0, 32, 32>, turns = 0 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @sums_of_slices(%a: memref<1x256xf32>, %b: memref<128x256xf32>, %c: memref<1x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  // expected-error @below {{has a slice_tile that has 3 columns, but a multiple of the 2 sums of an element is wanted}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<1x64xf32>) attrs = {dml.kernel = {slice_tile = array<i64: 1, 3, 32, 4, 1>}} {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %other = arith.addi %column, %c64 : index
    %sums:2 = scf.for %k = %c0 to %c256 step %c1 iter_args(%first = %zero, %second = %zero) -> (f32, f32) {
      %x = memref.load %a[%row, %k] : memref<1x256xf32>
      %y = memref.load %b[%column, %k] : memref<128x256xf32>
      %0 = math.fma %x, %y, %first : f32
      %z = memref.load %b[%other, %k] : memref<128x256xf32>
      %1 = math.fma %x, %z, %second : f32
      scf.yield %0, %1 : f32, f32
    }
    %2 = arith.mulf %sums#0, %sums#1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @sums_of_contraction(%a: memref<1x256xf32>, %b: memref<128x256xf32>, %c: memref<1x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  // expected-error @below {{has a contraction_tile that computes one sum of each element, but the element has 2}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<1x64xf32>) attrs = {dml.kernel = {contraction_tile = array<i64: 32, 32, 16>}} {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %other = arith.addi %column, %c64 : index
    %sums:2 = scf.for %k = %c0 to %c256 step %c1 iter_args(%first = %zero, %second = %zero) -> (f32, f32) {
      %x = memref.load %a[%row, %k] : memref<1x256xf32>
      %y = memref.load %b[%column, %k] : memref<128x256xf32>
      %0 = math.fma %x, %y, %first : f32
      %z = memref.load %b[%other, %k] : memref<128x256xf32>
      %1 = math.fma %x, %z, %second : f32
      scf.yield %0, %1 : f32, f32
    }
    %2 = arith.mulf %sums#0, %sums#1 : f32
    linalg.yield %2 : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
