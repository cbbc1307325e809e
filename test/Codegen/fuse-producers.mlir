// RUN: dml-opt %s --split-input-file --dml-fuse-producers | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-fuse-producers --canonicalize --cse | FileCheck %s --check-prefix=CLEAN

// The producer's body stands where its element was read. Index arithmetic shows
// that the row is within bounds, but not that the column is: a bound is put in.

// CHECK-LABEL: func @chain
// CHECK-SAME:    %[[INPUT:[^:]*]]: tensor<4x4xf32>
// CHECK:       linalg.generic
// CHECK-SAME:    dml.label = "dml.tile+dml.padding"
// CHECK:         %[[Y:.*]] = linalg.index 0
// CHECK:         %[[ROW:.*]] = arith.minui %[[Y]]
// CHECK:         %[[COLUMN:.*]] = arith.maxsi
// CHECK:         %[[LAST:.*]] = arith.constant 7 : index
// CHECK:         %[[BOUND:.*]] = arith.minui %[[COLUMN]], %[[LAST]]
// CHECK-NOT:     minui
// CHECK:         %[[A:.*]] = arith.remui %[[ROW]]
// CHECK:         %[[B:.*]] = arith.remui %[[BOUND]]
// CHECK:         %[[ELEMENT:.*]] = tensor.extract %[[INPUT]][%[[A]], %[[B]]]
// CHECK-NEXT:    linalg.yield %[[ELEMENT]]
// CHECK-NOT:   linalg.generic
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @chain(%input: tensor<4x4xf32>) -> tensor<12x8xf32> {
  %0 = tensor.empty() : tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%0 : tensor<8x8xf32>) attrs = {dml.label = "dml.tile"} {
  ^bb0(%out: f32):
    %y = linalg.index 0 : index
    %x = linalg.index 1 : index
    %c4 = arith.constant 4 : index
    %a = arith.remui %y, %c4 : index
    %b = arith.remui %x, %c4 : index
    %element = tensor.extract %input[%a, %b] : tensor<4x4xf32>
    linalg.yield %element : f32
  } -> tensor<8x8xf32>
  %2 = tensor.empty() : tensor<12x8xf32>
  %3 = linalg.generic {indexing_maps = [#identity],
      iterator_types = ["parallel", "parallel"]}
      outs(%2 : tensor<12x8xf32>) attrs = {dml.label = "dml.padding"} {
  ^bb0(%out: f32):
    %y = linalg.index 0 : index
    %c7 = arith.constant 7 : index
    %row = arith.minui %y, %c7 : index
    %c4 = arith.constant 4 : index
    %x = linalg.index 1 : index
    %left = arith.subi %c4, %x : index
    %right = arith.subi %x, %c4 : index
    %column = arith.maxsi %left, %right : index
    %element = tensor.extract %1[%row, %column] : tensor<8x8xf32>
    linalg.yield %element : f32
  } -> tensor<12x8xf32>
  return %3 : tensor<12x8xf32>
}

// -----

// Reshapes become index arithmetic. Dimensions of size 1 need none.

