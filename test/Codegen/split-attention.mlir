// Attention whose keys are split over workgroups.
//
// RUN: split-file %s %t
// RUN: dml-compile %t/kernel.mlir "--attention-tile={split_attention_tile = array<i64: 4, 64>}" --emit=gpu | FileCheck %s
// RUN: dml-compile %t/mask.mlir "--attention-tile={split_attention_tile = array<i64: 4, 64>}" --emit=gpu | FileCheck %s --check-prefix=MASK
// RUN: dml-opt %t/invalid.mlir --split-input-file --verify-diagnostics --dml-distribute-to-workgroups

// 2 heads of keys with 4 parts of 64 of 256 keys: 8 workgroups, each for the 4 heads of queries that
// share a head of keys. Then 8 workgroups, each for one head of queries.

// CHECK-LABEL: func.func @main
// CHECK:         gpu.launch_func {{.*}} blocks in (%c64
// CHECK:         gpu.launch_func {{.*}} blocks in (%c8
// CHECK:         gpu.launch_func {{.*}} blocks in (%c8

// The kernel that writes the cache.
// CHECK:       gpu.func @dml.multihead_attention1

// A part of the keys: queries, and later the sums of threads for the same columns; partial scores of
// 4 threads for each key, scores and results of reductions.
// CHECK:       gpu.func @dml.multihead_attention1
// CHECK:         %[[UNSEEN:.*]] = arith.constant -1.000000e+00 : f32
// CHECK:         %[[VECTORS:.*]] = memref.alloc() : memref<256xvector<4xf32>, #gpu.address_space<workgroup>>
// CHECK:         %[[NUMBERS:.*]] = memref.alloc() : memref<1344xf32, #gpu.address_space<workgroup>>
// The last key that is seen.
// CHECK:         %[[LAST:.*]] = arith.minui %{{.*}}, %c255
// CHECK:         %[[SEEN:.*]] = arith.cmpi ule, %{{.*}}, %[[LAST]]
// CHECK:         scf.if %[[SEEN]] {
// CHECK:           memref.store {{.*}}, %[[VECTORS]]
// CHECK:           gpu.barrier
// Keys, and then values, up to the last one.
// CHECK:           arith.minui %{{.*}}, %[[LAST]]
// CHECK:           math.fma
// CHECK:           memref.store {{.*}}, %[[NUMBERS]]
// CHECK:           arith.minui %{{.*}}, %[[LAST]]
// CHECK:           gpu.barrier
// The largest score, the sum of exponentials and the weights.
// CHECK:           arith.maxnumf
// CHECK:           math.exp
// CHECK:           arith.divf
// CHECK:           memref.store {{.*}} : memref<64xf32>
// CHECK:           math.fma
// CHECK:           memref.store {{.*}}, %[[VECTORS]]
// CHECK:           gpu.barrier
// CHECK:           memref.store {{.*}} : memref<512xvector<4xf32>>
// CHECK:         } else {
// CHECK-NOT:       gpu.barrier
// CHECK:           memref.store %[[UNSEEN]], {{.*}} : memref<64xf32>

// The combination: the shares of 4 parts, which are negative where no key is seen.
// CHECK:       gpu.func @dml.multihead_attention1
// CHECK:         memref.alloc() : memref<128xvector<4xf32>, #gpu.address_space<workgroup>>
// CHECK:         memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
// CHECK:         gpu.barrier
// CHECK:         math.exp
// CHECK:         gpu.barrier
// CHECK:         math.fma
// CHECK:         gpu.barrier
// CHECK:         memref.store {{.*}} : memref<128xvector<2xi32>>
// CHECK:         gpu.return

// The length is a sum over a mask, which the writes of the cache read too: no reduction of scores.

// MASK-LABEL: func.func @main
// MASK:         gpu.launch_func @"dml.reduce
// MASK:         gpu.launch_func {{.*}} blocks in (%c64
// MASK:         gpu.launch_func {{.*}} blocks in (%c8,
// MASK:         gpu.launch_func {{.*}} blocks in (%c8,
// MASK-NOT:     gpu.launch_func
// MASK:         return

