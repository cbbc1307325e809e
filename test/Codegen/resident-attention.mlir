// The kernel of attention that holds the scores of all keys in workgroup memory.
//
// RUN: split-file %s %t
// RUN: dml-opt %t/kernel.mlir --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups | FileCheck %s
// RUN: dml-opt %t/whole.mlir --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups | FileCheck %s --check-prefix=WHOLE
// RUN: dml-opt %t/wide.mlir --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups | FileCheck %s --check-prefix=WIDE
// RUN: dml-opt %t/invalid.mlir --split-input-file --verify-diagnostics --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups

// A workgroup has 16 queries, of 40, and two subgroups. The 40 keys are two blocks of 32, of
// which the last has 8. Queries and keys have 20 terms, which are staged as 32, in lines of 5
// vectors of 8, and values 8 columns, staged as 16, in lines of 3. So a block of keys takes
// 160 vectors. The sums of a query have 9 vectors of 4, and its scores, which become weights,
// 9 vectors of 8, of which 8 are used: 144 vectors each for 16 queries. The queries take 80.

// CHECK-LABEL: func @attention
// CHECK:       gpu.launch blocks(%{{.*}}) in (%{{.*}} = %c6, {{.*}}) threads(%{{.*}}) in (%{{.*}} = %c64
// CHECK:         %[[MEMORY:.*]] = memref.alloc() : memref<528xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK:         %[[EXCHANGE:.*]] = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK:         gpu.subgroup_id
// CHECK:         gpu.lane_id
// The scores of a block: each subgroup computes one of the two matrices, of two terms.
// CHECK:         scf.for {{.*}} to %c2
// CHECK:           memref.store {{.*}}, %[[MEMORY]]
// CHECK:           gpu.barrier
// CHECK-COUNT-2:   gpu.subgroup_mma_compute
// CHECK-NOT:       gpu.subgroup_mma_compute
// CHECK:           gpu.subgroup_mma_store_matrix {{.*}}, %[[MEMORY]]{{.*}} {leadDimension = 9 : index}
// CHECK:           gpu.barrier
// A thread computes 8 neighbouring scores as f16. Those of missing keys are -infinity.
// CHECK:           arith.truncf {{.*}} : f32 to f16
// CHECK:           arith.select %{{.*}}, %{{.*}}, %cst{{.*}} : f16
// CHECK:           vector.from_elements {{.*}} : vector<2xf16>
// CHECK:           memref.store {{.*}}, %[[MEMORY]]
// CHECK:           scf.yield
// Four threads of a subgroup share a query. Each has two vectors of scores.
// CHECK:         gpu.barrier
// CHECK-COUNT-2: memref.load %[[MEMORY]]
// CHECK:         arith.maxnumf
// CHECK:         spirv.ControlBarrier <Subgroup>
// CHECK:         memref.store {{.*}}, %[[EXCHANGE]]
// CHECK:         spirv.ControlBarrier <Subgroup>
// CHECK-COUNT-4: memref.load %[[EXCHANGE]]
// CHECK-COUNT-16: math.exp
// CHECK:         memref.store {{.*}}, %[[EXCHANGE]]
// CHECK-COUNT-4: memref.load %[[EXCHANGE]]
// CHECK-COUNT-16: arith.divf
// CHECK:         arith.truncf {{.*}} : vector<2xf32> to vector<2xf16>
// CHECK:         memref.store {{.*}}, %[[MEMORY]]
// The values: there is one matrix of 16 queries and 16 columns, which both subgroups compute
// and one stores.
// CHECK:         %[[SUMS:.*]]:2 = scf.for {{.*}} to %c2
// CHECK:           gpu.barrier
// CHECK-COUNT-2:   gpu.subgroup_mma_compute
// CHECK:           gpu.barrier
// CHECK:           scf.yield
// CHECK:         scf.if
// CHECK:           gpu.subgroup_mma_store_matrix %[[SUMS]]#0
// CHECK:         gpu.barrier
// CHECK:         memref.store {{.*}} : memref<80xvector<4xi32>>
// CHECK:         gpu.terminator

// If one block has all keys, there are no loops.

// WHOLE-LABEL: func @attention
// WHOLE-NOT:     scf.for
// WHOLE:         gpu.terminator

// If scores are f32, 8 of them take two vectors, and a line of 48 scores 13. Weights that may
// be rounded take the first 6 of these vectors, times 256, which the outputs are divided by.

