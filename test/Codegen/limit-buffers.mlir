// RUN: dml-opt %s --pass-pipeline="builtin.module(dml-attach-device{profile=minimal},dml-limit-buffers)" | FileCheck %s
// RUN: dml-opt %s --pass-pipeline="builtin.module(dml-attach-device{profile=full},dml-limit-buffers)" | FileCheck %s --check-prefix=FULL
// RUN: not dml-opt %s --pass-pipeline="builtin.module(dml-attach-device{profile=minimal,maxStorageBuffers=1},dml-limit-buffers)" 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: error: device profile limit 'maxStorageBuffers=1' wants a whole number from 2 to 4294967295

#map = affine_map<(d0) -> (d0)>

// Of six buffers, the temporary and the two smallest inputs share one.

// FULL-NOT: memref.view

// CHECK-LABEL: func @six
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<64xf32>, %[[B:[a-z0-9]+]]: memref<2xf32>, %[[C:[a-z0-9]+]]: memref<64xf32>, %[[D:[a-z0-9]+]]: memref<3xf32>
// CHECK:         %[[SHARED:.*]] = memref.alloc() : memref<768xi8>
// CHECK-DAG:     %[[T:.*]] = memref.view %[[SHARED]][%{{.*}}][] : memref<768xi8> to memref<64xf32>
// CHECK-DAG:     %[[VB:.*]] = memref.view %[[SHARED]][%{{.*}}][] : memref<768xi8> to memref<2xf32>
// CHECK-DAG:     %[[VD:.*]] = memref.view %[[SHARED]][%{{.*}}][] : memref<768xi8> to memref<3xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[T]] :
// CHECK-DAG:     memref.copy %[[B]], %[[VB]]
// CHECK-DAG:     memref.copy %[[D]], %[[VD]]
// CHECK:         linalg.generic
// CHECK-DAG:       memref.load %[[A]]
// CHECK-DAG:       memref.load %[[VB]]
// CHECK-DAG:       memref.load %[[C]]
// CHECK-DAG:       memref.load %[[VD]]
// CHECK-DAG:       memref.load %[[T]]
func.func @six(%a: memref<64xf32>, %b: memref<2xf32>, %c: memref<64xf32>,
               %d: memref<3xf32>, %output: memref<64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %t = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%t : memref<64xf32>) {
  ^bb0(%out: f32):
    linalg.yield %one : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%output : memref<64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %0 = memref.load %a[%i] : memref<64xf32>
    %1 = memref.load %b[%zero] : memref<2xf32>
    %2 = memref.load %c[%i] : memref<64xf32>
    %3 = memref.load %d[%zero] : memref<3xf32>
    %4 = memref.load %t[%i] : memref<64xf32>
    %5 = arith.addf %0, %1 : f32
    %6 = arith.addf %5, %2 : f32
    %7 = arith.addf %6, %3 : f32
    %8 = arith.addf %7, %4 : f32
    linalg.yield %8 : f32
  }
  return
}

// Of constants the compiler makes one, the smallest of them: nothing is copied. The
// largest stays what it is, and what reads one of the others reads its range.

