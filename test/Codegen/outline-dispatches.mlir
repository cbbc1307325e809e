// SPDX-License-Identifier: Apache-2.0
// RUN: dml-opt %s --split-input-file --dml-outline-dispatches | FileCheck %s

#map = affine_map<(d0) -> (d0)>

// Two generics that do the same to other buffers are one function. A third
// reads one buffer twice where they read two, and a fourth has another constant.

// CHECK-LABEL: func @main
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<8xf32>, %[[B:[a-z0-9]+]]: memref<8xf32>, %[[C:[a-z0-9]+]]: memref<8xf32>
// CHECK:         %[[T:.*]] = memref.alloc
// CHECK:         call @dispatch(%[[T]], %[[A]], %[[B]])
// CHECK-NEXT:    call @dispatch(%[[C]], %[[B]], %[[T]])
// CHECK-NEXT:    call @dispatch_0(%[[C]], %[[B]])
// CHECK-NEXT:    call @dispatch_1(%[[C]], %[[A]], %[[B]])
// CHECK-NEXT:    return

// CHECK:       func private @dispatch(%[[O:.*]]: memref<8xf32>, %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>) {
// CHECK-NEXT:    %[[K:.*]] = arith.constant 2.0
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[O]] : memref<8xf32>) attrs = {dml.label = "dml.some"} {
// CHECK:           %[[P:.*]] = memref.load %[[X]]
// CHECK-NEXT:      %[[Q:.*]] = memref.load %[[Y]]
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[P]], %[[Q]]
// CHECK-NEXT:      arith.mulf %[[S]], %[[K]]
// CHECK:         return
// CHECK:       func private @dispatch_0(%{{.*}}: memref<8xf32>, %{{.*}}: memref<8xf32>) {
// CHECK:       func private @dispatch_1(
// CHECK-NEXT:    arith.constant 3.0
// CHECK-NOT:   func private
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %t = memref.alloc() : memref<8xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%t : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %s = arith.addf %x, %y : f32
    %p = arith.mulf %s, %two : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%c : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %b[%i] : memref<8xf32>
    %y = memref.load %t[%i] : memref<8xf32>
    %s = arith.addf %x, %y : f32
    %p = arith.mulf %s, %two : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%c : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %b[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %s = arith.addf %x, %y : f32
    %p = arith.mulf %s, %two : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%c : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %s = arith.addf %x, %y : f32
    %p = arith.mulf %s, %three : f32
    linalg.yield %p : f32
  }
  return
}

// -----

#map = affine_map<(d0) -> (d0)>

// The order in which buffers are used counts, and so do labels and the kind of
// kernel that is asked for.

// CHECK-LABEL: func @order
// CHECK:         call @dispatch(%{{[a-z0-9]+}}, %[[A:[a-z0-9]+]], %[[B:[a-z0-9]+]])
// CHECK-NEXT:    call @dispatch_0(%{{[a-z0-9]+}}, %[[B]], %[[A]])
// CHECK-NEXT:    call @dispatch_1(%{{[a-z0-9]+}}, %[[A]], %[[B]])
// CHECK-NEXT:    call @dispatch_2(%{{[a-z0-9]+}}, %[[A]], %[[B]])
func.func @order(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%c : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %s = arith.subf %x, %y : f32
    %p = arith.subf %s, %x : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%c : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %b[%i] : memref<8xf32>
    %y = memref.load %a[%i] : memref<8xf32>
    %s = arith.subf %x, %y : f32
    %p = arith.subf %s, %y : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%c : memref<8xf32>) attrs = {dml.label = "dml.other"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %s = arith.subf %x, %y : f32
    %p = arith.subf %s, %x : f32
    linalg.yield %p : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%c : memref<8xf32>) attrs = {dml.kernel = "map", dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%i] : memref<8xf32>
    %y = memref.load %b[%i] : memref<8xf32>
    %s = arith.subf %x, %y : f32
    %p = arith.subf %s, %x : f32
    linalg.yield %p : f32
  }
  return
}

// -----

#map = affine_map<(d0) -> (d0)>

// Views move along. The second half is not the one before it, but that of
// another function's buffer is. Kernels without labels are called by their
// functions.

// CHECK-LABEL: func @halves
// CHECK-SAME:    %[[A:.*]]: memref<8xf32>
// CHECK:         call @dispatch(%[[A]])
// CHECK-NEXT:    call @dispatch_0(%[[A]])
// CHECK:       func private @dispatch(%[[O:.*]]: memref<8xf32>) {
// CHECK-NEXT:    %[[V:.*]] = memref.subview %[[O]][2] [4] [1]
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : memref<4xf32>) attrs = {dml.label = "dml.half"}
// CHECK:       func private @dispatch_0(%[[O:.*]]: memref<8xf32>) {
// CHECK-NEXT:    %[[V:.*]] = memref.subview %[[O]][4] [4] [1]
// CHECK-LABEL: func @again
// CHECK:         call @dispatch(
// CHECK-LABEL: func @unnamed
// CHECK:         call @dispatch_1(
// CHECK:       func private @dispatch_1
// CHECK:         attrs = {dml.label = "unnamed_kernel"}
func.func @halves(%a: memref<8xf32>) {
  %one = arith.constant 1.0 : f32
  %0 = memref.subview %a[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  %1 = dml_buffer.view %0 : memref<4xf32, strided<[1], offset: 2>> to memref<4xf32>
  %2 = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %3 = dml_buffer.view %2 : memref<4xf32, strided<[1], offset: 4>> to memref<4xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%1 : memref<4xf32>) attrs = {dml.label = "dml.half"} {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%3 : memref<4xf32>) attrs = {dml.label = "dml.half"} {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  }
  return
}

