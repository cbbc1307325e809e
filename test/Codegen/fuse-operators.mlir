// RUN: dml-opt %s --split-input-file --dml-to-linalg --dml-fuse-producers | FileCheck %s

// Which operators share a kernel.

// Movement goes through any number of operators, whatever reads it.

// CHECK-LABEL: func @movement
// CHECK-COUNT-1: linalg.generic {{.*}}dml.label = "dml.padding+dml.tile+dml.resample"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @movement(%input: tensor<1x1x8x8xf32>) -> tensor<1x1x28x28xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 0, 2, 2>, end_padding = array<i64: 0, 0, 2, 2>}
      : (tensor<1x1x8x8xf32>) -> tensor<1x1x12x12xf32>
  %1 = dml.padding %0 {mode = #dml.padding_mode<constant>,
      start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x12x12xf32>) -> tensor<1x1x14x14xf32>
  %2 = dml.tile %1 {repeats = array<i64: 1, 1, 1, 1>}
      : (tensor<1x1x14x14xf32>) -> tensor<1x1x14x14xf32>
  %3 = dml.tile %2 {repeats = array<i64: 1, 1, 2, 2>}
      : (tensor<1x1x14x14xf32>) -> tensor<1x1x28x28xf32>
  %4 = dml.resample %3 {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 0.5, 1.0>}
      : (tensor<1x1x28x28xf32>) -> tensor<1x1x14x28xf32>
  %5 = dml.tile %4 {repeats = array<i64: 1, 1, 2, 1>}
      : (tensor<1x1x14x28xf32>) -> tensor<1x1x28x28xf32>
  return %5 : tensor<1x1x28x28xf32>
}

// -----

// A pooling gradient finds the winners of windows that do not overlap while it
// gathers, in a padded input too.

// CHECK-LABEL: func @padded
// CHECK-COUNT-1: linalg.generic {{.*}}dml.label = "dml.padding+dml.max_pooling_grad"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @padded(%input: tensor<1x1x16x16xf16>, %gradient: tensor<1x1x9x9xf16>)
    -> tensor<1x1x18x18xf16> {
  %0 = dml.padding %input {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x16x16xf16>) -> tensor<1x1x18x18xf16>
  %1 = dml.max_pooling_grad %0, %gradient {
      strides = array<i64: 2, 2>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x18x18xf16>, tensor<1x1x9x9xf16>) -> tensor<1x1x18x18xf16>
  return %1 : tensor<1x1x18x18xf16>
}

// -----

// Windows of 3 x 3 at stride 2 overlap, and a winner takes a byte: reading it costs
// less than finding it up to four times,

// CHECK-LABEL: func @stride2
// CHECK:       linalg.generic {{.*}}xi8>) attrs = {dml.label = "dml.max_pooling_grad"}
// CHECK:       linalg.generic {{.*}}xf16>) attrs = {dml.label = "dml.max_pooling_grad"}
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @stride2(%input: tensor<1x1x16x16xf16>, %gradient: tensor<1x1x8x8xf16>)
    -> tensor<1x1x16x16xf16> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 2, 2>, window_size = array<i64: 3, 3>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x16x16xf16>, tensor<1x1x8x8xf16>) -> tensor<1x1x16x16xf16>
  return %0 : tensor<1x1x16x16xf16>
}

// -----

// ... or nine times at stride 1.

// CHECK-LABEL: func @stride1
// CHECK:       linalg.generic {{.*}}xi8>) attrs = {dml.label = "dml.max_pooling_grad"}
// CHECK:       linalg.generic {{.*}}xf16>) attrs = {dml.label = "dml.max_pooling_grad"}
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @stride1(%input: tensor<1x1x16x16xf16>, %gradient: tensor<1x1x16x16xf16>)
    -> tensor<1x1x16x16xf16> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 3, 3>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>) -> tensor<1x1x16x16xf16>
  return %0 : tensor<1x1x16x16xf16>
}

// -----

// Windows of 5 x 5, each of which would be searched 25 times, are searched once.

