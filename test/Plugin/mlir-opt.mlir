// The stock mlir-opt with dml's compiler as a plugin: the dialect, its verifier,
// passes and pipelines.
// REQUIRES: plugins

// RUN: mlir-opt %dml_plugin --pass-pipeline='builtin.module(dml-deduce-feature-level)' %s | FileCheck %s
// CHECK: module attributes {dml.target = #dml.target<feature_level = fl_3_0>}
// CHECK: dml.padding
// CHECK-SAME: symmetric

// RUN: mlir-opt %dml_plugin --pass-pipeline='builtin.module(dml-to-executable{device-profile=minimal})' %s | FileCheck %s --check-prefix=EXECUTABLE
// EXECUTABLE: module attributes {dml.executable = dense<
// EXECUTABLE: spirv.module

// A pass of MLIR's and one of dml's, in one pipeline.
// RUN: mlir-opt %dml_plugin --pass-pipeline='builtin.module(convert-dml-to-linalg,func.func(linalg-generalize-named-ops),symbol-dce,cse)' %s | FileCheck %s --check-prefix=LINALG
// LINALG: linalg.generic

// RUN: not mlir-opt %dml_plugin --pass-pipeline='builtin.module(dml-validate-feature-level{feature-level=1_0})' %s 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: mlir-opt.mlir:[[# @LINE + 4]]:8: error:
// LEVEL-SAME: 1_0

func.func @main(%a: tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32> {
  %0 = dml.padding %a {mode = #dml.padding_mode<symmetric>, start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  return %0 : tensor<1x1x6x6xf32>
}

// SPDX-License-Identifier: Apache-2.0
