// `index` is 32 bits wide where every value fits, and 64 bits where one does not:
// where single elements of a tensor of 2^31 and more are read, and where a product
// grows beyond 32 bits.
//
// RUN: dml-opt %s --split-input-file --dml-to-spirv=device-profile=full,maxStorageBufferRange=4294967295 | FileCheck %s

// CHECK:       spirv.module @__spv__dml.tile Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Matrix],
// CHECK:       spirv.EntryPoint
func.func @narrow(%input: tensor<3x5xf32>) -> tensor<3x10xf32> {
  %0 = dml.tile %input {repeats = array<i64: 1, 2>} : (tensor<3x5xf32>) -> tensor<3x10xf32>
  return %0 : tensor<3x10xf32>
}

// -----

// The output has more than 2^31 elements, but no number does: the threads that
// store sixteen of them are fewer.

// CHECK:       spirv.module @__spv__dml.tile Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Matrix],
func.func @threads(%input: tensor<3x500000000xui8>) -> tensor<3x1000000000xui8> {
  %0 = dml.tile %input {repeats = array<i64: 1, 2>}
      : (tensor<3x500000000xui8>) -> tensor<3x1000000000xui8>
  return %0 : tensor<3x1000000000xui8>
}

// -----

// Positions in the input need more.

// CHECK:       spirv.module @__spv__dml.padding Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [{{.*}}Int64
// CHECK:       spirv.AccessChain %{{.*}}[%{{.*}}, %{{.*}}] : {{.*}}, i64, i64
func.func @positions(%input: tensor<3x1000000000xui8>) -> tensor<3x1000000004xui8> {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 3>, end_padding = array<i64: 0, 1>}
      : (tensor<3x1000000000xui8>) -> tensor<3x1000000004xui8>
  return %0 : tensor<3x1000000004xui8>
}

// -----

// The scale 0.501 is 501/1000: (1000 o + 500) / 501 is o + (499 o + 500) / 501.
// Thread t has the outputs from 4 t; 1996 t leaves 493 t, which needs more than 32
// bits to divide. What is small is 32 bits wide all the same.

// CHECK:       spirv.module @__spv__dml.resample Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [{{.*}}Int64
// CHECK:       spirv.IMul %{{.*}}, %cst7_i32 : i32
// CHECK:       spirv.UDiv %{{.*}}, %cst501_i64 : i64
func.func @product(%input: tensor<80000000xf32>) -> tensor<40080000xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 0.501>} : (tensor<80000000xf32>) -> tensor<40080000xf32>
  return %0 : tensor<40080000xf32>
}

// -----

// With fewer threads 493 t leaves a signed number of 32 bits, but is only read as
// an unsigned one.

// CHECK:       spirv.module @__spv__dml.resample Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Matrix],
// CHECK:       %[[PRODUCT:.*]] = spirv.IMul %{{.*}}, %cst493_i32 : i32
// CHECK:       spirv.UDiv %[[PRODUCT]], %cst501_i32 : i32
func.func @unsigned(%input: tensor<48000000xf32>) -> tensor<24048000xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 0.501>} : (tensor<48000000xf32>) -> tensor<24048000xf32>
  return %0 : tensor<24048000xf32>
}

// -----

// The scale 0.999 is 999/1000: (1000 o + 500) / 999 is o + (o + 500) / 999, and
// nothing is large.

// CHECK:       spirv.module @__spv__dml.resample Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Matrix],
// CHECK-COUNT-1: spirv.UDiv
// CHECK-NOT:   spirv.UDiv
// CHECK:       spirv.EntryPoint
func.func @quotient(%input: tensor<10000000xf32>) -> tensor<9990000xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 0.999>} : (tensor<10000000xf32>) -> tensor<9990000xf32>
  return %0 : tensor<9990000xf32>
}

// -----

// Rows of whole vectors that only the first coordinate is clamped in: 2.5 * 10^9
// elements are read as 156.25 * 10^6 vectors.

// CHECK:       spirv.module @__spv__dml.padding Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Matrix],
// CHECK:       !spirv.array<156250000 x vector<4xi32>
func.func @vectors(%input: tensor<50000x50000xui8>) -> tensor<50002x50000xui8> {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 2, 0>, end_padding = array<i64: 0, 0>}
      : (tensor<50000x50000xui8>) -> tensor<50002x50000xui8>
  return %0 : tensor<50002x50000xui8>
}

// -----

// Beside a division of elements of 64 bits, numbers that fit are 32 bits wide: the sign is,
// and what it is compared with.

// CHECK-LABEL: spirv.module @"__spv__dml.element_wise_sign+dml.element_wise_divide"
// CHECK:       %[[SIGN:.*]] = spirv.SConvert %{{.*}} : i64 to i32
// CHECK:       spirv.IEqual %[[SIGN]], %{{.*}} : i32
// CHECK:       spirv.SDiv
// CHECK:       spirv.ISub %{{.*}}, %[[SIGN]] : i32
// CHECK:       spirv.EntryPoint
func.func @signs(%a: tensor<4xi64>) -> tensor<4xi64> {
  %0 = dml.element_wise_sign %a : (tensor<4xi64>) -> tensor<4xi64>
  %1 = dml.element_wise_divide %0, %0 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %1 : tensor<4xi64>
}

// -----

// CHECK-LABEL: spirv.module @__spv__dml.element_wise_divide
// CHECK:       spirv.SDiv %{{.*}}, %{{.*}} : i64
// CHECK:       spirv.EntryPoint
func.func @numbers(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = dml.element_wise_divide %a, %b : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// SPDX-License-Identifier: Apache-2.0
