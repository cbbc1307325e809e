// Scores, their softmax and products with it become one generic, where that pays.
//
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers --dml-fuse-attention | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers --dml-fuse-attention=attention-tile=64x32 | FileCheck %s --check-prefix=TILE
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers --dml-fuse-attention=attention-tile=none | FileCheck %s --check-prefix=NONE
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers --dml-attach-device=profile=full,-storageBuffer16BitAccess --dml-fuse-attention=attention-tile=64x32 | FileCheck %s --check-prefix=EMULATED
// RUN: not dml-opt %s --dml-fuse-attention=attention-tile=12x7 2>&1 | FileCheck %s --check-prefix=INVALID
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers --dml-attach-device=profile=full,maxStorageBufferRange=16777215 --dml-fuse-attention=attention-tile=64x32 | FileCheck %s --check-prefix=RANGE
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers --dml-attach-device=profile=full,opsPerByte=5 --dml-fuse-attention | FileCheck %s --check-prefix=FAST
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers --dml-attach-device=profile=full,opsPerByte=5,+cooperativeMatrix --dml-fuse-attention | FileCheck %s --check-prefix=MATRICES
// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers --dml-attach-device=profile=full,+cooperativeMatrix "--dml-fuse-attention=attention-tile={{matrix_attention_tile={workgroup=array<i64:64,32>,shape=\"16x16x16xf16xf32\"}}}" | FileCheck %s --check-prefix=OWN
// INVALID: error: attention-tile is '12x7', but wants to be 'auto', 'none', queries and keys that 128 threads can share, such as '64x32', or a 'dml.kernel' with a matrix_attention_tile, a resident_attention_tile or a split_attention_tile
// NONE-NOT: attention_tile

// The operator. Its body has three loops over the keys, which compute the scores:
// for the largest, for the sum of exponentials, and for the products.

// CHECK-LABEL: func @operator
// CHECK:       linalg.generic {{.*}}outs(%{{.*}} : tensor<8x1024x1024xf16>) attrs = {dml.kernel = {attention_tile = array<i64: 64, 32, 16>}, dml.label = "dml.multihead_attention1"}
// CHECK:         %[[LARGEST:.*]] = scf.for
// CHECK:           scf.for
// CHECK:           arith.maxnumf
// CHECK:         } {dml.any_order}
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK:           scf.for
// CHECK:           arith.subf %{{.*}}, %[[LARGEST]]
// CHECK:           math.exp
// CHECK:         } {dml.any_order}
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:           arith.subf %{{.*}}, %[[LARGEST]]
// CHECK:           math.exp
// CHECK:           arith.divf %{{.*}}, %[[SUM]]
// CHECK:           math.fma
// CHECK-NOT:   linalg.generic
// CHECK:       return
// EMULATED-LABEL: func @operator
// EMULATED-NOT: attention_tile
// EMULATED:     return
// The faster memory is, or the products of scores without this kernel are, the
// less there is to gain.
// FAST-LABEL:  func @operator
// FAST:        attention_tile
// MATRICES-LABEL: func @operator
// Matrices multiply all of it.
// MATRICES:    matrix_attention_tile = {shape = "16x16x16xf16xf32"{{.*}}workgroup = array<i64: {{[0-9]+}}, {{[0-9]+}}>
// RANGE-LABEL: func @operator
// RANGE-NOT:   attention_tile
// RANGE:       return
// RANGE-LABEL: func @small
// RANGE:       attention_tile
func.func @operator(%q: tensor<8x1024x1024xf16>, %k: tensor<8x1024x1024xf16>,
                    %v: tensor<8x1024x1024xf16>) -> tensor<8x1024x1024xf16> {
  %0 = dml.multihead_attention query(%q) key(%k) value(%v) {
      scale = 0.125 : f32, mask_filter_value = 0.0 : f32, head_count = 16 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<8x1024x1024xf16>, tensor<8x1024x1024xf16>, tensor<8x1024x1024xf16>)
      -> tensor<8x1024x1024xf16>
  return %0 : tensor<8x1024x1024xf16>
}

// -----

// Few scores, which caches keep, are worth a kernel that waits for no other.

