// What the poolings reject, but for max pooling's gradient, with the whole message. A comment names the
// constraint that a case breaks (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

func.func @max_pooling2_c1(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C1)
  // expected-error @below {{'dml.max_pooling2' op window_size has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling2_c2_strides(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C2)
  // expected-error @below {{'dml.max_pooling2' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling2_c2_window(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C2)
  // expected-error @below {{'dml.max_pooling2' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling2_c2_padding(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C2)
  // expected-error @below {{'dml.max_pooling2' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling2_c3_type(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C3)
  // expected-error @below {{'dml.max_pooling2' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf16>
  return
}

// -----

func.func @max_pooling2_c3_rank(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C3)
  // expected-error @below {{'dml.max_pooling2' op output has rank 5, but input has rank 4}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2x1xf32>
  return
}

// -----

func.func @max_pooling2_c3_channels(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C3)
  // expected-error @below {{'dml.max_pooling2' op output has size 2 in dimension 1, but wants 1}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @max_pooling2_c4(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C4)
  // expected-error @below {{'dml.max_pooling2' op output has size 3 in dimension 2, but wants 2}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  return
}

// -----

func.func @max_pooling2_c4_ceil(%input: tensor<1x1x3x5xf32>) {
  // dml.max_pooling2 (C4)
  // expected-error @below {{'dml.max_pooling2' op output has size 4 in dimension 3, but wants 2 (or 3, rounded up)}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 2>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x5xf32>) -> tensor<1x1x2x4xf32>
  return
}

// -----

func.func @average_pooling_c1(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling (C1)
  // expected-error @below {{'dml.average_pooling' op window_size has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling_c2_strides(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling (C2)
  // expected-error @below {{'dml.average_pooling' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling_c2_window(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling (C2)
  // expected-error @below {{'dml.average_pooling' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling_c2_padding(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling (C2)
  // expected-error @below {{'dml.average_pooling' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling_c3_type(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling (C3)
  // expected-error @below {{'dml.average_pooling' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf16>
  return
}

// -----

func.func @average_pooling_c3_rank(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling (C3)
  // expected-error @below {{'dml.average_pooling' op output has rank 5, but input has rank 4}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2x1xf32>
  return
}

// -----

func.func @average_pooling_c3_channels(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling (C3)
  // expected-error @below {{'dml.average_pooling' op output has size 2 in dimension 1, but wants 1}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @average_pooling_c4(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling (C4)
  // expected-error @below {{'dml.average_pooling' op output has size 3 in dimension 2, but wants 2}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  return
}

// -----

func.func @average_pooling_c4_ceil(%input: tensor<1x1x3x5xf32>) {
  // dml.average_pooling (C4)
  // expected-error @below {{'dml.average_pooling' op output has size 4 in dimension 3, but wants 2 (or 3, rounded up)}}
  %0 = dml.average_pooling %input {
      strides = array<i64: 1, 2>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = true}
      : (tensor<1x1x3x5xf32>) -> tensor<1x1x2x4xf32>
  return
}

// -----

func.func @max_pooling2_c2_dilations(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C2)
  // expected-error @below {{'dml.max_pooling2' op dilations[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 0, 1>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling2_c5(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling2 (C5)
  // expected-error @below {{'dml.max_pooling2' op output_indices has size 3 in dimension 3, but output has 2 there (the operator does not broadcast)}}
  %0:2 = dml.max_pooling2 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x3xui32>)
  return
}

// -----

func.func @max_pooling_c1(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling (C1)
  // expected-error @below {{'dml.max_pooling' op window_size has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling_c2_strides(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling (C2)
  // expected-error @below {{'dml.max_pooling' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling_c2_window(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling (C2)
  // expected-error @below {{'dml.max_pooling' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling_c2_padding(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling (C2)
  // expected-error @below {{'dml.max_pooling' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling_c3_type(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling (C3)
  // expected-error @below {{'dml.max_pooling' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf16>
  return
}

