// The generator and the interpreter, without a device.
// RUN: mkdir -p %t
// RUN: dml-fuzz --device=none --count=300 --output-dir=%t 2>&1 | FileCheck %s
// RUN: dml-fuzz --device=none --count=1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: dml-fuzz --device=none --systematic --cases-per-cell=1 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: dml-fuzz --device=none --replay=%s --values=7 | FileCheck %s --check-prefix=REPLAY
// RUN: not dml-fuzz --device=none --replay=%t.none 2>&1 | FileCheck %s --check-prefix=NOFILE

// CHECK: dml-fuzz: 300 cases, 0 failures, 0 refused
// ONE: dml-fuzz: 1 case, 0 failures, 0 refused

// TABLE: | dml.padding | constant | f32 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 |
// TABLE: | dml.resample | linear | i8 | 1 | 1 | 1 | 1 |{{[ |]*$}}
// TABLE: 0 failures

// REPLAY: agrees
// NOFILE: could not open input file

func.func @main(%input: tensor<2xi8>) -> tensor<6xi8> {
  %output = dml.tile %input {repeats = array<i64: 3>} : (tensor<2xi8>) -> tensor<6xi8>
  return %output : tensor<6xi8>
}

// SPDX-License-Identifier: Apache-2.0
