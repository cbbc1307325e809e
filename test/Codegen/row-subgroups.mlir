// Row kernels whose threads exchange what they carry by shuffles.
//
// RUN: dml-opt %s --split-input-file --dml-select-kernels=row-tile=64x1 --dml-attach-device=profile=full,subgroupSize=32 --dml-distribute-to-workgroups --canonicalize --cse | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-select-kernels=row-tile=8x1 --dml-attach-device=profile=full,subgroupSize=32 --dml-distribute-to-workgroups --canonicalize --cse | FileCheck %s --check-prefix=ONE
// RUN: dml-opt %s --split-input-file --dml-select-kernels=row-tile=64x1 --dml-attach-device=profile=full --dml-distribute-to-workgroups --canonicalize --cse | FileCheck %s --check-prefix=MEMORY
// RUN: dml-opt %s --split-input-file --dml-select-kernels=row-tile=64x1 --dml-attach-device=profile=full,subgroupSize=32,-subgroupShuffle --dml-distribute-to-workgroups --canonicalize --cse | FileCheck %s --check-prefix=MEMORY

// SPDX-License-Identifier: Apache-2.0

// The 64 threads of a row are two subgroups, which say themselves what their threads'
// numbers are. The first thread of each has the sum of its subgroup after five steps,
// and each adds up two numbers of workgroup memory.

// CHECK-LABEL:  func @sum
// CHECK:        gpu.subgroup_id
// CHECK:        gpu.lane_id
// CHECK-COUNT-5: gpu.shuffle xor {{.*}} : f32
// CHECK-NOT:    gpu.shuffle
// CHECK:        scf.if
// CHECK-NEXT:     memref.store %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK-COUNT-2: memref.load %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:    memref.load
// CHECK:        return

// Eight threads need no workgroup memory: three steps, and the first one's sum for all.

// ONE-LABEL:    func @sum
// ONE-COUNT-3:  gpu.shuffle xor {{.*}} : f32
// ONE-COUNT-1:  gpu.shuffle idx {{.*}} : f32
// ONE-NOT:      gpu.barrier
// ONE:          return

// MEMORY-LABEL: func @sum
// MEMORY-NOT:   gpu.shuffle
// MEMORY:       gpu.barrier
// MEMORY:       return
#row = affine_map<(d0, d1) -> (d0, d1)>
func.func @sum(%input: memref<256x256xf32>, %output: memref<256x1xf32>) {
  linalg.generic {indexing_maps = [#row], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x1xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%row, %k] : memref<256x256xf32>
      %next = arith.addf %carried, %x : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}

// -----

// Neighbouring threads have vectors of other columns: of 64 threads of a column two
// apart each, a subgroup has 16, whose partners are 2, 4, 8 and 16 threads away.

// CHECK-LABEL:  func @columns
// CHECK-DAG:    %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-DAG:    %[[SIXTEEN:.*]] = arith.constant 16 : i32
// CHECK:        gpu.shuffle xor %{{.*}}, %[[TWO]],
// CHECK:        gpu.shuffle xor %{{.*}}, %[[SIXTEEN]],
// CHECK:        gpu.barrier
// CHECK-COUNT-16: memref.load %{{.*}} : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:    memref.load
// CHECK:        return
#vector = affine_map<(d0, d1) -> (d0, d1)>
func.func @columns(%input: memref<256x128xf32>, %output: memref<1x128xf32>) {
  linalg.generic {indexing_maps = [#vector], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%k, %column] : memref<256x128xf32>
      %next = arith.addf %carried, %x : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}

// -----

// Numbers of 64 bits go through workgroup memory: few devices shuffle them.

// CHECK-LABEL:  func @long
// CHECK-NOT:    gpu.shuffle
// CHECK-NOT:    gpu.subgroup_id
// CHECK:        gpu.barrier
// CHECK:        return
#long = affine_map<(d0, d1) -> (d0, d1)>
func.func @long(%input: memref<256x256xi64>, %output: memref<256x1xi64>) {
  linalg.generic {indexing_maps = [#long], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x1xi64>) {
  ^bb0(%out: i64):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i64
    %row = linalg.index 0 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> i64 {
      %x = memref.load %input[%row, %k] : memref<256x256xi64>
      %next = arith.addi %carried, %x : i64
      scf.yield %next : i64
    } {dml.any_order}
    linalg.yield %sum : i64
  }
  return
}

// -----

// A scan: in five steps a thread adds what the threads 1, 2, 4, 8 and 16 places before it
// have, and the last thread of a subgroup stores its total. Then each takes what the
// thread before it has; threads of the second subgroup add the total of the first.

// CHECK-LABEL:  func @scan
// CHECK-COUNT-6: gpu.shuffle idx {{.*}} : f32
// CHECK-NOT:    gpu.shuffle
// CHECK:        scf.if
// CHECK-NEXT:     memref.store %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK:        gpu.barrier
// CHECK-COUNT-1: memref.load %{{.*}} : memref<4xf32, #gpu.address_space<workgroup>>
// CHECK-NOT:    memref.load
// CHECK:        return

// ONE-LABEL:    func @scan
// ONE:          scf.for
// ONE-COUNT-5:  gpu.shuffle idx {{.*}} : f32
// ONE-NOT:      gpu.barrier
// ONE:          return
#scanned = affine_map<(d0, d1) -> (d0, d1)>
func.func @scan(%input: memref<256x256xf32>, %output: memref<256x256xf32>) {
  linalg.generic {indexing_maps = [#scanned], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<256x256xf32>) {
  ^bb0(%out: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %input[%row, %k] : memref<256x256xf32>
      %counts = arith.cmpi ule, %k, %column : index
      %chosen = arith.select %counts, %x, %zero : f32
      %next = arith.addf %carried, %chosen : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %sum : f32
  }
  return
}
