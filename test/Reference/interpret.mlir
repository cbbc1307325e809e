// RUN: dml-interpret %s --input="1x1x4x4xf32=1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8" | FileCheck %s
// RUN: dml-interpret %s --input=image=1x1x4x4xf32=1 --output=padded=@%t.npy --function=main | count 0
// RUN: not dml-interpret %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not dml-interpret %s --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not dml-interpret %s --input=other=4xf32=1 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not dml-interpret %s --input=4xf32=1 --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not dml-interpret %s --input=image=f32=1 --input=image=f32=1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not dml-interpret %s --output=out.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not dml-interpret %s --input=@%t.none.npy 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not dml-interpret %t.none.mlir 2>&1 | FileCheck %s --check-prefix=NOFILE

// CHECK: %padded: 1x1x8x10xf32
// CHECK-COUNT-4: {{7 6 5 6 7 8 7 6 5 6|3 2 1 2 3 4 3 2 1 2}}

// MISSING: dml-interpret: error: input 'image' (1x1x4x4xf32) is missing: function 'main' has 1 input, but there are 0 --inputs
// TYPE: dml-interpret: error: input 'image': type is 4xf32, but function 'main' wants 1x1x4x4xf32
// NAME: dml-interpret: error: --input=other=4xf32=1: function 'main' has no input 'other'; it has 'image'
// MANY: dml-interpret: error: there are 2 --inputs, but function 'main' has 1 input{{$}}
// TWICE: dml-interpret: error: input 'image' is given twice
// FILE: dml-interpret: error: cannot read '{{.*}}none.npy': No such file
// OUTPUT: dml-interpret: error: --output=out.npy: wanted is @FILE.npy
// NOFILE: dml-interpret: error: cannot open input file

func.func @main(%input: tensor<1x1x4x4xf32> {dml.name = "image"})
    -> (tensor<1x1x8x10xf32> {dml.name = "padded"}) {
  %output = dml.padding %input {mode = #dml.padding_mode<reflection>,
      start_padding = array<i64: 0, 0, 1, 2>, end_padding = array<i64: 0, 0, 3, 4>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x8x10xf32>
  return %output : tensor<1x1x8x10xf32>
}

// SPDX-License-Identifier: Apache-2.0
