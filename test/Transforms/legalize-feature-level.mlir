// (unittests/Transforms compares values with the reference interpreter.)
//
// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=2_1 | FileCheck %s
// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=1_0 | FileCheck %s --check-prefix=OLD
//
// What comes out needs no more than the level, and is left alone the next time.
// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=2_1 > %t.mlir
// (Slices and concatenations, which are not dml's, leave dml-explain undecided.)
// RUN: %exits 3 dml-explain %t.mlir --level=2_1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN-NOT: does not fit
// EXPLAIN: undecided, though the dml operators fit: feature level 2_1
// RUN: dml-opt %t.mlir --dml-legalize-feature-level=feature-level=2_1 | diff %t.mlir -
//
// Where the level has everything, nothing changes but the target.
// RUN: dml-opt %s --dml-legalize-feature-level=feature-level=6_4 > %t.new.mlir
// RUN: dml-opt %s --dml-attach-target=feature-level=6_4 | sed 's/ attributes {dml.target = #dml.target<feature_level = fl_6_4>}//' > %t.attached.mlir
// RUN: sed 's/ attributes {dml.target = #dml.target<feature_level = fl_6_4>}//' %t.new.mlir | diff %t.attached.mlir -

// CHECK: module attributes {dml.target = #dml.target<feature_level = fl_2_1>}
// OLD: module attributes {dml.target = #dml.target<feature_level = fl_1_0>}

// Two dimensions become four.
// CHECK-LABEL: func.func @low_rank
// CHECK-SAME: (%[[INPUT:.*]]: tensor<3x4xf32>)
// CHECK: %[[EXPANDED:.*]] = tensor.expand_shape %[[INPUT]] {{\[\[}}0, 1, 2], [3]] output_shape [1, 1, 3, 4] : tensor<3x4xf32> into tensor<1x1x3x4xf32>
// CHECK: %[[PADDED:.*]] = dml.padding %[[EXPANDED]] {end_padding = array<i64: 0, 0, 0, 4>, mode = #dml.padding_mode<edge>, start_padding = array<i64: 0, 0, 1, 2>} : (tensor<1x1x3x4xf32>) -> tensor<1x1x4x10xf32>
// CHECK: %[[COLLAPSED:.*]] = tensor.collapse_shape %[[PADDED]] {{\[\[}}0, 1, 2], [3]] : tensor<1x1x4x10xf32> into tensor<4x10xf32>
// CHECK: return %[[COLLAPSED]]
func.func @low_rank(%input: tensor<3x4xf32>) -> tensor<4x10xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 1, 2>, end_padding = array<i64: 0, 4>}
      : (tensor<3x4xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// Dimensions that the op leaves alone are merged, as few as needed.
// CHECK-LABEL: func.func @high_rank
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2], [3], [4], [5]] : tensor<2x3x4x5x6x7xf32> into tensor<24x5x6x7xf32>
// CHECK: dml.tile %{{.*}} {repeats = array<i64: 1, 2, 1, 3>} : (tensor<24x5x6x7xf32>) -> tensor<24x10x6x21xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2], [3], [4], [5]] output_shape [2, 3, 4, 10, 6, 21]
func.func @high_rank(%input: tensor<2x3x4x5x6x7xf32>) -> tensor<2x3x4x10x6x21xf32> {
  %0 = dml.tile %input {repeats = array<i64: 1, 1, 1, 2, 1, 3>}
      : (tensor<2x3x4x5x6x7xf32>) -> tensor<2x3x4x10x6x21xf32>
  return %0 : tensor<2x3x4x10x6x21xf32>
}

// A dimension of size 1 merges with one that the op works on.
// CHECK-LABEL: func.func @unit
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3], [4]] : tensor<2x1x3x4x5xf32> into tensor<2x3x4x5xf32>
// CHECK: dml.tile %{{.*}} {repeats = array<i64: 2, 2, 2, 2>}
func.func @unit(%input: tensor<2x1x3x4x5xf32>) -> tensor<4x1x6x8x10xf32> {
  %0 = dml.tile %input {repeats = array<i64: 2, 1, 2, 2, 2>}
      : (tensor<2x1x3x4x5xf32>) -> tensor<4x1x6x8x10xf32>
  return %0 : tensor<4x1x6x8x10xf32>
}

