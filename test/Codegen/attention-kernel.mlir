// The kernel of products with a softmax of products.
//
// RUN: split-file %s %t
// RUN: dml-opt %t/kernel.mlir --dml-distribute-to-workgroups | FileCheck %s
// RUN: dml-opt %t/invalid.mlir --split-input-file --verify-diagnostics --dml-distribute-to-workgroups

// A workgroup has 64 of 96 queries, and goes through 40 keys in blocks of 32, of
// which the first has 8: the
// factors of scores, 16 of 20 terms at a time, lie in workgroup memory where the
// parts of maxima and sums, and values, follow; weights have a place of their own.

// CHECK-LABEL: func @attention
// CHECK:       gpu.launch blocks(%{{.*}}) in (%{{.*}} = %[[BLOCKS:.*]], %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK:         %[[MEMORY:.*]] = memref.alloc() : memref<960xvector<4xf32>, #gpu.address_space<workgroup>>
// The largest score, the sum of exponentials, and 4 queries' outputs of 4 columns.
// CHECK:         scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// Scores.
// CHECK:           scf.for {{.*}} -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK:             gpu.barrier
// CHECK:             memref.store {{.*}}, %[[MEMORY]]
// CHECK:             gpu.barrier
// CHECK:             scf.for
// CHECK:               memref.load %[[MEMORY]]
// CHECK:               math.fma
// The largest of each query.
// CHECK:           gpu.barrier
// CHECK:           arith.maxnumf
// CHECK:           memref.store {{.*}}, %[[MEMORY]]
// CHECK:           gpu.barrier
// CHECK:           memref.load %[[MEMORY]]
// CHECK:           arith.maxnumf
// The sum of exponentials, with what is kept of the sum so far.
// CHECK:           math.exp
// CHECK:           memref.store {{.*}}, %[[MEMORY]]
// CHECK:           gpu.barrier
// CHECK:           memref.load %[[MEMORY]]
// CHECK:           arith.addf
// Weights, of no query whose scores are all -infinity so far.
// CHECK:           arith.select
// CHECK:           arith.divf
// CHECK:           arith.divf
// CHECK:           memref.store {{.*}}, %[[MEMORY]]
// Values, and their products with weights.
// CHECK:           gpu.barrier
// CHECK:           memref.store {{.*}}, %[[MEMORY]]
// CHECK:           gpu.barrier
// CHECK:           math.fma
// No score is stored in a buffer, and outputs are.
// CHECK:         memref.store {{.*}} : memref<384xvector<4xf32>>
// CHECK:         gpu.terminator

//--- kernel.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf32>, %k: memref<2x40x20xf32>,
                     %v: memref<2x40x8xf32>, %out: memref<2x96x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf32>)
      attrs = {dml.kernel = {attention_tile = array<i64: 64, 32, 16>}} {
  ^bb0(%unused: f32):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %weight = arith.divf %exp, %total : f32
      %value = memref.load %v[%n, %t, %c] : memref<2x40x8xf32>
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %products : f32
  }
  return
}

//--- invalid.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf32>, %k: memref<2x40x20xf32>,
                     %v: memref<2x40x8xf32>, %out: memref<2x96x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has an attention_tile that is no 128 blocks of queries and keys that are multiples of 4, of 16 keys or more, with at most 128 elements of the output for a thread}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf32>)
      attrs = {dml.kernel = {attention_tile = array<i64: 64, 8, 16>}} {
  ^bb0(%unused: f32):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %weight = arith.divf %exp, %total : f32
      %value = memref.load %v[%n, %t, %c] : memref<2x40x8xf32>
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %products : f32
  }
  return
}


// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf32>, %k: memref<2x40x20xf32>,
                     %v: memref<2x40x8xf32>, %out: memref<2x96x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has an attention_tile that takes 46592 bytes of workgroup memory, but the device profile has 16384}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf32>)
      attrs = {dml.kernel = {attention_tile = array<i64: 128, 64, 16>}} {
  ^bb0(%unused: f32):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %weight = arith.divf %exp, %total : f32
      %value = memref.load %v[%n, %t, %c] : memref<2x40x8xf32>
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %products : f32
  }
  return
}


// -----

// Weights of other scores are none.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf32>, %k: memref<2x40x20xf32>,
                     %v: memref<2x40x8xf32>, %out: memref<2x96x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has an attention_tile that stands on no products with a softmax of products}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf32>)
      attrs = {dml.kernel = {attention_tile = array<i64: 64, 32, 16>}} {
  ^bb0(%unused: f32):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%c0, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %x = memref.load %q[%n, %s, %e] : memref<2x96x20xf32>
        %y = memref.load %k[%n, %t, %e] : memref<2x40x20xf32>
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %weight = arith.divf %exp, %total : f32
      %value = memref.load %v[%n, %t, %c] : memref<2x40x8xf32>
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %products : f32
  }
  return
}


// SPDX-License-Identifier: Apache-2.0
