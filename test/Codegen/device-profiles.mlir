// What profiles say of cooperative matrices, and what a kernel is told that needs more.
//
// RUN: split-file %s %t
// RUN: dml-compile %t/gemm.mlir --device-profile=full,+cooperativeMatrix --emit=spirv | FileCheck %s --check-prefix=COMMON
// RUN: dml-compile %t/gemm.mlir --device-profile=full,cooperativeMatrix=16x8x16xf16xf32,subgroupSize=64 --emit=spirv | FileCheck %s --check-prefix=NAMED
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,cooperativeMatrix=16x16 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,cooperativeMatrix=16x16x16xf32xf32 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,subgroupSize=0 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,multiprocessors=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,opsPerByte=fast 2>&1 | FileCheck %s --check-prefix=SPEED
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,maxWorkgroupSize=64 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: dml-compile %t/gemm.mlir --device-profile=full,subgroupSize=64,cooperativeMatrix=16x8x16xf16xf32 --emit=spirv | FileCheck %s --check-prefix=NAMED
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,subgroupSize=64,subgroupSize=32 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,+shaderInt8,-shaderInt8 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not dml-compile %t/gemm.mlir --device-profile=full,-cooperativeMatrix,cooperativeMatrix=16x8x16xf16xf32 2>&1 | FileCheck %s --check-prefix=AGAINST

// COMMON: requires #spirv.vce<v1.5, [{{.*}}CooperativeMatrixKHR{{.*}}VulkanMemoryModel
// COMMON: #spirv.resource_limits<max_compute_shared_memory_size = 49152, max_compute_workgroup_invocations = 256
// COMMON-SAME: cooperative_matrix_properties_khr = [#spirv.coop_matrix_props_khr<m_size = 16, n_size = 16, k_size = 16, a_type = f16, b_type = f16, c_type = f32, result_type = f32
// NAMED: subgroup_size = 64
// NAMED-SAME: m_size = 16, n_size = 8, k_size = 16
// SHAPE: error: device profile matrix 'cooperativeMatrix=16x16' wants rows, columns, terms, and the types of factors and sums, such as '16x16x16xf16xf32' or '16x16x32xi8xi32'
// TYPE: error: device profile matrix 'cooperativeMatrix=16x16x16xf32xf32' wants
// SIZE: error: device profile limit 'subgroupSize=0' wants a whole number from 1 to 4294967295
// NONE: error: device profile number 'multiprocessors=0' wants a number from 1 to 1e15
// SPEED: error: device profile number 'opsPerByte=fast' wants a number from 0 to 1e15
// TWICE: error: device profile 'full,subgroupSize=64,subgroupSize=32' states 'subgroupSize' more than once, but wanted is one entry
// BOTH: error: device profile 'full,+shaderInt8,-shaderInt8' states 'shaderInt8' more than once, but wanted is one entry
// AGAINST: error: device profile 'full,-cooperativeMatrix,cooperativeMatrix=16x8x16xf16xf32' states cooperative matrices and '-cooperativeMatrix', without which there are none, but wanted is one of both
// THREADS: error: device profile limit 'maxWorkgroupSize=64' wants a whole number from 128 to 4294967295

//--- gemm.mlir
func.func @main(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> tensor<256x256xf16> {
  %0 = dml.gemm %a, %b {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<256x256xf16>, tensor<256x256xf16>) -> tensor<256x256xf16>
  return %0 : tensor<256x256xf16>
}

// SPDX-License-Identifier: Apache-2.0
