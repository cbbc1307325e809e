// RUN: dml-opt %s --split-input-file --convert-dml-to-linalg | FileCheck %s

// An integral scale divides; a scale of 1 costs nothing.

// CHECK-LABEL: func @nearest_x2
// CHECK:       linalg.generic
// CHECK-DAG:     %[[ROW:.*]] = linalg.index 0
// CHECK-DAG:     %[[COLUMN:.*]] = linalg.index 1
// CHECK:         %[[TWO:.*]] = arith.constant 2 : index
// CHECK-NEXT:    %[[SOURCE:.*]] = arith.divui %[[COLUMN]], %[[TWO]]
// CHECK-NEXT:    tensor.extract %{{.*}}[%[[ROW]], %[[SOURCE]]]
func.func @nearest_x2(%input: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 1.0, 2.0>} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// -----

// 0.1 is 1/10: (2o + 1) * 10 / 2 = 10 o + 5.

// CHECK-LABEL: func @nearest_tenth
// CHECK:         %[[TEN:.*]] = arith.constant 10 : index
// CHECK:         %[[SCALED:.*]] = arith.muli %{{.*}}, %[[TEN]]
// CHECK:         %[[FIVE:.*]] = arith.constant 5 : index
// CHECK:         %[[SOURCE:.*]] = arith.addi %[[SCALED]], %[[FIVE]]
// CHECK:         tensor.extract %{{.*}}[%[[SOURCE]]]
func.func @nearest_tenth(%input: tensor<100xf32>) -> tensor<10xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 0.1>} : (tensor<100xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// -----

// Only the dimension that interpolates has two taps; what lies at centres, or is
// clamped, has one. Means of 8-bit elements are exact with weights of a few bits, so
// that a fused multiplication rounds nothing else; adding 1.5 * 2^23 rounds them to
// even, and leaves the integer in the low bits.

// CHECK-LABEL: func @linear
// CHECK:         arith.divui
// CHECK:         arith.remui
// CHECK:         arith.maxsi
// CHECK:         tensor.extract
// CHECK:         arith.uitofp {{.*}} : i8 to f32
// CHECK:         tensor.extract
// CHECK:         arith.uitofp {{.*}} : i8 to f32
// CHECK-NOT:     tensor.extract
// CHECK:         %[[MEAN:.*]] = math.fma
// CHECK-NEXT:    %[[SHIFT:.*]] = arith.constant 0x4B400000 : f32
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.addf %[[MEAN]], %[[SHIFT]]
// CHECK-NEXT:    %[[WIDE:.*]] = arith.bitcast %[[ROUNDED]] : f32 to i32
// CHECK-NEXT:    %[[NARROW:.*]] = arith.trunci %[[WIDE]] : i32 to i8
// CHECK-NEXT:    linalg.yield %[[NARROW]]
func.func @linear(%input: tensor<9x3xui8>) -> tensor<3x6xui8> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 0.333333333, 2.0>} : (tensor<9x3xui8>) -> tensor<3x6xui8>
  return %0 : tensor<3x6xui8>
}

// -----

// Three times the value is exact; a product with a third rounds it once.

// CHECK-LABEL: func @rounded
// CHECK:         %[[WEIGHT:.*]] = arith.uitofp
// CHECK:         %[[LOW:.*]] = arith.uitofp {{.*}} : i8 to f32
// CHECK:         %[[HIGH:.*]] = arith.uitofp {{.*}} : i8 to f32
// CHECK:         %[[REST:.*]] = arith.subf %{{.*}}, %[[WEIGHT]]
// CHECK:         %[[FIRST:.*]] = arith.mulf %[[LOW]], %[[REST]]
// CHECK-NEXT:    %[[TRIPLE:.*]] = math.fma %[[WEIGHT]], %[[HIGH]], %[[FIRST]]
// CHECK:         arith.mulf %[[TRIPLE]]
func.func @rounded(%input: tensor<4xui8>) -> tensor<12xui8> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 3.0>} : (tensor<4xui8>) -> tensor<12xui8>
  return %0 : tensor<12xui8>
}

// -----

// Products with a rounded sixth are halves where sixths are; some of those with a
// rounded fourteenth are not.

// CHECK-LABEL: func @sixths
// CHECK:         math.fma
// CHECK-NOT:     math.roundeven
// CHECK:         linalg.yield
func.func @sixths(%input: tensor<4xui8>) -> tensor<6xui8> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.5>} : (tensor<4xui8>) -> tensor<6xui8>
  return %0 : tensor<6xui8>
}

