// What dml.convolution and dml.gemm reject, with the whole message. A comment
// names the constraint that a case breaks (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

func.func @convolution_c1(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C1)
  // expected-error @below {{'dml.convolution' op strides has 1 value, but wants 2, one for each spatial dimension of input}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c1_rank(%input: tensor<1x4xf32>, %filter: tensor<4x4xf32>) {
  // dml.convolution (C1)
  // expected-error @below {{'dml.convolution' op input has rank 2, but wants {N, C, W}, {N, C, H, W} or {N, C, D, H, W}}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64>, dilations = array<i64>,
      start_padding = array<i64>, end_padding = array<i64>,
      output_padding = array<i64>}
      : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @convolution_c2_strides(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C2)
  // expected-error @below {{'dml.convolution' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 0>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c2_dilations(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C2)
  // expected-error @below {{'dml.convolution' op dilations[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 0, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c2_padding(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C2)
  // expected-error @below {{'dml.convolution' op end_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: -1, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c2_output_padding(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C2)
  // expected-error @below {{'dml.convolution' op output_padding[1] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, -1>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c2_groups(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C2)
  // expected-error @below {{'dml.convolution' op group_count is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>, group_count = 0}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c3_type(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf16>) {
  // dml.convolution (C3)
  // expected-error @below {{'dml.convolution' op filter has element type 'f16', but input has 'f32'}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf16>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c3_rank(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3xf32>) {
  // dml.convolution (C3)
  // expected-error @below {{'dml.convolution' op filter has rank 3, but input has rank 4}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c3_bias(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>, %bias: tensor<1x4x1x1xf16>) {
  // dml.convolution (C3)
  // expected-error @below {{'dml.convolution' op bias has element type 'f16', but input has 'f32'}}
  %0 = dml.convolution %input, %filter bias(%bias) {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>, tensor<1x4x1x1xf16>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c4_channels(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x3x3x3xf32>) {
  // dml.convolution (C4)
  // expected-error @below {{'dml.convolution' op input has 4 channels, but filter wants 3, its size in dimension 1 times group_count}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c4_filters(%input: tensor<1x4x5x5xf32>, %filter: tensor<5x2x3x3xf32>) {
  // dml.convolution (C4)
  // expected-error @below {{'dml.convolution' op filter has size 5 in dimension 0, but wants a multiple of group_count, which is 2}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>, group_count = 2}
      : (tensor<1x4x5x5xf32>, tensor<5x2x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c5_channels(%input: tensor<1x4x5x5xf32>, %filter: tensor<6x4x3x3xf32>) {
  // dml.convolution (C5)
  // expected-error @below {{'dml.convolution' op input has 4 channels, but filter wants 6, its size in dimension 0}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<backward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<6x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c5_groups(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C5)
  // expected-error @below {{'dml.convolution' op filter has size 4 in dimension 0, but wants a multiple of group_count, which is 3}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<backward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>, group_count = 3}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c6(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>, %bias: tensor<1x3x1x1xf32>) {
  // dml.convolution (C6)
  // expected-error @below {{'dml.convolution' op bias has size 3 in dimension 1, but wants 4, the output's channels}}
  %0 = dml.convolution %input, %filter bias(%bias) {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>, tensor<1x3x1x1xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c6_broadcast(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>, %bias: tensor<1x4x1x3xf32>) {
  // dml.convolution (C6)
  // expected-error @below {{'dml.convolution' op bias has size 3 in dimension 3, but wants 1}}
  %0 = dml.convolution %input, %filter bias(%bias) {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>, tensor<1x4x1x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c7(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C7)
  // expected-error @below {{'dml.convolution' op output_padding[1] is 1, but wants 0: only direction backward pads its output}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 1>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c8(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C8)
  // expected-error @below {{'dml.convolution' op output has type 'tensor<1x4x3x4xf32>', but wants 'tensor<1x4x3x3xf32>'}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x4xf32>
  return
}

// -----

func.func @convolution_c8_extent(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C8)
  // expected-error @below {{'dml.convolution' op filter extends over 7 elements in dimension 3, but the padded input has 6}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 3>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 1>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c8_cropped(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C8)
  // expected-error @below {{'dml.convolution' op output would have no elements in dimension 2: the padding cuts 7 of 7}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<backward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 4, 0>, end_padding = array<i64: 3, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @convolution_c8_overflow(%input: tensor<1x4x5x5xf32>, %filter: tensor<4x4x3x3xf32>) {
  // dml.convolution (C8)
  // expected-error @below {{'dml.convolution' op output would have size 17179869183 in dimension 2, but DirectML sizes range from 1 to 4294967295}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<backward>,
      strides = array<i64: 4294967295, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      output_padding = array<i64: 0, 0>}
      : (tensor<1x4x5x5xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @gemm_c1_type(%a: tensor<2x3xf32>, %b: tensor<3x4xf16>) {
  // dml.gemm (C1)
  // expected-error @below {{'dml.gemm' op b has element type 'f16', but a has 'f32'}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<2x3xf32>, tensor<3x4xf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gemm_c1_rank(%a: tensor<2x3xf32>, %b: tensor<1x3x4xf32>) {
  // dml.gemm (C1)
  // expected-error @below {{'dml.gemm' op b has rank 3, but a has rank 2}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<2x3xf32>, tensor<1x3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gemm_c1_vectors(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  // dml.gemm (C1)
  // expected-error @below {{'dml.gemm' op a has rank 1, but wants {..., M, K}}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gemm_c2(%a: tensor<2x2x3xf32>, %b: tensor<3x3x4xf32>) {
  // dml.gemm (C2)
  // expected-error @below {{'dml.gemm' op b has size 3 in dimension 0, but a has 2 there (the operator does not broadcast)}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<2x2x3xf32>, tensor<3x3x4xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

func.func @gemm_c3(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // dml.gemm (C3)
  // expected-error @below {{'dml.gemm' op a has 3 columns, but b has 4 rows, transposed}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<transpose>}
      : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gemm_c3_transposed(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // dml.gemm (C3)
  // expected-error @below {{'dml.gemm' op a has 2 columns, transposed, but b has 3 rows}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<transpose>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gemm_c4(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // dml.gemm (C4)
  // expected-error @below {{'dml.gemm' op output has type 'tensor<4x2xf32>', but wants 'tensor<2x4xf32>'}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @gemm_c5(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<1x4xf32>) {
  // dml.gemm (C5)
  // expected-error @below {{'dml.gemm' op output has size 2 in dimension 0, but c has 1 there (the operator does not broadcast)}}
  %0 = dml.gemm %a, %b c(%c) {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>}
      : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gemm_c6(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // dml.gemm (C6)
  // expected-error @below {{'dml.gemm' op axes[1] is 2, but wants a value from 0 to 1}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      fused_activation = #dml.activation<softmax1, {axes = array<i64: 1, 2>}>}
      : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gemm_c6_twice(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // dml.gemm (C6)
  // expected-error @below {{'dml.gemm' op axes[1] is 1, but the dimension is listed before it}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      fused_activation = #dml.activation<softmax1, {axes = array<i64: 1, 1>}>}
      : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gemm_c7(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>) {
  // dml.gemm (C7)
  // expected-error @below {{'dml.gemm' op output has type 'tensor<5x2x4xf32>', of 3 dimensions without the leading sizes of 1, but wants at most 2}}
  %0 = dml.gemm %a, %b {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      fused_activation = #dml.activation<softmax>}
      : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @softmax_without_axes(%a: tensor<2x2xf32>) {
  %0 = dml.gemm %a, %a {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      // expected-error @below {{softmax1 has no axes, but wants an array of i64}}
      fused_activation = #dml.activation<softmax1>}
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @axes_of_another_kind(%a: tensor<2x2xf32>) {
  %0 = dml.gemm %a, %a {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<none>,
      // expected-error @below {{softmax1 has the axes 1.000000e+00 : f32, but wants an array of i64}}
      fused_activation = #dml.activation<softmax1, {axes = 1.0 : f32}>}
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @convolution_c9(%input: tensor<1x2x3xf32>, %filter: tensor<2x2x3xf32>) {
  // dml.convolution (C9)
  // expected-error @below {{'dml.convolution' op fused_activation is softmax, but the operator fuses linear, sigmoid, hard_sigmoid, tanh, scaled_tanh, relu, leaky_relu, thresholded_relu, elu, celu, scaled_elu, softplus, parametric_softplus, softsign, identity, shrink, gelu, clip}}
  %0 = dml.convolution %input, %filter {
      mode = #dml.convolution_mode<cross_correlation>,
      direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1>, dilations = array<i64: 1>,
      start_padding = array<i64: 0>, end_padding = array<i64: 0>,
      output_padding = array<i64: 0>,
      fused_activation = #dml.activation<softmax>}
      : (tensor<1x2x3xf32>, tensor<2x2x3xf32>) -> tensor<1x2x1xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
