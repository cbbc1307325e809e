// RUN: dml-opt %s --split-input-file --dml-select-map-tiles --dml-distribute-to-workgroups | FileCheck %s

// A thread stores 16 bytes: four f32. Rows hold whole vectors, so the four
// elements share their row.

// CHECK-LABEL: func @rows
// CHECK-SAME:  %[[OUTPUT:.*]]: memref<3x8xf32>
// CHECK:       %[[VECTORS:.*]] = dml_buffer.view %[[OUTPUT]] : memref<3x8xf32> to memref<6xvector<4xf32>>
// CHECK:       gpu.launch
// CHECK-SAME:    function(@dml.test)
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult
// CHECK:         scf.if %[[INSIDE]]
// CHECK:           %[[THREAD:.*]] = arith.minui
// CHECK:           %[[ROW:.*]] = arith.divui %[[THREAD]]
// CHECK-NEXT:      arith.index_castui %[[ROW]]
// CHECK-NEXT:      %[[FLOAT:.*]] = arith.uitofp
// CHECK-NEXT:      %[[VECTOR:.*]] = vector.from_elements %[[FLOAT]], %[[FLOAT]], %[[FLOAT]], %[[FLOAT]] : vector<4xf32>
// CHECK-NEXT:      memref.store %[[VECTOR]], %[[VECTORS]][%[[THREAD]]] : memref<6xvector<4xf32>>
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%output: memref<3x8xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x8xf32>) attrs = {dml.label = "dml.test"} {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %integer = arith.index_castui %row : index to i32
    %float = arith.uitofp %integer : i32 to f32
    linalg.yield %float : f32
  }
  return
}

// -----

// Narrow elements travel in 32-bit words: SPIR-V has no vector of 16. Where rows
// hold no whole vector every element finds its own row, without a division here: 16 t
// leaves 2 t of 7. Those after the last row compute elements of it once more.

// CHECK-LABEL: func @bytes
// CHECK:       dml_buffer.view %{{.*}} : memref<3x7xi8> to memref<2xvector<4xi32>>
// CHECK:       arith.minui
// CHECK-NOT:   {{remui|divui}}
// CHECK-COUNT-4: vector.bitcast %{{.*}} : vector<4xi8> to vector<1xi32>
// CHECK:       vector.from_elements {{.*}} : vector<4xi32>
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @bytes(%output: memref<3x7xi8>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x7xi8>) {
  ^bb0(%out: i8):
    %column = linalg.index 1 : index
    %integer = arith.index_castui %column : index to i8
    linalg.yield %integer : i8
  }
  return
}

// -----

// One element.

// CHECK-LABEL: func @one
// CHECK:       dml_buffer.view %{{.*}} : memref<1xf64> to memref<1xvector<2xf64>>
#identity = affine_map<(d0) -> (d0)>
func.func @one(%output: memref<1xf64>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<1xf64>) {
  ^bb0(%out: f64):
    %zero = arith.constant 0.0 : f64
    linalg.yield %zero : f64
  }
  return
}

// -----

// More than 65535 workgroups make a grid of two dimensions: 2^25 threads in
// 2^18 workgroups in 5 x 52429.

// CHECK-LABEL: func @large
// CHECK-DAG:   %[[X:.*]] = arith.constant 52429 : index
// CHECK-DAG:   %[[Y:.*]] = arith.constant 5 : index
// CHECK:       gpu.launch blocks({{.*}}) in (%{{.*}} = %[[X]], %{{.*}} = %[[Y]], %{{.*}})
#identity = affine_map<(d0) -> (d0)>
func.func @large(%output: memref<134217728xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<134217728xf32>)
      attrs = {dml.kernel = {map_tile = {vector_bytes = 16 : i64}}} {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// -----

// Workgroups in the opposite order: the first of 8 has the last elements.

// CHECK-LABEL: func @reversed
// CHECK:       gpu.launch blocks(%[[GROUP:[a-z0-9]+]], %{{.*}}, %{{.*}}) in
// CHECK:         %[[LAST:.*]] = arith.constant 7 : index
// CHECK-NEXT:    arith.subi %[[LAST]], %[[GROUP]] : index
#line = affine_map<(d0) -> (d0)>
func.func @reversed(%output: memref<4096xf32>) {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]}
      outs(%output : memref<4096xf32>)
      attrs = {dml.reversed, dml.kernel = {map_tile = {vector_bytes = 16}}} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %integer = arith.index_castui %i : index to i32
    %float = arith.uitofp %integer : i32 to f32
    linalg.yield %float : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0

// -----

// Column c of the output reads column c / 2 of the input. Whether a thread's first
// column is even depends on the thread, since rows hold no whole vectors. Three loads,
// at c / 2 and the two places after it, serve columns c to c + 3: the second and the
// fourth column choose between two of them.

// CHECK-LABEL: func @halves
// CHECK:       scf.if
// CHECK:         %[[HALF:[0-9]+]] = arith.divui %[[COLUMN:[0-9]+]], %c2{{(_[0-9]+)?}} :
// CHECK:         %[[FIRST:.*]] = memref.load
// CHECK-NOT:     memref.load
// CHECK:         %[[NEXT:.*]] = arith.addi %[[COLUMN]], %c1{{.*}} : index
// CHECK:         %[[NEXT_HALF:.*]] = arith.divui %[[NEXT]], %c2{{.*}} : index
// CHECK:         %[[ODD:.*]] = arith.cmpi ne, %[[NEXT_HALF]], %[[HALF]] : index
// CHECK:         %[[SECOND:.*]] = memref.load
// CHECK:         %[[CHOICE:.*]] = arith.select %[[ODD]], %[[SECOND]], %[[FIRST]] : f32
// CHECK:         %[[THIRD:.*]] = memref.load
// CHECK:         %[[LAST:.*]] = arith.select %{{.*}}, %[[THIRD]], %[[SECOND]] : f32
// CHECK-NEXT:    vector.from_elements %[[FIRST]], %[[CHOICE]], %[[SECOND]], %[[LAST]]
// CHECK:       } else {
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @halves(%input: memref<3x1026xf32>, %output: memref<3x2047xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x2047xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %two = arith.constant 2 : index
    %half = arith.divui %column, %two : index
    %element = memref.load %input[%row, %half] : memref<3x1026xf32>
    linalg.yield %element : f32
  }
  return
}

// -----

// Columns are read from c + 1 on. The second element would choose between (c + 1) / 2
// and the next, which may lie behind the input as far as ranges tell, and has a load of
// its own. The third chooses between that and the last.

// CHECK-LABEL: func @later_halves
// CHECK:       scf.if
// CHECK:         %[[FIRST:.*]] = memref.load
// CHECK:         %[[SECOND:.*]] = memref.load
// CHECK:         %[[LAST:.*]] = memref.load
// CHECK:         %[[CHOICE:.*]] = arith.select %{{.*}}, %[[LAST]], %[[SECOND]] : f32
// CHECK-NEXT:    vector.from_elements %[[FIRST]], %[[SECOND]], %[[CHOICE]], %[[LAST]]
// CHECK:       } else {
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @later_halves(%input: memref<1024xf32>, %output: memref<3x2047xf32>) {
  linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<3x2047xf32>) {
  ^bb0(%out: f32):
    %column = linalg.index 1 : index
    %one = arith.constant 1 : index
    %next = arith.addi %column, %one : index
    %two = arith.constant 2 : index
    %half = arith.divui %next, %two : index
    %element = memref.load %input[%half] : memref<1024xf32>
    linalg.yield %element : f32
  }
  return
}
