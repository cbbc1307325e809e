// What dml.rnn, dml.gru and dml.lstm accept, in text and in bytecode. A comment
// names the constraint whose limit a case stands on (test/IR/constraints.test).
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// CHECK-LABEL: func @rnn
func.func @rnn(%input: tensor<1x3x2x4xf16>, %weight: tensor<1x2x5x4xf16>, %recurrence: tensor<1x2x5x5xf16>, %bias: tensor<1x1x2x10xf16>, %hidden_init: tensor<1x2x2x5xf16>, %sequence_lengths: tensor<1x1x1x2xui32>) {
  // dml.rnn (C1), (C2), (C3), (C4), (C6)
  // CHECK: dml.rnn %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) hidden_init(%{{.*}}) sequence_lengths(%{{.*}}) {{.*}}activation_descs = [#dml.activation<relu>, #dml.activation<relu>]
  // CHECK-SAME: -> output_sequence(tensor<3x2x2x5xf16>) output_single(tensor<1x2x2x5xf16>)
  %0, %1 = dml.rnn %input, %weight, %recurrence bias(%bias) hidden_init(%hidden_init) sequence_lengths(%sequence_lengths) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>}
      : (tensor<1x3x2x4xf16>, tensor<1x2x5x4xf16>, tensor<1x2x5x5xf16>, tensor<1x1x2x10xf16>, tensor<1x2x2x5xf16>, tensor<1x1x1x2xui32>)
      -> output_sequence(tensor<3x2x2x5xf16>) output_single(tensor<1x2x2x5xf16>)
  return
}

// CHECK-LABEL: func @rnn_output_sequence
func.func @rnn_output_sequence(%input: tensor<1x1x1x1xf32>, %weight: tensor<1x1x1x1xf32>, %recurrence: tensor<1x1x1x1xf32>) {
  // dml.rnn (C5)
  // CHECK: dml.rnn %{{.*}}, %{{.*}}, %{{.*}} {{.*}}activation_descs
  // CHECK-SAME: -> output_sequence(tensor<1x1x1x1xf32>){{$}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<backward>}
      : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>)
      -> output_sequence(tensor<1x1x1x1xf32>)
  return
}

// CHECK-LABEL: func @rnn_output_single
func.func @rnn_output_single(%input: tensor<1x1x1x1xf32>, %weight: tensor<1x1x1x1xf32>, %recurrence: tensor<1x1x1x1xf32>) {
  // dml.rnn (C5)
  // CHECK: dml.rnn %{{.*}}, %{{.*}}, %{{.*}} {{.*}}activation_descs
  // CHECK-SAME: -> output_single(tensor<1x1x1x1xf32>){{$}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<backward>}
      : (tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>)
      -> output_single(tensor<1x1x1x1xf32>)
  return
}

// CHECK-LABEL: func @gru
func.func @gru(%input: tensor<1x3x2x4xf16>, %weight: tensor<1x2x15x4xf16>, %recurrence: tensor<1x2x15x5xf16>, %bias: tensor<1x1x2x30xf16>, %hidden_init: tensor<1x2x2x5xf16>, %sequence_lengths: tensor<1x1x1x2xui32>) {
  // dml.gru (C1), (C2), (C3), (C4), (C6)
  // CHECK: dml.gru %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) hidden_init(%{{.*}}) sequence_lengths(%{{.*}}) {{.*}}activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>]
  // CHECK-SAME: -> output_sequence(tensor<3x2x2x5xf16>) output_single(tensor<1x2x2x5xf16>)
  %0, %1 = dml.gru %input, %weight, %recurrence bias(%bias) hidden_init(%hidden_init) sequence_lengths(%sequence_lengths) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf16>, tensor<1x2x15x4xf16>, tensor<1x2x15x5xf16>, tensor<1x1x2x30xf16>, tensor<1x2x2x5xf16>, tensor<1x1x1x2xui32>)
      -> output_sequence(tensor<3x2x2x5xf16>) output_single(tensor<1x2x2x5xf16>)
  return
}

// CHECK-LABEL: func @gru_output_sequence
func.func @gru_output_sequence(%input: tensor<1x1x1x1xf32>, %weight: tensor<1x1x3x1xf32>, %recurrence: tensor<1x1x3x1xf32>) {
  // dml.gru (C5)
  // CHECK: dml.gru %{{.*}}, %{{.*}}, %{{.*}} {{.*}}activation_descs
  // CHECK-SAME: -> output_sequence(tensor<1x1x1x1xf32>){{$}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<backward>,
      linear_before_reset = true}
      : (tensor<1x1x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>)
      -> output_sequence(tensor<1x1x1x1xf32>)
  return
}

