// Attributes of another kind than an operator's, in the custom and in the generic
// form: errors have what was found and the spelling that is wanted.
//
// SPDX-License-Identifier: Apache-2.0
//
// RUN: dml-opt %s -split-input-file -verify-diagnostics

func.func @misspelt(%a: tensor<4xf32>) {
  // expected-error @below {{there is no DirectML padding mode 'edgy'; did you mean 'edge'? (there are constant, edge, reflection, symmetric, wrap)}}
  %0 = dml.padding %a {mode = #dml.padding_mode<edgy>,
      start_padding = array<i64: 0>, end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @number(%a: tensor<4xf32>) {
  // expected-error @below {{wanted a DirectML padding mode: constant, edge, reflection, symmetric, wrap}}
  %0 = dml.padding %a {mode = #dml.padding_mode<1>,
      start_padding = array<i64: 0>, end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @string(%a: tensor<4xf32>) {
  // expected-error @below {{attribute 'mode' failed to satisfy constraint: found "edge", wanted a DirectML padding mode, #dml.padding_mode<...> with one of constant, edge, reflection, symmetric, wrap}}
  %0 = dml.padding %a {mode = "edge",
      start_padding = array<i64: 0>, end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @generic(%a: tensor<4xf32>) {
  // expected-error @below {{'dml.padding' op attribute 'mode' failed to satisfy constraint: found "edge", wanted a DirectML padding mode, #dml.padding_mode<...> with one of}}
  %0 = "dml.padding"(%a) <{mode = "edge",
      start_padding = array<i64: 0>, end_padding = array<i64: 1>}>
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @plain_array(%a: tensor<4xf32>) {
  // expected-error @below {{attribute 'start_padding' failed to satisfy constraint: found [0], wanted whole numbers, such as array<i64: 1, 2>}}
  %0 = dml.padding %a {mode = #dml.padding_mode<edge>,
      start_padding = [0], end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @other_array(%a: tensor<2xf32>) {
  // expected-error @below {{attribute 'scales' failed to satisfy constraint: found array<i64: 2>, wanted f32 numbers, such as array<f32: 0.5, 2.0>}}
  %0 = dml.resample %a {mode = #dml.interpolation_mode<linear>, scales = array<i64: 2>}
      : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @other_type(%a: tensor<4xf32>) {
  // expected-error @below {{attribute 'padding_value' failed to satisfy constraint: found 1 : i64, wanted an f32 number, such as 0.5 : f32}}
  %0 = dml.padding %a {mode = #dml.padding_mode<constant>, padding_value = 1,
      start_padding = array<i64: 0>, end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @no_scalar(%a: tensor<4xf32>) {
  // expected-error @below {{attribute 'padding_value' failed to satisfy constraint: found "1", wanted a number with its type, such as 2 : i32 or 0.5 : f16}}
  %0 = dml.padding1 %a {mode = #dml.padding_mode<constant>, padding_value = "1",
      start_padding = array<i64: 0>, end_padding = array<i64: 1>}
      : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @activation(%a: tensor<1x1x4x4xf32>) {
  // expected-error @below {{there is no DirectML activation to fuse 'rellu'; did you mean 'relu'?}}
  %0 = dml.element_wise_add1 %a, %a {fused_activation = #dml.activation<rellu>}
      : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

// Operands in each other's place.
func.func @swapped(%input: tensor<1x1x4x4xf32>, %gradient: tensor<1x1x2x2xf32>) {
  // expected-error @+2 {{'dml.max_pooling_grad' op input_gradient has size 4 in dimension 2, but wants 1}}
  // expected-remark @+1 {{the types fit if input and input_gradient change places}}
  %0 = dml.max_pooling_grad %gradient, %input {
      strides = array<i64: 2, 2>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x2x2xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return
}
