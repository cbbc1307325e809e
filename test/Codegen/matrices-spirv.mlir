// Matrix kernels in SPIR-V: the Vulkan memory model, whose barriers say what they make
// visible, and matrices that are loaded from workgroup memory alone. Their instructions
// are MLIR's of 1.6, in a module of 1.5.
//
// RUN: dml-compile %s --device-profile=full,+cooperativeMatrix --matrix-tile=32x32x32x16x16 --emit=spirv | FileCheck %s
// RUN: dml-compile %s --device-profile=full,+cooperativeMatrix --matrix-tile=none --emit=spirv | FileCheck %s --check-prefix=PLAIN

// CHECK:       spirv.module {{.*}} Logical Vulkan requires #spirv.vce<v1.5, [{{.*}}CooperativeMatrixKHR{{.*}}VulkanMemoryModel{{.*}}GroupNonUniform
// CHECK:       built_in("SubgroupId")
// CHECK:       spirv.GL.UMin
// CHECK:       spirv.Store "Workgroup" {{.*}} ["NonPrivatePointer"]
// CHECK:       spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// CHECK:       spirv.KHR.CooperativeMatrixLoad %{{.*}}, <NonPrivatePointer> : !spirv.ptr<vector<4xi32>, Workgroup>
// CHECK-NOT:   CooperativeMatrixLoad {{.*}}StorageBuffer
// CHECK:       spirv.KHR.CooperativeMatrixMulAdd
// CHECK:       spirv.KHR.CooperativeMatrixStore %{{.*}}, <NonPrivatePointer> : !spirv.ptr<vector<4xi32>, Workgroup>
// CHECK:       spirv.Load "Workgroup" {{.*}} ["NonPrivatePointer"]
// PLAIN:       spirv.module {{.*}} Logical GLSL450 requires #spirv.vce<v1.5, [
// PLAIN-NOT:   spirv.KHR.CooperativeMatrix
func.func @main(%a: tensor<70x40xf16>, %b: tensor<40x67xf16>) -> tensor<70x67xf16> {
  %0 = dml.gemm %a, %b {trans_a = #dml.matrix_transform<none>, trans_b = #dml.matrix_transform<none>}
      : (tensor<70x40xf16>, tensor<40x67xf16>) -> tensor<70x67xf16>
  return %0 : tensor<70x67xf16>
}

// SPDX-License-Identifier: Apache-2.0
