// What combines a row becomes a part of what is computed of the row.
//
// RUN: dml-opt %s --split-input-file --dml-fuse-producers | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-fuse-producers=row-tile=none | FileCheck %s --check-prefix=NONE
// RUN: dml-opt %s --split-input-file --dml-attach-device=profile=full,-storageBuffer16BitAccess --dml-fuse-producers | FileCheck %s --check-prefix=EMULATED

// A maximum, a sum that takes it from each element, and a softmax of both: one
// body has both loops in front of what is for an element.

// CHECK-LABEL: func @softmax
// CHECK:       linalg.generic
// CHECK-NOT:   linalg.generic
// CHECK:         %[[LARGEST:.*]] = scf.for
// CHECK:           arith.maxnumf
// CHECK:         } {dml.any_order}
// CHECK:         arith.subf %{{.*}}, %[[LARGEST]]
// CHECK:         math.exp
// CHECK:         %[[SUM:.*]] = scf.for
// CHECK-NOT:     scf.for
// CHECK:           arith.subf %{{.*}}, %[[LARGEST]]
// CHECK:           math.exp
// CHECK:         } {dml.any_order}
// CHECK-NOT:     scf.for
// CHECK:         arith.divf %{{.*}}, %[[SUM]]
// CHECK:         linalg.yield
// CHECK-NOT:   linalg.generic
// CHECK:       return
// NONE-LABEL:  func @softmax
// NONE-COUNT-3: linalg.generic
// EMULATED-LABEL: func @softmax
// EMULATED-COUNT-3: linalg.generic
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @softmax(%x: tensor<300x64xf16>) -> tensor<300x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e0 = tensor.empty() : tensor<300x1xf32>
  %largest = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]}
      outs(%e0 : tensor<300x1xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %m = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %nan) -> f32 {
      %h = tensor.extract %x[%row, %k] : tensor<300x64xf16>
      %f = arith.extf %h : f16 to f32
      %next = arith.maxnumf %carried, %f : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %m : f32
  } -> tensor<300x1xf32>
  %e1 = tensor.empty() : tensor<300x1xf32>
  %sums = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]}
      outs(%e1 : tensor<300x1xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %h = tensor.extract %x[%row, %k] : tensor<300x64xf16>
      %f = arith.extf %h : f16 to f32
      %m = tensor.extract %largest[%row, %c0] : tensor<300x1xf32>
      %d = arith.subf %f, %m : f32
      %e = math.exp %d : f32
      %next = arith.addf %carried, %e : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %s : f32
  } -> tensor<300x1xf32>
  %e2 = tensor.empty() : tensor<300x64xf16>
  %result = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]}
      outs(%e2 : tensor<300x64xf16>) {
  ^bb0(%out: f16):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %h = tensor.extract %x[%row, %column] : tensor<300x64xf16>
    %f = arith.extf %h : f16 to f32
    %m = tensor.extract %largest[%row, %c0] : tensor<300x1xf32>
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %s = tensor.extract %sums[%row, %c0] : tensor<300x1xf32>
    %q = arith.divf %e, %s : f32
    %t = arith.truncf %q : f32 to f16
    linalg.yield %t : f16
  } -> tensor<300x64xf16>
  return %result : tensor<300x64xf16>
}

// -----

// Few and long rows have kernels of their own: one workgroup for each would leave
// a device idle.

// CHECK-LABEL: func @long
// CHECK-COUNT-2: linalg.generic
#map1 = affine_map<(d0, d1) -> (d0, d1)>
func.func @long(%x: tensor<2x16384xf32>) -> tensor<2x16384xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16384 = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2x1xf32>
  %sums = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]}
      outs(%e1 : tensor<2x1xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %s = scf.for %k = %c0 to %c16384 step %c1 iter_args(%carried = %zero) -> f32 {
      %f = tensor.extract %x[%row, %k] : tensor<2x16384xf32>
      %next = arith.addf %carried, %f : f32
      scf.yield %next : f32
    } {dml.any_order}
    linalg.yield %s : f32
  } -> tensor<2x1xf32>
  %e2 = tensor.empty() : tensor<2x16384xf32>
  %result = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]}
      outs(%e2 : tensor<2x16384xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %f = tensor.extract %x[%row, %column] : tensor<2x16384xf32>
    %s = tensor.extract %sums[%row, %c0] : tensor<2x1xf32>
    %q = arith.divf %f, %s : f32
    linalg.yield %q : f32
  } -> tensor<2x16384xf32>
  return %result : tensor<2x16384xf32>
}

// SPDX-License-Identifier: Apache-2.0