// Where none can be merged, one dimension after the other.
// CHECK-LABEL: func.func @split
// CHECK: dml.tile %{{.*}} {repeats = array<i64: 2, 1, 1, 1>} : (tensor<2x6x2x2xf32>) -> tensor<4x6x2x2xf32>
// CHECK: dml.tile %{{.*}} {repeats = array<i64: 1, 3, 1, 1>}
// CHECK: dml.tile %{{.*}} {repeats = array<i64: 1, 2, 1, 1>}
// CHECK: dml.tile %{{.*}} {repeats = array<i64: 1, 1, 2, 1>}
// CHECK: dml.tile %{{.*}} {repeats = array<i64: 1, 1, 1, 2>}
// CHECK-NOT: dml.tile
// CHECK: return %{{.*}} : tensor<4x6x6x4x4xf32>
func.func @split(%input: tensor<2x2x3x2x2xf32>) -> tensor<4x6x6x4x4xf32> {
  %0 = dml.tile %input {repeats = array<i64: 2, 3, 2, 2, 2>}
      : (tensor<2x2x3x2x2xf32>) -> tensor<4x6x6x4x4xf32>
  return %0 : tensor<4x6x6x4x4xf32>
}

// wrap: the slice of a tiling that starts where the padding does.
// CHECK-LABEL: func.func @wrap
// CHECK: %[[TILE:.*]] = dml.tile %{{.*}} {repeats = array<i64: 1, 1, 1, 3>} : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x12xf32>
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[TILE]][0, 0, 0, 2] [1, 1, 2, 8] [1, 1, 1, 1]
// CHECK: return %[[SLICE]]
func.func @wrap(%input: tensor<1x1x2x4xf32>) -> tensor<1x1x2x8xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<wrap>,
      start_padding = array<i64: 0, 0, 0, 2>, end_padding = array<i64: 0, 0, 0, 2>}
      : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x8xf32>
  return %0 : tensor<1x1x2x8xf32>
}

// symmetric: the same of the tensor and its mirror image.
// CHECK-LABEL: func.func @symmetric
// CHECK-SAME: (%[[INPUT:.*]]: tensor<1x1x2x4xf32>)
// CHECK: %[[REFLECTED:.*]] = dml.padding %[[INPUT]] {end_padding = array<i64: 0, 0, 0, 0>, mode = #dml.padding_mode<reflection>, start_padding = array<i64: 0, 0, 0, 3>} : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x7xf32>
// CHECK: %[[MIRROR:.*]] = tensor.extract_slice %[[REFLECTED]][0, 0, 0, 0] [1, 1, 2, 4] [1, 1, 1, 1]
// CHECK: %[[PERIOD:.*]] = tensor.concat dim(3) %[[INPUT]], %[[MIRROR]]
// CHECK: %[[TILE:.*]] = dml.tile %[[PERIOD]] {repeats = array<i64: 1, 1, 1, 2>} : (tensor<1x1x2x8xf32>) -> tensor<1x1x2x16xf32>
// CHECK: tensor.extract_slice %[[TILE]][0, 0, 0, 6] [1, 1, 2, 8] [1, 1, 1, 1]
func.func @symmetric(%input: tensor<1x1x2x4xf32>) -> tensor<1x1x2x8xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 0, 0, 2>, end_padding = array<i64: 0, 0, 0, 2>}
      : (tensor<1x1x2x4xf32>) -> tensor<1x1x2x8xf32>
  return %0 : tensor<1x1x2x8xf32>
}

// The bits of an integer travel as a float's; so does the constant.
// CHECK-LABEL: func.func @data_type
// CHECK-NOT: tensor.bitcast
// CHECK: return
// OLD-LABEL: func.func @data_type
// OLD: tensor.bitcast %{{.*}} : tensor<1x1x2x2xui32> to tensor<1x1x2x2xf32>
// OLD: dml.padding {{.*}}mode = #dml.padding_mode<constant>, padding_value = 1.000000e+00 : f32
// OLD-SAME: (tensor<1x1x2x2xf32>) -> tensor<1x1x2x3xf32>
// OLD: tensor.bitcast %{{.*}} : tensor<1x1x2x3xf32> to tensor<1x1x2x3xui32>
func.func @data_type(%input: tensor<1x1x2x2xui32>) -> tensor<1x1x2x3xui32> {
  // 1065353216 is 0x3F800000.
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>, padding_value = 1065353216.0 : f32,
      start_padding = array<i64: 0, 0, 0, 0>, end_padding = array<i64: 0, 0, 0, 1>}
      : (tensor<1x1x2x2xui32>) -> tensor<1x1x2x3xui32>
  return %0 : tensor<1x1x2x3xui32>
}

// Targets that are newer go away; older ones hold on.
// CHECK-LABEL: func.func @newer_target
// CHECK-NOT: dml.target
// CHECK: return
func.func @newer_target() attributes {dml.target = #dml.target<feature_level = fl_6_4>} { return }
// CHECK-LABEL: func.func @older_target
// CHECK-SAME: dml.target = #dml.target<feature_level = fl_1_0>
func.func @older_target() attributes {dml.target = #dml.target<feature_level = fl_1_0>} { return }

// SPDX-License-Identifier: Apache-2.0
