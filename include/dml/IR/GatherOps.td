//===- GatherOps.td - DirectML's gathers ----------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_GATHEROPS_TD
#define DML_IR_GATHEROPS_TD

include "dml/IR/DMLOpBase.td"

def DML_GatherOp : DML_Op<"gather", "GATHER", [InferTypeOpAdaptor]> {
  let summary = "Copies slices of a tensor that indices choose";
  let description = [{
    Replaces dimension `axis` of `input` by the last `index_dimensions` dimensions of
    `indices`, which choose an element of that dimension each.

    **Semantics.** `output[a..., i..., b...] = input[a..., indices[i...], b...]`, where
    `a` are the coordinates before `axis`, `b` those after it, and `i` as many as
    `index_dimensions`. All tensors have one rank: dimensions of size 1 stand in front
    of those that count, or are dropped from there.

    **Inputs**

    | label | name               | field             | type |
    |-------|--------------------|-------------------|------|
    | (I1)  | `input`            | `InputTensor`     | tensor, rank 1 to 8, all data types |
    | (I2)  | `indices`          | `IndicesTensor`   | tensor of i32, i64, ui32 or ui64 |
    | (I3)  | `axis`             | `Axis`            | a dimension |
    | (I4)  | `index_dimensions` | `IndexDimensions` | how many dimensions of `indices` count |

    **Constraints**
    * (C1) `indices` has `input`'s rank.
    * (C2) `0 <= axis < rank(input)`.
    * (C3) `0 <= index_dimensions <= axis + 1`: the dimensions of `indices` find a place.
    * (C4) The first `rank(input) - index_dimensions` sizes of `indices` are 1.
    * (C5) The first `index_dimensions - 1` sizes of `input`, which find no place, are
      1.
    * (C6) `output` has `input`'s element type, rank, and sizes after `axis`; before
      those stand the last `index_dimensions` sizes of `indices`, before those the sizes
      of `input` before `axis`, and before those 1.

    **Readings**
    * The page excludes `index_dimensions = rank(input)`, but its first example has it.
    * The feature level history says that 2_1 relaxed restrictions of shapes, but not
      which: those of the constraints hold at every level.
    * An index of a signed type may be negative: it then counts from the end, -1 being
      the last element.
    * The page promises no failure for an index that is out of range, but not what is
      read. Such an index is moved to the nearest valid one: nothing outside of `input`
      is ever read.

    **Example**
    ```mlir
    // %input: [[1, 2], [3, 4], [5, 6]], %indices: [[0, 2]]
    %output = dml.gather %input, %indices {axis = 0, index_dimensions = 1}
        : (tensor<3x2xf32>, tensor<1x2xui32>) -> tensor<2x2xf32>
    // %output: [[1, 2], [5, 6]]
    ```

    **Source:** DML_GATHER_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$indices, DML_I64Attr:$axis,
                       DML_I64Attr:$index_dimensions);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 4, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_1_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 4, DML_Float32And16>,
    ]>,
  ];
  let sameElementTypes = [["input", "output"]];
  let arrays = [
    DML_AxesArray<"axis">,
    DML_FixedArray<"index_dimensions", 1, 0, 8>,
  ];
}

def DML_GatherElementsOp
    : DML_Op<"gather_elements", "GATHER_ELEMENTS", [InferTypeOpAdaptor]> {
  let summary = "Copies elements of a tensor that indices choose";
  let description = [{
    Copies, for each element of `indices`, the element of `input` at its coordinates,
    but along `axis` at the index.

    **Semantics.** `output[c] = input[c with indices[c] at axis]`.

    **Inputs**

    | label | name      | field           | type |
    |-------|-----------|-----------------|------|
    | (I1)  | `input`   | `InputTensor`   | tensor, rank 1 to 8, all data types |
    | (I2)  | `indices` | `IndicesTensor` | tensor of i32, i64, ui32 or ui64 |
    | (I3)  | `axis`    | `Axis`          | a dimension |

    **Constraints**
    * (C1) `0 <= axis < rank(input)`.
    * (C2) `indices` has `input`'s rank, and its sizes but along `axis`.
    * (C3) `output` has `input`'s element type and `indices`' sizes.

    **Readings**
    * An index of a signed type may be negative: it then counts from the end, -1 being
      the last element.
    * The page promises no failure for an index that is out of range, but not what is
      read. Such an index is moved to the nearest valid one: nothing outside of `input`
      is ever read.

    **Example**
    ```mlir
    // %input: [[1, 2], [3, 4]], %indices: [[1, 0]]
    %output = dml.gather_elements %input, %indices {axis = 0}
        : (tensor<2x2xf32>, tensor<1x2xui32>) -> tensor<1x2xf32>
    // %output: [[3, 2]]
    ```

    **Source:** DML_GATHER_ELEMENTS_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$indices, DML_I64Attr:$axis);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 4, DML_UpTo32Bit>,
    ]>,
  ];
  let sameElementTypes = [["input", "output"]];
  let arrays = [DML_AxesArray<"axis">];
}