// CHECK-LABEL: func @fourteenths
// CHECK:         math.fma
// CHECK:         math.roundeven
func.func @fourteenths(%input: tensor<4xui8>) -> tensor<14xui8> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 3.5>} : (tensor<4xui8>) -> tensor<14xui8>
  return %0 : tensor<14xui8>
}

// -----

// The first dimension interpolates first, within each column: elements of a row
// share the columns. Before the first centre and after the last, both taps are that
// element: neighbours share it. Such an output takes it as it is, even if it is
// infinite.

// CHECK-LABEL: func @bilinear
// CHECK:         %[[HIGH:.*]] = arith.divui
// CHECK:         %[[BELOW:.*]] = arith.subi %[[HIGH]]
// CHECK:         %[[LOW:.*]] = arith.maxsi %[[BELOW]]
// CHECK:         %[[CLAMPED:.*]] = arith.minui %[[HIGH]]
// CHECK-NEXT:    arith.cmpi eq, %[[LOW]], %[[CLAMPED]]
// CHECK:         arith.cmpi eq
// CHECK-NOT:     cmpi
// CHECK:         %[[A:.*]] = tensor.extract %{{.*}}[%[[TOP:.*]], %[[LEFT:[a-z0-9_]+]]]
// CHECK-NEXT:    %[[B:.*]] = tensor.extract %{{.*}}[%[[BOTTOM:.*]], %[[LEFT]]]
// CHECK-NEXT:    arith.subf %[[B]], %[[A]]
// CHECK:         %[[LEFT_VALUE:.*]] = arith.select %{{.*}}, %[[A]], %{{.*}} : f32
// CHECK:         %[[C:.*]] = tensor.extract %{{.*}}[%[[TOP]], %[[RIGHT:[a-z0-9_]+]]]
// CHECK-NEXT:    %[[D:.*]] = tensor.extract %{{.*}}[%[[BOTTOM]], %[[RIGHT]]]
// CHECK-NEXT:    arith.subf %[[D]], %[[C]]
// CHECK:         %[[RIGHT_VALUE:.*]] = arith.select %{{.*}}, %[[C]], %{{.*}} : f32
// CHECK-NEXT:    arith.subf %[[RIGHT_VALUE]], %[[LEFT_VALUE]]
func.func @bilinear(%input: tensor<3x5xf32>) -> tensor<6x10xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 2.0, 2.0>} : (tensor<3x5xf32>) -> tensor<6x10xf32>
  return %0 : tensor<6x10xf32>
}

// -----

// An output beyond the scaled input reads the last element.

// CHECK-LABEL: func @continued
// CHECK:         %[[SOURCE:.*]] = arith.divui
// CHECK:         %[[LAST:.*]] = arith.constant 2 : index
// CHECK-NEXT:    arith.minui %[[SOURCE]], %[[LAST]]
func.func @continued(%input: tensor<3xf32>) -> tensor<7xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 2.0>} : (tensor<3xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// Scales far beyond any size read the last, or the first, element alone.

// CHECK-LABEL: func @extreme
// CHECK-NOT:     arith.divui
// CHECK:         %[[LAST:.*]] = arith.constant 8 : index
// CHECK:         tensor.extract %{{.*}}[%[[LAST]]]
// CHECK:         %[[FIRST:.*]] = arith.constant 0 : index
// CHECK:         tensor.extract %{{.*}}[%[[FIRST]]]
func.func @extreme(%input: tensor<9xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 1.0e-38>} : (tensor<9xf32>) -> tensor<7xf32>
  %1 = dml.resample %input {mode = #dml.interpolation_mode<nearest_neighbor>,
      scales = array<f32: 1.0e+38>} : (tensor<9xf32>) -> tensor<7xf32>
  return %0, %1 : tensor<7xf32>, tensor<7xf32>
}

// -----

// Scale 3 has outputs at centres, where nothing but that element may count.

// CHECK-LABEL: func @centres
// CHECK:         %[[REMAINDER:.*]] = arith.remui
// CHECK:         %[[CENTRE:.*]] = arith.cmpi eq, %[[REMAINDER]]
// CHECK:         %[[CLAMPED:.*]] = arith.cmpi eq
// CHECK:         %[[IS_LOW:.*]] = arith.ori %[[CENTRE]], %[[CLAMPED]]
// CHECK:         arith.select %[[IS_LOW]]
func.func @centres(%input: tensor<4xf32>) -> tensor<12xf32> {
  %0 = dml.resample %input {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 3.0>} : (tensor<4xf32>) -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// SPDX-License-Identifier: Apache-2.0
