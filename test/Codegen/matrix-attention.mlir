// The kernel of attention that multiplies cooperative matrices.
//
// RUN: split-file %s %t
// RUN: dml-opt %t/kernel.mlir --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups | FileCheck %s
// RUN: dml-opt %t/seen.mlir --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups | FileCheck %s --check-prefix=SEEN
// RUN: dml-opt %t/invalid.mlir --split-input-file --verify-diagnostics --dml-attach-device=profile=full,+cooperativeMatrix --dml-distribute-to-workgroups

// A workgroup has 64 queries, of 96, and goes through 40 keys in blocks of 32, of which
// the last has 8. Queries and keys have 20 terms, which are staged as 32, in lines of 5
// vectors of 8, and values 8 columns, staged as 16, in lines of 3. A line of scores has 9
// vectors of 4. So 64 queries take 576 vectors, and each of two stages 256.

// CHECK-LABEL: func @attention
// CHECK:       gpu.launch blocks(%{{.*}}) in (%{{.*}} = %c4, {{.*}}) threads(%{{.*}}) in (%{{.*}} = %c64
// CHECK:         %[[MEMORY:.*]] = memref.alloc() : memref<1088xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK:         gpu.subgroup_id
// CHECK:         arith.minui
// CHECK:         gpu.lane_id
// CHECK:         arith.minui
// Queries are staged, and loaded as matrices: two rows of two.
// CHECK:         memref.store {{.*}}, %[[MEMORY]]
// CHECK:         gpu.barrier
// CHECK-COUNT-4: gpu.subgroup_mma_load_matrix %[[MEMORY]]{{.*}} {leadDimension = 5 : index} : {{.*}}"AOp">
// CHECK:         gpu.barrier
// The first block's keys are multiplied before all others: the sums of 32 queries and 32
// keys are four matrices, of two terms each.
// CHECK-COUNT-8: gpu.subgroup_mma_compute
// Two matrices of outputs, the reference, the sum of weights, the sums, and what comes next.
// CHECK:         scf.for {{.*}} -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, f32, f32, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, vector<4xi32>
// CHECK:           arith.remui
// CHECK:           spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
// CHECK-COUNT-4:   gpu.subgroup_mma_store_matrix {{.*}}, %[[MEMORY]]{{.*}} {leadDimension = 9 : index}
// CHECK:           memref.store {{.*}}, %[[MEMORY]]
// CHECK:           gpu.barrier
// The sums of the next block, and the scores of this one. Keys that are not there have the
// score -infinity.
// CHECK-COUNT-8:   gpu.subgroup_mma_compute
// CHECK-COUNT-8:   memref.load %[[MEMORY]]
// CHECK:           arith.select %{{.*}}, %{{.*}}, %cst{{.*}} : f32
// CHECK:           arith.maxnumf
// CHECK:           %[[ANY:.*]] = spirv.GroupNonUniformAny <Subgroup>
// CHECK:           scf.if %[[ANY]] -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, f32, f32) {
// CHECK:             arith.select
// CHECK:             math.exp
// CHECK:             arith.select
// CHECK:             spirv.ControlBarrier
// CHECK:             gpu.subgroup_mma_store_matrix
// CHECK:             spirv.ControlBarrier
// CHECK:             memref.load %[[MEMORY]]
// CHECK:             arith.mulf
// CHECK:             memref.store {{.*}}, %[[MEMORY]]
// CHECK:             spirv.ControlBarrier
// CHECK:             gpu.subgroup_mma_load_matrix {{.*}}"COp">
// CHECK:             spirv.ControlBarrier
// CHECK:           } else {
// Weights, and their products with values. The sum of weights is NaN if a score is NaN.
// CHECK-COUNT-32:  math.exp
// CHECK:           %[[ORDERED:.*]] = arith.cmpf oeq, %[[DISTANCE:.*]], %[[DISTANCE]] : f32
// CHECK:           arith.select %[[ORDERED]], %{{.*}}, %[[DISTANCE]] : f32
// CHECK:           arith.truncf {{.*}} : vector<2xf32> to vector<2xf16>
// CHECK:           memref.store {{.*}}, %[[MEMORY]]
// CHECK:           spirv.ControlBarrier
// CHECK:           gpu.subgroup_mma_load_matrix {{.*}} {leadDimension = 9 : index} : {{.*}}"AOp">
// CHECK:           gpu.subgroup_mma_load_matrix {{.*}} {leadDimension = 3 : index} : {{.*}}"BOp">
// CHECK-COUNT-4:   gpu.subgroup_mma_compute
// CHECK:           scf.yield
// The outputs are divided by the sums of weights.
// CHECK:         gpu.barrier
// CHECK:         gpu.subgroup_mma_store_matrix
// CHECK:         gpu.barrier
// CHECK:         arith.divf
// CHECK:         memref.store {{.*}} : memref<192xvector<4xi32>>
// CHECK:         gpu.terminator