// CHECK-LABEL: func @window5
// CHECK-COUNT-2: linalg.generic {{.*}}dml.label = "dml.max_pooling_grad"
func.func @window5(%input: tensor<1x1x16x16xf32>, %gradient: tensor<1x1x12x12xf32>)
    -> tensor<1x1x16x16xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 5, 5>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x16x16xf32>, tensor<1x1x12x12xf32>) -> tensor<1x1x16x16xf32>
  return %0 : tensor<1x1x16x16xf32>
}

// -----

// The same of 3 x 3 x 3, with a stride too.

// CHECK-LABEL: func @volume
// CHECK-COUNT-2: linalg.generic {{.*}}dml.label = "dml.max_pooling_grad"
func.func @volume(%input: tensor<1x1x9x9x9xf32>, %gradient: tensor<1x1x4x4x4xf32>)
    -> tensor<1x1x9x9x9xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 2, 2, 2>, window_size = array<i64: 3, 3, 3>,
      start_padding = array<i64: 0, 0, 0>, end_padding = array<i64: 0, 0, 0>,
      dilations = array<i64: 1, 1, 1>}
      : (tensor<1x1x9x9x9xf32>, tensor<1x1x4x4x4xf32>) -> tensor<1x1x9x9x9xf32>
  return %0 : tensor<1x1x9x9x9xf32>
}

// -----

// A loop over a window multiplies even a padding's arithmetic.

// CHECK-LABEL: func @loops
// CHECK:       linalg.generic {{.*}}dml.label = "dml.padding"
// CHECK-COUNT-2: linalg.generic {{.*}}dml.label = "dml.max_pooling_grad"
func.func @loops(%input: tensor<1x1x32x32xf32>, %gradient: tensor<1x1x25x25xf32>)
    -> tensor<1x1x34x34xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>,
      start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x32x32xf32>) -> tensor<1x1x34x34xf32>
  %1 = dml.max_pooling_grad %0, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 10, 10>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x34x34xf32>, tensor<1x1x25x25xf32>) -> tensor<1x1x34x34xf32>
  return %1 : tensor<1x1x34x34xf32>
}

// -----

// But a loop runs once for an element that is read once, and fuses.

// CHECK-LABEL: func @after_loops
// CHECK:       linalg.generic {{.*}}dml.label = "dml.max_pooling_grad"
// CHECK:       linalg.generic {{.*}}dml.label = "dml.max_pooling_grad+dml.padding"
// CHECK:         scf.for
func.func @after_loops(%input: tensor<1x1x64x64xf32>, %gradient: tensor<1x1x59x59xf32>)
    -> tensor<1x1x65x64xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 6, 6>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x64x64xf32>, tensor<1x1x59x59xf32>) -> tensor<1x1x64x64xf32>
  %1 = dml.padding %0 {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 0, 1, 0>, end_padding = array<i64: 0, 0, 0, 0>}
      : (tensor<1x1x64x64xf32>) -> tensor<1x1x65x64xf32>
  return %1 : tensor<1x1x65x64xf32>
}

// -----

// Interpolations of interpolations grow fourfold each: three share a kernel here,
// and the fourth has its own.

// CHECK-LABEL: func @interpolations
// CHECK-COUNT-2: linalg.generic {{.*}}dml.label = "dml.resample"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @interpolations(%input: tensor<1x1x8x8xf32>) -> tensor<1x1x128x128xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 2.0, 2.0>}
      : (tensor<1x1x8x8xf32>) -> tensor<1x1x16x16xf32>
  %1 = dml.resample %0 {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 2.0, 2.0>}
      : (tensor<1x1x16x16xf32>) -> tensor<1x1x32x32xf32>
  %2 = dml.resample %1 {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 2.0, 2.0>}
      : (tensor<1x1x32x32xf32>) -> tensor<1x1x64x64xf32>
  %3 = dml.resample %2 {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 2.0, 2.0>}
      : (tensor<1x1x64x64xf32>) -> tensor<1x1x128x128xf32>
  return %3 : tensor<1x1x128x128xf32>
}

// -----

// Several readers compute what is cheap.

