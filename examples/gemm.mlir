// A product of matrices with a bias and a ReLU: docs/Architecture.md follows it through
// the compiler.
//
//   dml-run examples/gemm.mlir --input=64x256xf32=0.5 --input=256x64xf32=0.25 --input=64x64xf32=-32
//
// SPDX-License-Identifier: Apache-2.0
func.func @main(%x: tensor<64x256xf32>, %weights: tensor<256x64xf32>,
                %bias: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %sum = dml.gemm %x, %weights c(%bias) {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<64x256xf32>, tensor<256x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %output = dml.activation_relu %sum : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %output : tensor<64x64xf32>
}
