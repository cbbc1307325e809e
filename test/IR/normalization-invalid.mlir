// What the normalizations reject, with the whole message.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.batch_normalization (C1)
func.func @batch_type(%a: tensor<2x3xf32>, %m: tensor<2x3xf16>) {
  // expected-error @below {{'dml.batch_normalization' op mean has element type 'f16', but input has 'f32'}}
  %0 = dml.batch_normalization %a, %m, %a, %a, %a {spatial = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf16>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.batch_normalization (C2)
func.func @batch_output(%a: tensor<2x3xf32>, %m: tensor<2x3xf32>) {
  // expected-error @below {{'dml.batch_normalization' op output has size 1 in dimension 1, but input has 3 there (the operator does not broadcast)}}
  %0 = dml.batch_normalization %a, %m, %a, %a, %a {spatial = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

// dml.batch_normalization (C3)
func.func @batch_size(%a: tensor<2x3xf32>, %m: tensor<2x2xf32>) {
  // expected-error @below {{'dml.batch_normalization' op mean has size 2 in dimension 1, but wants 1 or 3, as input has}}
  %0 = dml.batch_normalization %a, %m, %a, %a, %a {spatial = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.batch_normalization (C3)
func.func @batch_rank(%a: tensor<2x3xf32>, %m: tensor<3xf32>) {
  // expected-error @below {{'dml.batch_normalization' op mean has rank 1, but input has rank 2}}
  %0 = dml.batch_normalization %a, %m, %a, %a, %a {spatial = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.mean_variance_normalization (C1)
func.func @mvn_type(%a: tensor<1x2x3x4xf32>, %s: tensor<1x2x1x1xf16>) {
  // expected-error @below {{'dml.mean_variance_normalization' op scale has element type 'f16', but input has 'f32'}}
  %0 = dml.mean_variance_normalization %a scale(%s) {cross_channel = true, normalize_variance = true, epsilon = 0.5 : f32} : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf16>) -> tensor<1x2x3x4xf32>
  return
}

// -----

// dml.mean_variance_normalization (C2)
func.func @mvn_output(%a: tensor<1x2x3x4xf32>, %s: tensor<1x2x1x1xf32>) {
  // expected-error @below {{'dml.mean_variance_normalization' op output has size 1 in dimension 2, but input has 3 there (the operator does not broadcast)}}
  %0 = dml.mean_variance_normalization %a scale(%s) {cross_channel = true, normalize_variance = true, epsilon = 0.5 : f32} : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  return
}

// -----

// dml.mean_variance_normalization (C3)
func.func @mvn_size(%a: tensor<1x2x3x4xf32>, %s: tensor<1x3x1x1xf32>) {
  // expected-error @below {{'dml.mean_variance_normalization' op scale has size 3 in dimension 1, but wants 1 or 2, as input has}}
  %0 = dml.mean_variance_normalization %a scale(%s) {cross_channel = true, normalize_variance = true, epsilon = 0.5 : f32} : (tensor<1x2x3x4xf32>, tensor<1x3x1x1xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

// dml.mean_variance_normalization1 (C1)
func.func @mvn1_type(%a: tensor<2x3xf32>, %s: tensor<1x3xf16>) {
  // expected-error @below {{'dml.mean_variance_normalization1' op scale has element type 'f16', but input has 'f32'}}
  %0 = dml.mean_variance_normalization1 %a scale(%s) {axes = array<i64: 1>, normalize_variance = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf16>) -> tensor<2x3xf32>
  return
}

// -----

// dml.mean_variance_normalization1 (C2)
func.func @mvn1_output(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.mean_variance_normalization1' op output has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0 = dml.mean_variance_normalization1 %a scale(%s) {axes = array<i64: 1>, normalize_variance = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// dml.mean_variance_normalization1 (C3)
func.func @mvn1_size(%a: tensor<2x3xf32>, %s: tensor<1x2xf32>) {
  // expected-error @below {{'dml.mean_variance_normalization1' op scale has size 2 in dimension 1, but wants 1 or 3, as input has}}
  %0 = dml.mean_variance_normalization1 %a scale(%s) {axes = array<i64: 1>, normalize_variance = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.mean_variance_normalization1 (C4)
func.func @mvn1_axes(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.mean_variance_normalization1' op axes[0] is 2, but wants a value from 0 to 1}}
  %0 = dml.mean_variance_normalization1 %a scale(%s) {axes = array<i64: 2>, normalize_variance = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.mean_variance_normalization2 (C1)
func.func @mvn2_type(%a: tensor<2x3xf32>, %s: tensor<1x3xf16>) {
  // expected-error @below {{'dml.mean_variance_normalization2' op scale has element type 'f16', but input has 'f32'}}
  %0 = dml.mean_variance_normalization2 %a scale(%s) {axes = array<i64: 1>, use_mean = true, use_variance = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf16>) -> tensor<2x3xf32>
  return
}

// -----

// dml.mean_variance_normalization2 (C2)
func.func @mvn2_output(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.mean_variance_normalization2' op output has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0 = dml.mean_variance_normalization2 %a scale(%s) {axes = array<i64: 1>, use_mean = true, use_variance = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// dml.mean_variance_normalization2 (C3)
func.func @mvn2_size(%a: tensor<2x3xf32>, %s: tensor<1x2xf32>) {
  // expected-error @below {{'dml.mean_variance_normalization2' op scale has size 2 in dimension 1, but wants 1 or 3, as input has}}
  %0 = dml.mean_variance_normalization2 %a scale(%s) {axes = array<i64: 1>, use_mean = true, use_variance = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.mean_variance_normalization2 (C4)
func.func @mvn2_axes(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.mean_variance_normalization2' op axes[0] is 2, but wants a value from 0 to 1}}
  %0 = dml.mean_variance_normalization2 %a scale(%s) {axes = array<i64: 2>, use_mean = true, use_variance = true, epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.local_response_normalization (C1)
func.func @local_output(%a: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'dml.local_response_normalization' op output has size 3 in dimension 1, but input has 2 there (the operator does not broadcast)}}
  %0 = dml.local_response_normalization %a {cross_channel = true, local_size = 3 : i64, alpha = 0.5 : f32, beta = 0.75 : f32, bias = 1.0 : f32} : (tensor<1x2x3x4xf32>) -> tensor<1x3x3x4xf32>
  return
}

// -----

// dml.local_response_normalization (C2)
func.func @local_size(%a: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'dml.local_response_normalization' op local_size is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.local_response_normalization %a {cross_channel = true, local_size = 0 : i64, alpha = 0.5 : f32, beta = 0.75 : f32, bias = 1.0 : f32} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

// dml.lp_normalization (C1)
func.func @lp_output(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.lp_normalization' op output has element type 'f16', but input has 'f32'}}
  %0 = dml.lp_normalization %a {axis = 1 : i64, epsilon = 0.5 : f32, p = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

// dml.lp_normalization (C2)
func.func @lp_axis(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.lp_normalization' op axis is 2, but wants a value from 0 to 1}}
  %0 = dml.lp_normalization %a {axis = 2 : i64, epsilon = 0.5 : f32, p = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.lp_normalization (C3)
func.func @lp_p(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.lp_normalization' op p is 3, but wants a value from 1 to 2}}
  %0 = dml.lp_normalization %a {axis = 1 : i64, epsilon = 0.5 : f32, p = 3 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_normalization_clip(%arg0: tensor<1x2x3x4xf32>, %arg1: tensor<1x2x3x4xf32>, %arg2: tensor<1x2x3x4xf32>, %arg3: tensor<1x2x3x4xf32>, %arg4: tensor<1x2x3x4xf32>) {
  // dml.batch_normalization (C4)
  // expected-error @below {{'dml.batch_normalization' op fused_activation is clip, but the operator fuses linear, sigmoid,}}
  %0 = dml.batch_normalization %arg0, %arg1, %arg2, %arg3, %arg4 {spatial = true, epsilon = 0.5 : f32,
      fused_activation = #dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @mean_variance_normalization_clip(%arg0: tensor<1x2x3x4xf32>) {
  // dml.mean_variance_normalization (C4)
  // expected-error @below {{'dml.mean_variance_normalization' op fused_activation is clip, but the operator fuses linear, sigmoid,}}
  %0 = dml.mean_variance_normalization %arg0 {cross_channel = true, normalize_variance = true, epsilon = 0.5 : f32,
      fused_activation = #dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @mean_variance_normalization1_clip(%arg0: tensor<1x2x3x4xf32>) {
  // dml.mean_variance_normalization1 (C5)
  // expected-error @below {{'dml.mean_variance_normalization1' op fused_activation is clip, but the operator fuses linear, sigmoid,}}
  %0 = dml.mean_variance_normalization1 %arg0 {axes = array<i64: 1>, normalize_variance = true, epsilon = 0.5 : f32,
      fused_activation = #dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @mean_variance_normalization2_clip(%arg0: tensor<1x2x3x4xf32>) {
  // dml.mean_variance_normalization2 (C5)
  // expected-error @below {{'dml.mean_variance_normalization2' op fused_activation is clip, but the operator fuses linear, sigmoid,}}
  %0 = dml.mean_variance_normalization2 %arg0 {axes = array<i64: 1>, use_mean = true, use_variance = true, epsilon = 0.5 : f32,
      fused_activation = #dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>}
      : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

// dml.batch_normalization_training (C1)
func.func @training_type(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>, %b: tensor<1x3xf16>) {
  // expected-error @below {{'dml.batch_normalization_training' op bias has element type 'f16', but input has 'f32'}}
  %0:3 = dml.batch_normalization_training %a, %s, %b {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf16>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_training (C2)
func.func @training_add(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>, %b: tensor<1x3xf32>, %f: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training' op fused_add has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_training %a, %s, %b fused_add(%f) {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_training (C2)
func.func @training_output(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training' op output has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_training %a, %s, %b {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_training (C3)
func.func @training_size(%a: tensor<2x3xf32>, %s: tensor<1x2xf32>, %b: tensor<1x2xf32>) {
  // expected-error @below {{'dml.batch_normalization_training' op scale has size 2 in dimension 1, but wants 1 or 3, as input has}}
  %0:3 = dml.batch_normalization_training %a, %s, %b {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<2x3xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  return
}

// -----

// dml.batch_normalization_training (C3)
func.func @training_rank(%a: tensor<2x3xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training' op scale has rank 1, but input has rank 2}}
  %0:3 = dml.batch_normalization_training %a, %s, %b {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// dml.batch_normalization_training (C4)
func.func @training_mean(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training' op output_mean has size 2 in dimension 0, but scale has 1 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_training %a, %s, %b {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_training (C5)
func.func @training_clip(%a: tensor<2x3xf32>, %s: tensor<1x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training' op fused_activation is clip, but the operator fuses linear, sigmoid, hard_sigmoid, tanh, scaled_tanh, relu, leaky_relu, thresholded_relu, elu, celu, scaled_elu, softplus, parametric_softplus, softsign, identity, shrink, gelu}}
  %0:3 = dml.batch_normalization_training %a, %s, %b {epsilon = 0.5 : f32, fused_activation = #dml.activation<clip, {min = 0.0 : f32, max = 1.0 : f32}>} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_grad (C1)
func.func @batch_grad_type(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf16>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_grad' op variance has element type 'f16', but input has 'f32'}}
  %0:3 = dml.batch_normalization_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf16>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_grad (C2)
func.func @batch_grad_gradient(%a: tensor<2x3xf32>, %g: tensor<1x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_grad' op input_gradient has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_grad (C2)
func.func @batch_grad_output(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_grad' op output_gradient has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_grad (C3)
func.func @batch_grad_size(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x2xf32>, %v: tensor<1x2xf32>, %s: tensor<1x2xf32>) {
  // expected-error @below {{'dml.batch_normalization_grad' op mean has size 2 in dimension 1, but wants 1 or 3, as input has}}
  %0:3 = dml.batch_normalization_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<2x3xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  return
}

// -----

// dml.batch_normalization_grad (C3)
func.func @batch_grad_rank(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{'dml.batch_normalization_grad' op mean has rank 1, but input has rank 2}}
  %0:3 = dml.batch_normalization_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// dml.batch_normalization_grad (C4)
func.func @batch_grad_scale(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>, %s: tensor<2x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_grad' op scale has size 2 in dimension 0, but mean has 1 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_grad (C4)
func.func @batch_grad_bias(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_grad' op output_bias_gradient has size 2 in dimension 0, but mean has 1 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>)
  return
}

// -----

// dml.batch_normalization_training_grad (C1)
func.func @batch_training_grad_type(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf16>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training_grad' op variance has element type 'f16', but input has 'f32'}}
  %0:3 = dml.batch_normalization_training_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf16>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_training_grad (C2)
func.func @batch_training_grad_gradient(%a: tensor<2x3xf32>, %g: tensor<1x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training_grad' op input_gradient has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_training_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_training_grad (C2)
func.func @batch_training_grad_output(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training_grad' op output_gradient has size 1 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_training_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_training_grad (C3)
func.func @batch_training_grad_size(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x2xf32>, %v: tensor<1x2xf32>, %s: tensor<1x2xf32>) {
  // expected-error @below {{'dml.batch_normalization_training_grad' op mean has size 2 in dimension 1, but wants 1 or 3, as input has}}
  %0:3 = dml.batch_normalization_training_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<2x3xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  return
}

// -----

// dml.batch_normalization_training_grad (C3)
func.func @batch_training_grad_rank(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training_grad' op mean has rank 1, but input has rank 2}}
  %0:3 = dml.batch_normalization_training_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

// dml.batch_normalization_training_grad (C4)
func.func @batch_training_grad_scale(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>, %s: tensor<2x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training_grad' op scale has size 2 in dimension 0, but mean has 1 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_training_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  return
}

// -----

// dml.batch_normalization_training_grad (C4)
func.func @batch_training_grad_bias(%a: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<1x3xf32>, %v: tensor<1x3xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.batch_normalization_training_grad' op output_bias_gradient has size 2 in dimension 0, but mean has 1 there (the operator does not broadcast)}}
  %0:3 = dml.batch_normalization_training_grad %a, %g, %m, %v, %s {epsilon = 0.5 : f32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>, tensor<2x3xf32>)
  return
}

// -----

// dml.local_response_normalization_grad (C1)
func.func @local_grad_type(%a: tensor<1x2x3x4xf32>, %g: tensor<1x2x3x4xf16>) {
  // expected-error @below {{'dml.local_response_normalization_grad' op input_gradient has element type 'f16', but input has 'f32'}}
  %0 = dml.local_response_normalization_grad %a, %g {cross_channel = true, local_size = 3 : i64, alpha = 0.5 : f32, beta = 0.75 : f32, bias = 1.0 : f32} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf16>) -> tensor<1x2x3x4xf32>
  return
}

// -----

// dml.local_response_normalization_grad (C1)
func.func @local_grad_output(%a: tensor<1x2x3x4xf32>, %g: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'dml.local_response_normalization_grad' op output_gradient has size 3 in dimension 1, but input has 2 there (the operator does not broadcast)}}
  %0 = dml.local_response_normalization_grad %a, %g {cross_channel = true, local_size = 3 : i64, alpha = 0.5 : f32, beta = 0.75 : f32, bias = 1.0 : f32} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x3x3x4xf32>
  return
}

// -----

// dml.local_response_normalization_grad (C2)
func.func @local_grad_size(%a: tensor<1x2x3x4xf32>, %g: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'dml.local_response_normalization_grad' op local_size is 0, but wants a value from 1 to 4294967295}}
  %0 = dml.local_response_normalization_grad %a, %g {cross_channel = true, local_size = 0 : i64, alpha = 0.5 : f32, beta = 0.75 : f32, bias = 1.0 : f32} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