// CHECK-LABEL: func @readers
// CHECK:       linalg.generic {{.*}}dml.label = "dml.padding+dml.tile"
// CHECK:       linalg.generic {{.*}}dml.label = "dml.padding+dml.resample"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @readers(%input: tensor<14x14xf32>) -> (tensor<32x16xf32>, tensor<32x32xf32>) {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>}
      : (tensor<14x14xf32>) -> tensor<16x16xf32>
  %1 = dml.tile %0 {repeats = array<i64: 2, 1>}
      : (tensor<16x16xf32>) -> tensor<32x16xf32>
  %2 = dml.resample %0 {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 2.0, 2.0>}
      : (tensor<16x16xf32>) -> tensor<32x32xf32>
  return %1, %2 : tensor<32x16xf32>, tensor<32x32xf32>
}

// -----

// Where the producer reads more than it writes, two readers that did the same would
// move more bytes than they save.

// CHECK-LABEL: func @shrinks
// CHECK:       linalg.generic {{.*}}dml.label = "dml.resample"
// CHECK:       linalg.generic {{.*}}dml.label = "dml.tile"
// CHECK:       linalg.generic {{.*}}dml.label = "dml.padding"
func.func @shrinks(%input: tensor<32x32xf32>) -> (tensor<32x16xf32>, tensor<18x18xf32>) {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 0.5, 0.5>}
      : (tensor<32x32xf32>) -> tensor<16x16xf32>
  %1 = dml.tile %0 {repeats = array<i64: 2, 1>}
      : (tensor<16x16xf32>) -> tensor<32x16xf32>
  %2 = dml.padding %0 {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>}
      : (tensor<16x16xf32>) -> tensor<18x18xf32>
  return %1, %2 : tensor<32x16xf32>, tensor<18x18xf32>
}

// -----

// A hundred copies of an interpolated tensor are read from memory.

// CHECK-LABEL: func @repeated
// CHECK:       linalg.generic {{.*}}dml.label = "dml.resample"
// CHECK:       linalg.generic {{.*}}dml.label = "dml.tile"
func.func @repeated(%input: tensor<8x8xf32>) -> tensor<160x160xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 2.0, 2.0>}
      : (tensor<8x8xf32>) -> tensor<16x16xf32>
  %1 = dml.tile %0 {repeats = array<i64: 10, 10>}
      : (tensor<16x16xf32>) -> tensor<160x160xf32>
  return %1 : tensor<160x160xf32>
}

// -----

// A concatenation that is a result is written part by part, by what computes the
// parts; one of few tensors that an operator reads is a part of that operator.

// CHECK-LABEL: func @parts
// CHECK:       linalg.generic {{.*}}dml.label = "dml.activation_relu"
// CHECK-NOT:   linalg.generic
// CHECK-COUNT-3: tensor.insert_slice
// CHECK:       return
func.func @parts(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>)
    -> tensor<12xf32> {
  %0 = dml.activation_relu %b : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.concat dim(0) %a, %0, %c
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<12xf32>
  return %1 : tensor<12xf32>
}

