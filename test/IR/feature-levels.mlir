// dml.target is verified where it stands; without one the newest level holds.
// (unittests/IR/FeatureLevelsTest.cpp goes through all operators and levels.)
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

module attributes {dml.target = #dml.target<feature_level = fl_2_1>} {
  func.func @rank(%input: tensor<2x3x4xf32>) {
    // expected-error @below {{'dml.padding' op input has rank 3, but feature level 2_1 supports rank 4 to 5 (rank 3 needs 3_1)}}
    // expected-note @below {{according to DML_PADDING_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_padding_operator_desc}}
    %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
        start_padding = array<i64: 0, 0, 1>, end_padding = array<i64: 0, 0, 0>}
        : (tensor<2x3x4xf32>) -> tensor<2x3x5xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_3_1>} {
  func.func @rank(%input: tensor<2x3x4xf32>) {
    %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
        start_padding = array<i64: 0, 0, 1>, end_padding = array<i64: 0, 0, 0>}
        : (tensor<2x3x4xf32>) -> tensor<2x3x5xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_2_1>} {
  func.func @one_rank(%input: tensor<2x3x4x5x6xf32>) {
    // expected-error @below {{'dml.tile' op input has rank 5, but feature level 2_1 supports rank 4 (rank 5 needs 3_1)}}
    // expected-note @below {{according to}}
    %0 = dml.tile %input {repeats = array<i64: 1, 1, 1, 1, 1>}
        : (tensor<2x3x4x5x6xf32>) -> tensor<2x3x4x5x6xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_4_1>} {
  func.func @data_type(%input: tensor<3xi64>) {
    // expected-error @below {{'dml.padding' op input has element type i64, but feature level 4_1 supports f32, f16, ui32, ui16, ui8, i32, i16, i8 (i64 needs 5_0)}}
    // expected-note @below {{according to}}
    %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
        start_padding = array<i64: 1>, end_padding = array<i64: 0>}
        : (tensor<3xi64>) -> tensor<4xi64>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_6_3>} {
  func.func @mode(%input: tensor<3xf32>) {
    // expected-error @below {{'dml.padding' op mode is wrap, but feature level 6_3 supports constant, edge, reflection, symmetric (wrap needs 6_4)}}
    // expected-note @below {{according to DirectML feature level history, https://learn.microsoft.com/windows/ai/directml/dml-feature-level-history}}
    %0 = dml.padding %input {mode = #dml.padding_mode<wrap>,
        start_padding = array<i64: 1>, end_padding = array<i64: 0>}
        : (tensor<3xf32>) -> tensor<4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_1_0>} {
  func.func @operator(%input: tensor<1x1x1x2xf32>) {
    // expected-error @below {{'dml.resample' op is not in feature level 1_0 (DML_OPERATOR_RESAMPLE needs 2_0)}}
    // expected-note @below {{according to DML_RESAMPLE_OPERATOR_DESC}}
    %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
        scales = array<f32: 1.0, 1.0, 1.0, 2.0>}
        : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x4xf32>
    return
  }
}

// -----

// A page that lists a type nowhere.
func.func @no_level(%input: tensor<2xf64>) {
  // expected-error @below {{'dml.tile' op input has element type f64, but feature level 6_4 supports f32, f16, ui32, ui16, ui8, i32, i16, i8, ui64, i64 (no feature level supports f64)}}
  // expected-note @below {{according to DML_TILE_OPERATOR_DESC}}
  %0 = dml.tile %input {repeats = array<i64: 1>} : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

// A nested target overrides the outer one, to newer and to older levels.
module attributes {dml.target = #dml.target<feature_level = fl_2_1>} {
  func.func @newer(%input: tensor<2xf32>)
      attributes {dml.target = #dml.target<feature_level = fl_3_1>} {
    %0 = dml.tile %input {repeats = array<i64: 2>} : (tensor<2xf32>) -> tensor<4xf32>
    return
  }
  module attributes {dml.target = #dml.target<feature_level = fl_6_4>} {
    func.func @older(%input: tensor<2xf32>)
        attributes {dml.target = #dml.target<feature_level = fl_3_0>} {
      // expected-error @below {{'dml.tile' op input has rank 1, but feature level 3_0 supports rank 4 (rank 1 needs 3_1)}}
      // expected-note @below {{according to}}
      %0 = dml.tile %input {repeats = array<i64: 2>} : (tensor<2xf32>) -> tensor<4xf32>
      return
    }
  }
}

// -----

// Levels are checked before structure: what is no op of the table requires nothing.
module attributes {dml.target = #dml.target<feature_level = fl_3_0>} {
  // expected-error @below {{'dml.max_pooling_grad' op expected 2 operands, but found 0}}
  %0 = "dml.max_pooling_grad"() : () -> tensor<1x1x1x1xf32>
}

// SPDX-License-Identifier: Apache-2.0
