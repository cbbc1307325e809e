// What the quantizations reject, with the whole message.
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.dynamic_quantize_linear (C1)
func.func @dynamic_output(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.dynamic_quantize_linear' op output has size 3 in dimension 0, but input has 2 there (the operator does not broadcast)}}
  %0:3 = dml.dynamic_quantize_linear %a : (tensor<2x3xf32>) -> (tensor<3x3xui8>, tensor<1x1xf32>, tensor<1x1xui8>)
  return
}

// -----

// dml.dynamic_quantize_linear (C2)
func.func @dynamic_type(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.dynamic_quantize_linear' op output_zero_point has element type 'i8', but output has 'ui8'}}
  %0:3 = dml.dynamic_quantize_linear %a : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<1x1xf32>, tensor<1x1xi8>)
  return
}

// -----

// dml.dynamic_quantize_linear (C3)
func.func @dynamic_scale(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.dynamic_quantize_linear' op output_scale has 3 elements, but wants 1}}
  %0:3 = dml.dynamic_quantize_linear %a : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<1x3xf32>, tensor<1x3xui8>)
  return
}

// -----

// dml.dynamic_quantize_linear (C3)
func.func @dynamic_rank(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.dynamic_quantize_linear' op output_scale has rank 1, but input has rank 2}}
  %0:3 = dml.dynamic_quantize_linear %a : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<1xf32>, tensor<1xui8>)
  return
}

// -----

// dml.dynamic_quantize_linear (C3)
func.func @dynamic_zero_point(%a: tensor<2x3xf32>) {
  // expected-error @below {{'dml.dynamic_quantize_linear' op output_zero_point has size 3 in dimension 1, but output_scale has 1 there (the operator does not broadcast)}}
  %0:3 = dml.dynamic_quantize_linear %a : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<1x1xf32>, tensor<1x3xui8>)
  return
}

// -----

// dml.quantize (C1)
func.func @quantize_output(%a: tensor<4x6xf32>, %s: tensor<1x3xf32>, %z: tensor<1x3xi4>) {
  // expected-error @below {{'dml.quantize' op output has size 3 in dimension 1, but input has 6 there (the operator does not broadcast)}}
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf32>, tensor<1x3xf32>, tensor<1x3xi4>) -> tensor<4x3xi4>
  return
}

// -----

