//===- SliceOps.td - DirectML's slices ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_SLICEOPS_TD
#define DML_IR_SLICEOPS_TD

include "dml/IR/DMLOpBase.td"

def DML_SliceOp : DML_Op<"slice", "SLICE", [InferTypeOpAdaptor]> {
  let summary = "Copies a window of a tensor, with strides";
  let description = [{
    Copies `sizes[i]` elements of `input` along each dimension `i`: the one at
    `offsets[i]`, and then every `strides[i]`-th.

    **Semantics.** `output[o] = input[offsets + strides * o]`, in each dimension.

    **Inputs**

    | label | name      | field         | type |
    |-------|-----------|---------------|------|
    | (I1)  | `input`   | `InputTensor` | tensor, rank 1 to 8, all data types |
    | (I2)  | `offsets` | `Offsets`     | one coordinate a dimension |
    | (I3)  | `sizes`   | `Sizes`       | one count of elements a dimension |
    | (I4)  | `strides` | `Strides`     | one step a dimension |

    **Constraints**
    * (C1) `size(offsets) = size(sizes) = size(strides) = rank(input)`.
    * (C2) `sizes[i] > 0` and `strides[i] > 0`.
    * (C3) `offsets[i] + (sizes[i] - 1) * strides[i] < dim(input, i)`.
    * (C4) `output` has `input`'s element type and `dim(output, i) = sizes[i]`.

    **Readings**
    * The page does not speak of strides of 0. They are refused, as `slice1`
      refuses them.

    **Example**
    ```mlir
    // %input: [[1, 2, 3, 4], [5, 6, 7, 8]]
    %output = dml.slice %input {offsets = array<i64: 1, 0>,
        sizes = array<i64: 1, 2>, strides = array<i64: 1, 3>}
        : (tensor<2x4xf32>) -> tensor<1x2xf32>
    // %output: [[5, 8]]
    ```

    **Source:** DML_SLICE_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_I64ArrayAttr:$offsets,
    DML_I64ArrayAttr:$sizes,
    DML_I64ArrayAttr:$strides
  );
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 5, DML_UpTo32Bit>,
    DML_SameSupport<FL_1_0, 4, 5, DML_Floats16To32Bit>,
  ];
  let sameElementTypes = [["input", "output"]];
  let arrays = [
    DML_DimensionArray<"offsets", "0">,
    DML_DimensionArray<"sizes", "", 0, 1>,
    DML_DimensionArray<"strides", "1", 0, 1>,
  ];

  let hasFolder = 1;
}

def DML_Slice1Op : DML_Op<"slice1", "SLICE1"> {
  let summary = "Copies a window of a tensor, with strides that may be negative";
  let description = [{
    Steps through a window of `input`, in each dimension `i` of
    `input_window_sizes[i]` elements from `input_window_offsets[i]` on, by
    `input_window_strides[i]`: from its first element upwards, or, if the stride
    is negative, from its last one downwards.

    **Semantics.** `output[o] = input[start + input_window_strides * o]`, in each
    dimension, where `start` is `input_window_offsets` for a positive stride and
    `input_window_offsets + input_window_sizes - 1` for a negative one.

    **Inputs**

    | label | name                   | field                | type |
    |-------|------------------------|----------------------|------|
    | (I1)  | `input`                | `InputTensor`        | tensor, rank 1 to 8, all data types |
    | (I2)  | `input_window_offsets` | `InputWindowOffsets` | one coordinate a dimension |
    | (I3)  | `input_window_sizes`   | `InputWindowSizes`   | one count of elements a dimension |
    | (I4)  | `input_window_strides` | `InputWindowStrides` | one step a dimension |

    **Constraints**
    * (C1) `size(input_window_offsets) = size(input_window_sizes) =
      size(input_window_strides) = rank(input)`.
    * (C2) `input_window_sizes[i] > 0` and
      `input_window_offsets[i] + input_window_sizes[i] <= dim(input, i)`.
    * (C3) `input_window_strides[i] != 0`, and it fits 32 bits.
    * (C4) `output` has `input`'s element type and rank.
    * (C5) `dim(output, i) <= 1 + (input_window_sizes[i] - 1) /
      |input_window_strides[i]|`, rounded down: what the steps reach. It may be
      less.

    **Readings**
    * The page writes (C5) with the signed stride; the absolute value is meant.

    **Example**
    ```mlir
    // %input: [[1, 2, 3, 4], [5, 6, 7, 8]]
    %output = dml.slice1 %input {input_window_offsets = array<i64: 0, 1>,
        input_window_sizes = array<i64: 2, 3>,
        input_window_strides = array<i64: 1, -2>}
        : (tensor<2x4xf32>) -> tensor<2x2xf32>
    // %output: [[4, 2], [8, 6]]
    ```

    **Source:** DML_SLICE1_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input,
    DML_I64ArrayAttr:$input_window_offsets,
    DML_I64ArrayAttr:$input_window_sizes,
    DML_I64ArrayAttr:$input_window_strides
  );
  let results = (outs DML_Tensor:$output);

  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_0, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_2_1, 4, 5, DML_UpTo32Bit>,
  ];
  let sameElementTypes = [["input", "output"]];
  let arrays = [
    DML_DimensionArray<"input_window_offsets", "0">,
    DML_DimensionArray<"input_window_sizes", "", 0, 1>,
    DML_DimensionArray<"input_window_strides", "1", 0, -2147483648, "input",
                       2147483647>,
  ];

  let hasVerifier = 1;
  let hasFolder = 1;
}

