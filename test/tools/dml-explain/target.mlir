// A file whose target does not support it cannot be parsed by other tools; this is
// the one to ask why.
//
// RUN: not dml-opt %s 2>/dev/null
// RUN: not dml-explain %s | FileCheck %s
// RUN: dml-explain %s --level=3_1 | FileCheck %s --check-prefix=ASKED

// ASKED: {{^}}fits feature level 3_1
// ASKED-NOT: does not fit

// CHECK:      does not fit the target that the file states
// CHECK-NEXT:   dml.tile at line [[#@LINE+9]]: input has rank 1, but feature level 2_1 supports rank 4 (rank 1 needs 3_1)
// CHECK-NEXT:   dml.tile at line [[#@LINE+8]]: output has rank 1
// CHECK-NEXT: {{^}}needs feature level 3_1
// CHECK-NEXT:   DirectML 1.5.0 or newer
// CHECK-NEXT:   Windows 11, version 21H2 (build 22000) or newer
// CHECK-NEXT: decided by
// CHECK-NEXT:   dml.tile x 2, first at line [[#@LINE+3]]: input has rank 1
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
