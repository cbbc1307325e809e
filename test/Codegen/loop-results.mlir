// The results of a loop are variables in SPIR-V. If the driver's compiler keeps the order of the
// program, the loop stores to them where an iteration begins, the value that it carries, and
// not where an iteration ends, so that the variable needs no register beside that of the
// value. A loop that swaps two values stores each to its own variable.
//
// RUN: dml-opt %s --pass-pipeline="builtin.module(dml-attach-device{profile=full,computesInOrder=1},dml-convert-kernels-to-spirv)" | FileCheck %s --check-prefixes=CHECK,BEGIN
// RUN: dml-opt %s --pass-pipeline="builtin.module(dml-attach-device{profile=full},dml-convert-kernels-to-spirv)" | FileCheck %s --check-prefixes=CHECK,END
//
// SPDX-License-Identifier: Apache-2.0

// CHECK:         %[[SUM:.*]] = spirv.Variable
// CHECK:         %[[FIRST:.*]] = spirv.Variable
// CHECK:         %[[SECOND:.*]] = spirv.Variable
// CHECK:         spirv.mlir.loop
// CHECK:         ^bb1(%{{.*}}: i32, %[[S:.*]]: f32, %[[X:.*]]: f32, %[[Y:.*]]: f32):
// BEGIN-DAG:       spirv.Store "Function" %[[SUM]], %[[S]] : f32
// BEGIN-DAG:       spirv.Store "Function" %[[FIRST]], %[[X]] : f32
// BEGIN-DAG:       spirv.Store "Function" %[[SECOND]], %[[Y]] : f32
// CHECK:           spirv.BranchConditional
// CHECK:           %[[NEXT:.*]] = spirv.FAdd %[[S]]
// BEGIN-NOT:       spirv.Store
// END-DAG:         spirv.Store "Function" %[[SUM]], %[[NEXT]] : f32
// END-DAG:         spirv.Store "Function" %[[FIRST]], %[[Y]] : f32
// END-DAG:         spirv.Store "Function" %[[SECOND]], %[[X]] : f32
// CHECK:           spirv.Branch ^bb1(%{{.*}}, %[[NEXT]], %[[Y]], %[[X]] : i32, f32, f32, f32)
// CHECK:           spirv.mlir.merge
// CHECK-DAG:     spirv.Load "Function" %[[SUM]]
// CHECK-DAG:     spirv.Load "Function" %[[FIRST]]
// CHECK-DAG:     spirv.Load "Function" %[[SECOND]]
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @sum(%in: memref<64xf32>, %out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %count = arith.constant 63 : index
      %none = arith.constant 0.0 : f32
      %x = memref.load %in[%zero] : memref<64xf32>
      %y = memref.load %in[%one] : memref<64xf32>
      %results:3 = scf.for %i = %zero to %count step %one iter_args(%s = %none, %a = %x, %b = %y) -> (f32, f32, f32) {
        %element = memref.load %in[%i] : memref<64xf32>
        %next = arith.addf %s, %element : f32
        scf.yield %next, %b, %a : f32, f32, f32
      }
      memref.store %results#0, %out[%zero] : memref<64xf32>
      memref.store %results#1, %out[%one] : memref<64xf32>
      memref.store %results#2, %out[%two] : memref<64xf32>
      gpu.return
    }
  }
  func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@sum blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%in : memref<64xf32>, %out : memref<64xf32>)
    return
  }
}
