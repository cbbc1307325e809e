// The threads of a workgroup stage the row of a product with columns of 4-bit numbers: in
// each round, they load and widen 1024 factors together, 4 or 8 each, and store them in
// workgroup memory, where one of nine vectors stays free. The loads of the next round, of
// the columns' words and scales and of the row, stand in front of the first barrier, and the
// last round follows the loop. 4096 terms are four rounds of 32 slices with 32 terms.
//
// RUN: dml-compile %s --device-profile=full,subgroupSize=32,multiprocessors=132 --contraction-tile='{slice_tile = array<i64: 1, 2, 32, 32, 1, 4>}' --emit=gpu | FileCheck %s --check-prefixes=CHECK,STAGED
//
// On a CPU, which runs the threads of a workgroup in turn, each thread loads the factors of
// the row itself. So it does on a GPU whose barriers take longer than these loads, and if it
// loads few factors, several groups of them, or if there are two rows.
//
// RUN: dml-compile %s --device-profile=full,subgroupSize=8,multiprocessors=2,runsInTurn=1 --contraction-tile='{slice_tile = array<i64: 1, 2, 32, 32, 1, 4>}' --emit=gpu | FileCheck %s --check-prefixes=CHECK,DIRECT
// RUN: dml-compile %s --device-profile=full,subgroupSize=8,multiprocessors=2,barrierCycles=24.6,firstCacheCycles=0.207 --contraction-tile='{slice_tile = array<i64: 1, 2, 32, 32, 1, 4>}' --emit=gpu | FileCheck %s --check-prefixes=CHECK,DIRECT
// RUN: dml-compile %s --contraction-tile='{slice_tile = array<i64: 1, 2, 32, 8, 1, 8>}' --emit=gpu | FileCheck %s --check-prefixes=CHECK,DIRECT
// RUN: dml-compile %s --contraction-tile='{slice_tile = array<i64: 1, 2, 32, 32, 2, 4>}' --emit=gpu | FileCheck %s --check-prefixes=CHECK,DIRECT
// RUN: sed 's/1x1x1x4096/1x1x2x4096/g' %s | dml-compile - --contraction-tile='{slice_tile = array<i64: 2, 2, 32, 32, 1, 4>}' --emit=gpu | FileCheck %s --check-prefixes=CHECK,DIRECT
//
// SPDX-License-Identifier: Apache-2.0

// CHECK-LABEL: gpu.func
// STAGED:      memref.alloc() : memref<288xvector<4xf32>, #gpu.address_space<workgroup>>
// STAGED:      scf.for %{{.*}} = %c0{{.*}} to %c3{{.*}} step %c1
// STAGED-COUNT-2: memref.load %{{.*}} : memref<1024xvector<2xi32>>
// STAGED-NOT:  memref.load
// STAGED:      gpu.barrier
// STAGED-NOT:  memref.load
// STAGED-COUNT-2: memref.store %{{.*}} : memref<288xvector<4xf32>, #gpu.address_space<workgroup>>
// STAGED:      gpu.barrier
// STAGED-COUNT-8: memref.load %{{.*}} : memref<288xvector<4xf32>, #gpu.address_space<workgroup>>
// STAGED-NOT:  memref.load %{{.*}} : memref<288xvector<4xf32>
// STAGED:      scf.yield
// STAGED:      gpu.barrier
// STAGED:      gpu.barrier
// STAGED-COUNT-8: memref.load %{{.*}} : memref<288xvector<4xf32>, #gpu.address_space<workgroup>>
// DIRECT-NOT:  vector<4xf32>, #gpu.address_space<workgroup>
// CHECK:       gpu.return
func.func @main(%x: tensor<1x1x1x4096xf16>, %w: tensor<1x1x4096x4096xui4>,
    %s: tensor<1x1x4096x128xf16>) -> tensor<1x1x1x4096xf16> {
  %0 = dml.dequantize %w, %s {quantization_type = #dml.quantization_type<scale>}
      : (tensor<1x1x4096x4096xui4>, tensor<1x1x4096x128xf16>) -> tensor<1x1x4096x4096xf16>
  %1 = dml.gemm %x, %0 {beta = 0.0 : f32, trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<transpose>}
      : (tensor<1x1x1x4096xf16>, tensor<1x1x4096x4096xf16>) -> tensor<1x1x1x4096xf16>
  return %1 : tensor<1x1x1x4096xf16>
}
