// DirectML's page for DML_PADDING_OPERATOR_DESC, example 3.
module attributes {dml.target = #dml.target<feature_level = fl_5_0>} {
  func.func @main(%input: tensor<1x1x4x4xf32> {dml.name = "input"})
      -> (tensor<1x1x8x10xf32> {dml.name = "output"}) {
    %output = dml.padding %input {mode = #dml.padding_mode<reflection>,
        start_padding = array<i64: 0, 0, 1, 2>, end_padding = array<i64: 0, 0, 3, 4>}
        : (tensor<1x1x4x4xf32>) -> tensor<1x1x8x10xf32>
    return %output : tensor<1x1x8x10xf32>
  }
}

// SPDX-License-Identifier: Apache-2.0
