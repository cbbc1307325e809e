// What the elements that a thread computes have in common is computed once.
//
// RUN: dml-opt %s --split-input-file --dml-select-map-tiles | FileCheck %s --check-prefix=CHOICE
// RUN: dml-opt %s --split-input-file --dml-select-map-tiles --dml-distribute-to-workgroups | FileCheck %s

// Rows hold whole vectors: the columns of four neighbours differ by constants, and
// what they read is a vector too.

// CHOICE-LABEL: func @neighbours
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @neighbours
// CHECK-SAME:  %[[INPUT:.*]]: memref<3x8xf32>, %[[OUTPUT:.*]]: memref<3x8xf32>
// CHECK:       %[[VECTORS:.*]] = dml_buffer.view %[[INPUT]] : memref<3x8xf32> to memref<6xvector<4xf32>>
// CHECK:         %[[ROW:.*]] = arith.divui
// CHECK:         %[[FLIPPED:.*]] = arith.muli %[[ROW]], %c-2
// CHECK:         %[[COLUMN:.*]] = arith.remui
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %[[FLIPPED]], %[[COLUMN]]
// CHECK:         %[[POSITION:.*]] = arith.addi %[[SUM]], %c4
// CHECK-NEXT:    %[[VECTOR:.*]] = memref.load %[[VECTORS]][%[[POSITION]]]
// CHECK-NOT:     {{divui|remui|memref.load}}
// CHECK:         vector.from_elements
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @neighbours(%input: memref<3x8xf32>, %output: memref<3x8xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) {
  ^bb0(%out: f32):
    %two = arith.constant 2 : index
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %flipped = arith.subi %two, %row : index
    %element = memref.load %input[%flipped, %column] : memref<3x8xf32>
    linalg.yield %element : f32
  }
  return
}
// -----

// Rows hold no whole vectors: still one division for four elements. What a lane adds
// to the column may be beyond the row, which a comparison finds out.

// CHOICE-LABEL: func @carry
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @carry
// CHECK:         %[[FIRST:.*]] = arith.muli %{{.*}}, %c4
// CHECK:         %[[ROW:.*]] = arith.divui %[[FIRST]], %[[FIVE:.*]] : index
// CHECK-NEXT:    %[[COLUMN:.*]] = arith.remui %[[FIRST]], %[[FIVE]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[COLUMN]], %[[ONE:.*]] : index
// CHECK-NEXT:    %[[BEYOND:.*]] = arith.cmpi uge, %[[NEXT]], %[[FIVE]]
// CHECK:         %[[CARRY:.*]] = arith.select %[[BEYOND]], %[[ONE]], %c0
// CHECK:         %[[WRAPPED:.*]] = arith.addi %[[COLUMN]], %c-4
// CHECK-NEXT:    arith.minui %[[NEXT]], %[[WRAPPED]]
// CHECK:         arith.addi %[[ROW]], %[[CARRY]]
// CHECK-NOT:     {{divui|remui}}
// CHECK:         vector.from_elements
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @carry(%input: memref<5x3xf32>, %output: memref<3x5xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x5xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %element = memref.load %input[%column, %row] : memref<5x3xf32>
    %negated = arith.negf %element : f32
    linalg.yield %negated : f32
  }
  return
}
// -----

// Nothing tells the dimensions apart: they are joined again, and not divided for.

// CHOICE-LABEL: func @joined
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @joined
// CHECK:         %[[THREAD:.*]] = arith.minui
// CHECK-NOT:     {{divui|remui|cmpi}}
// CHECK:         memref.load %{{.*}}[%[[THREAD]]] : memref<30xvector<4xf32>>
// CHECK-NOT:     {{divui|remui|cmpi|memref.load}}
// CHECK:         memref.store %{{.*}}[%[[THREAD]]]
#identity = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @joined(%input: memref<3x5x8xf32>, %output: memref<3x5x8xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%output : memref<3x5x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %element = memref.load %input[%i, %j, %k] : memref<3x5x8xf32>
    %double = arith.addf %element, %element : f32
    linalg.yield %double : f32
  }
  return
}
// -----

// A thread computes two rows where elements are read several times, here three: two
// of the four rows that it reads belong to both. What it has computed of a row is
// stored before the next one is begun, so that it takes no registers any more.