def DML_GatherNdOp : DML_Op<"gather_nd", "GATHER_ND", [InferTypeOpAdaptor]> {
  let summary = "Copies slices of a tensor that tuples of indices choose";
  let description = [{
    Copies, for each tuple along the last dimension of `indices`, the slice of `input`
    at those coordinates.

    **Semantics.** The last `input_dimension_count` dimensions of `input` and the last
    `indices_dimension_count` dimensions of `indices` count.
    With `t` the last size of `indices`,
    `output[i..., s...] = input[indices[i..., 0], ..., indices[i..., t - 1], s...]`.

    Canonicalization makes a `dml.gather_nd1` of it where the feature level has
    that.

    **Inputs**

    | label | name                      | field                   | type |
    |-------|---------------------------|-------------------------|------|
    | (I1)  | `input`                   | `InputTensor`           | tensor, rank 1 to 8, all data types |
    | (I2)  | `indices`                 | `IndicesTensor`         | tensor of i32, i64, ui32 or ui64 |
    | (I3)  | `input_dimension_count`   | `InputDimensionCount`   | how many dimensions of `input` count |
    | (I4)  | `indices_dimension_count` | `IndicesDimensionCount` | how many dimensions of `indices` count |

    **Constraints**
    * (C1) `indices` has `input`'s rank.
    * (C2) `1 <= input_dimension_count <= rank(input)` and
      `1 <= indices_dimension_count <= rank(input)`; the sizes before those that count
      are 1.
    * (C3) `t <= input_dimension_count`.
    * (C4) `output` has `input`'s element type and rank, and ends in the sizes of
      `indices` that count, but for the last, and those of `input` after the
      first `t` that count; they find a place, and before them stands 1.

    **Readings**
    * The page's formula takes the last `t` sizes of `input`; its examples take those
      after the indexed ones.
    * An index of a signed type may be negative: it then counts from the end, -1 being
      the last element.
    * The page promises no failure for an index that is out of range, but not what is
      read. Such an index is moved to the nearest valid one: nothing outside of `input`
      is ever read.

    **Example**
    ```mlir
    // %input: [[1, 2], [3, 4]], %indices: [[1, 0], [0, 1]]
    %output = dml.gather_nd %input, %indices {
        input_dimension_count = 2, indices_dimension_count = 2}
        : (tensor<2x2xf32>, tensor<2x2xui32>) -> tensor<1x2xf32>
    // %output: [[3, 2]]
    ```

    **Source:** DML_GATHER_ND_OPERATOR_DESC.
  }];

  let hasCanonicalizer = 1;
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$indices,
                       DML_I64Attr:$input_dimension_count,
                       DML_I64Attr:$indices_dimension_count);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"output", 4, 4, DML_UpTo32Bit>,
    ]>,
  ];
  let sameElementTypes = [["input", "output"]];
  let arrays = [
    DML_FixedArray<"input_dimension_count", 1, 1, 8>,
    DML_FixedArray<"indices_dimension_count", 1, 1, 8>,
  ];
}

