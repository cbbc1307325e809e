// RUN: dml-opt %s --split-input-file --verify-diagnostics --dml-distribute-to-workgroups

#identity = affine_map<(d0) -> (d0)>
func.func @tensors(%output: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{wants buffers to be distributed to workgroups}}
  %0 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : tensor<4xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

#identity = affine_map<(d0) -> (d0)>
func.func @input(%input: memref<4xf32>, %output: memref<4xf32>) {
  // expected-error @below {{wants no inputs and one output under an identity map that is not read, with parallel iterators}}
  linalg.generic {indexing_maps = [#identity, #identity], iterator_types = ["parallel"]}
      ins(%input : memref<4xf32>) outs(%output : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

#identity = affine_map<(d0) -> (d0)>
func.func @dynamic(%output: memref<?xf32>) {
  // expected-error @below {{wants a packed output of static shape, but it is 'memref<?xf32>'}}
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%output : memref<?xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0.0 : f32
    linalg.yield %zero : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
