// DirectML's page for DML_MAX_POOLING_GRAD_OPERATOR_DESC, its example: two inputs.
func.func @main(%input: tensor<1x1x3x3xf32> {dml.name = "input"},
                %gradient: tensor<1x1x2x2xf32> {dml.name = "gradient"})
    -> (tensor<1x1x3x3xf32> {dml.name = "output"}) {
  %output = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return %output : tensor<1x1x3x3xf32>
}

// SPDX-License-Identifier: Apache-2.0