def DML_GatherNd1Op
    : DML_Op<"gather_nd1", "GATHER_ND1",
             [InferTypeOpAdaptor,
              DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Copies slices of a tensor that tuples of indices choose";
  let description = [{
    Copies, for each tuple along the last dimension of `indices`, the slice of `input`
    at those coordinates, for each coordinate of the batch apart.

    **Semantics.** The last `input_dimension_count` dimensions of `input` and the last
    `indices_dimension_count` dimensions of `indices` count, of which the first
    `batch_dimension_count` are the batch. With `t` the last size of
    `indices`, `output[b..., i..., s...] = input[b..., indices[b..., i..., 0], ..., indices[b..., i..., t - 1], s...]`.

    **Inputs**

    | label | name                      | field                   | type |
    |-------|---------------------------|-------------------------|------|
    | (I1)  | `input`                   | `InputTensor`           | tensor, rank 1 to 8, all data types |
    | (I2)  | `indices`                 | `IndicesTensor`         | tensor of i32, i64, ui32 or ui64 |
    | (I3)  | `input_dimension_count`   | `InputDimensionCount`   | how many dimensions of `input` count |
    | (I4)  | `indices_dimension_count` | `IndicesDimensionCount` | how many dimensions of `indices` count |
    | (I5)  | `batch_dimension_count`   | `BatchDimensionCount`   | how many of these are the batch |

    **Constraints**
    * (C1) `indices` has `input`'s rank.
    * (C2) `1 <= input_dimension_count <= rank(input)` and
      `1 <= indices_dimension_count <= rank(input)`; the sizes before those that count
      are 1.
    * (C3) `t <= input_dimension_count - batch_dimension_count`.
    * (C4) `output` has `input`'s element type and rank, and ends in the sizes of
      `indices` that count, but for the last, and those of `input` after the batch and the
      first `t` that count; they find a place, and before them stands 1.
    * (C5) `0 <= batch_dimension_count < indices_dimension_count`, and the sizes of the
      batch are the same in both tensors.

    **Readings**
    * The page's formula takes the last `t` sizes of `input`; its examples take those
      after the indexed ones.
    * An index of a signed type may be negative: it then counts from the end, -1 being
      the last element.
    * The page promises no failure for an index that is out of range, but not what is
      read. Such an index is moved to the nearest valid one: nothing outside of `input`
      is ever read.

    **Example**
    ```mlir
    // %input: [[1, 2], [3, 4]], %indices: [[1, 0], [0, 1]]
    %output = dml.gather_nd1 %input, %indices {
        input_dimension_count = 2, indices_dimension_count = 2,
        batch_dimension_count = 0}
        : (tensor<2x2xf32>, tensor<2x2xui32>) -> tensor<1x2xf32>
    // %output: [[3, 2]]
    ```

    **Source:** DML_GATHER_ND1_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$indices,
                       DML_I64Attr:$input_dimension_count,
                       DML_I64Attr:$indices_dimension_count,
                       DML_I64Attr:$batch_dimension_count);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
  ];
  let sameElementTypes = [["input", "output"]];
  let arrays = [
    DML_FixedArray<"input_dimension_count", 1, 1, 8>,
    DML_FixedArray<"indices_dimension_count", 1, 1, 8>,
    DML_FixedArray<"batch_dimension_count", 1, 0, 7>,
  ];
}

def DML_OneHotOp : DML_Op<"one_hot", "ONE_HOT"> {
  let summary = "Marks indices";
  let description = [{
    Fills lines along `axis` with an off value, but for the element at the index that
    `indices` has for the line, which gets an on value.

    **Semantics.** `output[c]` is element 1 of `values`, in row-major order, where `c`'s
    coordinate along `axis` is the index that `indices` has at `c` with 0 at `axis`; it
    is element 0 of `values` elsewhere.

    **Inputs**

    | label | name      | field           | type |
    |-------|-----------|-----------------|------|
    | (I1)  | `indices` | `IndicesTensor` | tensor of i32, i64, ui32 or ui64, rank 1 to 8 |
    | (I2)  | `values`  | `ValuesTensor`  | tensor of all data types |
    | (I3)  | `axis`    | `Axis`          | a dimension |

    **Constraints**
    * (C1) `0 <= axis < rank(indices)`.
    * (C2) `values` has `indices`' rank, and at least two elements.
    * (C3) `indices` has size 1 along `axis`.
    * (C4) `output` has `values`' element type, `indices`' rank, and its sizes but along
      `axis`, where its size is free.

    **Readings**
    * An index of a signed type may be negative: it then counts from the end, -1 being
      the last element.
    * An index that is out of range marks nothing, whether it is too large, as the page
      says, or too far below 0.

    **Example**
    ```mlir
    // %indices: [[1], [3]], %values: [[0, 1]]
    %output = dml.one_hot %indices, %values {axis = 1}
        : (tensor<2x1xui32>, tensor<1x2xf32>) -> tensor<2x3xf32>
    // %output: [[0, 1, 0], [0, 0, 0]]
    ```

    **Source:** DML_ONE_HOT_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$indices, DML_Tensor:$values, DML_I64Attr:$axis);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"values", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"values", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"values", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 4, 4, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_0, [
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"values", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_Float32And16>,
    ]>,
  ];
  let sameElementTypes = [["values", "output"]];
  let arrays = [DML_AxesArray<"axis", "indices">];

  let hasVerifier = 1;
}

#endif // DML_IR_GATHEROPS_TD