func.func @again(%a: memref<8xf32>) {
  %one = arith.constant 1.0 : f32
  %0 = memref.subview %a[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  %1 = dml_buffer.view %0 : memref<4xf32, strided<[1], offset: 2>> to memref<4xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%1 : memref<4xf32>) attrs = {dml.label = "dml.half"} {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  }
  return
}

func.func @unnamed(%a: memref<4xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%a : memref<4xf32>) {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  }
  return
}

// -----

// Three kernels read a buffer of 32 MiB: the second begins at its end, where the first
// has ended, and the third at its start again. The order of a small buffer is the same.

#order = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @turns
// CHECK:         call @dispatch(%{{.*}}, %{{.*}})
// CHECK-NEXT:    call @dispatch_0(%{{.*}}, %{{.*}})
// CHECK-NEXT:    call @dispatch(%{{.*}}, %{{.*}})
// CHECK:       func private @dispatch(
// CHECK-NOT:     dml.reversed
// CHECK:       func private @dispatch_0(
// CHECK:         linalg.generic {{.*}}dml.reversed
func.func @turns(%large: memref<8388608xf32>, %a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
  linalg.generic {indexing_maps = [#order], iterator_types = ["parallel"]}
      outs(%a : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %large[%i] : memref<8388608xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#order], iterator_types = ["parallel"]}
      outs(%b : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %large[%i] : memref<8388608xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#order], iterator_types = ["parallel"]}
      outs(%c : memref<8xf32>) attrs = {dml.label = "dml.some"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %large[%i] : memref<8388608xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

#map = affine_map<(d0) -> (d0)>

// Rows that begin at multiples of 256 bytes are bound where they begin, so that what
// is done to each is one function. The rows of a buffer are read at one constant
// coordinate, or written through a view.

// CHECK-LABEL: func @rows
// CHECK-SAME:    %[[A:.*]]: memref<4x64xf32>, %[[B:.*]]: memref<4x64xf32>
// CHECK-DAG:     %[[A1:.*]] = dml_buffer.range %[[A]] at 256 : memref<4x64xf32> to memref<1x64xf32>
// CHECK-DAG:     %[[B3:.*]] = dml_buffer.range %[[B]] at 768 : memref<4x64xf32> to memref<64xf32>
// CHECK:         call @dispatch(%[[B3]], %[[A1]])
// CHECK-DAG:     %[[A0:.*]] = dml_buffer.range %[[A]] at 0 : memref<4x64xf32> to memref<1x64xf32>
// CHECK-DAG:     %[[B2:.*]] = dml_buffer.range %[[B]] at 512 : memref<4x64xf32> to memref<64xf32>
// CHECK:         call @dispatch(%[[B2]], %[[A0]])
// CHECK-NEXT:    return
// CHECK:       func private @dispatch(%{{.*}}: memref<64xf32>, %[[ROW:.*]]: memref<1x64xf32>) {
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         memref.load %[[ROW]][%[[ZERO]], %{{.*}}] : memref<1x64xf32>
// CHECK-NOT:   func private
func.func @rows(%a: memref<4x64xf32>, %b: memref<4x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = memref.subview %b[3, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<1x64xf32, strided<[64, 1], offset: 192>>
  %1 = dml_buffer.view %0 : memref<1x64xf32, strided<[64, 1], offset: 192>> to memref<64xf32>
  %2 = memref.subview %b[2, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<1x64xf32, strided<[64, 1], offset: 128>>
  %3 = dml_buffer.view %2 : memref<1x64xf32, strided<[64, 1], offset: 128>> to memref<64xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%1 : memref<64xf32>) attrs = {dml.label = "dml.row"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%one, %i] : memref<4x64xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%3 : memref<64xf32>) attrs = {dml.label = "dml.row"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%zero, %i] : memref<4x64xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

#map = affine_map<(d0) -> (d0)>

// A buffer stays one binding where its rows begin elsewhere (@unaligned), where two of
// them are read (@two), where one is read and another written (@within), and where the
// last vector of what is written has other elements (@short).

// CHECK-LABEL: func @unaligned
// CHECK-NOT:     dml_buffer.range
func.func @unaligned(%a: memref<4x60xf32>, %b: memref<60xf32>) {
  %one = arith.constant 1 : index
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%b : memref<60xf32>) attrs = {dml.label = "dml.row"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%one, %i] : memref<4x60xf32>
    linalg.yield %x : f32
  }
  return
}

func.func @two(%a: memref<4x64xf32>, %b: memref<64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%b : memref<64xf32>) attrs = {dml.label = "dml.row"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%zero, %i] : memref<4x64xf32>
    %y = memref.load %a[%one, %i] : memref<4x64xf32>
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }
  return
}

func.func @within(%a: memref<4x64xf32>) {
  %zero = arith.constant 0 : index
  %0 = memref.subview %a[3, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<1x64xf32, strided<[64, 1], offset: 192>>
  %1 = dml_buffer.view %0 : memref<1x64xf32, strided<[64, 1], offset: 192>> to memref<64xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%1 : memref<64xf32>) attrs = {dml.label = "dml.row"} {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = memref.load %a[%zero, %i] : memref<4x64xf32>
    linalg.yield %x : f32
  }
  return
}

func.func @short(%a: memref<256xi8>) {
  %one = arith.constant 1 : i8
  %0 = memref.subview %a[0] [250] [1] : memref<256xi8> to memref<250xi8, strided<[1]>>
  %1 = dml_buffer.view %0 : memref<250xi8, strided<[1]>> to memref<250xi8>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%1 : memref<250xi8>) attrs = {dml.label = "dml.row"} {
  ^bb0(%out: i8):
    linalg.yield %one : i8
  }
  return
}
