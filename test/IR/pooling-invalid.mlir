// What the forward poolings reject, with the whole message. A comment names the
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
