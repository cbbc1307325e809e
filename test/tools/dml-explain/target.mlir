// A file whose target does not support it cannot be parsed by other tools; this is
// the one to ask why.
//
// RUN: not dml-opt %s 2>/dev/null
// RUN: not dml-explain %s | FileCheck %s
// RUN: dml-explain %s --level=3_1 | FileCheck %s --check-prefix=ASKED

// ASKED-NOT: does not fit
// ASKED: fits feature level 3_1

// CHECK:      @outer
// CHECK-NEXT:   dml.tile needs 3_1: input has rank 1
// CHECK-NEXT:     does not fit: input has rank 1, but feature level 2_1 supports rank 4 (rank 1 needs 3_1)
// CHECK-NEXT:     does not fit: output has rank 1
// CHECK-NEXT: @own
// CHECK-NEXT:   dml.tile needs 3_1: input has rank 1
// CHECK-NEXT: together: feature level 3_1
// CHECK-NEXT:   DirectML 1.5.0 or newer
// CHECK-NEXT:   Windows 11, version 21H2 (build 22000) or newer
// CHECK-NEXT: does not fit the target that the file states
module attributes {dml.target = #dml.target<feature_level = fl_2_1>} {
  func.func @outer(%input: tensor<2xf32>) {
    %0 = dml.tile %input {repeats = array<i64: 2>} : (tensor<2xf32>) -> tensor<4xf32>
    return
  }
  func.func @own(%input: tensor<2xf32>)
      attributes {dml.target = #dml.target<feature_level = fl_4_0>} {
    %0 = dml.tile %input {repeats = array<i64: 2>} : (tensor<2xf32>) -> tensor<4xf32>
    return
  }
}

// SPDX-License-Identifier: Apache-2.0
