// RUN: dml-opt %s --split-input-file --convert-dml-to-linalg | FileCheck %s

// Two steps: every window finds its winner, then every element gathers the
// gradients of the windows that it won. A small window is written out: nine elements,
// row by row, and the four windows that may cover an element. Winners are places in
// the window: 8 bits tell nine apart.
//
// Elements compare by integers in their order, counted from that of -infinity up: both
// zeros are equal, and NaNs above all. Those of f16 leave 13 bits for the place, counted
// from the last one, so that a maximum is all that it takes; the last element, which
// needs no addition, comes first. Outside the tensor there is 0.

// CHECK-LABEL: func @main
// CHECK-SAME:  %[[INPUT:[^:]*]]: tensor<1x1x6x6xf16>, %[[GRADIENT:[^:]*]]: tensor<1x1x3x3xf16>
// CHECK:       %[[WINNERS:.*]] = linalg.generic
// CHECK-SAME:    outs(%{{.*}} : tensor<1x1x3x3xi8>) attrs = {dml.label = "dml.max_pooling_grad"}
// CHECK:         %[[LOADED:.*]] = tensor.extract %[[INPUT]]
// CHECK-NEXT:    %[[VALUE:.*]] = arith.extf %[[LOADED]] : f16 to f32
// CHECK-NEXT:    %[[BITS:.*]] = arith.bitcast %[[VALUE]] : f32 to i32
// CHECK:         %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BITS]], %c0_i32
// CHECK:         %[[NEGATED:.*]] = arith.subi %c-2147483648_i32{{.*}}, %[[BITS]]
// CHECK-NEXT:    %[[ORDERED:.*]] = arith.select %[[NEGATIVE]], %[[NEGATED]], %[[BITS]]
// CHECK:         %[[COUNTED:.*]] = arith.addi %[[ORDERED]], %c2139095040_i32
// CHECK:         %[[KEY:.*]] = arith.minui %[[COUNTED]], %c-16769024_i32
// CHECK:         %[[FIRST:.*]] = arith.select %{{.*}}, %[[KEY]], %c0_i32
// CHECK:         tensor.extract %[[INPUT]]
// CHECK:         %[[NEXT:.*]] = arith.minui
// CHECK:         %[[AHEAD:.*]] = arith.constant 1 : i32
// CHECK-NEXT:    %[[PACKED:.*]] = arith.addi %[[NEXT]], %[[AHEAD]]
// CHECK:         %[[SECOND:.*]] = arith.select %{{.*}}, %[[PACKED]], %c0_i32
// CHECK-NEXT:    arith.maxui %[[SECOND]], %[[FIRST]]
// CHECK-COUNT-7: tensor.extract %[[INPUT]]
// CHECK-NOT:     tensor.extract
// CHECK:         %[[PLACE:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK-NEXT:    linalg.yield %[[PLACE]]
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%{{.*}} : tensor<1x1x6x6xf16>)
// CHECK:         %[[NARROW:.*]] = tensor.extract %[[WINNERS]]
// CHECK-NEXT:    %[[STORED:.*]] = arith.extui %[[NARROW]] : i8 to i32
// CHECK:         tensor.extract %[[GRADIENT]]
// CHECK:         %[[SUM:.*]] = arith.addf {{.*}} : f32
// CHECK:         %[[PLACE:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK-NEXT:    %[[EQUAL:.*]] = arith.cmpi eq, %[[STORED]], %[[PLACE]]
// CHECK-NEXT:    %[[WON:.*]] = arith.andi %{{.*}}, %[[EQUAL]]
// CHECK-NEXT:    arith.select %[[WON]], %[[SUM]], %{{.*}} : f32
// CHECK-COUNT-3: tensor.extract %[[WINNERS]]
// CHECK-NOT:     tensor.extract %[[WINNERS]]
// CHECK:         arith.truncf {{.*}} : f32 to f16
func.func @main(%input: tensor<1x1x6x6xf16>, %gradient: tensor<1x1x3x3xf16>)
    -> tensor<1x1x6x6xf16> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 2, 2>, window_size = array<i64: 3, 3>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf16>, tensor<1x1x3x3xf16>) -> tensor<1x1x6x6xf16>
  return %0 : tensor<1x1x6x6xf16>
}

