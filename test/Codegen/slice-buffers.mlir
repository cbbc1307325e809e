// RUN: dml-opt %s --pass-pipeline="builtin.module(dml-attach-device{profile=full,maxStorageBufferRange=1024},dml-slice-buffers,canonicalize,cse)" --split-input-file | FileCheck %s
// RUN: dml-opt %s --pass-pipeline="builtin.module(dml-slice-buffers,canonicalize,cse)" --split-input-file | FileCheck %s --check-prefix=WHOLE
// RUN: not dml-opt %s --pass-pipeline="builtin.module(dml-attach-device{profile=full,maxStorageBufferRange=512},dml-slice-buffers)" --split-input-file 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: error: device profile limit 'maxStorageBufferRange=512' wants a whole number from 1024 to 4294967295

// WHOLE-NOT: dml_buffer.range

#map = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>

// Weights of 6 rows of 64 elements, 256 bytes each: 4 rows fit a range, and the output
// becomes slices of 4 and 2 elements.

// CHECK-LABEL: func @rows
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<64xf32>, %[[W:[a-z0-9]+]]: memref<6x64xf32>, %[[OUTPUT:[a-z0-9]+]]: memref<6xf32>
// CHECK:         %[[FIRST:.*]] = memref.subview %[[OUTPUT]][0] [4] [1]
// CHECK:         %[[FIRST4:.*]] = dml_buffer.view %[[FIRST]]
// CHECK:         %[[W0:.*]] = dml_buffer.range %[[W]] at 0 : memref<6x64xf32> to memref<256xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[FIRST4]] : memref<4xf32>)
// CHECK:           memref.load %[[X]]
// CHECK:           memref.load %[[W0]]
// CHECK:         %[[LAST:.*]] = memref.subview %[[OUTPUT]][4] [2] [1]
// CHECK:         %[[LAST2:.*]] = dml_buffer.view %[[LAST]]
// CHECK:         %[[W1:.*]] = dml_buffer.range %[[W]] at 1024 : memref<6x64xf32> to memref<128xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[LAST2]] : memref<2xf32>)
// CHECK:           memref.load %[[W1]]
func.func @rows(%x: memref<64xf32>, %w: memref<6x64xf32>, %output: memref<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%output : memref<6xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> f32 {
      %0 = memref.load %x[%k] : memref<64xf32>
      %1 = memref.load %w[%i, %k] : memref<6x64xf32>
      %2 = math.fma %0, %1, %acc : f32
      scf.yield %2 : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#map2 = affine_map<(d0, d1) -> (d0, d1)>

// Indices from data lead anywhere: of each range one element is loaded.

// CHECK-LABEL: func @gather
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: memref<8x64xf32>
// CHECK-DAG:     %[[R0:.*]] = dml_buffer.range %[[TABLE]] at 0 : memref<8x64xf32> to memref<256xf32>
// CHECK-DAG:     %[[R1:.*]] = dml_buffer.range %[[TABLE]] at 1024 : memref<8x64xf32> to memref<256xf32>
// CHECK:         linalg.generic
// CHECK-DAG:       %[[E0:.*]] = memref.load %[[R0]]
// CHECK-DAG:       %[[E1:.*]] = memref.load %[[R1]]
// CHECK-DAG:       %[[BEHIND:.*]] = arith.cmpi sge, %{{.*}}, %c256
// CHECK:           arith.select %[[BEHIND]], %[[E1]], %[[E0]]
func.func @gather(%table: memref<8x64xf32>, %rows: memref<2xi32>,
                  %output: memref<2x64xf32>) {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<2x64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = memref.load %rows[%i] : memref<2xi32>
    %1 = arith.maxsi %0, %c0 : i32
    %2 = arith.minsi %1, %c7 : i32
    %row = arith.index_cast %2 : i32 to index
    %3 = memref.load %table[%row, %j] : memref<8x64xf32>
    linalg.yield %3 : f32
  }
  return
}

// -----

#map = affine_map<(d0) -> (d0)>

// Columns of a matrix of 2048 bytes, two rows at a time: every slice reads all of it, in
// two ranges that both loads share.

// CHECK-LABEL: func @columns
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<8x64xf32>
// CHECK-DAG:     dml_buffer.range %[[W]] at 0 : memref<8x64xf32> to memref<256xf32>
// CHECK-DAG:     dml_buffer.range %[[W]] at 1024 : memref<8x64xf32> to memref<256xf32>
// CHECK-NOT:     dml_buffer.range
func.func @columns(%w: memref<8x64xf32>, %output: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%output : memref<64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %sum = scf.for %k = %c0 to %c8 step %c2 iter_args(%acc = %zero) -> f32 {
      %next = arith.addi %k, %c1 : index
      %0 = memref.load %w[%k, %i] : memref<8x64xf32>
      %1 = memref.load %w[%next, %i] : memref<8x64xf32>
      %2 = arith.addf %acc, %0 : f32
      %3 = arith.addf %2, %1 : f32
      scf.yield %3 : f32
    }
    linalg.yield %sum : f32
  }
  return
}

// -----

#map2 = affine_map<(d0, d1) -> (d0, d1)>

// A large output is written range by range. Rows of 720 bytes begin anywhere: the second
// one is a part of the range from the last multiple of 256 before it on.

// CHECK-LABEL: func @output
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<180xf32>, %[[OUTPUT:[a-z0-9]+]]: memref<2x180xf32>
// CHECK:         %[[R0:.*]] = dml_buffer.range %[[OUTPUT]] at 0 : memref<2x180xf32> to memref<180xf32>
// CHECK:         %[[V0:.*]] = dml_buffer.view %[[R0]] : memref<180xf32> to memref<1x180xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[V0]] : memref<1x180xf32>)
// CHECK:         %[[R1:.*]] = dml_buffer.range %[[OUTPUT]] at 512 : memref<2x180xf32> to memref<232xf32>
// CHECK:         %[[P1:.*]] = memref.subview %[[R1]][52] [180] [1]
// CHECK:         linalg.generic
func.func @output(%x: memref<180xf32>, %output: memref<2x180xf32>) {
  linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<2x180xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %0 = memref.load %x[%j] : memref<180xf32>
    linalg.yield %0 : f32
  }
  return
}

// -----

#map2 = affine_map<(d0, d1) -> (d0, d1)>

// Padding: what is read of the input follows from the row, which is clamped. The first
// slice reads rows 0 to 2, the second 3 to 6, the last the last one.

// CHECK-LABEL: func @clamped
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<8x64xf32>
// CHECK:         dml_buffer.range %[[X]] at 0 : memref<8x64xf32> to memref<130xf32>
// CHECK:         dml_buffer.range %[[X]] at 768 : memref<8x64xf32> to memref<194xf32>
// CHECK:         dml_buffer.range %[[X]] at 1792 : memref<8x64xf32> to memref<2xf32>
// CHECK-NOT:     dml_buffer.range
func.func @clamped(%x: memref<8x64xf32>, %output: memref<10x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<10x2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %0 = arith.subi %i, %c1 : index
    %1 = arith.maxsi %0, %c0 : index
    %2 = arith.minsi %1, %c7 : index
    %3 = memref.load %x[%2, %j] : memref<8x64xf32>
    linalg.yield %3 : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