// CHOICE-LABEL: func @several_rows
// CHOICE:       dml.kernel = {map_tile = {rows = 2 : i64, vector_bytes = 16 : i64}}
// CHECK-LABEL: func @several_rows
// CHECK-DAG:   %[[GROUPS:.*]] = arith.constant 1024 : index
// CHECK:       gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %[[GROUPS]],
// CHECK-COUNT-3: memref.load
// CHECK-NOT:     memref.load
// CHECK:         memref.store
// CHECK:         memref.load
// CHECK-NOT:     memref.load
// CHECK:         memref.store
// CHECK-NOT:     memref.store
// CHECK:         gpu.terminator
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @several_rows(%input: memref<1030x1024xf32>, %output: memref<1024x1024xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1024x1024xf32>) {
  ^bb0(%out: f32):
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i1 = arith.addi %i, %one : index
    %i2 = arith.addi %i, %two : index
    %a = memref.load %input[%i, %j] : memref<1030x1024xf32>
    %b = memref.load %input[%i1, %j] : memref<1030x1024xf32>
    %c = memref.load %input[%i2, %j] : memref<1030x1024xf32>
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    linalg.yield %abc : f32
  }
  return
}
// -----

// With half the rows there would be too few threads.

// CHOICE-LABEL: func @single_row
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @single_row
// CHECK:         memref.store
// CHECK-NOT:     memref.store
// CHECK:         gpu.terminator
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @single_row(%input: memref<262x1024xf32>, %output: memref<256x1024xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x1024xf32>) {
  ^bb0(%out: f32):
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i1 = arith.addi %i, %one : index
    %i2 = arith.addi %i, %two : index
    %a = memref.load %input[%i, %j] : memref<262x1024xf32>
    %b = memref.load %input[%i1, %j] : memref<262x1024xf32>
    %c = memref.load %input[%i2, %j] : memref<262x1024xf32>
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    linalg.yield %abc : f32
  }
  return
}
// -----

// Most threads need no clamping: they take a path of their own, in which the rows are
// joined.

// CHOICE-LABEL: func @interior
// CHOICE:       dml.kernel = {map_tile = {interior = array<i64: 60>, vector_bytes = 16 : i64}}
// CHECK-LABEL: func @interior
// CHECK:         arith.divui %[[THREAD:.*]], %c256
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c1024 : index
// CHECK-NEXT:    scf.if %[[INSIDE]] {
// CHECK-NOT:       {{divui|remui}}
// CHECK:           %[[MOVED:.*]] = arith.addi %[[THREAD]], %c-1024
// CHECK-NEXT:      memref.load %{{.*}}[%[[MOVED]]] : memref<262144xvector<4xf32>>
// CHECK:           memref.store %{{.*}}[%[[THREAD]]]
// CHECK:         } else {
// CHECK:           arith.maxsi
// CHECK:           arith.minsi
// CHECK:           memref.load
// CHECK:           memref.store %{{.*}}[%[[THREAD]]]
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @interior(%input: memref<1024x1024xf32>, %output: memref<1032x1024xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1032x1024xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %last = arith.constant 1023 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %shifted = arith.subi %i, %four : index
    %low = arith.maxsi %shifted, %zero : index
    %row = arith.minsi %low, %last : index
    %element = memref.load %input[%row, %j] : memref<1024x1024xf32>
    linalg.yield %element : f32
  }
  return
}
// -----

// Columns are clamped in every group of threads: all would run both paths.

// CHOICE-LABEL: func @columns
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @columns
// CHECK-NOT:     scf.if
// CHECK:         memref.store
// CHECK-NOT:     memref.store
// CHECK:         gpu.terminator
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @columns(%input: memref<1024x64xf32>, %output: memref<1024x72xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1024x72xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0 : index
    %most = arith.constant 63 : index
    %four = arith.constant 4 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %shifted = arith.subi %j, %four : index
    %low = arith.maxsi %shifted, %zero : index
    %column = arith.minsi %low, %most : index
    %element = memref.load %input[%i, %column] : memref<1024x64xf32>
    linalg.yield %element : f32
  }
  return
}
// -----

// Half of a vector lies before the row, with whole words: one question for them all.
// What is read where it does not count is where the row begins, so that the others are
// a part of a vector.