// CHECK-DAG: memref.global "private" constant @packed : memref<768xi8> = dense<"0x010203{{(00)*}}803F{{(00)*}}4000000040{{(00)*}}">
// CHECK-LABEL: func @constants
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<64xf32>, %[[OUTPUT:[a-z0-9]+]]: memref<64xf32>
// CHECK-NOT:     memref.alloc
// CHECK-DAG:     %[[PACKED:.*]] = memref.get_global @packed
// CHECK-DAG:     %[[VB:.*]] = memref.view %[[PACKED]][%{{.*}}][] : memref<768xi8> to memref<1xf32>
// CHECK-DAG:     %[[VC:.*]] = memref.view %[[PACKED]][%{{.*}}][] : memref<768xi8> to memref<2xf32>
// CHECK-DAG:     %[[VD:.*]] = memref.view %[[PACKED]][%{{.*}}][] : memref<768xi8> to memref<3xi8>
// CHECK-DAG:     %[[E:.*]] = memref.get_global @e
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic
// CHECK-DAG:       memref.load %[[A]]
// CHECK-DAG:       memref.load %[[VB]]
// CHECK-DAG:       memref.load %[[VC]]
// CHECK-DAG:       memref.load %[[VD]]
// CHECK-DAG:       memref.load %[[E]]
// CHECK:         linalg.generic
// CHECK:           memref.load %[[VC]]
memref.global "private" constant @b : memref<1xf32> = dense<1.0>
memref.global "private" constant @c : memref<2xf32> = dense<2.0>
memref.global "private" constant @d : memref<3xi8> = dense<[1, 2, 3]>
memref.global "private" constant @e : memref<64xf32> = dense<4.0>
memref.global "private" constant @f : memref<1xf32> = dense<5.0>
func.func @constants(%a: memref<64xf32>, %output: memref<64xf32>, %other: memref<64xf32>) {
  %zero = arith.constant 0 : index
  %b = memref.get_global @b : memref<1xf32>
  %c = memref.get_global @c : memref<2xf32>
  %d = memref.get_global @d : memref<3xi8>
  %e = memref.get_global @e : memref<64xf32>
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%output : memref<64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %0 = memref.load %a[%i] : memref<64xf32>
    %1 = memref.load %b[%zero] : memref<1xf32>
    %2 = memref.load %c[%zero] : memref<2xf32>
    %3 = memref.load %d[%zero] : memref<3xi8>
    %4 = memref.load %e[%i] : memref<64xf32>
    %5 = arith.addf %0, %1 : f32
    %6 = arith.addf %5, %2 : f32
    %7 = arith.sitofp %3 : i8 to f32
    %8 = arith.addf %6, %7 : f32
    %9 = arith.addf %8, %4 : f32
    linalg.yield %9 : f32
  }
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%other : memref<64xf32>) {
  ^bb0(%out: f32):
    %0 = memref.load %c[%zero] : memref<2xf32>
    linalg.yield %0 : f32
  }
  return
}

// The constants may be what the function begins with, and each of them is taken away.

// CHECK-LABEL: func @first
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<64xf32>
// CHECK-NEXT:    %[[PACKED:.*]] = memref.get_global @packed_0 : memref<1024xi8>
// CHECK-NOT:     memref.get_global
// CHECK-COUNT-4: memref.view %[[PACKED]][%{{.*}}][] : memref<1024xi8> to
// CHECK:         linalg.generic
func.func @first(%a: memref<64xf32>, %output: memref<64xf32>) {
  %b = memref.get_global @b : memref<1xf32>
  %c = memref.get_global @c : memref<2xf32>
  %d = memref.get_global @d : memref<3xi8>
  %e = memref.get_global @e : memref<64xf32>
  %f = memref.get_global @f : memref<1xf32>
  %zero = arith.constant 0 : index
  linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]}
      outs(%output : memref<64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %0 = memref.load %a[%i] : memref<64xf32>
    %1 = memref.load %b[%zero] : memref<1xf32>
    %2 = memref.load %c[%zero] : memref<2xf32>
    %3 = memref.load %d[%zero] : memref<3xi8>
    %4 = memref.load %e[%i] : memref<64xf32>
    %5 = memref.load %f[%zero] : memref<1xf32>
    %6 = arith.addf %0, %1 : f32
    %7 = arith.addf %6, %2 : f32
    %8 = arith.sitofp %3 : i8 to f32
    %9 = arith.addf %7, %8 : f32
    %10 = arith.addf %9, %4 : f32
    %11 = arith.addf %10, %5 : f32
    linalg.yield %11 : f32
  }
  return
}

// SPDX-License-Identifier: Apache-2.0