// -----

// A large window is looped over. No loop is ever empty.

// CHECK-LABEL: func @large
// CHECK:         %[[SIX:.*]] = arith.constant 6 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[SIX]]
// CHECK:           scf.for
// CHECK:             tensor.extract
func.func @large(%input: tensor<1x1x9x9xf32>, %gradient: tensor<1x1x4x4xf32>)
    -> tensor<1x1x9x9xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 6, 6>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x9x9xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x9x9xf32>
  return %0 : tensor<1x1x9x9xf32>
}

// -----

// f32 leaves no bits for places: they go along. The winner of a row is compared with
// that of the rows before.

// CHECK-LABEL: func @rows
// CHECK:         linalg.generic
// CHECK:         tensor.extract
// CHECK:         %[[LEFT:.*]] = arith.select %{{.*}}, %{{.*}}, %c0_i32
// CHECK:         tensor.extract
// CHECK:         %[[RIGHT:.*]] = arith.select %{{.*}}, %{{.*}}, %c0_i32
// CHECK-NEXT:    %[[ABOVE:.*]] = arith.maxui %[[RIGHT]], %[[LEFT]]
// CHECK-NEXT:    %[[BETTER:.*]] = arith.cmpi ugt, %[[RIGHT]], %[[LEFT]]
// CHECK-NEXT:    %[[ROW_PLACE:.*]] = arith.select %[[BETTER]], %{{.*}}, %{{.*}} : i32
// CHECK:         arith.addi %[[ROW_PLACE]], %{{.*}} : i32
// CHECK:         tensor.extract
// CHECK:         tensor.extract
// CHECK:         %[[ROW:.*]] = arith.maxui
// CHECK:         %[[PLACE:.*]] = arith.select
// CHECK:         %[[BELOW:.*]] = arith.select %{{.*}}, %[[ROW]], %c0_i32
// CHECK:         arith.maxui %[[BELOW]], %[[FIRST_ROW:.*]] :
// CHECK-NEXT:    %[[BETTER:.*]] = arith.cmpi ugt, %[[BELOW]], %[[FIRST_ROW]]
// CHECK-NEXT:    arith.select %[[BETTER]], %[[PLACE]]
func.func @rows(%input: tensor<1x1x6x6xf32>, %gradient: tensor<1x1x5x5xf32>)
    -> tensor<1x1x6x6xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>, tensor<1x1x5x5xf32>) -> tensor<1x1x6x6xf32>
  return %0 : tensor<1x1x6x6xf32>
}

// -----

// Two windows of a row share a byte where 15 places or fewer and none fit half of it
// each, and windows overlap: those that do not are computed where they are needed.

