# SPDX-License-Identifier: Apache-2.0
"""Prints a module with 300 products in a chain, in turn by three numbers, and with
299 functions that repeat a tensor."""
MATRIX = "tensor<32x32xf32>"
NONE = "#dml.matrix_transform<none>"

print(f"func.func @main(%input: {MATRIX}, %matrix: {MATRIX}) -> {MATRIX} {{")
for i in range(300):
    print(f"  %{i} = dml.gemm %{i - 1 if i else 'input'}, %matrix"
          f" {{trans_a = {NONE}, trans_b = {NONE}, alpha = {1 + i % 3}.0 : f32}}"
          f" : ({MATRIX}, {MATRIX}) -> {MATRIX}")
print(f"  return %299 : {MATRIX}\n}}")
for i in range(299):
    print(f"func.func @f{i}(%a: tensor<4xf32>) -> tensor<8xf32> {{\n"
          "  %0 = dml.tile %a {repeats = array<i64: 2>}"
          " : (tensor<4xf32>) -> tensor<8xf32>\n"
          "  return %0 : tensor<8xf32>\n}")