//--- kernel.mlir
func.func @main(%query: tensor<1x1x512xf16>, %new: tensor<1x1x128xf16>, %past: tensor<1x2x256x64xf16>, %length: tensor<1xi32>)
    -> (tensor<1x1x512xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>) {
  %most = arith.constant dense<255> : tensor<1xi32>
  %n = dml.element_wise_min %length, %most : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %y, %keys, %values = dml.multihead_attention1 query(%query) key(%new) value(%new) past_key(%past) past_value(%past) past_sequence_lengths(%n)
      {query_head_count = 8 : i64, key_value_head_count = 2 : i64, scale = 0.125 : f32, mask_filter_value = -1.0e4 : f32, mask_type = #dml.multihead_attention_mask_type<none>}
     : (tensor<1x1x512xf16>, tensor<1x1x128xf16>, tensor<1x1x128xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>, tensor<1xi32>)
     -> tensor<1x1x512xf16> output_present_key(tensor<1x2x257x64xf16>) output_present_value(tensor<1x2x257x64xf16>)
  %0 = dml.slice1 %keys {input_window_offsets = array<i64: 0, 0, 0, 0>, input_window_sizes = array<i64: 1, 2, 256, 64>, input_window_strides = array<i64: 1, 1, 1, 1>}
     : (tensor<1x2x257x64xf16>) -> tensor<1x2x256x64xf16>
  %1 = dml.slice1 %values {input_window_offsets = array<i64: 0, 0, 0, 0>, input_window_sizes = array<i64: 1, 2, 256, 64>, input_window_strides = array<i64: 1, 1, 1, 1>}
     : (tensor<1x2x257x64xf16>) -> tensor<1x2x256x64xf16>
  return %y, %0, %1 : tensor<1x1x512xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>
}

//--- mask.mlir
func.func @main(%query: tensor<1x1x512xf16>, %new: tensor<1x1x128xf16>, %past: tensor<1x2x256x64xf16>, %mask: tensor<256xi32>)
    -> (tensor<1x1x512xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>) {
  %sum = dml.reduce %mask {function = #dml.reduce_function<sum>, axes = array<i64: 0>} : (tensor<256xi32>) -> tensor<1xi32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %length = dml.element_wise_subtract %sum, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %most = arith.constant dense<255> : tensor<1xi32>
  %n = dml.element_wise_min %length, %most : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %y, %keys, %values = dml.multihead_attention1 query(%query) key(%new) value(%new) past_key(%past) past_value(%past) past_sequence_lengths(%n)
      {query_head_count = 8 : i64, key_value_head_count = 2 : i64, scale = 0.125 : f32, mask_filter_value = -1.0e4 : f32, mask_type = #dml.multihead_attention_mask_type<none>}
     : (tensor<1x1x512xf16>, tensor<1x1x128xf16>, tensor<1x1x128xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>, tensor<1xi32>)
     -> tensor<1x1x512xf16> output_present_key(tensor<1x2x257x64xf16>) output_present_value(tensor<1x2x257x64xf16>)
  %0 = dml.slice1 %keys {input_window_offsets = array<i64: 0, 0, 0, 0>, input_window_sizes = array<i64: 1, 2, 256, 64>, input_window_strides = array<i64: 1, 1, 1, 1>}
     : (tensor<1x2x257x64xf16>) -> tensor<1x2x256x64xf16>
  %1 = dml.slice1 %values {input_window_offsets = array<i64: 0, 0, 0, 0>, input_window_sizes = array<i64: 1, 2, 256, 64>, input_window_strides = array<i64: 1, 1, 1, 1>}
     : (tensor<1x2x257x64xf16>) -> tensor<1x2x256x64xf16>
  return %y, %0, %1 : tensor<1x1x512xf16>, tensor<1x2x256x64xf16>, tensor<1x2x256x64xf16>
}

//--- invalid.mlir
func.func @no_products(%x: memref<8xf32>, %out: memref<8xf32>) {
  // expected-error @below {{has a split_attention_tile that stands on no products with a softmax of products}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%out : memref<8xf32>) attrs = {dml.kernel = {split_attention_tile = array<i64: 4, 64>}} {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %0 = memref.load %x[%i] : memref<8xf32>
    linalg.yield %0 : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
