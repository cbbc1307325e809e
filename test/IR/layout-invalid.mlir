// What operators that rearrange and fill reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.join (C1)
func.func @f0() {
  // expected-error @below {{'dml.join' op has 0 inputs, but wants at least 1}}
  %r = dml.join {axis = 0 : i64}
      : () -> tensor<1xf32>
  return
}

// -----

// dml.join (C2)
func.func @f1(%0: tensor<1x2xf32>, %1: tensor<1x1xf32>) {
  // expected-error @below {{'dml.join' op axis is 2, but wants a value from 0 to 1}}
  %r = dml.join %0, %1 {axis = 2 : i64}
      : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
  return
}

// -----

// dml.join (C3)
func.func @f2(%0: tensor<1x2xf32>, %1: tensor<1xf32>) {
  // expected-error @below {{'dml.join' op inputs[1] has rank 1, but inputs[0] has rank 2}}
  %r = dml.join %0, %1 {axis = 1 : i64}
      : (tensor<1x2xf32>, tensor<1xf32>) -> tensor<1x3xf32>
  return
}

// -----

// dml.join (C3)
func.func @f3(%0: tensor<1x2xf32>, %1: tensor<2x1xf32>) {
  // expected-error @below {{'dml.join' op inputs[1] has size 2 in dimension 0, but inputs[0] has 1 there}}
  %r = dml.join %0, %1 {axis = 1 : i64}
      : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x3xf32>
  return
}

// -----

// dml.join (C4)
func.func @f4(%0: tensor<1x2xf32>, %1: tensor<1x1xf16>) {
  // expected-error @below {{'dml.join' op inputs[1] has element type 'f16', but inputs[0] has 'f32'}}
  %r = dml.join %0, %1 {axis = 1 : i64}
      : (tensor<1x2xf32>, tensor<1x1xf16>) -> tensor<1x3xf32>
  return
}

// -----

// dml.join (C4)
func.func @f5(%0: tensor<1x2xf32>, %1: tensor<1x1xf32>) {
  // expected-error @below {{'dml.join' op output has type 'tensor<1x4xf32>', but wants 'tensor<1x3xf32>'}}
  %r = dml.join %0, %1 {axis = 1 : i64}
      : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
  return
}

// -----

// dml.split (C1)
func.func @f6(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.split' op has 0 outputs, but wants at least 1}}
  dml.split %0 {axis = 1 : i64}
      : (tensor<1x3xf32>) -> ()
  return
}

// -----

// dml.split (C2)
func.func @f7(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.split' op axis is -1, but wants a value from 0 to 1}}
  %r:2 = dml.split %0 {axis = -1 : i64}
      : (tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x1xf32>)
  return
}

// -----

// dml.split (C3)
func.func @f8(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.split' op outputs[1] has rank 1, but input has rank 2}}
  %r:2 = dml.split %0 {axis = 1 : i64}
      : (tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1xf32>)
  return
}

// -----

// dml.split (C3)
func.func @f9(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.split' op outputs[0] has size 2 in dimension 0, but input has 1 there}}
  %r:2 = dml.split %0 {axis = 1 : i64}
      : (tensor<1x3xf32>) -> (tensor<2x2xf32>, tensor<1x1xf32>)
  return
}

// -----

// dml.split (C3)
func.func @f10(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.split' op outputs[1] has element type 'i32', but input has 'f32'}}
  %r:2 = dml.split %0 {axis = 1 : i64}
      : (tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x1xi32>)
  return
}

// -----

