// Row kernels: which generics become some, and what their threads do.
//
// RUN: dml-opt %s --split-input-file --dml-select-kernels | FileCheck %s --check-prefix=SELECT
// RUN: dml-opt %s --split-input-file --dml-select-kernels=row-tile=none | FileCheck %s --check-prefix=NONE
// RUN: dml-opt %s --split-input-file --dml-select-kernels=row-tile=4x2 | FileCheck %s --check-prefix=GIVEN
// RUN: not dml-opt %s --split-input-file --dml-select-kernels=row-tile=3x2 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: dml-opt %s --split-input-file --dml-select-kernels=row-tile=4x2 --dml-distribute-to-workgroups --canonicalize | FileCheck %s
// WRONG: error: row-tile is '3x2', but wants to be 'auto', 'none', or a power of two of at most 128 threads and the vectors that each has, such as '32x4'
// NONE-NOT: dml.kernel

// A row of 32 floats: 4 threads have 2 vectors of it each, which they load once
// for both loops and what is stored. Each loop ends with one exchange.

// SELECT-LABEL: func @normalize
// SELECT:       dml.kernel = {row_tile = array<i64: 8, 1>}
// GIVEN-LABEL:  func @normalize
// GIVEN:        dml.kernel = {row_tile = array<i64: 4, 2>}
// CHECK-LABEL:  func @normalize
// CHECK:        gpu.launch
// CHECK-COUNT-2: memref.load %{{.*}} : memref<2048xvector<4xf32>>
// CHECK-NOT:    memref<2048xvector<4xf32>>
// CHECK-NOT:    scf.for
// CHECK:        memref.store %{{.*}} : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK-COUNT-4: memref.load %{{.*}} : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK:        math.exp
// CHECK-NOT:    memref<2048xvector<4xf32>>
// CHECK:        memref.store %{{.*}} : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK-COUNT-4: memref.load %{{.*}} : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:    memref.load
// CHECK-COUNT-2: memref.store %{{.*}} : memref<2048xvector<4xf32>>
// CHECK-NOT:    memref.store
// CHECK:        return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @normalize(%input: memref<256x32xf32>, %output: memref<256x32xf32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x32xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %largest = scf.for %k = %c0 to %c32 step %c1 iter_args(%carried = %nan) -> f32 {
      %x = memref.load %input[%row, %k] : memref<256x32xf32>
      %next = arith.maxnumf %carried, %x : f32
      scf.yield %next : f32
    } {dml.any_order}
    %sum = scf.for %k = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%row, %k] : memref<256x32xf32>
      %shifted = arith.subf %x, %largest : f32
      %exp = math.exp %shifted : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %x = memref.load %input[%row, %column] : memref<256x32xf32>
    %shifted = arith.subf %x, %largest : f32
    %exp = math.exp %shifted : f32
    %result = arith.divf %exp, %sum : f32
    linalg.yield %result : f32
  }
  return
}

// -----

// Neighbours are of other rows: threads have vectors of 4 rows. 40 elements of each
// are 5 rounds of 4 threads with 2 elements.

