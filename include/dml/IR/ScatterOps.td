//===- ScatterOps.td - DirectML's scatters --------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_SCATTEROPS_TD
#define DML_IR_SCATTEROPS_TD

include "dml/IR/DMLOpBase.td"

def DML_ScatterElementsOp
    : DML_Op<"scatter_elements", "SCATTER_ELEMENTS", [InferTypeOpAdaptor]> {
  let summary = "Replaces elements of a tensor that indices choose";
  let description = [{
    Copies `input`, and replaces, for each element of `indices`, the element at its
    coordinates, but along `axis` at the index, by that of `updates`.
    DML_OPERATOR_SCATTER is another name of the same operator.

    **Semantics.** `output[c with indices[c] at axis] = updates[c]` for every coordinate
    `c` of `indices`; other elements are those of `input`.

    **Inputs**

    | label | name      | field           | type |
    |-------|-----------|-----------------|------|
    | (I1)  | `input`   | `InputTensor`   | tensor, rank 1 to 8, all data types |
    | (I2)  | `indices` | `IndicesTensor` | tensor of i32, i64, ui32 or ui64 |
    | (I3)  | `updates` | `UpdatesTensor` | tensor of `input`'s type |
    | (I4)  | `axis`    | `Axis`          | a dimension |

    **Constraints**
    * (C1) `0 <= axis < rank(input)`.
    * (C2) `indices` has `input`'s rank, and its sizes but along `axis`.
    * (C3) `updates` has `input`'s element type and `indices`' sizes.
    * (C4) `output` has `input`'s element type and sizes.

    **Readings**
    * The page says that the operator came with 1_0; the header and the feature level
      history say 2_0, which is followed.
    * An index of a signed type may be negative: it then counts from the end, -1 being
      the last element.
    * An index that is out of range writes nothing.
    * Two writes to one element are not valid DirectML, whose first page said that the
      last one wins. It does so here, in row-major order of `updates`, on every device.

    **Example**
    ```mlir
    // %input: [1, 2, 3], %indices: [2, 0], %updates: [8, 9]
    %output = dml.scatter_elements %input, %indices, %updates {axis = 0}
        : (tensor<3xf32>, tensor<2xui32>, tensor<2xf32>) -> tensor<3xf32>
    // %output: [9, 2, 8]
    ```

    **Source:** DML_SCATTER_OPERATOR_DESC.
  }];

  let otherName = "SCATTER";
  let arguments = (ins DML_Tensor:$input, DML_Tensor:$indices,
                       DML_Tensor:$updates, DML_I64Attr:$axis);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"updates", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"updates", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"updates", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 4, 4, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"updates", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output", 4, 4, DML_Float32And16>,
    ]>,
  ];
  let sameElementTypes = [["input", "updates", "output"]];
  let sameShapes = [["indices", "updates"]];
  let arrays = [DML_AxesArray<"axis">];
}

def DML_ScatterNdOp
    : DML_Op<"scatter_nd", "SCATTER_ND", [InferTypeOpAdaptor]> {
  let summary = "Replaces slices of a tensor that tuples of indices choose";
  let description = [{
    Copies `input`, and replaces, for each tuple along the last dimension of `indices`,
    the slice at those coordinates by that of `updates`.

    **Semantics.** The last `input_dimension_count` dimensions of `input` and the last
    `indices_dimension_count` dimensions of `indices` count. With `t` the last size of
    `indices`, `output[indices[i..., 0], ..., indices[i..., t - 1], s...] =
    updates[i..., s...]`; other elements are those of `input`.

    **Inputs**

    | label | name                      | field                   | type |
    |-------|---------------------------|-------------------------|------|
    | (I1)  | `input`                   | `InputTensor`           | tensor, rank 1 to 8, all data types |
    | (I2)  | `indices`                 | `IndicesTensor`         | tensor of i32, i64, ui32 or ui64 |
    | (I3)  | `updates`                 | `UpdatesTensor`         | tensor of `input`'s type |
    | (I4)  | `input_dimension_count`   | `InputDimensionCount`   | how many dimensions of `input` count |
    | (I5)  | `indices_dimension_count` | `IndicesDimensionCount` | how many dimensions of `indices` count |

    **Constraints**
    * (C1) `indices` and `updates` have `input`'s rank.
    * (C2) `1 <= input_dimension_count <= rank(input)` and
      `1 <= indices_dimension_count <= rank(input)`; the sizes before those that count
      are 1.
    * (C3) `t <= input_dimension_count`.
    * (C4) `updates` has `input`'s element type and ends in the sizes of `indices` that
      count, but for the last, and those of `input` after the first `t` that count; they
      find a place, and before them stands 1.
    * (C5) `output` has `input`'s element type and sizes.

    **Readings**
    * The page's formula takes the last `t` sizes of `input`; its example takes those
      after the indexed ones.
    * An index of a signed type may be negative: it then counts from the end, -1 being
      the last element.
    * An index that is out of range writes nothing.
    * Two writes to one element are not valid DirectML, whose first page said that the
      last one wins. It does so here, in row-major order of `updates`, on every device.

    **Example**
    ```mlir
    // %input: [[1, 2], [3, 4]], %indices: [[1], [0]], %updates: [[5, 6], [7, 8]]
    %output = dml.scatter_nd %input, %indices, %updates {
        input_dimension_count = 2, indices_dimension_count = 2}
        : (tensor<2x2xf32>, tensor<2x1xui32>, tensor<2x2xf32>)
        -> tensor<2x2xf32>
    // %output: [[7, 8], [5, 6]]
    ```

    **Source:** DML_SCATTER_ND_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_Tensor:$indices,
                       DML_Tensor:$updates, DML_I64Attr:$input_dimension_count,
                       DML_I64Attr:$indices_dimension_count);
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_Support<FL_4_1, [
      DML_TensorSupport<"input", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"updates", 1, 8, DML_AllDataTypes>,
      DML_TensorSupport<"output", 1, 8, DML_AllDataTypes>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 1, 8, DML_Indices>,
      DML_TensorSupport<"updates", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 1, 8, DML_UpTo32Bit>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"indices", 4, 4, DML_OnlyUInt32>,
      DML_TensorSupport<"updates", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output", 4, 4, DML_UpTo32Bit>,
    ]>,
  ];
  let sameElementTypes = [["input", "updates", "output"]];
  let arrays = [
    DML_FixedArray<"input_dimension_count", 1, 1, 8>,
    DML_FixedArray<"indices_dimension_count", 1, 1, 8>,
  ];
}

#endif // DML_IR_SCATTEROPS_TD
