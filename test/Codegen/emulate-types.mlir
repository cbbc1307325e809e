// Types that the device lacks become words. A device that has all sees no change.
//
// RUN: dml-opt %s --dml-emulate-types --mlir-print-op-generic -o %t.full
// RUN: dml-opt %s --mlir-print-op-generic -o %t.none
// RUN: diff %t.none %t.full
// RUN: dml-opt %s --dml-attach-device=profile=minimal --dml-emulate-types | FileCheck %s
// RUN: dml-opt %s --dml-attach-device=profile=full,-shaderFloat16 --dml-emulate-types | FileCheck %s --check-prefix=HALF
// RUN: dml-opt %s --dml-attach-device=profile=full,-shaderFloat64 --dml-emulate-types | FileCheck %s --check-prefix=LONG
// RUN: not dml-opt %s --dml-attach-device=profile=tiny --dml-emulate-types 2>&1 | FileCheck %s --check-prefix=PROFILE

// PROFILE: device profile 'tiny' is unknown

#map = affine_map<(d0, d1) -> (d0, d1)>

// Five bytes are two words; the last lanes repeat the last element.
// CHECK-LABEL: func.func @bytes
// CHECK-SAME: %[[ARG:.*]]: tensor<2xi32> {dml.type = tensor<1x5xi8>}
// CHECK-SAME: -> (tensor<2xi32> {dml.type = tensor<5x1xui8>})
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<2xi32>) attrs = {dml.label = "dml.tile"}
// CHECK: arith.minui
// CHECK: %[[WORD:.*]] = tensor.extract %[[ARG]]
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[WORD]]
// CHECK: arith.andi %[[SHIFTED]]
// CHECK-COUNT-3: arith.ori
// CHECK-NOT: expand_shape
// HALF-LABEL: func.func @bytes
// HALF: outs({{.*}} : tensor<1x5xi8>)
func.func @bytes(%input: tensor<1x5xi8>)
    -> (tensor<5x1xi8> {dml.type = tensor<5x1xui8>}) {
  %empty = tensor.empty() : tensor<1x5xi8>
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<1x5xi8>) attrs = {dml.label = "dml.tile"} {
  ^bb0(%out: i8):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %element = tensor.extract %input[%i, %j] : tensor<1x5xi8>
    linalg.yield %element : i8
  } -> tensor<1x5xi8>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<1x5xi8> into tensor<5xi8>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [5, 1] : tensor<5xi8> into tensor<5x1xi8>
  return %2 : tensor<5x1xi8>
}

// CHECK-LABEL: func.func @longs
// CHECK-SAME: tensor<12xi32> {dml.type = tensor<2x3xi64>}
// CHECK: arith.select {{.*}}, %c-2_i32 : i32
// CHECK: arith.select {{.*}}, %c1_i32 : i32
// HALF-LABEL: func.func @longs
// HALF-SAME: tensor<2x3xi64>
func.func @longs(%input: tensor<2x3xi64>) -> tensor<2x3xi64> {
  %constant = arith.constant 8589934590 : i64
  %c1 = arith.constant 1 : index
  %empty = tensor.empty() : tensor<2x3xi64>
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<2x3xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %element = tensor.extract %input[%i, %j] : tensor<2x3xi64>
    %inside = arith.cmpi ult, %j, %c1 : index
    %value = arith.select %inside, %element, %constant : i64
    linalg.yield %value : i64
  } -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// Bits of f16 where the device has i16, and a constant of three elements.
// CHECK-LABEL: func.func @halves
// CHECK: arith.constant dense<[1006632960, 49152]> : tensor<2xi32>
// CHECK-NOT: f16
// HALF-LABEL: func.func @halves
// HALF-SAME: -> tensor<1x3xi16>
// HALF: vector.bitcast {{.*}} : vector<1xi32> to vector<2xi16>
func.func @halves() -> tensor<1x3xi16> {
  %constant = arith.constant dense<[[0.0, 1.0, -2.0]]> : tensor<1x3xf16>
  %empty = tensor.empty() : tensor<1x3xi16>
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<1x3xi16>) {
  ^bb0(%out: i16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %element = tensor.extract %constant[%i, %j] : tensor<1x3xf16>
    %bits = arith.bitcast %element : f16 to i16
    linalg.yield %bits : i16
  } -> tensor<1x3xi16>
  return %0 : tensor<1x3xi16>
}