// -----

func.func @max_pooling_c3_rank(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling (C3)
  // expected-error @below {{'dml.max_pooling' op output has rank 5, but input has rank 4}}
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2x1xf32>
  return
}

// -----

func.func @max_pooling_c3_channels(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling (C3)
  // expected-error @below {{'dml.max_pooling' op output has size 2 in dimension 1, but wants 1}}
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @max_pooling_c4(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling (C4)
  // expected-error @below {{'dml.max_pooling' op output has size 3 in dimension 2, but wants 2}}
  %0 = dml.max_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  return
}

// -----

func.func @max_pooling1_c1(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C1)
  // expected-error @below {{'dml.max_pooling1' op window_size has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.max_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling1_c2_strides(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C2)
  // expected-error @below {{'dml.max_pooling1' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling1 %input {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling1_c2_window(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C2)
  // expected-error @below {{'dml.max_pooling1' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling1_c2_padding(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C2)
  // expected-error @below {{'dml.max_pooling1' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.max_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @max_pooling1_c3_type(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C3)
  // expected-error @below {{'dml.max_pooling1' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.max_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf16>
  return
}

// -----

func.func @max_pooling1_c3_rank(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C3)
  // expected-error @below {{'dml.max_pooling1' op output has rank 5, but input has rank 4}}
  %0 = dml.max_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2x1xf32>
  return
}

// -----

func.func @max_pooling1_c3_channels(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C3)
  // expected-error @below {{'dml.max_pooling1' op output has size 2 in dimension 1, but wants 1}}
  %0 = dml.max_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @max_pooling1_c4(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C4)
  // expected-error @below {{'dml.max_pooling1' op output has size 3 in dimension 2, but wants 2}}
  %0 = dml.max_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  return
}

// -----

func.func @max_pooling1_c5(%input: tensor<1x1x3x3xf32>) {
  // dml.max_pooling1 (C5)
  // expected-error @below {{'dml.max_pooling1' op output_indices has size 3 in dimension 3, but output has 2 there (the operator does not broadcast)}}
  %0:2 = dml.max_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3x3xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x3xui32>)
  return
}

// -----

func.func @average_pooling1_c1(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C1)
  // expected-error @below {{'dml.average_pooling1' op window_size has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling1_c2_strides(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C2)
  // expected-error @below {{'dml.average_pooling1' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling1_c2_window(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C2)
  // expected-error @below {{'dml.average_pooling1' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling1_c2_padding(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C2)
  // expected-error @below {{'dml.average_pooling1' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling1_c2_dilations(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C2)
  // expected-error @below {{'dml.average_pooling1' op dilations[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 0, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling1_c3_type(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C3)
  // expected-error @below {{'dml.average_pooling1' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf16>
  return
}

// -----

func.func @average_pooling1_c3_rank(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C3)
  // expected-error @below {{'dml.average_pooling1' op output has rank 5, but input has rank 4}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2x1xf32>
  return
}

// -----

func.func @average_pooling1_c3_channels(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C3)
  // expected-error @below {{'dml.average_pooling1' op output has size 2 in dimension 1, but wants 1}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @average_pooling1_c4(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C4)
  // expected-error @below {{'dml.average_pooling1' op output has size 3 in dimension 2, but wants 2}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  return
}

// -----

func.func @average_pooling1_c4_dilated(%input: tensor<1x1x3x3xf32>) {
  // dml.average_pooling1 (C4)
  // expected-error @below {{'dml.average_pooling1' op output has size 2 in dimension 2, but wants 1}}
  %0 = dml.average_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 2, 1>, include_padding = false}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling_c1(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C1)
  // expected-error @below {{'dml.lp_pooling' op window_size has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling_c2_strides(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C2)
  // expected-error @below {{'dml.lp_pooling' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling_c2_window(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C2)
  // expected-error @below {{'dml.lp_pooling' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling_c2_padding(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C2)
  // expected-error @below {{'dml.lp_pooling' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>,
      p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling_c3_type(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C3)
  // expected-error @below {{'dml.lp_pooling' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf16>
  return
}

