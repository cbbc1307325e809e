// What a script finds interesting stays, and nothing else: other operators become
// one of their operands, or zeros, and functions go.

// RUN: rm -rf %t && mkdir %t
// RUN: echo 'grep -q dml.padding "$1" && exit 1; exit 0' > %t/has-padding
// RUN: dml-reduce %s --reduction-tree='traversal-mode=0 test=/bin/sh test-arg=%t/has-padding' -o %t/reduced.mlir
// RUN: FileCheck %s --input-file=%t/reduced.mlir --implicit-check-not=dml.tile \
// RUN:   --implicit-check-not=dml.element_wise --implicit-check-not=@other
// CHECK: func.func @main
// CHECK: dml.padding

// Nothing is interesting: there is nothing to do, and that is an error.
// RUN: %exits 1 dml-reduce %s --reduction-tree='traversal-mode=0 test=/bin/true' -o %t/none.mlir

// RUN: dml-reduce --version | FileCheck %s --check-prefix=VERSION
// VERSION: dml-reduce {{[0-9.]+}} (LLVM 22

func.func @main(%a: tensor<2x2xf32>) -> tensor<4x4xf32> {
  %0 = dml.tile %a {repeats = array<i64: 1, 1>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = dml.element_wise_add %0, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = dml.padding %1 {mode = #dml.padding_mode<edge>, start_padding = array<i64: 1, 1>, end_padding = array<i64: 1, 1>} : (tensor<2x2xf32>) -> tensor<4x4xf32>
  %3 = dml.element_wise_abs %2 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
func.func @other(%a: tensor<4xf32>) -> tensor<8xf32> {
  %0 = dml.tile %a {repeats = array<i64: 2>} : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