// dml.quantize (C2)
func.func @quantize_none(%a: tensor<4x6xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.quantize' op quantization_type is none, but wants scale or scale_zero_point}}
  %0 = dml.quantize %a, %s {quantization_type = #dml.quantization_type<none>} : (tensor<4x6xf32>, tensor<1x3xf32>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C2)
func.func @quantize_one(%a: tensor<4x6xf32>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.quantize' op quantizations has 1 tensor, but wants 2 where quantization_type is scale_zero_point}}
  %0 = dml.quantize %a, %s {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf32>, tensor<1x3xf32>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C2)
func.func @quantize_two(%a: tensor<4x6xf32>, %s: tensor<1x3xf32>, %z: tensor<1x3xi4>) {
  // expected-error @below {{'dml.quantize' op quantizations has 2 tensors, but wants 1 where quantization_type is scale}}
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale>} : (tensor<4x6xf32>, tensor<1x3xf32>, tensor<1x3xi4>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C2)
func.func @quantize_empty(%a: tensor<4x6xf32>) {
  // expected-error @below {{'dml.quantize' op quantizations has 0 tensors, but wants 1 where quantization_type is scale}}
  %0 = dml.quantize %a {quantization_type = #dml.quantization_type<scale>} : (tensor<4x6xf32>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C3)
func.func @quantize_scale_type(%a: tensor<4x6xf32>, %s: tensor<1x3xf16>, %z: tensor<1x3xi4>) {
  // expected-error @below {{'dml.quantize' op quantizations[0] has element type 'f16', but input has 'f32'}}
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf32>, tensor<1x3xf16>, tensor<1x3xi4>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C3)
func.func @quantize_zero_type(%a: tensor<4x6xf32>, %s: tensor<1x3xf32>, %z: tensor<1x3xui4>) {
  // expected-error @below {{'dml.quantize' op quantizations[1] has element type 'ui4', but output has 'i4'}}
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf32>, tensor<1x3xf32>, tensor<1x3xui4>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C4)
func.func @quantize_rank(%a: tensor<4x6xf32>, %s: tensor<3xf32>, %z: tensor<3xi4>) {
  // expected-error @below {{'dml.quantize' op quantizations[0] has rank 1, but input has rank 2}}
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf32>, tensor<3xf32>, tensor<3xi4>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C4)
func.func @quantize_divisor(%a: tensor<4x6xf32>, %s: tensor<1x4xf32>, %z: tensor<1x4xi4>) {
  // expected-error @below {{'dml.quantize' op quantizations[0] has size 4 in dimension 1, but wants a divisor of 6, which input has}}
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf32>, tensor<1x4xf32>, tensor<1x4xi4>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C5)
func.func @quantize_zero_rank(%a: tensor<4x6xf32>, %s: tensor<1x3xf32>, %z: tensor<3xi4>) {
  // expected-error @below {{'dml.quantize' op quantizations[1] has rank 1, but quantizations[0] has rank 2}}
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf32>, tensor<1x3xf32>, tensor<3xi4>) -> tensor<4x6xi4>
  return
}

// -----

// dml.quantize (C5)
func.func @quantize_zero_size(%a: tensor<4x6xf32>, %s: tensor<1x3xf32>, %z: tensor<1x1xi4>) {
  // expected-error @below {{'dml.quantize' op quantizations[1] has size 1 in dimension 1, but quantizations[0] has 3 there}}
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf32>, tensor<1x3xf32>, tensor<1x1xi4>) -> tensor<4x6xi4>
  return
}

// -----

// dml.dequantize (C1)
func.func @dequantize_output(%a: tensor<4x6xi4>, %s: tensor<1x3xf32>, %z: tensor<1x3xi4>) {
  // expected-error @below {{'dml.dequantize' op output has size 3 in dimension 1, but input has 6 there (the operator does not broadcast)}}
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xi4>, tensor<1x3xf32>, tensor<1x3xi4>) -> tensor<4x3xf32>
  return
}

// -----

// dml.dequantize (C2)
func.func @dequantize_none(%a: tensor<4x6xi4>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.dequantize' op quantization_type is none, but wants scale or scale_zero_point}}
  %0 = dml.dequantize %a, %s {quantization_type = #dml.quantization_type<none>} : (tensor<4x6xi4>, tensor<1x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C2)
func.func @dequantize_one(%a: tensor<4x6xi4>, %s: tensor<1x3xf32>) {
  // expected-error @below {{'dml.dequantize' op quantizations has 1 tensor, but wants 2 where quantization_type is scale_zero_point}}
  %0 = dml.dequantize %a, %s {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xi4>, tensor<1x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C2)
func.func @dequantize_two(%a: tensor<4x6xi4>, %s: tensor<1x3xf32>, %z: tensor<1x3xi4>) {
  // expected-error @below {{'dml.dequantize' op quantizations has 2 tensors, but wants 1 where quantization_type is scale}}
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale>} : (tensor<4x6xi4>, tensor<1x3xf32>, tensor<1x3xi4>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C2)
func.func @dequantize_empty(%a: tensor<4x6xi4>) {
  // expected-error @below {{'dml.dequantize' op quantizations has 0 tensors, but wants 1 where quantization_type is scale}}
  %0 = dml.dequantize %a {quantization_type = #dml.quantization_type<scale>} : (tensor<4x6xi4>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C3)
func.func @dequantize_scale_type(%a: tensor<4x6xi4>, %s: tensor<1x3xf16>, %z: tensor<1x3xi4>) {
  // expected-error @below {{'dml.dequantize' op quantizations[0] has element type 'f16', but output has 'f32'}}
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xi4>, tensor<1x3xf16>, tensor<1x3xi4>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C3)
func.func @dequantize_zero_type(%a: tensor<4x6xi4>, %s: tensor<1x3xf32>, %z: tensor<1x3xui4>) {
  // expected-error @below {{'dml.dequantize' op quantizations[1] has element type 'ui4', but input has 'i4'}}
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xi4>, tensor<1x3xf32>, tensor<1x3xui4>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C4)
func.func @dequantize_rank(%a: tensor<4x6xi4>, %s: tensor<3xf32>, %z: tensor<3xi4>) {
  // expected-error @below {{'dml.dequantize' op quantizations[0] has rank 1, but input has rank 2}}
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xi4>, tensor<3xf32>, tensor<3xi4>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C4)
func.func @dequantize_divisor(%a: tensor<4x6xi4>, %s: tensor<1x4xf32>, %z: tensor<1x4xi4>) {
  // expected-error @below {{'dml.dequantize' op quantizations[0] has size 4 in dimension 1, but wants a divisor of 6, which input has}}
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xi4>, tensor<1x4xf32>, tensor<1x4xi4>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C5)
func.func @dequantize_zero_rank(%a: tensor<4x6xi4>, %s: tensor<1x3xf32>, %z: tensor<3xi4>) {
  // expected-error @below {{'dml.dequantize' op quantizations[1] has rank 1, but quantizations[0] has rank 2}}
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xi4>, tensor<1x3xf32>, tensor<3xi4>) -> tensor<4x6xf32>
  return
}

// -----

// dml.dequantize (C5)
func.func @dequantize_zero_size(%a: tensor<4x6xi4>, %s: tensor<1x3xf32>, %z: tensor<1x1xi4>) {
  // expected-error @below {{'dml.dequantize' op quantizations[1] has size 1 in dimension 1, but quantizations[0] has 3 there}}
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xi4>, tensor<1x3xf32>, tensor<1x1xi4>) -> tensor<4x6xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
