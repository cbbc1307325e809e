// RUN: dml-opt %s --pass-pipeline="builtin.module(func.func(dml-limit-buffers{device-profile=minimal}))" | FileCheck %s
// RUN: dml-opt %s --pass-pipeline="builtin.module(func.func(dml-limit-buffers{device-profile=full}))" | FileCheck %s --check-prefix=FULL
// RUN: not dml-opt %s --pass-pipeline="builtin.module(func.func(dml-limit-buffers{device-profile=minimal,maxStorageBuffers=1}))" 2>&1 | FileCheck %s --check-prefix=ONE
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