// -----

func.func @lp_pooling_c3_rank(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C3)
  // expected-error @below {{'dml.lp_pooling' op output has rank 5, but input has rank 4}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2x1xf32>
  return
}

// -----

func.func @lp_pooling_c3_channels(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C3)
  // expected-error @below {{'dml.lp_pooling' op output has size 2 in dimension 1, but wants 1}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @lp_pooling_c4(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C4)
  // expected-error @below {{'dml.lp_pooling' op output has size 3 in dimension 2, but wants 2}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  return
}

// -----

func.func @lp_pooling_c5(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling (C5)
  // expected-error @below {{'dml.lp_pooling' op p is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.lp_pooling %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      p = 0}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling1_c1(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C1)
  // expected-error @below {{'dml.lp_pooling1' op window_size has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling1_c2_strides(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C2)
  // expected-error @below {{'dml.lp_pooling1' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling1_c2_window(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C2)
  // expected-error @below {{'dml.lp_pooling1' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling1_c2_padding(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C2)
  // expected-error @below {{'dml.lp_pooling1' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling1_c2_dilations(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C2)
  // expected-error @below {{'dml.lp_pooling1' op dilations[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 0, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling1_c3_type(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C3)
  // expected-error @below {{'dml.lp_pooling1' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf16>
  return
}

// -----

func.func @lp_pooling1_c3_rank(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C3)
  // expected-error @below {{'dml.lp_pooling1' op output has rank 5, but input has rank 4}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2x1xf32>
  return
}

// -----

func.func @lp_pooling1_c3_channels(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C3)
  // expected-error @below {{'dml.lp_pooling1' op output has size 2 in dimension 1, but wants 1}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @lp_pooling1_c4(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C4)
  // expected-error @below {{'dml.lp_pooling1' op output has size 3 in dimension 2, but wants 2}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x3x2xf32>
  return
}

// -----

func.func @lp_pooling1_c4_dilated(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C4)
  // expected-error @below {{'dml.lp_pooling1' op output has size 2 in dimension 2, but wants 1}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 2, 1>, p = 2}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @lp_pooling1_c5(%input: tensor<1x1x3x3xf32>) {
  // dml.lp_pooling1 (C5)
  // expected-error @below {{'dml.lp_pooling1' op p is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.lp_pooling1 %input {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, p = 0}
      : (tensor<1x1x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @average_pooling_grad_c1(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C1)
  // expected-error @below {{'dml.average_pooling_grad' op window_size has 3 values, but wants 2, one for each spatial dimension of input_gradient}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @average_pooling_grad_c2_strides(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C2)
  // expected-error @below {{'dml.average_pooling_grad' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @average_pooling_grad_c2_window(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C2)
  // expected-error @below {{'dml.average_pooling_grad' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @average_pooling_grad_c2_padding(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C2)
  // expected-error @below {{'dml.average_pooling_grad' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @average_pooling_grad_c3_type(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C3)
  // expected-error @below {{'dml.average_pooling_grad' op output_gradient has element type 'f16', but input_gradient has 'f32'}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf16>
  return
}

// -----

func.func @average_pooling_grad_c3_rank(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C3)
  // expected-error @below {{'dml.average_pooling_grad' op input_gradient has rank 4, but output_gradient has rank 5}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x3x1xf32>
  return
}

// -----

func.func @average_pooling_grad_c3_channels(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C3)
  // expected-error @below {{'dml.average_pooling_grad' op input_gradient has size 1 in dimension 1, but wants 2}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @average_pooling_grad_c4(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C4)
  // expected-error @below {{'dml.average_pooling_grad' op input_gradient has size 2 in dimension 2, but wants 3}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x4x3xf32>
  return
}

// -----

