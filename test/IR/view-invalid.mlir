// What views and layouts reject. A comment names the constraint that a case breaks
// (test/IR/constraints.test).
//
// RUN: dml-opt %s --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false

// dml.view (C1)
func.func @element(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op output has element type 'i32', but input has 'f32'}}
  %0 = dml.view %input {strides = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xi32>
  return
}

// -----

// dml.view (C1)
func.func @scalar(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op output has rank 0, but wants 1 to 8}}
  %0 = dml.view %input {strides = array<i64>} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

// dml.view (C1)
func.func @rank9(%input: tensor<1xf32>) {
  // expected-error @below {{'dml.view' op output has rank 9, but wants 1 to 8}}
  %0 = dml.view %input {strides = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>}
      : (tensor<1xf32>) -> tensor<1x1x1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @dynamic(%input: tensor<?xf32>) {
  // expected-error @below {{'dml.view' op input has a dynamic size in dimension 0 of 'tensor<?xf32>', but DirectML tensors have static sizes}}
  %0 = dml.view %input {strides = array<i64: 1>} : (tensor<?xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @type(%input: tensor<2xbf16>) {
  // expected-error @below {{'dml.view' op input has element type 'bf16', which is no DirectML data type}}
  %0 = dml.view %input {strides = array<i64: 1>} : (tensor<2xbf16>) -> tensor<2xbf16>
  return
}

// -----

// dml.view (C2)
func.func @count(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op strides has 1 value, but output has rank 2}}
  %0 = dml.view %input {strides = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.view (C3)
func.func @negative(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op strides[1] is -1, but wants 0 to 4294967295}}
  %0 = dml.view %input {strides = array<i64: 3, -1>, offset = 2 : i64}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.view (C3)
func.func @large(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op strides[0] is 4294967296, but wants 0 to 4294967295}}
  %0 = dml.view %input {strides = array<i64: 4294967296, 1>}
      : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// dml.view (C3)
func.func @offset(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op offset is -1, but wants 0 to 4294967295}}
  %0 = dml.view %input {strides = array<i64: 1>, offset = -1 : i64}
      : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

// dml.view (C4)
func.func @outside(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op output's last element is element 6 of input, but input has 6}}
  %0 = dml.view %input {strides = array<i64: 4, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dml.view (C4)
func.func @shifted(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op output's last element is element 6 of input, but input has 6}}
  %0 = dml.view %input {strides = array<i64: 1>, offset = 4 : i64}
      : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

// The largest there is.
// dml.view (C4)
func.func @far(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op output's last element is element 18446744060824649730 of input, but input has 6}}
  %0 = dml.view %input {strides = array<i64: 4294967295>}
      : (tensor<2x3xf32>) -> tensor<4294967295xf32>
  return
}

// -----

func.func @misspelt(%input: tensor<2x3xf32>) {
  // expected-error @below {{'dml.view' op has no attribute 'ofset'; did you mean 'offset'?}}
  %0 = dml.view %input {strides = array<i64: 1>, ofset = 1 : i64}
      : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

// expected-error @below {{attribute 'dml.strides' on argument 0 is 1 : i64, but wants one stride a dimension, as array<i64: 4, 1>}}
func.func private @strides_kind(tensor<2xf32> {dml.strides = 1})

// -----

// expected-error @below {{attribute 'dml.strides' on argument 0 wants a function's tensor of static shape}}
func.func private @strides_scalar(f32 {dml.strides = array<i64: 1>})

// -----

// expected-error @below {{attribute 'dml.strides' on argument 0 wants a function's tensor of static shape}}
func.func private @strides_dynamic(tensor<?xf32> {dml.strides = array<i64: 1>})

// -----

// expected-error @below {{attribute 'dml.strides' on result 0 has 1 value, but the tensor has rank 2}}
func.func private @strides_count() -> (tensor<2x3xf32> {dml.strides = array<i64: 1>})

// -----

// expected-error @below {{attribute 'dml.strides' on argument 1 has the stride -1 in dimension 0, but wants 0 to 4294967295}}
func.func private @strides_negative(tensor<2xf32>, tensor<2xf32> {dml.strides = array<i64: -1>})

// -----

// expected-error @below {{attribute 'dml.strides' on argument 0 reaches over more than 4294967295 elements, DirectML's limit}}
func.func private @strides_far(tensor<2xf32> {dml.strides = array<i64: 4294967295>})

// -----

// expected-error @below {{attribute 'dml.strides' on result 0 is array<i64: 0> for 'tensor<2xf32>', but a result wants each stride to reach beyond all elements of the dimensions with smaller strides}}
func.func private @strides_repeated() -> (tensor<2xf32> {dml.strides = array<i64: 0>})

// -----

// expected-error @below {{attribute 'dml.strides' on result 0 is array<i64: 2, 1> for 'tensor<2x3xf32>', but a result wants each stride to reach beyond all elements of the dimensions with smaller strides}}
func.func private @strides_overlapping() -> (tensor<2x3xf32> {dml.strides = array<i64: 2, 1>})

// -----

// expected-error @below {{attribute 'dml.total_size' on argument 0 is "x", but wants bytes as an i64}}
func.func private @total_kind(tensor<2xf32> {dml.total_size = "x"})

// -----

// expected-error @below {{attribute 'dml.total_size' on argument 0 is 10, but wants a positive multiple of 4}}
func.func private @total_multiple(tensor<2xf32> {dml.total_size = 10})

// -----

// expected-error @below {{attribute 'dml.total_size' on argument 0 is 4, but the tensor has at least 8 bytes}}
func.func private @total_small(tensor<2xf32> {dml.total_size = 4})

// -----

// Bytes are rounded up to 4.
// expected-error @below {{attribute 'dml.total_size' on argument 0 is 4, but the tensor has at least 8 bytes}}
func.func private @total_rounded(tensor<5xi8> {dml.total_size = 4})

// -----

// Gaps count.
// expected-error @below {{attribute 'dml.total_size' on result 0 is 24, but the tensor has at least 28 bytes}}
func.func private @total_strides()
    -> (tensor<2x3xf32> {dml.strides = array<i64: 4, 1>, dml.total_size = 24})

// -----

// What DirectML has and means nothing here.
// expected-error @below {{unknown attribute 'dml.offset_alignment' on argument 0}}
func.func private @alignment(tensor<2xf32> {dml.offset_alignment = 4})

// -----

// expected-error @below {{unknown attribute 'dml.owned' on argument 0}}
func.func private @owned(tensor<2xf32> {dml.owned})

// SPDX-License-Identifier: Apache-2.0
