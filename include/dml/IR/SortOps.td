//===- SortOps.td - DirectML's selections ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_SORTOPS_TD
#define DML_IR_SORTOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_TopKOp : DML_Op<"top_k", "TOP_K"> {
  let summary = "Selects the largest elements";
  let description = [{
    Selects the `k` largest elements of every line of `input` along `axis`, in
    descending order, and tells where they stand.

    **Semantics.** `output_value` has the selected elements of each line, the largest
    first, and `output_index` their positions in the line, which count from 0. Of equal
    elements the one with the lower position stands first, and is selected first.

    Canonicalization makes a `dml.top_k1` of it where the feature level has
    that.

    **Inputs**

    | label | name    | field         | type |
    |-------|---------|---------------|------|
    | (I1)  | `input` | `InputTensor` | tensor, rank 1 to 8 |
    | (I2)  | `axis`  | `Axis`        | the dimension of the lines |
    | (I3)  | `k`     | `K`           | how many elements of each line |

    **Constraints**
    * (C1) `axis` is a dimension of `input`.
    * (C2) `1 <= k <= dim(input, axis)`.
    * (C3) `output_value` has `input`'s element type.
    * (C4) `output_value` has `input`'s rank and its sizes, and `k` along `axis`.
    * (C5) `output_index` has the sizes of `output_value`.

    **Readings**
    * The page wants `k` below the number of elements of a line; all of them are
      accepted too, which sorts the line.
    * NaNs, of which the page says nothing, stand behind all numbers, among themselves
      in the order of their positions: as in `dml.reduce`, they lose.
    * Zeros of either sign are equal.
    * The page says that the operator came with 2_0. DirectML's first header has it, and
      the feature level history does not list it among what 2_0 added: it is as old as
      1_0, with the page's row for 2_0.
    * Elements keep their bits.

    **Example**
    ```mlir
    // %input: [[1, 2, 2, 3], [6, 6, 6, 6]]
    %value, %index = dml.top_k %input {axis = 1 : i64, k = 3 : i64}
        : (tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xui32>)
    // %value: [[3, 2, 2], [6, 6, 6]]  %index: [[3, 1, 2], [0, 1, 2]]
    ```

    **Source:** DML_TOP_K_OPERATOR_DESC.
  }];

  let hasCanonicalizer = 1;
  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$axis, DML_I64Attr:$k);
  let results = (outs DML_Tensor:$output_value, DML_Tensor:$output_index);

  let support = [
    DML_Support<FL_5_0, [
      DML_TensorSupport<"input", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output_value", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output_index", 1, 8, DML_UnsignedIndices>,
    ]>,
    DML_Support<FL_3_1, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output_value", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output_index", 1, 8, DML_OnlyUInt32>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output_value", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output_index", 4, 4, DML_OnlyUInt32>,
    ]>,
    DML_Support<FL_1_0, [
      DML_TensorSupport<"input", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_value", 4, 4, DML_Float32And16>,
      DML_TensorSupport<"output_index", 4, 4, DML_OnlyUInt32>,
    ]>,
  ];
  let sameElementTypes = [["input", "output_value"]];
  let sameShapes = [["output_value", "output_index"]];
  let arrays = [DML_AxesArray<"axis">, DML_FixedArray<"k", 1, 1>];
  let hasVerifier = 1;
}