// CHECK-LABEL: func @read
// CHECK-NOT:   tensor.insert_slice
// CHECK:       linalg.generic {{.*}}dml.label = "dml.join+dml.activation_relu"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @read(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
  %0 = dml.join %a, %b {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %1 = dml.activation_relu %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A part of a tensor is read there, in loops too.

// CHECK-LABEL: func @ranges
// CHECK:       linalg.generic {{.*}}dml.label = "dml.split+dml.gemm"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @ranges(%a: tensor<64x192xf32>) -> tensor<64x64xf32> {
  %0:3 = dml.split %a {axis = 1 : i64}
      : (tensor<64x192xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
  %1 = dml.gemm %0#0, %0#2 {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

// Legalization's slices and reshapes are movement like the operators around them.

// CHECK-LABEL: func @slices
// CHECK-COUNT-1: linalg.generic {{.*}}dml.label = "dml.tile+tensor.extract_slice"
// CHECK-NOT:   linalg.generic
// CHECK-NOT:   shape
// CHECK:       return
func.func @slices(%input: tensor<1x3x4xf32>, %other: tensor<2xf32>) -> tensor<9xf32> {
  %0 = dml.tile %input {repeats = array<i64: 1, 1, 2>}
      : (tensor<1x3x4xf32>) -> tensor<1x3x8xf32>
  %1 = tensor.collapse_shape %0 [[0, 1, 2]] : tensor<1x3x8xf32> into tensor<24xf32>
  %2 = tensor.extract_slice %1[5] [7] [2] : tensor<24xf32> to tensor<7xf32>
  %3 = tensor.concat dim(0) %2, %other : (tensor<7xf32>, tensor<2xf32>) -> tensor<9xf32>
  return %3 : tensor<9xf32>
}

// -----

// A number that is rounded to f16 and computed with again keeps both conversions: the pair
// rounds. (Where a driver would remove the pair, dml-work-around-drivers hides the f16.)

// CHECK-LABEL: func @rounded
// CHECK:       linalg.generic {{.*}}dml.label = "dml.activation_relu+dml.element_wise_sqrt"}
// CHECK:         %[[ROUNDED:.*]] = arith.truncf {{.*}} : f32 to f16
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %[[ROUNDED]] : f16 to f32
// CHECK-NEXT:    %[[ROOT:.*]] = math.sqrt %[[WIDE]]
// CHECK:         %[[RESULT:.*]] = arith.truncf %[[ROOT]] : f32 to f16
// CHECK:         linalg.yield %[[RESULT]]
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @rounded(%a: tensor<64xf16>) -> tensor<64xf16> {
  %0 = dml.activation_relu %a : (tensor<64xf16>) -> tensor<64xf16>
  %1 = dml.element_wise_sqrt %0 : (tensor<64xf16>) -> tensor<64xf16>
  return %1 : tensor<64xf16>
}

// -----

// A sum or a product of numbers of f16 has the same bits in f16 as in f32 with a rounding
// behind, and needs no conversions.

// CHECK-LABEL: func @halves
// CHECK:       linalg.generic {{.*}}dml.label = "dml.element_wise_sqrt+dml.element_wise_add+dml.element_wise_multiply"}
// CHECK:         %[[ROOT:.*]] = arith.truncf {{.*}} : f32 to f16
// CHECK:         %[[SUM:.*]] = arith.addf %[[ROOT]], {{.*}} : f16
// CHECK:         %[[PRODUCT:.*]] = arith.mulf %[[SUM]], {{.*}} : f16
// CHECK:         linalg.yield %[[PRODUCT]]
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @halves(%a: tensor<64xf16>, %b: tensor<64xf16>) -> tensor<64xf16> {
  %0 = dml.element_wise_sqrt %a : (tensor<64xf16>) -> tensor<64xf16>
  %1 = dml.element_wise_add %0, %b : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
  %2 = dml.element_wise_multiply %1, %b : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
  return %2 : tensor<64xf16>
}

// -----

// An interpolation is work: computing the first one twice does not pay.

// CHECK-LABEL:   func @interpolated
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @interpolated(%input: tensor<1x1x4x4xf16>) -> tensor<1x1x1x2xf16> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 0.5, 0.5>}
      : (tensor<1x1x4x4xf16>) -> tensor<1x1x2x2xf16>
  %1 = dml.resample %0 {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 0.5, 0.5>}
      : (tensor<1x1x2x2xf16>) -> tensor<1x1x1x1xf16>
  %2 = dml.tile %1 {repeats = array<i64: 1, 1, 1, 2>}
      : (tensor<1x1x1x1xf16>) -> tensor<1x1x1x2xf16>
  return %2 : tensor<1x1x1x2xf16>
}

// -----

// A function of a convolution that is multiplied with the convolution shares its kernel:
// what both read is computed once.