// CHECK-LABEL: func @small
// CHECK:       attention_tile
// CHECK-NOT:   linalg.generic
// CHECK:       return
// TILE-LABEL:  func @small
// TILE:        attention_tile = array<i64: 64, 32, 16>
// TILE-NOT:    linalg.generic
// TILE:        return
func.func @small(%q: tensor<1x128x768xf32>, %k: tensor<1x128x768xf32>,
                 %v: tensor<1x128x768xf32>) -> tensor<1x128x768xf32> {
  %0 = dml.multihead_attention query(%q) key(%k) value(%v) {
      scale = 0.125 : f32, mask_filter_value = 0.0 : f32, head_count = 12 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<1x128x768xf32>, tensor<1x128x768xf32>, tensor<1x128x768xf32>)
      -> tensor<1x128x768xf32>
  return %0 : tensor<1x128x768xf32>
}

// -----

// One query of many keys would leave most of a tile idle, block by block. The keys are split
// over workgroups instead.

// CHECK-LABEL: func @single
// CHECK:       split_attention_tile = array<i64: 1, {{[0-9]+}}>
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @single(%q: tensor<1x1x768xf32>, %k: tensor<1x4096x768xf32>,
                  %v: tensor<1x4096x768xf32>) -> tensor<1x1x768xf32> {
  %0 = dml.multihead_attention query(%q) key(%k) value(%v) {
      scale = 0.125 : f32, mask_filter_value = 0.0 : f32, head_count = 12 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<1x1x768xf32>, tensor<1x4096x768xf32>, tensor<1x4096x768xf32>)
      -> tensor<1x1x768xf32>
  return %0 : tensor<1x1x768xf32>
}

// -----

// A graph's own operators, with a mask that is added. An iteration of the second
// product has four keys, and reads weights and values through other shapes.

// CHECK-LABEL: func @graph
// CHECK:       linalg.generic {{.*}}attention_tile = array<i64: 128, 16, 8>{{.*}}dml.label = "dml.view+dml.gemm+dml.element_wise_add+dml.activation_softmax1"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @graph(%q: tensor<1x8x2048x40xf32>, %k: tensor<1x8x2048x40xf32>,
                 %v: tensor<1x8x2048x40xf32>, %mask: tensor<1x1x2048x2048xf32>)
    -> tensor<1x2048x8x40xf32> {
  %0 = dml.gemm %q, %k {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<transpose>, alpha = 0.158 : f32, beta = 0.0 : f32}
      : (tensor<1x8x2048x40xf32>, tensor<1x8x2048x40xf32>) -> tensor<1x8x2048x2048xf32>
  %all = dml.view %mask {strides = array<i64: 4194304, 0, 2048, 1>}
      : (tensor<1x1x2048x2048xf32>) -> tensor<1x8x2048x2048xf32>
  %1 = dml.element_wise_add %0, %all
      : (tensor<1x8x2048x2048xf32>, tensor<1x8x2048x2048xf32>) -> tensor<1x8x2048x2048xf32>
  %2 = dml.activation_softmax1 %1 {axes = array<i64: 3>}
      : (tensor<1x8x2048x2048xf32>) -> tensor<1x8x2048x2048xf32>
  %3 = dml.gemm %2, %v {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>, alpha = 1.0 : f32, beta = 0.0 : f32}
      : (tensor<1x8x2048x2048xf32>, tensor<1x8x2048x40xf32>) -> tensor<1x8x2048x40xf32>
  %4 = dml.view %3 {strides = array<i64: 655360, 40, 81920, 1>}
      : (tensor<1x8x2048x40xf32>) -> tensor<1x2048x8x40xf32>
  return %4 : tensor<1x2048x8x40xf32>
}

// -----

// Queries that are normalized by rows of their own are no part of the softmax.