// CHECK-LABEL: func @reshapes
// CHECK-SAME:    %[[INPUT:[^:]*]]: tensor<1x6x4xf32>
// CHECK-NOT:   shape
// CHECK:       linalg.generic
// CLEAN-LABEL: func @reshapes
// CLEAN-SAME:    %[[INPUT:[^:]*]]: tensor<1x6x4xf32>
// CLEAN-DAG:   %[[C0:.*]] = arith.constant 0 : index
// CLEAN-DAG:   %[[C4:.*]] = arith.constant 4 : index
// CLEAN-DAG:   %[[C12:.*]] = arith.constant 12 : index
// CLEAN-NOT:   shape
// CLEAN:       linalg.generic
// CLEAN-SAME:    outs(%{{.*}} : tensor<2x12xf32>)
// CLEAN:         %[[Y:.*]] = linalg.index 0
// CLEAN:         %[[X:.*]] = linalg.index 1
// CLEAN:         %[[SCALED:.*]] = arith.muli %[[Y]], %[[C12]]
// CLEAN:         %[[LINEAR:.*]] = arith.addi %[[SCALED]], %[[X]]
// CLEAN:         %[[COLUMN:.*]] = arith.remui %[[LINEAR]], %[[C4]]
// CLEAN:         %[[ROW:.*]] = arith.divui %[[LINEAR]], %[[C4]]
// CLEAN:         tensor.extract %[[INPUT]][%[[C0]], %[[ROW]], %[[COLUMN]]]
// CLEAN-NOT:   linalg.generic
// CLEAN:       return
#three = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#two = affine_map<(d0, d1) -> (d0, d1)>
func.func @reshapes(%input: tensor<1x6x4xf32>) -> tensor<2x12xf32> {
  %0 = tensor.empty() : tensor<1x6x4xf32>
  %1 = linalg.generic {indexing_maps = [#three],
      iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%0 : tensor<1x6x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %element = tensor.extract %input[%i, %j, %k] : tensor<1x6x4xf32>
    %negated = arith.negf %element : f32
    linalg.yield %negated : f32
  } -> tensor<1x6x4xf32>
  %flat = tensor.collapse_shape %1 [[0, 1, 2]] : tensor<1x6x4xf32> into tensor<24xf32>
  %rows = tensor.expand_shape %flat [[0, 1]] output_shape [2, 12]
      : tensor<24xf32> into tensor<2x12xf32>
  %2 = tensor.empty() : tensor<2x12xf32>
  %3 = linalg.generic {indexing_maps = [#two],
      iterator_types = ["parallel", "parallel"]}
      outs(%2 : tensor<2x12xf32>) {
  ^bb0(%out: f32):
    %y = linalg.index 0 : index
    %x = linalg.index 1 : index
    %element = tensor.extract %rows[%y, %x] : tensor<2x12xf32>
    %squared = arith.mulf %element, %element : f32
    linalg.yield %squared : f32
  } -> tensor<2x12xf32>
  return %3 : tensor<2x12xf32>
}

// -----

// A result of the function stays, and its readers read it. So does what is read
// outside of linalg.

// CHECK-LABEL: func @result
// CHECK:       %[[FIRST:.*]] = linalg.generic
// CHECK:       %[[SECOND:.*]] = linalg.generic
// CHECK:         tensor.extract %[[FIRST]]
// CHECK:       return %[[FIRST]], %[[SECOND]]
#identity = affine_map<(d0) -> (d0)>
func.func @result(%input: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%0 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %element = tensor.extract %input[%i] : tensor<8xf32>
    %negated = arith.negf %element : f32
    linalg.yield %negated : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%0 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %element = tensor.extract %1[%i] : tensor<8xf32>
    %squared = arith.mulf %element, %element : f32
    linalg.yield %squared : f32
  } -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// What reads its own output, or is of another form, is not taken apart.

// CHECK-LABEL: func @accumulates
// CHECK-COUNT-2: linalg.generic
#identity = affine_map<(d0) -> (d0)>
func.func @accumulates(%input: tensor<8xf32>) -> tensor<8xf32> {
  %1 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%input : tensor<8xf32>) {
  ^bb0(%out: f32):
    %negated = arith.negf %out : f32
    linalg.yield %negated : f32
  } -> tensor<8xf32>
  %0 = tensor.empty() : tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%0 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %element = tensor.extract %1[%i] : tensor<8xf32>
    linalg.yield %element : f32
  } -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// SPDX-License-Identifier: Apache-2.0

// -----

// A producer whose kernel was chosen keeps it.

// CHECK-LABEL: func @chosen
// CHECK:         %[[PRODUCED:.*]] = linalg.generic
// CHECK-SAME:      dml.kernel = "map"
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[PRODUCED]]
#identity = affine_map<(d0) -> (d0)>
func.func @chosen(%input: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%0 : tensor<8xf32>) attrs = {dml.kernel = "map"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %element = tensor.extract %input[%i] : tensor<8xf32>
    %sum = arith.addf %element, %element : f32
    linalg.yield %sum : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel"]}
      outs(%0 : tensor<8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %element = tensor.extract %1[%i] : tensor<8xf32>
    %product = arith.mulf %element, %element : f32
    linalg.yield %product : f32
  } -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