def DML_SliceGradOp : DML_Op<"slice_grad", "SLICE_GRAD"> {
  let summary = "Computes the gradient of slice1";
  let description = [{
    Puts the elements of `input_gradient` where `slice1` took elements from in a
    tensor like `output_gradient`, and zeros elsewhere.

    **Semantics.** `output_gradient[start + input_window_strides * o] =
    input_gradient[o]`, with `start` as for `slice1`; all other elements are 0.

    **Inputs**

    | label | name                   | field                 | type |
    |-------|------------------------|-----------------------|------|
    | (I1)  | `input_gradient`       | `InputGradientTensor` | tensor, rank 1 to 8, all data types |
    | (I2)  | `input_window_offsets` | `InputWindowOffsets`  | one coordinate a dimension |
    | (I3)  | `input_window_sizes`   | `InputWindowSizes`    | one count of elements a dimension |
    | (I4)  | `input_window_strides` | `InputWindowStrides`  | one step a dimension |

    **Constraints**
    * (C1) `size(input_window_offsets) = size(input_window_sizes) =
      size(input_window_strides) = rank(input_gradient)`.
    * (C2) `input_window_sizes[i] > 0` and `input_window_offsets[i] +
      input_window_sizes[i] <= dim(output_gradient, i)`.
    * (C3) `input_window_strides[i] != 0`, and it fits 32 bits.
    * (C4) `output_gradient` has `input_gradient`'s element type and rank.
    * (C5) `dim(input_gradient, i) <= 1 + (input_window_sizes[i] - 1) /
      |input_window_strides[i]|`, rounded down.

    **Readings**
    * The zeros are those whose bits are all 0.

    **Example**
    ```mlir
    // %input_gradient: [[1, 2]]
    %output_gradient = dml.slice_grad %input_gradient {
        input_window_offsets = array<i64: 0, 1>,
        input_window_sizes = array<i64: 1, 3>,
        input_window_strides = array<i64: 1, -2>}
        : (tensor<1x2xf32>) -> tensor<1x4xf32>
    // %output_gradient: [[0, 2, 0, 1]]
    ```

    **Source:** DML_SLICE_GRAD_OPERATOR_DESC.
  }];

  let arguments = (ins
    DML_Tensor:$input_gradient,
    DML_I64ArrayAttr:$input_window_offsets,
    DML_I64ArrayAttr:$input_window_sizes,
    DML_I64ArrayAttr:$input_window_strides
  );
  let results = (outs DML_Tensor:$output_gradient);

  let support = [
    DML_SameSupport<FL_4_1, 1, 8, DML_AllDataTypes>,
    DML_SameSupport<FL_3_1, 1, 8, DML_UpTo32Bit>,
    DML_SameSupport<FL_3_0, 4, 5, DML_UpTo32Bit>,
  ];
  let sameElementTypes = [["input_gradient", "output_gradient"]];
  let arrays = [
    DML_DimensionArray<"input_window_offsets", "0", 0, 0, "input_gradient">,
    DML_DimensionArray<"input_window_sizes", "", 0, 1, "input_gradient">,
    DML_DimensionArray<"input_window_strides", "1", 0, -2147483648,
                       "input_gradient", 2147483647>,
  ];

  let hasVerifier = 1;
}

#endif // DML_IR_SLICEOPS_TD