// TILE-LABEL: func @normalized
// TILE:       linalg.generic {{.*}}dml.label = "dml.mean_variance_normalization2"
// TILE:       linalg.generic {{.*}}attention_tile
// TILE-NOT:   linalg.generic
// TILE:       return
func.func @normalized(%q: tensor<1x2x64x32xf32>, %k: tensor<1x2x64x32xf32>,
                      %v: tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32> {
  %n = dml.mean_variance_normalization1 %q {axes = array<i64: 3>,
      normalize_variance = true, epsilon = 0.001 : f32}
      : (tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
  %0 = dml.gemm %n, %k {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<transpose>, alpha = 0.2 : f32, beta = 0.0 : f32}
      : (tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x64xf32>
  %1 = dml.activation_softmax1 %0 {axes = array<i64: 3>}
      : (tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
  %2 = dml.gemm %1, %v {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>, alpha = 1.0 : f32, beta = 0.0 : f32}
      : (tensor<1x2x64x64xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
  return %2 : tensor<1x2x64x32xf32>
}

// -----

// Weights that are a result, or rounded to f16, are written.

// TILE-LABEL: func @result
// TILE-NOT:   attention_tile
// TILE:       return
func.func @result(%q: tensor<1x2x64x32xf32>, %k: tensor<1x2x64x32xf32>,
                  %v: tensor<1x2x64x32xf32>)
    -> (tensor<1x2x64x32xf32>, tensor<1x2x64x64xf32>) {
  %0 = dml.gemm %q, %k {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<transpose>, alpha = 0.2 : f32, beta = 0.0 : f32}
      : (tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x64xf32>
  %1 = dml.activation_softmax1 %0 {axes = array<i64: 3>}
      : (tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
  %2 = dml.gemm %1, %v {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>, alpha = 1.0 : f32, beta = 0.0 : f32}
      : (tensor<1x2x64x64xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
  return %2, %1 : tensor<1x2x64x32xf32>, tensor<1x2x64x64xf32>
}

// -----

// TILE-LABEL: func @rounded
// TILE-NOT:   attention_tile
// TILE:       return
func.func @rounded(%q: tensor<1x2x64x32xf16>, %k: tensor<1x2x64x32xf16>,
                   %v: tensor<1x2x64x32xf16>) -> tensor<1x2x64x32xf16> {
  %0 = dml.gemm %q, %k {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<transpose>, alpha = 0.2 : f32, beta = 0.0 : f32}
      : (tensor<1x2x64x32xf16>, tensor<1x2x64x32xf16>) -> tensor<1x2x64x64xf16>
  %1 = dml.activation_softmax1 %0 {axes = array<i64: 3>}
      : (tensor<1x2x64x64xf16>) -> tensor<1x2x64x64xf16>
  %2 = dml.gemm %1, %v {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>, alpha = 1.0 : f32, beta = 0.0 : f32}
      : (tensor<1x2x64x64xf16>, tensor<1x2x64x32xf16>) -> tensor<1x2x64x32xf16>
  return %2 : tensor<1x2x64x32xf16>
}

// -----

// Sums over 4096 values are whole, too, where two bytes hold an element.

// MATRICES-LABEL: func @large
// MATRICES:       matrix_attention_tile
// MATRICES-NOT:   linalg.generic
// MATRICES:       return
func.func @large(%q: tensor<1x4096x320xf16>, %k: tensor<1x4096x320xf16>,
                 %v: tensor<1x4096x320xf16>) -> tensor<1x4096x320xf16> {
  %0 = dml.multihead_attention query(%q) key(%k) value(%v) {
      scale = 0.158 : f32, mask_filter_value = 0.0 : f32, head_count = 8 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<1x4096x320xf16>, tensor<1x4096x320xf16>, tensor<1x4096x320xf16>)
      -> tensor<1x4096x320xf16>
  return %0 : tensor<1x4096x320xf16>
}

// -----

// Matrices multiply no weights of f32, and none of keys that queries do not see.

// MATRICES-LABEL: func @wide
// MATRICES:       dml.kernel = {attention_tile
// MATRICES:       return
func.func @wide(%q: tensor<8x1024x1024xf32>, %k: tensor<8x1024x1024xf32>,
                %v: tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32> {
  %0 = dml.multihead_attention query(%q) key(%k) value(%v) {
      scale = 0.125 : f32, mask_filter_value = 0.0 : f32, head_count = 16 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<8x1024x1024xf32>, tensor<8x1024x1024xf32>, tensor<8x1024x1024xf32>)
      -> tensor<8x1024x1024xf32>
  return %0 : tensor<8x1024x1024xf32>
}

// -----

// In a graph whose tensors are f16, scores and weights are rounded. The scores of 128 keys fit
// in workgroup memory. Queries, keys and values are heads of 64 columns of one tensor, which a
// transpose moves: value (head, key, column) lies at 768 * key + 64 * head + column.

// MATRICES-LABEL: func @heads
// MATRICES:       dml.kernel = {resident_attention_tile = {shape = "16x16x16xf16xf32", subgroups = {{[0-9]+}} : i64, workgroup = array<i64: {{16|32}}, {{[0-9]+}}>}}
// MATRICES-NOT:   linalg.generic
// MATRICES:       return
// A kernel that iterates over the keys twice rounds weights as well.
// OWN-LABEL:      func @heads
// OWN:            dml.kernel = {matrix_attention_tile = {shape = "16x16x16xf16xf32", workgroup = array<i64: 64, 32>}}
// OWN-NOT:        linalg.generic
// OWN:            return
// FAST-LABEL:     func @heads
// FAST-NOT:       attention_tile
// FAST:           return
func.func @heads(%q: tensor<1x128x12x64xf16>, %k: tensor<1x128x12x64xf16>,
                   %v: tensor<1x128x12x64xf16>, %mask: tensor<1x12x128x128xf16>)
    -> tensor<1x12x128x64xf16> {
  %scale = arith.constant dense<0.125> : tensor<1x12x128x128xf16>
  %qt = dml.view %q {strides = array<i64: 98304, 64, 768, 1>}
      : (tensor<1x128x12x64xf16>) -> tensor<1x12x128x64xf16>
  %kt = dml.view %k {strides = array<i64: 98304, 64, 1, 768>}
      : (tensor<1x128x12x64xf16>) -> tensor<1x12x64x128xf16>
  %vt = dml.view %v {strides = array<i64: 98304, 64, 768, 1>}
      : (tensor<1x128x12x64xf16>) -> tensor<1x12x128x64xf16>
  %0 = dml.gemm %qt, %kt {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<1x12x128x64xf16>, tensor<1x12x64x128xf16>) -> tensor<1x12x128x128xf16>
  %1 = dml.element_wise_multiply %0, %scale
      : (tensor<1x12x128x128xf16>, tensor<1x12x128x128xf16>) -> tensor<1x12x128x128xf16>
  %2 = dml.element_wise_add %1, %mask
      : (tensor<1x12x128x128xf16>, tensor<1x12x128x128xf16>) -> tensor<1x12x128x128xf16>
  %3 = dml.activation_softmax1 %2 {axes = array<i64: 3>}
      : (tensor<1x12x128x128xf16>) -> tensor<1x12x128x128xf16>
  %4 = dml.gemm %3, %vt {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<1x12x128x128xf16>, tensor<1x12x128x64xf16>) -> tensor<1x12x128x64xf16>
  return %4 : tensor<1x12x128x64xf16>
}

// -----

// 2048 scores of 16 queries take more than the 48 KiB of workgroup memory, and 128 queries are
// too few for a kernel that iterates over the keys twice.

// MATRICES-LABEL: func @long
// MATRICES-NOT:   attention_tile
// MATRICES:       return
func.func @long(%q: tensor<1x4x128x64xf16>, %k: tensor<1x4x64x2048xf16>,
                %v: tensor<1x4x2048x64xf16>) -> tensor<1x4x128x64xf16> {
  %0 = dml.gemm %q, %k {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<1x4x128x64xf16>, tensor<1x4x64x2048xf16>) -> tensor<1x4x128x2048xf16>
  %1 = dml.activation_softmax1 %0 {axes = array<i64: 3>}
      : (tensor<1x4x128x2048xf16>) -> tensor<1x4x128x2048xf16>
  %2 = dml.gemm %1, %v {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<1x4x128x2048xf16>, tensor<1x4x2048x64xf16>) -> tensor<1x4x128x64xf16>
  return %2 : tensor<1x4x128x64xf16>
}

// -----

// MATRICES-LABEL: func @unseen
// MATRICES-NOT:   matrix_attention_tile
// MATRICES:       return
func.func @unseen(%q: tensor<8x1024x1024xf16>, %k: tensor<8x16x1024x64xf16>,
                  %v: tensor<8x16x1024x64xf16>, %lengths: tensor<8xf16>) -> tensor<8x1024x1024xf16> {
  %0 = dml.multihead_attention1 query(%q) past_key(%k) past_value(%v)
      past_sequence_lengths(%lengths) {
      scale = 0.125 : f32, mask_filter_value = 0.0 : f32, query_head_count = 16 : i64,
      key_value_head_count = 16 : i64, mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<8x1024x1024xf16>, tensor<8x16x1024x64xf16>, tensor<8x16x1024x64xf16>,
         tensor<8xf16>) -> tensor<8x1024x1024xf16>
  return %0 : tensor<8x1024x1024xf16>
}

// -----

// A tile of one's own is a dml.kernel.

// OWN-LABEL: func @own
// OWN:       dml.kernel = {matrix_attention_tile = {shape = "16x16x16xf16xf32", workgroup = array<i64: 64, 32>}}
// OWN:       return
func.func @own(%q: tensor<8x256x64xf16>, %k: tensor<8x256x64xf16>,
               %v: tensor<8x256x64xf16>) -> tensor<8x256x64xf16> {
  %0 = dml.multihead_attention query(%q) key(%k) value(%v) {
      scale = 0.125 : f32, mask_filter_value = 0.0 : f32, head_count = 2 : i64,
      mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<8x256x64xf16>, tensor<8x256x64xf16>, tensor<8x256x64xf16>)
      -> tensor<8x256x64xf16>
  return %0 : tensor<8x256x64xf16>
}

// SPDX-License-Identifier: Apache-2.0