// Queries see the keys up to their own number. The workgroup finds the last key that one
// of its queries sees, and the last one that all of them see, whose complement is the
// largest.

// SEEN-LABEL: func @seen
// SEEN:         %[[MEMORY:.*]] = memref.alloc() : memref<1088xvector<4xi32>, #gpu.address_space<workgroup>>
// SEEN:         %[[OWN:.*]] = arith.minui %{{.*}}, %c39
// SEEN:         arith.xori
// SEEN:         memref.store {{.*}}, %[[MEMORY]]
// SEEN-NEXT:    gpu.barrier
// SEEN:         %[[BOUNDS:.*]] = scf.for {{.*}} to %c64
// SEEN:           arith.maxui {{.*}} : vector<4xi32>
// SEEN:         gpu.barrier
// SEEN:         %[[ANY:.*]] = arith.minui
// SEEN:         %[[ALL:.*]] = arith.minui
// Values of keys that no query sees are 0.
// SEEN:         arith.cmpi ule, %{{.*}}, %[[ANY]]
// The loop ends with the last block that has a seen key.
// SEEN:         %[[LAST:.*]] = arith.divui %[[ANY]], %c32
// SEEN:         %[[BLOCKS:.*]] = arith.addi %[[LAST]], %c1
// SEEN:         scf.for {{.*}} to %[[BLOCKS]] {{.*}} -> ({{.*}}vector<4xi32>
// Infinite and NaN values become 0 where a key of the block is hidden from a query.
// SEEN:           %[[HIDDEN:.*]] = arith.cmpi ugt, %{{.*}}, %[[ALL]]
// SEEN:           scf.if %[[HIDDEN]] -> (vector<4xi32>, vector<4xi32>
// SEEN:             arith.andi {{.*}} : vector<4xi32>
// SEEN:             arith.addi {{.*}} : vector<4xi32>
// SEEN:             arith.ori {{.*}} : vector<4xi32>
// SEEN:             arith.muli {{.*}} : vector<4xi32>
// SEEN:           } else {
// SEEN:           gpu.barrier
// Scores of keys that the thread's query does not see are -infinity.
// SEEN:           arith.cmpi ule, %{{.*}}, %[[OWN]]
// SEEN:           arith.select %{{.*}}, %{{.*}}, %cst{{.*}} : f32
// Such values are added where queries see them.
// SEEN:         scf.for {{.*}} to %c64
// SEEN:           arith.ori {{.*}} : vector<4xi32>
// SEEN:         %[[MARKED:.*]] = arith.cmpi ne
// SEEN:         arith.divf
// SEEN:         scf.if %[[MARKED]]
// SEEN:           scf.for {{.*}} to %c40
// SEEN:             arith.cmpi ule
// SEEN:             math.absf
// SEEN:             arith.addf