// SELECT-LABEL: func @columns
// SELECT:       dml.kernel = {row_tile = array<i64: 16, 3>}
// CHECK-LABEL:  func @columns
// CHECK:        scf.for {{.*}} -> (f32, f32, f32, f32)
// CHECK-COUNT-2: memref.load %{{.*}} : memref<1280xvector<4xf32>>
// CHECK:        scf.yield
// CHECK:        gpu.barrier
// CHECK:        scf.if
// CHECK:        memref.store %{{.*}} : memref<32xvector<4xf32>>
// CHECK:        return
#vector = affine_map<(d0, d1) -> (d0, d1)>
func.func @columns(%input: memref<40x128xf32>, %output: memref<1x128xf32>) {
  linalg.generic {indexing_maps = [#vector], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    %zero = arith.constant 0.0 : f32
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%k, %column] : memref<40x128xf32>
      %next = arith.addf %carried, %x : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}

// -----

// Three columns: a thread has 4 elements of each, which are 3 vectors, and the sums of
// the columns are exchanged and stored one by one.

// SELECT-LABEL: func @three_columns
// SELECT:       dml.kernel = {row_tile = array<i64: 8, 1>}
// CHECK-LABEL:  func @three_columns
// CHECK:        gpu.launch
// CHECK-COUNT-6: memref.load %{{.*}} : memref<24xvector<4xf32>>
// CHECK-NOT:    memref<24xvector<4xf32>>
// CHECK-COUNT-3: memref.store %{{.*}} : memref<384xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK:        scf.if
// CHECK-COUNT-3: memref.store %{{.*}} : memref<3xf32>
// CHECK-NOT:    memref.store
// CHECK:        return
#columns = affine_map<(d0, d1) -> (d0, d1)>
func.func @three_columns(%input: memref<32x3xf32>, %output: memref<1x3xf32>) {
  linalg.generic {indexing_maps = [#columns], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x3xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%k, %column] : memref<32x3xf32>
      %next = arith.addf %carried, %x : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}

// -----

// Both numbers of a row are its results: the row is loaded once, and one thread of it
// stores both.

// SELECT-LABEL: func @two_results
// SELECT:       dml.kernel = {row_tile = array<i64: 8, 1>}
// CHECK-LABEL:  func @two_results
// CHECK:        gpu.launch
// CHECK-COUNT-2: memref.load %{{.*}} : memref<2048xvector<4xf32>>
// CHECK-NOT:    memref<2048xvector<4xf32>>
// CHECK:        scf.if
// CHECK-NEXT:     memref.store %{{.*}}, %[[OUT:.*]][%{{.*}}] : memref<512xf32>
// CHECK:        scf.if
// CHECK-NEXT:     memref.store %{{.*}}, %[[OUT]][%{{.*}}] : memref<512xf32>
// CHECK-NOT:    memref.store
// CHECK:        return
#results = affine_map<(d0, d1) -> (d0, d1)>
func.func @two_results(%input: memref<256x32xf32>, %output: memref<2x256xf32>) {
  linalg.generic {indexing_maps = [#results], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<2x256xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %which = linalg.index 0 : index
    %row = linalg.index 1 : index
    %largest = scf.for %k = %c0 to %c32 step %c1 iter_args(%carried = %nan) -> f32 {
      %x = memref.load %input[%row, %k] : memref<256x32xf32>
      %next = arith.maxnumf %carried, %x : f32
      scf.yield %next : f32
    } {dml.any_order}
    %sum = scf.for %k = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%row, %k] : memref<256x32xf32>
      %shifted = arith.subf %x, %largest : f32
      %exp = math.exp %shifted : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %is_first = arith.cmpi eq, %which, %c0 : index
    %result = arith.select %is_first, %largest, %sum : f32
    linalg.yield %result : f32
  }
  return
}

// -----

// Windows that overlap are no rows that are worth a kernel, but can have one.

// SELECT-LABEL: func @windows
// SELECT-NOT:   dml.kernel
// GIVEN-LABEL:  func @windows
// GIVEN:        dml.kernel = {row_tile = array<i64: 4, 2>}
#line = affine_map<(d0) -> (d0)>
func.func @windows(%input: memref<111xf32>, %output: memref<100xf32>) {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]}
      outs(%output : memref<100xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %zero = arith.constant 0.0 : f32
    %i = linalg.index 0 : index
    %sum = scf.for %k = %c0 to %c12 step %c1 iter_args(%carried = %zero) -> f32 {
      %at = arith.addi %i, %k : index
      %x = memref.load %input[%at] : memref<111xf32>
      %next = arith.addf %carried, %x : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}

// -----

// A loop in an order, and one whose elements depend on what is carried, are none.

// GIVEN-LABEL: func @ordered
// GIVEN-NOT:   dml.kernel
#ordered = affine_map<(d0) -> (d0)>
func.func @ordered(%input: memref<100x12xf32>, %output: memref<100xf32>, %other: memref<100xf32>) {
  linalg.generic {indexing_maps = [#ordered], iterator_types = ["parallel"]}
      outs(%output : memref<100xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %zero = arith.constant 0.0 : f32
    %i = linalg.index 0 : index
    %sum = scf.for %k = %c0 to %c12 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%i, %k] : memref<100x12xf32>
      %next = arith.addf %carried, %x : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#ordered], iterator_types = ["parallel"]}
      outs(%other : memref<100xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %zero = arith.constant 0.0 : f32
    %i = linalg.index 0 : index
    %sum = scf.for %k = %c0 to %c12 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%i, %k] : memref<100x12xf32>
      %y = arith.mulf %carried, %x : f32
      %next = arith.addf %carried, %y : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}

// -----

// A scan: an iteration counts where it stands no later than the output's element.
// 4 threads have 2 vectors each, scan them in registers, and exchange what each vector
// comes to, in one pass over the row.

// SELECT-LABEL: func @scan
// SELECT:       dml.kernel = {row_tile = array<i64: 8, 1>}
// GIVEN-LABEL:  func @scan
// GIVEN:        dml.kernel = {row_tile = array<i64: 4, 2>}
// CHECK-LABEL:  func @scan
// CHECK:        gpu.launch
// CHECK-COUNT-2: memref.load %{{.*}} : memref<2048xvector<4xf32>>
// CHECK-COUNT-2: memref.store %{{.*}} : memref<264xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK-COUNT-2: memref.load %{{.*}} : memref<264xf32, #gpu.address_space<workgroup>>
// CHECK:        memref.store %{{.*}} : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK-COUNT-3: memref.load %{{.*}} : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-2: memref.store %{{.*}} : memref<264xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK-COUNT-2: memref.load %{{.*}} : memref<264xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:    memref.load
// CHECK-COUNT-2: memref.store %{{.*}} : memref<2048xvector<4xf32>>
// CHECK-NOT:    scf.for
// CHECK:        return
#scanned = affine_map<(d0, d1) -> (d0, d1)>
func.func @scan(%input: memref<256x32xf32>, %output: memref<256x32xf32>) {
  linalg.generic {indexing_maps = [#scanned], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x32xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%row, %k] : memref<256x32xf32>
      %counts = arith.cmpi ule, %k, %column : index
      %chosen = arith.select %counts, %x, %zero : f32
      %next = arith.addf %carried, %chosen : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}

// -----

// Neighbours are of other rows, and the scan runs backward without the element itself.
// 5 rounds of 8 elements carry 4 sums, and what the next round scans, which is loaded
// first. A barrier parts what a round reads from what the next one writes.

// CHECK-LABEL:  func @scan_columns
// CHECK-COUNT-2: memref.load %{{.*}} : memref<1280xvector<4xf32>>
// CHECK-NOT:    memref.load
// CHECK:        scf.for {{.*}} -> (f32, f32, f32, f32,
// CHECK-COUNT-2: memref.load %{{.*}} : memref<1280xvector<4xf32>>
// CHECK:        gpu.barrier
// CHECK-COUNT-4: memref.store %{{.*}} : memref<512xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK-COUNT-16: memref.load %{{.*}} : memref<512xf32, #gpu.address_space<workgroup>>
// CHECK:        memref.store %{{.*}} : memref<1280xvector<4xf32>>
// CHECK:        scf.yield
// CHECK:        return
#scanned = affine_map<(d0, d1) -> (d0, d1)>
func.func @scan_columns(%input: memref<40x128xf32>, %output: memref<40x128xf32>) {
  linalg.generic {indexing_maps = [#scanned], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<40x128xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%k, %column] : memref<40x128xf32>
      %counts = arith.cmpi ugt, %k, %row : index
      %chosen = arith.select %counts, %x, %zero : f32
      %next = arith.addf %carried, %chosen : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}

// -----

// Rows are parts of 32 elements of a line of 120, the last of which has 24.

// SELECT-LABEL: func @scan_parts
// SELECT:       dml.kernel = {row_tile = array<i64: 32, 1>}
// GIVEN-LABEL:  func @scan_parts
// GIVEN:        dml.kernel = {row_tile = array<i64: 4, 2>}
// CHECK-LABEL:  func @scan_parts
// CHECK:        gpu.launch
// CHECK:        memref.load %{{.*}} : memref<4xf32>
// CHECK:        arith.cmpi ult, %{{.*}}, %c120
// CHECK:        scf.if
// CHECK:        memref.store %{{.*}} : memref<120xf32>
// CHECK:        return
#line = affine_map<(d0) -> (d0)>
func.func @scan_parts(%input: memref<120xf32>, %before: memref<4xf32>, %output: memref<120xf32>) {
  linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]}
      outs(%output : memref<120xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c119 = arith.constant 119 : index
    %zero = arith.constant 0.0 : f32
    %i = linalg.index 0 : index
    %part = arith.divui %i, %c32 : index
    %place = arith.remui %i, %c32 : index
    %first = arith.muli %part, %c32 : index
    %sum = scf.for %k = %c0 to %c32 step %c1 iter_args(%carried = %zero) -> f32 {
      %at = arith.addi %first, %k : index
      %inside = arith.minui %at, %c119 : index
      %x = memref.load %input[%inside] : memref<120xf32>
      %counts = arith.cmpi ule, %k, %place : index
      %chosen = arith.select %counts, %x, %zero : f32
      %next = arith.addf %carried, %chosen : f32
      scf.yield %next : f32
    } {dml.any_order}
    %start = memref.load %before[%part] : memref<4xf32>
    %result = arith.addf %start, %sum : f32
    linalg.yield %result : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
