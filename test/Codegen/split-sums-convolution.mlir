// 25,088 sums of 4,608 products, whose factors are loaded one by one since some are
// padding: threads that share out the terms would take longer for their loads than
// workgroups in parts do.
//
// RUN: dml-opt %s --dml-to-gpu --mlir-print-ir-after=dml-split-sums -o /dev/null 2>&1 | FileCheck %s

// CHECK: memref.alloc() {{.*}}: memref<{{[0-9]+}}x1x512x7x7xf32>
func.func @main(%input: tensor<1x512x7x7xf32>, %filter: tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32> {
  %0 = dml.convolution %input, %filter {mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>, output_padding = array<i64: 0, 0>}
      : (tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>) -> tensor<1x512x7x7xf32>
  return %0 : tensor<1x512x7x7xf32>
}

// SPDX-License-Identifier: Apache-2.0
