// Operators that need different feature levels; ask `dml-explain` about them.
func.func @enlarge(%image: tensor<1x3x32x32xf32> {dml.name = "image"})
    -> (tensor<1x3x72x72xf32> {dml.name = "enlarged"}) {
  // Since 2_0, as the operator.
  %0 = dml.resample %image {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 2.0, 2.0>}
      : (tensor<1x3x32x32xf32>) -> tensor<1x3x64x64xf32>
  // Since 3_0, for the mode.
  %1 = dml.padding %0 {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 0, 4, 4>, end_padding = array<i64: 0, 0, 4, 4>}
      : (tensor<1x3x64x64xf32>) -> tensor<1x3x72x72xf32>
  return %1 : tensor<1x3x72x72xf32>
}

func.func @repeat(%rows: tensor<4x8xi32> {dml.name = "rows"})
    -> (tensor<8x8xi32> {dml.name = "repeated"}) {
  // Since 3_1, for the rank; i32 alone has been there since 2_1.
  %0 = dml.tile %rows {repeats = array<i64: 2, 1>}
      : (tensor<4x8xi32>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

// SPDX-License-Identifier: Apache-2.0