// Integers that are made of comparisons, and widened.
// CHECK-LABEL: func.func @widened
// CHECK-NOT: i8
// CHECK: arith.extsi %{{.*}} : i1 to i32
// CHECK: arith.andi %{{.*}}, %c255_i32
// CHECK: return
func.func @widened(%input: tensor<4xi32>) -> tensor<4xi32> {
  %c1 = arith.constant 1 : index
  %empty = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %first = arith.cmpi ult, %i, %c1 : index
    %signed = arith.extsi %first : i1 to i8
    %wide = arith.extui %signed : i8 to i32
    %element = tensor.extract %input[%i] : tensor<4xi32>
    %narrow = arith.trunci %element : i32 to i8
    %again = arith.extsi %narrow : i8 to i32
    %sum = arith.addi %wide, %again : i32
    linalg.yield %sum : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Arithmetic of bytes in words: signs are extended where they matter, and the
// upper bits of what is stored are 0.
// CHECK-LABEL: func.func @arithmetic
// CHECK: %[[SUM:.*]] = arith.addi %[[X:.*]], %[[Y:.*]] : i32
// CHECK: %[[LOW:.*]] = arith.andi %[[SUM]], %c255_i32
// CHECK: %[[UP:.*]] = arith.shli %[[LOW]], %c24_i32
// CHECK: %[[SIGNED:.*]] = arith.shrsi %[[UP]], %c24_i32
// CHECK: arith.cmpi slt, %[[SIGNED]], %
// CHECK: return
func.func @arithmetic(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %empty = tensor.empty() : tensor<4xi8>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xi8>) {
  ^bb0(%out: i8):
    %i = linalg.index 0 : index
    %a = tensor.extract %x[%i] : tensor<4xi8>
    %b = tensor.extract %y[%i] : tensor<4xi8>
    %sum = arith.addi %a, %b : i8
    %less = arith.cmpi slt, %sum, %b : i8
    %chosen = arith.select %less, %sum, %b : i8
    linalg.yield %chosen : i8
  } -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// Arithmetic of 64 bits in two words: a sum that is less than what was added to
// has left a carry, the lower words decide where the upper ones are equal, and a
// quotient takes divisions of words.
// CHECK-LABEL: func.func @long_arithmetic
// CHECK-SAME: -> (tensor<8xi32> {dml.type = tensor<4xi64>})
// CHECK: %[[LOW:.*]] = arith.addi %[[A:.*]], %{{.*}} : i32
// CHECK: %[[CARRY:.*]] = arith.cmpi ult, %[[LOW]], %[[A]] : i32
// CHECK: %[[ONE:.*]] = arith.extui %[[CARRY]] : i1 to i32
// CHECK: %[[UPPER:.*]] = arith.addi
// CHECK: %[[HIGH:.*]] = arith.addi %[[UPPER]], %[[ONE]] : i32
// CHECK: %[[BELOW:.*]] = arith.cmpi ult, %[[LOW]], %[[B:.*]] : i32
// CHECK: %[[LESS:.*]] = arith.cmpi slt, %[[HIGH]], %[[C:.*]] : i32
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[HIGH]], %[[C]] : i32
// CHECK: arith.select %[[SAME]], %[[BELOW]], %[[LESS]] : i1
// CHECK-COUNT-3: arith.divui {{.*}} : i32
// CHECK: arith.mului_extended {{.*}} : i32
// CHECK-NOT: i64
// CHECK: return
func.func @long_arithmetic(%x: tensor<4xi64>, %y: tensor<4xi64>) -> tensor<4xi64> {
  %empty = tensor.empty() : tensor<4xi64>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %a = tensor.extract %x[%i] : tensor<4xi64>
    %b = tensor.extract %y[%i] : tensor<4xi64>
    %sum = arith.addi %a, %b : i64
    %less = arith.cmpi slt, %sum, %b : i64
    %chosen = arith.select %less, %sum, %b : i64
    %quotient = arith.divui %chosen, %a : i64
    linalg.yield %quotient : i64
  } -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// Loops carry two words.
// CHECK-LABEL: func.func @long_sum
// CHECK: scf.for {{.*}} -> (vector<2xi32>)
// CHECK: scf.yield %{{.*}} : vector<2xi32>
// CHECK: arith.bitcast %{{.*}} : i32 to f32
func.func @long_sum(%x: tensor<1x4xi64>) -> tensor<1xf32> {
  %empty = tensor.empty() : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i64
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<1xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %sum = scf.for %j = %c0 to %c4 step %c1 iter_args(%carried = %zero) -> i64 {
      %a = tensor.extract %x[%i, %j] : tensor<1x4xi64>
      %next = arith.addi %carried, %a : i64
      scf.yield %next : i64
    }
    %number = arith.sitofp %sum : i64 to f32
    linalg.yield %number : f32
  } -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// The bits of f64, where neither is there and where i64 is.
// CHECK-LABEL: func.func @doubles
// CHECK-NOT: f64
// CHECK: return
// LONG-LABEL: func.func @doubles
// LONG-SAME: tensor<4xi64>
// LONG-NOT: f64
// LONG: return
func.func @doubles(%x: tensor<4xi64>) -> tensor<4xi32> {
  %empty = tensor.empty() : tensor<4xi32>
  %limit = arith.constant 3.5 : f64
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %bits = tensor.extract %x[%i] : tensor<4xi64>
    %number = arith.bitcast %bits : i64 to f64
    %less = arith.cmpf olt, %number, %limit : f64
    %chosen = arith.select %less, %number, %limit : f64
    %whole = arith.fptosi %chosen : f64 to i32
    linalg.yield %whole : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// SPDX-License-Identifier: Apache-2.0
