// RUN: dml-opt %s --dml-own-constants --dml-to-linalg | FileCheck %s
// RUN: dml-opt %s --dml-own-constants | FileCheck %s --check-prefix=OWNED

// A resource is a weight, called as it is, in all functions that read it.

// OWNED: func.func @main(%{{.*}}: tensor<1x3xf16> {dml.name = "x"}, %[[W:.*]]: tensor<4x3xf32> {dml.name = "filter", dml.owned_by_dml})
// OWNED:   dml.cast %[[W]]
// OWNED: func.func @other(%{{.*}}: tensor<4x3xf32>, %[[W:.*]]: tensor<4x3xf32> {dml.name = "filter", dml.owned_by_dml})

// What is computed of it, of as many bytes at most, is computed once: a cast to f16, but
// not one to f64.

// CHECK:      func.func @initialize(%[[W:.*]]: tensor<4x3xf32> {dml.name = "filter", dml.owned_by_dml}) -> (tensor<12xf16>, tensor<36xf16>)
// CHECK-SAME:     dml.initialization
// CHECK:          arith.truncf
// CHECK:        linalg.generic {{.*}}tensor<2x1x9x2xf16>{{.*}}dml.layout
// CHECK-NOT:    linalg.generic
// CHECK:        return
// CHECK:      func.func @main(%{{.*}}: tensor<1x3xf16> {dml.name = "x"}, %{{.*}}: tensor<4x3xf32> {{{.*}}dml.owned_by_dml}, %[[P:.*]]: tensor<12xf16> {dml.persistent = 0 : i64})
// CHECK-NOT:    arith.truncf
// CHECK:        tensor.extract %[[P]]
// CHECK:      func.func @other
// CHECK-NOT:    dml.persistent
// CHECK:        arith.extf
func.func @main(%x: tensor<1x3xf16> {dml.name = "x"}) -> tensor<1x4xf16> {
  %0 = arith.constant dense_resource<filter> : tensor<4x3xf32>
  %1 = dml.cast %0 : (tensor<4x3xf32>) -> tensor<4x3xf16>
  %2 = dml.gemm %x, %1 {
      trans_a = #dml.matrix_transform<none>,
      trans_b = #dml.matrix_transform<transpose>}
      : (tensor<1x3xf16>, tensor<4x3xf16>) -> tensor<1x4xf16>
  return %2 : tensor<1x4xf16>
}

func.func @other(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf64>) {
  %0 = arith.constant dense_resource<filter> : tensor<4x3xf32>
  // What only moves elements is computed where it is read.
  %1 = dml.element_wise_add %x, %0 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = dml.cast %0 : (tensor<4x3xf32>) -> tensor<4x3xf64>
  return %1, %2 : tensor<4x3xf32>, tensor<4x3xf64>
}

// A filter is put once into the order in which a kernel wants it.

// CHECK:      func.func @convolution(%{{.*}}: tensor<1x2x3x3xf16>, %[[ORDERED:.*]]: tensor<36xf16> {dml.persistent = 1 : i64})
// CHECK-NOT:    tensor<2x1x9x2xf16>
// CHECK:        tensor.extract %[[ORDERED]]
func.func @convolution(%x: tensor<1x2x3x3xf16>) -> tensor<1x2x1x1xf16> {
  %filter = arith.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
                                   [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]],
                                  [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
                                   [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<2x2x3x3xf16>
  %0 = dml.convolution %x, %filter {dml.layout = "channels_last",
      mode = #dml.convolution_mode<cross_correlation>, direction = #dml.convolution_direction<forward>,
      strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>, output_padding = array<i64: 0, 0>}
      : (tensor<1x2x3x3xf16>, tensor<2x2x3x3xf16>) -> tensor<1x2x1x1xf16>
  return %0 : tensor<1x2x1x1xf16>
}

{-#
  dialect_resources: { builtin: { filter: "0x04000000000000000000803F0000004000004040000080400000A0400000C0400000E04000000041000010410000204100003041" } }
#-}

// SPDX-License-Identifier: Apache-2.0
