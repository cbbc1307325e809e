// RUN: dml-opt %s --convert-dml-to-linalg | FileCheck %s

// Two elements share a scale and a zero point: their column is divided by the size of the
// block. The difference is computed in i32.

// CHECK-LABEL: func @dequantize
// CHECK:       %[[COLUMN:.*]] = linalg.index 1
// CHECK:       %[[BYTE:.*]] = tensor.extract %{{.*}} : tensor<1x4xi8>
// CHECK:       %[[WIDE:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK:       %[[SIZE:.*]] = arith.constant 2 : index
// CHECK:       %[[BLOCK:.*]] = arith.divui %[[COLUMN]], %[[SIZE]]
// CHECK:       %[[SCALE:.*]] = tensor.extract %{{.*}}[%{{.*}}, %[[BLOCK]]] : tensor<1x2xf32>
// CHECK:       %[[ZERO:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK:       %[[DIFFERENCE:.*]] = arith.subi %[[WIDE]], %[[ZERO]]
// CHECK:       %[[FLOAT:.*]] = arith.sitofp %[[DIFFERENCE]]
// CHECK:       arith.mulf %[[FLOAT]], %[[SCALE]]
func.func @dequantize(%input: tensor<1x4xui8>, %scale: tensor<1x2xf32>, %zero: tensor<1x2xui8>) -> tensor<1x4xf32> {
  %0 = dml.dequantize %input, %scale, %zero {quantization_type = #dml.quantization_type<scale_zero_point>}
      : (tensor<1x4xui8>, tensor<1x2xf32>, tensor<1x2xui8>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// The quotient is rounded to even and kept within the type before the conversion, which is
// undefined outside of the type.

// CHECK-LABEL: func @quantize
// CHECK:       %[[QUOTIENT:.*]] = arith.divf
// CHECK:       %[[ROUNDED:.*]] = math.roundeven %[[QUOTIENT]]
// CHECK:       %[[INSIDE:.*]] = arith.andi
// CHECK:       %[[SAFE:.*]] = arith.select %[[INSIDE]], %[[ROUNDED]]
// CHECK:       %[[CONVERTED:.*]] = arith.fptosi %[[SAFE]] : f32 to i32
// CHECK:       arith.select %[[INSIDE]], %[[CONVERTED]]
func.func @quantize(%input: tensor<1x4xf32>, %scale: tensor<1x4xf32>) -> tensor<1x4xi8> {
  %0 = dml.quantize %input, %scale {quantization_type = #dml.quantization_type<scale>}
      : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xi8>
  return %0 : tensor<1x4xi8>
}

// SPDX-License-Identifier: Apache-2.0
