// What products of integers and of quantized numbers accept, in text and in
// bytecode. A comment names the constraint whose limit a case stands on
// (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// CHECK-LABEL: func @convolution_integer
func.func @convolution_integer(
    %row: tensor<1x2x3xi8>, %row_filter: tensor<2x2x3xui8>,
    %plane: tensor<2x4x5x6xui8>, %plane_filter: tensor<6x2x3x3xi8>,
    %zero: tensor<1x1x1x1xui8>, %zeros: tensor<1x6x1x1xi8>,
    %row_zeros: tensor<2x1xui8>, %number: tensor<1x1xi8>) {
  // dml.convolution_integer (C1), (C3): one spatial dimension.
  // dml.convolution_integer (C8): a filter as large as the input.
  // CHECK: dml.convolution_integer %{{.*}}, %{{.*}} {dilations = array<i64: 1>, end_padding = array<i64: 0>, start_padding = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x2x3xi8>, tensor<2x2x3xui8>) -> tensor<1x2x1xi32>
  %0 = dml.convolution_integer %row, %row_filter {
      strides = array<i64: 1>, dilations = array<i64: 1>,
      start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x3xi8>, tensor<2x2x3xui8>) -> tensor<1x2x1xi32>
  // dml.convolution_integer (C2): 1 and 0, the lowest values.
  // dml.convolution_integer (C4): types of its own for each tensor and its zero.
  // dml.convolution_integer (C5): two groups of two channels and three filters.
  // dml.convolution_integer (C6), (C7): a zero point for each filter.
  // CHECK: dml.convolution_integer %{{.*}} input_zero_point(%{{.*}}), %{{.*}} filter_zero_point(%{{.*}}) {dilations = array<i64: 2, 1>, end_padding = array<i64: 1, 0>, group_count = 2 : i64, start_padding = array<i64: 1, 0>, strides = array<i64: 2, 1>} : (tensor<2x4x5x6xui8>, tensor<1x1x1x1xui8>, tensor<6x2x3x3xi8>, tensor<1x6x1x1xi8>) -> tensor<2x6x2x4xi32>
  %1 = dml.convolution_integer %plane input_zero_point(%zero), %plane_filter filter_zero_point(%zeros) {
      strides = array<i64: 2, 1>, dilations = array<i64: 2, 1>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 1, 0>,
      group_count = 2}
      : (tensor<2x4x5x6xui8>, tensor<1x1x1x1xui8>, tensor<6x2x3x3xi8>,
         tensor<1x6x1x1xi8>) -> tensor<2x6x2x4xi32>
  // dml.convolution_integer (C6): a rank of 2 has the channels first.
  // CHECK: input_zero_point(%{{.*}}), %{{.*}} filter_zero_point(%{{.*}})
  %2 = dml.convolution_integer %row input_zero_point(%number), %row_filter filter_zero_point(%row_zeros) {
      strides = array<i64: 1>, dilations = array<i64: 1>,
      start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x3xi8>, tensor<1x1xi8>, tensor<2x2x3xui8>, tensor<2x1xui8>)
      -> tensor<1x2x1xi32>
  return
}

