// What products of integers and of quantized numbers reject, with the whole
// message. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

func.func @convolution_integer_c1(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>) {
  // dml.convolution_integer (C1)
  // expected-error @below {{'dml.convolution_integer' op strides has 1 value, but wants 2, one for each spatial dimension of input}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c2_dilations(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>) {
  // dml.convolution_integer (C2)
  // expected-error @below {{'dml.convolution_integer' op dilations[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1, 1>, dilations = array<i64: 0, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c2_padding(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>) {
  // dml.convolution_integer (C2)
  // expected-error @below {{'dml.convolution_integer' op end_padding[1] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, -1>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c2_groups(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>) {
  // dml.convolution_integer (C2)
  // expected-error @below {{'dml.convolution_integer' op group_count is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, group_count = 0}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c3(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3xi8>) {
  // dml.convolution_integer (C3)
  // expected-error @below {{'dml.convolution_integer' op filter has rank 3, but input has rank 4}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c4(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xi8>, %arg2: tensor<4x4x3x3xi8>) {
  // dml.convolution_integer (C4)
  // expected-error @below {{'dml.convolution_integer' op input_zero_point has element type 'i8', but input has 'ui8'}}
  %0 = dml.convolution_integer %arg0 input_zero_point(%arg1), %arg2 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xi8>, tensor<4x4x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c4_filter(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>, %arg2: tensor<1xui8>) {
  // dml.convolution_integer (C4)
  // expected-error @below {{'dml.convolution_integer' op filter_zero_point has element type 'ui8', but filter has 'i8'}}
  %0 = dml.convolution_integer %arg0, %arg1 filter_zero_point(%arg2) {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>, tensor<1xui8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c5_channels(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x3x3x3xi8>) {
  // dml.convolution_integer (C5)
  // expected-error @below {{'dml.convolution_integer' op input has 4 channels, but filter wants 3, its size in dimension 1 times group_count}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<4x3x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c5_filters(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<5x2x3x3xi8>) {
  // dml.convolution_integer (C5)
  // expected-error @below {{'dml.convolution_integer' op filter has size 5 in dimension 0, but wants a multiple of group_count, which is 2}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, group_count = 2}
      : (tensor<1x4x5x5xui8>, tensor<5x2x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c6_input(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1x4x1x1xui8>, %arg2: tensor<4x4x3x3xi8>) {
  // dml.convolution_integer (C6)
  // expected-error @below {{'dml.convolution_integer' op input_zero_point has size 4 in dimension 1, but wants 1}}
  %0 = dml.convolution_integer %arg0 input_zero_point(%arg1), %arg2 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1x4x1x1xui8>, tensor<4x4x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c6_filter(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>, %arg2: tensor<1x3x1x1xi8>) {
  // dml.convolution_integer (C6)
  // expected-error @below {{'dml.convolution_integer' op filter_zero_point has size 3 in dimension 1, but wants 1 or 4, the number of output channels}}
  %0 = dml.convolution_integer %arg0, %arg1 filter_zero_point(%arg2) {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>, tensor<1x3x1x1xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c6_place(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>, %arg2: tensor<4xi8>) {
  // dml.convolution_integer (C6)
  // expected-error @below {{'dml.convolution_integer' op filter_zero_point has size 4 in dimension 0, but wants 1}}
  %0 = dml.convolution_integer %arg0, %arg1 filter_zero_point(%arg2) {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>, tensor<4xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c7(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1x1xui8>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xi8>) {
  // dml.convolution_integer (C7)
  // expected-error @below {{'dml.convolution_integer' op filter_zero_point has rank 1, but input_zero_point has rank 2}}
  %0 = dml.convolution_integer %arg0 input_zero_point(%arg1), %arg2 filter_zero_point(%arg3) {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1x1xui8>, tensor<4x4x3x3xi8>, tensor<1xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @convolution_integer_c8(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>) {
  // dml.convolution_integer (C8)
  // expected-error @below {{'dml.convolution_integer' op output has type 'tensor<1x4x3x4xi32>', but wants 'tensor<1x4x3x3xi32>'}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>) -> tensor<1x4x3x4xi32>
  return
}

// -----

func.func @convolution_integer_c8_extent(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<4x4x3x3xi8>) {
  // dml.convolution_integer (C8)
  // expected-error @below {{'dml.convolution_integer' op filter extends over 7 elements in dimension 3, but the padded input has 6}}
  %0 = dml.convolution_integer %arg0, %arg1 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 3>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 1>}
      : (tensor<1x4x5x5xui8>, tensor<4x4x3x3xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @quantized_linear_convolution_c1(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C1)
  // expected-error @below {{'dml.quantized_linear_convolution' op strides has 1 value, but wants 2, one for each spatial dimension of input}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c2_dilations(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C2)
  // expected-error @below {{'dml.quantized_linear_convolution' op dilations[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 0, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c2_padding(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C2)
  // expected-error @below {{'dml.quantized_linear_convolution' op end_padding[1] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, -1>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c2_groups(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C2)
  // expected-error @below {{'dml.quantized_linear_convolution' op group_count is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, group_count = 0}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c3(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C3)
  // expected-error @below {{'dml.quantized_linear_convolution' op filter has rank 3, but input has rank 4}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c3_bias(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1x4x1xi32>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C3)
  // expected-error @below {{'dml.quantized_linear_convolution' op bias has rank 3, but output has rank 4}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3 bias(%arg4), %arg5 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1x4x1xi32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c4(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<1xi8>, %arg3: tensor<4x4x3x3xi8>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C4)
  // expected-error @below {{'dml.quantized_linear_convolution' op input_zero_point has element type 'i8', but input has 'ui8'}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1 input_zero_point(%arg2), %arg3, %arg4, %arg5 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<1xi8>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c4_filter(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xui8>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C4)
  // expected-error @below {{'dml.quantized_linear_convolution' op filter_zero_point has element type 'ui8', but filter has 'i8'}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3 filter_zero_point(%arg4), %arg5 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xui8>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c4_output(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>, %arg5: tensor<1xui8>) {
  // dml.quantized_linear_convolution (C4)
  // expected-error @below {{'dml.quantized_linear_convolution' op output has element type 'i8', but output_zero_point has 'ui8'}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 output_zero_point(%arg5) {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>, tensor<1xui8>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c5_channels(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x3x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C5)
  // expected-error @below {{'dml.quantized_linear_convolution' op input has 4 channels, but filter wants 3, its size in dimension 1 times group_count}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x3x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c5_filters(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<5x2x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C5)
  // expected-error @below {{'dml.quantized_linear_convolution' op filter has size 5 in dimension 0, but wants a multiple of group_count, which is 2}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, group_count = 2}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<5x2x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c6_input(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<1x4x1x1xui8>, %arg3: tensor<4x4x3x3xi8>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C6)
  // expected-error @below {{'dml.quantized_linear_convolution' op input_zero_point has size 4 in dimension 1, but wants 1}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1 input_zero_point(%arg2), %arg3, %arg4, %arg5 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<1x4x1x1xui8>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c6_filter(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1x3x1x1xi8>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C6)
  // expected-error @below {{'dml.quantized_linear_convolution' op filter_zero_point has size 3 in dimension 1, but wants 1 or 4, the number of output channels}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3 filter_zero_point(%arg4), %arg5 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1x3x1x1xi8>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c6_place(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<4xi8>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C6)
  // expected-error @below {{'dml.quantized_linear_convolution' op filter_zero_point has size 4 in dimension 0, but wants 1}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3 filter_zero_point(%arg4), %arg5 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<4xi8>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c6_scale(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<2x1x1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C6)
  // expected-error @below {{'dml.quantized_linear_convolution' op filter_scale has size 2 in dimension 0, but wants 1 or 4, the number of output channels}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<2x1x1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c6_output_scale(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1x4x1x1xf32>) {
  // dml.quantized_linear_convolution (C6)
  // expected-error @below {{'dml.quantized_linear_convolution' op output_scale has size 4 in dimension 1, but wants 1}}
  // expected-remark @below {{the types fit if filter_scale and output_scale change places}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1x4x1x1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c7(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1x3x1x1xi32>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C7)
  // expected-error @below {{'dml.quantized_linear_convolution' op bias has size 3 in dimension 1, but wants 4, the output's channels}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3 bias(%arg4), %arg5 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1x3x1x1xi32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c7_broadcast(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1x4x1x3xi32>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C7)
  // expected-error @below {{'dml.quantized_linear_convolution' op bias has size 3 in dimension 3, but wants 1}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3 bias(%arg4), %arg5 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1x4x1x3xi32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c8(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C8)
  // expected-error @below {{'dml.quantized_linear_convolution' op output has type 'tensor<1x4x3x4xi8>', but wants 'tensor<1x4x3x3xi8>'}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x4xi8>
  return
}

// -----

func.func @quantized_linear_convolution_c8_extent(%arg0: tensor<1x4x5x5xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x4x3x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_convolution (C8)
  // expected-error @below {{'dml.quantized_linear_convolution' op filter extends over 7 elements in dimension 3, but the padded input has 6}}
  %0 = dml.quantized_linear_convolution %arg0, %arg1, %arg2, %arg3, %arg4 {
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 3>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 1>}
      : (tensor<1x4x5x5xui8>, tensor<1xf32>, tensor<4x4x3x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x3xi8>
  return
}

// -----

func.func @matrix_multiply_integer_c1(%arg0: tensor<2x3xui8>, %arg1: tensor<1x3x4xi8>) {
  // dml.matrix_multiply_integer (C1)
  // expected-error @below {{'dml.matrix_multiply_integer' op b has rank 3, but a has rank 2}}
  %0 = dml.matrix_multiply_integer %arg0, %arg1
      : (tensor<2x3xui8>, tensor<1x3x4xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @matrix_multiply_integer_c2(%arg0: tensor<2x2x3xui8>, %arg1: tensor<3x3x4xi8>) {
  // dml.matrix_multiply_integer (C2)
  // expected-error @below {{'dml.matrix_multiply_integer' op b has size 3 in dimension 0, but a has 2 there (the operator does not broadcast)}}
  %0 = dml.matrix_multiply_integer %arg0, %arg1
      : (tensor<2x2x3xui8>, tensor<3x3x4xi8>) -> tensor<2x2x4xi32>
  return
}

// -----

func.func @matrix_multiply_integer_c3(%arg0: tensor<2x3xui8>, %arg1: tensor<4x3xi8>) {
  // dml.matrix_multiply_integer (C3)
  // expected-error @below {{'dml.matrix_multiply_integer' op a has 3 columns, but b has 4 rows}}
  %0 = dml.matrix_multiply_integer %arg0, %arg1
      : (tensor<2x3xui8>, tensor<4x3xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @matrix_multiply_integer_c4(%arg0: tensor<2x3xui8>, %arg1: tensor<3x4xi8>) {
  // dml.matrix_multiply_integer (C4)
  // expected-error @below {{'dml.matrix_multiply_integer' op output has type 'tensor<4x2xi32>', but wants 'tensor<2x4xi32>'}}
  %0 = dml.matrix_multiply_integer %arg0, %arg1
      : (tensor<2x3xui8>, tensor<3x4xi8>) -> tensor<4x2xi32>
  return
}

// -----

func.func @matrix_multiply_integer_c5(%arg0: tensor<2x3xui8>, %arg1: tensor<1xi8>, %arg2: tensor<3x4xi8>) {
  // dml.matrix_multiply_integer (C5)
  // expected-error @below {{'dml.matrix_multiply_integer' op a_zero_point has element type 'i8', but a has 'ui8'}}
  %0 = dml.matrix_multiply_integer %arg0 a_zero_point(%arg1), %arg2
      : (tensor<2x3xui8>, tensor<1xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @matrix_multiply_integer_c5_b(%arg0: tensor<2x3xui8>, %arg1: tensor<3x4xi8>, %arg2: tensor<1xui8>) {
  // dml.matrix_multiply_integer (C5)
  // expected-error @below {{'dml.matrix_multiply_integer' op b_zero_point has element type 'ui8', but b has 'i8'}}
  %0 = dml.matrix_multiply_integer %arg0, %arg1 b_zero_point(%arg2)
      : (tensor<2x3xui8>, tensor<3x4xi8>, tensor<1xui8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @matrix_multiply_integer_c6_rows(%arg0: tensor<2x3xui8>, %arg1: tensor<3x1xui8>, %arg2: tensor<3x4xi8>) {
  // dml.matrix_multiply_integer (C6)
  // expected-error @below {{'dml.matrix_multiply_integer' op a_zero_point has size 3 in dimension 0, but wants 1 or 2, the number of rows}}
  %0 = dml.matrix_multiply_integer %arg0 a_zero_point(%arg1), %arg2
      : (tensor<2x3xui8>, tensor<3x1xui8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @matrix_multiply_integer_c6_columns(%arg0: tensor<2x3xui8>, %arg1: tensor<3x4xi8>, %arg2: tensor<3xi8>) {
  // dml.matrix_multiply_integer (C6)
  // expected-error @below {{'dml.matrix_multiply_integer' op b_zero_point has size 3 in dimension 0, but wants 1 or 4, the number of columns}}
  %0 = dml.matrix_multiply_integer %arg0, %arg1 b_zero_point(%arg2)
      : (tensor<2x3xui8>, tensor<3x4xi8>, tensor<3xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @matrix_multiply_integer_c6_place(%arg0: tensor<2x3xui8>, %arg1: tensor<2xui8>, %arg2: tensor<3x4xi8>) {
  // dml.matrix_multiply_integer (C6)
  // expected-error @below {{'dml.matrix_multiply_integer' op a_zero_point has size 2 in dimension 0, but wants 1}}
  %0 = dml.matrix_multiply_integer %arg0 a_zero_point(%arg1), %arg2
      : (tensor<2x3xui8>, tensor<2xui8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c1(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<1x3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C1)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op b has rank 3, but a has rank 2}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3, %arg4
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<1x3x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c2(%arg0: tensor<2x2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C2)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op b has size 3 in dimension 0, but a has 2 there (the operator does not broadcast)}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3, %arg4
      : (tensor<2x2x3xui8>, tensor<1xf32>, tensor<3x3x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c3(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x3xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C3)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op a has 3 columns, but b has 4 rows}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3, %arg4
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<4x3xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c4(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C4)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op output has type 'tensor<4x2xi8>', but wants 'tensor<2x4xi8>'}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3, %arg4
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x2xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c5(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<1xi8>, %arg3: tensor<3x4xi8>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C5)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op a_zero_point has element type 'i8', but a has 'ui8'}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1 a_zero_point(%arg2), %arg3, %arg4, %arg5
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<1xi8>, tensor<3x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c5_b(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xui8>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C5)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op b_zero_point has element type 'ui8', but b has 'i8'}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3 b_zero_point(%arg4), %arg5
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<1xui8>, tensor<1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c5_output(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xf32>, %arg5: tensor<1xui8>) {
  // dml.quantized_linear_matrix_multiply (C5)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op output has element type 'i8', but output_zero_point has 'ui8'}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3, %arg4 output_zero_point(%arg5)
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<1xf32>, tensor<1xui8>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c6_rows(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x1xui8>, %arg3: tensor<3x4xi8>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C6)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op a_zero_point has size 3 in dimension 0, but wants 1 or 2, the number of rows}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1 a_zero_point(%arg2), %arg3, %arg4, %arg5
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x1xui8>, tensor<3x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c6_columns(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<3xi8>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C6)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op b_zero_point has size 3 in dimension 0, but wants 1 or 4, the number of columns}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3 b_zero_point(%arg4), %arg5
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<3xi8>, tensor<1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c6_place(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<2xui8>, %arg3: tensor<3x4xi8>, %arg4: tensor<1xf32>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C6)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op a_zero_point has size 2 in dimension 0, but wants 1}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1 a_zero_point(%arg2), %arg3, %arg4, %arg5
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<2xui8>, tensor<3x4xi8>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c6_scale(%arg0: tensor<2x3xui8>, %arg1: tensor<1x1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1x2xf32>, %arg4: tensor<1x1xf32>) {
  // dml.quantized_linear_matrix_multiply (C6)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op b_scale has size 2 in dimension 1, but wants 1 or 4, the number of columns}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3, %arg4
      : (tensor<2x3xui8>, tensor<1x1xf32>, tensor<3x4xi8>, tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @quantized_linear_matrix_multiply_c7(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1x4xi8>, %arg5: tensor<1xf32>) {
  // dml.quantized_linear_matrix_multiply (C7)
  // expected-error @below {{'dml.quantized_linear_matrix_multiply' op b_zero_point has rank 2, but a_scale has rank 1}}
  %0 = dml.quantized_linear_matrix_multiply %arg0, %arg1, %arg2, %arg3 b_zero_point(%arg4), %arg5
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<1x4xi8>, tensor<1xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c1(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<1x3x4xi8>, %arg3: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C1)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b has rank 3, but a has rank 2}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<1x3x4xi8>, tensor<1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c2(%arg0: tensor<2x2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x3x4xi8>, %arg3: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C2)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b has size 3 in dimension 0, but a has 2 there (the operator does not broadcast)}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3
      : (tensor<2x2x3xui8>, tensor<1xf32>, tensor<3x3x4xi8>, tensor<1xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c3(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<4x3xi8>, %arg3: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C3)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op a has 3 columns, but b has 4 rows}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<4x3xi8>, tensor<1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c4(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C4)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op output has type 'tensor<4x2xf32>', but wants 'tensor<2x4xf32>'}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c5(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<1xi8>, %arg3: tensor<3x4xi8>, %arg4: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C5)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op a_zero_point has element type 'i8', but a has 'ui8'}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1 a_zero_point(%arg2), %arg3, %arg4
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<1xi8>, tensor<3x4xi8>, tensor<1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c5_b(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1xui8>) {
  // dml.matrix_multiply_integer_to_float (C5)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b_zero_point has element type 'ui8', but b has 'i8'}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3 b_zero_point(%arg4)
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<1xui8>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c6_rows(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x1xui8>, %arg3: tensor<3x4xi8>, %arg4: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C6)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op a_zero_point has size 3 in dimension 0, but wants 1 or 2, the number of rows}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1 a_zero_point(%arg2), %arg3, %arg4
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x1xui8>, tensor<3x4xi8>, tensor<1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c6_columns(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<3xi8>) {
  // dml.matrix_multiply_integer_to_float (C6)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b_zero_point has size 3 in dimension 0, but wants 1 or 4, the number of columns}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3 b_zero_point(%arg4)
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<3xi8>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c6_place(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<2xui8>, %arg3: tensor<3x4xi8>, %arg4: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C6)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op a_zero_point has size 2 in dimension 0, but wants 1}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1 a_zero_point(%arg2), %arg3, %arg4
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<2xui8>, tensor<3x4xi8>, tensor<1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c6_scale(%arg0: tensor<2x3xui8>, %arg1: tensor<1x1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1x2xf32>) {
  // dml.matrix_multiply_integer_to_float (C6)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b_scale has size 2 in dimension 1, but wants 1 or 4, the number of columns}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3
      : (tensor<2x3xui8>, tensor<1x1xf32>, tensor<3x4xi8>, tensor<1x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c7(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1x4xi8>) {
  // dml.matrix_multiply_integer_to_float (C7)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b_zero_point has rank 2, but a_scale has rank 1}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3 b_zero_point(%arg4)
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<1x4xi8>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c8(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf16>) {
  // dml.matrix_multiply_integer_to_float (C8)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b_scale has element type 'f16', but a_scale has 'f32'}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c9(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi8>, %arg3: tensor<1xf32>, %arg4: tensor<1x4xf32>) {
  // dml.matrix_multiply_integer_to_float (C9)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op output has size 2 in dimension 0, but bias has 1 there (the operator does not broadcast)}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3 bias(%arg4)
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi8>, tensor<1xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c10(%arg0: tensor<2x3xui16>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi16>, %arg3: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C10)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b has element type 'i16', but a has 'ui16'; only integers of 8 bits mix}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3
      : (tensor<2x3xui16>, tensor<1xf32>, tensor<3x4xi16>, tensor<1xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @matrix_multiply_integer_to_float_c10_width(%arg0: tensor<2x3xui8>, %arg1: tensor<1xf32>, %arg2: tensor<3x4xi16>, %arg3: tensor<1xf32>) {
  // dml.matrix_multiply_integer_to_float (C10)
  // expected-error @below {{'dml.matrix_multiply_integer_to_float' op b has element type 'i16', but a has 'ui8'; only integers of 8 bits mix}}
  %0 = dml.matrix_multiply_integer_to_float %arg0, %arg1, %arg2, %arg3
      : (tensor<2x3xui8>, tensor<1xf32>, tensor<3x4xi16>, tensor<1xf32>) -> tensor<2x4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