func.func @average_pooling_grad_c4_ceil(%gradient: tensor<1x1x2x2xf32>) {
  // dml.average_pooling_grad (C4)
  // expected-error @below {{'dml.average_pooling_grad' op input_gradient has size 2 in dimension 3, but wants 3 (or 4, rounded up)}}
  %0 = dml.average_pooling_grad %gradient {
      strides = array<i64: 1, 2>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      include_padding = false}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x3x7xf32>
  return
}

// -----

func.func @max_unpooling_c1(%input: tensor<1x1x2x2xf32>, %indices: tensor<1x1x2x3xui32>) {
  // dml.max_unpooling (C1)
  // expected-error @below {{'dml.max_unpooling' op indices has size 3 in dimension 3, but input has 2 there (the operator does not broadcast)}}
  %0 = dml.max_unpooling %input, %indices 
      : (tensor<1x1x2x2xf32>, tensor<1x1x2x3xui32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

func.func @max_unpooling_c2_type(%input: tensor<1x1x2x2xf32>, %indices: tensor<1x1x2x2xui32>) {
  // dml.max_unpooling (C2)
  // expected-error @below {{'dml.max_unpooling' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.max_unpooling %input, %indices 
      : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xui32>) -> tensor<1x1x4x4xf16>
  return
}

// -----

func.func @quantized_linear_average_pooling_c1(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>) {
  // dml.quantized_linear_average_pooling (C1)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op window_size has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x2x2x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c2_strides(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>) {
  // dml.quantized_linear_average_pooling (C2)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x2x2x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c2_window(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>) {
  // dml.quantized_linear_average_pooling (C2)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x2x2x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c2_padding(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>) {
  // dml.quantized_linear_average_pooling (C2)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x2x2x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c2_dilations(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>) {
  // dml.quantized_linear_average_pooling (C2)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op dilations[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 0, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x2x2x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c3_rank(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>) {
  // dml.quantized_linear_average_pooling (C3)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op output has rank 5, but input has rank 4}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x2x2x2x1xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c3_channels(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>) {
  // dml.quantized_linear_average_pooling (C3)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op output has size 1 in dimension 1, but wants 2}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x1x2x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c4(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>) {
  // dml.quantized_linear_average_pooling (C4)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op output has size 3 in dimension 2, but wants 2}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xf32>)
        -> tensor<1x2x3x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c5(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>, %zero: tensor<1xi8>) {
  // dml.quantized_linear_average_pooling (C5)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op input_zero_point has element type 'i8', but input has 'ui8'}}
  %0 = dml.quantized_linear_average_pooling %input, %scale
      input_zero_point(%zero), %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<1xi8>, tensor<1xf32>)
        -> tensor<1x2x2x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c6_channels(%input: tensor<1x2x3x3xui8>, %scale: tensor<1x3x1x1xf32>) {
  // dml.quantized_linear_average_pooling (C6)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op input_scale has size 3 in dimension 1, but wants 1 (or 2, input's number of channels)}}
  %0 = dml.quantized_linear_average_pooling %input, %scale, %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1x3x1x1xf32>, tensor<1x3x1x1xf32>)
        -> tensor<1x2x2x2xui8>
  return
}

// -----

func.func @quantized_linear_average_pooling_c6_other(%input: tensor<1x2x3x3xui8>, %scale: tensor<1xf32>, %zero: tensor<2xui8>) {
  // dml.quantized_linear_average_pooling (C6)
  // expected-error @below {{'dml.quantized_linear_average_pooling' op input_zero_point has size 2 in dimension 0, but wants 1}}
  %0 = dml.quantized_linear_average_pooling %input, %scale
      input_zero_point(%zero), %scale {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>, include_padding = false}
      : (tensor<1x2x3x3xui8>, tensor<1xf32>, tensor<2xui8>, tensor<1xf32>)
        -> tensor<1x2x2x2xui8>
  return
}

// SPDX-License-Identifier: Apache-2.0