// CHECK-LABEL: func @gru_output_single
func.func @gru_output_single(%input: tensor<1x1x1x1xf32>, %weight: tensor<1x1x3x1xf32>, %recurrence: tensor<1x1x3x1xf32>) {
  // dml.gru (C5)
  // CHECK: dml.gru %{{.*}}, %{{.*}}, %{{.*}} {{.*}}activation_descs
  // CHECK-SAME: -> output_single(tensor<1x1x1x1xf32>){{$}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<backward>,
      linear_before_reset = true}
      : (tensor<1x1x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>)
      -> output_single(tensor<1x1x1x1xf32>)
  return
}

// CHECK-LABEL: func @lstm
func.func @lstm(%input: tensor<1x3x2x4xf16>, %weight: tensor<1x2x20x4xf16>, %recurrence: tensor<1x2x20x5xf16>, %bias: tensor<1x1x2x40xf16>, %hidden_init: tensor<1x2x2x5xf16>, %cell_mem_init: tensor<1x2x2x5xf16>, %sequence_lengths: tensor<1x1x1x2xui32>, %peephole: tensor<1x1x2x15xf16>) {
  // dml.lstm (C1), (C2), (C3), (C4), (C6), (C7)
  // CHECK: dml.lstm %{{.*}}, %{{.*}}, %{{.*}} bias(%{{.*}}) hidden_init(%{{.*}}) cell_mem_init(%{{.*}}) sequence_lengths(%{{.*}}) peephole(%{{.*}}) {{.*}}activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>]
  // CHECK-SAME: -> output_sequence(tensor<3x2x2x5xf16>) output_single(tensor<1x2x2x5xf16>) output_cell_single(tensor<1x2x2x5xf16>)
  %0, %1, %2 = dml.lstm %input, %weight, %recurrence bias(%bias) hidden_init(%hidden_init) cell_mem_init(%cell_mem_init) sequence_lengths(%sequence_lengths) peephole(%peephole) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>,
      clip_threshold = 0.0 : f32, use_clip_threshold = true,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf16>, tensor<1x2x20x4xf16>, tensor<1x2x20x5xf16>, tensor<1x1x2x40xf16>, tensor<1x2x2x5xf16>, tensor<1x2x2x5xf16>, tensor<1x1x1x2xui32>, tensor<1x1x2x15xf16>)
      -> output_sequence(tensor<3x2x2x5xf16>) output_single(tensor<1x2x2x5xf16>) output_cell_single(tensor<1x2x2x5xf16>)
  return
}

// CHECK-LABEL: func @lstm_output_sequence
func.func @lstm_output_sequence(%input: tensor<1x1x1x1xf32>, %weight: tensor<1x1x4x1xf32>, %recurrence: tensor<1x1x4x1xf32>) {
  // dml.lstm (C5)
  // CHECK: dml.lstm %{{.*}}, %{{.*}}, %{{.*}} {{.*}}activation_descs
  // CHECK-SAME: -> output_sequence(tensor<1x1x1x1xf32>){{$}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<backward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x1x1x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>)
      -> output_sequence(tensor<1x1x1x1xf32>)
  return
}

// CHECK-LABEL: func @lstm_output_single
func.func @lstm_output_single(%input: tensor<1x1x1x1xf32>, %weight: tensor<1x1x4x1xf32>, %recurrence: tensor<1x1x4x1xf32>) {
  // dml.lstm (C5)
  // CHECK: dml.lstm %{{.*}}, %{{.*}}, %{{.*}} {{.*}}activation_descs
  // CHECK-SAME: -> output_single(tensor<1x1x1x1xf32>){{$}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<backward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x1x1x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>)
      -> output_single(tensor<1x1x1x1xf32>)
  return
}

// CHECK-LABEL: func @lstm_output_cell_single
func.func @lstm_output_cell_single(%input: tensor<1x1x1x1xf32>, %weight: tensor<1x1x4x1xf32>, %recurrence: tensor<1x1x4x1xf32>) {
  // dml.lstm (C5)
  // CHECK: dml.lstm %{{.*}}, %{{.*}}, %{{.*}} {{.*}}activation_descs
  // CHECK-SAME: -> output_cell_single(tensor<1x1x1x1xf32>){{$}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<backward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x1x1x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>)
      -> output_cell_single(tensor<1x1x1x1xf32>)
  return
}

// SPDX-License-Identifier: Apache-2.0
