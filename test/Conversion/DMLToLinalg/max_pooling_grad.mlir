// RUN: dml-opt %s --split-input-file --convert-dml-to-linalg | FileCheck %s

// Two steps: every window finds its winner, then every element gathers the
// gradients of the windows that it won. f16 is compared and added up in f32. A
// small window is written out: nine elements, and the four windows that may cover
// an element.

// CHECK-LABEL: func @main
// CHECK-SAME:  %[[INPUT:[^:]*]]: tensor<1x1x6x6xf16>, %[[GRADIENT:[^:]*]]: tensor<1x1x3x3xf16>
// CHECK:       %[[WINNERS:.*]] = linalg.generic
// CHECK-SAME:    outs(%{{.*}} : tensor<1x1x3x3xi32>) attrs = {dml.label = "dml.max_pooling_grad"}
// CHECK:         %[[LOADED:.*]] = tensor.extract %[[INPUT]]
// CHECK:         arith.extf %[[LOADED]] : f16 to f32
// CHECK:         arith.cmpf ugt
// CHECK-COUNT-8: tensor.extract %[[INPUT]]
// CHECK-NOT:     tensor.extract
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%{{.*}} : tensor<1x1x6x6xf16>)
// CHECK:         tensor.extract %[[WINNERS]]
// CHECK:         tensor.extract %[[GRADIENT]]
// CHECK:         arith.addf {{.*}} : f32
// CHECK:         arith.cmpi eq
// CHECK:         arith.select
// CHECK-COUNT-3: tensor.extract %[[WINNERS]]
// CHECK-NOT:     tensor.extract %[[WINNERS]]
// CHECK:         arith.truncf {{.*}} : f32 to f16
func.func @main(%input: tensor<1x1x6x6xf16>, %gradient: tensor<1x1x3x3xf16>)
    -> tensor<1x1x6x6xf16> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 2, 2>, window_size = array<i64: 3, 3>,
      start_padding = array<i64: 1, 1>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf16>, tensor<1x1x3x3xf16>) -> tensor<1x1x6x6xf16>
  return %0 : tensor<1x1x6x6xf16>
}

// -----

// A large window is looped over. No loop is ever empty.

// CHECK-LABEL: func @large
// CHECK:         %[[SIX:.*]] = arith.constant 6 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[SIX]]
// CHECK:           scf.for
// CHECK:             tensor.extract
func.func @large(%input: tensor<1x1x9x9xf32>, %gradient: tensor<1x1x4x4xf32>)
    -> tensor<1x1x9x9xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 6, 6>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x9x9xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x9x9xf32>
  return %0 : tensor<1x1x9x9xf32>
}
