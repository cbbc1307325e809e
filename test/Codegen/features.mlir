// A kernel that needs what the profile lacks is refused, under the names of the
// operator and of the Vulkan features.
//
// RUN: split-file %s %t
// RUN: not dml-compile %t/i8.mlir --device-profile=minimal 2>&1 | FileCheck %s --check-prefix=I8
// RUN: not dml-compile %t/f64.mlir --device-profile=full,-shaderFloat64 2>&1 | FileCheck %s --check-prefix=F64
// RUN: dml-compile %t/f32.mlir --device-profile=minimal --emit=spirv | FileCheck %s --check-prefix=F32
// RUN: dml-compile %t/i8.mlir --device-profile=minimal,+shaderInt8,+storageBuffer8BitAccess --emit=spirv | FileCheck %s --check-prefix=I8OK
// RUN: not dml-compile %t/f32.mlir --device-profile=tiny 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not dml-compile %t/f32.mlir --device-profile=full,-shaderFloat128 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not dml-compile %t/f32.mlir --device-profile=full,shaderInt8 2>&1 | FileCheck %s --check-prefix=SIGN

// I8: i8.mlir:2:{{[0-9]+}}: error: 'dml.tile' needs the Vulkan features shaderInt8, storageBuffer8BitAccess, which the device profile 'minimal' lacks
// F64: f64.mlir:2:{{[0-9]+}}: error: 'dml.padding' needs the Vulkan feature shaderFloat64, which the device profile 'full,-shaderFloat64' lacks
// F32: requires #spirv.vce<v1.5, [Shader, Matrix], [SPV_KHR_storage_buffer_storage_class]>
// I8OK: requires #spirv.vce<v1.5, [
// I8OK-SAME: Int8
// PROFILE: dml-compile: error: device profile 'tiny' is unknown; the profiles are 'full' and 'minimal'
// FEATURE: dml-compile: error: Vulkan feature 'shaderFloat128' is unknown; the features are shaderInt8, shaderInt16, shaderInt64, shaderFloat16, shaderFloat64, storageBuffer8BitAccess, storageBuffer16BitAccess
// SIGN: dml-compile: error: device profile change 'shaderInt8' wants a '+' or '-' before the feature

//--- i8.mlir
func.func @main(%input: tensor<3xi8>) -> tensor<6xi8> {
  %0 = dml.tile %input {repeats = array<i64: 2>} : (tensor<3xi8>) -> tensor<6xi8>
  return %0 : tensor<6xi8>
}
//--- f64.mlir
func.func @main(%input: tensor<3xf64>) -> tensor<4xf64> {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0>, end_padding = array<i64: 1>}
      : (tensor<3xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
//--- f32.mlir
func.func @main(%input: tensor<3xf32>) -> tensor<6xf32> {
  %0 = dml.tile %input {repeats = array<i64: 2>} : (tensor<3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
