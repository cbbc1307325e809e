// `index` is 32 bits wide where every value fits, and 64 bits where one does not:
// in tensors of 2^31 elements and more, and where a product grows beyond 32 bits.
//
// RUN: dml-opt %s --split-input-file --dml-to-spirv | FileCheck %s

// CHECK:       spirv.module @__spv__dml.tile Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Matrix],
// CHECK:       spirv.EntryPoint
func.func @narrow(%input: tensor<3x5xf32>) -> tensor<3x10xf32> {
  %0 = dml.tile %input {repeats = array<i64: 1, 2>} : (tensor<3x5xf32>) -> tensor<3x10xf32>
  return %0 : tensor<3x10xf32>
}

// -----

// The output has more than 2^31 elements, but no number does: the threads that
// store four of them are fewer.

// CHECK:       spirv.module @__spv__dml.tile Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Matrix],
func.func @threads(%input: tensor<3x500000000xf32>) -> tensor<3x1000000000xf32> {
  %0 = dml.tile %input {repeats = array<i64: 1, 2>}
      : (tensor<3x500000000xf32>) -> tensor<3x1000000000xf32>
  return %0 : tensor<3x1000000000xf32>
}

// -----

// Positions in the input need more.

// CHECK:       spirv.module @__spv__dml.padding Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [{{.*}}Int64
// CHECK:       spirv.AccessChain %{{.*}}[%{{.*}}, %{{.*}}] : {{.*}}, i64, i64
func.func @positions(%input: tensor<3x1000000000xf32>) -> tensor<3x1000000004xf32> {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 3>, end_padding = array<i64: 0, 1>}
      : (tensor<3x1000000000xf32>) -> tensor<3x1000000004xf32>
  return %0 : tensor<3x1000000004xf32>
}

// -----

// The scale 0.999 is 999/1000: (2o + 1) * 1000 needs more than 32 bits.

// CHECK:       spirv.module @__spv__dml.resample Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [{{.*}}Int64
// CHECK:       spirv.UDiv %{{.*}} : i64
func.func @product(%input: tensor<10000000xf32>) -> tensor<9990000xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 0.999>} : (tensor<10000000xf32>) -> tensor<9990000xf32>
  return %0 : tensor<9990000xf32>
}

// -----

// (2o + 1) * 11184811 leaves a signed number of 32 bits, but is only read as an
// unsigned one.

// CHECK:       spirv.module @__spv__dml.resample Logical GLSL450
// CHECK-SAME:    requires #spirv.vce<v1.5, [Shader, Matrix],
// CHECK:       spirv.UDiv %{{.*}} : i32
func.func @unsigned(%input: tensor<2xf32>) -> tensor<125xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 0.99999994>} : (tensor<2xf32>) -> tensor<125xf32>
  return %0 : tensor<125xf32>
}
