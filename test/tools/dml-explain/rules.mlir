// What a level does not take beside ranks, types and cases is told as these are.
//
// RUN: not dml-explain %s --level=4_0 | FileCheck %s
// RUN: not dml-explain %s --level=4_0 --json | FileCheck %s --check-prefix=JSON
// RUN: dml-explain --matrix=markdown | FileCheck %s --check-prefix=MATRIX
// RUN: dml-explain --matrix=json | FileCheck %s --check-prefix=TABLE

// CHECK: does not fit feature level 4_0
// CHECK-NEXT: dml.mean_variance_normalization at line {{[0-9]+}}: one of scale and bias is absent, but feature level 4_0 wants both or neither (this needs 5_2)
// CHECK: decided by
// CHECK-NEXT: dml.mean_variance_normalization at line {{[0-9]+}}: one of scale and bias is absent
// CHECK: legalization to 4_0: 1 operator can be rewritten, 0 cannot

// JSON: "kind": "rule"
// JSON-NEXT: "level": "5_2"
// JSON-NEXT: "rule": "scale_and_bias_together"
// JSON-NEXT: "source": "DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC
// JSON-NEXT: "text": "one of scale and bias is absent"

// MATRIX: | `dml.nonzero_coordinates` |   |   |   | new | = | more |
// MATRIX: ### `dml.nonzero_coordinates`
// MATRIX: | only from level | where | older levels want |
// MATRIX: | 4_0 | the tensors have different ranks | equal ranks |

// TABLE: "found": "mean or variance repeats elements along width or height while spatial is false"

func.func @main(%input: tensor<1x2x3x4xf32>, %bias: tensor<1x2x1x1xf32>)
    -> tensor<1x2x3x4xf32> {
  %0 = dml.mean_variance_normalization %input bias(%bias) {
      cross_channel = false, normalize_variance = true, epsilon = 0.5 : f32}
      : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x3x4xf32>
  return %0 : tensor<1x2x3x4xf32>
}

// SPDX-License-Identifier: Apache-2.0