// CHECK-LABEL: func @quantized_linear_convolution
func.func @quantized_linear_convolution(
    %row: tensor<1x2x3xi8>, %row_filter: tensor<2x2x3xui8>,
    %plane: tensor<2x4x5x6xui8>, %plane_filter: tensor<6x2x3x3xi8>,
    %zero: tensor<1x1x1x1xui8>, %zeros: tensor<1x6x1x1xi8>,
    %scale: tensor<1xf32>, %scales: tensor<1x6x1x1xf32>,
    %bias: tensor<1x6x1x1xi32>) {
  // dml.quantized_linear_convolution (C1), (C3): one spatial dimension.
  // dml.quantized_linear_convolution (C8): a filter as large as the input.
  // CHECK: dml.quantized_linear_convolution %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {dilations = array<i64: 1>, end_padding = array<i64: 0>, start_padding = array<i64: 0>, strides = array<i64: 1>} : (tensor<1x2x3xi8>, tensor<1xf32>, tensor<2x2x3xui8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x1xi8>
  %0 = dml.quantized_linear_convolution %row, %scale, %row_filter, %scale, %scale {
      strides = array<i64: 1>, dilations = array<i64: 1>,
      start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x3xi8>, tensor<1xf32>, tensor<2x2x3xui8>, tensor<1xf32>,
         tensor<1xf32>) -> tensor<1x2x1xi8>
  // dml.quantized_linear_convolution (C2): 1 and 0, the lowest values.
  // dml.quantized_linear_convolution (C4), (C5), (C6), (C7): all there is.
  // CHECK: dml.quantized_linear_convolution %{{.*}}, %{{.*}} input_zero_point(%{{.*}}), %{{.*}}, %{{.*}} filter_zero_point(%{{.*}}) bias(%{{.*}}), %{{.*}} output_zero_point(%{{.*}}) {dilations
  %1 = dml.quantized_linear_convolution %plane, %scale input_zero_point(%zero),
      %plane_filter, %scales filter_zero_point(%zeros) bias(%bias),
      %scale output_zero_point(%zero) {
      strides = array<i64: 2, 1>, dilations = array<i64: 2, 1>,
      start_padding = array<i64: 1, 0>, end_padding = array<i64: 1, 0>,
      group_count = 2}
      : (tensor<2x4x5x6xui8>, tensor<1xf32>, tensor<1x1x1x1xui8>,
         tensor<6x2x3x3xi8>, tensor<1x6x1x1xf32>, tensor<1x6x1x1xi8>,
         tensor<1x6x1x1xi32>, tensor<1xf32>, tensor<1x1x1x1xui8>)
      -> tensor<2x6x2x4xui8>
  return
}

// CHECK-LABEL: func @matrix_multiply_integer
func.func @matrix_multiply_integer(
    %a: tensor<2x3xui8>, %b: tensor<3x4xi8>, %zero: tensor<1xui8>,
    %zeros: tensor<4xi8>, %batches: tensor<2x3x4x5xi8>,
    %others: tensor<2x3x5x1xi8>, %rows: tensor<1x1x4x1xi8>) {
  // dml.matrix_multiply_integer (C1), (C3), (C4): a product of two matrices.
  // dml.matrix_multiply_integer (C5): types of its own for each matrix.
  // CHECK: dml.matrix_multiply_integer %{{.*}} a_zero_point(%{{.*}}), %{{.*}} b_zero_point(%{{.*}}) : (tensor<2x3xui8>, tensor<1xui8>, tensor<3x4xi8>, tensor<4xi8>) -> tensor<2x4xi32>
  %0 = dml.matrix_multiply_integer %a a_zero_point(%zero), %b b_zero_point(%zeros)
      : (tensor<2x3xui8>, tensor<1xui8>, tensor<3x4xi8>, tensor<4xi8>)
      -> tensor<2x4xi32>
  // dml.matrix_multiply_integer (C2): a product for each of six pairs.
  // dml.matrix_multiply_integer (C6): a zero point for each row.
  // CHECK: dml.matrix_multiply_integer %{{.*}} a_zero_point(%{{.*}}), %{{.*}} : (tensor<2x3x4x5xi8>, tensor<1x1x4x1xi8>, tensor<2x3x5x1xi8>) -> tensor<2x3x4x1xi32>
  %1 = dml.matrix_multiply_integer %batches a_zero_point(%rows), %others
      : (tensor<2x3x4x5xi8>, tensor<1x1x4x1xi8>, tensor<2x3x5x1xi8>)
      -> tensor<2x3x4x1xi32>
  return
}