// dml.split (C4)
func.func @f11(%0: tensor<1x3xf32>) {
  // expected-error @below {{'dml.split' op outputs have size 4 in all in dimension 1, but input has 3 there}}
  %r:2 = dml.split %0 {axis = 1 : i64}
      : (tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
  return
}

// -----

// dml.space_to_depth (C1)
func.func @f12(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.space_to_depth' op input has rank 3, but wants rank 4}}
  %r = dml.space_to_depth %0 {block_size = 2 : i64}
      : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.space_to_depth (C2)
func.func @f13(%0: tensor<1x1x2x2xf32>) {
  // expected-error @below {{'dml.space_to_depth' op block_size is 0, but wants a value from 1 to 4294967295}}
  %r = dml.space_to_depth %0 {block_size = 0 : i64}
      : (tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32>
  return
}

// -----

// dml.space_to_depth (C3)
func.func @f14(%0: tensor<1x1x2x2xf32>) {
  // expected-error @below {{'dml.space_to_depth' op input has size 2 in dimension 2, but wants a multiple of 3}}
  %r = dml.space_to_depth %0 {block_size = 3 : i64}
      : (tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32>
  return
}

// -----

// dml.space_to_depth (C4)
func.func @f15(%0: tensor<1x1x2x2xf32>) {
  // expected-error @below {{'dml.space_to_depth' op output has type 'tensor<1x1x2x2xf32>', but wants 'tensor<1x4x1x1xf32>'}}
  %r = dml.space_to_depth %0 {block_size = 2 : i64}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

// dml.space_to_depth1 (C1)
func.func @f16(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.space_to_depth1' op input has rank 3, but wants rank 4}}
  %r = dml.space_to_depth1 %0 {block_size = 2 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.space_to_depth1 (C2)
func.func @f17(%0: tensor<1x1x2x2xf32>) {
  // expected-error @below {{'dml.space_to_depth1' op block_size is 0, but wants a value from 1 to 4294967295}}
  %r = dml.space_to_depth1 %0 {block_size = 0 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32>
  return
}

// -----

// dml.space_to_depth1 (C3)
func.func @f18(%0: tensor<1x1x2x2xf32>) {
  // expected-error @below {{'dml.space_to_depth1' op input has size 2 in dimension 2, but wants a multiple of 3}}
  %r = dml.space_to_depth1 %0 {block_size = 3 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x1x2x2xf32>) -> tensor<1x4x1x1xf32>
  return
}

// -----

// dml.space_to_depth1 (C4)
func.func @f19(%0: tensor<1x1x2x2xf32>) {
  // expected-error @below {{'dml.space_to_depth1' op output has type 'tensor<1x1x2x2xf32>', but wants 'tensor<1x4x1x1xf32>'}}
  %r = dml.space_to_depth1 %0 {block_size = 2 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

// dml.depth_to_space (C1)
func.func @f20(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.depth_to_space' op input has rank 3, but wants rank 4}}
  %r = dml.depth_to_space %0 {block_size = 2 : i64}
      : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.depth_to_space (C2)
func.func @f21(%0: tensor<1x4x1x1xf32>) {
  // expected-error @below {{'dml.depth_to_space' op block_size is 0, but wants a value from 1 to 4294967295}}
  %r = dml.depth_to_space %0 {block_size = 0 : i64}
      : (tensor<1x4x1x1xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

// dml.depth_to_space (C3)
func.func @f22(%0: tensor<1x4x1x1xf32>) {
  // expected-error @below {{'dml.depth_to_space' op input has size 4 in dimension 1, but wants a multiple of 9}}
  %r = dml.depth_to_space %0 {block_size = 3 : i64}
      : (tensor<1x4x1x1xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

// dml.depth_to_space (C4)
func.func @f23(%0: tensor<1x4x1x1xf32>) {
  // expected-error @below {{'dml.depth_to_space' op output has type 'tensor<1x4x1x1xf32>', but wants 'tensor<1x1x2x2xf32>'}}
  %r = dml.depth_to_space %0 {block_size = 2 : i64}
      : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  return
}

// -----

// dml.depth_to_space1 (C1)
func.func @f24(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.depth_to_space1' op input has rank 3, but wants rank 4}}
  %r = dml.depth_to_space1 %0 {block_size = 2 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.depth_to_space1 (C2)
func.func @f25(%0: tensor<1x4x1x1xf32>) {
  // expected-error @below {{'dml.depth_to_space1' op block_size is 0, but wants a value from 1 to 4294967295}}
  %r = dml.depth_to_space1 %0 {block_size = 0 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x4x1x1xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

// dml.depth_to_space1 (C3)
func.func @f26(%0: tensor<1x4x1x1xf32>) {
  // expected-error @below {{'dml.depth_to_space1' op input has size 4 in dimension 1, but wants a multiple of 9}}
  %r = dml.depth_to_space1 %0 {block_size = 3 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x4x1x1xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

// dml.depth_to_space1 (C4)
func.func @f27(%0: tensor<1x4x1x1xf32>) {
  // expected-error @below {{'dml.depth_to_space1' op output has type 'tensor<1x4x1x1xf32>', but wants 'tensor<1x1x2x2xf32>'}}
  %r = dml.depth_to_space1 %0 {block_size = 2 : i64, order = #dml.depth_space_order<depth_column_row>}
      : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
  return
}

// -----

// dml.reverse_subsequences (C1)
func.func @f28(%0: tensor<2x3xf32>, %1: tensor<2x1xui32>) {
  // expected-error @below {{'dml.reverse_subsequences' op axis is 2, but wants a value from 0 to 1}}
  %r = dml.reverse_subsequences %0, %1 {axis = 2 : i64}
      : (tensor<2x3xf32>, tensor<2x1xui32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.reverse_subsequences (C2)
func.func @f29(%0: tensor<2x3xf32>, %1: tensor<2xui32>) {
  // expected-error @below {{'dml.reverse_subsequences' op sequence_lengths has rank 1, but input has rank 2}}
  %r = dml.reverse_subsequences %0, %1 {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<2xui32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.reverse_subsequences (C2)
func.func @f30(%0: tensor<2x3xf32>, %1: tensor<2x3xui32>) {
  // expected-error @below {{'dml.reverse_subsequences' op sequence_lengths has size 3 in dimension 1, but wants 1}}
  %r = dml.reverse_subsequences %0, %1 {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<2x3xui32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.reverse_subsequences (C3)
func.func @f31(%0: tensor<2x3xf32>, %1: tensor<2x1xui32>) {
  // expected-error @below {{'dml.reverse_subsequences' op output has size 4 in dimension 1, but input has 3 there (the operator does not broadcast)}}
  %r = dml.reverse_subsequences %0, %1 {axis = 1 : i64}
      : (tensor<2x3xf32>, tensor<2x1xui32>) -> tensor<2x4xf32>
  return
}

// -----

// dml.fold (C1)
func.func @f32(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.fold' op strides has 2 values, but window_sizes has 1}}
  %r = dml.fold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x2xf32>) -> tensor<1x1x3xf32>
  return
}

// -----

// dml.fold (C1)
func.func @f33(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.fold' op window_sizes has 7 values, but wants 1 to 6}}
  %r = dml.fold %0 {window_sizes = array<i64: 1, 1, 1, 1, 1, 1, 1>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x2xf32>) -> tensor<1x1x3xf32>
  return
}

// -----

// dml.fold (C2)
func.func @f34(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.fold' op window_sizes[0] is 0, but wants a value from 1 to 4294967295}}
  %r = dml.fold %0 {window_sizes = array<i64: 0>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x2xf32>) -> tensor<1x1x3xf32>
  return
}

// -----

// dml.fold (C3)
func.func @f35(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.fold' op a window reaches over 4 elements in dimension 0 of the plane, but only 3 are there with the padding}}
  %r = dml.fold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 3>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x2xf32>) -> tensor<1x1x3xf32>
  return
}

// -----

// dml.fold (C4)
func.func @f36(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.fold' op output has rank 3, but wants at least 4}}
  %r = dml.fold %0 {window_sizes = array<i64: 2, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x2x2xf32>) -> tensor<1x1x3xf32>
  return
}

// -----

// dml.fold (C4)
func.func @f37(%0: tensor<1x2x2xf32>) {
  // expected-error @below {{'dml.fold' op output has size 2 in dimension 0, but wants 1 before its last 3 dimensions}}
  %r = dml.fold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x2xf32>) -> tensor<2x1x1x3xf32>
  return
}

// -----

// dml.fold (C5)
func.func @f38(%0: tensor<1x2x3xf32>) {
  // expected-error @below {{'dml.fold' op input has size 3 in dimension 2, but wants 2}}
  %r = dml.fold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x3xf32>) -> tensor<1x1x3xf32>
  return
}

// -----

// dml.fold (C5)
func.func @f39(%0: tensor<1x2x2xf16>) {
  // expected-error @below {{'dml.fold' op output has element type 'f32', but input has 'f16'}}
  %r = dml.fold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x2x2xf16>) -> tensor<1x1x3xf32>
  return
}

// -----

// dml.unfold (C1)
func.func @f40(%0: tensor<1x1x3xf32>) {
  // expected-error @below {{'dml.unfold' op strides has 2 values, but window_sizes has 1}}
  %r = dml.unfold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x1x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.unfold (C1)
func.func @f41(%0: tensor<1x1x3xf32>) {
  // expected-error @below {{'dml.unfold' op window_sizes has 7 values, but wants 1 to 6}}
  %r = dml.unfold %0 {window_sizes = array<i64: 1, 1, 1, 1, 1, 1, 1>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x1x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.unfold (C2)
func.func @f42(%0: tensor<1x1x3xf32>) {
  // expected-error @below {{'dml.unfold' op window_sizes[0] is 0, but wants a value from 1 to 4294967295}}
  %r = dml.unfold %0 {window_sizes = array<i64: 0>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x1x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.unfold (C3)
func.func @f43(%0: tensor<1x1x3xf32>) {
  // expected-error @below {{'dml.unfold' op a window reaches over 4 elements in dimension 0 of the plane, but only 3 are there with the padding}}
  %r = dml.unfold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 3>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x1x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.unfold (C4)
func.func @f44(%0: tensor<1x1x3xf32>) {
  // expected-error @below {{'dml.unfold' op input has rank 3, but wants at least 4}}
  %r = dml.unfold %0 {window_sizes = array<i64: 2, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<1x1x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.unfold (C4)
func.func @f45(%0: tensor<2x1x1x3xf32>) {
  // expected-error @below {{'dml.unfold' op input has size 2 in dimension 0, but wants 1 before its last 3 dimensions}}
  %r = dml.unfold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<2x1x1x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

// dml.unfold (C5)
func.func @f46(%0: tensor<1x1x3xf32>) {
  // expected-error @below {{'dml.unfold' op output has size 3 in dimension 2, but wants 2}}
  %r = dml.unfold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x1x3xf32>) -> tensor<1x2x3xf32>
  return
}

// -----

// dml.unfold (C5)
func.func @f47(%0: tensor<1x1x3xf32>) {
  // expected-error @below {{'dml.unfold' op output has element type 'f16', but input has 'f32'}}
  %r = dml.unfold %0 {window_sizes = array<i64: 2>, strides = array<i64: 1>, dilations = array<i64: 1>, start_padding = array<i64: 0>, end_padding = array<i64: 0>}
      : (tensor<1x1x3xf32>) -> tensor<1x2x2xf16>
  return
}

// -----

// dml.value_scale_2d (C1)
func.func @f48(%0: tensor<2x2x1x2xf32>) {
  // expected-error @below {{'dml.value_scale_2d' op input has 2 channels, but wants 1 or 3}}
  %r = dml.value_scale_2d %0 {bias = array<f32: 1.0>, scale = 2.0 : f32}
      : (tensor<2x2x1x2xf32>) -> tensor<2x2x1x2xf32>
  return
}

// -----

// dml.value_scale_2d (C1)
func.func @f49(%0: tensor<2x3x1x2xf32>) {
  // expected-error @below {{'dml.value_scale_2d' op bias has 1 values, but input has 3 channels}}
  %r = dml.value_scale_2d %0 {bias = array<f32: 1.0>, scale = 2.0 : f32}
      : (tensor<2x3x1x2xf32>) -> tensor<2x3x1x2xf32>
  return
}

// -----

// dml.value_scale_2d (C2)
func.func @f50(%0: tensor<2x1x1x2xf32>) {
  // expected-error @below {{'dml.value_scale_2d' op output has size 3 in dimension 3, but input has 2 there (the operator does not broadcast)}}
  %r = dml.value_scale_2d %0 {bias = array<f32: 1.0>, scale = 2.0 : f32}
      : (tensor<2x1x1x2xf32>) -> tensor<2x1x1x3xf32>
  return
}

// -----

// dml.fill_value_constant (C1)
func.func @f51() {
  // expected-error @below {{'dml.fill_value_constant' op value has type 'i8', but wants 'ui8', output's element type}}
  %r = dml.fill_value_constant {value = 1 : i8}
      : () -> tensor<2xui8>
  return
}

// -----

// dml.fill_value_sequence (C1)
func.func @f52() {
  // expected-error @below {{'dml.fill_value_sequence' op value_delta has type 'f32', but wants 'i8', output's element type}}
  %r = dml.fill_value_sequence {value_start = 1 : i8, value_delta = 1.0 : f32}
      : () -> tensor<2xi8>
  return
}

// -----

// dml.diagonal_matrix (C1)
func.func @f53() {
  // expected-error @below {{'dml.diagonal_matrix' op offset is 2147483648, but wants a value from -2147483648 to 2147483647}}
  %r = dml.diagonal_matrix {offset = 2147483648 : i64, value = 1.0 : f32}
      : () -> tensor<2x3xf32>
  return
}

// -----

// dml.diagonal_matrix1 (C1)
func.func @f54() {
  // expected-error @below {{'dml.diagonal_matrix1' op value has type 'f32', but wants 'f16', output's element type}}
  %r = dml.diagonal_matrix1 {diagonal_fill_begin = 0 : i64, diagonal_fill_end = 1 : i64, value = 1.0 : f32}
      : () -> tensor<2x3xf16>
  return
}

// -----

// dml.diagonal_matrix1 (C2)
func.func @f55(%0: tensor<3x2xf32>) {
  // expected-error @below {{'dml.diagonal_matrix1' op output has size 2 in dimension 0, but input has 3 there (the operator does not broadcast)}}
  %r = dml.diagonal_matrix1 input(%0) {diagonal_fill_begin = 0 : i64, diagonal_fill_end = 1 : i64, value = 1.0 : f32}
      : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.diagonal_matrix1 (C3)
func.func @f56() {
  // expected-error @below {{'dml.diagonal_matrix1' op diagonal_fill_begin is -2147483649, but wants a value from -2147483648 to 2147483647}}
  %r = dml.diagonal_matrix1 {diagonal_fill_begin = -2147483649 : i64, diagonal_fill_end = 1 : i64, value = 1.0 : f32}
      : () -> tensor<2x3xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
