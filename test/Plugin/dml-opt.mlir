// dml-opt takes plugins. One that knows dml's operators uses those of dml-opt.
// REQUIRES: plugins

// RUN: dml-opt --load-pass-plugin=%test_plugin --pass-pipeline='builtin.module(test-describe-paddings)' %s 2>&1 | FileCheck %s
// CHECK: dml-opt.mlir:[[# @LINE + 11]]:8: remark: pads with edge

// It has what dml's own plugin brings, which then changes nothing.
// RUN: dml-opt %dml_plugin --pass-pipeline='builtin.module(dml-to-linalg)' %s > %t.with
// RUN: dml-opt --pass-pipeline='builtin.module(dml-to-linalg)' %s | diff %t.with -

// What is no plugin is an error.
// RUN: %exits 1 dml-opt --load-pass-plugin=%s --pass-pipeline='builtin.module(test-describe-paddings)' %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: Failed to load passes from

func.func @main(%a: tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32> {
  %0 = dml.padding %a {mode = #dml.padding_mode<edge>, start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  return %0 : tensor<1x1x6x6xf32>
}

// SPDX-License-Identifier: Apache-2.0
