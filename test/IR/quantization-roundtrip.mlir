// What the quantizations accept, in text and in bytecode.
//
// RUN: dml-opt %s | FileCheck %s
// RUN: dml-opt %s > %t.mlir
// RUN: dml-opt %t.mlir | diff %t.mlir -
// RUN: dml-opt %s --mlir-print-op-generic | dml-opt | diff %t.mlir -
// RUN: dml-opt %s --emit-bytecode | dml-opt | diff %t.mlir -

// dml.dynamic_quantize_linear (C1), (C2), (C3)
// CHECK-LABEL: func @dynamic
func.func @dynamic(%a: tensor<2x3xf16>) {
  // CHECK: dml.dynamic_quantize_linear %{{.*}} : (tensor<2x3xf16>) -> (tensor<2x3xui8>, tensor<1x1xf32>, tensor<1x1xui8>)
  %0:3 = dml.dynamic_quantize_linear %a
      : (tensor<2x3xf16>) -> (tensor<2x3xui8>, tensor<1x1xf32>, tensor<1x1xui8>)
  return
}

// dml.quantize (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @quantize
func.func @quantize(%a: tensor<4x6xf16>, %s: tensor<1x3xf16>, %z: tensor<1x3xi4>) {
  // CHECK: dml.quantize %{{.*}}, %{{.*}}, %{{.*}} {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xf16>, tensor<1x3xf16>, tensor<1x3xi4>) -> tensor<4x6xi4>
  %0 = dml.quantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<4x6xf16>, tensor<1x3xf16>, tensor<1x3xi4>) -> tensor<4x6xi4>
  // CHECK: dml.quantize %{{.*}}, %{{.*}} {quantization_type = #dml.quantization_type<scale>} : (tensor<4x6xf16>, tensor<1x3xf16>) -> tensor<4x6xui8>
  %1 = dml.quantize %a, %s {quantization_type = #dml.quantization_type<scale>}
      : (tensor<4x6xf16>, tensor<1x3xf16>) -> tensor<4x6xui8>
  return
}

// dml.dequantize (C1), (C2), (C3), (C4), (C5)
// CHECK-LABEL: func @dequantize
func.func @dequantize(%a: tensor<4x6xui4>, %s: tensor<4x1xf32>, %z: tensor<4x1xui4>) {
  // CHECK: dml.dequantize %{{.*}}, %{{.*}}, %{{.*}} {quantization_type = #dml.quantization_type<scale_zero_point>} : (tensor<4x6xui4>, tensor<4x1xf32>, tensor<4x1xui4>) -> tensor<4x6xf32>
  %0 = dml.dequantize %a, %s, %z {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<4x6xui4>, tensor<4x1xf32>, tensor<4x1xui4>) -> tensor<4x6xf32>
  // CHECK: dml.dequantize %{{.*}}, %{{.*}} {quantization_type = #dml.quantization_type<scale>} : (tensor<4x6xui4>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %1 = dml.dequantize %a, %s {quantization_type = #dml.quantization_type<scale>}
      : (tensor<4x6xui4>, tensor<4x1xf32>) -> tensor<4x6xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