// CHOICE-LABEL: func @guarded
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @guarded
// CHECK-SAME:  %[[INPUT:.*]]: memref<2x32xi8>, %[[OUTPUT:.*]]: memref<2x48xi8>
// CHECK:       %[[VECTORS:.*]] = dml_buffer.view %[[INPUT]] : memref<2x32xi8> to memref<4xvector<4xi32>>
// CHECK:         %[[COLUMN:.*]] = arith.remui
// CHECK:         %[[BEFORE:.*]] = arith.addi %[[COLUMN]], %c-1
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[BEFORE]], %c2
// CHECK:         %[[CHOSEN:.*]] = arith.select %[[INSIDE]], %[[BEFORE]], %c0
// CHECK:         %[[FIRST:.*]] = memref.load %[[VECTORS]]
// CHECK-NEXT:    %[[WORD:.*]] = vector.extract %[[FIRST]][2] : i32 from vector<4xi32>
// CHECK-NEXT:    arith.select %[[INSIDE]], %[[WORD]], %c117901063_i32 : i32
// CHECK:         memref.load %[[VECTORS]]
// CHECK-NOT:     memref.load
// CHECK:         vector.from_elements
// CHECK-NEXT:    memref.store
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @guarded(%input: memref<2x32xi8>, %output: memref<2x48xi8>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<2x48xi8>) {
  ^bb0(%out: i8):
    %begin = arith.constant -8 : index
    %size = arith.constant 32 : index
    %zero = arith.constant 0 : index
    %seven = arith.constant 7 : i8
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %place = arith.addi %column, %begin : index
    %inside = arith.cmpi ult, %place, %size : index
    %chosen = arith.select %inside, %place, %zero : index
    %element = memref.load %input[%row, %chosen] : memref<2x32xi8>
    %padded = arith.select %inside, %element, %seven : i8
    linalg.yield %padded : i8
  }
  return
}
// -----

// A thread stores less where it reads more of a row: 4 bytes and not 16 of elements
// that are read three apart, but no less than an element.

// CHOICE-LABEL: func @apart
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 4 : i64}}
// CHECK-LABEL: func @apart
// CHECK:       dml_buffer.view {{.*}} : memref<4x64xi8> to memref<64xi32>
// CHECK:       gpu.launch
// CHECK:         memref.store %{{.*}} : memref<64xi32>
// CHECK-NOT:     memref.store
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @apart(%input: memref<4x192xi8>, %output: memref<4x64xi8>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4x64xi8>) {
  ^bb0(%out: i8):
    %three = arith.constant 3 : index
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %place = arith.muli %column, %three : index
    %element = memref.load %input[%row, %place] : memref<4x192xi8>
    linalg.yield %element : i8
  }
  return
}
// -----

// CHOICE-LABEL: func @wide_apart
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 8 : i64}}
// CHECK-LABEL: func @wide_apart
// CHECK:         memref.store %{{.*}} : memref<256xi64>
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @wide_apart(%input: memref<4x192xi64>, %output: memref<4x64xi64>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<4x64xi64>) {
  ^bb0(%out: i64):
    %three = arith.constant 3 : index
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %place = arith.muli %column, %three : index
    %element = memref.load %input[%row, %place] : memref<4x192xi64>
    linalg.yield %element : i64
  }
  return
}
// -----

// A row that is the same as the one before costs no more than a store.

// CHOICE-LABEL: func @same_rows
// CHOICE:       dml.kernel = {map_tile = {rows = 2 : i64, vector_bytes = 16 : i64}}
// CHECK-LABEL: func @same_rows
// CHECK-COUNT-1: memref.load
// CHECK-NOT:     memref.load
// CHECK-COUNT-2: memref.store
// CHECK-NOT:     memref.store
// CHECK:         gpu.terminator
#identity = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @same_rows(%input: memref<4x256x512xf32>, %output: memref<4x512x1024xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%output : memref<4x512x1024xf32>) {
  ^bb0(%out: f32):
    %two = arith.constant 2 : index
    %plane = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %row = arith.divui %i, %two : index
    %column = arith.divui %j, %two : index
    %element = memref.load %input[%plane, %row, %column] : memref<4x256x512xf32>
    linalg.yield %element : f32
  }
  return
}
// -----

// A tensor of rank 0 is one vector.

// CHOICE-LABEL: func @scalar
// CHOICE:       dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// CHECK-LABEL: func @scalar
// CHECK:         memref.load
// CHECK:         memref.store
// CHECK-NOT:     memref.store
// CHECK:         gpu.terminator
#scalar = affine_map<() -> ()>
func.func @scalar(%input: memref<f32>, %output: memref<f32>) {
  linalg.generic {indexing_maps = [#scalar], iterator_types = []}
      outs(%output : memref<f32>) {
  ^bb0(%out: f32):
    %element = memref.load %input[] : memref<f32>
    linalg.yield %element : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
