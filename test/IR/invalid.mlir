// What every operator rejects, with the whole message. A comment names the
// constraint that a case breaks (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

//===----------------------------------------------------------------------===//
// Attributes that the operator does not have
//===----------------------------------------------------------------------===//

func.func @misspelt_attribute(%input: tensor<2xf32>) {
  // expected-error @below {{'dml.padding' op has no attribute 'pad_value'; did you mean 'padding_value'?}}
  %0 = dml.padding %input {mode = #dml.padding_mode<constant>, pad_value = 5.0 : f32,
      start_padding = array<i64: 1>, end_padding = array<i64: 0>}
      : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @foreign_attribute(%input: tensor<2xf32>) {
  // expected-error @below {{'dml.tile' op has no attribute 'alignment'; it has repeats}}
  %0 = dml.tile %input {repeats = array<i64: 1>, alignment = 4} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @misspelt_property(%input: tensor<2xf32>) {
  // expected-error @below {{'dml.padding' op has no attribute 'paddingvalue'; did you mean 'padding_value'?}}
  %0 = "dml.padding"(%input) <{mode = #dml.padding_mode<constant>, paddingvalue = 5.0 : f32,
      start_padding = array<i64: 1>, end_padding = array<i64: 0>}>
      : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @misspelt_in_generic_form(%input: tensor<2xf32>) {
  // expected-error @below {{'dml.padding' op has no attribute 'padding_values'; did you mean 'padding_value'?}}
  %0 = "dml.padding"(%input) {mode = #dml.padding_mode<constant>, padding_values = 5.0 : f32,
      start_padding = array<i64: 1>, end_padding = array<i64: 0>}
      : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Every tensor
//===----------------------------------------------------------------------===//

func.func @unranked(%input: tensor<*xf32>) {
  // expected-error @below {{'dml.tile' op input has type 'tensor<*xf32>', but wants a ranked tensor}}
  %0 = "dml.tile"(%input) {repeats = array<i64: 1>} : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @element_type(%input: tensor<2xbf16>) {
  // expected-error @below {{'dml.tile' op input has element type 'bf16', which is no DirectML data type (f16, f32, f64, i4 to i64, ui4 to ui64)}}
  %0 = dml.tile %input {repeats = array<i64: 1>} : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @signed(%input: tensor<2xsi32>) {
  // expected-error @below {{'dml.tile' op input has element type 'si32', which is no DirectML data type}}
  %0 = dml.tile %input {repeats = array<i64: 1>} : (tensor<2xsi32>) -> tensor<2xsi32>
  return
}

// -----

func.func @index(%input: tensor<2xindex>) {
  // expected-error @below {{'dml.tile' op operand #0 must be tensor of floating-point or integer values, but got 'tensor<2xindex>'}}
  %0 = dml.tile %input {repeats = array<i64: 1>} : (tensor<2xindex>) -> tensor<2xindex>
  return
}

// -----

func.func @encoding(%input: tensor<2xf32, "blocked">) {
  // expected-error @below {{'dml.tile' op input has the encoding "blocked", but DirectML tensors have none}}
  %0 = dml.tile %input {repeats = array<i64: 1>} : (tensor<2xf32, "blocked">) -> tensor<2xf32, "blocked">
  return
}

// -----

func.func @dynamic(%input: tensor<2x?xf32>) {
  // expected-error @below {{'dml.tile' op input has a dynamic size in dimension 1 of 'tensor<2x?xf32>', but DirectML tensors have static sizes}}
  %0 = dml.tile %input {repeats = array<i64: 1, 1>} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @empty(%input: tensor<2x0xf32>) {
  // expected-error @below {{'dml.tile' op input has size 0 in dimension 1, but DirectML sizes range from 1 to 4294967295}}
  %0 = dml.tile %input {repeats = array<i64: 1, 1>} : (tensor<2x0xf32>) -> tensor<2x0xf32>
  return
}

// -----

func.func @size(%input: tensor<4294967296xf32>) {
  // expected-error @below {{'dml.tile' op input has size 4294967296 in dimension 0, but DirectML sizes range from 1 to 4294967295}}
  %0 = dml.tile %input {repeats = array<i64: 1>} : (tensor<4294967296xf32>) -> tensor<4294967296xf32>
  return
}

// -----

func.func @elements(%input: tensor<65536x65536xf32>) {
  // expected-error @below {{'dml.tile' op input has type 'tensor<65536x65536xf32>' of more than 4294967295 elements, DirectML's limit}}
  %0 = dml.tile %input {repeats = array<i64: 1, 1>} : (tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
  return
}

// -----

func.func @elements_of_result(%input: tensor<65536xf32>) {
  // expected-error @below {{'dml.tile' op output has type 'tensor<65536x65536xf32>' of more than 4294967295 elements, DirectML's limit}}
  %0 = "dml.tile"(%input) {repeats = array<i64: 1, 1>} : (tensor<65536xf32>) -> tensor<65536x65536xf32>
  return
}

// -----

func.func @rank_0(%input: tensor<f32>) {
  // expected-error @below {{'dml.tile' op input has rank 0, but feature level 6_4 supports rank 1 to 8 (no feature level supports rank 0)}}
  // expected-note @below {{according to DML_TILE_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_tile_operator_desc}}
  %0 = dml.tile %input {repeats = array<i64>} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @operands() {
  // expected-error @below {{'dml.tile' op requires a single operand}}
  %0 = "dml.tile"() {repeats = array<i64>} : () -> tensor<f32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// dml.padding
//===----------------------------------------------------------------------===//

func.func @padding_c3_overflow(%input: tensor<1xi8>) {
  // dml.padding (C3)
  // expected-error @below {{'dml.padding' op output would have size 4294967296 in dimension 0, but DirectML sizes range from 1 to 4294967295}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 4294967295>, end_padding = array<i64: 0>}
      : (tensor<1xi8>) -> tensor<1xi8>
  return
}

// -----

func.func @padding_c1_start(%input: tensor<1x3xf32>) {
  // dml.padding (C1)
  // expected-error @below {{'dml.padding' op start_padding has 1 value, but wants 2, one for each dimension of input}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 2>, end_padding = array<i64: 0, 1>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

func.func @padding_c1_end(%input: tensor<1x3xf32>) {
  // dml.padding (C1)
  // expected-error @below {{'dml.padding' op end_padding has 3 values, but wants 2, one for each dimension of input}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 2>, end_padding = array<i64: 0, 0, 1>}
      : (tensor<1x3xf32>) -> tensor<1x6xf32>
  return
}

// -----

func.func @padding_c2_start(%input: tensor<1x3xf32>) {
  // dml.padding (C2)
  // expected-error @below {{'dml.padding' op start_padding[1] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, -1>, end_padding = array<i64: 0, 0>}
      : (tensor<1x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @padding_c2_end(%input: tensor<1x3xf32>) {
  // dml.padding (C2)
  // expected-error @below {{'dml.padding' op end_padding[0] is 4294967296, but wants a value from 0 to 4294967295}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 4294967296, 0>}
      : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @padding_c3_size(%input: tensor<1x3xf32>) {
  // dml.padding (C3)
  // expected-error @below {{'dml.padding' op output has type 'tensor<1x5xf32>', but wants 'tensor<1x6xf32>'}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 2>, end_padding = array<i64: 0, 1>}
      : (tensor<1x3xf32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @padding_c3_element_type(%input: tensor<3xf32>) {
  // dml.padding (C3)
  // expected-error @below {{'dml.padding' op output has type 'tensor<6xf16>', but wants 'tensor<6xf32>'}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 2>, end_padding = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<6xf16>
  return
}

// -----

func.func @padding_without_start(%input: tensor<3xf32>) {
  // expected-error @below {{'dml.padding' op requires attribute 'start_padding': wanted whole numbers, such as array<i64: 1, 2>}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>, end_padding = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

// The misspelt attribute is told, not the required one that lacks for it.
func.func @padding_misspelt_start(%input: tensor<3xf32>) {
  // expected-error @below {{'dml.padding' op has no attribute 'start_paddings'; did you mean 'start_padding'?}}
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>, start_paddings = array<i64: 2>, end_padding = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @padding_without_mode(%input: tensor<3xf32>) {
  // expected-error @below {{'dml.padding' op requires attribute 'mode': wanted }}
  %0 = "dml.padding"(%input) {start_padding = array<i64: 2>, end_padding = array<i64: 1>}
      : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// dml.tile
//===----------------------------------------------------------------------===//

func.func @tile_c1(%input: tensor<2x2xf32>) {
  // dml.tile (C1)
  // expected-error @below {{'dml.tile' op repeats has 3 values, but wants 2, one for each dimension of input}}
  %0 = dml.tile %input {repeats = array<i64: 1, 1, 1>}
      : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @tile_c2(%input: tensor<2x2xf32>) {
  // dml.tile (C2)
  // expected-error @below {{'dml.tile' op repeats[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.tile %input {repeats = array<i64: 1, 0>}
      : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @tile_c3(%input: tensor<2x2xf32>) {
  // dml.tile (C3)
  // expected-error @below {{'dml.tile' op output has type 'tensor<2x2xf32>', but wants 'tensor<2x4xf32>'}}
  %0 = dml.tile %input {repeats = array<i64: 1, 2>}
      : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @tile_c3_overflow(%input: tensor<2x2xf32>) {
  // dml.tile (C3)
  // expected-error @below {{'dml.tile' op output would have size 4294967296 in dimension 1, but DirectML sizes range from 1 to 4294967295}}
  %0 = dml.tile %input {repeats = array<i64: 1, 2147483648>}
      : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// dml.max_pooling_grad
//===----------------------------------------------------------------------===//

func.func @pool_c1(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // dml.max_pooling_grad (C1)
  // expected-error @below {{'dml.max_pooling_grad' op dilations has 3 values, but wants 2, one for each spatial dimension of input}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c1_rank(%input: tensor<1x1xf32>, %gradient: tensor<1x1xf32>) {
  // dml.max_pooling_grad (C1)
  // expected-error @below {{'dml.max_pooling_grad' op input has rank 2, but wants {N, C, H, W} or {N, C, D, H, W}}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64>, window_size = array<i64>,
      start_padding = array<i64>, end_padding = array<i64>,
      dilations = array<i64>}
      : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @pool_c2_strides(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // dml.max_pooling_grad (C2)
  // expected-error @below {{'dml.max_pooling_grad' op strides[1] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 0>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c2_window(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // dml.max_pooling_grad (C2)
  // expected-error @below {{'dml.max_pooling_grad' op window_size[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 0, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c2_padding(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // dml.max_pooling_grad (C2)
  // expected-error @below {{'dml.max_pooling_grad' op start_padding[0] is -1, but wants a value from 0 to 4294967295}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: -1, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c2_dilations(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // dml.max_pooling_grad (C2)
  // expected-error @below {{'dml.max_pooling_grad' op dilations[0] is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 0, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c3_element_type(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf16>) {
  // dml.max_pooling_grad (C3)
  // expected-error @below {{'dml.max_pooling_grad' op input_gradient has element type 'f16', but input has 'f32'}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf16>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c3_rank(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x2x2xf32>) {
  // dml.max_pooling_grad (C3)
  // expected-error @below {{'dml.max_pooling_grad' op input_gradient has rank 3, but input has rank 4}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c3_batch(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x2x2x2xf32>) {
  // dml.max_pooling_grad (C3)
  // expected-error @below {{'dml.max_pooling_grad' op input_gradient has size 2 in dimension 1, but wants 1}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c4(%input: tensor<1x1x3x6xf32>, %gradient: tensor<1x1x2x4xf32>) {
  // dml.max_pooling_grad (C4)
  // expected-error @below {{'dml.max_pooling_grad' op input_gradient has size 4 in dimension 3, but wants 2 (or 3, rounded up)}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 3>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x6xf32>, tensor<1x1x2x4xf32>) -> tensor<1x1x3x6xf32>
  return
}

// -----

func.func @pool_c4_large_window(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // The extent, 1 + 4294967294 * 4294967295, needs all of 64 bits.
  // dml.max_pooling_grad (C4)
  // expected-error @below {{'dml.max_pooling_grad' op input_gradient has size 2 in dimension 2, but wants 1}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 4294967295, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 4294967295, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @pool_c5(%input: tensor<1x1x3x3xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // dml.max_pooling_grad (C5)
  // expected-error @below {{'dml.max_pooling_grad' op output_gradient has type 'tensor<1x1x2x2xf32>', but wants 'tensor<1x1x3x3xf32>'}}
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x3x3xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// dml.resample
//===----------------------------------------------------------------------===//

func.func @resample_c1(%input: tensor<1x2xf32>) {
  // dml.resample (C1)
  // expected-error @below {{'dml.resample' op scales has 1 value, but wants 2, one for each dimension of input}}
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 2.0>} : (tensor<1x2xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @resample_c2_zero(%input: tensor<1x2xf32>) {
  // dml.resample (C2)
  // expected-error @below {{'dml.resample' op scales[0] is 0.000000e+00, but wants a finite value greater than 0}}
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 0.0, 2.0>} : (tensor<1x2xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @resample_c2_infinite(%input: tensor<1x2xf32>) {
  // dml.resample (C2)
  // expected-error @below {{'dml.resample' op scales[1] is INF, but wants a finite value greater than 0}}
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 0x7F800000>} : (tensor<1x2xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @resample_c3_element_type(%input: tensor<1x2xf32>) {
  // dml.resample (C3)
  // expected-error @below {{'dml.resample' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 2.0>} : (tensor<1x2xf32>) -> tensor<1x4xf16>
  return
}

// -----

func.func @resample_c3_rank(%input: tensor<1x2xf32>) {
  // dml.resample (C3)
  // expected-error @below {{'dml.resample' op output has rank 1, but input has rank 2}}
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 2.0>} : (tensor<1x2xf32>) -> tensor<4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Attributes of the dialect
//===----------------------------------------------------------------------===//

// expected-error @below {{attribute 'dml.target' is "5_0", but wants a #dml.target}}
module attributes {dml.target = "5_0"} {}

// -----

func.func @target(%input: tensor<2xf32>) {
  // expected-error @below {{attribute 'dml.target' stands on a module or a function, but found it on 'dml.tile'}}
  %0 = dml.tile %input {repeats = array<i64: 1>, dml.target = #dml.target<feature_level = fl_5_0>}
      : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// expected-error @below {{there is no DirectML feature level 'fl_7_0' (there are fl_1_0, fl_2_0, fl_2_1, fl_3_0, fl_3_1, fl_4_0, fl_4_1, fl_5_0, fl_5_1, fl_5_2, fl_6_0, fl_6_1, fl_6_2, fl_6_3, fl_6_4)}}
module attributes {dml.target = #dml.target<feature_level = fl_7_0>} {}

// -----

// expected-error @below {{unknown attribute 'dml.tarjet'; did you mean 'dml.target'?}}
module attributes {dml.tarjet = #dml.target<feature_level = fl_5_0>} {}

// -----

// expected-error @below {{attribute 'dml.label' is 1 : i64, but wants a non-empty UTF-8 string without control characters}}
module attributes {dml.label = 1} {}

// -----

// expected-error @below {{unknown attribute 'dml.nme' on argument 0; did you mean 'dml.name'?}}
func.func private @argument(tensor<2xf32> {dml.nme = "a"})

// -----

// expected-error @below {{attribute 'dml.owned_by_dml' on argument 0 wants to be a unit attribute on an argument that has the attribute 'dml.name'}}
func.func private @argument(tensor<2xf32> {dml.owned_by_dml})

// -----

// expected-error @below {{attribute 'dml.persistent' on argument 0 is -1 : i64, but wants the number of a result of the initialization, on an argument}}
func.func private @argument(tensor<2xf32> {dml.persistent = -1 : i64})

// -----

// expected-error @below {{attribute 'dml.initialization' wants to be a unit attribute on a function}}
module attributes {dml.initialization} {
}

// -----

// expected-error @below {{attribute 'dml.name' on argument 1 is "", but wants a non-empty UTF-8 string without control characters}}
func.func private @argument(tensor<2xf32>, tensor<2xf32> {dml.name = ""})

// -----

// expected-error @below {{attribute 'dml.name' on result 0 is 1 : i64, but wants a non-empty UTF-8 string without control characters}}
func.func private @result() -> (tensor<2xf32> {dml.name = 1})

// -----

// expected-error @below {{unknown attribute 'dml.nme' on result 0; did you mean 'dml.name'?}}
func.func private @result() -> (tensor<2xf32> {dml.nme = "a"})

// -----

// expected-error @below {{attribute 'dml.type' on argument 0 is i32, but wants a ranked tensor type}}
func.func private @argument(tensor<2xi32> {dml.type = i32})

// -----

// expected-error @below {{attribute 'dml.label' is "a\0Ab", but wants a non-empty UTF-8 string without control characters}}
module attributes {dml.label = "a\0Ab"} {}

// -----

// expected-error @below {{attribute 'dml.name' on argument 0 is "a\09b", but wants a non-empty UTF-8 string without control characters}}
func.func private @argument(tensor<2xf32> {dml.name = "a\09b"})

// -----

// expected-error @below {{attribute 'dml.name' on result 0 is "\7F", but wants a non-empty UTF-8 string without control characters}}
func.func private @result() -> (tensor<2xf32> {dml.name = "\7F"})

// -----

// expected-error @below {{attribute 'dml.name' on argument 0 is "a\C2\9B", but wants a non-empty UTF-8 string without control characters}}
func.func private @argument(tensor<2xf32> {dml.name = "a\C2\9B"})

// -----

// expected-error @below {{attribute 'dml.name' on argument 0 is "\E2\80\AEa", but wants a non-empty UTF-8 string without control characters}}
func.func private @argument(tensor<2xf32> {dml.name = "\E2\80\AEa"})

// -----

// expected-error @below {{attribute 'dml.name' on argument 0 is "a\FF", but wants a non-empty UTF-8 string without control characters}}
func.func private @argument(tensor<2xf32> {dml.name = "a\FF"})

// -----

// expected-error @below {{attribute 'dml.name' on argument 2 is "a", which is the name of argument 0 already}}
func.func private @arguments(tensor<2xf32> {dml.name = "a"}, tensor<2xf32>, tensor<2xf32> {dml.name = "a"})

// -----

// expected-error @below {{attribute 'dml.name' on result 1 is "a", which is the name of result 0 already}}
func.func private @results() -> (tensor<2xf32> {dml.name = "a"}, tensor<2xf32> {dml.name = "a"})

// -----

// expected-error @below {{attribute 'dml.name' on result 0 is "a", which is the name of argument 1 already}}
func.func private @both(tensor<2xf32>, tensor<2xf32> {dml.name = "a"}) -> (tensor<2xf32> {dml.name = "a"})

// -----

// expected-error @below {{attribute 'dml.layout' is "channels_first", but wants "channels_last", "channels_last_covered" or "ordered_filter"}}
module attributes {dml.layout = "channels_first"} {}

// -----

// expected-error-re @below {{attribute 'dml.kernel' is "tile", but wants "map" or one of map_tile, {{.*}} and {{.*}}_tile with its entries, which docs/CodegenPasses.md has}}
module attributes {dml.kernel = "tile"} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {contraction_tile = array<i64: 64, 0, 16>}, but wants "map" or one of }}
module attributes {dml.kernel = {contraction_tile = array<i64: 64, 0, 16>}} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {map_tile = {row = 2 : i64, vector_bytes = 16 : i64}}, but wants "map" or one of }}
module attributes {dml.kernel = {map_tile = {vector_bytes = 16 : i64, row = 2 : i64}}} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {map_tile = {rows = 2 : i64}}, but wants "map" or one of }}
module attributes {dml.kernel = {map_tile = {rows = 2 : i64}}} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {map_tile = {interior = array<i64: 101>, vector_bytes = 16 : i64}}, but wants "map" or one of }}
module attributes {dml.kernel = {map_tile = {vector_bytes = 16 : i64, interior = array<i64: 101>}}} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {matrix_attention_tile = {workgroup = array<i64: 128, 16>}}, but wants "map" or one of }}
module attributes {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 128, 16>}}} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {matrix_attention_tile = {shape = "16x16x16xf16xf32", stages = 3 : i64, workgroup = array<i64: 128, 16>}}, but wants "map" or one of }}
module attributes {dml.kernel = {matrix_attention_tile = {workgroup = array<i64: 128, 16>, shape = "16x16x16xf16xf32", stages = 3 : i64}}} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {resident_attention_tile = {shape = "16x16x16xf16xf32", workgroup = array<i64: 16, 64>}}, but wants "map" or one of }}
module attributes {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 64>, shape = "16x16x16xf16xf32"}}} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {resident_attention_tile = {shape = "16x16x16xf16xf32", subgroups = 0 : i64, workgroup = array<i64: 16, 64>}}, but wants "map" or one of }}
module attributes {dml.kernel = {resident_attention_tile = {workgroup = array<i64: 16, 64>, shape = "16x16x16xf16xf32", subgroups = 0 : i64}}} {}

// -----

func.func @weight(%x: f16) -> f16 {
  // expected-error @below {{attribute 'dml.roundable' wants to be a unit, on an operation that computes an f32}}
  %0 = arith.divf %x, %x {dml.roundable} : f16
  return %0 : f16
}

// SPDX-License-Identifier: Apache-2.0

// -----

// expected-error @below {{attribute 'dml.kernel' is {matrix_tile = {shape = "16x16x16xf16xf32", stages = 3 : i64, subgroup = array<i64: 64, 64>, workgroup = array<i64: 128, 128, 32>}}, but wants "map" or one of }}
module attributes {dml.kernel = {matrix_tile = {stages = 3 : i64, workgroup = array<i64: 128, 128, 32>, subgroup = array<i64: 64, 64>, shape = "16x16x16xf16xf32"}}} {}

// -----

// expected-error @below {{attribute 'dml.kernel' is {matrix_tile = {panels = 2 : i64, }}
module attributes {dml.kernel = {matrix_tile = {panels = 2 : i64, workgroup = array<i64: 128, 128, 32>, subgroup = array<i64: 64, 64>, shape = "16x16x16xf16xf32"}}} {}

// -----

// expected-error @below {{attribute 'dml.not_taken' is "reason", but wants a non-empty UTF-8 string without control characters on an operator}}
module attributes {dml.not_taken = "reason"} {}

// -----

func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{attribute 'dml.fused' is 3 : i64, but wants a non-empty UTF-8 string without control characters on an operator}}
  %0 = dml.activation_relu %a {dml.fused = 3} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{attribute 'dml.optimized' wants to be a dictionary on a module}}
module attributes {dml.optimized = "all"} {}

// -----

// expected-error @below {{attribute 'dml.unread' wants to be a list of strings on a module}}
module attributes {dml.unread = ["Loop", 1]} {}
