// RUN: dml-opt %s --dml-deduce-feature-level --verify-diagnostics --mlir-print-op-on-diagnostic=false | FileCheck %s
//
// What was deduced is accepted, and is what is deduced the next time.
// RUN: dml-opt %s --dml-deduce-feature-level 2>/dev/null > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %t.mlir --dml-deduce-feature-level 2>/dev/null | diff %t.mlir -

// A target that stood there before does not count.
// CHECK: module attributes {dml.target = #dml.target<feature_level = fl_5_0>}
module attributes {dml.target = #dml.target<feature_level = fl_6_4>} {

// CHECK: func.func @steps
// CHECK-SAME: dml.target = #dml.target<feature_level = fl_3_1>
func.func @steps(%image: tensor<1x3x8x8xf32>, %rows: tensor<4x8xi32>) {
  // As old as DirectML: raises nothing.
  %0 = dml.tile %image {repeats = array<i64: 1, 1, 2, 1>}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x8xf32>
  // expected-remark @below {{'dml.resample' op raises the feature level of @steps to 2_0: DML_OPERATOR_RESAMPLE}}
  %1 = dml.resample %image {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 2.0, 2.0>}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
  // expected-remark @below {{'dml.padding' op raises the feature level of @steps to 3_0: mode is symmetric}}
  %2 = dml.padding %image {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  // The second such op raises nothing.
  %3 = dml.padding %image {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  // expected-remark @below {{'dml.tile' op raises the feature level of @steps to 3_1: input has rank 2}}
  %4 = dml.tile %rows {repeats = array<i64: 2, 1>}
      : (tensor<4x8xi32>) -> tensor<8x8xi32>
  return
}

// CHECK: func.func @data_type
// CHECK-SAME: dml.target = #dml.target<feature_level = fl_5_0>
func.func @data_type(%input: tensor<1x3x8x8xi64>) {
  // expected-remark @below {{'dml.padding' op raises the feature level of @data_type to 5_0: input has element type i64}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x3x8x8xi64>) -> tensor<1x3x10x10xi64>
  return
}

// CHECK: func.func @nothing
// CHECK-SAME: dml.target = #dml.target<feature_level = fl_1_0>
func.func @nothing() { return }

// CHECK: func.func private @declaration()
// CHECK-NOT: dml.target
func.func private @declaration()

// CHECK: module @inner attributes {dml.target = #dml.target<feature_level = fl_3_1>}
module @inner {
  // CHECK: func.func @rank
  // CHECK-SAME: dml.target = #dml.target<feature_level = fl_3_1>
  func.func @rank(%input: tensor<2xf32>) {
    // expected-remark @below {{'dml.tile' op raises the feature level of @rank to 3_1: input has rank 1}}
    %0 = dml.tile %input {repeats = array<i64: 2>} : (tensor<2xf32>) -> tensor<4xf32>
    return
  }
}
}

// SPDX-License-Identifier: Apache-2.0
