// dml-opt takes plugins. One that knows dml's operators uses those of dml-opt.
// REQUIRES: plugins

// The plugin's pass is an option of dml-opt, with options of its own.
// RUN: dml-opt --load-pass-plugin=%test_plugin --count-operators %s 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: dml-opt --count-operators -load-pass-plugin %test_plugin %s 2>&1 | FileCheck %s --check-prefix=ALL
// ALL-NOT: pads
// ALL:     remark: dml.activation_relu: 1
// ALL:     remark: dml.padding: 1
// RUN: dml-opt --load-pass-plugin=%test_plugin --count-operators='only=dml.padding,dml.gemm modes' %s 2>&1 | FileCheck %s
// RUN: dml-opt --load-pass-plugin=%test_plugin --pass-pipeline='builtin.module(count-operators{only=dml.padding modes})' %s 2>&1 | FileCheck %s
// CHECK:     dml-opt.mlir:[[# @LINE + 18]]:8: remark: pads with edge
// CHECK-NOT: activation_relu: 1
// CHECK:     remark: dml.padding: 1
// RUN: dml-opt --load-pass-plugin=%test_plugin --help | FileCheck %s --check-prefix=HELP
// HELP: --count-operators {{.*}}Remarks how many dml operators of each kind there are

// The plugin has what dml's own plugin brings, which then changes nothing.
// RUN: dml-opt %dml_plugin --pass-pipeline='builtin.module(dml-to-linalg)' %s > %t.with
// RUN: dml-opt --pass-pipeline='builtin.module(dml-to-linalg)' %s | diff %t.with -

// What is no plugin is an error.
// RUN: %exits 2 dml-opt --load-pass-plugin=%s --count-operators %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: dml-opt: error: --load-pass-plugin: {{.*}}dml-opt.mlir
// RUN: %exits 2 dml-opt --load-dialect-plugin=%test_plugin %s 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: dml-opt: error: --load-dialect-plugin: {{.*}}count_operators

func.func @main(%a: tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32> {
  %0 = dml.activation_relu %a : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  %1 = dml.padding %0 {mode = #dml.padding_mode<edge>, start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  return %1 : tensor<1x1x6x6xf32>
}

// SPDX-License-Identifier: Apache-2.0
