// RUN: dml-opt %s --split-input-file --convert-dml-to-linalg | FileCheck %s

// Two steps: every window finds its winner, then every element gathers the
// gradients of the windows that it won. f16 is compared and added up in f32. A
// small window is written out: nine elements, row by row, and the four windows that
// may cover an element. Winners are places in the window: 8 bits tell nine apart.

// CHECK-LABEL: func @main
// CHECK-SAME:  %[[INPUT:[^:]*]]: tensor<1x1x6x6xf16>, %[[GRADIENT:[^:]*]]: tensor<1x1x3x3xf16>
// CHECK:       %[[WINNERS:.*]] = linalg.generic
// CHECK-SAME:    outs(%{{.*}} : tensor<1x1x3x3xi8>) attrs = {dml.label = "dml.max_pooling_grad"}
// CHECK:         %[[LOADED:.*]] = tensor.extract %[[INPUT]]
// CHECK:         arith.extf %[[LOADED]] : f16 to f32
// CHECK:         arith.cmpf ugt
// CHECK-COUNT-8: tensor.extract %[[INPUT]]
// CHECK-NOT:     tensor.extract
// CHECK:         %[[PLACE:.*]] = arith.trunci {{.*}} : i32 to i8
// CHECK-NEXT:    linalg.yield %[[PLACE]]
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%{{.*}} : tensor<1x1x6x6xf16>)
// CHECK:         %[[NARROW:.*]] = tensor.extract %[[WINNERS]]
// CHECK-NEXT:    %[[WINNER:.*]] = arith.extui %[[NARROW]] : i8 to i32
// CHECK:         tensor.extract %[[GRADIENT]]
// CHECK:         %[[SUM:.*]] = arith.addf {{.*}} : f32
// CHECK:         %[[PLACE:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK-NEXT:    %[[EQUAL:.*]] = arith.cmpi eq, %[[WINNER]], %[[PLACE]]
// CHECK-NEXT:    %[[WON:.*]] = arith.andi %{{.*}}, %[[EQUAL]]
// CHECK-NEXT:    arith.select %[[WON]], %[[SUM]], %{{.*}} : f32
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

// -----

// The winner of a row is compared with that of the rows before: a NaN that came
// first stays, and a row that lies outside takes no part.

// CHECK-LABEL: func @rows
// CHECK:         linalg.generic
// CHECK:         tensor.extract
// CHECK:         %[[SECOND:.*]] = tensor.extract
// CHECK-NEXT:    arith.constant 1 : i32
// CHECK-NEXT:    %[[ORDERED:.*]] = arith.cmpf ord, %[[BEST:.*]], %[[BEST]]
// CHECK-NEXT:    %[[GREATER:.*]] = arith.cmpf ugt, %[[SECOND]], %[[BEST]]
// CHECK-NEXT:    arith.andi %[[GREATER]], %[[ORDERED]]
// CHECK:         tensor.extract
// CHECK:         tensor.extract
// CHECK:         %[[ROW:.*]] = arith.select {{.*}} : f32
// CHECK-NEXT:    %[[ROW_PLACE:.*]] = arith.select {{.*}} : i32
// CHECK-NEXT:    arith.cmpf ord, %[[ABOVE:.*]], %[[ABOVE]]
// CHECK-NEXT:    arith.cmpf ugt, %[[ROW]], %[[ABOVE]]
// CHECK:         arith.cmpi ne, %[[ROW_PLACE]]
// CHECK-NEXT:    %[[BETTER:.*]] = arith.andi
// CHECK-NEXT:    arith.select %[[BETTER]], %[[ROW]], %[[ABOVE]]
// CHECK-NEXT:    arith.select %[[BETTER]], %[[ROW_PLACE]]
func.func @rows(%input: tensor<1x1x6x6xf32>, %gradient: tensor<1x1x5x5xf32>)
    -> tensor<1x1x6x6xf32> {
  %0 = dml.max_pooling_grad %input, %gradient {
      strides = array<i64: 1, 1>, window_size = array<i64: 2, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x6x6xf32>, tensor<1x1x5x5xf32>) -> tensor<1x1x6x6xf32>
  return %0 : tensor<1x1x6x6xf32>
}

// -----

// 255 places and none fit 8 bits, 256 do not; dilation spreads places.

// CHECK-LABEL: func @widths
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x6xi8>)
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x5xi16>)
// CHECK:       linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x1x4xi32>)
func.func @widths(%input: tensor<1x1x1x260xf32>, %long: tensor<1x1x1x65539xf32>,
                  %a: tensor<1x1x1x6xf32>, %b: tensor<1x1x1x5xf32>,
                  %c: tensor<1x1x1x4xf32>)
    -> (tensor<1x1x1x260xf32>, tensor<1x1x1x260xf32>, tensor<1x1x1x65539xf32>) {
  %0 = dml.max_pooling_grad %input, %a {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 255>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x260xf32>, tensor<1x1x1x6xf32>) -> tensor<1x1x1x260xf32>
  %1 = dml.max_pooling_grad %input, %b {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 2>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 255>}
      : (tensor<1x1x1x260xf32>, tensor<1x1x1x5xf32>) -> tensor<1x1x1x260xf32>
  %2 = dml.max_pooling_grad %long, %c {
      strides = array<i64: 1, 1>, window_size = array<i64: 1, 65536>,
      start_padding = array<i64: 0, 0>, end_padding = array<i64: 0, 0>,
      dilations = array<i64: 1, 1>}
      : (tensor<1x1x1x65539xf32>, tensor<1x1x1x4xf32>) -> tensor<1x1x1x65539xf32>
  return %0, %1, %2
      : tensor<1x1x1x260xf32>, tensor<1x1x1x260xf32>, tensor<1x1x1x65539xf32>
}
