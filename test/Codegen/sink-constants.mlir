// RUN: dml-opt %s --dml-sink-constants | FileCheck %s

// The kernel has its own copy of a constant, once; buffers stay outside.

// CHECK-LABEL: func @main
// CHECK-SAME:    %[[OUTPUT:.*]]: memref<4xf32>
// CHECK:       gpu.launch
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[VALUE:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NOT:     arith.constant
// CHECK:         memref.store %[[VALUE]], %[[OUTPUT]][%[[C3]]]
// CHECK:         scf.for
// CHECK:           memref.store %[[VALUE]], %[[OUTPUT]][%{{.*}}]
func.func @main(%output: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %value = arith.constant 2.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %value, %output[%c3] : memref<4xf32>
    scf.for %i = %tx to %c3 step %c3 {
      memref.store %value, %output[%i] : memref<4xf32>
    }
    gpu.terminator
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
