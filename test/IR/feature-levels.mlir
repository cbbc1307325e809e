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

// What is no matter of types, ranks or cases: rules that older levels have.

// -----

module attributes {dml.target = #dml.target<feature_level = fl_5_1>} {
  func.func @bias_without_scale(%input: tensor<1x2x3x4xf32>, %bias: tensor<1x2x1x1xf32>) {
    // expected-error @below {{'dml.mean_variance_normalization' op one of scale and bias is absent, but feature level 5_1 wants both or neither (this needs 5_2)}}
    // expected-note @below {{according to DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_mean_variance_normalization_operator_desc}}
    %0 = dml.mean_variance_normalization %input bias(%bias) {
        cross_channel = false, normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_5_2>} {
  func.func @bias_without_scale(%input: tensor<1x2x3x4xf32>, %bias: tensor<1x2x1x1xf32>) {
    %0 = dml.mean_variance_normalization %input bias(%bias) {
        cross_channel = false, normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_1_0>} {
  func.func @scale_and_bias(%input: tensor<1x2x3x4xf32>, %bias: tensor<1x2x1x1xf32>) {
    %0 = dml.mean_variance_normalization %input scale(%bias) bias(%bias) {
        cross_channel = false, normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>,
           tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_3_1>} {
  func.func @repeated_channels(%input: tensor<1x2x3x4xf32>, %bias: tensor<1x1x3x1xf32>) {
    // expected-error @below {{'dml.mean_variance_normalization1' op scale or bias repeats elements along dimension 1, but feature level 3_1 wants the sizes of input there (this needs 4_0)}}
    // expected-note @below {{according to DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_mean_variance_normalization1_operator_desc}}
    %0 = dml.mean_variance_normalization1 %input scale(%bias) bias(%bias) {
        axes = array<i64: 2, 3>, normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<1x2x3x4xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>)
        -> tensor<1x2x3x4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_4_0>} {
  func.func @repeated_channels(%input: tensor<1x2x3x4xf32>, %bias: tensor<1x1x3x1xf32>) {
    %0 = dml.mean_variance_normalization1 %input scale(%bias) bias(%bias) {
        axes = array<i64: 2, 3>, normalize_variance = true, epsilon = 0.5 : f32}
        : (tensor<1x2x3x4xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>)
        -> tensor<1x2x3x4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_3_1>} {
  func.func @repeated_planes(%input: tensor<1x2x3x4xf32>, %mean: tensor<1x2x1x1xf32>) {
    // expected-error @below {{'dml.batch_normalization' op mean or variance repeats elements along width or height while spatial is false, but feature level 3_1 wants the sizes of input there (this needs 4_0)}}
    // expected-note @below {{according to DML_BATCH_NORMALIZATION_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_batch_normalization_operator_desc}}
    %0 = dml.batch_normalization %input, %mean, %mean, %mean, %mean {
        spatial = false, epsilon = 0.5 : f32}
        : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
           tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_3_1>} {
  func.func @spatial(%input: tensor<1x2x3x4xf32>, %mean: tensor<1x2x1x1xf32>) {
    %0 = dml.batch_normalization %input, %mean, %mean, %mean, %mean {
        spatial = true, epsilon = 0.5 : f32}
        : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
           tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_4_0>} {
  func.func @repeated_planes(%input: tensor<1x2x3x4xf32>, %mean: tensor<1x2x1x1xf32>) {
    %0 = dml.batch_normalization %input, %mean, %mean, %mean, %mean {
        spatial = false, epsilon = 0.5 : f32}
        : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>,
           tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_3_1>} {
  func.func @ranks(%input: tensor<1x1x2x3xf32>) {
    // expected-error @below {{'dml.nonzero_coordinates' op the tensors have different ranks, but feature level 3_1 wants equal ranks (this needs 4_0)}}
    // expected-note @below {{according to DML_NONZERO_COORDINATES_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_nonzero_coordinates_operator_desc}}
    %count, %rows = dml.nonzero_coordinates %input
        : (tensor<1x1x2x3xf32>) -> (tensor<1x1x1x1xui32>, tensor<1x1x1x6x4xui32>)
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_3_1>} {
  func.func @ranks(%input: tensor<1x1x2x3xf32>) {
    %count, %rows = dml.nonzero_coordinates %input
        : (tensor<1x1x2x3xf32>) -> (tensor<1x1x1x1xui32>, tensor<1x1x6x4xui32>)
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_4_0>} {
  func.func @ranks(%input: tensor<1x1x2x3xf32>) {
    %count, %rows = dml.nonzero_coordinates %input
        : (tensor<1x1x2x3xf32>) -> (tensor<1x1x1x1xui32>, tensor<6x4xui32>)
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_2_1>} {
  func.func @types(%input: tensor<1x1x2x3xf32>, %exponent: tensor<1x1x2x3xf16>) {
    // expected-error @below {{'dml.element_wise_pow' op input and exponent have different element types, but feature level 2_1 wants equal ones (this needs 3_0)}}
    // expected-note @below {{according to DML_ELEMENT_WISE_POW_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_element_wise_pow_operator_desc}}
    %0 = dml.element_wise_pow %input, %exponent
        : (tensor<1x1x2x3xf32>, tensor<1x1x2x3xf16>) -> tensor<1x1x2x3xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_3_0>} {
  func.func @types(%input: tensor<1x1x2x3xf32>, %exponent: tensor<1x1x2x3xf16>) {
    %0 = dml.element_wise_pow %input, %exponent
        : (tensor<1x1x2x3xf32>, tensor<1x1x2x3xf16>) -> tensor<1x1x2x3xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_6_0>} {
  func.func @fused_softmax(%a: tensor<2x2xf32>) {
    // expected-error @below {{'dml.gemm' op fused_activation is softmax1, but feature level 6_0 supports linear, sigmoid, hard_sigmoid, tanh, scaled_tanh, relu, leaky_relu, thresholded_relu, elu, celu, scaled_elu, softplus, parametric_softplus, softsign, identity, shrink, gelu, clip (softmax1 needs 6_1)}}
    // expected-note @below {{according to DML_GEMM_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_gemm_operator_desc}}
    %0 = dml.gemm %a, %a {trans_a = #dml.matrix_transform<none>,
        trans_b = #dml.matrix_transform<none>,
        fused_activation = #dml.activation<softmax1, {axes = array<i64: 1>}>}
        : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return
  }
}

// -----

module attributes {dml.target = #dml.target<feature_level = fl_6_1>} {
  func.func @fused_softmax(%a: tensor<2x2xf32>) {
    %0 = dml.gemm %a, %a {trans_a = #dml.matrix_transform<none>,
        trans_b = #dml.matrix_transform<none>,
        fused_activation = #dml.activation<softmax1, {axes = array<i64: 1>}>}
        : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return
  }
}
