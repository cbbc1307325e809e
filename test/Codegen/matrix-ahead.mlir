// Matrix kernels load the factors of several stages ahead. The sum has 16 stages of 32 terms,
// and 3 are ahead: the kernel first loads the stages 0, 1 and 2, each iteration of its loop
// multiplies three stages and loads three others, and the stages that are left follow the
// loop. A thread loads two vectors of each operand in a stage. Factors that stay in registers
// keep their place among the values that the loop carries, so that no move waits for a load.
//
// RUN: dml-opt %s --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups --canonicalize | FileCheck %s
// RUN: sed 's/ahead = 3/ahead = 9/' %s | not dml-opt --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups 2>&1 | FileCheck %s --check-prefix=MANY
//
// MANY: error: {{.*}}dml.kernel
//
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: func @product
// CHECK-COUNT-12: memref.load
// CHECK-NOT:     memref.load
// CHECK:         scf.for {{.*}} -> (!gpu.mma_matrix<16x16xf32, "COp">, {{.*}}vector<4xi32>)
// The first of three stages: its factors are stored, and the fourth stage is loaded.
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK-COUNT-8: gpu.subgroup_mma_compute
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK-COUNT-8: gpu.subgroup_mma_compute
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK-COUNT-8: gpu.subgroup_mma_compute
// CHECK:         scf.yield
// Four stages are left, of which one is still to be loaded.
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK-COUNT-8: gpu.subgroup_mma_compute
// CHECK-COUNT-4: memref.store
// CHECK:         gpu.barrier
// CHECK-NOT:     memref.load
// CHECK-COUNT-24: gpu.subgroup_mma_compute
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%lhs: memref<64x512xf16>, %rhs: memref<512x64xf16>, %output: memref<64x64xf16>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<64x64xf16>)
      attrs = {dml.kernel = {matrix_tile = {ahead = 3 : i64, shape = "16x16x16xf16xf32", stages = 1 : i64, subgroup = array<i64: 32, 32>, workgroup = array<i64: 64, 64, 32>}}} {
  ^bb0(%out: f16):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c512 step %c1 iter_args(%before = %zero) -> f32 {
      %x = memref.load %lhs[%row, %k] : memref<64x512xf16>
      %y = memref.load %rhs[%k, %column] : memref<512x64xf16>
      %wide = arith.extf %x : f16 to f32
      %wider = arith.extf %y : f16 to f32
      %next = math.fma %wide, %wider, %before : f32
      scf.yield %next : f32
    }
    %narrow = arith.truncf %sum : f32 to f16
    linalg.yield %narrow : f16
  }
  return
}