// CHECK-LABEL: func @quantized_linear_matrix_multiply
func.func @quantized_linear_matrix_multiply(
    %a: tensor<2x3xui8>, %b: tensor<3x4xi8>, %scale: tensor<1xf32>,
    %scales: tensor<4xf32>, %zero: tensor<1xui8>, %zeros: tensor<4xi8>,
    %batches: tensor<2x3x4x5xi8>, %others: tensor<2x3x5x1xi8>,
    %one: tensor<1x1x1x1xf32>, %row_scales: tensor<1x1x4x1xf32>,
    %row_zeros: tensor<1x1x4x1xi8>, %row_outputs: tensor<1x1x4x1xui8>) {
  // dml.quantized_linear_matrix_multiply (C1), (C3), (C4), (C5)
  // CHECK: dml.quantized_linear_matrix_multiply %{{.*}}, %{{.*}} a_zero_point(%{{.*}}), %{{.*}}, %{{.*}} b_zero_point(%{{.*}}), %{{.*}} : (tensor<2x3xui8>, tensor<1xf32>, tensor<1xui8>, tensor<3x4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<1xf32>) -> tensor<2x4xi8>
  %0 = dml.quantized_linear_matrix_multiply
      %a, %scale a_zero_point(%zero), %b, %scales b_zero_point(%zeros), %scale
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<1xui8>, tensor<3x4xi8>,
         tensor<4xf32>, tensor<4xi8>, tensor<1xf32>) -> tensor<2x4xi8>
  // dml.quantized_linear_matrix_multiply (C2): a product for each of six pairs.
  // dml.quantized_linear_matrix_multiply (C6), (C7): of each row.
  // CHECK: dml.quantized_linear_matrix_multiply %{{.*}}, %{{.*}} a_zero_point(%{{.*}}), %{{.*}}, %{{.*}}, %{{.*}} output_zero_point(%{{.*}}) :
  %1 = dml.quantized_linear_matrix_multiply
      %batches, %row_scales a_zero_point(%row_zeros), %others, %one,
      %row_scales output_zero_point(%row_outputs)
      : (tensor<2x3x4x5xi8>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xi8>,
         tensor<2x3x5x1xi8>, tensor<1x1x1x1xf32>, tensor<1x1x4x1xf32>,
         tensor<1x1x4x1xui8>) -> tensor<2x3x4x1xui8>
  return
}

// CHECK-LABEL: func @matrix_multiply_integer_to_float
func.func @matrix_multiply_integer_to_float(
    %a: tensor<2x3xui8>, %b: tensor<3x4xi8>, %scale: tensor<1xf32>,
    %scales: tensor<4xf32>, %zero: tensor<1xui8>, %zeros: tensor<4xi8>,
    %bias: tensor<2x4xf32>, %batches: tensor<2x3x4x5xui32>,
    %others: tensor<2x3x5x1xui32>, %one: tensor<1x1x1x1xf16>,
    %row_scales: tensor<1x1x4x1xf16>, %row_zeros: tensor<1x1x4x1xui32>) {
  // dml.matrix_multiply_integer_to_float (C1), (C3), (C4), (C5), (C8), (C9)
  // dml.matrix_multiply_integer_to_float (C10): ui8 and i8.
  // CHECK: dml.matrix_multiply_integer_to_float %{{.*}}, %{{.*}} a_zero_point(%{{.*}}), %{{.*}}, %{{.*}} b_zero_point(%{{.*}}) bias(%{{.*}}) : (tensor<2x3xui8>, tensor<1xf32>, tensor<1xui8>, tensor<3x4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = dml.matrix_multiply_integer_to_float
      %a, %scale a_zero_point(%zero), %b, %scales b_zero_point(%zeros) bias(%bias)
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<1xui8>, tensor<3x4xi8>,
         tensor<4xf32>, tensor<4xi8>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // dml.matrix_multiply_integer_to_float (C2): a product for each of six pairs.
  // dml.matrix_multiply_integer_to_float (C6), (C7): of each row.
  // CHECK: dml.matrix_multiply_integer_to_float %{{.*}}, %{{.*}} a_zero_point(%{{.*}}), %{{.*}}, %{{.*}} :
  %1 = dml.matrix_multiply_integer_to_float
      %batches, %row_scales a_zero_point(%row_zeros), %others, %one
      : (tensor<2x3x4x5xui32>, tensor<1x1x4x1xf16>, tensor<1x1x4x1xui32>,
         tensor<2x3x5x1xui32>, tensor<1x1x1x1xf16>) -> tensor<2x3x4x1xf16>
  return
}

// SPDX-License-Identifier: Apache-2.0