// CHECK-LABEL: func @silu
// CHECK-COUNT-1: linalg.generic {{.*}}dml.label = "dml.convolution+dml.activation_sigmoid+dml.element_wise_multiply"
// CHECK-COUNT-1: scf.for
// CHECK-NOT:   scf.for
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @silu(%input: tensor<1x64x14x14xf16>, %filter: tensor<96x64x1x1xf16>) -> tensor<1x96x14x14xf16> {
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x64x14x14xf16>, tensor<96x64x1x1xf16>) -> tensor<1x96x14x14xf16>
  %1 = dml.activation_sigmoid %0 : (tensor<1x96x14x14xf16>) -> tensor<1x96x14x14xf16>
  %2 = dml.element_wise_multiply %0, %1
      : (tensor<1x96x14x14xf16>, tensor<1x96x14x14xf16>) -> tensor<1x96x14x14xf16>
  return %2 : tensor<1x96x14x14xf16>
}

// -----

// So does one of 25 taps, whose body is large.

// CHECK-LABEL: func @silu_of_depthwise
// CHECK-COUNT-1: linalg.generic {{.*}}dml.label = "dml.convolution+dml.activation_sigmoid+dml.element_wise_multiply"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @silu_of_depthwise(%input: tensor<1x96x14x14xf16>, %filter: tensor<96x1x5x5xf16>) -> tensor<1x96x14x14xf16> {
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, group_count = 96 : i64,
      start_padding = array<i64: 2, 2>, end_padding = array<i64: 2, 2>, output_padding = array<i64: 0, 0>}
      : (tensor<1x96x14x14xf16>, tensor<96x1x5x5xf16>) -> tensor<1x96x14x14xf16>
  %1 = dml.activation_sigmoid %0 : (tensor<1x96x14x14xf16>) -> tensor<1x96x14x14xf16>
  %2 = dml.element_wise_multiply %0, %1
      : (tensor<1x96x14x14xf16>, tensor<1x96x14x14xf16>) -> tensor<1x96x14x14xf16>
  return %2 : tensor<1x96x14x14xf16>
}

// SPDX-License-Identifier: Apache-2.0

// -----

// Two sums of products have a kernel each, although the second reads what the
// first makes once: in one kernel, neither would share factors. Short ones, of
// 30 terms here, stand in one.

// CHECK-LABEL: func @long_sums
// CHECK:       linalg.generic {{.*}}dml.label = "dml.gemm"
// CHECK:       linalg.generic {{.*}}dml.label = "dml.gemm+dml.element_wise_add"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @long_sums(%a: tensor<1x1x64x128xf32>, %b: tensor<1x1x128x64xf32>,
                     %c: tensor<1x1x64x256xf32>, %d: tensor<1x1x256x64xf32>)
    -> tensor<1x1x64x64xf32> {
  %0 = dml.gemm %a, %b {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>} : (tensor<1x1x64x128xf32>, tensor<1x1x128x64xf32>)
      -> tensor<1x1x64x64xf32>
  %1 = dml.gemm %c, %d {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>} : (tensor<1x1x64x256xf32>, tensor<1x1x256x64xf32>)
      -> tensor<1x1x64x64xf32>
  %2 = dml.element_wise_add %0, %1
      : (tensor<1x1x64x64xf32>, tensor<1x1x64x64xf32>) -> tensor<1x1x64x64xf32>
  return %2 : tensor<1x1x64x64xf32>
}

// CHECK-LABEL: func @short_sums
// CHECK:       linalg.generic {{.*}}dml.label = "dml.gemm+dml.element_wise_add"
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @short_sums(%a: tensor<1x1x64x30xf32>, %b: tensor<1x1x30x64xf32>,
                      %c: tensor<1x1x64x30xf32>, %d: tensor<1x1x30x64xf32>)
    -> tensor<1x1x64x64xf32> {
  %0 = dml.gemm %a, %b {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>} : (tensor<1x1x64x30xf32>, tensor<1x1x30x64xf32>)
      -> tensor<1x1x64x64xf32>
  %1 = dml.gemm %c, %d {trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>} : (tensor<1x1x64x30xf32>, tensor<1x1x30x64xf32>)
      -> tensor<1x1x64x64xf32>
  %2 = dml.element_wise_add %0, %1
      : (tensor<1x1x64x64xf32>, tensor<1x1x64x64xf32>) -> tensor<1x1x64x64xf32>
  return %2 : tensor<1x1x64x64xf32>
}