def DML_TopK1Op : DML_Op<"top_k1", "TOP_K1", [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Selects the largest or the smallest elements";
  let description = [{
    Selects the `k` largest or smallest elements of every line of `input` along `axis`,
    in order, and tells where they stand.

    **Semantics.** `output_value` has the selected elements of each line, and
    `output_index` their positions in the line, which count from 0. Where
    `axis_direction` is `decreasing` these are the largest elements, the largest first;
    where it is `increasing` the smallest, the smallest first. Of equal elements the one
    with the lower position stands first, and is selected first, in both directions.

    **Inputs**

    | label | name             | field           | type |
    |-------|------------------|-----------------|------|
    | (I1)  | `input`          | `InputTensor`   | tensor, rank 1 to 8 |
    | (I2)  | `axis`           | `Axis`          | the dimension of the lines |
    | (I3)  | `k`              | `K`             | how many elements of each line |
    | (I4)  | `axis_direction` | `AxisDirection` | which elements, in which order |

    **Constraints**
    * (C1) `axis` is a dimension of `input`.
    * (C2) `1 <= k <= dim(input, axis)`.
    * (C3) `output_value` has `input`'s element type.
    * (C4) `output_value` has `input`'s rank and its sizes, and `k` along `axis`.
    * (C5) `output_index` has the sizes of `output_value`.

    **Readings**
    * The page wants `k` below the number of elements of a line; all of them are
      accepted too, which sorts the line.
    * NaNs, of which the page says nothing, stand behind all numbers in both
      directions, among themselves in the order of their positions: as in `dml.reduce`,
      they lose.
    * Zeros of either sign are equal.
    * Elements keep their bits.

    **Example**
    ```mlir
    // %input: [[2, 1, 2, 1]]
    %value, %index = dml.top_k1 %input {axis = 1 : i64, k = 3 : i64,
        axis_direction = #dml.axis_direction<increasing>}
        : (tensor<1x4xf32>) -> (tensor<1x3xf32>, tensor<1x3xui32>)
    // %value: [[1, 1, 2]]  %index: [[1, 3, 0]]
    ```

    **Source:** DML_TOP_K1_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input, DML_I64Attr:$axis, DML_I64Attr:$k,
                       DML_AxisDirectionAttr:$axis_direction);
  let results = (outs DML_Tensor:$output_value, DML_Tensor:$output_index);

  let enumSupport = [
    DML_EnumSupport<"axis_direction", DML_AxisDirectionAttr>,
  ];
  let support = [
    DML_Support<FL_5_0, [
      DML_TensorSupport<"input", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output_value", 1, 8, DML_AllButFloat64>,
      DML_TensorSupport<"output_index", 1, 8, DML_UnsignedIndices>,
    ]>,
    DML_Support<FL_3_1, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output_value", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output_index", 1, 8, DML_OnlyUInt32>,
    ]>,
    DML_Support<FL_2_1, [
      DML_TensorSupport<"input", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output_value", 4, 4, DML_UpTo32Bit>,
      DML_TensorSupport<"output_index", 4, 4, DML_OnlyUInt32>,
    ]>,
  ];
  let sameElementTypes = [["input", "output_value"]];
  let sameShapes = [["output_value", "output_index"]];
  let arrays = [DML_AxesArray<"axis">, DML_FixedArray<"k", 1, 1>];
  let hasVerifier = 1;
}

def DML_NonzeroCoordinatesOp
    : DML_Op<"nonzero_coordinates", "NONZERO_COORDINATES"> {
  let summary = "Lists the coordinates of elements that are not zero";
  let description = [{
    Counts the elements of `input` that are not zero, and lists their coordinates.

    **Semantics.** `output_count` has the number of elements that are not zero. Row `r`
    of `output_coordinates` has the coordinates of the element that is number `r` among
    them, in row-major order and counted from 0: as many as a row is long, the last ones
    of the element. Rows from the count on hold zeros.

    **Inputs**

    | label | name    | field         | type |
    |-------|---------|---------------|------|
    | (I1)  | `input` | `InputTensor` | tensor, rank 1 to 8 |

    **Constraints**
    * (C1) every size of `output_count` is 1.
    * (C2) `output_coordinates` ends in the sizes `m` and `n`, before which stands 1,
      where `m` is the number of `input`'s elements.
    * (C3) `n` is at most the rank of `input`, and at least what is left of it without
      leading sizes of 1.

    **Readings**
    * Zeros of either sign are zero. A NaN, of which the page says nothing, is not.
    * The page leaves rows from the count on undefined, and its example has zeros there.
    * The page's text and an older table want one rank of all three tensors; from 4_0 on
      the table gives each its own. Before, the three have one rank.

    **Example**
    ```mlir
    // %input: [[0, 7], [8, 0]]
    %count, %coordinates = dml.nonzero_coordinates %input
        : (tensor<2x2xi32>) -> (tensor<1xui32>, tensor<4x2xui32>)
    // %count: [2]  %coordinates: [[0, 1], [1, 0], [0, 0], [0, 0]]
    ```

    **Source:** DML_NONZERO_COORDINATES_OPERATOR_DESC.
  }];

  let arguments = (ins DML_Tensor:$input);
  let results = (outs DML_Tensor:$output_count, DML_Tensor:$output_coordinates);

  let support = [
    DML_Support<FL_4_0, [
      DML_TensorSupport<"input", 1, 8, DML_UpTo32Bit>,
      DML_TensorSupport<"output_count", 1, 8, DML_OnlyUInt32>,
      DML_TensorSupport<"output_coordinates", 2, 8, DML_OnlyUInt32>,
    ]>,
    DML_Support<FL_3_0, [
      DML_TensorSupport<"input", 4, 5, DML_UpTo32Bit>,
      DML_TensorSupport<"output_count", 4, 5, DML_OnlyUInt32>,
      DML_TensorSupport<"output_coordinates", 4, 5, DML_OnlyUInt32>,
    ]>,
  ];
  let rules = [DML_EqualRanksRule<FL_4_0>];
  let hasVerifier = 1;
}

#endif // DML_IR_SORTOPS_TD
