// RUN: dml-opt %s --split-input-file --verify-diagnostics

func.func @fewer(%buffer: memref<8xf32>) -> memref<4xf32> {
  // expected-error @below {{has 16 bytes, but wants 32, which are those of 'memref<8xf32>'}}
  %0 = dml_buffer.view %buffer : memref<8xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

func.func @part_of_less(%buffer: memref<8xf32>) -> memref<4xf32> {
  // expected-error @below {{has 16 bytes, but wants at least 32}}
  %0 = dml_buffer.view %buffer whole : memref<8xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

func.func @strided(%buffer: memref<8xf32>) -> memref<4xf32, strided<[2]>> {
  // expected-error @below {{wants a packed result, but it is 'memref<4xf32, strided<[2]>>'}}
  %0 = dml_buffer.view %buffer : memref<8xf32> to memref<4xf32, strided<[2]>>
  return %0 : memref<4xf32, strided<[2]>>
}

// -----

func.func @dynamic(%buffer: memref<?xf32>) -> memref<4xf32> {
  // expected-error @below {{wants memrefs of static shape, with whole bytes an element, but has 'memref<?xf32>' and 'memref<4xf32>'}}
  %0 = dml_buffer.view %buffer : memref<?xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

func.func @spaces(%buffer: memref<4xf32>) -> memref<4xi32, 3> {
  // expected-error @below {{wants one memory space, but has 'memref<4xf32>' and 'memref<4xi32, 3>'}}
  %0 = dml_buffer.view %buffer : memref<4xf32> to memref<4xi32, 3>
  return %0 : memref<4xi32, 3>
}

// -----

func.func @between(%buffer: memref<128xf32>, %i: index) -> memref<4xf32> {
  // expected-error @below {{advances by 128 bytes, but wants a multiple of 256, which is not 0 exactly where there is an iteration}}
  %0 = dml_buffer.range %buffer at 0 by 128 in %i : memref<128xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

func.func @nowhere(%buffer: memref<128xf32>) -> memref<4xf32> {
  // expected-error @below {{advances by 256 bytes, but wants a multiple of 256, which is not 0 exactly where there is an iteration}}
  %0 = "dml_buffer.range"(%buffer) {offset = 0 : i64, stride = 256 : i64} : (memref<128xf32>) -> memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

func.func @once(%buffer: memref<128xf32>, %i: index) -> memref<4xf32> {
  // expected-error @below {{has the period 1, but wants at least 2, and an iteration}}
  %0 = dml_buffer.range %buffer at 0 by 256 in %i modulo 1 : memref<128xf32> to memref<4xf32>
  return %0 : memref<4xf32>
}

// SPDX-License-Identifier: Apache-2.0