//--- kernel.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x96x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf16>)
      attrs = {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 64, 32>, shape = "16x16x16xf16xf32", stages = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
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
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
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

//--- seen.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @seen(%q: memref<2x96x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x96x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf16>)
      attrs = {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 64, 32>, shape = "16x16x16xf16xf32", stages = 2 : i64}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %isSeen = arith.cmpi ule, %t, %s : index
      %seen = arith.select %isSeen, %score, %nan : f32
      %next = arith.maxnumf %carried, %seen : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %isSeen = arith.cmpi ule, %t, %s : index
      %seen = arith.select %isSeen, %exp, %zero : f32
      %next = arith.addf %carried, %seen : f32
      scf.yield %next : f32
    } {dml.any_order}
    %products = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %isSeen = arith.cmpi ule, %t, %s : index
      %seen = arith.select %isSeen, %exp, %zero : f32
      %weight = arith.divf %seen, %total {dml.roundable} : f32
      %vn = memref.load %v[%n, %t, %c] : memref<2x40x8xf16>
      %value = arith.extf %vn : f16 to f32
      %more = math.fma %weight, %value, %carried : f32
      %next = arith.select %isSeen, %more, %carried : f32
      scf.yield %next : f32
    }
    %rounded = arith.truncf %products : f32 to f16
    linalg.yield %rounded : f16
  }
  return
}

//--- invalid.mlir
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x96x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a matrix_attention_tile that has the shape '8x8x8xf16xf32', which is none of factors of f16 and sums of f32 of the device profile 'full,+cooperativeMatrix'}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf16>)
      attrs = {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 64, 32>, shape = "8x8x8xf16xf32"}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
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
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
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

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x96x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a matrix_attention_tile that wants weights that may be rounded to f16}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf16>)
      attrs = {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 64, 32>, shape = "16x16x16xf16xf32"}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
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
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
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
func.func @attention(%q: memref<2x96x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf32>, %out: memref<2x96x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a matrix_attention_tile that wants queries, keys and values that were widened from f16}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf16>)
      attrs = {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 64, 32>, shape = "16x16x16xf16xf32"}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
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
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %above = arith.subf %score, %largest : f32
      %exp = math.exp %above : f32
      %weight = arith.divf %exp, %total {dml.roundable} : f32
      %value = memref.load %v[%n, %t, %c] : memref<2x40x8xf32>
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
func.func @attention(%q: memref<2x96x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x96x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a matrix_attention_tile that has 48 queries, but as many are wanted as threads of whole subgroups, which are whole matrices}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf16>)
      attrs = {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 48, 32>, shape = "16x16x16xf16xf32"}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
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
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
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

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x96x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a matrix_attention_tile that has 24 keys, but whole matrices are wanted, whose edges are multiples of 8}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf16>)
      attrs = {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 64, 24>, shape = "16x16x16xf16xf32"}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
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
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
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

// -----

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @attention(%q: memref<2x96x20xf16>, %k: memref<2x40x20xf16>,
                     %v: memref<2x40x8xf16>, %out: memref<2x96x8xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %c40 = arith.constant 40 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  // expected-error @below {{has a matrix_attention_tile that takes 77824 bytes of workgroup memory, but the device profile 'full,+cooperativeMatrix' has 49152}}
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%out : memref<2x96x8xf16>)
      attrs = {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 256, 64>, shape = "16x16x16xf16xf32"}}} {
  ^bb0(%unused: f16):
    %n = linalg.index 0 : index
    %s = linalg.index 1 : index
    %c = linalg.index 2 : index
    %largest = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %nan) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
      %next = arith.maxnumf %carried, %score : f32
      scf.yield %next : f32
    } {dml.any_order}
    %total = scf.for %t = %c0 to %c40 step %c1 iter_args(%carried = %zero) -> f32 {
      %score = scf.for %e = %c0 to %c20 step %c1 iter_args(%sum = %zero) -> f32 {
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
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
        %xn = memref.load %q[%n, %s, %e] : memref<2x96x20xf16>
        %x = arith.extf %xn : f16 to f32
        %yn = memref.load %k[%n, %t, %e] : memref<2x40x20xf16>
        %y = arith.extf %yn : f16 to f32
        %next = math.fma %x, %y, %sum : f32
        scf.yield %next : f32
      }
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

// SPDX-License-Identifier: Apache-2.0