// WIDE-LABEL: func @attention
// WIDE:         %[[MEMORY:.*]] = memref.alloc() : memref<736xvector<4xi32>, #gpu.address_space<workgroup>>
// WIDE:         gpu.subgroup_mma_store_matrix
// WIDE:         gpu.barrier
// WIDE-NOT:     arith.truncf
// WIDE:         %[[FIRST:.*]] = vector.from_elements {{.*}} : vector<4xf32>
// WIDE:         %[[WORDS:.*]] = vector.bitcast %[[FIRST]] : vector<4xf32> to vector<4xi32>
// WIDE:         memref.store %[[WORDS]], %[[MEMORY]]
// WIDE:         vector.from_elements {{.*}} : vector<4xf32>
// WIDE:         gpu.barrier
// WIDE:         %[[QUOTIENT:.*]] = arith.divf
// WIDE:         arith.mulf %[[QUOTIENT]], %cst{{.*}} : f32
// WIDE:         arith.truncf {{.*}} : vector<2xf32> to vector<2xf16>
// WIDE:         memref.store {{.*}}, %[[MEMORY]]
// WIDE:         gpu.subgroup_mma_load_matrix %[[MEMORY]]{{.*}} {leadDimension = 13 : index} : {{.*}}"AOp">
// WIDE:         gpu.subgroup_mma_store_matrix
// WIDE:         arith.mulf {{.*}}, %cst{{.*}} : f32
// WIDE:         gpu.terminator

//--- kernel.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 32>, shape = "16x16x16xf16xf32", subgroups = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %quotient = arith.divf %exp, %total : f32
      %narrow = arith.truncf %quotient : f32 to f16
      %weight = arith.extf %narrow : f16 to f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

//--- whole.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 48>, shape = "16x16x16xf16xf32", subgroups = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %quotient = arith.divf %exp, %total : f32
      %narrow = arith.truncf %quotient : f32 to f16
      %weight = arith.extf %narrow : f16 to f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

//--- wide.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 48>, shape = "16x16x16xf16xf32", subgroups = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %score = arith.addf %sum, %zero : f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %score = arith.addf %sum, %zero : f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %score = arith.addf %sum, %zero : f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %weight = arith.divf %exp, %total {dml.roundable} : f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

//--- invalid.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @shape(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a resident_attention_tile that has the shape '8x8x8xf16xf32', which is none of factors of f16 and sums of f32 of the device profile 'full,+cooperativeMatrix'}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 32>, shape = "8x8x8xf16xf32", subgroups = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %quotient = arith.divf %exp, %total : f32
      %narrow = arith.truncf %quotient : f32 to f16
      %weight = arith.extf %narrow : f16 to f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @weights(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a resident_attention_tile that wants weights that may be rounded to f16}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 32>, shape = "16x16x16xf16xf32", subgroups = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %score = arith.addf %sum, %zero : f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %score = arith.addf %sum, %zero : f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %score = arith.addf %sum, %zero : f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %weight = arith.divf %exp, %total : f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @subgroups(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a resident_attention_tile that has 64 subgroups, but no more than 256 threads are wanted}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 32>, shape = "16x16x16xf16xf32", subgroups = 64 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %quotient = arith.divf %exp, %total : f32
      %narrow = arith.truncf %quotient : f32 to f16
      %weight = arith.extf %narrow : f16 to f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @queries(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a resident_attention_tile that has 24 queries, but whole matrices are wanted, and queries that the threads of a subgroup can share}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 24, 32>, shape = "16x16x16xf16xf32", subgroups = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %quotient = arith.divf %exp, %total : f32
      %narrow = arith.truncf %quotient : f32 to f16
      %weight = arith.extf %narrow : f16 to f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @keys(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a resident_attention_tile that has 24 keys, but whole matrices are wanted, whose edges are multiples of 8}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 24>, shape = "16x16x16xf16xf32", subgroups = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %quotient = arith.divf %exp, %total : f32
      %narrow = arith.truncf %quotient : f32 to f16
      %weight = arith.extf %narrow : f16 to f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @memory(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a resident_attention_tile that takes 126464 bytes of workgroup memory, but the device profile 'full,+cooperativeMatrix' has 49152}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 64, 256>, shape = "16x16x16xf16xf32", subgroups = 4 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %quotient = arith.divf %exp, %total : f32
      %narrow = arith.truncf %quotient : f32 to f16
      %weight = arith.extf %narrow : f16 to f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @online(%q: memref<2x40x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x40x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has an attention_tile that stands on weights that are rounded to f16}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x40x8xf16>)
      attrs = {dml.kernel = {attention_tile = array<i64: 64, 32, 4>}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %next = arith.addf %carried, %exp : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %sum = scf.for %e = %c0 to %c20 step %c1 iter_args(%carried_sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x40x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next_sum = math.fma %x, %y, %carried_sum : f32
        scf.yield %next_sum : f32
      }
      %half = arith.truncf %sum : f32 to f16
      %score = arith.extf %half : f16 to f32
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %quotient = arith.divf %exp, %total : f32
      %narrow = arith.truncf %quotient : f32 to f16
      %weight = arith.extf %narrow : f16 to f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %next = math.fma %weight, %value, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