// CHECK-LABEL: func @pairs
// CHECK:         %[[WINNERS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x8xi8>)
// CHECK:           %[[COLUMN:.*]] = linalg.index 3
// CHECK:           %[[FIRST:.*]] = arith.andi %{{.*}}, %c15_i32{{.*}} : i32
// CHECK:           %[[SECOND:.*]] = arith.andi %{{.*}}, %c15_i32{{.*}} : i32
// CHECK:           %[[HIGH:.*]] = arith.shli %[[SECOND]], %c4_i32
// CHECK-NEXT:      %[[BOTH:.*]] = arith.ori %[[FIRST]], %[[HIGH]] : i32
// CHECK-NEXT:      arith.trunci %[[BOTH]] : i32 to i8
// CHECK:         linalg.generic
// CHECK:           %[[SECOND:.*]] = arith.remui %[[AHEAD:.*]], %c2
// CHECK:           %[[FOURS:.*]] = arith.muli %[[SECOND]], %c4
// CHECK:           %[[SHIFT:.*]] = arith.index_castui %[[FOURS]] : index to i32
// CHECK:           tensor.extract %[[WINNERS]]
// CHECK-NEXT:      %[[BYTE:.*]] = arith.extui
// CHECK:           %[[PLACES:.*]] = arith.shrui %[[BYTE]], %[[SHIFT]]
// CHECK:           arith.andi %[[PLACES]], %c15_i32
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x16xi8>)
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x8xi8>)
func.func @pairs(%input: tensor<1x1x1x30xf32>, %a: tensor<1x1x1x16xf32>,
                 %b: tensor<1x1x1x8xf32>)
    -> (tensor<1x1x1x30xf32>, tensor<1x1x1x30xf32>, tensor<1x1x1x30xf32>) {
  %0 = dml.max_pooling_grad %input, %a {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 15>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x30xf32>, tensor<1x1x1x16xf32>) -> tensor<1x1x1x30xf32>
  %1 = dml.max_pooling_grad %input, %a {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 16>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 1>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x30xf32>, tensor<1x1x1x16xf32>) -> tensor<1x1x1x30xf32>
  %2 = dml.max_pooling_grad %input, %b {
      strides = array<i64: 1, 4>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x30xf32>, tensor<1x1x1x8xf32>) -> tensor<1x1x1x30xf32>
  return %0, %1, %2
      : tensor<1x1x1x30xf32>, tensor<1x1x1x30xf32>, tensor<1x1x1x30xf32>
}

// -----

// 255 places and none fit 8 bits, 256 do not; dilation spreads places.

// CHECK-LABEL: func @widths
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x6xi8>)
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x5xi16>)
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x4xi32>)
func.func @widths(%input: tensor<1x1x1x260xf32>, %long: tensor<1x1x1x65539xf32>,
                  %a: tensor<1x1x1x6xf32>, %b: tensor<1x1x1x5xf32>,
                  %c: tensor<1x1x1x4xf32>)
    -> (tensor<1x1x1x260xf32>, tensor<1x1x1x260xf32>, tensor<1x1x1x65539xf32>) {
  %0 = dml.max_pooling_grad %input, %a {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 255>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x260xf32>, tensor<1x1x1x6xf32>) -> tensor<1x1x1x260xf32>
  %1 = dml.max_pooling_grad %input, %b {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 255>}
      : (tensor<1x1x1x260xf32>, tensor<1x1x1x5xf32>) -> tensor<1x1x1x260xf32>
  %2 = dml.max_pooling_grad %long, %c {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 65536>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x65539xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x1x65539xf32>
  return %0, %1, %2
      : tensor<1x1x1x260xf32>, tensor<1x1x1x260xf32>, tensor<1x1x1x65539xf32>
}

// -----

// With dilation a window may step over an element that lies inside, and have none
// itself: the place of that element would be a wrong winner. What is below all keys, with
// any place, is none, and becomes all ones.

// CHECK-LABEL: func @holes
// CHECK:         %[[KEY:.*]] = arith.minui
// CHECK:         arith.addi %[[KEY]], %c8192_i32{{.*}} : i32
// CHECK:         %[[BEST:.*]] = arith.maxui
// CHECK:         %[[NONE:.*]] = arith.cmpi ult, %{{.*}}, %c8192_i32
// CHECK:         %[[WINNER:.*]] = arith.select %[[NONE]], %c-1_i32{{.*}}, %{{.*}} : i32
// CHECK:         arith.andi %[[WINNER]], %c15_i32
func.func @holes(%input: tensor<1x1x1x1xf16>, %gradient: tensor<1x1x1x2xf16>)
    -> tensor<1x1x1x1xf16> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 2>, end_padding = array<i64: 0, 1>,
      dilations = array<i64: 1, 2>}
      : (tensor<1x1x1x1xf16>, tensor<1x1x1x2xf16>) -> tensor<1x1x1x1xf16>
  return %0 : tensor<1x1x1x1xf16>
}

// SPDX-License-Identifier: Apache-2.0
