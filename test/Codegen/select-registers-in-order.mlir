// Kernels for a compiler that keeps the order of the program. A thread that computes 8
// elements one after the other holds all vectors that it loaded for the first one: 24
// vectors of 4 registers, 24 filters and their addresses do not fit 128 registers, and
// vectors of half the size do. Conditions of padding, of which 9 taps of 8 columns have 72,
// do not fit a subgroup's scalar registers, and those of 4 columns do. A matrix kernel loads
// no more than one stage ahead, and its threads fit their registers. A thread that scans 8
// rows holds 4 vectors of elements and the next 4, of which 128 registers hold 2 and 2. In
// rows of 7 positions, each of 4 neighbours has an address of its own. A thread of an
// attention kernel holds its outputs, and as many sums.
//
// RUN: split-file %s %t
// RUN: dml-opt %t/map.mlir --dml-to-gpu --mlir-print-ir-before=dml-distribute-to-workgroups -o %t.out 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: dml-opt %t/map.mlir --dml-to-gpu=device-profile=full,computesInOrder=1 --mlir-print-ir-before=dml-distribute-to-workgroups -o %t.out 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: dml-opt %t/map.mlir --dml-to-gpu=device-profile=full,computesInOrder=1,registersOfThread=128 --mlir-print-ir-before=dml-distribute-to-workgroups -o %t.out 2>&1 | FileCheck %s --check-prefix=SHORT
// LONG:  dml.kernel = {map_tile = {vector_bytes = 16 : i64}}
// SHORT: dml.kernel = {map_tile = {vector_bytes = 8 : i64}}
//
// RUN: dml-opt %t/padding.mlir --dml-to-gpu=device-profile=full,multiprocessors=64 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: dml-opt %t/padding.mlir --dml-to-gpu=device-profile=full,multiprocessors=64,computesInOrder=1 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=FEW
// MANY: dml.kernel = {slice_tile = array<i64: 2, 8, 64, 9, 2>}
// FEW:  dml.kernel = {slice_tile = array<i64: 2, 4, 32, 9, 2>}
//
// RUN: dml-opt %t/matrix.mlir --dml-to-gpu=device-profile=full,+cooperativeMatrix,multiprocessors=64,registers=98304 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=AHEAD
// RUN: dml-opt %t/matrix.mlir --dml-to-gpu=device-profile=full,+cooperativeMatrix,multiprocessors=64,registers=98304,computesInOrder=1 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: dml-opt %t/matrix.mlir --dml-to-gpu=device-profile=full,+cooperativeMatrix,multiprocessors=64,registers=98304,computesInOrder=1,registersOfThread=60 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=NONE
// AHEAD:    matrix_tile = {ahead = 2
// ORDER:    matrix_tile = {ahead = 1
// NONE-NOT: matrix_tile
//
// RUN: dml-opt %t/scan.mlir --dml-to-gpu=device-profile=full,subgroupSize=32 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: dml-opt %t/scan.mlir --dml-to-gpu=device-profile=full,subgroupSize=32,computesInOrder=1 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: dml-opt %t/scan.mlir --dml-to-gpu=device-profile=full,subgroupSize=32,computesInOrder=1,registersOfThread=128 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=TWO
// FOUR: dml.kernel = {row_tile = array<i64: 16, 4>}
// TWO:  dml.kernel = {row_tile = array<i64: 16, 2>}
//
// RUN: dml-opt %t/images.mlir --dml-to-gpu=device-profile=full,multiprocessors=48,computesInOrder=1 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: dml-opt %t/images.mlir --dml-to-gpu=device-profile=full,multiprocessors=48,computesInOrder=1,registersOfThread=128 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=SMALL
// LARGE: contraction_tile = array<i64: 128, 64, 18>, together = 6
// SMALL: contraction_tile = array<i64: 32, 64, 36>, together = 4
//
// RUN: dml-opt %t/heads.mlir --dml-to-gpu=device-profile=full,computesInOrder=1 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=QUERIES
// RUN: dml-opt %t/heads.mlir --dml-to-gpu=device-profile=full,registersOfThread=128 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=QUERIES
// RUN: dml-opt %t/heads.mlir --dml-to-gpu=device-profile=full,computesInOrder=1,registersOfThread=128 --mlir-print-ir-after=dml-select-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=KEYS
// QUERIES: dml.kernel = {attention_tile = array<i64: 64, 32, 16>}
// KEYS:    dml.kernel = {attention_tile = array<i64: 32, 64, 16>}
//
// No kernel spills registers, of which a thread has 128 in Mesa 22.3's compiler for RDNA 3.
// RUN: %if radv %{ %radv RADV_FORCE_FAMILY=gfx1100 dml-compile %t/scan.mlir --device=native -o %t/scan.dmlx %}
// RUN: %if radv %{ %radv RADV_FORCE_FAMILY=gfx1100 dml-inspect %t/scan.dmlx --driver %}
// RUN: %if radv %{ %radv RADV_FORCE_FAMILY=gfx1100 dml-compile %t/images.mlir --device=native -o %t/images.dmlx %}
// RUN: %if radv %{ %radv RADV_FORCE_FAMILY=gfx1100 dml-inspect %t/images.dmlx --driver %}
// RUN: %if radv %{ %radv RADV_FORCE_FAMILY=gfx1100 dml-compile %t/heads.mlir --device=native -o %t/heads.dmlx %}
// RUN: %if radv %{ %radv RADV_FORCE_FAMILY=gfx1100 dml-inspect %t/heads.dmlx --driver %}
// RUN: %if radv %{ %radv RADV_FORCE_FAMILY=gfx1100 dml-compile %t/short-heads.mlir --device=native -o %t/short-heads.dmlx %}
// RUN: %if radv %{ %radv RADV_FORCE_FAMILY=gfx1100 dml-inspect %t/short-heads.dmlx --driver %}
//
// SPDX-License-Identifier: Apache-2.0

