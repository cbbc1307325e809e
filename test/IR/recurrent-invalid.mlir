// What dml.rnn, dml.gru and dml.lstm reject, with the whole message. A comment
// names the constraint that a case breaks (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

func.func @rnn_c1(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf16>, %recurrence: tensor<1x1x5x5xf32>) {
  // dml.rnn (C1)
  // expected-error @below {{'dml.rnn' op weight has element type 'f16', but input has 'f32'}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf16>, tensor<1x1x5x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @rnn_c2_input(%input: tensor<2x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x5x5xf32>) {
  // dml.rnn (C2)
  // expected-error @below {{'dml.rnn' op input has the sizes {2, 3, 2, 4}, but wants {1, 3, 2, 4}, which is {1, T, B, I}}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<2x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @rnn_c2_weight(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x2x5x5xf32>) {
  // dml.rnn (C2)
  // expected-error @below {{'dml.rnn' op weight has the sizes {1, 1, 5, 4}, but wants {1, 2, 5, 4}, which is {1, D, H, I}}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x2x5x5xf32>)
      -> output_single(tensor<1x2x2x5xf32>)
  return
}

// -----

func.func @rnn_c2_recurrence(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x6x5xf32>) {
  // dml.rnn (C2)
  // expected-error @below {{'dml.rnn' op recurrence has the sizes {1, 1, 6, 5}, but wants {1, 1, 5, 5}, which is {1, D, H, H}}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x6x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @rnn_c3_bias(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x5x5xf32>, %bias: tensor<1x1x1x5xf32>) {
  // dml.rnn (C3)
  // expected-error @below {{'dml.rnn' op bias has the sizes {1, 1, 1, 5}, but wants {1, 1, 1, 10}, which is {1, 1, D, 2 * H}}}
  %0 = dml.rnn %input, %weight, %recurrence bias(%bias) {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x5xf32>, tensor<1x1x1x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @rnn_c3_init(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x5x5xf32>, %hidden_init: tensor<1x1x1x5xf32>) {
  // dml.rnn (C3)
  // expected-error @below {{'dml.rnn' op hidden_init has the sizes {1, 1, 1, 5}, but wants {1, 1, 2, 5}, which is {1, D, B, H}}}
  %0 = dml.rnn %input, %weight, %recurrence hidden_init(%hidden_init) {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x5xf32>, tensor<1x1x1x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @rnn_c3_lengths(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x5x5xf32>, %sequence_lengths: tensor<1x1x2x1xui32>) {
  // dml.rnn (C3)
  // expected-error @below {{'dml.rnn' op sequence_lengths has the sizes {1, 1, 2, 1}, but wants {1, 1, 1, 2}, which is {1, 1, 1, B}}}
  %0 = dml.rnn %input, %weight, %recurrence sequence_lengths(%sequence_lengths) {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x5xf32>, tensor<1x1x2x1xui32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @rnn_c4_sequence(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x5x5xf32>) {
  // dml.rnn (C4)
  // expected-error @below {{'dml.rnn' op output_sequence has the sizes {1, 1, 2, 5}, but wants {3, 1, 2, 5}, which is {T, D, B, H}}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x5xf32>)
      -> output_sequence(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @rnn_c4_single(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x5x5xf32>) {
  // dml.rnn (C4)
  // expected-error @below {{'dml.rnn' op output_single has the sizes {3, 1, 2, 5}, but wants {1, 1, 2, 5}, which is {1, D, B, H}}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x5xf32>)
      -> output_single(tensor<3x1x2x5xf32>)
  return
}

// -----

func.func @rnn_c5(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x5x5xf32>) {
  // dml.rnn (C5)
  // expected-error @below {{'dml.rnn' op has no result, but wants one at least}}
  dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x5xf32>)
      ->
  return
}

// -----

func.func @rnn_c6_count(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x2x5x4xf32>, %recurrence: tensor<1x2x5x5xf32>) {
  // dml.rnn (C6)
  // expected-error @below {{'dml.rnn' op activation_descs has 1 activation, but wants 2: 1 for each direction}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>}
      : (tensor<1x3x2x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x5xf32>)
      -> output_single(tensor<1x2x2x5xf32>)
  return
}

// -----

func.func @rnn_c6_clip(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x5x4xf32>, %recurrence: tensor<1x1x5x5xf32>) {
  // dml.rnn (C6)
  // expected-error @below {{'dml.rnn' op activation_descs[0] is clip, but the operator fuses linear, sigmoid, hard_sigmoid, tanh, scaled_tanh, relu, leaky_relu, thresholded_relu, elu, celu, scaled_elu, softplus, parametric_softplus, softsign, identity, shrink, gelu}}
  %0 = dml.rnn %input, %weight, %recurrence {
      activation_descs = [#dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>],
      direction = #dml.recurrent_network_direction<forward>}
      : (tensor<1x3x2x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @gru_c1(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf16>, %recurrence: tensor<1x1x15x5xf32>) {
  // dml.gru (C1)
  // expected-error @below {{'dml.gru' op weight has element type 'f16', but input has 'f32'}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf16>, tensor<1x1x15x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @gru_c2_input(%input: tensor<2x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>) {
  // dml.gru (C2)
  // expected-error @below {{'dml.gru' op input has the sizes {2, 3, 2, 4}, but wants {1, 3, 2, 4}, which is {1, T, B, I}}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<2x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @gru_c2_weight(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x2x15x5xf32>) {
  // dml.gru (C2)
  // expected-error @below {{'dml.gru' op weight has the sizes {1, 1, 15, 4}, but wants {1, 2, 15, 4}, which is {1, D, 3 * H, I}}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x2x15x5xf32>)
      -> output_single(tensor<1x2x2x5xf32>)
  return
}

// -----

func.func @gru_c2_recurrence(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x16x5xf32>) {
  // dml.gru (C2)
  // expected-error @below {{'dml.gru' op recurrence has the sizes {1, 1, 16, 5}, but wants {1, 1, 15, 5}, which is {1, D, 3 * H, H}}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x16x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @gru_c3_bias(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>, %bias: tensor<1x1x1x15xf32>) {
  // dml.gru (C3)
  // expected-error @below {{'dml.gru' op bias has the sizes {1, 1, 1, 15}, but wants {1, 1, 1, 30}, which is {1, 1, D, 6 * H}}}
  %0 = dml.gru %input, %weight, %recurrence bias(%bias) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>, tensor<1x1x1x15xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @gru_c3_init(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>, %hidden_init: tensor<1x1x1x5xf32>) {
  // dml.gru (C3)
  // expected-error @below {{'dml.gru' op hidden_init has the sizes {1, 1, 1, 5}, but wants {1, 1, 2, 5}, which is {1, D, B, H}}}
  %0 = dml.gru %input, %weight, %recurrence hidden_init(%hidden_init) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>, tensor<1x1x1x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @gru_c3_lengths(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>, %sequence_lengths: tensor<1x1x2x1xui32>) {
  // dml.gru (C3)
  // expected-error @below {{'dml.gru' op sequence_lengths has the sizes {1, 1, 2, 1}, but wants {1, 1, 1, 2}, which is {1, 1, 1, B}}}
  %0 = dml.gru %input, %weight, %recurrence sequence_lengths(%sequence_lengths) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>, tensor<1x1x2x1xui32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @gru_c4_sequence(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>) {
  // dml.gru (C4)
  // expected-error @below {{'dml.gru' op output_sequence has the sizes {1, 1, 2, 5}, but wants {3, 1, 2, 5}, which is {T, D, B, H}}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>)
      -> output_sequence(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @gru_c4_single(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>) {
  // dml.gru (C4)
  // expected-error @below {{'dml.gru' op output_single has the sizes {3, 1, 2, 5}, but wants {1, 1, 2, 5}, which is {1, D, B, H}}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>)
      -> output_single(tensor<3x1x2x5xf32>)
  return
}

// -----

func.func @gru_c5(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>) {
  // dml.gru (C5)
  // expected-error @below {{'dml.gru' op has no result, but wants one at least}}
  dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>)
      ->
  return
}

// -----

func.func @gru_c6_count(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x2x15x4xf32>, %recurrence: tensor<1x2x15x5xf32>) {
  // dml.gru (C6)
  // expected-error @below {{'dml.gru' op activation_descs has 2 activations, but wants 4: 2 for each direction}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x2x15x4xf32>, tensor<1x2x15x5xf32>)
      -> output_single(tensor<1x2x2x5xf32>)
  return
}

// -----

func.func @gru_c6_clip(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>) {
  // dml.gru (C6)
  // expected-error @below {{'dml.gru' op activation_descs[1] is clip, but the operator fuses linear, sigmoid, hard_sigmoid, tanh, scaled_tanh, relu, leaky_relu, thresholded_relu, elu, celu, scaled_elu, softplus, parametric_softplus, softsign, identity, shrink, gelu}}
  %0 = dml.gru %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>],
      direction = #dml.recurrent_network_direction<forward>,
      linear_before_reset = true}
      : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c1(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf16>, %recurrence: tensor<1x1x20x5xf32>) {
  // dml.lstm (C1)
  // expected-error @below {{'dml.lstm' op weight has element type 'f16', but input has 'f32'}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf16>, tensor<1x1x20x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c2_input(%input: tensor<2x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>) {
  // dml.lstm (C2)
  // expected-error @below {{'dml.lstm' op input has the sizes {2, 3, 2, 4}, but wants {1, 3, 2, 4}, which is {1, T, B, I}}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<2x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c2_weight(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x2x20x5xf32>) {
  // dml.lstm (C2)
  // expected-error @below {{'dml.lstm' op weight has the sizes {1, 1, 20, 4}, but wants {1, 2, 20, 4}, which is {1, D, 4 * H, I}}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x2x20x5xf32>)
      -> output_single(tensor<1x2x2x5xf32>)
  return
}

// -----

func.func @lstm_c2_recurrence(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x21x5xf32>) {
  // dml.lstm (C2)
  // expected-error @below {{'dml.lstm' op recurrence has the sizes {1, 1, 21, 5}, but wants {1, 1, 20, 5}, which is {1, D, 4 * H, H}}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x21x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c3_bias(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>, %bias: tensor<1x1x1x20xf32>) {
  // dml.lstm (C3)
  // expected-error @below {{'dml.lstm' op bias has the sizes {1, 1, 1, 20}, but wants {1, 1, 1, 40}, which is {1, 1, D, 8 * H}}}
  %0 = dml.lstm %input, %weight, %recurrence bias(%bias) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>, tensor<1x1x1x20xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c3_init(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>, %hidden_init: tensor<1x1x1x5xf32>) {
  // dml.lstm (C3)
  // expected-error @below {{'dml.lstm' op hidden_init has the sizes {1, 1, 1, 5}, but wants {1, 1, 2, 5}, which is {1, D, B, H}}}
  %0 = dml.lstm %input, %weight, %recurrence hidden_init(%hidden_init) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>, tensor<1x1x1x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c3_lengths(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>, %sequence_lengths: tensor<1x1x2x1xui32>) {
  // dml.lstm (C3)
  // expected-error @below {{'dml.lstm' op sequence_lengths has the sizes {1, 1, 2, 1}, but wants {1, 1, 1, 2}, which is {1, 1, 1, B}}}
  %0 = dml.lstm %input, %weight, %recurrence sequence_lengths(%sequence_lengths) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>, tensor<1x1x2x1xui32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c3_cell(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>, %cell_mem_init: tensor<1x2x2x5xf32>) {
  // dml.lstm (C3)
  // expected-error @below {{'dml.lstm' op cell_mem_init has the sizes {1, 2, 2, 5}, but wants {1, 1, 2, 5}, which is {1, D, B, H}}}
  %0 = dml.lstm %input, %weight, %recurrence cell_mem_init(%cell_mem_init) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>, tensor<1x2x2x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c3_peephole(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>, %peephole: tensor<1x1x1x20xf32>) {
  // dml.lstm (C3)
  // expected-error @below {{'dml.lstm' op peephole has the sizes {1, 1, 1, 20}, but wants {1, 1, 1, 15}, which is {1, 1, D, 3 * H}}}
  %0 = dml.lstm %input, %weight, %recurrence peephole(%peephole) {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>, tensor<1x1x1x20xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c4_sequence(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>) {
  // dml.lstm (C4)
  // expected-error @below {{'dml.lstm' op output_sequence has the sizes {1, 1, 2, 5}, but wants {3, 1, 2, 5}, which is {T, D, B, H}}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>)
      -> output_sequence(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c4_single(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>) {
  // dml.lstm (C4)
  // expected-error @below {{'dml.lstm' op output_single has the sizes {3, 1, 2, 5}, but wants {1, 1, 2, 5}, which is {1, D, B, H}}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>)
      -> output_single(tensor<3x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c4_cell(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>) {
  // dml.lstm (C4)
  // expected-error @below {{'dml.lstm' op output_cell_single has the sizes {1, 1, 2, 4}, but wants {1, 1, 2, 5}, which is {1, D, B, H}}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>)
      -> output_cell_single(tensor<1x1x2x4xf32>)
  return
}

// -----

func.func @lstm_c5(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>) {
  // dml.lstm (C5)
  // expected-error @below {{'dml.lstm' op has no result, but wants one at least}}
  dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>)
      ->
  return
}

// -----

func.func @lstm_c6_count(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x2x20x4xf32>, %recurrence: tensor<1x2x20x5xf32>) {
  // dml.lstm (C6)
  // expected-error @below {{'dml.lstm' op activation_descs has 3 activations, but wants 6: 3 for each direction}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<bidirectional>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x2x20x4xf32>, tensor<1x2x20x5xf32>)
      -> output_single(tensor<1x2x2x5xf32>)
  return
}

// -----

func.func @lstm_c6_clip(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>) {
  // dml.lstm (C6)
  // expected-error @below {{'dml.lstm' op activation_descs[2] is clip, but the operator fuses linear, sigmoid, hard_sigmoid, tanh, scaled_tanh, relu, leaky_relu, thresholded_relu, elu, celu, scaled_elu, softplus, parametric_softplus, softsign, identity, shrink, gelu}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = 1.0 : f32, use_clip_threshold = false,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

func.func @lstm_c7(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x20x4xf32>, %recurrence: tensor<1x1x20x5xf32>) {
  // dml.lstm (C7)
  // expected-error @below {{'dml.lstm' op clip_threshold is -1.000000e+00, but wants a number of 0 or more}}
  %0 = dml.lstm %input, %weight, %recurrence {
      activation_descs = [#dml.activation<relu>, #dml.activation<relu>, #dml.activation<relu>],
      direction = #dml.recurrent_network_direction<forward>,
      clip_threshold = -1.0 : f32, use_clip_threshold = true,
      couple_input_forget = false}
      : (tensor<1x3x2x4xf32>, tensor<1x1x20x4xf32>, tensor<1x1x20x5xf32>)
      -> output_single(tensor<1x1x2x5xf32>)
  return
}

// -----

// An activation that came later than the operator.
module attributes {dml.target = #dml.target<feature_level = fl_1_0>} {
  func.func @gru_level(%input: tensor<1x3x2x4xf32>, %weight: tensor<1x1x15x4xf32>, %recurrence: tensor<1x1x15x5xf32>) {
    // expected-error @below {{'dml.gru' op activation_descs is shrink, but feature level 1_0 supports linear, sigmoid, hard_sigmoid, tanh, scaled_tanh, relu, leaky_relu, thresholded_relu, elu, scaled_elu, softplus, parametric_softplus, softsign, identity (shrink needs 2_0)}}
    // expected-note @below {{according to DML_GRU_OPERATOR_DESC, https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_gru_operator_desc}}
    %0 = dml.gru %input, %weight, %recurrence {
        activation_descs = [#dml.activation<tanh>, #dml.activation<shrink, {bias = 1.0 : f32, threshold = 1.0 : f32}>],
        direction = #dml.recurrent_network_direction<forward>,
        linear_before_reset = true}
        : (tensor<1x3x2x4xf32>, tensor<1x1x15x4xf32>, tensor<1x1x15x5xf32>)
        -> output_single(tensor<1x1x2x5xf32>)
    return
  }
}

// SPDX-License-Identifier: Apache-2.0
