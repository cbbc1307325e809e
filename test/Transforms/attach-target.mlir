// RUN: dml-opt %s --dml-attach-target=feature-level=5_0 | FileCheck %s
// RUN: dml-opt %s --dml-attach-target=feature-level=fl_5_0 | FileCheck %s
// RUN: %exits 2 dml-opt %s --dml-attach-target=feature-level=7_0 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dml-opt %s --dml-attach-target 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: not dml-opt %s --dml-attach-target=feature-level=3_0 2>&1 | FileCheck %s --check-prefix=OLD

// CHECK: module attributes {dml.target = #dml.target<feature_level = fl_5_0>}
// UNKNOWN: dml-opt: error: option feature-level of --dml-attach-target: '7_0' is no feature level, wants one of 1_0, 2_0, 2_1, 3_0, 3_1, 4_0, 4_1, 5_0, 5_1, 5_2, 6_0, 6_1, 6_2, 6_3, 6_4
// ABSENT: error: option feature-level of --dml-attach-target: '' is no feature level, wants one of 1_0
// OLD: attach-target.mlir:[[#@LINE+6]]:{{.*}} error: 'dml.tile' op input has rank 1, but feature level 3_0 supports rank 4 (rank 1 needs 3_1)
module attributes {dml.target = #dml.target<feature_level = fl_6_4>} {
  // CHECK: func @own
  // CHECK-SAME: dml.target = #dml.target<feature_level = fl_6_0>
  func.func @own() attributes {dml.target = #dml.target<feature_level = fl_6_0>} { return }
  func.func @f(%input: tensor<2xf32>) -> tensor<4xf32> {
    %0 = dml.tile %input {repeats = array<i64: 2>} : (tensor<2xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// SPDX-License-Identifier: Apache-2.0
