// Elements are computed where their sums end, if one kernel is estimated to be faster than two.
//
// RUN: dml-opt %s --split-input-file --dml-fuse-readers | FileCheck %s
// RUN: dml-opt %s --split-input-file --dml-fuse-readers=contraction-tile=none | FileCheck %s --check-prefix=NONE
// RUN: dml-opt %s --split-input-file --dml-attach-device=profile=full,launchCycles=100 --dml-fuse-readers | FileCheck %s --check-prefix=CHEAP

// Each element needs two sums, which one loop adds up. The row is loaded once for both.

// CHECK-LABEL: func @two_sums
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<1x64xf32>) attrs = {dml.label = "dml.gemm+dml.element_wise_multiply"}
// CHECK:           %[[SUMS:.*]]:2 = scf.for
// CHECK:             %[[ROW:.*]] = memref.load
// CHECK:             %[[FIRST:.*]] = memref.load
// CHECK:             %[[SECOND:.*]] = memref.load
// CHECK:             math.fma %[[ROW]], %[[FIRST]]
// CHECK:             math.fma %[[ROW]], %[[SECOND]]
// CHECK:           arith.mulf %[[SUMS]]#0, %[[SUMS]]#1
// CHECK-NOT:     linalg.generic
// CHECK:         return
// NONE-LABEL:  func @two_sums
// NONE:          memref.alloc
// A launch that takes little time is not worth a second sum in each thread.
// CHEAP-LABEL: func @two_sums
// CHEAP:         memref.alloc
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @two_sums(%a: memref<1x256xf32>, %b: memref<128x256xf32>, %c: memref<1x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %sums = memref.alloc() : memref<1x128xf32>
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%sums : memref<1x128xf32>) attrs = {dml.label = "dml.gemm"} {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<1x256xf32>
      %y = memref.load %b[%column, %k] : memref<128x256xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<1x64xf32>) attrs = {dml.label = "dml.element_wise_multiply"} {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %x = memref.load %sums[%row, %column] : memref<1x128xf32>
    %other = arith.addi %column, %c64 : index
    %y = memref.load %sums[%row, %other] : memref<1x128xf32>
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// What the sums are computed of is overwritten before the elements are computed.

// CHECK-LABEL: func @overwritten
// CHECK:         memref.alloc
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @overwritten(%a: memref<1x256xf32> {dml.in_place = 0 : i64}, %b: memref<128x256xf32>, %c: memref<1x256xf32> {dml.in_place = 0 : i64}, %d: memref<1x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %sums = memref.alloc() : memref<1x128xf32>
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%sums : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<1x256xf32>
      %y = memref.load %b[%column, %k] : memref<128x256xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<1x256xf32>) {
  ^bb0(%out: f32):
    linalg.yield %zero : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%d : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %x = memref.load %sums[%row, %column] : memref<1x128xf32>
    %0 = math.exp %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The place of an element is a loaded number.

// CHECK-LABEL: func @gathered
// CHECK:         memref.alloc
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @gathered(%a: memref<1x256xf32>, %b: memref<128x256xf32>, %i: memref<64xindex>, %d: memref<1x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %sums = memref.alloc() : memref<1x128xf32>
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%sums : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<1x256xf32>
      %y = memref.load %b[%column, %k] : memref<128x256xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%d : memref<1x64xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %place = memref.load %i[%column] : memref<64xindex>
    %x = memref.load %sums[%row, %place] : memref<1x128xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

// Each of two rows would compute the sums again.

// CHECK-LABEL: func @repeated
// CHECK:         memref.alloc
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @repeated(%a: memref<1x256xf32>, %b: memref<128x256xf32>, %d: memref<2x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %sums = memref.alloc() : memref<1x128xf32>
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%sums : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<1x256xf32>
      %y = memref.load %b[%column, %k] : memref<128x256xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%d : memref<2x128xf32>) {
  ^bb0(%out: f32):
    %column = linalg.index 1 : index
    %x = memref.load %sums[%c0, %column] : memref<1x128xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

// Both kernels of products start at once. Fused with the first one, the elements would still
// wait for the second one.

// CHECK-LABEL: func @parallel
// CHECK:         memref.alloc
// CHECK:         memref.alloc
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @parallel(%a: memref<1x256xf32>, %b: memref<128x256xf32>, %d: memref<1x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %sums = memref.alloc() : memref<1x128xf32>
  %others = memref.alloc() : memref<1x128xf32>
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%sums : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<1x256xf32>
      %y = memref.load %b[%column, %k] : memref<128x256xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%others : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c256 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<1x256xf32>
      %y = memref.load %b[%column, %k] : memref<128x256xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%d : memref<1x128xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %x = memref.load %sums[%row, %column] : memref<1x128xf32>
    %y = memref.load %others[%row, %column] : memref<1x128xf32>
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0

// -----

// A step of an LSTM: one kernel computes the state of the sums, and another one the output
// of the sums and the state. Both compute the sums, and neither waits for the other.

// CHECK-LABEL: func @state_and_output
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}} outs(%arg3 : memref<1x64xf32>)
// CHECK:           scf.for
// CHECK:           memref.load %arg2
// CHECK:           linalg.yield
// CHECK:         linalg.generic {{.*}} outs(%arg4 : memref<1x64xf32>)
// CHECK:           scf.for
// CHECK:           %[[OLD:.*]] = memref.load %arg2
// CHECK:           %[[STATE:.*]] = arith.addf %[[OLD]]
// CHECK-NOT:       memref.load %arg3
// CHECK:           math.exp %[[STATE]]
// CHECK-NOT:     linalg.generic
// CHECK:         return
// NONE-LABEL:  func @state_and_output
// NONE:          memref.alloc
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @state_and_output(%a: memref<1x64xf32>, %b: memref<64x64xf32>, %before: memref<1x64xf32>, %state: memref<1x64xf32>, %output: memref<1x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %sums = memref.alloc() : memref<1x64xf32>
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%sums : memref<1x64xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<1x64xf32>
      %y = memref.load %b[%column, %k] : memref<64x64xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%state : memref<1x64xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %old = memref.load %before[%row, %column] : memref<1x64xf32>
    %x = memref.load %sums[%row, %column] : memref<1x64xf32>
    %new = arith.addf %old, %x : f32
    linalg.yield %new : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%output : memref<1x64xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %new = memref.load %state[%row, %column] : memref<1x64xf32>
    %x = memref.load %sums[%row, %column] : memref<1x64xf32>
    %0 = math.exp %new : f32
    %1 = arith.mulf %0, %x : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Three sums of an element, as a GRU has them, are as good as two or four.

// CHECK-LABEL: func @three_sums
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for {{.*}} -> (f32, f32, f32)
#identity = affine_map<(d0, d1) -> (d0, d1)>
func.func @three_sums(%a: memref<1x64xf32>, %b: memref<192x64xf32>, %c: memref<1x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %sums = memref.alloc() : memref<1x192xf32>
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%sums : memref<1x192xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%carried = %zero) -> f32 {
      %x = memref.load %a[%row, %k] : memref<1x64xf32>
      %y = memref.load %b[%column, %k] : memref<192x64xf32>
      %next = math.fma %x, %y, %carried : f32
      scf.yield %next : f32
    }
    linalg.yield %sum : f32
  }
  linalg.generic {indexing_maps = [#identity], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<1x64xf32>) {
  ^bb0(%out: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %x = memref.load %sums[%row, %column] : memref<1x192xf32>
    %second = arith.addi %column, %c64 : index
    %y = memref.load %sums[%row, %second] : memref<1x192xf32>
    %third = arith.addi %column, %c128 : index
    %z = memref.load %sums[%row, %third] : memref<1x192xf32>
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %0, %z : f32
    linalg.yield %1 : f32
  }
  return
}
