// x + w, where the program binds w once.
//
// SPDX-License-Identifier: Apache-2.0
func.func @main(%x: tensor<2xf32>,
                %w: tensor<2xf32> {dml.name = "w", dml.owned_by_dml}) -> tensor<2xf32> {
  %0 = dml.element_wise_add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
