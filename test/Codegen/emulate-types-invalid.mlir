// Arithmetic on types that the device lacks and that words have none for is
// refused, by the names of the type and of the features.
//
// RUN: dml-opt %s --dml-attach-device=profile=full,-shaderFloat16,-shaderInt64 --dml-emulate-types --verify-diagnostics

func.func @halves(%x: tensor<4xf16>) -> tensor<4xf16> {
  %empty = tensor.empty() : tensor<4xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xf16>) {
  ^bb0(%out: f16):
    %i = linalg.index 0 : index
    %a = tensor.extract %x[%i] : tensor<4xf16>
    // expected-error @below {{arithmetic on 'f16' needs the Vulkan feature shaderFloat16, which the device profile 'full,-shaderInt64,-shaderFloat16' lacks}}
    %sum = arith.addf %a, %a : f16
    linalg.yield %sum : f16
  } -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// SPDX-License-Identifier: Apache-2.0
