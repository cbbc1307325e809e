// RUN: dml-explain %s | FileCheck %s --check-prefix=TEXT
// RUN: not dml-explain %s --level=2_1 | FileCheck %s --check-prefix=LEVEL
// RUN: dml-explain %s --nodes | FileCheck %s --check-prefix=NODES
// RUN: dml-explain %s --level=fl_6_4 | FileCheck %s --check-prefix=FITS
// RUN: not dml-explain %s --level=2_1 --json > %t.json
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: %python -c "import json, sys; json.load(open(sys.argv[1]))" %t.json
// RUN: dml-opt %s --emit-bytecode | dml-explain | FileCheck %s --check-prefix=BYTECODE
// RUN: dml-explain %s -o %t.txt && FileCheck %s --check-prefix=TEXT --input-file=%t.txt

// TEXT:      {{^}}needs feature level 5_0
// TEXT-NEXT:   DirectML 1.8.0 or newer
// TEXT-NEXT:   Windows 11, version 22H2 (build 22621) or newer
// TEXT-NEXT: decided by
// TEXT-NEXT:   dml.padding at line [[#@LINE+39]]: input has element type i64
// TEXT-NEXT: operators by the level that they need, 4 in all
// TEXT-NEXT:   5_0: dml.padding
// TEXT-NEXT:   3_1: dml.tile
// TEXT-NEXT:   3_0: dml.padding
// TEXT-NEXT:   2_0: dml.resample
// TEXT-NOT:  fit

// LEVEL:      does not fit feature level 2_1
// LEVEL-NEXT:   dml.padding at line [[#@LINE+24]]: mode is symmetric, but feature level 2_1 supports constant, edge, reflection (symmetric needs 3_0)
// LEVEL-NEXT:   dml.padding at line [[#@LINE+29]]: input has element type i64, but feature level 2_1 supports f32, f16, ui32, ui16, ui8, i32, i16, i8 (i64 needs 5_0)
// LEVEL-NEXT:   dml.padding at line [[#@LINE+28]]: output has element type i64
// LEVEL-NEXT:   dml.tile at line [[#@LINE+30]]: input has rank 2
// LEVEL:      {{^}}needs feature level 5_0

// NODES:      2_0: dml.resample
// NODES-NEXT: @f
// NODES-NEXT:   line [[#@LINE+13]]: dml.resample needs 2_0: DML_OPERATOR_RESAMPLE was introduced there
// NODES-NEXT:   line [[#@LINE+15]]: dml.padding needs 3_0: mode is symmetric
// NODES-NEXT: @g
// NODES-NEXT:   line [[#@LINE+19]]: dml.padding needs 5_0: input has element type i64
// NODES-NEXT:   line [[#@LINE+21]]: dml.tile needs 3_1: input has rank 2
// NODES-NOT:  {{.}}

// FITS: {{^}}fits feature level 6_4
// FITS-NOT: does not fit

// BYTECODE: dml.padding at line {{[0-9]+}}: input has element type i64

func.func @f(%image: tensor<1x3x8x8xf32>) {
  %0 = dml.resample %image {mode = #dml.interpolation_mode<linear>,
      scales = array<f32: 1.0, 1.0, 2.0, 2.0>}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x16xf32>
  %1 = dml.padding %image {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x10xf32>
  return
}
func.func @g(%input: tensor<1x3x8x8xi64>, %rows: tensor<4x8xi32>) {
  %0 = dml.padding %input {mode = #dml.padding_mode<edge>,
      start_padding = array<i64: 0, 0, 1, 1>, end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x3x8x8xi64>) -> tensor<1x3x10x10xi64>
  %1 = dml.tile %rows {repeats = array<i64: 2, 1>}
      : (tensor<4x8xi32>) -> tensor<8x8xi32>
  return
}

// JSON:      "directml": "1.8.0",
// JSON-NEXT: "fits": false,
// JSON-NEXT: "foreign": [],
// JSON-NEXT: "legalization": [
// JSON:      "level": "5_0",
// JSON-NEXT: "notTaken": [],
// JSON:      "deciding": {
// JSON:        "attribute": "mode",
// JSON-NEXT:   "kind": "enum-case",
// JSON-NEXT:   "level": "3_0",
// JSON-NEXT:   "source": "DML_PADDING_OPERATOR_DESC
// JSON-NEXT:   "text": "mode is symmetric",
// JSON-NEXT:   "value": "symmetric"
// JSON:      "function": "f",
// JSON-NEXT: "level": "3_0",
// JSON:      "op": "dml.padding",
// JSON-NEXT: "operator": "DML_OPERATOR_PADDING",
// JSON-NEXT: "target": "2_1",
// JSON:      "name": "input",
// JSON-NEXT: "role": "input",
// JSON-NEXT: "type": "tensor<1x3x8x8xf32>"
// JSON:      "name": "output",
// JSON-NEXT: "role": "output",
// JSON:      "violations": [
// JSON:        "message": "mode is symmetric, but feature level 2_1 supports constant, edge, reflection (symmetric needs 3_0)",
// JSON:      "kind": "data-type",
// JSON:      "tensor": "input",
// JSON:      "value": "i64"
// JSON:      "kind": "rank",
// JSON:      "rank": 2,
// JSON:      "windows": "Windows 11, version 22H2 (build 22621)"

// SPDX-License-Identifier: Apache-2.0
