// A kernel that needs what the profile lacks is refused, under the names of the
// operator and of the Vulkan feature: here of indices that do not fit 32 bits, where a
// device binds so much that tensors are not sliced.
//
// RUN: split-file %s %t
// RUN: not dml-compile %t/large.mlir --device-profile=full,-shaderInt64,maxStorageBufferRange=4294967295 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not dml-compile %t/large.mlir --device-profile=minimal,+shaderInt8,+storageBuffer8BitAccess,maxStorageBufferRange=4294967295 2>&1 | FileCheck %s --check-prefix=MINIMAL
// RUN: dml-compile %t/large.mlir --device-profile=full,maxStorageBufferRange=4294967295 --emit=spirv | FileCheck %s --check-prefix=INT64
// RUN: dml-compile %t/f32.mlir --device-profile=minimal --emit=spirv | FileCheck %s --check-prefix=F32
// RUN: dml-compile %t/i8.mlir --device-profile=minimal,+shaderInt8,+storageBuffer8BitAccess --emit=spirv | FileCheck %s --check-prefix=I8
// RUN: dml-compile %t/i8.mlir --device-profile=minimal --emit=spirv | FileCheck %s --check-prefix=F32
// RUN: dml-compile %t/f64.mlir --device-profile=minimal,+shaderInt64 --emit=spirv | FileCheck %s --check-prefix=F64
// RUN: dml-compile %t/divide.mlir --emit=spirv | FileCheck %s --check-prefix=PRESERVE
// RUN: dml-compile %t/divide.mlir --device-profile=minimal --emit=spirv | FileCheck %s --check-prefix=MAY-LOSE
// RUN: dml-compile %t/f32.mlir --emit=spirv | FileCheck %s --check-prefix=MAY-LOSE
// RUN: not dml-compile %t/f32.mlir --device-profile=tiny 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not dml-compile %t/f32.mlir --device-profile=full,-shaderFloat128 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not dml-compile %t/f32.mlir --device-profile=full,shaderInt8 2>&1 | FileCheck %s --check-prefix=SIGN

// LARGE: large.mlir:3:{{[0-9]+}}: error: 'dml.resample' needs the Vulkan feature shaderInt64, which the device profile 'full,-shaderInt64,maxStorageBufferRange=4294967295' lacks
// LARGE: large.mlir:6:{{[0-9]+}}: error: 'dml.padding' needs the Vulkan feature shaderInt64, which the device profile 'full,-shaderInt64,maxStorageBufferRange=4294967295' lacks
// MINIMAL: error: 'dml.resample' needs the Vulkan feature shaderInt64, which the device profile 'minimal,+shaderInt8,+storageBuffer8BitAccess,maxStorageBufferRange=4294967295' lacks
// INT64: requires #spirv.vce<v1.5, [
// INT64-SAME: Int64
// F32: requires #spirv.vce<v1.5, [Shader, Matrix], [SPV_KHR_storage_buffer_storage_class]>
// I8: requires #spirv.vce<v1.5, [
// I8-SAME: Int8
// F64-NOT: Float64
// F64: requires #spirv.vce<v1.5, [{{.*}}Int64
// PRESERVE: requires #spirv.vce<v1.5, [{{.*}}SignedZeroInfNanPreserve], [
// PRESERVE: spirv.ExecutionMode @{{.*}} "SignedZeroInfNanPreserve", 32
// MAY-LOSE-NOT: requires #spirv.vce<v1.5, [{{[^]]*}}SignedZeroInfNanPreserve
// MAY-LOSE: spirv.ExecutionMode @{{.*}} "LocalSize"
// MAY-LOSE-NOT: spirv.ExecutionMode @{{.*}} "SignedZeroInfNanPreserve"
// PROFILE: dml-compile: error: device profile 'tiny' is unknown; the profiles are 'full' and 'minimal'
// FEATURE: dml-compile: error: Vulkan feature 'shaderFloat128' is unknown; the features are shaderInt8, shaderInt16, shaderInt64, shaderFloat16, shaderFloat64, storageBuffer8BitAccess, storageBuffer16BitAccess, shaderSignedZeroInfNanPreserveFloat32, vulkanMemoryModel, cooperativeMatrix, subgroupShuffle
// SIGN: dml-compile: error: device profile change 'shaderInt8' wants a '+' or '-' before the feature

//--- large.mlir
func.func @main(%input: tensor<50000x50000xui8>)
    -> (tensor<50000x50001xui8>, tensor<50000x50002xui8>) {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 1.0, 1.0>}
      : (tensor<50000x50000xui8>) -> tensor<50000x50001xui8>
  %1 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 2>, end_padding = array<i64: 0, 0>}
      : (tensor<50000x50000xui8>) -> tensor<50000x50002xui8>
  return %0, %1 : tensor<50000x50001xui8>, tensor<50000x50002xui8>
}
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
//--- divide.mlir
func.func @main(%input: tensor<3xf32>) -> tensor<3xf32> {
  %0 = dml.element_wise_divide %input, %input
      : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// SPDX-License-Identifier: Apache-2.0