//--- map.mlir
func.func @main(%image: tensor<1x24x56x56xf16>, %filters: tensor<144x24x1x1xf16>) -> tensor<1x144x56x56xf16> {
  %0 = dml.convolution %image, %filters {dilations = array<i64: 1, 1>, direction = #dml.convolution_direction<forward>, mode = #dml.convolution_mode<cross_correlation>, start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x24x56x56xf16>, tensor<144x24x1x1xf16>) -> tensor<1x144x56x56xf16>
  return %0 : tensor<1x144x56x56xf16>
}

//--- padding.mlir
func.func @main(%image: tensor<1x128x7x7xf16>, %filters: tensor<32x128x3x3xf16>) -> tensor<1x32x7x7xf16> {
  %0 = dml.convolution %image, %filters {dilations = array<i64: 1, 1>, direction = #dml.convolution_direction<forward>, mode = #dml.convolution_mode<cross_correlation>, start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x128x7x7xf16>, tensor<32x128x3x3xf16>) -> tensor<1x32x7x7xf16>
  return %0 : tensor<1x32x7x7xf16>
}

//--- matrix.mlir
func.func @main(%rows: tensor<64x768xf16>, %columns: tensor<768x3072xf16>) -> tensor<64x3072xf16> {
  %0 = dml.gemm %rows, %columns {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<64x768xf16>, tensor<768x3072xf16>) -> tensor<64x3072xf16>
  return %0 : tensor<64x3072xf16>
}

//--- scan.mlir
func.func @main(%rows: tensor<1024x32768xf16>) -> tensor<1024x32768xf16> {
  %0 = dml.cumulative_summation %rows {axis = 0 : i64, axis_direction = #dml.axis_direction<increasing>, has_exclusive_sum = false}
      : (tensor<1024x32768xf16>) -> tensor<1024x32768xf16>
  return %0 : tensor<1024x32768xf16>
}

//--- images.mlir
func.func @main(%images: tensor<32x512x7x7xf16>, %filters: tensor<512x512x3x3xf16> {dml.name = "filters", dml.owned_by_dml}) -> tensor<32x512x7x7xf16> {
  %0 = dml.convolution %images, %filters {dilations = array<i64: 1, 1>, direction = #dml.convolution_direction<forward>, mode = #dml.convolution_mode<cross_correlation>, start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<32x512x7x7xf16>, tensor<512x512x3x3xf16>) -> tensor<32x512x7x7xf16>
  return %0 : tensor<32x512x7x7xf16>
}

//--- heads.mlir
func.func @main(%queries: tensor<1x4096x1024xf32>, %keys: tensor<1x4096x1024xf32>, %values: tensor<1x4096x1024xf32>) -> tensor<1x4096x1024xf32> {
  %0 = dml.multihead_attention query(%queries) key(%keys) value(%values) {scale = 0.125 : f32, mask_filter_value = 0.0 : f32, head_count = 8 : i64, mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<1x4096x1024xf32>, tensor<1x4096x1024xf32>, tensor<1x4096x1024xf32>) -> tensor<1x4096x1024xf32>
  return %0 : tensor<1x4096x1024xf32>
}

//--- short-heads.mlir
func.func @main(%queries: tensor<1x1024x320xf32>, %keys: tensor<1x1024x320xf32>, %values: tensor<1x1024x320xf32>) -> tensor<1x1024x320xf32> {
  %0 = dml.multihead_attention query(%queries) key(%keys) value(%values) {scale = 0.125 : f32, mask_filter_value = 0.0 : f32, head_count = 8 : i64, mask_type = #dml.multihead_attention_mask_type<none>}
      : (tensor<1x1024x320xf32>, tensor<1x1024x320xf32>, tensor<1x1024x320xf32>) -> tensor<1x1024x320xf32>
  return %0 : tensor<1x1024x320xf32>
}
