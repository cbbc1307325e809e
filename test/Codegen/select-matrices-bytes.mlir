// Products of bytes become matrix kernels on devices with cooperative matrices of signed
// bytes, whether the bytes are signed or not.
//
// DEFINE: %{dml-opt} = dml-opt %s --split-input-file
// RUN: %{dml-opt} --dml-attach-device=profile=full,cooperativeMatrix=16x16x32xi8xi32 --dml-select-kernels | FileCheck %s
// RUN: %{dml-opt} --dml-attach-device=profile=full,+cooperativeMatrix --dml-select-kernels | FileCheck %s --check-prefix=NONE
// RUN: %{dml-opt} --dml-attach-device=profile=full,cooperativeMatrix=16x16x32xui8xi32 --dml-select-kernels | FileCheck %s --check-prefix=NONE
// RUN: %{dml-opt} --dml-attach-device=profile=full --dml-select-kernels | FileCheck %s --check-prefix=NONE
// Without such matrices they are contractions all the same.
// NONE-LABEL: func @product
// NONE:       dml.kernel = {ahead, contraction_tile
// NONE-NOT:   matrix_tile

// CHECK-LABEL: func @product
// CHECK:       dml.kernel = {matrix_tile = {{.*}}shape = "16x16x32xi8xi32"
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @product(%lhs: memref<1024x256xi8>, %zero_point: memref<1xi8>, %rhs: memref<256x1024xi8>, %output: memref<1024x1024xi32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1024x1024xi32>) {
  ^bb0(%out: i32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %point = memref.load %zero_point[%c0] : memref<1xi8>
    %wide_point = arith.extui %point : i8 to i32
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> i32 {
      %x = memref.load %lhs[%row, %k] : memref<1024x256xi8>
      %y = memref.load %rhs[%k, %column] : memref<256x1024xi8>
      %wide_x = arith.extui %x : i8 to i32
      %wide_y = arith.extsi %y : i8 to i32
      %less_x = arith.subi %wide_x, %wide_point : i32
      %product = arith.muli %less_x, %wide_y : i32
      %next = arith.addi %carried, %product : i32
      scf.yield %next : i32
    }
    linalg.yield %sum : i32
  }
  return
}

// -----

// An unsigned byte less a signed one is no unsigned byte less another.

// CHECK-LABEL: func @mixed
// CHECK-NOT:   matrix_tile
// CHECK:       return
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @mixed(%lhs: memref<1024x256xi8>, %zero_point: memref<1xi8>, %rhs: memref<256x1024xi8>, %output: memref<1024x1024xi32>) {
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1024x1024xi32>) {
  ^bb0(%out: i32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %point = memref.load %zero_point[%c0] : memref<1xi8>
    %wide_point = arith.extsi %point : i8 to i32
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> i32 {
      %x = memref.load %lhs[%row, %k] : memref<1024x256xi8>
      %y = memref.load %rhs[%k, %column] : memref<256x1024xi8>
      %wide_x = arith.extui %x : i8 to i32
      %wide_y = arith.extsi %y : i8 to i32
      %less_x = arith.subi %wide_x, %wide_point : i32
      %product = arith.muli %less_x, %wide_y : i32
      %next = arith.addi %carried, %product : i32
      scf.yield %next : i32
    }
    linalg.yield %sum : i32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
